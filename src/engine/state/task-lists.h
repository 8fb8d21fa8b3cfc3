/* engine/state/task-lists.h - lists of the tasks that an instance traces or leaves out */
/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_ENGINE_STATE_TASK_LISTS_H
#define TRACESH_ENGINE_STATE_TASK_LISTS_H

#include "session/tasks.h"

/* Prints the lists of the current instance. */
void tsh_task_lists_print(struct tsh_session *s);
/* Clears the lists and the following of children, so that all tasks are traced; prints a note.
 * Returns 0, or -1 with err. */
int tsh_task_lists_clear(struct tsh_session *s, struct tsh_err *err);

enum tsh_task_change {
	TSH_TASKS_SET,			/* trace these, and no others */
	TSH_TASKS_ADD,			/* trace these, too */
	TSH_TASKS_EXCLUDE,		/* do not trace these */
	TSH_TASKS_REMOVE,		/* remove these from both lists */
};

/* Changes the lists, and prints a note with the number of tasks. follow: treats children as their
 * parents. Returns 0, 1 when none of the tasks to be removed is in a list, or -1 with err. */
int tsh_task_lists_change(struct tsh_session *s, const struct tsh_tasks *tasks, enum tsh_task_change change, bool follow,
			  struct tsh_err *err);
/* Writes the change into a script for another machine. The script looks up the tasks there, by the
 * words that were typed. Returns 0, or -1 with err. */
int tsh_task_lists_change_elsewhere(struct tsh_session *s, const struct tsh_strlist *words, enum tsh_task_change change,
				    bool follow, struct tsh_err *err);

#endif
