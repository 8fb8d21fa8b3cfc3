/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "commands.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "status.h"
#include "tasks.h"
#include "tracesh/json.h"
#include "util.h"

/* pid: which tasks are traced. Events and the function tracers have a list each. */

static void show_list(struct tsh_session *s, struct tsh_fields *f, const char *name,
		      const char *path)
{
	char *text = tsh_file_text(s->in, path);
	char *lines = text ? tsh_class_normalize(tsh_file_class(path), text) : NULL;
	char *p;

	for (p = lines; p && *p; p++)
		if (*p == '\n')
			*p = ' ';
	if (lines && *lines)
		tsh_fields_text(f, name, lines);
	free(lines);
	free(text);
}

static int show_json(struct tsh_session *s)
{
	uint64_t fork = tsh_file_number(s->in, "options/event-fork", UINT64_MAX);
	struct tsh_json js;

	tsh_json_init(&js, &s->out->data);
	tsh_json_object(&js);
	tsh_json_kstr(&js, "type", "pid");
	tsh_status_json_list(&js, s->in, "events", "set_event_pid");
	tsh_status_json_list(&js, s->in, "events_not", "set_event_notrace_pid");
	tsh_status_json_list(&js, s->in, "functions", "set_ftrace_pid");
	tsh_status_json_list(&js, s->in, "functions_not", "set_ftrace_notrace_pid");
	tsh_json_key(&js, "children_followed");
	if (fork == UINT64_MAX)
		tsh_json_null(&js);
	else
		tsh_json_bool(&js, fork != 0);
	tsh_json_object_end(&js);
	tsh_strbuf_addc(&s->out->data, '\n');
	return 0;
}

static int show_pids(struct tsh_session *s)
{
	struct tsh_fields *f;
	char *fork;

	if (s->out->format == TSH_FORMAT_JSON)
		return show_json(s);
	f = tsh_fields_begin(s->out, "pid");
	fork = tsh_file_text(s->in, "options/event-fork");
	show_list(s, f, "events", "set_event_pid");
	show_list(s, f, "events, not", "set_event_notrace_pid");
	show_list(s, f, "functions", "set_ftrace_pid");
	show_list(s, f, "functions, not", "set_ftrace_notrace_pid");
	if (fork)
		tsh_fields_text(f, "children", strcmp(fork, "0") ? "followed" : "not followed");
	free(fork);
	tsh_fields_end(f);
	return 0;
}

/*
 * A pid list of the function tracers: not every kernel has it, not every machine
 * lets it be written. That only matters when such a tracer runs.
 */
static int write_function_list(struct tsh_session *s, const char *path,
			       enum tsh_write_how how, const char *text, struct tsh_err *err)
{
	char *tracer;
	bool matters;

	if (!tsh_file_exists(s->in, path))
		return 0;
	if (tsh_put_file(s, path, how, text, NULL, err) >= 0)
		return 0;
	tracer = tsh_file_text(s->in, "current_tracer");
	matters = tracer && !strncmp(tracer, "function", strlen("function"));
	free(tracer);
	if (matters)
		return -1;
	tsh_err_release(err);
	return 0;
}

/* Children: an option each; kernels before 4.7 have none. */
static int set_forks(struct tsh_session *s, bool follow, struct tsh_err *err)
{
	static const char *const options[] = { "options/event-fork", "options/function-fork" };
	size_t i;

	for (i = 0; i < 2; i++)
		if (tsh_file_exists(s->in, options[i]) &&
		    tsh_put_file(s, options[i], TSH_WRITE_SET, follow ? "1" : "0", NULL, err) < 0)
			return -1;
	return 0;
}

static int write_lists(struct tsh_session *s, enum tsh_write_how how, const char *text,
		       struct tsh_err *err)
{
	if (tsh_put_file(s, "set_event_pid", how, text, NULL, err) < 0)
		return -1;
	return write_function_list(s, "set_ftrace_pid", how, text, err);
}

static int clear_pids(struct tsh_session *s, struct tsh_err *err)
{
	static const char *const function_lists[] = { "set_ftrace_pid",
						      "set_ftrace_notrace_pid" };
	size_t i;

	if (tsh_put_file(s, "set_event_pid", TSH_WRITE_CLEAR, NULL, NULL, err) < 0)
		return -1;
	if (tsh_file_exists(s->in, "set_event_notrace_pid") &&
	    tsh_put_file(s, "set_event_notrace_pid", TSH_WRITE_CLEAR, NULL, NULL, err) < 0)
		return -1;
	for (i = 0; i < 2; i++)
		if (write_function_list(s, function_lists[i], TSH_WRITE_CLEAR, NULL, err) < 0)
			return -1;
	if (set_forks(s, false, err) < 0)
		return -1;
	tsh_out_note(s->out, "all tasks are traced in '%s'", tsh_instance_label(s->in));
	return 0;
}

/*
 * Rewriting the list without a pid would let every task through for a moment: so
 * the pid goes on the other list, where the kernel has one (5.7).
 */
static int delete_pids(struct tsh_session *s, const struct tsh_tasks *tasks,
		       struct tsh_err *err)
{
	struct tsh_strbuf text = TSH_STRBUF_INIT;
	int r;

