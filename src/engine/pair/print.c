/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pair.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/number.h"
#include "output/draw.h"
#include "session/util.h"

/* Histograms, tables and sums of pairs. */

static const struct {
	const char *name, *json;
	unsigned int permille;
} percentiles[] = {
	{ "p50", "p50_ns", 500 },
	{ "p90", "p90_ns", 900 },
	{ "p99", "p99_ns", 990 },
	{ "p99.9", "p999_ns", 999 },
};
#define PERCENTILES (sizeof(percentiles) / sizeof(percentiles[0]))

static const struct tsh_tally_sum *sum_of(const struct tsh_by *by, size_t row)
{
	return tsh_tally_sum(by->tally, row, 0);
}

/* No more than the longest of all. */
static uint64_t percentile(const struct tsh_by *by, size_t row, size_t i)
{
	uint64_t ns = tsh_spread_percentile(&by->latency->spreads.v[row], percentiles[i].permille);
	uint64_t max = sum_of(by, row)->max.bits;

	return ns < max ? ns : max;
}

static uint64_t average(const struct tsh_by *by, size_t row)
{
	return (uint64_t)tsh_tally_average(sum_of(by, row));
}

/* ---- one histogram ---- */

static void show_histogram(struct tsh_by *by, size_t row)
{
	const struct tsh_spread *spread = &by->latency->spreads.v[row];
	struct tsh_tally_number low = sum_of(by, row)->min, high = sum_of(by, row)->max;
	int first = tsh_tally_log2(low.bits, false), last = tsh_tally_log2(high.bits, false), i;
	struct tsh_histogram_row rows[64] = { 0 };
	struct tsh_strbuf text = TSH_STRBUF_INIT;

	for (i = first; i <= last; i++) {
		tsh_tally_log2_range(i, &low, &high);
		tsh_append_ns(low.bits, &text);
		tsh_strbuf_adds(&text, " -> ");
		tsh_append_ns(high.bits, &text);
		rows[i - first] =
			(struct tsh_histogram_row){ tsh_strbuf_detach(&text),
						    tsh_spread_log2(spread, (unsigned int)i) };
	}
	tsh_histogram(&by->out->data, "latency", rows, (size_t)(last - first + 1),
		      tsh_out_width(by->out));
	for (i = first; i <= last; i++)
		free(rows[i - first].range);
	tsh_strbuf_release(&text);
}

/* "1,234 pairs, avg 5.1us, p50 3.2us, .., max 31.2us" */
static void show_line(struct tsh_by *by, size_t row)
{
	struct tsh_strbuf text = TSH_STRBUF_INIT;
	uint64_t n = tsh_tally_count(by->tally, row);
	size_t i;

	tsh_format_count(n, &text);
	tsh_strbuf_addf(&text, " pair%s, min ", tsh_plural(n));
	tsh_append_ns(sum_of(by, row)->min.bits, &text);
	tsh_strbuf_adds(&text, ", avg ");
	tsh_append_ns(average(by, row), &text);
	for (i = 0; i < PERCENTILES; i++) {
		tsh_strbuf_addf(&text, ", %s ", percentiles[i].name);
		tsh_append_ns(percentile(by, row, i), &text);
	}
	tsh_strbuf_adds(&text, ", max ");
	tsh_append_ns(sum_of(by, row)->max.bits, &text);
	tsh_out_line(by->out, "%s", text.buf);
	tsh_strbuf_release(&text);
}

/* ---- a table of groups ---- */

static void add_pairs(const struct tsh_by *by, size_t row, size_t which, struct tsh_strbuf *to)
{
	(void)which;
	tsh_strbuf_addu(to, tsh_tally_count(by->tally, row));
}

enum { MIN = PERCENTILES, AVG, MAX };

static void add_time(const struct tsh_by *by, size_t row, size_t which, struct tsh_strbuf *to)
{
	uint64_t ns = which == MIN ? sum_of(by, row)->min.bits :
		      which == AVG ? average(by, row) :
		      which == MAX ? sum_of(by, row)->max.bits : percentile(by, row, which);

	if (by_is_for_machines(by))
		tsh_strbuf_addu(to, ns);
	else
		tsh_append_ns(ns, to);
}

size_t latency_cells(const struct tsh_by *by, struct by_cell ret[BY_CELLS])
{
	bool in_ns = by_is_for_machines(by);
	size_t n = 0, i;

	ret[n++] = (struct by_cell){ "count", add_pairs, 0 };
	if (by->out->format == TSH_FORMAT_JSON)
		ret[n++] = (struct by_cell){ "min_ns", add_time, MIN };
	ret[n++] = (struct by_cell){ in_ns ? "avg_ns" : "avg", add_time, AVG };
	for (i = 0; i < PERCENTILES; i++)
		ret[n++] = (struct by_cell){ in_ns ? percentiles[i].json : percentiles[i].name, add_time, i };
	ret[n++] = (struct by_cell){ in_ns ? "max_ns" : "max", add_time, MAX };
	return n;
}

/* ---- JSON ---- */

void latency_add_json(const struct tsh_by *by, size_t row, struct tsh_json *js)
{
	struct tsh_tally_number low, high;
	unsigned int i;

	tsh_json_key(js, "buckets");
	tsh_json_array(js);
	for (i = 0; i < 64; i++) {
		uint64_t count = tsh_spread_log2(&by->latency->spreads.v[row], i);

		if (!count)
			continue;
		tsh_tally_log2_range((int)i, &low, &high);
		tsh_json_array(js);
		tsh_json_u64(js, low.bits);
		tsh_json_u64(js, high.bits);
		tsh_json_u64(js, count);
		tsh_json_array_end(js);
	}
	tsh_json_array_end(js);
}

