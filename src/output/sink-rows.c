/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/utf8.h"
#include "base/xmalloc.h"
#include "sink-formats.h"

/* Prints chosen fields instead of an event's text, as a table whose rows are printed at once: a
 * column grows when a cell is wider, and stays so. */

#define GAP 2			/* blanks between two columns */
#define WIDEST 48		/* a longer cell shifts the rest of its line */

/* Holds a column, and its cell in the present row. */
struct sink_column {
	size_t width;			/* width so far */
	size_t end;			/* end of the cell in sink->row */
	bool right;			/* aligned to the right */
	size_t key, key_len;		/* its name as a key of JSON, with the colon, in sink->row_keys */
};

/* Returns a width to begin with, so that the first rows do not shift the columns. */
static size_t usual_width(const char *name)
{
	size_t len = strlen(name);

	if (len >= 3 && !strcmp(name + len - 3, "pid"))
		return 7;
	return len >= 4 && !strcmp(name + len - 4, "comm") ? 15 : 0;
}

void tsh_sink_set_rows(struct tsh_sink *sink, const struct tsh_rows *rows)
{
	size_t i;

	sink->rows = rows;
	sink->row_columns = tsh_xcalloc(rows->n, sizeof(*sink->row_columns));
	for (i = 0; i < rows->n; i++) {
		size_t width = tsh_utf8_width(rows->names[i], strlen(rows->names[i]));
		size_t usual = usual_width(rows->names[i]);

		sink->row_columns[i].width = width > usual ? width : usual;
		sink->row_columns[i].key = sink->row_keys.len;
		tsh_strbuf_addc(&sink->row_keys, '"');
		tsh_json_add_text(&sink->row_keys, rows->names[i], strlen(rows->names[i]));
		tsh_strbuf_adds(&sink->row_keys, "\":");
		sink->row_columns[i].key_len = sink->row_keys.len - sink->row_columns[i].key;
	}
}

static void read_cell(struct tsh_sink *sink, const struct sink_event *ev, size_t i,
		      struct tsh_cell *ret)
{
	tsh_strbuf_clear(&sink->scratch);
	*ret = (struct tsh_cell){ .text = &sink->scratch };
	sink->rows->cell(sink->rows->ctx, ev->rec, i, ret);
}

/* Collects the cells of a row in sink->row; each cell is asked for once. */
static void read_row(struct tsh_sink *sink, const struct sink_event *ev)
{
	struct tsh_strbuf *row = &sink->row;
	struct tsh_cell cell;
	size_t i, begin, width;

	tsh_strbuf_clear(row);
	for (i = 0; i < sink->rows->n; i++) {
		struct sink_column *column = &sink->row_columns[i];

		begin = row->len;
		read_cell(sink, ev, i, &cell);
		if (cell.kind == TSH_CELL_TIME)
			sink_text_time(sink, ev, row);
		else if (cell.kind == TSH_CELL_NONE)
			tsh_strbuf_addc(row, '-');
		else
			tsh_sanitize(row, cell.text->buf ? cell.text->buf : "", cell.text->len);
		width = tsh_utf8_width(row->buf + begin, row->len - begin);
		if (width > WIDEST)
			width = WIDEST;
		if (width > column->width)
			column->width = width;
		column->right = cell.kind == TSH_CELL_NUMBER;
		column->end = row->len;
	}
}

/* Appends a text in its column; the last one gets no blanks behind it. */
static void add_in_column(struct tsh_sink *sink, size_t i, const char *text, size_t len, bool right)
{
	struct tsh_strbuf *out = &sink->out->data;
	const struct sink_column *column = &sink->row_columns[i];
	size_t width = tsh_utf8_width(text, len);
	size_t missing = column->width > width ? column->width - width : 0;

	tsh_strbuf_addn(out, ' ', (i ? GAP : 0) + (right ? missing : 0));
	tsh_strbuf_add(out, text, len);
	if (!right && i + 1 < sink->rows->n)
		tsh_strbuf_addn(out, ' ', missing);
}

/* Prints the titles above the first row, whose cells set the widths. */
static void add_titles(struct tsh_sink *sink)
{
	struct tsh_strbuf *out = &sink->out->data;
	size_t i;

	sink->titles_done = true;
	tsh_strbuf_adds(out, tsh_out_style(sink->out, TSH_STYLE_BOLD));
	for (i = 0; i < sink->rows->n; i++) {
		char *name = tsh_sanitize_dup(sink->rows->names[i]);

		add_in_column(sink, i, name, strlen(name), sink->row_columns[i].right);
		free(name);
	}
	tsh_strbuf_adds(out, tsh_out_style(sink->out, TSH_STYLE_NONE));
	tsh_strbuf_addc(out, '\n');
}

void sink_rows_text(struct tsh_sink *sink, const struct sink_event *ev)
{
	struct tsh_strbuf *out = &sink->out->data;
	size_t line, begin = 0, i;

	read_row(sink, ev);
	if (!sink->titles_done)
		add_titles(sink);
	line = out->len;
	for (i = 0; i < sink->rows->n; i++) {
		const struct sink_column *column = &sink->row_columns[i];

		add_in_column(sink, i, sink->row.buf ? sink->row.buf + begin : "", column->end - begin,
			      column->right);
		begin = column->end;
	}
	while (out->len > line && out->buf[out->len - 1] == ' ')
		tsh_strbuf_truncate(out, out->len - 1);
	tsh_strbuf_addc(out, '\n');
}

void sink_rows_csv_start(struct tsh_sink *sink)
{
	struct tsh_strbuf *out = &sink->out->data;
	size_t i;

	for (i = 0; i < sink->rows->n; i++) {
		tsh_strbuf_adds(out, i ? "," : "");
		tsh_csv_cell(out, sink->rows->names[i], strlen(sink->rows->names[i]));
	}
	tsh_strbuf_addc(out, '\n');
}

void sink_rows_csv(struct tsh_sink *sink, const struct sink_event *ev)
{
	struct tsh_strbuf *out = &sink->out->data;
	struct tsh_cell cell;
	size_t i;

	for (i = 0; i < sink->rows->n; i++) {
		tsh_strbuf_adds(out, i ? "," : "");
		read_cell(sink, ev, i, &cell);
		if (cell.kind == TSH_CELL_TIME)
			tsh_time_text_add(&sink->time, cell.text, sink->clock->kind, ev->rec->stamp,
					  ev->has_wall, ev->wall);
		if (cell.kind == TSH_CELL_NUMBER)
			tsh_strbuf_add(out, cell.text->buf, cell.text->len);
		else if (cell.text->len)
			tsh_csv_cell(out, cell.text->buf, cell.text->len);
	}
	tsh_strbuf_addc(out, '\n');
}

void sink_rows_json(struct tsh_sink *sink, const struct sink_event *ev, struct tsh_json *js)
{
	struct tsh_cell cell;
	size_t i;

	for (i = 0; i < sink->rows->n; i++) {
		read_cell(sink, ev, i, &cell);
		tsh_json_key_text(js, sink->row_keys.buf + sink->row_columns[i].key, sink->row_columns[i].key_len);
		if (cell.kind == TSH_CELL_NONE)
			tsh_json_null(js);
		else if (cell.kind == TSH_CELL_TEXT)
			tsh_json_string(js, cell.text->buf ? cell.text->buf : "", cell.text->len);
		else if (cell.is_signed)
			tsh_json_s64(js, (int64_t)cell.number);
		else
			tsh_json_u64(js, cell.number);
	}
}
