/* events/decode/field-text.h - how an event's own text has one of its fields */
/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_EVENTS_DECODE_FIELD_TEXT_H
#define TRACESH_EVENTS_DECODE_FIELD_TEXT_H

#include "decode.h"

/*
 * The one way from a field's value to its text, for columns, keys, questions, JSON and CSV. It is
 * the conversion that the event's print format has for the field alone: "%pI4" of an address, the
 * names of __print_symbolic, "%d,%d" of a device's two numbers. What a system call returned is a
 * number or -ENOENT; a bare pointer, %p, is 0x.. or the function that it is in. Else the value as
 * it stands in the record: a number, an address, a string, {1,2,3}.
 */
struct tsh_field_text;

/* Borrows the decoder; the format and the field are of it, and are borrowed too. */
struct tsh_field_text *tsh_field_text_new(struct tsh_decoder *d,
					  const struct tsh_event_format *format,
					  const struct tsh_field *field);
/* NULL is fine. */
void tsh_field_text_free(struct tsh_field_text *text);
/* Whether it is more than the value as it stands. */
bool tsh_field_text_is_own(const struct tsh_field_text *text);
/* Says whether each number has the same text in both, as what all system calls return has. */
bool tsh_field_text_is_same(const struct tsh_field_text *a, const struct tsh_field_text *b);
/* Appends it, unsanitized; of MISSING nothing. The value is one of the field, of any record. */
void tsh_field_text_add(const struct tsh_field_text *text, const struct tsh_field_value *value,
			struct tsh_strbuf *out);

/* Whether a text is a number and nothing else, in decimal or, with 0x before it, in hexadecimal digits: JSON
 * has it as a number then. */
bool tsh_text_is_number(const char *text, uint64_t number, bool is_signed);

/* The value as it stands in the record; nothing where it is missing. Unsanitized. */
void tsh_decoder_print_value(const struct tsh_decoder *d, const struct tsh_field *field,
			     const struct tsh_record *rec, struct tsh_strbuf *out);

#endif
