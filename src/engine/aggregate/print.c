/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "internal.h"

#include <inttypes.h>
#include <string.h>

#include "base/now.h"
#include "output/draw.h"
#include "output/sink.h"
#include "session/util.h"

/* ---- stacks ---- */

/* Prints the functions of a stack, a line each. */
static void show_frames(const struct tsh_by *by, const char *frames)
{
	const char *frame;
	size_t len;

	while ((frame = by_next_frame(&frames, &len)))
		tsh_out_line(by->out, "    %.*s", (int)len, frame);
}

/*
 * Prints "416 events, comm dd, sum 8192" and the stack below it: in a table it would be one long
 * line.
 */
static void show_stacked(const struct tsh_by *by, size_t row)
{
	struct tsh_strbuf text = TSH_STRBUF_INIT;
	uint64_t count = tsh_tally_count(by->tally, row);
	size_t i;

	tsh_strbuf_addf(&text, "%" PRIu64 " event%s", count, tsh_plural(count));
	if (by->spec.rates) {
		tsh_strbuf_adds(&text, ", ");
		by_add_rate(&text, by_rate(by, row, by->rate_ns), "-");
		tsh_strbuf_adds(&text, " a second");
	}
	if (row == TSH_TALLY_OTHER)
		tsh_strbuf_adds(&text, ", other");
	for (i = 0; row != TSH_TALLY_OTHER && i < by->spec.nkeys; i++) {
		if (by->spec.keys[i].modifier == BY_STACK)
			continue;
		tsh_strbuf_addf(&text, ", %s ", by_key_column(&by->spec.keys[i]));
		by_add_key(by, row, i, &text);
	}
	for (i = 0; i < by->spec.nvalues; i++) {
		tsh_strbuf_addf(&text, ", %s ", by_value_column(by, i));
		by_add_value(by, row, i, &text);
	}
	tsh_out_line(by->out, "%s", text.buf);
	for (i = 0; row != TSH_TALLY_OTHER && i < by->spec.nkeys; i++) {
		if (by->spec.keys[i].modifier != BY_STACK)
			continue;
		tsh_strbuf_clear(&text);
		by_add_key(by, row, i, &text);
		show_frames(by, text.buf);
	}
	tsh_strbuf_release(&text);
}

/* ---- the display ---- */

static bool is_histogram(const struct tsh_by *by)
{
	return by_is_bucket(&by->spec.keys[by->spec.nkeys - 1]) && !by->spec.nvalues && !by->spec.rates;
}

void by_note_more(const struct tsh_by *by, size_t n)
{
	tsh_out_line(by->out, ".. and %zu more%s", n, by->spec.top ? "" : " (--top N shows more)");
}

void by_show_rows(const struct tsh_by *by, uint64_t top)
{
	size_t *rows, n, i, shown;
	uint64_t left = 0;

	rows = by_order(by, &n);
	shown = top && top < n ? (size_t)top : n;
	if (by_has_stack(by) && by->out->format == TSH_FORMAT_TEXT) {
		for (i = 0; i < shown; i++)
			show_stacked(by, rows[i]);
		if (tsh_tally_count(by->tally, TSH_TALLY_OTHER))
			show_stacked(by, TSH_TALLY_OTHER);
	} else {
		by_show_table(by, rows, shown);
	}
	for (i = shown; i < n; i++)
		left += tsh_tally_count(by->tally, rows[i]);
	if (shown < n && by->spec.are_pairs)
		by_note_more(by, n - shown);
	else if (shown < n)
		tsh_out_line(by->out, ".. and %zu more, with %" PRIu64 " event%s%s", n - shown, left,
			     tsh_plural(left), by->spec.top ? "" : " (--top N shows more)");
	free(rows);
}

