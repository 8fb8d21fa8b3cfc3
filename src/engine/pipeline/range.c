/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "range.h"

#include <string.h>

#include "base/number.h"
#include "session/util.h"
#include "session/when.h"

/* ---- the options ---- */

static void warn_twofold(struct tsh_session *s, const struct tsh_value *value,
			 const struct tsh_moment *m)
{
	struct tsh_strbuf zone = TSH_STRBUF_INIT;

	if (!m || !m->is_twofold)
		return;
	tsh_time_zone(&zone, m->wall);
	tsh_out_warn(s->out, "'%s' comes twice in this time zone: the first one is used (%s)",
		     value->word.text, zone.buf);
	tsh_strbuf_release(&zone);
}

/* Notes that a time is in the future, which is rarely meant, and that a change of the clock
 * would move it. */
static void note_ahead(struct tsh_session *s, const struct tsh_call *call, const struct tsh_value *value,
		       const struct tsh_moment *m, const char *effect)
{
	struct tsh_strbuf span = TSH_STRBUF_INIT;

	if (!m || m->wall <= call->now)
		return;
	tsh_format_span((uint64_t)m->wall - (uint64_t)call->now, &span);
	tsh_out_note(s->out, "'%s' is %s%s%s: %s", value->word.text,
		     call->is_past ? "" : "in ", span.buf,
		     call->is_past ? " after the end of the recording" :
			       ", if the clock is not set until then",
		     effect);
	tsh_strbuf_release(&span);
}

/* Extends the range by the rounding of printed times to microseconds, so that a time that is
 * copied from the output includes its event. */
#define ROUNDING_NS 500

static int64_t begin_of(const struct tsh_moment *since)
{
	return since->width > ROUNDING_NS ? since->wall - ROUNDING_NS : since->wall;
}

void tsh_range_init(struct tsh_range *range, struct tsh_session *s, const struct tsh_call *call)
{
	const struct tsh_moment *since = tsh_call_moment(call, "--since");
	const struct tsh_moment *until = tsh_call_moment(call, "--until");

	*range = (struct tsh_range){
		.is_on = since || until,
		.since = since ? begin_of(since) : INT64_MIN,
		.until = until ? tsh_moment_end(until) : INT64_MAX,
	};
	warn_twofold(s, tsh_moments_value(call, "--since"), since);
	warn_twofold(s, tsh_moments_value(call, "--until"), until);
	note_ahead(s, call, tsh_moments_value(call, "--since"), since, "no event before it is printed");
	note_ahead(s, call, tsh_moments_value(call, "--until"), until, "it excludes no event");
}

void tsh_range_release(struct tsh_range *range)
{
	tsh_cpuset_release(&range->past);
	range->is_on = false;
}

int tsh_range_check_time(const struct tsh_clock *clock, struct tsh_err *err)
{
	if (tsh_clock_is_ready(clock))
		return 0;
	if (clock->kind->has_time) {
		tsh_err_set(err, TSH_FAILED,
			    "the clock '%s' has no wall-clock time here, so "
			    "--since and --until mean nothing",
			    clock->kind->name);
		tsh_err_hint(err, "without them everything is printed, --time trace with its own "
				  "times");
		return -1;
	}
	tsh_err_set(err, TSH_FAILED,
		    "the clock '%s' is no time, so --since and --until mean "
		    "nothing",
		    clock->kind->name);
	tsh_err_hint(err, "events to come have one after 'clock boot', which erases the buffer");
	return -1;
}

/* ---- which events are in the range ---- */

static bool is_before(const struct tsh_range *range, int64_t wall, uint64_t error_ns)
{
	return tsh_saturating_add(wall, error_ns) < range->since;
}

static bool is_after(const struct tsh_range *range, int64_t wall, uint64_t error_ns)
{
	return tsh_saturating_sub(wall, error_ns) > range->until;
}

static void note_outside(struct tsh_range *range, int64_t wall)
{
	if (!range->outside || wall < range->first)
		range->first = wall;
	if (!range->outside || wall > range->last)
		range->last = wall;
	range->outside++;
}

