/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cmd/commands.h"

#include <string.h>

#include "engine/state/task-lists.h"
#include "session/util.h"

/* Declares pid: shows and sets which tasks are traced. */

static enum tsh_task_change change_of(const char *action)
{
	if (!action)
		return TSH_TASKS_SET;
	return !strcmp(action, "add") ? TSH_TASKS_ADD : !strcmp(action, "not") ? TSH_TASKS_EXCLUDE : TSH_TASKS_REMOVE;
}

static int refuse_unlisted(struct tsh_session *s, const struct tsh_call *call, struct tsh_err *err)
{
	const struct tsh_value *word = tsh_args_get(&call->args, "TASK");

	tsh_err_at(err, word->word.span, "'%s' is not in the lists of '%s'", word->word.text,
		   tsh_instance_label(s->in));
	err->status = TSH_FAILED;
	if (tsh_file_exists(s->in, "set_event_notrace_pid"))
		tsh_err_hint(err, "pid not %s: everybody else is traced", word->word.text);
	return -1;
}

static int change_elsewhere(struct tsh_session *s, const struct tsh_call *call, enum tsh_task_change change, bool follow,
			    struct tsh_err *err)
{
	const struct tsh_value *word = NULL;
	struct tsh_strlist words = { 0 };
	int r;

	while ((word = tsh_args_next(&call->args, "TASK", word)))
		tsh_strlist_add(&words, word->word.text);
	r = tsh_task_lists_change_elsewhere(s, &words, change, follow, err);
	tsh_strlist_release(&words);
	return r;
}

static int change_here(struct tsh_session *s, const struct tsh_call *call, enum tsh_task_change change, bool follow,
		       struct tsh_err *err)
{
	const struct tsh_value *word = NULL;
	struct tsh_tasks tasks = { 0 };
	int r = 0;

	while (!r && (word = tsh_args_next(&call->args, "TASK", word)))
		r = tsh_tasks_find(word, follow, &tasks, err);
	if (!r)
		r = tsh_tasks_translate(s, &tasks, err);
	if (!r)
		r = tsh_task_lists_change(s, &tasks, change, follow, err);
	tsh_tasks_release(&tasks);
	return r > 0 ? refuse_unlisted(s, call, err) : r;
}

static int pid_run(struct tsh_session *s, const struct tsh_call *call, struct tsh_err *err)
{
	const char *action = tsh_args_text(&call->args, "ACTION");
	bool follow = !tsh_args_has(&call->args, "no-fork"), is_elsewhere = tsh_tasks_are_of_other_machine(s);

	/* Accepts a recorded tree without the file. */
	if (!is_elsewhere && tsh_cmd_check_file(s, "set_event_pid", "list of traced tasks", err) < 0) {
		tsh_err_hint(err, "enable EVENT.. if common_pid == N");
		return -1;
	}
	if (action && !strcmp(action, "clear"))
		return tsh_task_lists_clear(s, err);
	if (tsh_args_has(&call->args, "TASK"))
		return (is_elsewhere ? change_elsewhere : change_here)(s, call, change_of(action), follow, err);
	if (action) {
		tsh_err_at(err, call->args.command, "missing TASK");
		tsh_err_hint(err, "pid %s TASK..", action);
		return -1;
	}
	tsh_task_lists_print(s);
	return 0;
}

static const char *const pid_actions[] = { "add", "del", "not", "clear", NULL };

static const struct tsh_arg pid_args[] = {
	{ .name = "no-fork", .option = "--no-fork", .type = TSH_ARG_FLAG,
	  .flags = TSH_ARG_OPTIONAL, .help = "not the children, neither now nor later" },
	{ .name = "ACTION", .type = TSH_ARG_CHOICE, .choices = pid_actions,
	  .flags = TSH_ARG_OPTIONAL,
	  .help = "instead of setting the list: add to it, del what add or not has put in; "
		  "not: trace all but these; clear" },
	{ .name = "TASK", .type = TSH_ARG_TASK, .flags = TSH_ARG_OPTIONAL | TSH_ARG_MANY,
	  .help = "a process by number or name, with its threads; tid:N for one thread" },
	{ 0 }
};

static const struct tsh_example pid_examples[] = {
	{ "pid 1", "only this process, its threads and children" },
	{ "pid not 1", "all but this process" },
	{ "pid", "the present lists" },
	{ "pid clear", "all tasks again" },
	{ 0 }
};

const struct tsh_cmd tsh_cmd_pid = {
	.name = "pid", .group = TSH_GROUP_CONTROL, .summary = "show or set which tasks are traced",
	.description = "For events and for the function tracers. Threads and children are "
		       "followed, also those to come. Inside a pid namespace its own numbers are "
		       "used.\n"
		       "sched_switch, sched_waking and sched_wakeup pass when either of their tasks is listed: "
		       "stream, drain and show print them all. hist, count and stacks count events of the "
		       "listed tasks alone, latency pairs whose key is one of them; of another task delta is unknown.",
	.see_also = "ps",
	.args = pid_args, .examples = pid_examples,
	.flags = TSH_CMD_WRITES | TSH_CMD_NEEDS_TRACEFS | TSH_CMD_PRINTS | TSH_CMD_LIVE,
	.run = pid_run,
};
