/* engine/state/task-lists.h - the lists of tasks that an instance traces, and of those that it does not */
/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_ENGINE_STATE_TASK_LISTS_H
#define TRACESH_ENGINE_STATE_TASK_LISTS_H

#include "session/tasks.h"

/* Prints the lists of the current instance. */
void tsh_task_lists_print(struct tsh_session *s);
/* Has all tasks traced, and says so. Returns 0, or -1 with err. */
int tsh_task_lists_clear(struct tsh_session *s, struct tsh_err *err);

enum tsh_task_change {
	TSH_TASKS_SET,			/* trace these, and no others */
	TSH_TASKS_ADD,			/* trace these, too */
	TSH_TASKS_EXCLUDE,		/* do not trace these */
	TSH_TASKS_REMOVE,		/* take them out of where the two before have put them */
};

/* Changes the lists, and says how many tasks that was. follow: children are traced, or left out, with them. Returns 0; 1:
 * none of the tasks to be removed is in a list; or -1 with err. */
int tsh_task_lists_change(struct tsh_session *s, const struct tsh_tasks *tasks, enum tsh_task_change change, bool follow,
			  struct tsh_err *err);
/* Changes those of another machine, in a script: it looks there for the tasks, which are words as they were typed. */
int tsh_task_lists_change_elsewhere(struct tsh_session *s, const struct tsh_strlist *words, enum tsh_task_change change,
				    bool follow, struct tsh_err *err);

#endif
