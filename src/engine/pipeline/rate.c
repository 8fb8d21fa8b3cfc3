/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "rate.h"

#include <time.h>

#include "base/now.h"
#include "events/clock/clock.h"
#include "session/util.h"

#define NS_PER_SECOND UINT64_C(1000000000)

static uint64_t second_of(const struct tsh_rate_stage *r, const struct tsh_record *rec)
{
	if (r->stage.stream->clock->kind->in_ns)
		return rec->stamp / NS_PER_SECOND;
	return (uint64_t)tsh_now_ns(CLOCK_MONOTONIC) / NS_PER_SECOND;
}

/* Notes how many events were left out, at the place where they are missing. */
static void note_over(struct tsh_rate_stage *r)
{
	struct tsh_strbuf text = TSH_STRBUF_INIT;

	if (r->over) {
		tsh_format_count(r->over, &text);
		tsh_strbuf_addf(&text, " more event%s in that second not printed (--limit-rate %llu)",
				tsh_plural(r->over), (unsigned long long)r->limit);
		r->stage.next->note(r->stage.next, text.buf);
	}
	tsh_strbuf_release(&text);
	r->over = r->printed = 0;
}

static bool rate_event(struct tsh_consumer *consumer, const struct tsh_record *rec, bool late)
{
	struct tsh_rate_stage *r = (struct tsh_rate_stage *)consumer;
	uint64_t second = second_of(r, rec);

	/* An event that comes late counts for the present second. */
	if (second > r->second) {
		note_over(r);
		r->second = second;
	}
	if (r->printed >= r->limit) {
		r->over++;
		r->all_over++;
		return false;
	}
	r->printed++;
	r->stage.next->ahead = consumer->ahead;
	return r->stage.next->event(r->stage.next, rec, late);
}

static void rate_report(const struct tsh_stage *stage)
{
	const struct tsh_rate_stage *r = (const struct tsh_rate_stage *)stage;

	if (r->all_over)
		tsh_summary_add_left_out(stage->stream->sum, "over_rate", r->all_over);
}

static void rate_end(struct tsh_stage *stage)
{
	note_over((struct tsh_rate_stage *)stage);
}

static void rate_clause(const struct tsh_stage *stage, struct tsh_strbuf *text)
{
	const struct tsh_rate_stage *r = (const struct tsh_rate_stage *)stage;

	if (!r->all_over)
		return;
	tsh_format_count(r->all_over, text);
	tsh_strbuf_adds(text, " over the rate not printed, ");
}

static const struct tsh_stage_kind kind = {
	.name = "rate", .event = rate_event, .report = rate_report, .end = rate_end, .append_clause = rate_clause,
};

struct tsh_stage *tsh_rate_stage(struct tsh_rate_stage *r, uint64_t limit)
{
	*r = (struct tsh_rate_stage){ .stage.kind = &kind, .limit = limit };
	return limit ? &r->stage : NULL;
}
