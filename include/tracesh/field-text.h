/* tracesh/field-text.h - how an event's own text has one of its fields (src/decode) */
/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_FIELD_TEXT_H
#define TRACESH_FIELD_TEXT_H

#include "tracesh/decode.h"

/*
 * The conversion that the print format of an event has for a field alone: "%pS" of an address,
 * the names of __print_symbolic, "%d,%d" of a device's two numbers.
 */
struct tsh_field_text;

/* NULL: it says nothing of the field alone, or cannot be understood. Borrows the decoder; the
 * format and the field are of it, and are borrowed too. */
struct tsh_field_text *tsh_field_text_new(const struct tsh_decoder *d,
					  const struct tsh_event_format *format,
					  const struct tsh_field *field);
void tsh_field_text_free(struct tsh_field_text *text);
/* Appends it, unsanitized. False, and nothing is appended: the record is too short for it. */
bool tsh_field_text_print(const struct tsh_field_text *text, const struct tsh_record *rec,
			  struct tsh_strbuf *out);

/* The value as it stands in the record: a number, an address, a string, {1,2,3}; nothing where
 * it is missing. Unsanitized. */
void tsh_decoder_print_value(const struct tsh_decoder *d, const struct tsh_field *field,
			     const struct tsh_record *rec, struct tsh_strbuf *out);

#endif
