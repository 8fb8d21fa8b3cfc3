/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "internal.h"

#include <stdlib.h>
#include <string.h>

#include "base/machine.h"
#include "base/now.h"
#include "base/number.h"
#include "output/draw.h"
#include "session/util.h"

/*
 * Draws --heat: a line for each interval, a column for each bucket. The shade of a cell stands for
 * the power of ten of its count, so that it means the same in every line: lines above cannot be
 * redrawn.
 */

#define SHADES	    5
#define TIME_WIDTH  12
#define COUNT_WIDTH 12
#define CELL_MAX    3
#define HEADER_ROWS 20		/* lines, after which the header is repeated */

struct cell {
	struct tsh_tally_number bucket;
	uint64_t count, before;
};

struct by_heat {
	TSH_VEC(struct cell) cells;	/* sorted by bucket */
	struct tsh_tally_number first, last;	/* buckets of the last header */
	unsigned int rows;		/* lines below it */
	int64_t began;			/* when the line began, CLOCK_REALTIME */
	bool utf8, noted;
	struct tsh_time_text time;
};

static const char *shade_of(const struct by_heat *heat, uint64_t count)
{
	static const char *const blocks[] = { " ", "·", "░", "▒", "▓", "█" };
	static const char *const ascii[] = { " ", ".", ":", "+", "*", "#" };
	size_t i = 0;

	for (; count && i < SHADES; count /= 10)
		i++;
	return heat->utf8 ? blocks[i] : ascii[i];
}

/* ---- counting ---- */

/* Says whether bucket a is left of b. */
static bool is_left(struct tsh_tally_number a, struct tsh_tally_number b)
{
	return a.is_negative == b.is_negative ? a.bits < b.bits : a.is_negative;
}

/* Returns how many buckets b is right of a, at most UINT64_MAX. */
static uint64_t distance(struct tsh_tally_number a, struct tsh_tally_number b)
{
	return a.is_negative && !b.is_negative && b.bits >= a.bits ? UINT64_MAX : b.bits - a.bits;
}

static struct cell *cell_of(struct by_heat *heat, struct tsh_tally_number bucket)
{
	struct cell *cells = heat->cells.v;
	size_t i = heat->cells.n;

	while (i && is_left(bucket, cells[i - 1].bucket))
		i--;
	if (i && !is_left(cells[i - 1].bucket, bucket))
		return &cells[i - 1];
	(void)tsh_vec_push(&heat->cells);
	cells = heat->cells.v;
	memmove(cells + i + 1, cells + i, (heat->cells.n - 1 - i) * sizeof(*cells));
	cells[i] = (struct cell){ .bucket = bucket };
	return &cells[i];
}

static void count_pairs(const struct tsh_by *by)
{
	unsigned int i;

	for (i = 0; i < 64; i++) {
		uint64_t count = by->engine->in_bucket(by, i);

		if (count)
			cell_of(by->heat, (struct tsh_tally_number){ i, false })->count = count;
	}
}

static void count_rows(const struct tsh_by *by)
{
	size_t n = tsh_tally_rows(by->tally), row;

	for (row = TSH_TALLY_OTHER + 1; row < n; row++) {
		struct tsh_tally_part part = tsh_tally_part(by->tally, row, 0);
		bool is_negative = part.kind == TSH_TALLY_SIGNED && (int64_t)part.number < 0;

		if (part.kind != TSH_TALLY_TEXT)
			cell_of(by->heat, (struct tsh_tally_number){ part.number, is_negative })->count =
				tsh_tally_count(by->tally, row);
	}
}

/* ---- the header ---- */

static void add_low(const struct tsh_by *by, struct tsh_tally_number bucket, struct tsh_strbuf *to)
{
	static const char units[] = "KMGTPE";
	struct tsh_tally_number low, high;
	size_t unit = 0;

	if (by->engine->in_bucket) {
		tsh_tally_log2_range((int)bucket.bits, &low, &high);
		tsh_append_ns(low.bits, to);
		return;
	}
	by_range(&by->spec.keys[0],
		 (struct tsh_tally_part){ bucket.is_negative ? TSH_TALLY_SIGNED : TSH_TALLY_UNSIGNED, bucket.bits },
		 &low, &high);
	if (by->spec.keys[0].modifier == BY_LOG2 && low.is_negative) {
		tsh_strbuf_adds(to, "<0");
		return;
	}
	while (!low.is_negative && low.bits && low.bits % 1024 == 0 && units[unit + 1]) {
		low.bits /= 1024;
		unit++;
	}
	by_add_number(low, to);
	if (unit)
		tsh_strbuf_addc(to, units[unit - 1]);
}

/* Returns how many buckets a cell stands for, and its width in columns. */
static uint64_t cell_shape(const struct tsh_by *by, size_t *ret_width)
{
	size_t all = tsh_out_width(by->out), room;
	uint64_t before_last = distance(by->heat->first, by->heat->last);

	room = all > TIME_WIDTH + COUNT_WIDTH + 10 ? all - TIME_WIDTH - COUNT_WIDTH : 10;
	/* Divides: keys of any number may be 2^64 buckets apart. */
	*ret_width = before_last < room / CELL_MAX ? CELL_MAX : before_last < room / 2 ? 2 : 1;
	return before_last / room + 1;
}

