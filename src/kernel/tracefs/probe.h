/* kernel/tracefs/probe.h - probes: the events that users make of functions */
/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_KERNEL_TRACEFS_PROBE_H
#define TRACESH_KERNEL_TRACEFS_PROBE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"
#include "tracefs.h"

/* A line of the kernel's lists: "p:GROUP/NAME PLACE ARGUMENT..". */
struct tsh_probe {
	char *line;
	const char *file;	/* the list that it is read from, and removed by */
	char *group, *name;
	char *place;		/* "vfs_open+0", "/bin/bash:0x4245c", "sched.sched_switch" */
	char *args;		/* behind it; "" */
	char letter;		/* p, r, e, t, f */
	pid_t owner;		/* of the group tracesh_PID; 0: it is nobody's that we know of */
	bool is_ours;		/* of this process's group: another may have its number elsewhere */
};
struct tsh_probes { struct tsh_probe *v; size_t n, cap; };

/* All there are but synthetic events, oldest first. Zeroed memory is an empty list. */
void tsh_probes_read(struct tsh_dir *dir, struct tsh_probes *ret);
void tsh_probes_release(struct tsh_probes *probes);
/* By the event's name, in the group; NULL: there is none. */
const struct tsh_probe *tsh_probes_find(const struct tsh_probes *probes, const char *group,
					const char *name);

/* The group of this process's probes, "tracesh_PID", or "tracesh_PID_N" where others have that: one of
 * another pid namespace may have our number, or have had it. The caller frees it. */
char *tsh_probe_group(struct tsh_dir *dir);
/* Whether a group is that of this process, which has made what is in it. */
bool tsh_probe_is_ours(const struct tsh_dir *dir, const char *group);
/* "tracesh_PID" or "tracesh_PID_N" of any process. */
bool tsh_probe_is_group(const char *group);
/*
 * The process whose probe a line makes, by its group; 0: it is none of a tracesh. Such a probe
 * goes at the end of its session, also when the settings are kept.
 */
pid_t tsh_probe_owner(const char *line);
/* The number in a group tracesh_PID or tracesh_PID_N, or a synthetic event's tracesh_lat_PID; 0: there is none. */
pid_t tsh_probe_group_owner(const char *group);
/*
 * Tells others that the session whose probe the line makes, or that sets a file of such a probe's
 * event (of any session), lives: flock(2) on the directory of its group's events, until dir is closed.
 * The same of a synthetic event tracesh_.., whose directory is its own: "synthetic/NAME". And whether
 * somebody tells that.
 */
void tsh_probe_hold(struct tsh_dir *dir, const char *line);
void tsh_probe_hold_used(struct tsh_dir *dir, const char *path);
bool tsh_probe_is_held(const struct tsh_dir *dir, const char *group);
void tsh_probe_unhold(struct tsh_dir *dir);
/* Says whether the session that made the probes of a group is gone, by the number in its name; false
 * where that cannot be seen, as in a container. */
bool tsh_probe_is_left(const struct tsh_dir *dir, const char *group, pid_t owner);

/* The list of the kernel that a probe of that letter is added to: `program` for the function of
 * a program. NULL: this kernel makes none of them. */
const char *tsh_probe_file(struct tsh_dir *dir, char letter, bool program);
/* Adds a line, and finds it in the list afterwards. 0, or -1 with err. */
int tsh_probe_add(struct tsh_dir *dir, const char *file, const char *line, struct tsh_err *err);
/* Disables it in every instance, takes its triggers away, and removes it; through the journal,
 * each with its way back. */
int tsh_probe_remove(struct tsh_dir *dir, const struct tsh_probe *probe, struct tsh_err *err);
/* The same of what nobody wants back: past the journal. 0 or -errno. */
int tsh_probe_sweep(struct tsh_dir *dir, const struct tsh_probe *probe);

/* How often each was hit, and how often the kernel had to let it pass (misses of kprobes). */
struct tsh_probe_counts {
	uint64_t hits, misses;
	bool has_hits, has_misses;
};
/* From kprobe_profile and uprobe_profile; ret has probes->n elements. */
void tsh_probes_count(struct tsh_dir *dir, const struct tsh_probes *probes,
		      struct tsh_probe_counts *ret);

#endif