/* Adds the events of each row since the last call to the row's numbers of the last minute. */
static void append_second(struct tsh_by *by)
{
	size_t n = tsh_tally_rows(by->tally), i;

	while (by->minutes.n < n)
		(void)tsh_vec_push(&by->minutes);
	for (i = 0; i < n; i++) {
		struct by_minute *minute = &by->minutes.v[i];
		uint64_t now = tsh_tally_count(by->tally, i), since = now - minute->before;

		minute->v[by->second % BY_SECONDS] =
			since > UINT32_MAX ? UINT32_MAX : (uint32_t)since;
	}
	by->second++;
}

static void save_counts(struct tsh_by *by)
{
	size_t i;

	for (i = 0; i < by->minutes.n; i++)
		by->minutes.v[i].before = tsh_tally_count(by->tally, i);
}

/* Draws the table over the last one, line by line; the terminal cuts long lines (DECAWM is off). */
static void redraw(struct tsh_by *by, const struct tsh_strbuf *frame)
{
	size_t max = tsh_out_rows(by->out) > 3 ? tsh_out_rows(by->out) - 2 : 1;
	struct tsh_strbuf *to = &by->out->data;
	const char *line = frame->buf, *end = frame->buf + frame->len;
	unsigned int rows = 0;

	tsh_strbuf_adds(to, "\r");
	if (by->rows)
		tsh_strbuf_addf(to, "\033[%uA", by->rows);
	tsh_strbuf_adds(to, "\033[?7l");
	for (; line < end && rows < max; rows++) {
		size_t len = strcspn(line, "\n");

		tsh_strbuf_add(to, line, len);
		tsh_strbuf_adds(to, "\033[K\n");
		line += len + 1;
	}
	tsh_strbuf_adds(to, "\033[J\033[?7h");
	by->rows = rows;
}

void by_show(struct tsh_by *by, uint64_t ns, bool last)
{
	struct tsh_out *out = by->out;
	struct tsh_strbuf before = out->data;
	bool redraws = by->redraws && by->every;
	size_t full = out->full;
	uint64_t top = by->spec.top;

	by->rate_ns = ns;
	if (by->heat && out->format == TSH_FORMAT_TEXT) {
		by_heat_line(by, last);
		if (!last)
			return;
		tsh_out_line(out, "%s", "");
	}
	if (redraws) {
		out->data = (struct tsh_strbuf)TSH_STRBUF_INIT;
		out->full = SIZE_MAX;
	}
	/* do not print rows that do not fit on the screen; at the end, print only as many that the
	 * top of the table can be seen */
	if (redraws && (!top || (!last && top > tsh_out_rows(out))))
		top = tsh_out_rows(out) > 5 ? tsh_out_rows(out) - 5 : 1;
	if (by->spec.rates && by->every && !last)
		append_second(by);
	by->round_ns = (uint64_t)(tsh_now_ns(CLOCK_MONOTONIC) - by->began);
	if (by->tables && by->every && !redraws && !by->heat && out->format == TSH_FORMAT_TEXT) {
		tsh_out_line(out, "%s", "");
		if (last)
			tsh_out_line(out, "all of it:");
	}
	if (by->engine->show)
		by->engine->show(by, top, last);
	else if (!is_histogram(by) || out->format == TSH_FORMAT_JSON || out->format == TSH_FORMAT_CSV)
		by_show_rows(by, top);
	if (!by->engine->show && is_histogram(by) && out->format != TSH_FORMAT_CSV)
		by_show_groups(by, redraws);
	if (out->format == TSH_FORMAT_JSON && by->every && !last)
		by_json_round(by, by->round_ns);
	by->tables++;
	save_counts(by);
	if (redraws) {
		struct tsh_strbuf frame = out->data;

		out->data = before;
		out->full = full;
		if (last && by->rows)
			tsh_strbuf_addf(&out->data, "\r\033[%uA\033[J", by->rows);
		if (last)
			tsh_strbuf_add(&out->data, frame.buf, frame.len);
		else
			redraw(by, &frame);
		tsh_strbuf_release(&frame);
	}
}

/* Lets the engine read the current counts into its rows. If that fails, warns; the rows do not
 * change. */