bool tsh_range_has(struct tsh_range *range, int cpu, int64_t wall, uint64_t error_ns)
{
	bool after = is_after(range, wall, error_ns);

	if (!after && !is_before(range, wall, error_ns))
		return true;
	if (after && cpu >= 0)
		tsh_cpuset_add(&range->past, (unsigned int)cpu);
	note_outside(range, wall);
	return false;
}

bool tsh_range_has_gap(const struct tsh_range *range, int cpu, int64_t wall, uint64_t error_ns)
{
	if (is_before(range, wall, error_ns))
		return false;
	/* the missing events are between the last event of this CPU and this one */
	return !is_after(range, wall, error_ns) || cpu < 0 ||
	       !tsh_cpuset_has(&range->past, (unsigned int)cpu);
}

void tsh_range_outside(const struct tsh_range *range, struct tsh_strbuf *out)
{
	struct tsh_time_text time;

	tsh_time_text_init(&time, TSH_TIME_WALL, false);
	tsh_strbuf_adds(out, range->first == range->last ? ", at " : ", from ");
	tsh_time_text_add(&time, out, NULL, 0, true, range->first);
	if (range->first != range->last) {
		tsh_strbuf_adds(out, " to ");
		tsh_time_text_add(&time, out, NULL, 0, true, range->last);
	}
	tsh_time_text_release(&time);
}

/* ---- the stage ---- */

static int range_prepare(struct tsh_stage *stage, struct tsh_open_stream *stream, struct tsh_err *err)
{
	(void)stage;
	return tsh_range_check_time(stream->clock, err);
}

static bool range_event(struct tsh_consumer *consumer, const struct tsh_record *rec, bool late)
{
	struct tsh_range_stage *r = (struct tsh_range_stage *)consumer;
	struct tsh_consumer *next = r->stage.next;
	uint64_t error;
	int64_t wall;

	if (tsh_clock_wall(r->stage.stream->clock, rec->cpu, rec->stamp, &wall, &error) &&
	    !tsh_range_has(r->range, rec->cpu, wall, error)) {
		if (next->dropped)
			next->dropped(next, rec);
		return false;
	}
	next->ahead = consumer->ahead;
	return next->event(next, rec, late);
}

static void range_lost(struct tsh_consumer *consumer, int cpu, uint64_t count, uint64_t stamp)
{
	struct tsh_range_stage *r = (struct tsh_range_stage *)consumer;
	uint64_t error;
	int64_t wall;

	if (!tsh_clock_wall(r->stage.stream->clock, cpu, stamp, &wall, &error) ||
	    tsh_range_has_gap(r->range, cpu, wall, error))
		r->stage.next->lost(r->stage.next, cpu, count, stamp);
}

static void range_report(const struct tsh_stage *stage)
{
	tsh_summary_add_left_out(stage->stream->sum, TSH_OUTSIDE,
				 ((const struct tsh_range_stage *)stage)->range->outside);
}

/* Appends "3,000 outside of the range not printed, "; with their times when no event was
 * printed. */
static void range_clause(const struct tsh_stage *stage, struct tsh_strbuf *text)
{
	const struct tsh_range *range = ((const struct tsh_range_stage *)stage)->range;

	if (!range->outside)
		return;
	tsh_format_count(range->outside, text);
	tsh_strbuf_adds(text, " outside of the range not printed");
	if (!stage->stream->sum->events)
		tsh_range_outside(range, text);
	tsh_strbuf_adds(text, ", ");
}

static const struct tsh_stage_kind kind = {
	.name = "range", .prepare = range_prepare, .event = range_event, .lost = range_lost, .report = range_report,
	.append_clause = range_clause,
};

struct tsh_stage *tsh_range_stage(struct tsh_range_stage *r, struct tsh_range *range)
{
	*r = (struct tsh_range_stage){ .stage.kind = &kind, .range = range };
	return range->is_on ? &r->stage : NULL;
}
