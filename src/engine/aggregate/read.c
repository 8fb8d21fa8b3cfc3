/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "internal.h"

#include <stdlib.h>
#include <string.h>

/* Finds the keys and values of a record, and counts it. */

#define HOST_BIG_ENDIAN (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__)

/* Returns the place for an event's id, and makes it if there is none. */
static inline struct by_place *place_at(struct by_item *item, unsigned int id)
{
	while (item->places.n <= id)
		(void)tsh_vec_push(&item->places);
	return &item->places.v[id];
}

const struct tsh_field_text *by_text_of(struct tsh_by *by, struct by_item *item,
					const struct tsh_event_format *format,
					const struct tsh_field *field)
{
	struct by_text *text;
	size_t i;

	for (i = 0; i < item->texts.n; i++)
		if (item->texts.v[i].format == format)
			return item->texts.v[i].text;
	if (tsh_query_holds_jiffies(format, field->offset)) {
		item->jiffies = TSH_QUERY_JIFFIES_MOMENT;
		item->hz = tsh_decoder_hz(by->decoder);
	}
	text = tsh_vec_push(&item->texts);
	*text = (struct by_text){ format, tsh_field_text_new(by->decoder, format, field) };
	if (!item->text || (tsh_field_text_is_own(item->text) && !tsh_field_text_is_own(text->text)))
		item->text = text->text;
	return text->text;
}

/* Sets the printer for the numbers of an item in one event. */
static void set_text(struct tsh_by *by, struct by_item *item, struct by_place *place, unsigned int id,
		     const struct tsh_query_value *value)
{
	const struct tsh_event_format *format = tsh_decoder_format(by->decoder, id);

	if (value->jiffies == TSH_QUERY_JIFFIES_SPAN && !item->jiffies) {
		item->jiffies = value->jiffies;
		item->hz = tsh_decoder_hz(by->decoder);
	}
	if (format && value->field)
		place->text = item->has_pair_text ? item->text : by_text_of(by, item, format, value->field);
}

/* Fills in the place of an event's id at its first record, and again when formats were renewed. */
static void fill_place(struct tsh_by *by, struct by_item *item, unsigned int id,
		       const struct tsh_query_value *value)
{
	struct by_place *place = &item->places.v[id];
	const struct tsh_field *field = value->field;

	*place = (struct by_place){ .age = by->age };
	if (item->modifier == BY_PLAIN)
		set_text(by, item, place, id, value);
	if (value->kind != TSH_QUERY_VALUE_NUMBER || !field)
		return;
	item->is_pointer |= field->kind == TSH_FIELD_POINTER;
	if (field->kind != TSH_FIELD_INT || field->is_network || by->layout->big_endian != HOST_BIG_ENDIAN)
		return;
	place->is_loaded = true;
	/* a number that the event's text shows differently, as a name, is counted by that text */
	place->is_plain = !by_is_shown(item, place->text);
	place->offset = field->offset;
	place->size = (uint8_t)field->size;
	place->is_signed = field->is_signed;
}

/* Reads the value of an item. Loads a plain field, which most items are, without the query. Returns
 * false if the record has no value. */
static inline bool value_of(struct tsh_by *by, struct by_item *item, const struct tsh_record *rec,
			    unsigned int id, struct tsh_query_value *ret)
{
	struct by_place *place = place_at(item, id);

	if (place->age == by->age && place->is_loaded) {
		ret->kind = TSH_QUERY_VALUE_NUMBER;
		ret->is_signed = place->is_signed;
		return by_load_plain(place, rec, &ret->number);
	}
	tsh_query_value(item->value, by->decoder, by->layout, rec, ret);
	if (place->age != by->age)
		fill_place(by, item, id, ret);
	return ret->kind != TSH_QUERY_VALUE_UNKNOWN;
}

uint64_t by_begin_of(struct tsh_by *by, uint64_t address)
{
	struct by_symbol *known = &by->symbols[(address ^ address >> 10) % BY_SYMBOLS];
	uint64_t size;

	if (known->address == address && address)
		return known->begin;
	known->address = address;
	if (!tsh_decoder_code_range(by->decoder, address, &known->begin, &size))
		known->begin = address;
	return known->begin;
}