/* What is no pair. The kernel does not tell. */
static void json_alone(struct tsh_json *js, const char *name, const struct tsh_by *by, uint64_t n)
{
	tsh_json_key(js, name);
	if (by->latency->made)
		tsh_json_null(js);
	else
		tsh_json_u64(js, n);
}

static void json_account(struct tsh_by *by)
{
	const struct tsh_pairs_account *account = tsh_pairs_account(by->latency->pairing.pairs);
	struct tsh_json js;

	tsh_json_init(&js, &by->out->data);
	tsh_json_object(&js);
	tsh_json_kstr(&js, "type", "pairs");
	tsh_json_ku64(&js, "pairs", by->counted);
	json_alone(&js, "ends_alone", by, account->none);
	json_alone(&js, "starts_open", by, account->open);
	json_alone(&js, "started_again", by, account->again);
	json_alone(&js, "given_up", by, account->given_up);
	json_alone(&js, "woken_running", by, account->dropped);
	json_alone(&js, "unmatched", by, by->latency->unmatched);
	json_alone(&js, "of_others", by, by->latency->others);
	json_alone(&js, "across_loss", by, account->unsure);
	tsh_json_ku64(&js, "backwards", account->backwards + by->latency->backwards);
	if (by->latency->next.value)
		tsh_json_ku64(&js, "switches_missing", by->latency->unswitched);
	tsh_json_kbool(&js, "stopped", by->latency->stopped);
	tsh_json_object_end(&js);
	tsh_strbuf_addc(&by->out->data, '\n');
}

/* ---- all of it ---- */

bool latency_prints(const struct tsh_by *by)
{
	return by->latency->has_slower || by->latency->has_stop;
}

void latency_show(struct tsh_by *by, uint64_t top, bool last)
{
	struct by_latency *l = by->latency;
	struct tsh_out *out = by->out;
	/* of CSV there can be one table */
	bool only_pairs = out->format == TSH_FORMAT_CSV && (l->has_slower || l->most);
	size_t n, shown, *rows = by_order(by, &n);

	shown = top && top < n ? (size_t)top : n;
	if (!only_pairs && (by->nkeys || by_is_for_machines(by))) {
		by_show_table(by, rows, shown);
	} else if (!only_pairs && n) {
		show_histogram(by, rows[0]);
		show_line(by, rows[0]);
	}
	if (shown < n)
		tsh_out_line(out, ".. and %zu more%s", n - shown, by->top ? "" : " (--top N shows more)");
	if (last)
		latency_show_worst(by);
	free(rows);
}

static void add_count(struct tsh_strbuf *to, uint64_t n, const char *one, const char *many)
{
	if (!n)
		return;
	tsh_strbuf_adds(to, to->len ? ", " : "");
	tsh_format_count(n, to);
	tsh_strbuf_addf(to, " %s", n == 1 ? one : many);
}

void latency_account(struct tsh_by *by, const struct tsh_stream_summary *sum)
{
	const struct tsh_pairs_account *account = tsh_pairs_account(by->latency->pairing.pairs);
	struct by_latency *l = by->latency;
	struct tsh_strbuf text = TSH_STRBUF_INIT;

	if (by->out->format == TSH_FORMAT_JSON)
		json_account(by);
	/* below a histogram its line has said how many */
	if (by->nkeys || by->out->format != TSH_FORMAT_TEXT || !by->counted || l->made) {
		tsh_format_count(by->counted, &text);
		tsh_strbuf_addf(&text, " pair%s%s", tsh_plural(by->counted), l->made ? ", made by the kernel" : "");
	}
	add_count(&text, account->none, "end without a start", "ends without a start");
	add_count(&text, account->open, "start without an end yet", "starts without an end yet");
	add_count(&text, account->again, "started again", "started again");
	add_count(&text, account->dropped, "woken while it ran", "woken while they ran");
	add_count(&text, account->given_up, "start given up for want of room (--size)",
		  "starts given up for want of room (--size)");
	add_count(&text, account->backwards + l->backwards, "end that came late", "ends that came late");
	add_count(&text, l->unmatched, "not matching", "not matching");
	add_count(&text, l->others, "event of a task that is not traced", "events of tasks that are not traced");
	if (text.len)
		tsh_out_note(by->out, "%s", text.buf);
	if (account->unsure)
		tsh_out_warn(by->out,
			     "%" PRIu64 " pair%s not counted, as events were lost between "
			     "start and end: they may be of two",
			     account->unsure, tsh_plural(account->unsure));
	if (sum->lost || sum->lost_unknown)
		tsh_out_warn(by->out, "events were lost: so were pairs, the long ones more often");
	if (l->unswitched)
		tsh_out_warn(by->out,
			     "at least %" PRIu64 " sched_switch event%s missing, as who left a CPU had not come to it (the "
			     "kernel itself, a filter or a list of tasks leaves them out): pairs are missing, or of two",
			     l->unswitched, l->unswitched == 1 ? " is" : "s are");
	if (l->untimed)
		tsh_out_warn(by->out,
			     "%" PRIu64 " pair%s not counted: the clock '%s' does not say "
			     "how long they took ('clock boot' does)",
			     l->untimed, tsh_plural(l->untimed), by->clock->kind->name);
	if (l->made && l->spec.drops.value)
		tsh_out_note(by->out, "a task that was woken while it ran is among them with its next turn");
	if (l->made && l->is_filtered && !latency_is_of_task(l) && !l->spec.is_one)
		tsh_out_note(by->out, "an event that the filter leaves out does not end what waits: a pair may be of two; "
			     "without --in-kernel it does");
	if (l->stopped)
		tsh_out_note(by->out, "stopped at that pair: --stop-at");
	tsh_strbuf_release(&text);
}
