/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "by-parts.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "tracesh/draw.h"
#include "tracesh/json.h"
#include "tracesh/machine.h"
#include "tracesh/now.h"
#include "tracesh/number.h"
#include "tracesh/sink.h"
#include "tracesh/utf8.h"
#include "util.h"

#define NS_PER_S 1000000000
#define BAR_MAX 40
#define BAR_MIN 5

static const unsigned int percents[] = { 50, 90, 99 };

/* How many a second; of what was recorded by its own time. */
static double rate_of(const struct tsh_by *by, size_t row, uint64_t ns)
{
	uint64_t n = tsh_tally_count(by->tally, row);

	if (row < by->minutes.n)
		n -= by->minutes.v[row].before;
	return ns ? (double)n * NS_PER_S / (double)ns : 0;
}

static void add_rate(struct tsh_strbuf *to, double rate)
{
	tsh_strbuf_addf(to, rate < 10 ? "%.1f" : "%.0f", rate);
}

/* ---- JSON ---- */

static void json_text(struct tsh_json *js, const struct tsh_strbuf *text)
{
	tsh_json_string(js, text->buf, text->len);
}

static void json_number(struct tsh_json *js, struct tsh_tally_number n)
{
	if (n.is_negative)
		tsh_json_s64(js, (int64_t)n.bits);
	else
		tsh_json_u64(js, n.bits);
}

static void json_range(struct tsh_json *js, struct tsh_tally_number low,
		       struct tsh_tally_number high)
{
	tsh_json_array(js);
	json_number(js, low);
	json_number(js, high);
	tsh_json_array_end(js);
}

static void json_key(const struct tsh_by *by, struct tsh_json *js, size_t row, size_t i)
{
	struct tsh_tally_part part = tsh_tally_part(by->tally, row, i);
	const struct by_item *key = &by->keys[i];
	struct tsh_strbuf text = TSH_STRBUF_INIT;
	struct tsh_tally_number low, high;

	tsh_json_key(js, key->title);
	if (by_is_bucket(key)) {
		by_range(key, part, &low, &high);
		json_range(js, low, high);
	} else if (part.kind != TSH_TALLY_TEXT && key->modifier == BY_PLAIN && !key->is_pointer) {
		json_number(js, (struct tsh_tally_number){ part.number,
			part.kind == TSH_TALLY_SIGNED && (int64_t)part.number < 0 });
	} else {
		by_add_key(by, row, i, &text);
		json_text(js, &text);
	}
	tsh_strbuf_release(&text);
}

static void json_row(struct tsh_by *by, size_t row, uint64_t ns)
{
	struct tsh_strbuf text = TSH_STRBUF_INIT;
	struct tsh_json js;
	size_t i;

	tsh_json_init(&js, &by->out->data);
	tsh_json_object(&js);
	tsh_json_kstr(&js, "type", by->rates ? "count" : "hist");
	tsh_json_key(&js, "key");
	if (row == TSH_TALLY_OTHER) {
		tsh_json_null(&js);
	} else {
		tsh_json_object(&js);
		for (i = 0; i < by->nkeys; i++)
			json_key(by, &js, row, i);
		tsh_json_object_end(&js);
	}
	tsh_json_ku64(&js, "count", tsh_tally_count(by->tally, row));
	if (by->rates) {
		add_rate(&text, rate_of(by, row, ns));
		tsh_json_key(&js, "rate");
		tsh_json_raw(&js, text.buf, text.len);
	}
	for (i = 0; i < by->nvalues; i++) {
		tsh_strbuf_clear(&text);
		by_add_value(by, row, i, &text);
		tsh_json_key(&js, by_value_names[by->kinds[i]]);
		tsh_json_raw(&js, text.len ? text.buf : "null", text.len ? text.len : 4);
	}
	tsh_json_object_end(&js);
	tsh_strbuf_addc(&by->out->data, '\n');
	tsh_strbuf_release(&text);
	tsh_out_flush_if_full(by->out);
}

/* ---- tables ---- */

/* Keys (of a bucket in CSV: its ends), count, rate, values, bar. */
struct columns {
	struct tsh_column v[2 * TSH_TALLY_PARTS_MAX + BY_VALUES + 4];
	char *names[2 * TSH_TALLY_PARTS_MAX];
	size_t n, nnames;
	bool splits;			/* buckets have two columns */
};

