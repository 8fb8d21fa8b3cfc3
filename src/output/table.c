/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "table.h"

#include <assert.h>
#include <stdlib.h>

#include "base/number.h"
#include "base/utf8.h"
#include "base/vec.h"
#include "base/xmalloc.h"

/* Limits a column's width: a longer cell, which may have megabytes, shifts only its own row. */
#define WIDTH_MAX 1024

/* Is a cell that is kept: it ends at `end` in the text of all cells, and begins where the
 * previous one ends. */
struct cell {
	size_t end;
	size_t width;
};

struct tsh_table {
	struct tsh_out *out;
	const char *type;
	const struct tsh_column *columns;
	size_t ncolumns;
	bool aligned;		/* rows are kept until the end */
	bool titled;		/* with a header, wherever it is printed */
	bool in_row;
	bool header_done;	/* the header of a single column was printed */
	size_t filled;		/* how many cells the row has */
	struct tsh_strbuf text;	/* the row, or all cells that are kept */
	struct tsh_json js;	/* writes into text */
	TSH_VEC(struct cell) cells;
	size_t *widths;
};

static bool is_text(const struct tsh_table *table)
{
	return table->out->format == TSH_FORMAT_TEXT || table->out->format == TSH_FORMAT_KERNEL;
}

static bool is_right(const struct tsh_column *column)
{
	return column->kind == TSH_COLUMN_NUMBER || column->kind == TSH_COLUMN_SIZE;
}

static void print_csv_header(struct tsh_table *table)
{
	size_t i;

	for (i = 0; i < table->ncolumns; i++) {
		const char *name = table->columns[i].name;

		if (i)
			tsh_strbuf_addc(&table->out->data, ',');
		tsh_csv_cell(&table->out->data, name, strlen(name));
	}
	tsh_strbuf_addc(&table->out->data, '\n');
}

struct tsh_table *tsh_table_continue(struct tsh_out *out, const char *type, const struct tsh_column *columns)
{
	struct tsh_table *table = tsh_xcalloc(1, sizeof(*table));

	table->out = out;
	table->type = type;
	table->columns = columns;
	while (columns[table->ncolumns].name)
		table->ncolumns++;
	tsh_strbuf_init(&table->text);
	table->widths = tsh_xcalloc(table->ncolumns, sizeof(*table->widths));
	table->aligned = is_text(table) && table->ncolumns > 1;
	return table;
}

struct tsh_table *tsh_table_begin(struct tsh_out *out, const char *type,
				  const struct tsh_column *columns)
{
	struct tsh_table *table = tsh_table_continue(out, type, columns);

	if (out->format == TSH_FORMAT_CSV)
		print_csv_header(table);
	return table;
}

void tsh_table_set_plain(struct tsh_table *table)
{
	table->aligned = false;
	table->header_done = true;
}

void tsh_table_set_titled(struct tsh_table *table)
{
	table->titled = true;
}

static void add_capitals(struct tsh_strbuf *out, const char *name)
{
	for (; *name; name++)
		tsh_strbuf_addc(out, *name >= 'a' && *name <= 'z' ? (char)(*name - 32) : *name);
}

/* Prints the header of a single column on a terminal, whose rows are printed at once. */
static void print_single_header(struct tsh_table *table)
{
	struct tsh_out *out = table->out;

	if (table->header_done || !is_text(table) || !out->is_terminal)
		return;
	table->header_done = true;
	tsh_strbuf_adds(&out->data, tsh_out_style(out, TSH_STYLE_BOLD));
	add_capitals(&out->data, table->columns[0].name);
	tsh_strbuf_adds(&out->data, tsh_out_style(out, TSH_STYLE_NONE));
	tsh_strbuf_addc(&out->data, '\n');
}

static void end_row(struct tsh_table *table)
{
	if (!table->in_row)
		return;
	while (table->filled < table->ncolumns)
		tsh_table_text(table, NULL);
	table->in_row = false;
	if (table->aligned)
		return;
	if (table->out->format == TSH_FORMAT_JSON)
		tsh_json_object_end(&table->js);
	tsh_strbuf_addc(&table->text, '\n');
	tsh_strbuf_add(&table->out->data, table->text.buf, table->text.len);
	tsh_strbuf_clear(&table->text);
	tsh_out_flush_if_full(table->out);
}

void tsh_table_row(struct tsh_table *table)
{
	end_row(table);
	table->in_row = true;
	table->filled = 0;
	if (table->out->format == TSH_FORMAT_JSON) {
		tsh_json_init(&table->js, &table->text);
		tsh_json_object(&table->js);
		tsh_json_kstr(&table->js, "type", table->type);
	} else if (!table->aligned) {
		print_single_header(table);
	}
}

/* Returns the column of the next cell, and prints what stands before the cell. */
static const struct tsh_column *begin_cell(struct tsh_table *table)
{
	const struct tsh_column *column = &table->columns[table->filled];

	assert(table->in_row && table->filled < table->ncolumns);
	if (table->out->format == TSH_FORMAT_JSON)
		tsh_json_key(&table->js, column->name);
	else if (table->filled && !table->aligned)
		tsh_strbuf_addc(&table->text, is_text(table) ? '\t' : ',');
	table->filled++;
	return column;
}

