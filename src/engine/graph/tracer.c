/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tracer.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "session/explain-table.h"
#include "session/flood-check.h"
#include "session/function-names.h"
#include "session/own-instance.h"
#include "session/read-ahead.h"
#include "session/tasks.h"
#include "session/util.h"

/* Describes the instance that is used, and what must be undone. */
struct graph_tracer {
	struct tsh_instance *in;
	bool is_own;
	struct tsh_instance *top;	/* opened when an own instance needs its lists; or NULL */
	int claim;			/* claim of the top instance (tsh_reader_claim) */
	unsigned int mark;		/* mark of the journal */
};

static const char tracer_file[] = "current_tracer";
static const char tracer[] = "function_graph";
static const char list_file[] = "set_ftrace_filter";
static const char roots_file[] = "set_graph_function";
static const char depth_file[] = "max_graph_depth";
static const char thresh_file[] = "tracing_thresh";

/* ---- finding an instance ---- */

static bool has_tracer(const struct tsh_instance *in)
{
	struct tsh_strlist there = { 0 };
	bool has;

	tsh_file_words(in, "available_tracers", &there);
	has = tsh_strlist_has(&there, tracer) && tsh_file_exists(in, list_file);
	tsh_strlist_release(&there);
	return has;
}

/* Checks that the kernel has the tracer: if the top instance has not, no instance has. */
static int need_tracer(struct tsh_session *s, struct tsh_err *err)
{
	const struct tsh_instance top = tsh_top(s->dir);

	if (has_tracer(&top))
		return 0;
	tsh_err_set(err, TSH_ENVIRONMENT, "this kernel has no %s", tracer);
	tsh_err_hint(err, "it needs CONFIG_FUNCTION_GRAPH_TRACER; latency of a probe and its "
			  "return goes without");
	return -1;
}

static int refuse_busy(const char *what, const char *instead, struct tsh_err *err)
{
	tsh_err_set(err, TSH_FAILED, "the top instance %s, and this kernel has %s in no other", what,
		    tracer);
	tsh_err_hint(err, "%s", instead);
	return -1;
}

/* Refuses when another instance uses the tracer: set_graph_function and max_graph_depth apply to
 * all instances, so its output would change. Opens the top instance. */
static int check_others(struct tsh_session *s, struct graph_tracer *g, struct tsh_err *err)
{
	struct tsh_strlist names = { 0 };
	struct tsh_err gone = { 0 };
	int r = 0;
	size_t i;

	tsh_instance_list(s->dir, &names);
	for (i = 0; i <= names.n && !r; i++) {
		struct tsh_instance *in;
		char *now;

		/* the instance may have been removed meanwhile */
		if (tsh_instance_open(s->dir, i ? names.v[i - 1] : NULL, &in, &gone) < 0) {
			tsh_err_release(&gone);
			continue;
		}
		now = tsh_file_text(in, tracer_file);
		if (now && !strcmp(now, tracer)) {
			tsh_err_set(err, TSH_FAILED, "the instance '%s' uses %s already, and all "
						     "instances share its lists of "
						     "functions", tsh_instance_label(in),
				    tracer);
			tsh_err_hint(err, "-i %s tracer nop", tsh_instance_label(in));
			r = -1;
		}
		free(now);
		tsh_instance_close(in);
	}
	tsh_strlist_release(&names);
	return !r && tsh_instance_open(s->dir, NULL, &g->top, err) < 0 ? -1 : r;
}

/* Refuses a top instance that is in use: its events would be read or erased. */
static int check_top(struct tsh_session *s, struct tsh_err *err)
{
	struct tsh_events enabled = { 0 };
	char *now = tsh_file_text(s->in, tracer_file);
	int r = 0;

	if (tsh_events_enabled(s->in, &enabled, err) < 0)
		r = -1;
	else if (now && strcmp(now, "nop") != 0)
		r = refuse_busy("has a tracer already", "'tracer nop' first", err);
	else if (enabled.n)
		r = refuse_busy("has events enabled", "'disable all' first", err);
	else if (tsh_cmd_entries(s->in))
		r = refuse_busy("has events in its buffer, which would be taken out",
				"'drain' prints them, 'clear' erases them", err);
	tsh_events_release(&enabled);
	free(now);
	return r;
}