static void add_column(struct columns *c, const char *name, enum tsh_column_kind kind)
{
	c->v[c->n++] = (struct tsh_column){ name, kind };
}

static void make_columns(const struct tsh_by *by, struct columns *c, bool has_bar)
{
	size_t i;

	*c = (struct columns){ .splits = by->out->format == TSH_FORMAT_CSV };
	for (i = 0; i < by->nkeys; i++) {
		const struct by_item *key = &by->keys[i];
		bool is_number = key->modifier == BY_PLAIN && !key->has_text && !key->is_pointer;

		if (by_is_bucket(key) && c->splits) {
			c->names[c->nnames] = tsh_xasprintf("%s.low", key->title);
			add_column(c, c->names[c->nnames++], TSH_COLUMN_NUMBER);
			c->names[c->nnames] = tsh_xasprintf("%s.high", key->title);
			add_column(c, c->names[c->nnames++], TSH_COLUMN_NUMBER);
		} else {
			add_column(c, key->title, is_number ? TSH_COLUMN_NUMBER : TSH_COLUMN_TEXT);
		}
	}
	if (by->rates)
		add_column(c, "rate", TSH_COLUMN_NUMBER);
	add_column(c, "count", TSH_COLUMN_NUMBER);
	for (i = 0; i < by->nvalues; i++)
		add_column(c, by_value_names[by->kinds[i]], TSH_COLUMN_NUMBER);
	if (has_bar)
		add_column(c, by->rates ? "last minute" : "share", TSH_COLUMN_TEXT);
}

static void table_keys(const struct tsh_by *by, struct tsh_table *table, size_t row, bool splits)
{
	struct tsh_strbuf text = TSH_STRBUF_INIT;
	struct tsh_tally_number low, high;
	size_t i;

	for (i = 0; i < by->nkeys; i++) {
		bool two = splits && by_is_bucket(&by->keys[i]);

		tsh_strbuf_clear(&text);
		if (row == TSH_TALLY_OTHER) {
			tsh_table_text(table, i ? "" : "other");
			if (two)
				tsh_table_text(table, "");
		} else if (two) {
			by_range(&by->keys[i], tsh_tally_part(by->tally, row, i), &low, &high);
			by_add_number(low, &text);
			tsh_table_text(table, text.buf);
			tsh_strbuf_clear(&text);
			by_add_number(high, &text);
			tsh_table_text(table, text.buf);
		} else {
			by_add_key(by, row, i, &text);
			tsh_table_text(table, text.buf ? text.buf : "");
		}
	}
	tsh_strbuf_release(&text);
}

static void table_row(const struct tsh_by *by, struct tsh_table *table, size_t row, uint64_t ns,
		      bool splits)
{
	struct tsh_strbuf text = TSH_STRBUF_INIT;
	size_t i;

	tsh_table_row(table);
	table_keys(by, table, row, splits);
	if (by->rates) {
		add_rate(&text, rate_of(by, row, ns));
		tsh_table_text(table, text.buf);
	}
	tsh_table_number(table, tsh_tally_count(by->tally, row));
	for (i = 0; i < by->nvalues; i++) {
		tsh_strbuf_clear(&text);
		by_add_value(by, row, i, &text);
		tsh_table_text(table, text.buf);
	}
	tsh_strbuf_release(&text);
}

/* The columns that stay for bars beside these rows. */
static size_t room_for_bar(const struct tsh_by *by, const size_t *rows, size_t n)
{
	size_t width = by->rates ? 24 : 12, i, j, longest;
	struct tsh_strbuf text = TSH_STRBUF_INIT;
	size_t all = tsh_out_width(by->out);

	for (i = 0; i < by->nkeys; i++) {
		longest = tsh_utf8_width(by->keys[i].title, strlen(by->keys[i].title));
		for (j = 0; j < n; j++) {
			tsh_strbuf_clear(&text);
			by_add_key(by, rows[j], i, &text);
			if (text.len > longest)
				longest = text.len;
		}
		width += longest + 2;
	}
	width += by->nvalues * 14;
	tsh_strbuf_release(&text);
	all = all > width + BAR_MIN ? all - width : BAR_MIN;
	return all < BAR_MAX ? all : BAR_MAX;
}

static void add_minute(const struct tsh_by *by, size_t row, size_t room, bool utf8,
		       struct tsh_strbuf *to)
{
	uint32_t values[BY_SECONDS] = { 0 };
	size_t n = room < BY_SECONDS ? room : BY_SECONDS, i;