	if (tsh_cmd_needs_file(s, "set_event_notrace_pid", "list of tasks that are not traced",
			       err) < 0) {
		tsh_err_hint(err, "pid TASK.. sets the list anew");
		return -1;
	}
	tsh_tasks_text(tasks, &text);
	r = tsh_put_file(s, "set_event_notrace_pid", TSH_WRITE_ADD, text.buf, NULL, err);
	if (r >= 0)
		r = write_function_list(s, "set_ftrace_notrace_pid", TSH_WRITE_ADD, text.buf,
					err);
	if (r >= 0)
		tsh_out_note(s->out, "%zu task%s not traced in '%s'", tasks->n,
			     tsh_plural(tasks->n), tsh_instance_label(s->in));
	tsh_strbuf_release(&text);
	return r < 0 ? -1 : 0;
}

/* A pid that was taken off by `del` stands on the other list: it comes off there. */
static int drop_from_notrace(struct tsh_session *s, const struct tsh_tasks *tasks,
			     struct tsh_err *err)
{
	char *text = tsh_file_text(s->in, "set_event_notrace_pid");
	struct tsh_strbuf kept = TSH_STRBUF_INIT;
	struct tsh_strlist lines = { 0 };
	bool changed = false;
	size_t i;
	int r = 0, pid;

	if (text)
		tsh_strlist_split_lines(&lines, text);
	for (i = 0; i < lines.n; i++) {
		if (!tsh_parse_int(lines.v[i], &pid) && tsh_tasks_has(tasks, pid))
			changed = true;
		else
			tsh_strbuf_addf(&kept, "%s%s", kept.len ? "\n" : "", lines.v[i]);
	}
	if (changed)
		r = tsh_put_file(s, "set_event_notrace_pid",
				 kept.len ? TSH_WRITE_SET : TSH_WRITE_CLEAR, kept.buf, NULL, err);
	tsh_strlist_release(&lines);
	tsh_strbuf_release(&kept);
	free(text);
	return r < 0 ? -1 : 0;
}

static int set_pids(struct tsh_session *s, const struct tsh_tasks *tasks, bool add, bool follow,
		    struct tsh_err *err)
{
	struct tsh_strbuf text = TSH_STRBUF_INIT;
	int r;

	tsh_tasks_text(tasks, &text);
	/* Children first: one that is born between the two writes is not missed. */
	r = set_forks(s, follow, err);
	if (!r)
		r = drop_from_notrace(s, tasks, err);
	if (!r)
		r = write_lists(s, add ? TSH_WRITE_ADD : TSH_WRITE_SET, text.buf, err);
	if (!r)
		tsh_out_note(s->out, "%zu task%s %straced in '%s'%s", tasks->n,
			     tsh_plural(tasks->n), add ? "more " : "", tsh_instance_label(s->in),
			     follow ? ", with children" : "");
	tsh_strbuf_release(&text);
	return r;
}

static int pid_run(struct tsh_session *s, const struct tsh_call *call, struct tsh_err *err)
{
	const char *action = tsh_args_text(&call->args, "ACTION");
	bool follow = !tsh_args_has(&call->args, "no-fork");
	const struct tsh_value *word = NULL;
	struct tsh_tasks tasks = { 0 };
	int r = 0;

	if (tsh_cmd_needs_file(s, "set_event_pid", "list of traced tasks", err) < 0) {
		tsh_err_hint(err, "enable EVENT.. if common_pid == N");
		return -1;
	}
	if (action && !strcmp(action, "clear"))
		return clear_pids(s, err);
	if (!tsh_args_has(&call->args, "TASK")) {
		if (!action)
			return show_pids(s);
		tsh_err_at(err, call->args.command, "missing TASK");
		tsh_err_hint(err, "pid %s TASK..", action);
		return -1;
	}
	while (!r && (word = tsh_args_next(&call->args, "TASK", word)))
		r = tsh_tasks_find(word, follow, &tasks, err);
	if (!r)
		r = tsh_tasks_translate(s, &tasks, err);
	if (!r)
		r = action && !strcmp(action, "del") ? delete_pids(s, &tasks, err) :
		    set_pids(s, &tasks, action && !strcmp(action, "add"), follow, err);
	tsh_tasks_release(&tasks);
	return r;
}

static const char *const pid_actions[] = { "add", "del", "clear", NULL };

static const struct tsh_arg pid_args[] = {
	{ .name = "no-fork", .option = "--no-fork", .type = TSH_ARG_FLAG,
	  .flags = TSH_ARG_OPTIONAL, .help = "not the children, neither now nor later" },
	{ .name = "ACTION", .type = TSH_ARG_CHOICE, .choices = pid_actions,
	  .flags = TSH_ARG_OPTIONAL, .help = "add or del instead of setting the list; clear" },
	{ .name = "TASK", .type = TSH_ARG_TASK, .flags = TSH_ARG_OPTIONAL | TSH_ARG_MANY,
	  .help = "a process by number or name, with its threads; tid:N for one thread" },
	{ 0 }
};

static const struct tsh_example pid_examples[] = {
	{ "pid 1", "only this process, its threads and children" },
	{ "pid", "the present lists" },
	{ "pid clear", "all tasks again" },
	{ 0 }
};

const struct tsh_cmd tsh_cmd_pid = {
	.name = "pid", .group = TSH_GROUP_CONTROL, .summary = "show or set which tasks are traced",
	.description = "For events and for the function tracers. Threads and children are "
		       "followed, also those to come. Inside a pid namespace its own numbers are "
		       "used.\n"
		       "sched_switch and sched_wakeup pass when either of their tasks is listed.",
	.see = "ps",
	.args = pid_args, .examples = pid_examples,
	.flags = TSH_CMD_WRITES | TSH_CMD_NEEDS_TRACEFS | TSH_CMD_PRINTS | TSH_CMD_LIVE,
	.run = pid_run,
};
