/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "events.h"

#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "counter.h"
#include "enable.h"
#include "engine/probe/misses.h"
#include "fields.h"
#include "filters-gaps.h"
#include "flight-recorder.h"
#include "own-stream.h"
#include "range.h"
#include "rate.h"
#include "run.h"
#include "session/filters.h"
#include "session/flood-check.h"
#include "session/own-instance.h"
#include "session/read-ahead.h"
#include "session/tasks.h"
#include "session/util.h"
#include "task-names.h"
#include "where.h"

/* Prints or counts the events of a call: new ones from an instance of its own, or those of the
 * current buffer. */

/* Says whether one of the listed tasks is still alive. */
static bool some_task_lives(const char *list)
{
	struct tsh_strlist pids = { 0 };
	bool lives = false;
	size_t i;
	int pid;

	tsh_strlist_split_words(&pids, list);
	for (i = 0; i < pids.n && !lives; i++)
		lives = !tsh_parse_int(pids.v[i], &pid) && tsh_task_is_alive(pid);
	tsh_strlist_release(&pids);
	return lives;
}

void tsh_stream_explain_silence(struct tsh_session *s, const struct tsh_instance *in)
{
	struct tsh_events enabled = { 0 };
	struct tsh_err ignored = { 0 };
	char *tracer = tsh_file_text(in, "current_tracer");
	char *pids = tsh_file_text(in, "set_event_pid");

	if (!tsh_file_number(in, "tracing_on", 1))
		tsh_out_warn(s->out, "tracing is off in '%s': nothing new will come until 'on'",
			     tsh_instance_label(in));
	if (tsh_events_enabled(in, &enabled, &ignored) < 0)
		tsh_err_release(&ignored);
	else if (!enabled.n && (!tracer || !strcmp(tracer, "nop")))
		tsh_out_warn(s->out, "no event is enabled in '%s' and no tracer is set: only "
			     "markers will come (enable EVENT..)", tsh_instance_label(in));
	/* /proc of another pid namespace has other pids than the list */
	if (pids && *pids && tsh_tasks_have_kernel_numbers() && !some_task_lives(pids))
		tsh_out_warn(s->out, "none of the traced tasks is alive: nothing new will come "
			     "until 'pid clear' or 'pid TASK'");
	tsh_events_release(&enabled);
	free(tracer);
	free(pids);
}

/* Prepares an instance for the keys of a call that counts. */
static int prepare_counter(const struct tsh_call *call, struct tsh_instance *in, struct tsh_err *err)
{
	const struct tsh_counter *counter = tsh_counter_of(call);

	return counter ? counter->ops->prepare(counter, in, err) : 0;
}

/* Holds those stages of a call that are not allocated elsewhere. */
struct call_stages {
	struct tsh_range_stage range;
	struct tsh_where_stage where;
	struct tsh_rate_stage rate;
};

/* Appends the stages through which the events of a call pass. range may be NULL. */
static void push_stages(const struct tsh_call *call, struct tsh_range *range, struct call_stages *own,
			struct tsh_stream_spec *f)
{
	struct tsh_counter *counter = tsh_counter_of(call);

	if (range)
		tsh_stages_push(&f->stages, tsh_range_stage(&own->range, range));
	tsh_stages_push(&f->stages, tsh_flight_recorder_stage(tsh_flight_recorder_of(call)));
	tsh_stages_push(&f->stages, tsh_where_stage(&own->where, tsh_where_query(call)));
	tsh_stages_push(&f->stages, tsh_rate_stage(&own->rate, tsh_args_number(&call->args, "RATE")));
	tsh_stages_push(&f->stages, tsh_field_list_stage(tsh_field_list_of(call)));
	if (counter)
		counter->ops->push(counter, f);
}

/* Describes how the current buffer is read for a call. */
struct reading {
	struct tsh_session *session;
	const struct tsh_call *call;
	bool drain;
};

/* Prints the events of the current buffer. The session has claimed the buffer, so that no other
 * session reads it. Reading removes the events. */