	for (i = 0; row < by->minutes.n && i < n; i++)
		values[i] = by->minutes.v[row].v[(by->second + BY_SECONDS - n + i) % BY_SECONDS];
	tsh_sparkline(to, values, n, utf8);
}

/* What the bar of a row shows: its count, or the value that the order is by. */
static uint64_t length_of(const struct tsh_by *by, size_t row)
{
	struct tsh_tally_number n = { 0, false };

	if (!by->nvalues)
		return tsh_tally_count(by->tally, row);
	if (!tsh_tally_sum(by->tally, row, 0)->n)
		return 0;
	if (by->kinds[0] == 0)
		tsh_tally_total(tsh_tally_sum(by->tally, row, 0), &n);
	else if (by->kinds[0] == 1)
		return tsh_tally_average(tsh_tally_sum(by->tally, row, 0)) > 0 ?
			(uint64_t)tsh_tally_average(tsh_tally_sum(by->tally, row, 0)) : 0;
	else
		n = by->kinds[0] == 2 ? tsh_tally_sum(by->tally, row, 0)->min :
					tsh_tally_sum(by->tally, row, 0)->max;
	return n.is_negative ? 0 : n.bits;
}

static void show_table(struct tsh_by *by, const size_t *rows, size_t n, uint64_t ns)
{
	bool is_csv = by->out->format == TSH_FORMAT_CSV, utf8 = tsh_locale_is_utf8();
	bool other = tsh_tally_count(by->tally, TSH_TALLY_OTHER);
	struct tsh_strbuf bar = TSH_STRBUF_INIT;
	uint64_t longest = 0;
	struct columns c;
	struct tsh_table *table;
	size_t room, i;

	make_columns(by, &c, !is_csv);
	room = is_csv ? 0 : room_for_bar(by, rows, n);
	for (i = 0; i < n; i++)
		if (length_of(by, rows[i]) > longest)
			longest = length_of(by, rows[i]);
	table = tsh_table_begin(by->out, by->rates ? "count" : "hist", c.v);
	for (i = 0; i < n + other; i++) {
		size_t row = i < n ? rows[i] : TSH_TALLY_OTHER;

		table_row(by, table, row, ns, c.splits);
		if (is_csv)
			continue;
		tsh_strbuf_clear(&bar);
		if (by->rates)
			add_minute(by, row, room, utf8, &bar);
		else if (i < n)
			tsh_bar(&bar, length_of(by, row), longest, room, utf8);
		tsh_strbuf_rtrim(&bar);
		tsh_table_text(table, bar.buf);
	}
	tsh_table_end(table);
	for (i = 0; i < c.nnames; i++)
		free(c.names[i]);
	tsh_strbuf_release(&bar);
}

/* ---- histograms ---- */

/* The buckets of one group: those between that no event had, too, where they are few. */
struct buckets {
	TSH_VEC(struct tsh_histogram_row) rows;
	TSH_VEC(uint64_t) counts;
	TSH_VEC(struct tsh_tally_part) parts;
};

#define GAP_MAX 64

static void add_bucket(const struct by_item *key, struct buckets *b, struct tsh_tally_part part,
		       uint64_t count)
{
	struct tsh_strbuf text = TSH_STRBUF_INIT;
	struct tsh_tally_number low, high;

	by_range(key, part, &low, &high);
	if (key->modifier == BY_LOG2 && low.is_negative) {
		tsh_strbuf_adds(&text, "below 0");
	} else {
		by_add_number(low, &text);
		tsh_strbuf_adds(&text, " -> ");
		by_add_number(high, &text);
	}
	*tsh_vec_push(&b->rows) = (struct tsh_histogram_row){ tsh_strbuf_detach(&text), count };
	*tsh_vec_push(&b->counts) = count;
	*tsh_vec_push(&b->parts) = part;
}

static void make_buckets(const struct tsh_by *by, const size_t *rows, size_t n, struct buckets *b)
{
	const struct by_item *key = &by->keys[by->nkeys - 1];
	struct tsh_tally_part part;
	size_t i;

	/* as everybody's begin */
	if (key->modifier == BY_LOG2) {
		struct tsh_tally_part first = tsh_tally_part(by->tally, rows[0], by->nkeys - 1);

		for (part = (struct tsh_tally_part){ TSH_TALLY_SIGNED, 0 };
		     (int64_t)part.number < (int64_t)first.number; part.number++)
			add_bucket(key, b, part, 0);
	}
	for (i = 0; i < n; i++) {
		struct tsh_tally_part now = tsh_tally_part(by->tally, rows[i], by->nkeys - 1);

		part = i ? tsh_tally_part(by->tally, rows[i - 1], by->nkeys - 1) : now;
		if (now.number - part.number <= GAP_MAX)
			while (part.number + 1 < now.number && i) {
				part.number++;
				add_bucket(key, b, part, 0);
			}
		add_bucket(key, b, now, tsh_tally_count(by->tally, rows[i]));
	}
}

