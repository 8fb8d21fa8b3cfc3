/* kernel/tracefs/probe.h - kprobes, uprobes and event probes */
/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_KERNEL_TRACEFS_PROBE_H
#define TRACESH_KERNEL_TRACEFS_PROBE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"
#include "tracefs.h"

/* Holds a line of the kernel's lists of probes: "p:GROUP/NAME PLACE ARGUMENT..". */
struct tsh_probe {
	char *line;
	const char *file;	/* the list that has the line, also used to remove it */
	char *group, *name;
	char *place;		/* "vfs_open+0", "/bin/bash:0x4245c", "sched.sched_switch" */
	char *args;		/* the arguments, or "" */
	char letter;		/* p, r, e, t, f */
	pid_t owner;		/* the PID of a group tracesh_PID; 0: not a group of tracesh */
	bool is_ours;		/* of this process, not just of its pid */
};
struct tsh_probes { struct tsh_probe *v; size_t n, cap; };

/* Reads all probes, oldest first; no synthetic events. Zeroed memory is an empty list. */
void tsh_probes_read(struct tsh_dir *dir, struct tsh_probes *ret);
void tsh_probes_release(struct tsh_probes *probes);
/* Finds a probe by its group and name. Returns NULL when there is none. */
const struct tsh_probe *tsh_probes_find(const struct tsh_probes *probes, const char *group,
					const char *name);

/* Returns the group for this process's probes: "tracesh_PID", or "tracesh_PID_N" when another
 * process has that group (its pid was the same, or is the same in another pid namespace). The
 * caller frees it. */
char *tsh_probe_group(struct tsh_dir *dir);
/* Says whether a group is that of this process, which made all probes in it. */
bool tsh_probe_is_ours(const struct tsh_dir *dir, const char *group);
/* Says whether a name is "tracesh_PID" or "tracesh_PID_N" of any process. */
bool tsh_probe_is_group(const char *group);
/*
 * Returns the PID of the session that made the probe of a line, from its group; 0 when it was not
 * made by tracesh. Such a probe is removed at the end of its session, even when the settings are
 * kept.
 */
pid_t tsh_probe_owner(const char *line);
/* Returns the PID in the group tracesh_PID or tracesh_PID_N, or in the synthetic event
 * tracesh_lat_PID; 0 when there is none. */
pid_t tsh_probe_group_owner(const char *group);
/*
 * Mark a group of probes as used until dir is closed, by flock(2) on the directory of its events.
 * tsh_probe_hold marks the group of a line that this session made. tsh_probe_hold_used marks the
 * group to which a file belongs, of any session. A synthetic event tracesh_.. is marked by its own
 * directory, "synthetic/NAME". tsh_probe_is_held says whether somebody has marked a group.
 * tsh_probe_unhold ends all marks of dir.
 */
void tsh_probe_hold(struct tsh_dir *dir, const char *line);
void tsh_probe_hold_used(struct tsh_dir *dir, const char *path);
bool tsh_probe_is_held(const struct tsh_dir *dir, const char *group);
void tsh_probe_unhold(struct tsh_dir *dir);
/* Says whether the session that made a group of probes has ended: nobody holds the group, and no
 * process has the number `owner`. Returns false when not all processes can be seen, as in a
 * container. */
bool tsh_probe_is_abandoned(const struct tsh_dir *dir, const char *group, pid_t owner);

/* Returns the kernel's list to which a probe of that letter is added, or NULL when this kernel has
 * no such probes. `program`: the probe is in a program, not in the kernel. */
const char *tsh_probe_file(struct tsh_dir *dir, char letter, bool program);
/* Adds a line, and checks that the list has it afterwards. Returns 0, or -1 with err. */
int tsh_probe_add(struct tsh_dir *dir, const char *file, const char *line, struct tsh_err *err);
/* Disables the probe's event and removes its triggers in every instance, then removes the probe.
 * Each step is journaled. Returns 0, or -1 with err. */
int tsh_probe_remove(struct tsh_dir *dir, const struct tsh_probe *probe, struct tsh_err *err);
/* Does the same without journal entries. Returns 0 or -errno. */
int tsh_probe_sweep(struct tsh_dir *dir, const struct tsh_probe *probe);

/* Counts how often a probe was hit, and how often the kernel missed it (kprobes only). */
struct tsh_probe_counts {
	uint64_t hits, misses;
	bool has_hits, has_misses;
};
/* Reads kprobe_profile and uprobe_profile; ret has probes->n elements. */
void tsh_probes_count(struct tsh_dir *dir, const struct tsh_probes *probes,
		      struct tsh_probe_counts *ret);

#endif
