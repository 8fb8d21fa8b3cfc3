/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <string.h>

#include "events/symbols/directive.h"
#include "special-internal.h"

/* Prints synthetic events (kernel/trace/trace_events_synth.c, print_synth_event). Numbers of one
 * and two bytes have no sign; strings have 256 bytes, whatever their type says. */

#define STRING_MAX 256	/* STR_VAR_LEN_MAX */

static void add_string(const struct tsh_record *rec, uint32_t begin, struct tsh_strbuf *out)
{
	const char *text;
	size_t len;

	if (begin >= rec->size)
		return;
	text = (const char *)rec->data + begin;
	len = rec->size - begin;
	tsh_strbuf_add(out, text, strnlen(text, len < STRING_MAX ? len : STRING_MAX));
}

/* Adds a stack, whose first number is how many follow; each one is a line. */
static void add_stack(struct tsh_decoder *d, const struct tsh_record *rec, uint32_t word,
		      struct tsh_strbuf *out)
{
	static const struct directive symbol = { .kind = DIRECTIVE_POINTER, .width = -1,
						 .precision = -1, .extension = "S" };
	struct special_number place = { word & 0xffff, (uint8_t)d->layout.long_size, false };
	uint32_t end = place.offset + (word >> 16);
	uint64_t address;

	tsh_strbuf_adds(out, "STACK:\n");
	for (place.offset += place.size; place.offset + place.size <= end;
	     place.offset += place.size) {
		if (!special_load(d, &place, rec, &address))
			break;
		tsh_strbuf_adds(out, "=> ");
		directive_pointer(out, &symbol, &d->env.pointer, address, NULL, 0);
		tsh_strbuf_addc(out, '\n');
	}
}

static void add_number(const struct tsh_field *field, uint64_t value, struct tsh_strbuf *out)
{
	if (!strcmp(field->type, "gfp_t"))
		special_add_hex(out, value);
	else if (field->is_signed && field->size == 4)
		tsh_strbuf_addf(out, "%d", (int)value);
	else if (field->is_signed && field->size == 8)
		tsh_strbuf_addf(out, "%lld", (long long)value);
	else
		tsh_strbuf_addu(out, value);
}

static void add_field(struct tsh_decoder *d, const struct tsh_field *field,
		      const struct tsh_record *rec, const char *space, struct tsh_strbuf *out)
{
	struct special_number number = { field->offset, 4, false };
	bool is_dynamic = !strncmp(field->type, "__data_loc", 10);
	uint64_t value;

	tsh_strbuf_adds(out, field->name);
	tsh_strbuf_addc(out, '=');
	if (!is_dynamic && strstr(field->type, "char[")) {
		add_string(rec, field->offset, out);
	} else if (is_dynamic) {
		if (!special_load(d, &number, rec, &value))
			return;
		if (strstr(field->type, "long[")) {
			add_stack(d, rec, (uint32_t)value, out);
			return;
		}
		add_string(rec, (uint32_t)value & 0xffff, out);
	} else {
		number.size = (uint8_t)field->size;
		if (field->size <= 8 && !(field->size & (field->size - 1)) &&
		    special_load(d, &number, rec, &value))
			add_number(field, value, out);
	}
	tsh_strbuf_adds(out, space);
}

static void print_synthetic(struct tsh_decoder *d, const void *state,
			    const struct tsh_event_format *format,
			    const struct tsh_record *rec, struct tsh_strbuf *out)
{
	size_t i;

	(void)state;
	for (i = 0; i < format->nfields; i++)
		if (!format->fields[i].is_common)
			add_field(d, &format->fields[i], rec,
				  i + 1 < format->nfields ? " " : "", out);
}

bool special_find_synthetic(struct tsh_decoder *d, const struct tsh_event_format *format,
			    struct tsh_special *ret)
{
	(void)d;
	(void)format;
	ret->print = print_synthetic;
	return true;
}
