/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "flight-recorder.h"

#include <stdlib.h>
#include <string.h>

#include "base/now.h"
#include "base/strbuf.h"
#include "query/query.h"
#include "session/util.h"
#include "where.h"

/* Extends the wait for the events of --after, because events are read some ms after they
 * happened. */
#define LATEST_NS (50 * 1000 * 1000)

/* Precedes each event or gap that is kept; the bytes of an event follow. */
struct item {
	uint64_t stamp;
	uint64_t lost;			/* events that are missing; 0: this is an event */
	int cpu;
	uint32_t size;
	bool late;
};

struct tsh_flight_recorder {
	struct tsh_stage stage;		/* must be the first member */
	struct tsh_query *query;
	bool has_before, has_after;
	uint64_t before_ns, after_ns;
	/* state of the present stream */
	size_t reported;		/* names of the expression that were reported as unknown */
	/*
	 * Hold the events of the window of --before. When the first item of the new half is too
	 * old, all of the old half is too old as well: it is dropped, and the halves are swapped.
	 */
	struct tsh_strbuf old, new;
	uint64_t kept;			/* events in both halves */
	/* Says that events up to dropped_stamp were dropped because of TSH_FLIGHT_BYTES. */
	bool dropped;
	uint64_t dropped_stamp;
	bool is_short;			/* some of the dropped events belonged to the window */
	struct tsh_cpuset past;		/* CPUs that have had an event after the last printed one */
	bool matched, finished;
	uint64_t match_stamp;
	/* Is the time at which the matching event was read, CLOCK_MONOTONIC, in ns. */
	int64_t match_time;
};

/* ---- the options ---- */

static const struct tsh_value *value_of(const struct tsh_call *call, const char *name)
{
	const struct tsh_value *value = tsh_args_get(&call->args, name);

	return value && value->arg->option ? value : NULL;
}

static void free_flight(void *state)
{
	struct tsh_flight_recorder *flight = state;

	tsh_query_free(flight->query);
	tsh_strbuf_release(&flight->old);
	tsh_strbuf_release(&flight->new);
	tsh_cpuset_release(&flight->past);
	free(flight);
}

int tsh_flight_recorder_resolve(struct tsh_session *s, struct tsh_call *call, struct tsh_err *err)
{
	const struct tsh_value *stop = value_of(call, "STOP"), *before = value_of(call, "BEFORE");
	const struct tsh_value *after = value_of(call, "AFTER");
	struct tsh_flight_recorder *flight;

	if (!stop && (before || after)) {
		tsh_err_at(err, (before ? before : after)->word.span, "'%s' goes with --stop-when",
			   (before ? before : after)->arg->option);
		return -1;
	}
	if (!stop)
		return 0;
	if (before && tsh_args_has(&call->args, "N")) {
		tsh_err_at(err, before->word.span, "--before does not go with -n, which prints "
						   "events at once");
		tsh_err_hint(err, "--after, or --for, ends it");
		return -1;
	}
	flight = tsh_xcalloc(1, sizeof(*flight));
	tsh_call_add_state(call, flight, free_flight);
	tsh_strbuf_init(&flight->old);
	tsh_strbuf_init(&flight->new);
	flight->has_before = before;
	flight->has_after = after;
	flight->before_ns = before ? before->number : 0;
	flight->after_ns = after ? after->number : 0;
	flight->query = tsh_query_new(stop->word.text, stop->word.len, err);
	if (!flight->query) {
		tsh_where_hint_quotes(s, &call->events, stop->word.text, err);
		return tsh_where_blame(stop, 0, err);
	}
	return s->dir ? tsh_where_check(s, call, flight->query, stop, 0, err) : 0;
}

struct tsh_flight_recorder *tsh_flight_recorder_of(const struct tsh_call *call)
{
	return tsh_call_state(call, free_flight);
}

/* ---- the window ---- */

static struct item first_of(const struct tsh_strbuf *half)
{
	struct item item;

	memcpy(&item, half->buf, sizeof(item));
	return item;
}