/* Ends a cell of the text format, whose text was added from `begin` on, already sanitized. */
static void end_text_cell(struct tsh_table *table, size_t begin)
{
	size_t *width = &table->widths[table->filled - 1];
	struct cell *cell;

	if (!table->aligned)
		return;
	cell = tsh_vec_push(&table->cells);
	cell->end = table->text.len;
	cell->width = tsh_utf8_width(table->text.buf + begin, table->text.len - begin);
	if (cell->width > *width)
		*width = cell->width < WIDTH_MAX ? cell->width : WIDTH_MAX;
}

void tsh_table_text(struct tsh_table *table, const char *text)
{
	size_t begin;

	begin_cell(table);
	begin = table->text.len;
	if (table->out->format == TSH_FORMAT_JSON) {
		tsh_json_str(&table->js, text);
		return;
	}
	if (!text)
		text = "";
	if (table->out->format == TSH_FORMAT_CSV) {
		tsh_csv_cell(&table->text, text, strlen(text));
		return;
	}
	tsh_sanitize(&table->text, text, strlen(text));
	end_text_cell(table, begin);
}

void tsh_table_texts_(struct tsh_table *table, const char *const texts[], size_t n)
{
	size_t i;

	tsh_table_row(table);
	for (i = 0; i < n; i++)
		tsh_table_text(table, texts[i]);
}

void tsh_table_number(struct tsh_table *table, uint64_t value)
{
	const struct tsh_column *column = begin_cell(table);
	size_t begin = table->text.len;

	if (table->out->format == TSH_FORMAT_JSON) {
		tsh_json_u64(&table->js, value);
		return;
	}
	if (is_text(table) && column->kind == TSH_COLUMN_SIZE)
		tsh_format_size(value, &table->text);
	else
		tsh_strbuf_addu(&table->text, value);
	end_text_cell(table, begin);
}

void tsh_table_digits(struct tsh_table *table, const char *text)
{
	if (table->out->format != TSH_FORMAT_JSON) {
		tsh_table_text(table, text);
		return;
	}
	begin_cell(table);
	tsh_json_digits(&table->js, text);
}

struct tsh_json *tsh_table_json(struct tsh_table *table)
{
	if (table->filled < table->ncolumns)
		begin_cell(table);
	return &table->js;
}

void tsh_table_bool(struct tsh_table *table, bool value)
{
	size_t begin;

	begin_cell(table);
	begin = table->text.len;
	if (table->out->format == TSH_FORMAT_JSON) {
		tsh_json_bool(&table->js, value);
		return;
	}
	if (is_text(table))
		tsh_strbuf_adds(&table->text, value ? "*" : "");
	else
		tsh_strbuf_adds(&table->text, value ? "true" : "false");
	end_text_cell(table, begin);
}

/* Prints an aligned cell. Counts the blanks behind it in *blanks, and prints them when a text
 * follows, so that no line ends in blanks. */
static void print_cell(struct tsh_table *table, size_t column, const char *text, size_t len,
		       size_t width, size_t *blanks)
{
	size_t most = table->widths[column], pad = width < most ? most - width : 0;
	bool right = is_right(&table->columns[column]);

	if (column)
		*blanks += 2;
	if (right)
		*blanks += pad;
	if (len) {
		tsh_strbuf_addn(&table->out->data, ' ', *blanks);
		tsh_strbuf_add(&table->out->data, text, len);
		*blanks = 0;
	} else {
		*blanks += width;
	}
	if (!right)
		*blanks += pad;
}

static void print_header(struct tsh_table *table)
{
	struct tsh_out *out = table->out;
	struct tsh_strbuf name = TSH_STRBUF_INIT;
	size_t blanks = 0;
	size_t i;

	tsh_strbuf_adds(&out->data, tsh_out_style(out, TSH_STYLE_BOLD));
	for (i = 0; i < table->ncolumns; i++) {
		tsh_strbuf_clear(&name);
		add_capitals(&name, table->columns[i].name);
		print_cell(table, i, name.buf, name.len, name.len, &blanks);
	}
	tsh_strbuf_adds(&out->data, tsh_out_style(out, TSH_STYLE_NONE));
	tsh_strbuf_addc(&out->data, '\n');
	tsh_strbuf_release(&name);
}

static void print_kept(struct tsh_table *table)
{
	size_t begin = 0;
	size_t blanks = 0;
	size_t i;

	if ((table->out->is_terminal || table->titled) && table->cells.n) {
		for (i = 0; i < table->ncolumns; i++) {
			size_t width = strlen(table->columns[i].name);

			if (table->widths[i] < width)
				table->widths[i] = width;
		}
		print_header(table);
	}
	for (i = 0; i < table->cells.n; i++) {
		const struct cell *cell = &table->cells.v[i];

		print_cell(table, i % table->ncolumns, table->text.buf + begin,
			   cell->end - begin, cell->width, &blanks);
		begin = cell->end;
		if ((i + 1) % table->ncolumns)
			continue;
		tsh_strbuf_addc(&table->out->data, '\n');
		blanks = 0;
		tsh_out_flush_if_full(table->out);
	}
}

void tsh_table_end(struct tsh_table *table)
{
	end_row(table);
	if (table->aligned)
		print_kept(table);
	tsh_vec_release(&table->cells);
	tsh_strbuf_release(&table->text);
	free(table->widths);
	free(table);
}
