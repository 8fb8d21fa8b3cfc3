/* events/decode/field-text.h - the text of one field of an event */
/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_EVENTS_DECODE_FIELD_TEXT_H
#define TRACESH_EVENTS_DECODE_FIELD_TEXT_H

#include "decode.h"

/*
 * Turns a field's value into text, for columns, keys, questions, JSON and CSV: as the event's print format prints this
 * field: "%pI4" for an address, the names of __print_symbolic, "%d,%d" for the two numbers of a device. The result of a
 * system call is a number or -ENOENT; a bare %p is 0x.. or the function that it lies in. All others are printed
 * plainly: a number, an address, a string, {1,2,3}.
 */
struct tsh_field_text;

/* Makes one. Borrows the decoder, and the format and the field, which belong to it. */
struct tsh_field_text *tsh_field_text_new(struct tsh_decoder *d,
					  const struct tsh_event_format *format,
					  const struct tsh_field *field);
/* Frees it; may be NULL. */
void tsh_field_text_free(struct tsh_field_text *text);
/* Says whether the text is more than the plain value. */
bool tsh_field_text_is_own(const struct tsh_field_text *text);
/* Says whether each number has the same text in both, such as results of system calls. */
bool tsh_field_text_is_same(const struct tsh_field_text *a, const struct tsh_field_text *b);
/* Appends the text of a value of this field, unsanitized; nothing for MISSING. */
void tsh_field_text_add(const struct tsh_field_text *text, const struct tsh_field_value *value,
			struct tsh_strbuf *out);

/* Says whether a text is just that number, in decimal or in hexadecimal behind 0x: JSON then has it as a number. */
bool tsh_text_is_number(const char *text, uint64_t number, bool is_signed);

/* Appends the plain value, unsanitized; nothing when it is missing. */
void tsh_decoder_print_value(const struct tsh_decoder *d, const struct tsh_field *field,
			     const struct tsh_record *rec, struct tsh_strbuf *out);

#endif