/* Counts the events of a half. *ret_last: the stamp of the youngest. */
static uint64_t count_events(const struct tsh_strbuf *half, uint64_t *ret_last)
{
	struct item item;
	uint64_t n = 0;
	size_t at;

	*ret_last = 0;
	for (at = 0; at < half->len; at += sizeof(item) + item.size) {
		memcpy(&item, half->buf + at, sizeof(item));
		n += !item.lost;
		if (item.stamp > *ret_last)
			*ret_last = item.stamp;
	}
	return n;
}

static void swap_halves(struct tsh_flight_recorder *f, bool for_room)
{
	struct tsh_strbuf empty = f->old;
	uint64_t last;

	f->kept -= count_events(&f->old, &last);
	if (for_room && f->old.len) {
		f->dropped = true;
		f->dropped_stamp = last;
	}
	f->old = f->new;
	f->new = empty;
	tsh_strbuf_clear(&f->new);
}

static void append_item(struct tsh_flight_recorder *f, const struct item *item, const void *data)
{
	if (f->new.len && item->stamp > f->before_ns &&
	    first_of(&f->new).stamp < item->stamp - f->before_ns) {
		swap_halves(f, false);
	} else if (f->new.len > TSH_FLIGHT_BYTES / 2) {
		swap_halves(f, true);
	}
	tsh_strbuf_add(&f->new, (const char *)item, sizeof(*item));
	tsh_strbuf_add(&f->new, data, item->size);
	f->kept += !item->lost;
}

/* Passes on the items of a half from stamp `from` on. */
static void pass_half(struct tsh_flight_recorder *f, const struct tsh_strbuf *half, uint64_t from)
{
	struct item item;
	size_t at;

	for (at = 0; at < half->len; at += sizeof(item) + item.size) {
		struct tsh_record rec;

		memcpy(&item, half->buf + at, sizeof(item));
		if (item.stamp < from)
			continue;
		if (item.lost) {
			f->stage.next->lost(f->stage.next, item.cpu, item.lost, item.stamp);
			continue;
		}
		rec = (struct tsh_record){
			.stamp = item.stamp, .cpu = item.cpu, .size = item.size,
			.data = (const unsigned char *)half->buf + at + sizeof(item),
		};
		f->kept--;
		f->stage.next->ahead = NULL;
		tsh_stage_pass_held(&f->stage, &rec, item.late);
	}
}

static void pass_kept(struct tsh_flight_recorder *f)
{
	uint64_t from = f->match_stamp > f->before_ns ? f->match_stamp - f->before_ns : 0;

	f->is_short = f->dropped && f->dropped_stamp >= from;
	pass_half(f, &f->old, from);
	pass_half(f, &f->new, from);
	tsh_strbuf_clear(&f->old);
	tsh_strbuf_clear(&f->new);
	f->kept = 0;
}

/* ---- the stage ---- */

/* Notes names of the expression that an event does not have: the expression may never become
 * true. */
static void note_unknown(struct tsh_flight_recorder *f)
{
	const char *word;

	while ((word = tsh_where_next_unknown(f->query, &f->reported)))
		tsh_out_note(f->stage.stream->out, "--stop-when: an event has no '%s': comparisons "
						   "with it are unknown", word);
}

/* Says whether an event, or a gap before it, comes after the last event that is printed. */
static bool is_behind(const struct tsh_flight_recorder *f, uint64_t stamp)
{
	return f->matched && (!f->has_after || stamp > tsh_saturating_sum(f->match_stamp, f->after_ns));
}

static bool flight_event(struct tsh_consumer *consumer, const struct tsh_record *rec, bool late)
{
	struct tsh_flight_recorder *f = (struct tsh_flight_recorder *)consumer;
	const struct tsh_open_stream *stream = f->stage.stream;
	bool is_it = !f->matched && tsh_query_match(f->query, stream->decoder, stream->layout, rec);

	note_unknown(f);
	if (is_it) {
		f->matched = true;
		f->match_stamp = rec->stamp;
		f->match_time = tsh_now_ns(CLOCK_MONOTONIC);
		pass_kept(f);
		f->finished = !f->has_after;
	} else if (!f->matched && f->has_before) {
		const struct item item = { .stamp = rec->stamp, .cpu = rec->cpu, .size = rec->size,
					   .late = late };

		append_item(f, &item, rec->data);
		return false;
	} else if (is_behind(f, rec->stamp)) {
		f->finished = true;
		if (rec->cpu >= 0)
			tsh_cpuset_add(&f->past, (unsigned int)rec->cpu);
		return false;
	}
	/* Do not let the output of function_graph read the next event ahead: the expression would
	 * not be evaluated for that next event. */
	f->stage.next->ahead = f->matched ? consumer->ahead : NULL;
	return f->stage.next->event(f->stage.next, rec, late);
}

