/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <string.h>

#include "base/load.h"
#include "decoder.h"
#include "field-text.h"

static void set_number(const struct tsh_decoder *d, const struct tsh_field *field,
		       const unsigned char *p, uint32_t size, bool is_signed, struct tsh_field_value *ret)
{
	bool big_endian = d->layout.big_endian || field->is_network;

	if (is_signed) {
		ret->kind = TSH_VALUE_SIGNED;
		ret->s = load_signed(p, size, big_endian);
		ret->u = (uint64_t)ret->s;
	} else {
		ret->kind = TSH_VALUE_UNSIGNED;
		ret->u = load_unsigned(p, size, big_endian);
	}
}

static void set_bytes(const struct tsh_field *field, const unsigned char *p, size_t len,
		      struct tsh_field_value *ret)
{
	bool is_string = field->kind == TSH_FIELD_CHARS || field->kind == TSH_FIELD_STRING;

	ret->kind = is_string ? TSH_VALUE_STRING : TSH_VALUE_ARRAY;
	ret->bytes = (const char *)p;
	ret->len = is_string ? strnlen(ret->bytes, len) : len;
}

/* Resolves a word of length and offset; the offset counts from the record's beginning, or from the
 * word's end. */
static void set_dynamic(const struct tsh_decoder *d, const struct tsh_field *field,
			const struct tsh_record *rec, struct tsh_field_value *ret)
{
	uint32_t word, offset, len;

	if (rec->size < 4 || field->offset > rec->size - 4)
		return;
	word = load_u32(rec->data + field->offset, d->layout.big_endian);
	offset = word & 0xffff;
	len = word >> 16;
	if (field->is_relative)
		offset += field->offset + 4;
	if (offset > rec->size || len > rec->size - offset)
		return;
	set_bytes(field, rec->data + offset, len, ret);
}

void tsh_decoder_value(const struct tsh_decoder *d, const struct tsh_field *field,
		       const struct tsh_record *rec, struct tsh_field_value *ret)
{
	uint32_t left;

	memset(ret, 0, sizeof(*ret));
	ret->kind = TSH_VALUE_MISSING;
	if (field->offset > rec->size)
		return;
	left = rec->size - field->offset;
	switch (field->kind) {
	case TSH_FIELD_STRING:
	case TSH_FIELD_DYNAMIC:
		set_dynamic(d, field, rec, ret);
		return;
	case TSH_FIELD_CHARS:
	case TSH_FIELD_ARRAY:
		if (!left && field->size)
			return;
		set_bytes(field, rec->data + field->offset,
			  field->size && field->size < left ? field->size : left, ret);
		return;
	case TSH_FIELD_POINTER:
	case TSH_FIELD_INT:
		if (field->size > left)
			return;
		set_number(d, field, rec->data + field->offset, field->size,
			   field->is_signed && field->kind == TSH_FIELD_INT, ret);
		if (field->kind == TSH_FIELD_POINTER)
			ret->kind = TSH_VALUE_POINTER;
		return;
	}
}

bool tsh_decoder_element(const struct tsh_decoder *d, const struct tsh_field *field,
			 const struct tsh_field_value *value, size_t i,
			 struct tsh_field_value *ret)
{
	uint32_t size = field->element_size ? field->element_size : d->layout.long_size;

	memset(ret, 0, sizeof(*ret));
	ret->kind = TSH_VALUE_MISSING;
	if (value->kind != TSH_VALUE_ARRAY || i >= value->len / size)
		return false;
	set_number(d, field, (const unsigned char *)value->bytes + i * size, size, field->is_signed,
		   ret);
	return true;
}

void tsh_decoder_pointer(const struct tsh_decoder *d, uint64_t value, struct tsh_strbuf *out)
{
	char text[2 + 16];
	size_t at = sizeof(text);

	if (d->env.pointer.hidden && value) {
		tsh_strbuf_addf(out, "ptr-%llu", (unsigned long long)
				hidden_pointers_number(d->env.pointer.hidden, value));
		return;
	}
	do {
		text[--at] = "0123456789abcdef"[value & 15];
		value >>= 4;
	} while (value);
	text[--at] = 'x';
	text[--at] = '0';
	tsh_strbuf_add(out, text + at, sizeof(text) - at);
}

static void print_array(const struct tsh_decoder *d, const struct tsh_field *field,
			const struct tsh_field_value *value, struct tsh_strbuf *out)
{
	struct tsh_field_value element;
	size_t i;

	tsh_strbuf_addc(out, '{');
	for (i = 0; tsh_decoder_element(d, field, value, i, &element); i++) {
		if (i)
			tsh_strbuf_addc(out, ',');
		if (element.kind == TSH_VALUE_SIGNED)
			tsh_strbuf_addf(out, "%lld", (long long)element.s);
		else
			tsh_strbuf_addu(out, element.u);
	}
	tsh_strbuf_addc(out, '}');
}

void tsh_decoder_add_value(const struct tsh_decoder *d, const struct tsh_field *field,
			   const struct tsh_field_value *value, struct tsh_strbuf *out)
{
	switch (value->kind) {
	case TSH_VALUE_SIGNED:
		tsh_strbuf_addf(out, "%lld", (long long)value->s);
		break;
	case TSH_VALUE_UNSIGNED:
		tsh_strbuf_addu(out, value->u);
		break;
	case TSH_VALUE_POINTER:
		tsh_decoder_pointer(d, value->u, out);
		break;
	case TSH_VALUE_STRING:
		tsh_strbuf_add(out, value->bytes, value->len);
		break;
	case TSH_VALUE_ARRAY:
		print_array(d, field, value, out);
		break;
	case TSH_VALUE_MISSING:
		break;
	}
}

void tsh_decoder_print_value(const struct tsh_decoder *d, const struct tsh_field *field,
			     const struct tsh_record *rec, struct tsh_strbuf *out)
{
	struct tsh_field_value value;

	tsh_decoder_value(d, field, rec, &value);
	tsh_decoder_add_value(d, field, &value, out);
}

void tsh_decoder_print_fields(const struct tsh_decoder *d, const struct tsh_event_format *format,
			      const struct tsh_record *rec, struct tsh_strbuf *out)
{
	struct tsh_field_value value;
	bool first = true;
	size_t i;

	for (i = 0; i < format->nfields; i++) {
		const struct tsh_field *field = &format->fields[i];

		if (field->is_common)
			continue;
		tsh_decoder_value(d, field, rec, &value);
		if (value.kind == TSH_VALUE_MISSING)
			continue;
		if (!first)
			tsh_strbuf_addc(out, ' ');
		first = false;
		tsh_strbuf_adds(out, field->name);
		tsh_strbuf_addc(out, '=');
		tsh_decoder_add_value(d, field, &value, out);
	}
}
