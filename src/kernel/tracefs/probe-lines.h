/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_KERNEL_TRACEFS_PROBE_LINES_H
#define TRACESH_KERNEL_TRACEFS_PROBE_LINES_H

#include "event.h"
#include "probe.h"

/* Define the prefix of the names of our groups of probes and of our synthetic events, and the
 * folder of synthetic events below events/. */
#define TSH_PROBE_PREFIX "tracesh_"
#define TSH_PROBE_SYNTHETIC "synthetic/"

/* Reads the event's name from a line "p:GROUP/NAME PLACE ..". Returns false when the line has no
 * name or no group. The caller calls tsh_probe_event_release. */
bool tsh_probe_event(const char *line, struct tsh_event *ret);
void tsh_probe_event_release(struct tsh_event *event);

/* Returns "events/GROUP/NAME/" for a line of a list of probes or of synthetic events ("NAME
 * FIELD.."), or NULL when the line has no such name. The caller frees it. */
char *tsh_probe_folder(const char *line);

/* Calls back for each instance in which the event is enabled or has triggers, the top instance
 * first. Stops at the first result that is not 0, and returns it. */
int tsh_probe_users(struct tsh_dir *dir, const struct tsh_event *event,
		    int (*user)(void *ctx, struct tsh_instance *in), void *ctx);

/*
 * Checks that only root can change where the path to a uprobe's program leads, so that it still
 * leads where it did when the probe was made. Returns 0, or -errno: -EXDEV when others than root
 * can change it, -ETIMEDOUT when its file system has not answered for two seconds. Returns 0 for a
 * line that has no program.
 */
int tsh_probe_check_path(const char *line);

/* Returns -EEXIST when another session has our group by now, so that the line must not be added;
 * else 0. */
int tsh_probe_check_group(const struct tsh_dir *dir, const char *line);

/* Disables the event and removes its triggers in all instances, without journal entries. */
void tsh_probe_disable_event(struct tsh_dir *dir, const struct tsh_event *event);

#endif
