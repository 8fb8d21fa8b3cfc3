/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "fields.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "events/decode/field-text.h"
#include "events/source/stream.h"
#include "query/query.h"
#include "where.h"

/* Holds the printer of a field for one event, which prints the field as the event's text does;
 * .text NULL: that text does not contain the field. */
struct column_text {
	unsigned int id;
	struct tsh_field_text *text;
};

struct column {
	char *name;
	struct tsh_query *value;
	size_t offset;			/* offset of its expression in the clause */
	TSH_VEC(struct column_text) texts;
};

/* Limits the columns: each is searched for in each event. */
#define COLUMNS_MAX 256

struct tsh_field_list {
	struct tsh_stage stage;		/* must be the first member */
	TSH_VEC(struct column) columns;
	bool raw;
	unsigned int hz;		/* ticks (jiffies) a second; 0: not known */
	bool knows_hz;
	struct tsh_rows rows;
	const struct tsh_open_stream *stream;	/* present stream */
};

/* ---- parsing the list ---- */

static bool is_between(char c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == ',';
}

/* Returns where the item that begins at text[at] ends. */
static size_t item_end(const char *text, size_t at)
{
	unsigned int depth = 0;
	char quote = '\0';

	for (; text[at]; at++) {
		if (quote)
			quote = text[at] == quote ? '\0' : quote;
		else if (text[at] == '"' || text[at] == '\'')
			quote = text[at];
		else if (strchr("([{", text[at]))
			depth++;
		else if (strchr(")]}", text[at]))
			depth -= depth > 0;
		else if (!depth && is_between(text[at]))
			break;
	}
	return at;
}

int tsh_field_list_next(const struct tsh_value *clause, const char *what, size_t *begin, size_t *end,
			struct tsh_err *err)
{
	const char *text = clause->word.text;
	size_t at = *end, comma = 0;
	/* The first item has no comma before it, the other items have one at most. */
	bool may_comma = at;

	for (; is_between(text[at]); at++) {
		if (text[at] != ',')
			continue;
		if (!may_comma)
			return tsh_err_at(err, tsh_word_span(&clause->word, at, at + 1), "a %s is missing before this",
					  what);
		may_comma = false;
		comma = at + 1;
	}
	if (!text[at])
		return comma ? tsh_err_at(err, tsh_word_span(&clause->word, comma - 1, comma),
					  "a %s is missing behind this", what) : 0;
	*begin = at;
	*end = item_end(text, at);
	return 1;
}

/* Returns the length of "NAME" in "NAME=EXPR"; 0: there is no name. */
static size_t length_of_name(const char *text, size_t len)
{
	size_t n = 0;

	while (n < len && (isalnum((unsigned char)text[n]) || text[n] == '_' || text[n] == '-'))
		n++;
	return n && n + 1 < len && text[n] == '=' && text[n + 1] != '=' && text[n + 1] != '~' ? n : 0;
}

static bool has_column(const struct tsh_field_list *list, const char *name)
{
	size_t i;

	for (i = 0; i < list->columns.n; i++)
		if (!strcmp(list->columns.v[i].name, name))
			return true;
	return false;
}

static int add_column(struct tsh_field_list *list, const struct tsh_value *clause, size_t begin,
		      size_t end, struct tsh_err *err)
{
	const char *text = clause->word.text;
	size_t name = length_of_name(text + begin, end - begin);
	size_t offset = begin + (name ? name + 1 : 0);
	struct tsh_query *value;
	struct column *column;
	char *title;

	if (list->columns.n == COLUMNS_MAX)
		return tsh_err_at(err, tsh_word_span(&clause->word, begin, end),
				  "more than %d fields", COLUMNS_MAX);
	value = tsh_query_new_value(text + offset, end - offset, err);
	if (!value)
		return tsh_where_blame(clause, offset, err);
	title = tsh_xstrndup(text + begin, name ? name : end - begin);
	if (has_column(list, title)) {
		tsh_err_at(err, tsh_word_span(&clause->word, begin, end), "there are two columns '%s'",
			   title);
		tsh_err_hint(err, "NAME=EXPR gives one another name");
		tsh_query_free(value);
		free(title);
		return -1;
	}
	column = tsh_vec_push(&list->columns);
	*column = (struct column){
		.name = title,
		.value = value,
		.offset = offset,
	};
	return 0;
}

static int read_list(struct tsh_field_list *list, const struct tsh_value *clause, struct tsh_err *err)
{
	size_t begin = 0, end = 0;
	int r;

	while ((r = tsh_field_list_next(clause, "field", &begin, &end, err)) > 0)
		if (add_column(list, clause, begin, end, err) < 0)
			return -1;
	if (r < 0 || list->columns.n)
		return r;
	return tsh_err_at(err, clause->word.span, "no field is named");
}