static int open_top(struct tsh_session *s, struct graph_tracer *g, struct tsh_err *err)
{
	if (s->in->name) {
		tsh_err_set(err, TSH_ENVIRONMENT, "this kernel has %s in the top instance only", tracer);
		tsh_err_hint(err, "instance use top");
		return -1;
	}
	g->in = s->in;
	return check_top(s, err);
}

/* ---- setting ---- */

static int explain(struct tsh_session *s, const struct tsh_call *call, const char *path,
		   struct tsh_err *err)
{
	if (err->number == EINVAL)
		return tsh_function_names_blame(s, call, err);
	if (err->number == EPERM || err->number == EACCES) {
		tsh_err_set(err, TSH_ENVIRONMENT, "the kernel refuses '%s', even to root", path);
		tsh_err_hint(err, "its security policy forbids function tracing");
	}
	return -1;
}

/* Leaves tracesh itself out: the list of events does not apply to function tracers. us: the pids
 * that an own instance leaves out. */
static int exclude_tracesh(struct tsh_instance *in, const char *us, struct tsh_err *err)
{
	static const char path[] = "set_ftrace_notrace_pid";

	if (!us || !*us || !tsh_file_exists(in, path))
		return 0;
	return tsh_file_write(in, path, TSH_WRITE_SET, us, err);
}

/* Lists the tasks of the call for function tracers, and follows their forks. The list of events
 * was set already in an own instance. */
static int write_tasks(struct tsh_session *s, const struct tsh_call *call, struct tsh_instance *in,
		       struct tsh_err *err)
{
	static const char path[] = "set_ftrace_pid", fork[] = "options/function-fork";
	const struct tsh_value *list = tsh_args_get(&call->args, "TASK");
	struct tsh_strbuf text = TSH_STRBUF_INIT;
	struct tsh_tasks tasks = { 0 };
	int r;

	if (!list)
		return 0;
	r = tsh_tasks_find_list(list, &tasks, err);
	if (!r)
		r = tsh_tasks_translate(s, &tasks, err);
	if (!r && tsh_file_exists(in, fork))
		r = tsh_file_write(in, fork, TSH_WRITE_SET, "1", err);
	tsh_tasks_text(&tasks, &text);
	if (r >= 0)
		r = tsh_file_write(in, path, TSH_WRITE_SET, text.buf, err);
	if (r < 0)
		tsh_err_blame(err, list->word.span);
	tsh_tasks_release(&tasks);
	tsh_strbuf_release(&text);
	return r < 0 ? -1 : 0;
}

static int write_functions(struct tsh_session *s, const struct tsh_call *call,
			   struct tsh_instance *in, const char *path, struct tsh_err *err)
{
	struct tsh_strbuf text = TSH_STRBUF_INIT;
	const struct tsh_value *glob = NULL;
	int r;

	while ((glob = tsh_args_next(&call->args, "FUNCTION", glob)))
		tsh_strbuf_addf(&text, "%s%s", text.len ? "\n" : "", glob->word.text);
	r = tsh_file_write(in, path, TSH_WRITE_SET, text.buf, err);
	tsh_strbuf_release(&text);
	return r < 0 ? explain(s, call, path, err) : 0;
}

static int write_number(struct tsh_instance *in, const char *path, uint64_t number,
			struct tsh_err *err)
{
	char text[24];

	snprintf(text, sizeof(text), "%llu", (unsigned long long)number);
	return tsh_file_write(in, path, TSH_WRITE_SET, text, err) < 0 ? -1 : 0;
}

/* Records return values if the kernel can (Linux 6.5). */
static void enable_return_values(struct tsh_instance *in)
{
	static const char path[] = "options/funcgraph-retval";
	struct tsh_err ignored = { 0 };

	if (tsh_file_exists(in, path) && tsh_file_write(in, path, TSH_WRITE_SET, "1", &ignored) < 0)
		tsh_err_release(&ignored);
}

/* Sets the functions and the depth below them. These files are in the top instance, for all
 * instances. */
static int write_roots(struct tsh_session *s, const struct tsh_call *call, struct graph_tracer *g,
		       uint64_t depth, struct tsh_err *err)
{
	struct tsh_instance *lists = g->top ? g->top : g->in;

	if (tsh_flood_has_functions(g->in, list_file) &&
	    tsh_file_write(g->in, list_file, TSH_WRITE_CLEAR, NULL, err) < 0)
		return -1;
	if (write_functions(s, call, lists, roots_file, err) < 0)
		return -1;
	return depth || tsh_file_number(lists, depth_file, 0) ?
		       write_number(lists, depth_file, depth, err) :
		       0;
}

