/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "report.h"

#include <inttypes.h>
#include <string.h>

#include "base/json.h"
#include "base/number.h"
#include "session/util.h"

/* Prints the summary of a merge. */

/* Says "3 lines of 'boards.json' are none of tracesh's JSON: the first is line 17". */
static void report_input(const struct tsh_merge_report *r, const struct tsh_gather_input *in)
{
	struct tsh_out *out = r->out;

	if (!in->lines && r->end == TSH_GATHER_EMPTY)
		tsh_out_warn(out, "'%s' is empty", in->name);
	if (in->bad == 1 && in->is_cut)
		tsh_out_warn(out, "the last line of '%s' (%" PRIu64 ") is cut off", in->name,
			     in->first_bad);
	else if (in->bad)
		tsh_out_warn(out, "%" PRIu64 " line%s of '%s' %s none of tracesh's JSON: %s%" PRIu64
			     "%s", in->bad, tsh_plural(in->bad), in->name, in->bad == 1 ? "is" : "are",
			     in->bad == 1 ? "line " : "the first is line ", in->first_bad,
			     in->is_cut ? "; the last one is cut off" : "");
	if (in->untimed)
		tsh_out_warn(out, "%" PRIu64 " event%s of '%s' %s no wall-clock time and %s left out: %s%" PRIu64
			     " (before recording there: clock boot)", in->untimed, tsh_plural(in->untimed), in->name,
			     in->untimed == 1 ? "has" : "have", in->untimed == 1 ? "is" : "are",
			     in->untimed == 1 ? "line " : "the first is line ", in->first_untimed);
	if (in->crowded)
		tsh_out_warn(out, "%" PRIu64 " line%s of '%s' left out: of hosts, or of streams of "
			     "theirs, beyond %d", in->crowded, tsh_plural(in->crowded), in->name,
			     TSH_HOSTS_MAX);
	if (in->is_doubtful)
		tsh_out_warn(out, "'%s' has lines of several hosts, and nothing says whose: with the "
			     "host's name before each, as of parallel --tag or mosquitto_sub -F "
			     "'%%t %%p', they can be told apart", in->name);
}

static void add_lost(uint64_t lost, bool unknown, struct tsh_strbuf *text)
{
	tsh_strbuf_adds(text, unknown ? ", at least " : ", ");
	tsh_format_count(lost, text);
	tsh_strbuf_adds(text, " lost");
}

static void add_marks(uint64_t unordered, uint64_t late, struct tsh_strbuf *text)
{
	if (unordered) {
		tsh_strbuf_adds(text, ", ");
		tsh_format_count(unordered, text);
		tsh_strbuf_adds(text, " not ordered for sure");
	}
	if (late) {
		tsh_strbuf_adds(text, ", ");
		tsh_format_count(late, text);
		tsh_strbuf_adds(text, " late");
	}
}

/* Says "board1: 1,204 events, 0 lost, 2 s". */
static void report_host(const struct tsh_merge_report *r, const struct tsh_host *host)
{
	struct tsh_strbuf text = TSH_STRBUF_INIT;

	tsh_format_count(host->events, &text);
	tsh_strbuf_addf(&text, " event%s", tsh_plural(host->events));
	add_lost(host->lost, host->lost_unknown, &text);
	if (host->late)
		add_marks(0, host->late, &text);
	if (host->untimed)
		tsh_strbuf_addf(&text, ", %" PRIu64 " without a wall-clock time", host->untimed);
	tsh_strbuf_adds(&text, ", ");
	tsh_format_ns(host->ns || !host->has_wall ? host->ns :
		      (uint64_t)host->last - (uint64_t)host->first, &text);
	if (host->cut == 1)
		tsh_strbuf_adds(&text, "; its stream has no end line: it was cut off");
	else if (host->cut)
		tsh_strbuf_addf(&text, "; %" PRIu64 " of its streams have no end line: they were cut "
				"off", host->cut);
	tsh_out_note(r->out, "%s: %s", host->name, text.buf);
	tsh_strbuf_release(&text);
}

/* Warns of hosts that claim to be one machine, but have different labels. */
static void report_twins(const struct tsh_merge_report *r)
{
	const struct tsh_host *host, *twin, *first = NULL, *of_first = NULL;
	uint64_t n = 0;
	size_t i;

	for (i = 0; (host = tsh_gather_host(r->gather, i)); i++) {
		twin = tsh_gather_find_twin(r->gather, host);
		n += twin != NULL;
		if (twin && !first) {
			first = host;
			of_first = twin;
		}
	}
	if (!first)
		return;
	tsh_out_warn(r->out, "'%s' and '%s' both call themselves '%s', and say that they are one "
		     "machine: they came by two names, and are told apart", of_first->name, first->name,
		     first->called);
	if (n > 1)
		tsh_out_warn(r->out, "so it is with %" PRIu64 " more host%s", n - 1,
			     tsh_plural(n - 1));
}

