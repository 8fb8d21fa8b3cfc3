/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cmd/commands.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "engine/state/status.h"
#include "kernel/dryrun/dryrun.h"
#include "kernel/tracefs/lines.h"
#include "session/tasks.h"
#include "session/util.h"

/* pid: which tasks are traced. Events and the function tracers have a list each. */

static const char *const trace_lists[2] = { "set_event_pid", "set_ftrace_pid" };
static const char *const notrace_lists[2] = { "set_event_notrace_pid", "set_ftrace_notrace_pid" };

static bool show_list(struct tsh_session *s, struct tsh_fields *f, const char *name,
		      const char *path)
{
	char *text = tsh_file_text(s->in, path);
	char *lines = text ? tsh_class_normalize(tsh_file_class(path), text) : NULL;
	bool some = lines && *lines;
	char *p;

	for (p = lines; p && *p; p++)
		if (*p == '\n')
			*p = ' ';
	if (some)
		tsh_fields_text(f, name, lines);
	free(lines);
	free(text);
	return some;
}

static int show_json(struct tsh_session *s)
{
	uint64_t fork = tsh_file_number(s->in, "options/event-fork", UINT64_MAX);
	struct tsh_json_room room = { 0 };
	struct tsh_json js;

	tsh_json_line(&js, &s->out->data, "pid");
	tsh_status_json_list(&js, s->in, "events", trace_lists[0], &room);
	tsh_status_json_list(&js, s->in, "events_not", notrace_lists[0], &room);
	tsh_status_json_list(&js, s->in, "functions", trace_lists[1], &room);
	tsh_status_json_list(&js, s->in, "functions_not", notrace_lists[1], &room);
	tsh_json_key(&js, "children_followed");
	if (fork == UINT64_MAX)
		tsh_json_null(&js);
	else
		tsh_json_bool(&js, fork != 0);
	tsh_json_ku64(&js, "left_out", room.left_out);
	tsh_json_line_end(&js);
	return 0;
}

