/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_KERNEL_TRACEFS_PIDS_H
#define TRACESH_KERNEL_TRACEFS_PIDS_H

#include "tracefs.h"

/* Lists of tasks, which the kernel changes as well. Between comparing and restoring. */

/* False where the kernel's numbers are not those of /proc (tsh_sees_all_processes). */
bool tsh_pid_is_alive(const char *pid);
/* Says whether all who are in a list, and there is somebody, are among the words that are written to it. */
bool tsh_pids_only_come(const char *before, const char *text);
/* Whether the kernel lists the children of listed tasks at the moment. */
bool tsh_pids_follow_forks(const struct tsh_instance *in);

/* A list that read `before`, then `after` our write, which was begun `at` (tsh_kernel_ns(CLOCK_BOOTTIME)), and now reads
 * `now`. at 0: all who began since may have come by it. followed: the kernel listed children before us, too; lost: some
 * who were listed may have ended. out: of `before`, whom others have taken out since; older: of `now`, who was in the
 * list at some time before; handed: over to us, `after` has children that came since. */
struct tsh_pids_change {
	const struct tsh_strlist *before, *after, *now;
	struct tsh_strlist out, older;
	int64_t at;
	bool followed, lost, handed;
};
/*
 * Finds who came to the list because our write had listed its parent, or an ancestor: *ret. Of one that
 * began after the write, and whose parent is not listed, nobody knows whose it was: it is taken for one
 * where that parent can have got an orphan of ours, and did not fork it itself, as its session tells. An orphan of
 * those or of whoever was listed before, where children were followed then: *ret_doubtful, where it is not NULL.
 * Nobody, where the kernel's numbers are not those of /proc.
 */
void tsh_pids_forked(const struct tsh_pids_change *change, struct tsh_strlist *ret, struct tsh_strlist *ret_doubtful);
/* Gives `before` without those that we took out and that have ended since, whoever has their numbers now: whole,
 * where that is not seen. */
void tsh_pids_not_ended(const struct tsh_pids_change *change, struct tsh_strlist *ret);
/*
 * Gives what the list goes back to: without what `after` has brought; but what others have added meanwhile stays,
 * and what they have removed, or what has exited, does not come back.
 */
void tsh_pids_before(const struct tsh_strlist *before, const struct tsh_strlist *after,
		     const struct tsh_strlist *now, struct tsh_strlist *ret);

#endif