static void print_header(struct tsh_by *by)
{
	struct by_heat *heat = by->heat;
	struct tsh_strbuf line = TSH_STRBUF_INIT, low = TSH_STRBUF_INIT;
	size_t width, at = TIME_WIDTH;
	uint64_t many = cell_shape(by, &width), last = distance(heat->first, heat->last), i;

	tsh_strbuf_adds(&line, "TIME");
	for (i = 0;; i += many, at += width) {
		struct tsh_tally_number bucket = { heat->first.bits + i, false };

		bucket.is_negative = heat->first.is_negative && bucket.bits >= heat->first.bits;
		tsh_strbuf_clear(&low);
		add_low(by, bucket, &low);
		if (line.len < at) {
			tsh_strbuf_addn(&line, ' ', at - line.len);
			tsh_strbuf_adds(&line, low.buf);
		}
		if (last - i < many)
			break;
	}
	tsh_out_line(by->out, "%s", line.buf);
	tsh_strbuf_release(&line);
	tsh_strbuf_release(&low);
}

/* Prints the header when there are new buckets, or after HEADER_ROWS lines. */
static void update_header(struct tsh_by *by)
{
	struct by_heat *heat = by->heat;
	struct tsh_tally_number first = heat->cells.v[0].bucket;
	struct tsh_tally_number last = heat->cells.v[heat->cells.n - 1].bucket;

	if (heat->noted && !is_left(first, heat->first) && !is_left(heat->last, last) && heat->rows < HEADER_ROWS) {
		heat->rows++;
		return;
	}
	heat->first = heat->noted && is_left(heat->first, first) ? heat->first : first;
	heat->last = heat->noted && is_left(last, heat->last) ? heat->last : last;
	heat->rows = 1;
	if (!heat->noted)
		tsh_out_note(by->out, "a cell: '%s' 1 event, '%s' 10, '%s' 100, '%s' 1,000, "
			     "'%s' 10,000 or more", shade_of(heat, 1), shade_of(heat, 10),
			     shade_of(heat, 100), shade_of(heat, 1000), shade_of(heat, 10000));
	heat->noted = true;
	print_header(by);
}

/* ---- a line ---- */

static void add_time(struct tsh_by *by, struct tsh_strbuf *line)
{
	static const size_t seconds = sizeof("HH:MM:SS") - 1, tenths = sizeof("HH:MM:SS.t") - 1;
	char text[TSH_TIME_ROOM];
	char *end = tsh_time_text_write(&by->heat->time, text, by->heat->began);
	size_t len = by->every % 1000000000 ? tenths : seconds;

	tsh_strbuf_add(line, text, (size_t)(end - text) < len ? (size_t)(end - text) : len);
	tsh_strbuf_addn(line, ' ', TIME_WIDTH - len);
}

static void add_cells(struct tsh_by *by, struct tsh_strbuf *line)
{
	struct by_heat *heat = by->heat;
	size_t width, i = 0, k;
	uint64_t many = cell_shape(by, &width), last = distance(heat->first, heat->last), at;

	for (at = 0;; at += many) {
		uint64_t count = 0;

		for (; i < heat->cells.n && distance(heat->first, heat->cells.v[i].bucket) - at < many; i++)
			count += heat->cells.v[i].count - heat->cells.v[i].before;
		for (k = 0; k < width; k++)
			tsh_strbuf_adds(line, shade_of(heat, count));
		if (last - at < many)
			break;
	}
}

void by_heat_line(struct tsh_by *by, bool last)
{
	struct by_heat *heat = by->heat;
	struct tsh_strbuf line = TSH_STRBUF_INIT;
	uint64_t total = 0;
	size_t i;

	if (by->engine->in_bucket)
		count_pairs(by);
	else
		count_rows(by);
	for (i = 0; i < heat->cells.n; i++)
		total += heat->cells.v[i].count - heat->cells.v[i].before;
	/* the last interval has a line only if it has events */
	if (heat->cells.n && (total || !last)) {
		update_header(by);
		add_time(by, &line);
		add_cells(by, &line);
		tsh_strbuf_adds(&line, "  ");
		tsh_format_count(total, &line);
		tsh_out_line(by->out, "%s", line.buf);
	}
	for (i = 0; i < heat->cells.n; i++)
		heat->cells.v[i].before = heat->cells.v[i].count;
	heat->began = tsh_now_ns(CLOCK_REALTIME);
	tsh_strbuf_release(&line);
}

void by_heat_begin(struct tsh_by *by)
{
	by->heat = tsh_xcalloc(1, sizeof(*by->heat));
	by->heat->utf8 = tsh_locale_is_utf8();
	by->heat->began = tsh_now_ns(CLOCK_REALTIME);
	tsh_time_text_init(&by->heat->time, TSH_TIME_SHORT, false);
	by->redraws = false;
}

void by_heat_free(struct by_heat *heat)
{
	if (!heat)
		return;
	tsh_vec_release(&heat->cells);
	tsh_time_text_release(&heat->time);
	free(heat);
}
