/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "task-lists.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "kernel/dryrun/dryrun.h"
#include "kernel/tracefs/lines.h"
#include "session/util.h"
#include "status.h"

/* Prints and sets which tasks are traced. Events and the function tracers have a list each. */

static const char *const trace_lists[2] = { "set_event_pid", "set_ftrace_pid" };
static const char *const notrace_lists[2] = { "set_event_notrace_pid", "set_ftrace_notrace_pid" };

static bool print_list(struct tsh_session *s, struct tsh_fields *f, const char *name,
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

static void print_json(struct tsh_session *s)
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
}

void tsh_task_lists_print(struct tsh_session *s)
{
	struct tsh_fields *f;
	bool listed;
	char *fork;

	if (s->out->format == TSH_FORMAT_JSON) {
		print_json(s);
		return;
	}
	f = tsh_fields_begin(s->out, "pid");
	fork = tsh_file_text(s->in, "options/event-fork");
	listed = print_list(s, f, "events", trace_lists[0]);
	listed |= print_list(s, f, "events, not", notrace_lists[0]);
	listed |= print_list(s, f, "functions", trace_lists[1]);
	listed |= print_list(s, f, "functions, not", notrace_lists[1]);
	if (!listed)
		tsh_fields_text(f, "tasks", "all");
	if (fork)
		tsh_fields_text(f, "children", strcmp(fork, "0") ? "followed" : "not followed");
	free(fork);
	tsh_fields_end(f);
}

/* Writes a pid list of the function tracers. Some kernels have none, and policy can forbid writing
 * it: that is an error only while such a tracer runs. */
static int write_function_list(struct tsh_session *s, const char *path,
			       enum tsh_write_how how, const char *text, struct tsh_err *err)
{
	char *tracer;
	bool matters;

	if (!tsh_file_exists(s->in, path))
		return 0;
	if (tsh_session_write(s, path, how, text, NULL, err) >= 0)
		return 0;
	tracer = tsh_file_text(s->in, "current_tracer");
	matters = tracer && !strncmp(tracer, "function", strlen("function"));
	free(tracer);
	if (matters)
		return -1;
	tsh_err_release(err);
	return 0;
}

/* Sets the options by which children are followed; kernels before 4.7 have none. */
static int set_forks(struct tsh_session *s, bool follow, struct tsh_err *err)
{
	static const char *const options[] = { "options/event-fork", "options/function-fork" };
	size_t i;

	for (i = 0; i < 2; i++)
		if (tsh_file_exists(s->in, options[i]) &&
		    tsh_session_write(s, options[i], TSH_WRITE_SET, follow ? "1" : "0", NULL, err) < 0)
			return -1;
	return 0;
}

static int write_lists(struct tsh_session *s, const char *const paths[2],
		       enum tsh_write_how how, const char *text, struct tsh_err *err)
{
	if (tsh_session_write(s, paths[0], how, text, NULL, err) < 0)
		return -1;
	return write_function_list(s, paths[1], how, text, err);
}

int tsh_task_lists_clear(struct tsh_session *s, struct tsh_err *err)
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

/* Returns how many of `tasks` are in a pid file. rest: the other tasks in it, as the file takes
 * them. */
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

/* Removes tasks from both lists. Returns how many of them were in the list of events, or -1 with
 * err. */
static int remove_from_lists(struct tsh_session *s, const char *const paths[2],
			     const struct tsh_tasks *tasks, struct tsh_err *err)
{
	size_t i, n, found = 0;
	int r = 0;

	for (i = 0; r >= 0 && i < 2; i++) {
		struct tsh_strbuf rest = TSH_STRBUF_INIT;

		n = without_tasks(s, paths[i], tasks, &rest);
		if (n)
			r = i ? write_function_list(s, paths[i], TSH_WRITE_LESS, rest.buf, err) :
				tsh_session_write(s, paths[i], TSH_WRITE_LESS, rest.buf, NULL, err);
		found += i ? 0 : n;
		tsh_strbuf_release(&rest);
	}
	return r < 0 ? -1 : (int)found;
}