static int follow_claimed(void *ctx, struct tsh_err *err)
{
	const struct reading *reading = ctx;
	const struct tsh_call *call = reading->call;
	struct tsh_session *s = reading->session;
	bool drain = reading->drain;
	struct call_stages stages;
	struct tsh_range range;
	struct tsh_stream_spec f = {
		.where = tsh_where_query(call),
		.drain = drain || s->dir->kind == TSH_DIR_TREE,
		/* --since and --stop-when say themselves which of the older events are printed */
		.mark_before = !drain && !tsh_call_moment(call, "--since") && !tsh_flight_recorder_of(call),
		.can_lag = !tsh_counter_of(call),
		.lag = tsh_args_number(&call->args, "LAG"),
		.expects = tsh_args_has(&call->args, "expect"),
		.filtered = tsh_args_has(&call->args, "here") ? call : NULL,
		.max_events = tsh_args_number(&call->args, "N"),
		.max_ns = tsh_args_number(&call->args, "TIME"),
	};
	const struct tsh_value *cpus = tsh_args_get(&call->args, "LIST");
	struct tsh_reader *reader;
	struct tsh_task_names task_names;
	int r;

	if (s->dir->kind == TSH_DIR_TREE) {
		tsh_task_names_find(s->in, &task_names);
		f.task_names = &task_names;
		cpus = tsh_task_names_cpus(&task_names, s->in, cpus) ? cpus : NULL;
	}
	if (prepare_counter(call, s->in, err) < 0 || tsh_reader_open(s, cpus, &reader, err) < 0)
		return -1;
	f.in = reader->in;
	f.source = reader->source;
	if (!drain && s->dir->kind != TSH_DIR_TREE)
		tsh_stream_explain_silence(s, f.in);
	tsh_filters_note_gaps(s, call);
	tsh_range_init(&range, s, call);
	push_stages(call, &range, &stages, &f);
	r = tsh_print_stream(s, &f, err);
	tsh_range_release(&range);
	/* Each command reads a recording from its start. */
	if (s->dir->kind == TSH_DIR_TREE)
		tsh_reader_drop(s, s->in->name);
	return r;
}

int tsh_stream_current(struct tsh_session *s, const struct tsh_call *call, bool drain, struct tsh_err *err)
{
	struct reading reading = { s, call, drain };

	/* Reading removes events from a buffer, but not from a recording. */
	if (s->dir->read_only && s->dir->kind != TSH_DIR_TREE) {
		tsh_err_set(err, TSH_FAILED, "%s takes the events out of the buffer: --read-only "
			    "was given", tsh_call_name(call));
		tsh_err_hint(err, "show prints them and leaves them there");
		return -1;
	}
	return tsh_with_claim(s, follow_claimed, &reading, err);
}

/* Holds the state of a stream in an instance of its own; the events from number .next on are not
 * enabled yet. */
struct enabling {
	struct tsh_session *session;
	struct tsh_instance *in;
	const struct tsh_call *call;
	size_t next;
	bool are_more;
};

static int enable_some(void *ctx, struct tsh_err *err)
{
	struct enabling *e = ctx;

	return tsh_own_enable_some(e->session, e->in, e->call, &e->next, err);
}

static int refilter(void *ctx, const char *filter, struct tsh_err *err)
{
	struct enabling *e = ctx;

	return tsh_own_refilter(e->session, e->in, e->call, filter, err);
}

static int prepare_own(void *ctx, struct tsh_own_stream *own, struct tsh_err *err)
{
	struct enabling *e = ctx;
	int r;

	e->in = own->in;
	if (prepare_counter(e->call, own->in, err) < 0)
		return -1;
	r = tsh_counter_of(e->call) ? tsh_own_enable(e->session, own->in, e->call, err) : enable_some(e, err);
	e->are_more = r > 0;
	return r < 0 ? -1 : 0;
}

