/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_KERNEL_TRACEFS_PIDS_H
#define TRACESH_KERNEL_TRACEFS_PIDS_H

#include "tracefs.h"

/* Compares and edits lists of tasks, which the kernel changes, too, when tasks fork and exit. */

/* Says whether a process exists. Returns false when /proc does not show the kernel's pids
 * (tsh_is_initial_pid_namespace). */
bool tsh_pid_is_alive(const char *pid);
/* Says whether a write of `text` only adds to the list `before`: the list is not empty, and the
 * text has all of its pids. */
bool tsh_pids_are_only_added(const char *before, const char *text);
/* Says whether the kernel now adds the children of listed tasks (options event-fork,
 * function-fork). */
bool tsh_pids_follow_forks(const struct tsh_instance *in);

/*
 * Describes how a list of tasks changed.
 * before, after, now: the list before our write, after it, and at present.
 * at: start of the write (tsh_kernel_ns(CLOCK_BOOTTIME)); 0: any task may have come because of it.
 * followed: the kernel already added children before our write.
 * lost: listed tasks may have exited, so that descent from them cannot be seen.
 * out: tasks of `before` that others have removed since.
 * older: tasks of `now` that were in the list at some time before the write.
 * handed: the entry was handed over to us; `after` may have children that came later than `at`.
 */
struct tsh_pids_change {
	const struct tsh_strlist *before, *after, *now;
	struct tsh_strlist out, older;
	int64_t at;
	bool followed, lost, handed;
};
/*
 * Finds the tasks that came to the list because our write listed their parent or an ancestor; adds
 * them to ret. A task that began after the write and whose ancestors are not listed is an orphan:
 * its first parent has exited. Such a task counts as ours when its parent can have adopted an
 * orphan of ours (a subreaper or the init of a pid namespace), and its session shows that the
 * parent did not fork it itself. When children were followed before the write, an orphan may also
 * descend from a task that was listed before: it is added to ret_doubtful (may be NULL) instead.
 * Finds none when /proc does not show the kernel's pids.
 */
void tsh_pids_forked(const struct tsh_pids_change *change, struct tsh_strlist *ret, struct tsh_strlist *ret_doubtful);
/* Adds `before` to ret, without tasks that our write removed and that have exited since, even when
 * their pids are used again. Adds all of `before` when /proc does not show the kernel's pids. */
void tsh_pids_not_ended(const struct tsh_pids_change *change, struct tsh_strlist *ret);
/*
 * Adds to ret the list to restore: the present list without the tasks that `after` added, and with
 * the tasks of `before` that our write removed. Tasks that others added since stay; tasks that
 * others removed, or that have exited, do not come back.
 */
void tsh_pids_before(const struct tsh_strlist *before, const struct tsh_strlist *after,
		     const struct tsh_strlist *now, struct tsh_strlist *ret);

#endif