/* Adds all hosts up. Returns how many there are. */
static size_t add_up(const struct tsh_merge_report *r, struct tsh_host *sum)
{
	const struct tsh_host *host;
	size_t n = 0;

	for (; (host = tsh_gather_host(r->gather, n)); n++) {
		sum->events += host->events;
		sum->lost = tsh_saturating_sum(sum->lost, host->lost);
		sum->lost_unknown |= host->lost_unknown;
		sum->late += host->late;
		sum->unordered += host->unordered;
		sum->cut += host->cut;
	}
	return n;
}

bool tsh_merge_is_unread(const struct tsh_gather *g, enum tsh_gather_end end)
{
	const struct tsh_gather_input *in;
	bool unread = false;
	size_t i;

	for (i = 0; (in = tsh_gather_input(g, i)); i++)
		unread |= in->is_unread;
	return end == TSH_GATHER_ABORT || (end == TSH_GATHER_STOP && unread);
}

void tsh_merge_report_text(const struct tsh_merge_report *r)
{
	struct tsh_strbuf text = TSH_STRBUF_INIT;
	const struct tsh_gather_input *in;
	const struct tsh_host *host;
	struct tsh_host sum = { 0 };
	size_t n = add_up(r, &sum), i;
	uint64_t untimed = 0;
	bool is_mixed = false;

	for (i = 0; (in = tsh_gather_input(r->gather, i)); i++) {
		report_input(r, in);
		untimed += in->untimed;
		is_mixed |= in->has_mix;
	}
	report_twins(r);
	for (i = 0; (host = tsh_gather_host(r->gather, i)); i++)
		report_host(r, host);
	tsh_format_count(sum.events, &text);
	tsh_strbuf_addf(&text, " event%s of %zu host%s", tsh_plural(sum.events), n, tsh_plural(n));
	if (r->range->outside) {
		tsh_strbuf_adds(&text, ", ");
		tsh_format_count(r->range->outside, &text);
		tsh_strbuf_adds(&text, " outside of the range not printed");
		if (!r->printed)
			tsh_range_outside(r->range, &text);
	}
	if (untimed) {
		tsh_strbuf_adds(&text, ", ");
		tsh_format_count(untimed, &text);
		tsh_strbuf_adds(&text, " left out without a wall-clock time");
	}
	add_lost(sum.lost, sum.lost_unknown, &text);
	add_marks(sum.unordered, sum.late, &text);
	if (sum.late && is_mixed)
		tsh_strbuf_adds(&text, " (a file for each host, or a larger --buffer or --delay, has "
				"fewer)");
	if (r->end == TSH_GATHER_ABORT)
		tsh_strbuf_adds(&text, "; ended by a signal: the lines that were not printed by then are missing");
	else if (tsh_merge_is_unread(r->gather, r->end))
		tsh_strbuf_adds(&text, "; some events that were in the buffer at Ctrl-C were not read");
	tsh_out_note(r->out, "%s", text.buf);
	tsh_strbuf_release(&text);
}

static void add_json_host(struct tsh_json *js, const struct tsh_host *host)
{
	tsh_json_object(js);
	tsh_json_kstr(js, "host", host->name);
	tsh_json_ku64(js, "events", host->events);
	tsh_json_ku64(js, "lost", host->lost);
	if (host->lost_unknown)
		tsh_json_kbool(js, "lost_unknown", true);
	tsh_json_ku64(js, "unordered", host->unordered);
	tsh_json_ku64(js, "late", host->late);
	tsh_json_ku64(js, "cut", host->cut);
	tsh_json_key(js, "seconds");
	tsh_json_seconds(js, host->ns);
	tsh_json_object_end(js);
}

void tsh_merge_report_json(const struct tsh_merge_report *r)
{
	const struct tsh_gather_input *in;
	const struct tsh_host *host;
	struct tsh_host sum = { 0 };
	struct tsh_json js;
	uint64_t bad = 0, untimed = 0, crowded = 0;
	size_t i;

	(void)add_up(r, &sum);
	for (i = 0; (in = tsh_gather_input(r->gather, i)); i++) {
		bad += in->bad;
		untimed += in->untimed;
		crowded += in->crowded;
	}
	tsh_json_line(&js, &r->out->data, "merged");
	tsh_json_ku64(&js, "events", sum.events);
	tsh_json_ku64(&js, "lost", sum.lost);
	if (sum.lost_unknown)
		tsh_json_kbool(&js, "lost_unknown", true);
	tsh_json_ku64(&js, "unordered", sum.unordered);
	tsh_json_ku64(&js, "late", sum.late);
	if (r->range->is_on)
		tsh_json_ku64(&js, "outside", r->range->outside);
	if (untimed)
		tsh_json_ku64(&js, "untimed", untimed);
	if (crowded)
		tsh_json_ku64(&js, "crowded", crowded);
	tsh_json_ku64(&js, "cut", sum.cut);
	tsh_json_ku64(&js, "bad_lines", bad);
	if (tsh_merge_is_unread(r->gather, r->end))
		tsh_json_kbool(&js, "unread", true);
	tsh_json_key(&js, "hosts");
	tsh_json_array(&js);
	for (i = 0; (host = tsh_gather_host(r->gather, i)); i++)
		add_json_host(&js, host);
	tsh_json_array_end(&js);
	tsh_json_line_end(&js);
}