static void flight_lost(struct tsh_consumer *consumer, int cpu, uint64_t count, uint64_t stamp)
{
	struct tsh_flight_recorder *f = (struct tsh_flight_recorder *)consumer;
	const struct item item = { .stamp = stamp, .cpu = cpu, .lost = count };

	if (!f->matched && f->has_before && count)
		append_item(f, &item, "");
	/* the missing events are between the last event of this CPU and stamp */
	else if (!f->matched || !is_behind(f, stamp) ||
		 (f->has_after && (cpu < 0 || !tsh_cpuset_has(&f->past, (unsigned int)cpu))))
		f->stage.next->lost(f->stage.next, cpu, count, stamp);
}

static int flight_begin(struct tsh_stage *stage, struct tsh_err *err)
{
	struct tsh_flight_recorder *f = (struct tsh_flight_recorder *)stage;
	const struct tsh_clock *clock = stage->stream->clock;

	if ((f->has_before || f->has_after) && !clock->kind->in_ns) {
		tsh_err_set(err, TSH_FAILED, "the clock '%s' does not count nanoseconds, so --before "
			    "and --after mean nothing", clock->kind->name);
		tsh_err_hint(err, "'clock boot' does; it erases the buffer");
		return -1;
	}
	f->matched = f->finished = f->dropped = f->is_short = false;
	tsh_cpuset_release(&f->past);
	tsh_query_set_clock(f->query, clock);
	return 0;
}

/* Says whether all events that are to be printed have come. */
static bool flight_is_done(struct tsh_stage *stage)
{
	struct tsh_flight_recorder *f = (struct tsh_flight_recorder *)stage;

	if (f->matched && !f->finished)
		f->finished = tsh_now_ns(CLOCK_MONOTONIC) - f->match_time >
			      (int64_t)f->after_ns + LATEST_NS;
	return f->finished;
}

/* Reports the events that wait for one that has not come. */
static void flight_report(const struct tsh_stage *stage)
{
	stage->stream->sum->held_back = ((const struct tsh_flight_recorder *)stage)->kept;
}

/* Notes if --stop-when matched no event, or if events of --before are missing. Drops the events
 * that wait in the halves. */
static void flight_end(struct tsh_stage *stage)
{
	struct tsh_flight_recorder *f = (struct tsh_flight_recorder *)stage;
	struct tsh_out *out = stage->stream->out;
	struct tsh_strbuf count = TSH_STRBUF_INIT;

	if (!f->matched) {
		tsh_format_count(f->kept, &count);
		tsh_out_note(out, "--stop-when was true for no event%s%s%s",
			     f->has_before ? ": the last " : "", f->has_before ? count.buf : "",
			     f->has_before ? " are not printed" : "");
	} else if (f->is_short) {
		tsh_out_warn(out, "too many events came: the oldest of --before are missing");
	}
	tsh_query_forget(f->query);
	tsh_strbuf_clear(&f->old);
	tsh_strbuf_clear(&f->new);
	f->kept = 0;
	tsh_strbuf_release(&count);
}

static bool flight_asks_for_names(const struct tsh_stage *stage)
{
	return tsh_query_needs_names(((const struct tsh_flight_recorder *)stage)->query);
}

static const struct tsh_stage_kind kind = {
	.name = "flight recorder", .begin = flight_begin, .event = flight_event, .lost = flight_lost,
	.is_done = flight_is_done, .report = flight_report, .end = flight_end, .asks_for_names = flight_asks_for_names,
};

struct tsh_stage *tsh_flight_recorder_stage(struct tsh_flight_recorder *flight)
{
	if (!flight)
		return NULL;
	flight->stage.kind = &kind;
	return &flight->stage;
}
