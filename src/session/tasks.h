/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_SESSION_TASKS_H
#define TRACESH_SESSION_TASKS_H

#include "session.h"

/* Holds thread ids: those of /proc, or after tsh_tasks_translate the kernel's (of the initial pid
 * namespace). */
struct tsh_tasks {
	int *v;
	size_t n;
	size_t cap;
};
void tsh_tasks_release(struct tsh_tasks *tasks);
/* Adds an id, unless the list has it. */
void tsh_tasks_add(struct tsh_tasks *tasks, int tid);
bool tsh_tasks_has(const struct tsh_tasks *tasks, int tid);

/*
 * Adds the threads that a TASK word names, by their numbers in /proc. "1234" and "NAME" (also a
 * glob) name a process with all its threads and, with `children`, those of its descendants. "tid:N"
 * names that thread alone. Returns 0, or -1 with err when there is none.
 */
int tsh_tasks_find(const struct tsh_value *word, bool children, struct tsh_tasks *ret,
		   struct tsh_err *err);
/* Adds the threads of a list, "1234,bash", with the children. Returns 0, or -1 with err. */
int tsh_tasks_find_list(const struct tsh_value *list, struct tsh_tasks *ret, struct tsh_err *err);
/* Turns numbers of our pid namespace into the kernel's; changes none in the initial namespace.
 * Drops a task that ends meanwhile. Returns 0, or -1 with err. */
int tsh_tasks_translate(struct tsh_session *s, struct tsh_tasks *tasks, struct tsh_err *err);
/* Says whether our pid namespace is the initial one, so that /proc has the kernel's numbers. */
bool tsh_tasks_have_kernel_numbers(void);
/* Adds a process and its descendants, as /proc has them now. */
void tsh_tasks_add_family(int pid, struct tsh_tasks *ret);
/* Adds our own pid and those of all our ancestors but init (shell, sshd, tmux), as /proc has
 * them. */
void tsh_tasks_add_ancestors(struct tsh_tasks *ret);
/* Adds the same as tsh_tasks_add_ancestors, our own threads, and the decoders' process: all that a
 * trace leaves out. */
void tsh_tasks_add_own(const struct tsh_session *s, struct tsh_tasks *ret);
/* Says whether a task exists and is no zombie. */
bool tsh_task_is_alive(int tid);
/* Appends the ids as the pid files take them: "12\n345". */
void tsh_tasks_text(const struct tsh_tasks *tasks, struct tsh_strbuf *out);

/* Says whether a script is made for another machine, which has other tasks. */
bool tsh_tasks_are_of_other_machine(const struct tsh_session *s);

#endif
