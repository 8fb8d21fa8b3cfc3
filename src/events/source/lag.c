/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "lag.h"

#include "source.h"

/* Limits the events between two checks of the output. A fast output gets about as many as a
 * terminal accepts at once. A slow output gets one, so that at most one line waits for it. */
#define PORTION 16
#define PORTION_SLOW 1
/* Sets how many of the waiting events are printed while the output's speed is not known. */
#define KEEP 16

void lag_begin(struct lag *lag, struct tsh_source *src, struct tsh_consumer *to,
	       struct tsh_stream_summary *sum, uint64_t limit_ns)
{
	bool can = to->mute && to->skipped && tsh_source_is_live(src);

	*lag = (struct lag){ .src = src, .to = to, .sum = sum, .limit = can ? limit_ns : 0,
			     .to_print = KEEP };
}

uint64_t lag_portion(const struct lag *lag)
{
	return lag->is_slow ? PORTION_SLOW : PORTION;
}

static void begin_row(struct lag *lag, uint64_t now_ns)
{
	lag->behind_since = now_ns;
	lag->printed = lag->sum->events;
}

void lag_note_output(struct lag *lag, bool is_behind, uint64_t now_ns)
{
	if (!is_behind)
		lag->behind_since = 0;
	else if (!lag->behind_since)
		begin_row(lag, now_ns);
}

/* ---- leaving out ---- */

static void pass_skipped(void *ctx, const struct tsh_record *rec, bool late)
{
	struct lag *lag = ctx;

	/* Passes events that are left out to the stages too: filters count them, stages learn names
	 * of tasks from them. */
	lag->sum->events += lag->to->event(lag->to, rec, late);
	lag->removed++;
	lag->cpu = rec->cpu;
	lag->stamp = rec->stamp;
}

/* Adds to the losses that are reported together with the next skipped events, one sum per CPU. */
static void postpone_loss(struct lag *lag, int cpu, uint64_t lost)
{
	size_t i;

	lag->loses = true;
	for (i = 0; i < lag->src->nlanes; i++) {
		struct lane *lane = &lag->src->lanes[i];

		if (lane->cpu == cpu)
			lane->passed = tsh_lost_sum(lane->passed, lost);
	}
}

/* Leaves out up to `n` of the oldest events, none later than the watermark. Counts as skipped only
 * those that pass the filters. */
static void skip_events(struct lag *lag, uint64_t n, uint64_t watermark)
{
	uint64_t events = lag->sum->events, late = lag->sum->late, lost;
	enum tsh_source_item item = TSH_ITEM_LOST;
	struct tsh_record rec;

	lag->to->mute(lag->to, true);
	lag->removed = 0;
	while (item == TSH_ITEM_LOST) {
		item = tsh_source_read_many(lag->src, watermark, n - lag->removed, pass_skipped, lag, &rec,
				       &lost);
		if (item == TSH_ITEM_LOST)
			postpone_loss(lag, rec.cpu, lost);
	}
	lag->to->mute(lag->to, false);
	lag->unreported += lag->sum->events - events;
	lag->sum->skipped += lag->sum->events - events;
	lag->sum->events = events;
	lag->sum->late = late;
	lag->is_slow = lag->is_slow || lag->unreported;
}

static void skip_all_but(struct lag *lag, uint64_t keep, uint64_t watermark)
{
	uint64_t waiting = tsh_source_pending(lag->src);

	if (waiting > keep)
		skip_events(lag, waiting - keep, watermark);
}

/* Says whether the output has been behind for too long. An output that accepts nothing at all
 * (Ctrl-S) does not count as slow. */
static bool is_too_late(struct lag *lag, uint64_t now_ns)
{
	uint64_t span, printed = lag->sum->events - lag->printed;

	if (!lag->behind_since || now_ns - lag->behind_since < lag->limit)
		return false;
	span = now_ns - lag->behind_since;
	begin_row(lag, now_ns);
	if (!printed)
		return false;
	lag->rate = (uint64_t)((double)printed * 1e9 / (double)span + 0.5);
	lag->to_print = (uint64_t)((double)printed * (double)lag->limit / (double)span / 2) + 1;
	return true;
}

void lag_skip_waiting(struct lag *lag, uint64_t watermark, bool ending, uint64_t now_ns)
{
	if (!lag->limit)
		return;
	if (ending && lag->is_slow && lag->behind_since)
		lag->ends = true;
	if (lag->ends)
		skip_all_but(lag, 0, watermark);
	else if (is_too_late(lag, now_ns) || tsh_source_is_full(lag->src))
		skip_all_but(lag, lag->to_print, watermark);
}

bool lag_skip_all(struct lag *lag)
{
	if (!lag->limit || lag->ends)
		return false;
	lag->ends = true;
	return true;
}

/* ---- what is reported to the consumer ---- */

void lag_lost(struct lag *lag, int cpu, uint64_t lost, uint64_t stamp)
{
	if (lost == TSH_LOST_UNKNOWN)
		lag->sum->lost_unknown = true;
	else
		lag->sum->lost += lost;
	lag->to->lost(lag->to, cpu, lost, stamp);
}

/* Says once that the output is slow, and what helps. */
static void report_slow(struct lag *lag)
{
	struct tsh_strbuf text = TSH_STRBUF_INIT;

	if (lag->reported || lag->ends)
		return;
	lag->reported = true;
	if (lag->rate) {
		tsh_strbuf_adds(&text, "the output takes about ");
		tsh_format_count(lag->rate, &text);
		tsh_strbuf_addf(&text, " line%s a second", lag->rate == 1 ? "" : "s");
	} else {
		tsh_strbuf_adds(&text, "the output is slower than the events");
	}
	tsh_strbuf_adds(&text, ": from here on, events older than ");
	tsh_format_ns(lag->limit, &text);
	tsh_strbuf_adds(&text, " are skipped (shorter lines: fields, --time short, --columns; fewer "
			       "lines: if, --limit-rate; all lines, late: --lag none)");
	lag->to->note(lag->to, text.buf);
	tsh_strbuf_release(&text);
}

static void report_skipped(struct lag *lag)
{
	size_t i;

	report_slow(lag);
	if (lag->unreported)
		lag->to->skipped(lag->to, lag->unreported, lag->cpu, lag->stamp);
	lag->unreported = 0;
	lag->loses = false;
	for (i = 0; i < lag->src->nlanes; i++) {
		struct lane *lane = &lag->src->lanes[i];

		if (lane->passed)
			lag_lost(lag, lane->cpu, lane->passed, lag->stamp);
		lane->passed = 0;
	}
}

void lag_report(struct lag *lag)
{
	/* at the end, events are left out in portions: lag_end reports their sum once */
	if ((lag->unreported || lag->loses) && !lag->ends)
		report_skipped(lag);
}

void lag_end(struct lag *lag)
{
	if (lag->unreported || lag->loses)
		report_skipped(lag);
}