static int show_pids(struct tsh_session *s)
{
	struct tsh_fields *f;
	bool listed;
	char *fork;

	if (s->out->format == TSH_FORMAT_JSON)
		return show_json(s);
	f = tsh_fields_begin(s->out, "pid");
	fork = tsh_file_text(s->in, "options/event-fork");
	listed = show_list(s, f, "events", trace_lists[0]);
	listed |= show_list(s, f, "events, not", notrace_lists[0]);
	listed |= show_list(s, f, "functions", trace_lists[1]);
	listed |= show_list(s, f, "functions, not", notrace_lists[1]);
	if (!listed)
		tsh_fields_text(f, "tasks", "all");
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

static int write_lists(struct tsh_session *s, const char *const paths[2],
		       enum tsh_write_how how, const char *text, struct tsh_err *err)
{
	if (tsh_put_file(s, paths[0], how, text, NULL, err) < 0)
		return -1;
	return write_function_list(s, paths[1], how, text, err);
}

static int clear_pids(struct tsh_session *s, struct tsh_err *err)
{
	if (write_lists(s, trace_lists, TSH_WRITE_CLEAR, NULL, err) < 0)
		return -1;
	if (tsh_file_exists(s->in, notrace_lists[0]) &&
	    write_lists(s, notrace_lists, TSH_WRITE_CLEAR, NULL, err) < 0)
		return -1;
	if (set_forks(s, false, err) < 0)
		return -1;
	tsh_out_note(s->out, "all tasks are traced in '%s'", tsh_instance_label(s->in));
	return 0;
}

/* How many of `tasks` are in a pid file; the others that are in it, as it takes them. */
static size_t without_tasks(struct tsh_session *s, const char *path, const struct tsh_tasks *tasks,
			  struct tsh_strbuf *rest)
{
	struct tsh_strlist lines = { 0 };
	size_t i, found = 0;
	int pid;

	tsh_file_lines(s->in, path, &lines);
	for (i = 0; i < lines.n; i++) {
		if (tsh_parse_int(lines.v[i], &pid))
			continue;
		if (tsh_tasks_has(tasks, pid))
			found++;
		else
			tsh_strbuf_addf(rest, "%s%d", rest->len ? "\n" : "", pid);
	}
	tsh_strlist_release(&lines);
	return found;
}

/* Returns how many of them stood in the list of events. */
static int take_out(struct tsh_session *s, const char *const paths[2],
		    const struct tsh_tasks *tasks, struct tsh_err *err)
{
	size_t i, n, found = 0;
	int r = 0;

	for (i = 0; r >= 0 && i < 2; i++) {
		struct tsh_strbuf rest = TSH_STRBUF_INIT;

		n = without_tasks(s, paths[i], tasks, &rest);
		if (n)
			r = i ? write_function_list(s, paths[i], TSH_WRITE_LESS, rest.buf, err) :
				tsh_put_file(s, paths[i], TSH_WRITE_LESS, rest.buf, NULL, err);
		found += i ? 0 : n;
		tsh_strbuf_release(&rest);
	}
	return r < 0 ? -1 : (int)found;
}

/* Nothing that stands in the list is a reason to empty it: that would trace all tasks. */
static int none_listed(struct tsh_session *s, const struct tsh_call *call, struct tsh_err *err)
{
	const struct tsh_value *word = tsh_args_get(&call->args, "TASK");

	tsh_err_at(err, word->word.span, "'%s' is not in the lists of '%s'", word->word.text,
		   tsh_instance_label(s->in));
	err->status = TSH_FAILED;
	if (tsh_file_exists(s->in, notrace_lists[0]))
		tsh_err_hint(err, "pid not %s: everybody else is traced", word->word.text);
	return -1;
}

/* Takes them out of where `add` or `not` put them. */
static int delete_pids(struct tsh_session *s, const struct tsh_call *call,
		       const struct tsh_tasks *tasks, struct tsh_err *err)
{
	int listed, excluded = 0;
	char *left;

	listed = take_out(s, trace_lists, tasks, err);
	if (listed >= 0)
		excluded = take_out(s, notrace_lists, tasks, err);
	if (listed < 0 || excluded < 0)
		return -1;
	if (!listed && !excluded)
		return none_listed(s, call, err);
	left = tsh_file_text(s->in, trace_lists[0]);
	if (listed && (!left || !*left))
		tsh_out_note(s->out, "no task is listed any more: all tasks are traced in '%s'",
			     tsh_instance_label(s->in));
	else if (listed)
		tsh_out_note(s->out, "%d task%s less traced in '%s'", listed,
			     tsh_plural((uint64_t)listed), tsh_instance_label(s->in));
	else
		tsh_out_note(s->out, "%d task%s no longer left out in '%s'", excluded,
			     tsh_plural((uint64_t)excluded), tsh_instance_label(s->in));
	free(left);
	return 0;
}

static int exclude_pids(struct tsh_session *s, const struct tsh_tasks *tasks, bool follow,
			struct tsh_err *err)
{
	struct tsh_strbuf text = TSH_STRBUF_INIT;
	int r = tsh_cmd_needs_file(s, notrace_lists[0], "list of tasks that are not traced",
				   err);

	tsh_tasks_text(tasks, &text);
	if (!r)
		r = set_forks(s, follow, err);
	if (!r)
		r = write_lists(s, notrace_lists, TSH_WRITE_ADD, text.buf, err);
	if (!r)
		tsh_out_note(s->out, "%zu task%s not traced in '%s'%s", tasks->n,
			     tsh_plural(tasks->n), tsh_instance_label(s->in),
			     follow ? ", nor children" : "");
	tsh_strbuf_release(&text);
	return r;
}

/* Takes tasks that are to be traced out of the lists of those that are not, and says which. */
static int let_in(struct tsh_session *s, const struct tsh_tasks *tasks, struct tsh_err *err)
{
	char *before = tsh_file_text(s->in, notrace_lists[0]);
	struct tsh_strbuf rest = TSH_STRBUF_INIT;
	int r;

	without_tasks(s, notrace_lists[0], tasks, &rest);
	r = take_out(s, notrace_lists, tasks, err);
	if (r > 0)
		tsh_cmd_note_replaced(s, notrace_lists[0], before, rest.buf);
	tsh_strbuf_release(&rest);
	free(before);
	return r;
}

static int set_pids(struct tsh_session *s, const struct tsh_tasks *tasks, bool add, bool follow,
		    struct tsh_err *err)
{
	struct tsh_strbuf text = TSH_STRBUF_INIT, others = TSH_STRBUF_INIT;
	size_t listed = without_tasks(s, trace_lists[0], tasks, &others);
	char *before = add ? NULL : tsh_file_text(s->in, trace_lists[0]);
	bool more = add && (listed || others.len);
	size_t n = more ? tasks->n - listed : tasks->n;
	int r;

	tsh_tasks_text(tasks, &text);
	/* Children first: one that is born between the two writes is not missed. */
	r = set_forks(s, follow, err);
	if (!r)
		r = let_in(s, tasks, err);
	if (r >= 0)
		r = write_lists(s, trace_lists, add ? TSH_WRITE_ADD : TSH_WRITE_SET, text.buf, err);
	if (r >= 0)
		tsh_cmd_note_replaced(s, trace_lists[0], before, text.buf);
	if (r >= 0)
		tsh_out_note(s->out, "%zu task%s %straced in '%s'%s%s", n, tsh_plural(n),
			     more ? "more " : "", tsh_instance_label(s->in),
			     follow ? ", with children" : "",
			     add && !more ? ", and no other" : "");
	tsh_strbuf_release(&text);
	tsh_strbuf_release(&others);
	free(before);
	return r < 0 ? -1 : 0;
}

/* The tasks of the call, each behind that mark, into the lists, or out of them. */
static int write_tasks(struct tsh_session *s, const struct tsh_call *call, const char *const paths[2], char mark,
		       enum tsh_write_how how, struct tsh_err *err)
{
	struct tsh_strbuf text = TSH_STRBUF_INIT;
	const struct tsh_value *word = NULL;
	int r;

	while ((word = tsh_args_next(&call->args, "TASK", word)))
		tsh_strbuf_addf(&text, "%s%c%s", text.len ? "\n" : "", mark, word->word.text);
	r = write_lists(s, paths, how, text.buf, err);
	tsh_strbuf_release(&text);
	return r < 0 ? -1 : 0;
}

/* For another machine: its tasks are looked for there, and so is who stands in its lists. */
static int pids_elsewhere(struct tsh_session *s, const struct tsh_call *call, const char *action,
			  bool follow, struct tsh_err *err)
{
	bool not = action && !strcmp(action, "not"), del = action && !strcmp(action, "del");

	if (!del && set_forks(s, follow, err) < 0)
		return -1;
	if (del && write_tasks(s, call, trace_lists, TSH_TASK_LESS, TSH_WRITE_ADD, err) < 0)
		return -1;
	if (!not && write_tasks(s, call, notrace_lists, TSH_TASK_LESS, TSH_WRITE_ADD, err) < 0)
		return -1;
	return del ? 0 : write_tasks(s, call, not ? notrace_lists : trace_lists, TSH_TASK_MARK,
				     action ? TSH_WRITE_ADD : TSH_WRITE_SET, err);
}

static int pid_run(struct tsh_session *s, const struct tsh_call *call, struct tsh_err *err)
{
	const char *action = tsh_args_text(&call->args, "ACTION");
	bool follow = !tsh_args_has(&call->args, "no-fork");
	const struct tsh_value *word = NULL;
	struct tsh_tasks tasks = { 0 };
	int r = 0;

	/* A recorded tree need not have it. */
	if (!tsh_tasks_elsewhere(s) &&
	    tsh_cmd_needs_file(s, "set_event_pid", "list of traced tasks", err) < 0) {
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
	if (tsh_tasks_elsewhere(s))
		return pids_elsewhere(s, call, action, follow, err);
	while (!r && (word = tsh_args_next(&call->args, "TASK", word)))
		r = tsh_tasks_find(word, follow, &tasks, err);
	if (!r)
		r = tsh_tasks_translate(s, &tasks, err);
	if (!r && action && !strcmp(action, "del"))
		r = delete_pids(s, call, &tasks, err);
	else if (!r && action && !strcmp(action, "not"))
		r = exclude_pids(s, &tasks, follow, err);
	else if (!r)
		r = set_pids(s, &tasks, action != NULL, follow, err);
	tsh_tasks_release(&tasks);
	return r;
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
	.see = "ps",
	.args = pid_args, .examples = pid_examples,
	.flags = TSH_CMD_WRITES | TSH_CMD_NEEDS_TRACEFS | TSH_CMD_PRINTS | TSH_CMD_LIVE,
	.run = pid_run,
};
