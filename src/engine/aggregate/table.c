/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "internal.h"

#include <stdlib.h>
#include <string.h>

#include "base/machine.h"
#include "base/utf8.h"
#include "output/draw.h"
#include "output/table.h"

/* Prints rows in text, CSV and JSON: seconds, keys, numbers, a bar. */

#define BAR_MAX 40
#define BAR_MIN 5

/* Holds the columns. In CSV a bucket has two, for its ends; in JSON all keys are one. */
struct columns {
	struct tsh_column v[2 * TSH_TALLY_PARTS_MAX + BY_CELLS + 3];
	struct by_cell cells[BY_CELLS];
	char *names[2 * TSH_TALLY_PARTS_MAX];	/* names that were made, to be freed */
	size_t n, ncells, nnames;
	bool is_json, is_csv, has_bar;
};

/* ---- numbers ---- */

static void add_count(const struct tsh_by *by, size_t row, size_t which, struct tsh_strbuf *to)
{
	(void)which;
	tsh_strbuf_addu(to, tsh_tally_count(by->tally, row));
}

static void add_rate(const struct tsh_by *by, size_t row, size_t which, struct tsh_strbuf *to)
{
	(void)which;
	by_add_rate(to, by_rate(by, row, by->rate_ns), by_is_for_machines(by) ? "" : "-");
}

static void add_value(const struct tsh_by *by, size_t row, size_t which, struct tsh_strbuf *to)
{
	struct tsh_tally_number n;

	if (!by->spec.are_times || by_is_for_machines(by))
		by_add_value(by, row, which, to);
	else if (by_value_number(by, row, which, &n))
		tsh_append_ns(n.bits, to);
}

/* Fills in the numbers of a row of hist, count and profile. Returns how many. */
static size_t own_cells(const struct tsh_by *by, struct by_cell ret[BY_CELLS])
{
	bool is_json = by->out->format == TSH_FORMAT_JSON;
	size_t n = 0, i;

	if (by->spec.rates && !is_json)
		ret[n++] = (struct by_cell){ "rate", add_rate, 0 };
	ret[n++] = (struct by_cell){ by_count_column(by), add_count, 0 };
	if (by->spec.rates && is_json)
		ret[n++] = (struct by_cell){ "rate", add_rate, 0 };
	for (i = 0; i < by->spec.nvalues; i++)
		ret[n++] = (struct by_cell){ by_value_column(by, i), add_value, i };
	return n;
}

/* ---- columns ---- */

static void add_column(struct columns *c, const char *name, enum tsh_column_kind kind)
{
	c->v[c->n++] = (struct tsh_column){ name, kind };
}

/* Adds a column with a name that is freed with it. */
static void add_made(struct columns *c, char *name, enum tsh_column_kind kind)
{
	c->names[c->nnames++] = name;
	add_column(c, name, kind);
}

/* Says whether a column that is no key has that name. */
static bool is_column(const struct tsh_by *by, const struct columns *c, const char *name)
{
	bool is = by_has_seconds(by) && !strcmp(name, "seconds");
	size_t i;

	for (i = 0; i < c->ncells; i++)
		is |= !strcmp(name, c->cells[i].name);
	return is;
}

/* Says whether a key has two columns: a bucket in CSV, but not of pairs. */
static bool is_split(const struct tsh_by *by, const struct columns *c, const struct by_item *key)
{
	return c->is_csv && !by->engine->cells && by_is_bucket(key);
}

static void add_key(const struct tsh_by *by, struct columns *c, const struct by_item *key)
{
	const char *name = by_key_column(key);

	if (is_split(by, c, key)) {
		add_made(c, tsh_xasprintf("%s.low", name), TSH_COLUMN_NUMBER);
		add_made(c, tsh_xasprintf("%s.high", name), TSH_COLUMN_NUMBER);
	} else if (c->is_csv && is_column(by, c, name)) {
		/* in CSV no two columns may have the same name */
		add_made(c, tsh_xasprintf("key.%s", name), TSH_COLUMN_TEXT);
	} else {
		add_column(c, name, by_is_number(key) ? TSH_COLUMN_NUMBER : TSH_COLUMN_TEXT);
	}
}

static void make_columns(const struct tsh_by *by, struct columns *c)
{
	size_t i;

	*c = (struct columns){ .is_json = by->out->format == TSH_FORMAT_JSON,
			       .is_csv = by->out->format == TSH_FORMAT_CSV };
	/* a rate that was measured once has no last minute */
	c->has_bar = !by_is_for_machines(by) && !by->engine->cells && (!by->spec.rates || by->minutes.n);
	c->ncells = by->engine->cells ? by->engine->cells(by, c->cells) : own_cells(by, c->cells);
	if (by_has_seconds(by))
		add_column(c, "seconds", TSH_COLUMN_NUMBER);
	if (c->is_json)
		add_column(c, "key", TSH_COLUMN_TEXT);
	for (i = 0; i < by->spec.nkeys && !c->is_json; i++)
		add_key(by, c, &by->spec.keys[i]);
	for (i = 0; i < c->ncells; i++)
		add_column(c, c->cells[i].name, TSH_COLUMN_NUMBER);
	if (c->has_bar)
		add_column(c, by->spec.rates ? "last minute" : "share", TSH_COLUMN_TEXT);
}