/* Warns of options that change which times are measured. Older kernels have them in the top
 * instance only. */
static void note_options(struct tsh_session *s, const struct tsh_instance *in)
{
	static const struct {
		const char *path, *what;
	} options[] = {
		{ "options/sleep-time", "the times do not include sleep" },
		{ "options/funcgraph-irqs", "what runs in interrupts is not recorded" },
	};
	const struct tsh_instance top = tsh_top(s->dir);
	size_t i;

	for (i = 0; i < sizeof(options) / sizeof(options[0]); i++)
		if (!tsh_file_number(tsh_file_exists(in, options[i].path) ? in : &top, options[i].path, 1))
			tsh_out_warn(s->out, "the option %s is off: %s", strchr(options[i].path, '/') + 1, options[i].what);
}

static int set(struct tsh_session *s, const struct tsh_call *call,
	       const struct tsh_graph_tracer_spec *wanted, struct graph_tracer *g, const char *us,
	       struct tsh_err *err)
{
	int r = 0;

	if (!g->is_own)
		r = tsh_file_write(g->in, "tracing_on", TSH_WRITE_SET, "0", err);
	if (r >= 0)
		r = exclude_tracesh(g->in, us, err);
	if (r >= 0)
		r = write_tasks(s, call, g->in, err);
	if (r >= 0)
		r = wanted->below ? write_roots(s, call, g, wanted->depth, err) :
				  write_functions(s, call, g->in, list_file, err);
	if (r >= 0)
		r = tsh_file_write(g->in, tracer_file, TSH_WRITE_SET, tracer, err);
	/* on old kernels, the tracer creates its options */
	if (r >= 0 && wanted->below)
		enable_return_values(g->in);
	if (r >= 0)
		note_options(s, g->in);
	return r < 0 ? -1 : 0;
}

/* Asks before tracing many functions, as the command tracer does. */
static int check_load(struct tsh_session *s, const struct tsh_call *call, struct tsh_err *err)
{
	const struct tsh_value *glob = NULL;

	while ((glob = tsh_args_next(&call->args, "FUNCTION", glob)))
		if (tsh_flood_check_function(s, glob, tracer, err) < 0)
			return -1;
	return 0;
}

static int open_instance(struct tsh_session *s, const struct tsh_call *call,
			 struct graph_tracer *g, char **ret_us, struct tsh_err *err)
{
	if (tsh_own_open(s, false, &g->in, err) < 0)
		return -1;
	g->is_own = has_tracer(g->in);
	if (g->is_own && !tsh_own_settings(s, g->in, call, err)) {
		*ret_us = tsh_file_text(g->in, "set_event_notrace_pid");
		return 0;
	}
	/* TASK limits the trace to its tasks; without it, leave tracesh out */
	if (!tsh_args_has(&call->args, "TASK"))
		*ret_us = tsh_file_text(g->in, "set_event_notrace_pid");
	tsh_own_close(s, g->in);
	if (g->is_own || tsh_own_refuse_buffer(call, err) < 0)
		return -1;
	return open_top(s, g, err);
}

/* Refuses a threshold, with which the kernel records returns only. */
static int check_threshold(struct tsh_session *s, struct tsh_err *err)
{
	const struct tsh_instance top = tsh_top(s->dir);

	if (!tsh_file_number(&top, thresh_file, 0))
		return 0;
	tsh_err_set(err, TSH_FAILED, "somebody has set %s: %s then records no calls, only what "
		    "took long", thresh_file, tracer);
	tsh_err_hint(err, "write %s 0", thresh_file);
	return -1;
}

static void close_tracer(struct tsh_session *s, struct graph_tracer *g)
{
	struct tsh_err ignored = { 0 };

	if (!g->is_own && g->claim != -1)
		tsh_reader_release_claim(s, g->claim);
	/* Drop events that were not read: they belong to nobody, and need not be saved. */
	if (tsh_file_write(g->in, "tracing_on", TSH_WRITE_SET, "0", &ignored) < 0)
		tsh_err_release(&ignored);
	if (tsh_file_write(g->in, tracer_file, TSH_WRITE_SET, "nop", &ignored) < 0)
		tsh_err_release(&ignored);
	if (g->is_own)
		tsh_own_close(s, g->in);
	else if (tsh_file_write(g->in, "trace", TSH_WRITE_CLEAR, NULL, &ignored) < 0)
		tsh_err_release(&ignored);
	if (!g->is_own || g->top)
		tsh_cmd_undo_since(s, g->mark);
	if (g->top)
		tsh_instance_close(g->top);
}

