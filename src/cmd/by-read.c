/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "by-parts.h"

#include <string.h>

/* What an event is counted as. */

#define HOST_BIG_ENDIAN (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__)

/* The place of an event's id, made if there is none; of one that is no id: NULL. */
static inline struct by_place *place_at(struct by_item *item, unsigned int id)
{
	while (item->places.n <= id)
		(void)tsh_vec_push(&item->places);
	return &item->places.v[id];
}

/* From the first event of its kind on, until the formats are looked at again. */
static void look_at(const struct tsh_by *by, struct by_item *item, unsigned int id,
		    const struct tsh_query_value *value)
{
	const struct tsh_event_format *format = tsh_decoder_format(by->decoder, id);
	struct by_place *place = &item->places.v[id];
	const struct tsh_field *field = value->field;

	*place = (struct by_place){ .age = by->age };
	if (value->kind != TSH_QUERY_VALUE_NUMBER || !field)
		return;
	item->is_pointer |= field->kind == TSH_FIELD_POINTER;
	if (format && !item->names.n && item->modifier == BY_PLAIN)
		tsh_value_names_of(by->decoder, format, field, &item->names);
	if (field->kind != TSH_FIELD_INT || by->layout->big_endian != HOST_BIG_ENDIAN)
		return;
	place->is_plain = true;
	place->offset = field->offset;
	place->size = (uint8_t)field->size;
	place->is_signed = field->is_signed;
}

/* The value of an item. Of a plain field without asking the query: that is most of them. */
static inline bool value_of(struct tsh_by *by, struct by_item *item, const struct tsh_record *rec,
			    unsigned int id, struct tsh_query_value *ret)
{
	struct by_place *place = place_at(item, id);

	if (place->age == by->age && place->is_plain) {
		ret->kind = TSH_QUERY_VALUE_NUMBER;
		ret->is_signed = place->is_signed;
		return by_load_plain(place, rec, &ret->number);
	}
	tsh_query_value(item->value, by->decoder, by->layout, rec, ret);
	if (place->age != by->age)
		look_at(by, item, id, ret);
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

bool by_part_of(struct tsh_by *by, struct by_item *key, struct tsh_tally *texts,
		const struct tsh_record *rec, unsigned int id, struct tsh_tally_part *ret)
{
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
		key->has_text = true;
		*ret = tsh_tally_text(texts, value.bytes, value.len);
		return true;
	}
	*ret = by_number_part(by, key, value.number, value.is_signed);
	return true;
}

/* With --here others have enabled events, too. */
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
	for (i = 0; format && i < by->only->n && !place->is_plain; i++)
		place->is_plain = !strcmp(format->name, by->only->v[i].name) &&
				  !strcmp(format->system, by->only->v[i].system);
	return place->is_plain;
}

void by_event(struct tsh_consumer *to, const struct tsh_record *rec, bool late)
{
	/* the first member but those of the command */
	struct tsh_by *by =
		(struct tsh_by *)(void *)((char *)to - offsetof(struct tsh_by, consumer));
	struct tsh_tally_part parts[TSH_TALLY_PARTS_MAX];
	struct tsh_query_value value;
	struct tsh_common common;
	size_t i, row;

	(void)late;
	if (by->has_before && rec->stamp <= by->before) {
		by->older++;
		return;
	}
	if (!tsh_decoder_common(by->decoder, rec, &common) || common.id > UINT16_MAX) {
		by->without++;
		return;
	}
	if (by->only && !is_wanted(by, common.id)) {
		by->others++;
		return;
	}
	if (!by->counted || rec->stamp < by->first)
		by->first = rec->stamp;
	if (rec->stamp > by->last)
		by->last = rec->stamp;
	for (i = 0; i < by->nkeys; i++) {
		if (!by_part_of(by, &by->keys[i], by->tally, rec, common.id, &parts[i])) {
			by->without++;
			return;
		}
	}
	by->counted++;
	row = tsh_tally_add(by->tally, parts);
	for (i = 0; i < by->nvalues; i++)
		if (value_of(by, &by->values[i], rec, common.id, &value) &&
		    value.kind != TSH_QUERY_VALUE_TEXT)
			tsh_tally_add_value(by->tally, row, i, value.number, value.is_signed);
}