/* ---- bars ---- */

/* Returns the width that these rows leave for bars. */
static size_t room_for_bar(const struct tsh_by *by, const size_t *rows, size_t n)
{
	size_t width = by->spec.rates ? 24 : 12, i, j, longest;
	struct tsh_strbuf text = TSH_STRBUF_INIT;
	size_t all = tsh_out_width(by->out);

	for (i = 0; i < by->spec.nkeys; i++) {
		const char *name = by_key_column(&by->spec.keys[i]);

		longest = tsh_utf8_width(name, strlen(name));
		for (j = 0; j < n; j++) {
			tsh_strbuf_clear(&text);
			by_add_key(by, rows[j], i, &text);
			if (text.len > longest)
				longest = text.len;
		}
		width += longest + 2;
	}
	width += by->spec.nvalues * 14;
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

/* Returns what the bar of a row shows: its count, or the value that rows are ordered by. */
static uint64_t length_of(const struct tsh_by *by, size_t row)
{
	struct tsh_tally_number n;

	if (!by->spec.nvalues)
		return tsh_tally_count(by->tally, row);
	return by_value_number(by, row, 0, &n) && !n.is_negative ? n.bits : 0;
}

/* ---- rows ---- */

static void print_seconds(const struct tsh_by *by, struct tsh_table *table)
{
	struct tsh_strbuf text = TSH_STRBUF_INIT;
	struct tsh_json js;

	tsh_json_init(&js, &text);
	tsh_json_seconds(&js, by->round_ns);
	tsh_table_text(table, text.buf);
	tsh_strbuf_release(&text);
}

static void print_key(const struct tsh_by *by, const struct columns *c, struct tsh_table *table, size_t row, size_t i)
{
	bool two = is_split(by, c, &by->spec.keys[i]);
	struct tsh_strbuf text = TSH_STRBUF_INIT;
	struct tsh_tally_number low, high;

	if (row == TSH_TALLY_OTHER) {
		tsh_table_text(table, i ? "" : "other");
		if (two)
			tsh_table_text(table, "");
	} else if (two) {
		by_range(&by->spec.keys[i], tsh_tally_part(by->tally, row, i), &low, &high);
		by_add_number(low, &text);
		tsh_table_text(table, text.buf);
		tsh_strbuf_clear(&text);
		by_add_number(high, &text);
		tsh_table_text(table, text.buf);
	} else {
		by_add_key(by, row, i, &text);
		tsh_table_text(table, text.buf);
	}
	tsh_strbuf_release(&text);
}

static void print_row(const struct tsh_by *by, const struct columns *c, struct tsh_table *table, size_t row)
{
	struct tsh_strbuf text = TSH_STRBUF_INIT;
	size_t i;

	tsh_table_row(table);
	if (by_has_seconds(by))
		print_seconds(by, table);
	if (c->is_json)
		by_json_keys(by, tsh_table_json(table), row, by->spec.nkeys);
	for (i = 0; i < by->spec.nkeys && !c->is_json; i++)
		print_key(by, c, table, row, i);
	for (i = 0; i < c->ncells; i++) {
		tsh_strbuf_clear(&text);
		c->cells[i].add(by, row, c->cells[i].which, &text);
		tsh_table_digits(table, text.len ? text.buf : NULL);
	}
	if (c->is_json && by->engine->add_json)
		by->engine->add_json(by, row, tsh_table_json(table));
	tsh_strbuf_release(&text);
}

void by_show_table(const struct tsh_by *by, const size_t *rows, size_t n)
{
	bool other = tsh_tally_count(by->tally, TSH_TALLY_OTHER), utf8 = tsh_locale_is_utf8();
	struct tsh_strbuf bar = TSH_STRBUF_INIT;
	struct tsh_table *table;
	uint64_t longest = 0;
	struct columns c;
	size_t room, i;

	make_columns(by, &c);
	room = c.has_bar ? room_for_bar(by, rows, n) : 0;
	for (i = 0; i < n; i++)
		if (c.has_bar && length_of(by, rows[i]) > longest)
			longest = length_of(by, rows[i]);
	/* tables with a time in each row share one header */
	table = by_has_seconds(by) && by->tables ? tsh_table_continue(by->out, by_type(by), c.v) :
						   tsh_table_begin(by->out, by_type(by), c.v);
	tsh_table_set_titled(table);
	for (i = 0; i < n + other; i++) {
		size_t row = i < n ? rows[i] : TSH_TALLY_OTHER;

		print_row(by, &c, table, row);
		if (!c.has_bar)
			continue;
		tsh_strbuf_clear(&bar);
		if (by->spec.rates)
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