static void release_buckets(struct buckets *b)
{
	size_t i;

	for (i = 0; i < b->rows.n; i++)
		free(b->rows.v[i].range);
	tsh_vec_release(&b->rows);
	tsh_vec_release(&b->counts);
	tsh_vec_release(&b->parts);
}

/* "p50 4 -> 7, p90 .., p99 ..": the bucket that each is in. */
static void add_percentiles(const struct buckets *b, struct tsh_strbuf *to)
{
	size_t i, place;

	for (i = 0; i < sizeof(percents) / sizeof(percents[0]); i++) {
		place = tsh_tally_percentile(b->counts.v, b->counts.n, percents[i]);
		tsh_strbuf_addf(to, "%sp%u %s", i ? ", " : "", percents[i], b->rows.v[place].range);
	}
}

/* "comm=cat, cpu=1" */
static void add_group(const struct tsh_by *by, size_t row, struct tsh_strbuf *to)
{
	size_t i;

	for (i = 0; i + 1 < by->nkeys; i++) {
		tsh_strbuf_addf(to, "%s%s = ", i ? ", " : "", by->keys[i].title);
		by_add_key(by, row, i, to);
	}
}

static void show_group(struct tsh_by *by, const size_t *rows, const struct tsh_tally_group *group)
{
	char *title = tsh_sanitize_dup(by->keys[by->nkeys - 1].title);
	struct tsh_strbuf text = TSH_STRBUF_INIT;
	struct buckets b = { 0 };

	make_buckets(by, rows + group->first, group->n, &b);
	if (by->nkeys > 1) {
		add_group(by, rows[group->first], &text);
		tsh_out_line(by->out, "%s", text.buf);
	}
	tsh_histogram(&by->out->data, title, b.rows.v, b.rows.n, tsh_out_width(by->out));
	tsh_strbuf_clear(&text);
	tsh_format_count(group->count, &text);
	tsh_strbuf_addf(&text, " event%s, ", tsh_plural(group->count));
	add_percentiles(&b, &text);
	tsh_out_line(by->out, "%s", text.buf);
	tsh_strbuf_release(&text);
	release_buckets(&b);
	free(title);
}

static void json_percentiles(struct tsh_by *by, const size_t *rows,
			     const struct tsh_tally_group *group)
{
	const struct by_item *key = &by->keys[by->nkeys - 1];
	struct tsh_tally_number low, high;
	struct buckets b = { 0 };
	struct tsh_json js;
	char name[8];
	size_t i, place;

	make_buckets(by, rows + group->first, group->n, &b);
	tsh_json_init(&js, &by->out->data);
	tsh_json_object(&js);
	tsh_json_kstr(&js, "type", "percentiles");
	tsh_json_key(&js, "key");
	tsh_json_object(&js);
	for (i = 0; i + 1 < by->nkeys; i++)
		json_key(by, &js, rows[group->first], i);
	tsh_json_object_end(&js);
	tsh_json_ku64(&js, "count", group->count);
	for (i = 0; i < sizeof(percents) / sizeof(percents[0]); i++) {
		place = tsh_tally_percentile(b.counts.v, b.counts.n, percents[i]);
		by_range(key, b.parts.v[place], &low, &high);
		snprintf(name, sizeof(name), "p%u", percents[i]);
		tsh_json_key(&js, name);
		json_range(&js, low, high);
	}
	tsh_json_object_end(&js);
	tsh_strbuf_addc(&by->out->data, '\n');
	release_buckets(&b);
}