static int remove_tasks(struct tsh_session *s, const struct tsh_tasks *tasks, struct tsh_err *err)
{
	int listed, excluded = 0;
	char *left;

	listed = remove_from_lists(s, trace_lists, tasks, err);
	if (listed >= 0)
		excluded = remove_from_lists(s, notrace_lists, tasks, err);
	if (listed < 0 || excluded < 0)
		return -1;
	/* Empties no list for a task that is not in it: that would trace all tasks. */
	if (!listed && !excluded)
		return 1;
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

static int exclude_tasks(struct tsh_session *s, const struct tsh_tasks *tasks, bool follow, struct tsh_err *err)
{
	struct tsh_strbuf text = TSH_STRBUF_INIT;
	int r = tsh_cmd_check_file(s, notrace_lists[0], "list of tasks that are not traced",
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

/* Removes tasks that are to be traced from the lists of those that are not, and says which. */
static int remove_from_notrace(struct tsh_session *s, const struct tsh_tasks *tasks, struct tsh_err *err)
{
	char *before = tsh_file_text(s->in, notrace_lists[0]);
	struct tsh_strbuf rest = TSH_STRBUF_INIT;
	int r;

	without_tasks(s, notrace_lists[0], tasks, &rest);
	r = remove_from_lists(s, notrace_lists, tasks, err);
	if (r > 0)
		tsh_cmd_note_replaced(s, notrace_lists[0], before, rest.buf);
	tsh_strbuf_release(&rest);
	free(before);
	return r;
}

static int set_tasks(struct tsh_session *s, const struct tsh_tasks *tasks, bool add, bool follow,
		    struct tsh_err *err)
{
	struct tsh_strbuf text = TSH_STRBUF_INIT, others = TSH_STRBUF_INIT;
	size_t listed = without_tasks(s, trace_lists[0], tasks, &others);
	char *before = add ? NULL : tsh_file_text(s->in, trace_lists[0]);
	bool more = add && (listed || others.len);
	size_t n = more ? tasks->n - listed : tasks->n;
	int r;

	tsh_tasks_text(tasks, &text);
	/*
	 * Sets the options first, so that no child is missed that is born between the two writes.
	 */
	r = set_forks(s, follow, err);
	if (!r)
		r = remove_from_notrace(s, tasks, err);
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

int tsh_task_lists_change(struct tsh_session *s, const struct tsh_tasks *tasks, enum tsh_task_change change, bool follow,
			  struct tsh_err *err)
{
	if (change == TSH_TASKS_REMOVE)
		return remove_tasks(s, tasks, err);
	if (change == TSH_TASKS_EXCLUDE)
		return exclude_tasks(s, tasks, follow, err);
	return set_tasks(s, tasks, change == TSH_TASKS_ADD, follow, err);
}

/* Writes the words, each behind that mark, into the lists. */
static int write_words(struct tsh_session *s, const struct tsh_strlist *words, const char *const paths[2], char mark,
		       enum tsh_write_how how, struct tsh_err *err)
{
	struct tsh_strbuf text = TSH_STRBUF_INIT;
	size_t i;
	int r;

	for (i = 0; i < words->n; i++)
		tsh_strbuf_addf(&text, "%s%c%s", i ? "\n" : "", mark, words->v[i]);
	r = write_lists(s, paths, how, text.buf, err);
	tsh_strbuf_release(&text);
	return r < 0 ? -1 : 0;
}

int tsh_task_lists_change_elsewhere(struct tsh_session *s, const struct tsh_strlist *words, enum tsh_task_change change,
				    bool follow, struct tsh_err *err)
{
	bool excludes = change == TSH_TASKS_EXCLUDE, removes = change == TSH_TASKS_REMOVE;

	if (!removes && set_forks(s, follow, err) < 0)
		return -1;
	if (removes && write_words(s, words, trace_lists, TSH_TASK_LESS, TSH_WRITE_ADD, err) < 0)
		return -1;
	if (!excludes && write_words(s, words, notrace_lists, TSH_TASK_LESS, TSH_WRITE_ADD, err) < 0)
		return -1;
	return removes ? 0 : write_words(s, words, excludes ? notrace_lists : trace_lists, TSH_TASK_MARK,
					 change == TSH_TASKS_SET ? TSH_WRITE_SET : TSH_WRITE_ADD, err);
}