static const struct tsh_value *clause_of(const struct tsh_call *call)
{
	const struct tsh_value *value = tsh_args_get(&call->args, "FIELDS");

	return value && value->arg->clause && !strcmp(value->arg->clause, "fields") ? value : NULL;
}

/* Frees data that depends on the decoder's formats. */
static void fields_forget(struct tsh_stage *stage)
{
	struct tsh_field_list *list = (struct tsh_field_list *)stage;
	size_t i, j;

	for (i = 0; i < list->columns.n; i++) {
		struct column *column = &list->columns.v[i];

		for (j = 0; j < column->texts.n; j++)
			tsh_field_text_free(column->texts.v[j].text);
		tsh_vec_release(&column->texts);
		tsh_query_forget(column->value);
	}
}

static void free_list(void *state)
{
	struct tsh_field_list *list = state;
	size_t i;

	fields_forget(&list->stage);
	for (i = 0; i < list->columns.n; i++) {
		tsh_query_free(list->columns.v[i].value);
		free(list->columns.v[i].name);
	}
	tsh_vec_release(&list->columns);
	free((void *)(uintptr_t)list->rows.names);
	free(list);
}

struct tsh_field_list *tsh_field_list_of(const struct tsh_call *call)
{
	return tsh_call_state(call, free_list);
}

int tsh_field_list_resolve(struct tsh_session *s, struct tsh_call *call, struct tsh_err *err)
{
	const struct tsh_value *clause = clause_of(call);
	struct tsh_field_list *list;
	int r = 0;
	size_t i;

	if (!clause)
		return 0;
	list = tsh_xcalloc(1, sizeof(*list));
	tsh_call_add_state(call, list, free_list);
	list->raw = tsh_args_has(&call->args, "raw");
	if (read_list(list, clause, err) < 0)
		return -1;
	for (i = 0; s->dir && !r && i < list->columns.n; i++)
		r = tsh_where_check(s, call, list->columns.v[i].value, clause,
				    list->columns.v[i].offset, err);
	return r;
}

/* ---- the cells ---- */

/* Returns the printer for a field as in the event's own text; makes it at the first call. NULL:
 * --raw, or that text does not contain the field. */
static const struct tsh_field_text *text_of(struct tsh_field_list *list, struct column *column,
					    const struct tsh_field *field,
					    const struct tsh_record *rec)
{
	const struct tsh_event_format *format;
	struct column_text *text;
	struct tsh_common common;
	size_t i;

	if (list->raw || !tsh_decoder_common(list->stream->decoder, rec, &common))
		return NULL;
	for (i = 0; i < column->texts.n; i++)
		if (column->texts.v[i].id == common.id)
			return column->texts.v[i].text;
	format = tsh_decoder_format(list->stream->decoder, common.id);
	text = tsh_vec_push(&column->texts);
	*text = (struct column_text){
		common.id, format ? tsh_field_text_new(list->stream->decoder, format, field) : NULL
	};
	return text->text;
}

/* Fills a cell with a field's value as the event's own text prints it. */
static void fill_field(struct tsh_field_list *list, struct column *column,
		       const struct tsh_query_value *value, const struct tsh_record *rec,
		       struct tsh_cell *ret)
{
	const struct tsh_field_text *text = text_of(list, column, value->field, rec);
	struct tsh_field_value of;

	tsh_decoder_value(list->stream->decoder, value->field, rec, &of);
	if (text)
		tsh_field_text_add(text, &of, ret->text);
	else
		tsh_decoder_print_value(list->stream->decoder, value->field, rec, ret->text);
	ret->kind = value->kind == TSH_QUERY_VALUE_NUMBER && value->field->kind != TSH_FIELD_POINTER &&
				    tsh_text_is_number(ret->text->buf, value->number, value->is_signed) ?
			    TSH_CELL_NUMBER : TSH_CELL_TEXT;
}

void tsh_ticks_add(unsigned int hz, unsigned int long_size, enum tsh_query_jiffies kind,
		   uint64_t number, struct tsh_strbuf *out)
{
	const uint64_t second = 1000000000, begin = UINT64_C(1) << 32;
	int64_t ticks = (int64_t)number;
	uint64_t n, ns;

	if (kind == TSH_QUERY_JIFFIES_MOMENT)
		ticks -= (int64_t)(begin - 300 * hz);
	if (long_size == 4)
		ticks = (int32_t)ticks;
	n = ticks < 0 ? 0 - (uint64_t)ticks : (uint64_t)ticks;
	ns = n / hz * second + n % hz * second / hz;
	if (ticks < 0)
		tsh_strbuf_addc(out, '-');
	if (kind == TSH_QUERY_JIFFIES_SPAN)
		tsh_format_ns(ns, out);
	else
		tsh_strbuf_addf(out, "%" PRIu64 ".%03u", ns / second, (unsigned int)(ns % second / 1000000));
}

