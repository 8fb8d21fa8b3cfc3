/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "internal.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/number.h"
#include "base/utf8.h"
#include "output/draw.h"
#include "session/util.h"

/* Prints histograms: rows whose last key is a range. */

static const unsigned int percents[] = { 50, 90, 99 };

/*
 * Holds the buckets of one group, with empty ones between them unless the gap is wider than
 * GAP_MAX.
 */
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

	by_add_range(key, part, &text);
	*tsh_vec_push(&b->rows) = (struct tsh_histogram_row){ tsh_strbuf_detach(&text), count };
	*tsh_vec_push(&b->counts) = count;
	*tsh_vec_push(&b->parts) = part;
}

static void make_buckets(const struct tsh_by *by, const size_t *rows, size_t n, struct buckets *b)
{
	const struct by_item *key = &by->spec.keys[by->spec.nkeys - 1];
	struct tsh_tally_part part;
	size_t i;

	/* histograms of powers of two begin at 0 */
	if (key->modifier == BY_LOG2) {
		struct tsh_tally_part first = tsh_tally_part(by->tally, rows[0], by->spec.nkeys - 1);

		for (part = (struct tsh_tally_part){ TSH_TALLY_SIGNED, 0 };
		     (int64_t)part.number < (int64_t)first.number; part.number++)
			add_bucket(key, b, part, 0);
	}
	for (i = 0; i < n; i++) {
		struct tsh_tally_part now = tsh_tally_part(by->tally, rows[i], by->spec.nkeys - 1);

		part = i ? tsh_tally_part(by->tally, rows[i - 1], by->spec.nkeys - 1) : now;
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

/* Appends "p50 4 -> 7, p90 .., p99 ..": the bucket of each percentile. */
static void add_percentiles(const struct buckets *b, struct tsh_strbuf *to)
{
	size_t i, place;

	for (i = 0; i < sizeof(percents) / sizeof(percents[0]); i++) {
		place = tsh_tally_percentile(b->counts.v, b->counts.n, percents[i]);
		tsh_strbuf_addf(to, "%sp%u %s", i ? ", " : "", percents[i], b->rows.v[place].range);
	}
}

/* Appends the keys before the last one: "comm = cat, cpu = 1". */
static void add_group(const struct tsh_by *by, size_t row, struct tsh_strbuf *to)
{
	size_t i;

	for (i = 0; i + 1 < by->spec.nkeys; i++) {
		tsh_strbuf_addf(to, "%s%s = ", i ? ", " : "", by_key_column(&by->spec.keys[i]));
		by_add_key(by, row, i, to);
	}
}

static void show_group(struct tsh_by *by, const size_t *rows, const struct tsh_tally_group *group)
{
	char *title = tsh_sanitize_dup(by_key_column(&by->spec.keys[by->spec.nkeys - 1]));
	struct tsh_strbuf text = TSH_STRBUF_INIT;
	struct buckets b = { 0 };

	make_buckets(by, rows + group->first, group->n, &b);
	if (by->spec.nkeys > 1) {
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
	const struct by_item *key = &by->spec.keys[by->spec.nkeys - 1];
	struct tsh_tally_number low, high;
	struct buckets b = { 0 };
	struct tsh_json js;
	char name[8];
	size_t i, place;

	make_buckets(by, rows + group->first, group->n, &b);
	tsh_json_line(&js, &by->out->data, "percentiles");
	tsh_json_key(&js, "key");
	by_json_keys(by, &js, rows[group->first], by->spec.nkeys - 1);
	tsh_json_ku64(&js, "count", group->count);
	for (i = 0; i < sizeof(percents) / sizeof(percents[0]); i++) {
		place = tsh_tally_percentile(b.counts.v, b.counts.n, percents[i]);
		by_range(key, b.parts.v[place], &low, &high);
		snprintf(name, sizeof(name), "p%u", percents[i]);
		tsh_json_key(&js, name);
		by_json_range(&js, low, high);
	}
	tsh_json_line_end(&js);
	release_buckets(&b);
}

static size_t lines_behind(const struct tsh_out *out, size_t begin)
{
	size_t n = 0;

	for (; begin < out->data.len; begin++)
		n += out->data.buf[begin] == '\n';
	return n;
}

void by_show_groups(struct tsh_by *by, bool fits)
{
	size_t begin = by->out->data.len, most = tsh_out_rows(by->out);
	size_t *rows, n, i;
	struct tsh_tally_group *groups = tsh_tally_groups(by->tally, &rows, &n);

	for (i = 0; i < n && (!by->spec.top || i < by->spec.top); i++) {
		/* the first histogram is shown whole */
		if (fits && !by->spec.top && i && lines_behind(by->out, begin) + 4 > most)
			break;
		if (by->out->format == TSH_FORMAT_JSON) {
			json_percentiles(by, rows, &groups[i]);
			continue;
		}
		if (i)
			tsh_out_line(by->out, "%s", "");
		show_group(by, rows, &groups[i]);
	}
	if (by->out->format == TSH_FORMAT_TEXT && i < n)
		by_note_more(by, n - i);
	if (by->out->format == TSH_FORMAT_TEXT && tsh_tally_count(by->tally, TSH_TALLY_OTHER))
		tsh_out_line(by->out, "other: %" PRIu64 " event%s, for whose keys there was no room",
			     tsh_tally_count(by->tally, TSH_TALLY_OTHER),
			     tsh_plural(tsh_tally_count(by->tally, TSH_TALLY_OTHER)));
	free(groups);
	free(rows);
}
