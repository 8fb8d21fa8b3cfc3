/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_SESSION_TASKS_H
#define TRACESH_SESSION_TASKS_H

#include "session.h"

/* Thread ids, in the kernel's numbering (the initial pid namespace). */
struct tsh_tasks {
	int *v;
	size_t n;
	size_t cap;
};
void tsh_tasks_release(struct tsh_tasks *tasks);
void tsh_tasks_add(struct tsh_tasks *tasks, int tid);
bool tsh_tasks_has(const struct tsh_tasks *tasks, int tid);

/*
 * Adds what a TASK word names, as /proc numbers it: "1234" and "NAME" (globs too):
 * the process with its threads and, with children, its descendants with theirs;
 * "tid:N": that thread alone. -1 when there is none.
 */
int tsh_tasks_find(const struct tsh_value *word, bool children, struct tsh_tasks *ret,
		   struct tsh_err *err);
/* The same of a list, "1234,bash", with the children. */
int tsh_tasks_find_list(const struct tsh_value *list, struct tsh_tasks *ret, struct tsh_err *err);
/*
 * Turns the numbers of our pid namespace into the kernel's; nothing to do in the
 * initial one. A task that ends meanwhile drops out.
 */
int tsh_tasks_translate(struct tsh_session *s, struct tsh_tasks *tasks, struct tsh_err *err);
/* Whether our pid namespace is the initial one: the numbers are the same. */
bool tsh_tasks_are_the_kernels(void);
/* A process and its descendants, as /proc has them now. */
void tsh_tasks_family(int pid, struct tsh_tasks *ret);
/* Our own pid and those of all our ancestors (shell, sshd, tmux), as /proc has them. */
void tsh_tasks_ancestors(struct tsh_tasks *ret);
/* The same, and our own threads behind them: who is left out of a trace. */
void tsh_tasks_us(const struct tsh_session *s, struct tsh_tasks *ret);
/* It is there and no zombie, which only waits to be asked for and runs no more. */
bool tsh_task_lives(int tid);
/* "12\n345": what the pid files take. */
void tsh_tasks_text(const struct tsh_tasks *tasks, struct tsh_strbuf *out);

/* Whether a script is made whose machine's tasks are not these. */
bool tsh_tasks_elsewhere(const struct tsh_session *s);

#endif