/* Sets everything but tracing_on. Returns 0, or -1 with err and nothing to close. */
static int open_tracer(struct tsh_session *s, const struct tsh_call *call, const struct tsh_graph_tracer_spec *wanted,
		       struct graph_tracer *ret, struct tsh_err *err)
{
	char *us = NULL;
	int r;

	*ret = (struct graph_tracer){ .claim = -2, .mark = tsh_cmd_mark(s) };
	if (need_tracer(s, err) < 0 || check_load(s, call, err) < 0 || (wanted->below && check_threshold(s, err) < 0) ||
	    open_instance(s, call, ret, &us, err) < 0) {
		free(us);
		return -1;
	}
	r = wanted->below && ret->is_own ? check_others(s, ret, err) : 0;
	if (!r)
		r = set(s, call, wanted, ret, us, err);
	free(us);
	/* Claim it last: the kernel does not change the tracer while its trace_pipe is open. */
	if (!r && !ret->is_own)
		ret->claim = tsh_reader_claim(s, err);
	if (!r && ret->claim != -1)
		return 0;
	close_tracer(s, ret);
	return -1;
}

/* Switches tracing on; ctx is a struct graph_tracer. */
static int start(void *ctx, struct tsh_err *err)
{
	struct graph_tracer *g = ctx;

	return tsh_file_write(g->in, "tracing_on", TSH_WRITE_SET, "1", err) < 0 ? -1 : 0;
}

int tsh_graph_tracer_run(struct tsh_session *s, const struct tsh_call *call, const struct tsh_graph_tracer_spec *wanted,
			 struct tsh_stream_spec *spec, struct tsh_err *err)
{
	struct graph_tracer g;
	int r;

	if (open_tracer(s, call, wanted, &g, err) < 0)
		return -1;
	spec->in = g.in;
	spec->started = start;
	spec->started_ctx = &g;
	r = tsh_source_open(g.in, NULL, &spec->source, err);
	if (!r) {
		r = tsh_print_stream(s, spec, err);
		tsh_source_close(spec->source);
	}
	close_tracer(s, &g);
	return r;
}

static char *functions_of(const struct tsh_call *call)
{
	struct tsh_strbuf text = TSH_STRBUF_INIT;
	const struct tsh_value *glob = NULL;

	while ((glob = tsh_args_next(&call->args, "FUNCTION", glob)))
		tsh_strbuf_addf(&text, "%s%s", text.len ? " " : "", glob->word.text);
	return tsh_strbuf_detach(&text);
}

int tsh_graph_tracer_explain(struct tsh_session *s, const struct tsh_call *call, bool below,
			     struct tsh_err *err)
{
	struct tsh_table *table;
	char *functions;

	if (need_tracer(s, err) < 0 || tsh_function_names_check(s, call, err) < 0)
		return -1;
	table = tsh_explain_begin(s);
	functions = functions_of(call);
	tsh_explain_row(table, TSH_EXPLAIN_KERNEL, functions,
			below ? "and what they call" : "calls and returns");
	tsh_explain_option(table, call, "DEPTH", TSH_EXPLAIN_KERNEL, "");
	tsh_explain_option(table, call, "TASK", TSH_EXPLAIN_KERNEL, "");
	tsh_explain_option(table, call, "SLOW", TSH_EXPLAIN_HERE,
			   "the kernel's threshold hides what is called");
	tsh_explain_option(table, call, "N", TSH_EXPLAIN_HERE, "");
	if (!below)
		tsh_explain_row(table, TSH_EXPLAIN_HERE, "count, sum, avg, max",
				"the kernel's profiler is the whole machine's, and has no tasks");
	tsh_table_end(table);
	table = tsh_explain_writes(s);
	tsh_explain_write(table, below ? roots_file : list_file, functions);
	if (tsh_args_has(&call->args, "DEPTH"))
		tsh_explain_write(table, depth_file, tsh_args_text(&call->args, "DEPTH"));
	tsh_explain_write(table, tracer_file, tracer);
	tsh_table_end(table);
	free(functions);
	return 0;
}