struct tsh_tally_part by_number_part(struct tsh_by *by, const struct by_item *key, uint64_t number,
				     bool is_signed)
{
	if (key->modifier == BY_LOG2)
		return (struct tsh_tally_part){ TSH_TALLY_SIGNED,
						(uint64_t)(int64_t)tsh_tally_log2(number,
										  is_signed) };
	if (key->modifier == BY_LINEAR)
		return tsh_tally_linear(number, is_signed, key->width);
	if (key->modifier == BY_SYM)
		return (struct tsh_tally_part){ TSH_TALLY_UNSIGNED, by_begin_of(by, number) };
	return (struct tsh_tally_part){ is_signed ? TSH_TALLY_SIGNED : TSH_TALLY_UNSIGNED, number };
}

static struct tsh_tally_part text_part(struct tsh_by *by, struct by_item *key, struct tsh_tally *texts,
				       const struct tsh_field_text *text, const struct tsh_field_value *value)
{
	struct tsh_tally_part part;

	tsh_strbuf_clear(&by->text);
	tsh_field_text_add(text, value, &by->text);
	part = tsh_tally_text(texts, by->text.len ? by->text.buf : "", by->text.len);
	key->has_text = true;
	return part;
}

/* Returns the part of a key for a string or an array: its text. */
static struct tsh_tally_part bytes_part(struct tsh_by *by, struct by_item *key, struct tsh_tally *texts,
					unsigned int id, const struct tsh_query_value *value)
{
	const struct tsh_field_text *text = key->places.v[id].text;
	struct tsh_field_value of = { .kind = TSH_VALUE_STRING, .bytes = value->bytes, .len = value->len };

	if (!text || (!value->is_array && !tsh_field_text_is_own(text))) {
		key->has_text = true;
		return tsh_tally_text(texts, value->bytes, value->len);
	}
	if (value->is_array)
		of.kind = TSH_VALUE_ARRAY;
	return text_part(by, key, texts, text, &of);
}

/* Says whether a text is a number (a scaled field has such a text), and parses it. */
static bool is_number(const char *text, uint64_t *ret, bool *ret_signed)
{
	*ret_signed = text[0] == '-';
	*ret = *ret_signed ? (uint64_t)strtoll(text, NULL, 10) : strtoull(text, NULL, 0);
	return tsh_text_is_number(text, *ret, *ret_signed);
}

struct tsh_tally_part by_shown_part(struct tsh_by *by, struct by_item *key, struct tsh_tally *texts,
				    const struct tsh_field_text *text, uint64_t number, bool is_signed)
{
	struct tsh_field_value value = by_number_value(number, is_signed);

	tsh_strbuf_clear(&by->text);
	tsh_field_text_add(text, &value, &by->text);
	/* numbers that have the same text are one key */
	if (by->text.len && (tsh_text_is_number(by->text.buf, number, is_signed) ||
			     is_number(by->text.buf, &number, &is_signed)))
		return by_number_part(by, key, number, is_signed);
	key->has_text = true;
	return tsh_tally_text(texts, by->text.len ? by->text.buf : "", by->text.len);
}

/* Does the same as by_shown_part, and keeps the result: most numbers come again. */
static struct tsh_tally_part known_part(struct tsh_by *by, struct by_item *key, struct tsh_tally *texts,
					const struct tsh_field_text *text, const struct tsh_query_value *value)
{
	struct by_shown *known;

	/* the results of all system calls share one text */
	if (tsh_field_text_is_same(text, key->text))
		text = key->text;
	if (!key->shown)
		key->shown = tsh_xcalloc(BY_SHOWN, sizeof(*key->shown));
	known = &key->shown[(value->number ^ value->number >> 12 ^ (uintptr_t)text >> 4) % BY_SHOWN];
	if (known->text == text && known->number == value->number)
		return known->part;
	*known = (struct by_shown){ text, value->number,
				    by_shown_part(by, key, texts, text, value->number, value->is_signed) };
	return known->part;
}

