/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pair.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/number.h"
#include "output/draw.h"
#include "session/util.h"

/* Prints histograms, tables and accounts of pairs. */

/* Lists the times of a row: the name in text, in JSON and CSV, and the permille of a percentile. */
static const struct {
	const char *name, *json;
	unsigned int permille;
} times[] = {
	{ "min", "min_ns", 0 }, { "avg", "avg_ns", 0 }, { "p50", "p50_ns", 500 }, { "p90", "p90_ns", 900 },
	{ "p99", "p99_ns", 990 }, { "p99.9", "p999_ns", 999 }, { "max", "max_ns", 0 },
};
#define TIMES (sizeof(times) / sizeof(times[0]))
enum { MIN, AVG, MAX = TIMES - 1 };

static const struct tsh_tally_sum *sum_of(const struct tsh_by *by, size_t row)
{
	return tsh_tally_sum(by->tally, row, 0);
}

static uint64_t time_of(const struct tsh_by *by, size_t row, size_t which)
{
	const struct tsh_tally_sum *sum = sum_of(by, row);
	uint64_t ns, max = sum->max.bits;

	if (which == MIN || which == MAX)
		return which == MIN ? sum->min.bits : max;
	if (which == AVG)
		return (uint64_t)tsh_tally_average(sum);
	/* a percentile is at most the longest time */
	ns = tsh_distribution_percentile(&by->latency->distributions.v[row], times[which].permille);
	return ns < max ? ns : max;
}

/* ---- one histogram ---- */

static void show_histogram(struct tsh_by *by, size_t row)
{
	const struct tsh_distribution *distribution = &by->latency->distributions.v[row];
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
						    tsh_distribution_log2(distribution, (unsigned int)i) };
	}
	tsh_histogram(&by->out->data, "latency", rows, (size_t)(last - first + 1),
		      tsh_out_width(by->out));
	for (i = first; i <= last; i++)
		free(rows[i - first].range);
	tsh_strbuf_release(&text);
}

/* Prints "1,234 pairs, min 1us, avg 5.1us, p50 3.2us, .., max 31.2us". */
static void show_line(struct tsh_by *by, size_t row)
{
	struct tsh_strbuf text = TSH_STRBUF_INIT;
	uint64_t n = tsh_tally_count(by->tally, row);
	size_t i;

	tsh_format_count(n, &text);
	tsh_strbuf_addf(&text, " pair%s", tsh_plural(n));
	for (i = 0; i < TIMES; i++) {
		tsh_strbuf_addf(&text, ", %s ", times[i].name);
		tsh_append_ns(time_of(by, row, i), &text);
	}
	tsh_out_line(by->out, "%s", text.buf);
	tsh_strbuf_release(&text);
}

/* ---- a table of groups ---- */

static void add_pairs(const struct tsh_by *by, size_t row, size_t which, struct tsh_strbuf *to)
{
	(void)which;
	tsh_strbuf_addu(to, tsh_tally_count(by->tally, row));
}

static void add_time(const struct tsh_by *by, size_t row, size_t which, struct tsh_strbuf *to)
{
	if (by_is_for_machines(by))
		tsh_strbuf_addu(to, time_of(by, row, which));
	else
		tsh_append_ns(time_of(by, row, which), to);
}

size_t latency_cells(const struct tsh_by *by, struct by_cell ret[BY_CELLS])
{
	size_t n = 0, i;

	ret[n++] = (struct by_cell){ "count", add_pairs, 0 };
	for (i = by->out->format == TSH_FORMAT_JSON ? MIN : AVG; i < TIMES; i++)
		ret[n++] = (struct by_cell){ by_is_for_machines(by) ? times[i].json : times[i].name, add_time, i };
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
		uint64_t count = tsh_distribution_log2(&by->latency->distributions.v[row], i);

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

static void json_account(struct tsh_by *by)
{
	const struct tsh_pairs_account *account = tsh_pairs_account(by->latency->pairing.pairs);
	const struct by_latency *l = by->latency;
	/* the kernel counts no events that belong to no pair */
	bool is_known = !l->made;
	struct tsh_json js;

	tsh_json_line(&js, &by->out->data, "pairs");
	tsh_json_ku64(&js, "pairs", by->counted);
	tsh_json_kmaybe(&js, "ends_alone", is_known, account->without_begin);
	tsh_json_kmaybe(&js, "starts_open", is_known, account->open);
	tsh_json_kmaybe(&js, "started_again", is_known, account->replaced);
	tsh_json_kmaybe(&js, "given_up", is_known, account->evicted);
	tsh_json_kmaybe(&js, "woken_running", is_known, account->dropped);
	tsh_json_kmaybe(&js, "unmatched", is_known, l->unmatched);
	tsh_json_kmaybe(&js, "of_others", is_known, l->others);
	tsh_json_kmaybe(&js, "across_loss", is_known, account->unsure);
	tsh_json_ku64(&js, "backwards", account->backwards + l->backwards);
	if (l->next_pid.value)
		tsh_json_ku64(&js, "switches_missing", l->unswitched);
	tsh_json_kbool(&js, "stopped", l->stopped);
	tsh_json_line_end(&js);
}

/* ---- the display ---- */

bool latency_prints(const struct tsh_by *by)
{
	return by->latency->has_slower || by->latency->has_stop;
}

void latency_show(struct tsh_by *by, uint64_t top, bool last)
{
	struct by_latency *l = by->latency;
	struct tsh_out *out = by->out;
	/* in CSV there is one table: of single pairs, if they are asked for */
	bool only_pairs = out->format == TSH_FORMAT_CSV && (l->has_slower || l->worst_max);
	size_t n, *rows;

	if (!only_pairs && (by->spec.nkeys || by_is_for_machines(by))) {
		by_show_rows(by, top);
	} else if (!only_pairs) {
		rows = by_order(by, &n);
		if (n) {
			show_histogram(by, rows[0]);
			show_line(by, rows[0]);
		}
		free(rows);
	}
	if (last)
		latency_show_worst(by);
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
	/* the line below a histogram has the number already */
	if (by->spec.nkeys || by->out->format != TSH_FORMAT_TEXT || !by->counted || l->made) {
		tsh_format_count(by->counted, &text);
		tsh_strbuf_addf(&text, " pair%s%s", tsh_plural(by->counted), l->made ? ", made by the kernel" : "");
	}
	add_count(&text, account->without_begin, "end without a start", "ends without a start");
	add_count(&text, account->open, "start without an end yet", "starts without an end yet");
	add_count(&text, account->replaced, "started again", "started again");
	add_count(&text, account->dropped, "woken while it ran", "woken while they ran");
	add_count(&text, account->evicted, "start given up for want of room (--size)",
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