static void read_engine(struct tsh_by *by, struct tsh_stream_summary *sum)
{
	struct tsh_err err = { 0 };

	if (by->engine->read(by, &err) < 0) {
		tsh_out_warn(by->out, "%s", err.message);
		tsh_err_release(&err);
	}
	sum->events = by->counted;
}

/*
 * Notes how many events lack a value: they are in the count of a row, but not in its sum or
 * average.
 */
static void note_lacking(const struct tsh_by *by, size_t value)
{
	size_t n = tsh_tally_rows(by->tally), row, i;
	uint64_t lack = 0;

	/* a value that has several columns is noted once */
	for (i = 0; i < value; i++)
		if (!strcmp(by->spec.values[i].title, by->spec.values[value].title))
			return;
	for (row = 0; row < n; row++)
		lack += tsh_tally_count(by->tally, row) - tsh_tally_sum(by->tally, row, value)->n;
	if (lack)
		tsh_out_note(by->out, "%" PRIu64 " event%s without %s %s counted, but %s no part of its %s", lack,
			     tsh_plural(lack), by->spec.values[value].title, lack == 1 ? "is" : "are",
			     lack == 1 ? "is" : "are", by_value_names[by->spec.kinds[value]]);
}

void by_show_last(struct tsh_by *by)
{
	struct tsh_stream_summary *sum = by->stage.stream->sum;
	uint64_t ns = sum->ns;
	size_t i;

	if (by->engine->read) {
		read_engine(by, sum);
		ns = sum->ns = (uint64_t)(tsh_now_ns(CLOCK_MONOTONIC) - by->began);
	}
	/*
	 * the last rates are of the whole time, but in CSV of the last interval, as in all rows
	 * before
	 */
	if (by->every && by->out->format == TSH_FORMAT_CSV)
		ns = (uint64_t)(tsh_now_ns(CLOCK_MONOTONIC) - by->shown);
	else
		for (i = 0; i < by->minutes.n; i++)
			by->minutes.v[i].before = 0;
	/* when events were overwritten, only the stamps of the remaining events tell how long they
	 * were recorded */
	if (sum->overwritten)
		by->recorded_ns = 0;
	if (!by->is_live)
		ns = by->recorded_ns ? by->recorded_ns : by->clock->kind->in_ns ? by->last - by->first : 0;
	by_show(by, ns, true);
	if (by->engine->account)
		by->engine->account(by, sum);
	if (by->out->format == TSH_FORMAT_JSON)
		tsh_json_end_line(&by->out->data, sum);
	if (by->without)
		tsh_out_note(by->out, "%" PRIu64 " event%s without %s not counted", by->without,
			     tsh_plural(by->without),
			     by_needs_stacks(by) ? "such a key, or a stack of the kernel's," : "such a key");
	for (i = 0; i < by->spec.nvalues && !by->spec.are_times; i++)
		note_lacking(by, i);
	if (by->engine->note)
		by->engine->note(by);
	if (by_count_unknown_syscalls(by->tasks))
		tsh_out_note(by->out, "%" PRIu64 " event%s with ?NUMBER: whether it was a 32-bit program, which has other "
			     "numbers, its task could not be asked", by_count_unknown_syscalls(by->tasks),
			     tsh_plural(by_count_unknown_syscalls(by->tasks)));
	/* with --here the buffer lacks these events from now on */
	if (by->older)
		tsh_out_note(by->out, "%" PRIu64 " event%s from before taken out of the buffer, not counted", by->older,
			     tsh_plural(by->older));
	if (by->others)
		tsh_out_note(by->out, "%" PRIu64 " event%s that %s not asked for taken out of the buffer, not counted",
			     by->others, tsh_plural(by->others), by->others == 1 ? "was" : "were");
	if (!by->engine->account && (sum->lost || sum->lost_unknown))
		tsh_out_warn(by->out, "events were lost: each of these numbers may be too small");
}
