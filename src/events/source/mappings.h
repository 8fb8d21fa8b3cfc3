/* events/source/mappings.h - reads from perf which code processes map, and when */
/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_EVENTS_SOURCE_MAPPINGS_H
#define TRACESH_EVENTS_SOURCE_MAPPINGS_H

#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include "kernel/tracefs/tracefs.h"

enum tsh_mapping_what {
	TSH_MAPPING_CODE,	/* a process has mapped code, or has made a mapping executable */
	TSH_MAPPING_FORK,	/* a process has begun, with its parent's mappings */
	/* a process has lost all its mappings: it will map another program */
	TSH_MAPPING_EXEC,
	TSH_MAPPING_RUNS,	/* a process that already runs */
	TSH_MAPPING_EXIT,	/* a process has ended */
	/* earlier records may be missing: the kernel had no room for them */
	TSH_MAPPING_LOST,
};

/* Describes what happened to a process; its number is that of our pid namespace. */
struct tsh_mapping {
	enum tsh_mapping_what what;
	uint64_t stamp;			/* time by the chosen clock */
	int tgid, parent;		/* parent: for FORK */
	uint64_t begin, end, offset, device, inode;	/* for CODE, as in /proc/PID/maps */
	const char *path;		/* for CODE: empty when there is no file; borrowed */
};

struct tsh_mappings;

/*
 * Begins to watch all processes of the machine. The clock is CLOCK_BOOTTIME, CLOCK_MONOTONIC,
 * CLOCK_MONOTONIC_RAW or CLOCK_TAI. TSH_MAPPING_LOST is also reported when that clock steps against
 * CLOCK_MONOTONIC: boot by a suspend, TAI by a new offset. Returns 0, or -errno when perf cannot be
 * used; ENOSYS: the kernel has no event sched_process_exec.
 */
int tsh_mappings_open(const struct tsh_instance *in, clockid_t clock, struct tsh_mappings **ret);
/* Ends watching, and frees; NULL is allowed. */
void tsh_mappings_close(struct tsh_mappings *mappings);
/* Calls `handle` for each mapping, fork, exec and exit up to now, in the order of time. Returns the
 * present time of the chosen clock, in ns. */
uint64_t tsh_mappings_read(struct tsh_mappings *mappings, void (*handle)(void *ctx, const struct tsh_mapping *mapping),
			   void *ctx);

#endif