static int run_own(void *ctx, struct tsh_own_stream *own, struct tsh_err *err)
{
	struct enabling *e = ctx;
	const struct tsh_call *call = e->call;
	struct call_stages stages;
	struct tsh_stream_spec f = {
		.in = own->in,
		.source = own->source,
		.task_names = &own->task_names,
		.where = tsh_where_query(call),
		.can_lag = !tsh_counter_of(call),
		.lag = tsh_args_number(&call->args, "LAG"),
		.expects = tsh_args_has(&call->args, "expect"),
		.max_events = tsh_args_number(&call->args, "N"),
		.max_ns = tsh_args_number(&call->args, "TIME"),
		.work = e->are_more ? enable_some : NULL,
		.work_ctx = e,
		.started = tsh_own_start,
		.started_ctx = own->in,
		.refilter = refilter,
		.refilter_ctx = e,
		.filtered = call,
	};

	push_stages(call, NULL, &stages, &f);
	return tsh_print_stream(own->session, &f, err);
}

/*
 * Streams the call's own events from a buffer of its own. When there are many, enables a few before
 * the first event is read, and the others while events are printed. Enables all of them first when
 * they are counted: otherwise their rates would belong to different times.
 */
static int follow_own(struct tsh_session *s, const struct tsh_call *call, struct tsh_err *err)
{
	struct enabling enabling = { .session = s, .call = call };
	struct tsh_own_stream own = {
		.session = s, .call = call, .cpus = tsh_args_get(&call->args,
								 "LIST"), .includes_tracesh = call->includes_tracesh,
		.prepare = prepare_own, .run = run_own, .ctx = &enabling,
	};

	return tsh_own_stream_run(&own, err);
}

/* Enables the events after the claim, so that no other reader of the buffer gets them. */
static int enable_and_follow(void *ctx, struct tsh_err *err)
{
	const struct reading *reading = ctx;

	tsh_own_note_here(reading->session, reading->call);
	if (tsh_own_enable(reading->session, reading->session->in, reading->call, err) != 0)
		return -1;
	return follow_claimed(ctx, err);
}

/* Streams from the current buffer (--here), and enables the events for that time. */
static int follow_here(struct tsh_session *s, const struct tsh_call *call, struct tsh_err *err)
{
	struct reading reading = { s, call, false };

	return tsh_with_here(s, enable_and_follow, &reading, err);
}

static int stream_call(struct tsh_session *s, const struct tsh_call *call, bool drain,
		       struct tsh_err *err)
{
	const struct tsh_value *event = tsh_args_get(&call->args, "EVENT");

	if ((!call->events.n || drain || tsh_args_has(&call->args, "here")) &&
	    tsh_own_refuse_settings(s, call, err) < 0)
		return -1;
	if (!call->events.n && s->dir->kind == TSH_DIR_TREE &&
	    tsh_own_refuse_new_events(call, tsh_counter_of(call), err) < 0)
		return -1;
	if (!call->events.n || drain)
		return tsh_stream_current(s, call, drain, err);
	if (s->dir->kind == TSH_DIR_TREE) {
		tsh_err_set(err, TSH_ENVIRONMENT, "nothing can be enabled in a recorded tree");
		tsh_err_hint(err, "%s without EVENT%s what was recorded", tsh_call_name(call),
			     tsh_counter_of(call) ? " counts" : ", or drain, prints");
		tsh_err_blame(err, event ? event->word.span : call->args.command);
		return -1;
	}
	if (tsh_flood_check_events(s, tsh_args_has(&call->args, "here") ? s->in : NULL, call,
				  err) < 0)
		return -1;
	if (tsh_args_has(&call->args, "here"))
		return follow_here(s, call, err);
	if (tsh_call_moment(call, "--since")) {
		tsh_err_set(err, TSH_USAGE, "a buffer of its own has no events from before");
		tsh_err_hint(err, "--since goes with --here, or without EVENT");
		tsh_err_blame(err, tsh_args_get(&call->args, "WHEN")->word.span);
		return -1;
	}
	return follow_own(s, call, err);
}

int tsh_stream_call(struct tsh_session *s, const struct tsh_call *call, bool drain,
		    struct tsh_err *err)
{
	struct tsh_misses misses = { 0 };
	int r;

	if (!drain)
		tsh_misses_begin(s, &misses);
	r = stream_call(s, call, drain, err);
	tsh_misses_end(s, call, &misses);
	return r;
}
