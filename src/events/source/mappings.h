/* events/source/mappings.h - which code processes map, and when, as perf tells it */
/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_EVENTS_SOURCE_MAPPINGS_H
#define TRACESH_EVENTS_SOURCE_MAPPINGS_H

#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include "kernel/tracefs/tracefs.h"

enum tsh_mapping_what {
	TSH_MAPPING_CODE,	/* a process has mapped code, or made code of what it has mapped */
	TSH_MAPPING_FORK,	/* a process has begun, with the mappings of its parent */
	TSH_MAPPING_EXEC,	/* it has lost them all: it is about to map another program */
	TSH_MAPPING_RUNS,	/* that is there now, and runs from here on */
	TSH_MAPPING_EXIT,	/* a process has ended */
	TSH_MAPPING_LOST,	/* nobody knows what came before: the kernel had no room for it */
};

/* Tells what the kernel has told of a process, whose number is that of our pid namespace. */
struct tsh_mapping {
	enum tsh_mapping_what what;
	uint64_t stamp;			/* of the clock */
	int tgid, parent;		/* parent: of FORK */
	uint64_t begin, end, offset, device, inode;	/* of CODE, as /proc/PID/maps has it */
	const char *path;		/* of CODE: empty where there is no file; borrowed */
};

struct tsh_mappings;

/*
 * Begins to listen to all processes of the machine. The clock is CLOCK_BOOTTIME, CLOCK_MONOTONIC, CLOCK_MONOTONIC_RAW or
 * CLOCK_TAI; where one is stepped against CLOCK_MONOTONIC, as boot is by a suspend, all is lost. 0; or -errno: perf
 * cannot be had, ENOSYS where the kernel has no event of sched_process_exec.
 */
int tsh_mappings_open(const struct tsh_instance *in, clockid_t clock, struct tsh_mappings **ret);
/* NULL is fine. */
void tsh_mappings_close(struct tsh_mappings *mappings);
/* Gives all that has come by the present moment, in the order of time; returns that moment, by the clock. */
uint64_t tsh_mappings_read(struct tsh_mappings *mappings, void (*take)(void *ctx, const struct tsh_mapping *mapping),
			   void *ctx);

#endif