bool by_part_of(struct tsh_by *by, struct by_item *key, struct tsh_tally *texts,
		const struct tsh_record *rec, unsigned int id, struct tsh_tally_part *ret)
{
	const struct tsh_field_text *text;
	struct tsh_query_value value;

	if (key->modifier == BY_EVENT) {
		*ret = (struct tsh_tally_part){ TSH_TALLY_UNSIGNED, id };
		return true;
	}
	if (key->modifier == BY_STACK)
		return by_stack_part(by, ret);
	if (!value_of(by, key, rec, id, &value))
		return false;
	if (value.kind == TSH_QUERY_VALUE_TEXT) {
		if (key->modifier != BY_PLAIN)
			return false;
		*ret = bytes_part(by, key, texts, id, &value);
		return true;
	}
	text = key->places.v[id].text;
	if (by_is_shown(key, text)) {
		*ret = known_part(by, key, texts, text, &value);
		return true;
	}
	*ret = by_number_part(by, key, value.number, value.is_signed);
	if (key->modifier == BY_SYSCALL)
		ret->number = by_syscall_part(by, rec, id, value.number);
	return true;
}

/* Says whether an event is one of the spec. With --here, other programs may have enabled other
 * events. */
static bool is_wanted(struct tsh_by *by, unsigned int id)
{
	const struct tsh_event_format *format;
	struct by_place *place;
	size_t i;

	while (by->wanted.n <= id)
		(void)tsh_vec_push(&by->wanted);
	place = &by->wanted.v[id];
	if (place->age == by->age)
		return place->is_plain;
	*place = (struct by_place){ .age = by->age };
	format = tsh_decoder_format(by->decoder, id);
	for (i = 0; format && i < by->spec.events->n && !place->is_plain; i++)
		place->is_plain = !strcmp(format->name, by->spec.events->v[i].name) &&
				  !strcmp(format->system, by->spec.events->v[i].system);
	return place->is_plain;
}

bool by_event(struct tsh_consumer *to, const struct tsh_record *rec, bool late)
{
	struct tsh_by *by = by_of((struct tsh_stage *)(void *)to);
	struct tsh_tally_part parts[TSH_TALLY_PARTS_MAX];
	struct tsh_query_value value;
	struct tsh_common common;
	size_t i, row;

	(void)late;
	by_observe(by, rec);
	if (by->has_before && rec->stamp <= by->before) {
		by->older++;
		return false;
	}
	if (!tsh_decoder_common(by->decoder, rec, &common) || common.id > UINT16_MAX) {
		by->without++;
		return true;
	}
	if (by->spec.only && !is_wanted(by, common.id)) {
		by->others++;
		return false;
	}
	for (i = 0; i < by->spec.nkeys; i++) {
		if (!by_part_of(by, &by->spec.keys[i], by->tally, rec, common.id, &parts[i])) {
			by->without++;
			return true;
		}
	}
	if (by->counted++ == by->window.counted || rec->stamp < by->first)
		by->first = rec->stamp;
	if (rec->stamp > by->last)
		by->last = rec->stamp;
	row = tsh_tally_add(by->tally, parts);
	for (i = 0; i < by->spec.nvalues; i++)
		if (value_of(by, &by->spec.values[i], rec, common.id, &value) &&
		    value.kind != TSH_QUERY_VALUE_TEXT)
			tsh_tally_add_value(by->tally, row, i, value.number, value.is_signed);
	return true;
}

static void observe_item(struct tsh_by *by, struct by_item *item, const struct tsh_record *rec)
{
	if (by_item_needs_all(item))
		tsh_query_observe(item->value, by->decoder, by->layout, rec);
}

void by_observe(struct tsh_by *by, const struct tsh_record *rec)
{
	struct by_item *item;
	size_t i;

	by_window_observe(by, rec);
	if (!by->needs_all)
		return;
	for (i = 0; (item = count_spec_item(&by->spec, i)); i++)
		observe_item(by, item, rec);
}