/* In text the histograms, in JSON what stands below them. */
static void show_groups(struct tsh_by *by)
{
	size_t *rows, n, i;
	struct tsh_tally_group *groups = tsh_tally_groups(by->tally, &rows, &n);

	for (i = 0; i < n && (!by->top || i < by->top); i++) {
		if (by->out->format == TSH_FORMAT_JSON) {
			json_percentiles(by, rows, &groups[i]);
			continue;
		}
		if (i)
			tsh_out_line(by->out, "%s", "");
		show_group(by, rows, &groups[i]);
	}
	if (by->out->format == TSH_FORMAT_TEXT && i < n)
		tsh_out_line(by->out, ".. and %zu more", n - i);
	if (by->out->format == TSH_FORMAT_TEXT && tsh_tally_count(by->tally, TSH_TALLY_OTHER))
		tsh_out_line(by->out, "other: %" PRIu64 " events, for whose keys there was no room",
			     tsh_tally_count(by->tally, TSH_TALLY_OTHER));
	free(groups);
	free(rows);
}

/* ---- all of it ---- */

static bool is_histogram(const struct tsh_by *by)
{
	return by_is_bucket(&by->keys[by->nkeys - 1]) && !by->nvalues && !by->rates;
}

static void show_rows(struct tsh_by *by, uint64_t ns, uint64_t top)
{
	size_t *rows, n, i, shown;
	uint64_t left = 0;

	rows = by_order(by, &n);
	shown = top && top < n ? (size_t)top : n;
	if (by->out->format == TSH_FORMAT_JSON) {
		for (i = 0; i < shown; i++)
			json_row(by, rows[i], ns);
		if (tsh_tally_count(by->tally, TSH_TALLY_OTHER))
			json_row(by, TSH_TALLY_OTHER, ns);
	} else {
		show_table(by, rows, shown, ns);
	}
	for (i = shown; i < n; i++)
		left += tsh_tally_count(by->tally, rows[i]);
	if (shown < n)
		tsh_out_line(by->out, ".. and %zu more, of %" PRIu64 " events", n - shown, left);
	free(rows);
}

/* What came of each since the last time goes into its minute. */
static void take_second(struct tsh_by *by)
{
	size_t n = tsh_tally_rows(by->tally), i;

	while (by->minutes.n < n)
		(void)tsh_vec_push(&by->minutes);
	for (i = 0; i < n; i++) {
		struct by_minute *minute = &by->minutes.v[i];
		uint64_t now = tsh_tally_count(by->tally, i), since = now - minute->before;

		minute->v[by->second % BY_SECONDS] = since > UINT32_MAX ? UINT32_MAX : (uint32_t)since;
	}
	by->second++;
}

static void keep_counts(struct tsh_by *by)
{
	size_t i;

	for (i = 0; i < by->minutes.n; i++)
		by->minutes.v[i].before = tsh_tally_count(by->tally, i);
}

/* Each line replaces the one that stood there; long ones are cut by the terminal (DECAWM). */
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
	uint64_t top = by->top;

	if (redraws) {
		out->data = (struct tsh_strbuf)TSH_STRBUF_INIT;
		out->full = SIZE_MAX;
	}
	/* What would not be on the screen is not made. */
	if (redraws && !last && (!top || top > tsh_out_rows(out)))
		top = tsh_out_rows(out) > 5 ? tsh_out_rows(out) - 5 : 1;
	if (by->rates && by->every && !last)
		take_second(by);
	if (by->every && !redraws && !last && out->format == TSH_FORMAT_TEXT && by->second > 1)
		tsh_out_line(out, "%s", "");
	if (!is_histogram(by) || out->format == TSH_FORMAT_JSON || out->format == TSH_FORMAT_CSV)
		show_rows(by, ns, top);
	if (is_histogram(by) && out->format != TSH_FORMAT_CSV)
		show_groups(by);
	keep_counts(by);
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

void tsh_by_end(struct tsh_by *by, const struct tsh_stream_summary *sum)
{
	uint64_t ns = sum->ns;

	/* The rates of the end are those of all of it. */
	tsh_vec_release(&by->minutes);
	if (!by->is_live)
		ns = by->clock->kind->in_ns ? by->last - by->first : 0;
	by_show(by, ns, true);
	if (by->out->format == TSH_FORMAT_JSON)
		tsh_json_end_line(&by->out->data, sum);
	if (by->without)
		tsh_out_note(by->out, "%" PRIu64 " event%s without such a key not counted",
			     by->without, tsh_plural(by->without));
	if (by->older)
		tsh_out_note(by->out, "%" PRIu64 " event%s from before not counted", by->older,
			     tsh_plural(by->older));
	if (sum->lost || sum->lost_unknown)
		tsh_out_warn(by->out, "events were lost: each of these numbers may be too small");
}
