/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "graphing.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "function-names.h"
#include "load.h"
#include "own.h"
#include "reader.h"
#include "tracesh/journal.h"
#include "tracesh/suggest.h"
#include "util.h"

static const char tracer_file[] = "current_tracer";
static const char tracer[] = "function_graph";
static const char list_file[] = "set_ftrace_filter";

/* ---- where ---- */

static bool has_tracer(const struct tsh_instance *in)
{
	char *text = tsh_file_text(in, "available_tracers");
	struct tsh_strlist there = { 0 };
	bool has;

	if (text)
		tsh_strlist_split_words(&there, text);
	has = tsh_strlist_has(&there, tracer) && tsh_file_exists(in, list_file);
	tsh_strlist_release(&there);
	free(text);
	return has;
}

static int refuse_busy(const char *what, const char *instead, struct tsh_err *err)
{
	tsh_err_set(err, TSH_FAILED, "the top instance %s, and this kernel has %s in no other", what,
		    tracer);
	tsh_err_hint(err, "%s", instead);
	return -1;
}

/* What is there belongs to somebody: it would be taken out, or erased. */
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

static int open_top(struct tsh_session *s, struct tsh_graphing *g, struct tsh_err *err)
{
	if (s->in->name) {
		tsh_err_set(err, TSH_ENVIRONMENT, "this kernel has %s in the top instance only", tracer);
		tsh_err_hint(err, "instance use top");
		return -1;
	}
	if (!has_tracer(s->in)) {
		tsh_err_set(err, TSH_ENVIRONMENT, "this kernel has no %s", tracer);
		tsh_err_hint(err, "it needs CONFIG_FUNCTION_GRAPH_TRACER; latency of a probe and its "
				  "return goes without");
		return -1;
	}
	g->in = s->in;
	return check_top(s, err);
}

/* ---- what ---- */

static int explain(struct tsh_session *s, const struct tsh_call *call, struct tsh_err *err)
{
	const struct tsh_value *glob = NULL;
	char *unknown = NULL;

	if (err->number == EPERM || err->number == EACCES) {
		tsh_err_set(err, TSH_ENVIRONMENT, "the kernel refuses '%s', even to root", list_file);
		tsh_err_hint(err, "its security policy forbids function tracing");
		return -1;
	}
	if (err->number != EINVAL)
		return -1;
	while (!unknown && (glob = tsh_args_next(&call->args, "FUNCTION", glob)))
		unknown = tsh_function_names_unknown(s, glob->word.text);
	if (!glob)
		glob = tsh_args_get(&call->args, "FUNCTION");
	free(unknown);
	tsh_err_at(err, glob->word.span, "the kernel can trace no function '%s'",
		   glob->word.text);
	err->status = TSH_FAILED;
	tsh_err_hint(err, "functions '*%s*' searches", glob->word.text);
	return -1;
}

/* The events' list is not the function tracers'. us: the pids that an own instance leaves out. */
static int leave_us_out(struct tsh_instance *in, const char *us, struct tsh_err *err)
{
	static const char path[] = "set_ftrace_notrace_pid";

	if (!us || !*us || !tsh_file_exists(in, path))
		return 0;
	return tsh_file_write(in, path, TSH_WRITE_SET, us, err);
}

static int set(struct tsh_session *s, const struct tsh_call *call, struct tsh_graphing *g,
	       const char *us, struct tsh_err *err)
{
	struct tsh_strbuf text = TSH_STRBUF_INIT;
	const struct tsh_value *glob = NULL;
	int r = 0;

	while ((glob = tsh_args_next(&call->args, "FUNCTION", glob)))
		tsh_strbuf_addf(&text, "%s%s", text.len ? "\n" : "", glob->word.text);
	if (!g->is_own)
		r = tsh_file_write(g->in, "tracing_on", TSH_WRITE_SET, "0", err);
	if (r >= 0)
		r = leave_us_out(g->in, us, err);
	if (r >= 0) {
		r = tsh_file_write(g->in, list_file, TSH_WRITE_SET, text.buf, err);
		if (r < 0)
			explain(s, call, err);
	}
	if (r >= 0)
		r = tsh_file_write(g->in, tracer_file, TSH_WRITE_SET, tracer, err);
	tsh_strbuf_release(&text);
	return r < 0 ? -1 : 0;
}

/* All of it is asked about, as for the tracer itself. */
static int check_load(struct tsh_session *s, const struct tsh_call *call, struct tsh_err *err)
{
	const struct tsh_value *glob = NULL;

	while ((glob = tsh_args_next(&call->args, "FUNCTION", glob)))
		if (tsh_load_check_function(s, glob, tracer, err) < 0)
			return -1;
	return 0;
}

static int open_somewhere(struct tsh_session *s, const struct tsh_call *call,
			  struct tsh_graphing *g, char **ret_us, struct tsh_err *err)
{
	if (tsh_own_open(s, &g->in, err) < 0)
		return -1;
	*ret_us = tsh_file_text(g->in, "set_event_notrace_pid");
	g->is_own = has_tracer(g->in);
	if (g->is_own && !tsh_own_settings(s, g->in, call, err))
		return 0;
	tsh_own_close(s, g->in);
	if (g->is_own || tsh_own_refuse_settings(call, err) < 0)
		return -1;
	return open_top(s, g, err);
}

int tsh_graphing_open(struct tsh_session *s, const struct tsh_call *call,
		      struct tsh_graphing *ret, struct tsh_err *err)
{
	char *us = NULL;
	int r;

	*ret = (struct tsh_graphing){ .claim = -2, .mark = tsh_journal_mark(s->dir->journal) - 1 };
	if (check_load(s, call, err) < 0 || open_somewhere(s, call, ret, &us, err) < 0) {
		free(us);
		return -1;
	}
	r = set(s, call, ret, us, err);
	free(us);
	/* Now: while somebody holds its pipe open the kernel changes no tracer. */
	if (!r && !ret->is_own)
		ret->claim = tsh_reader_claim(s, err);
	if (!r && ret->claim != -1)
		return 0;
	tsh_graphing_close(s, ret);
	return -1;
}

int tsh_graphing_start(void *ctx, struct tsh_err *err)
{
	struct tsh_graphing *g = ctx;

	return tsh_file_write(g->in, "tracing_on", TSH_WRITE_SET, "1", err) < 0 ? -1 : 0;
}

void tsh_graphing_close(struct tsh_session *s, struct tsh_graphing *g)
{
	struct tsh_err ignored = { 0 };

	if (!g->is_own && g->claim != -1)
		tsh_reader_release_claim(s, g->claim);
	/* What came since the last look is nobody's, and need not be saved. */
	if (tsh_file_write(g->in, "tracing_on", TSH_WRITE_SET, "0", &ignored) < 0)
		tsh_err_release(&ignored);
	if (tsh_file_write(g->in, tracer_file, TSH_WRITE_SET, "nop", &ignored) < 0)
		tsh_err_release(&ignored);
	if (g->is_own) {
		tsh_own_close(s, g->in);
		return;
	}
	if (tsh_file_write(g->in, "trace", TSH_WRITE_CLEAR, NULL, &ignored) < 0)
		tsh_err_release(&ignored);
	tsh_cmd_take_back(s, g->mark);
}
