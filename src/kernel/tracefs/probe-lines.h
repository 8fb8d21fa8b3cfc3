/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_KERNEL_TRACEFS_PROBE_LINES_H
#define TRACESH_KERNEL_TRACEFS_PROBE_LINES_H

#include "event.h"
#include "probe.h"

/* What the groups of our probes, and our synthetic events, begin with; where the latter are, below events/. */
#define TSH_PROBE_PREFIX "tracesh_"
#define TSH_PROBE_SYNTHETIC "synthetic/"

/* The event of a line "p:GROUP/NAME PLACE .."; false: it has none, or no group. The caller
 * releases it with tsh_probe_event_release. */
bool tsh_probe_event(const char *line, struct tsh_event *ret);
void tsh_probe_event_release(struct tsh_event *event);

/* Gives "events/GROUP/NAME/" of a line as a list of probes has it, or of synthetic events ("NAME FIELD.."); NULL: it
 * tells none. The caller frees it. */
char *tsh_probe_folder(const char *line);

/*
 * Calls back with each instance in which the event is enabled or has triggers, the top one
 * first. Stops at the first that is not 0, and returns that.
 */
int tsh_probe_users(struct tsh_dir *dir, const struct tsh_event *event,
		    int (*user)(void *ctx, struct tsh_instance *in), void *ctx);

/* Looks whether the program of a line leads where it led when the probe was made. 0, or -errno: -EXDEV: others than
 * root can change that; -ETIMEDOUT: its file system has not answered for two seconds. A line of the kernel's own functions has none: 0. */
int tsh_probe_check_path(const char *line);

/* Whether others have our group by now, so that the line must not be added: 0, or -EEXIST. */
int tsh_probe_check_group(const struct tsh_dir *dir, const char *line);

/* Past the journal: nobody uses the event any more, in no instance. */
void tsh_probe_let_go(struct tsh_dir *dir, const struct tsh_event *event);

#endif