/* Fills a cell with a number of ticks as a time. Returns false when it stays a number. */
static bool fill_jiffies(struct tsh_field_list *list, const struct tsh_query_value *value,
			 struct tsh_cell *ret)
{
	if (!value->jiffies || list->raw)
		return false;
	if (!list->knows_hz)
		list->hz = tsh_decoder_hz(list->stream->decoder);
	list->knows_hz = true;
	if (!list->hz)
		return false;
	tsh_ticks_add(list->hz, list->stream->layout->long_size, value->jiffies, value->number, ret->text);
	ret->kind = TSH_CELL_TEXT;
	return true;
}

static void fill(void *ctx, const struct tsh_record *rec, size_t i, struct tsh_cell *ret)
{
	struct tsh_field_list *list = ctx;
	struct column *column = &list->columns.v[i];
	struct tsh_query_value value;

	tsh_query_value(column->value, list->stream->decoder, list->stream->layout, rec, &value);
	ret->is_signed = value.is_signed;
	ret->number = value.number;
	if (value.kind == TSH_QUERY_VALUE_UNKNOWN) {
		ret->kind = TSH_CELL_NONE;
	} else if (value.kind == TSH_QUERY_VALUE_TIME) {
		ret->kind = TSH_CELL_TIME;
	} else if (value.jiffies && fill_jiffies(list, &value, ret)) {
		;
	} else if (value.field) {
		fill_field(list, column, &value, rec, ret);
	} else if (value.kind == TSH_QUERY_VALUE_TEXT) {
		ret->kind = TSH_CELL_TEXT;
		tsh_strbuf_add(ret->text, value.bytes, value.len);
	} else {
		bool is_negative = value.is_signed && (int64_t)value.number < 0;

		ret->kind = TSH_CELL_NUMBER;
		tsh_strbuf_adds(ret->text, is_negative ? "-" : "");
		tsh_strbuf_addu(ret->text, is_negative ? -value.number : value.number);
	}
}

static int fields_prepare(struct tsh_stage *stage, struct tsh_open_stream *stream, struct tsh_err *err)
{
	struct tsh_field_list *list = (struct tsh_field_list *)stage;
	const char **names = tsh_xcalloc(list->columns.n, sizeof(*names));
	size_t i;

	(void)err;
	list->stream = stream;
	for (i = 0; i < list->columns.n; i++) {
		names[i] = list->columns.v[i].name;
		tsh_query_set_clock(list->columns.v[i].value, stream->clock);
	}
	free((void *)(uintptr_t)list->rows.names);
	list->rows = (struct tsh_rows){ .names = names, .n = list->columns.n, .cell = fill,
					  .ctx = list };
	stream->rows = &list->rows;
	return 0;
}

static bool fields_ask_for_names(const struct tsh_stage *stage)
{
	const struct tsh_field_list *list = (const struct tsh_field_list *)stage;
	size_t i;

	for (i = 0; i < list->columns.n; i++)
		if (tsh_query_needs_names(list->columns.v[i].value))
			return true;
	return false;
}

static bool fields_fork(const struct tsh_stage *stage, struct tsh_stage **ret)
{
	const struct tsh_field_list *list = (const struct tsh_field_list *)stage;
	struct tsh_field_list *copy = tsh_xcalloc(1, sizeof(*copy));
	size_t i;

	copy->stage.kind = stage->kind;
	copy->raw = list->raw;
	for (i = 0; i < list->columns.n; i++) {
		struct tsh_query *value = tsh_query_fork(list->columns.v[i].value);

		if (!value)
			break;
		*tsh_vec_push(&copy->columns) = (struct column){ .name = tsh_xstrdup(list->columns.v[i].name), .value = value };
	}
	if (i < list->columns.n) {
		free_list(copy);
		return false;
	}
	*ret = &copy->stage;
	return true;
}

static void fields_free(struct tsh_stage *copy)
{
	free_list(copy);
}

static const struct tsh_stage_kind kind = {
	.name = "fields", .prepare = fields_prepare, .forget = fields_forget, .fork = fields_fork, .free = fields_free,
	.asks_for_names = fields_ask_for_names,
};

struct tsh_stage *tsh_field_list_stage(struct tsh_field_list *list)
{
	if (!list)
		return NULL;
	list->stage.kind = &kind;
	return &list->stage;
}
