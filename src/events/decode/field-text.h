/* events/decode/field-text.h - the text of one field of an event */
/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_EVENTS_DECODE_FIELD_TEXT_H
#define TRACESH_EVENTS_DECODE_FIELD_TEXT_H

#include "decode.h"

/*
 * Turns a field's value into text, for columns, keys, filters, JSON and CSV. The text is the part
 * of the event's print format for this field: "%pI4" for an address, the names of __print_symbolic,
 * "%d,%d" for the two numbers of a device. The result of a system call is a number or -ENOENT. A
 * bare %p is 0x.. or the function that it points into. Other values are plain: a number, an
 * address, a string, {1,2,3}.
 */
struct tsh_field_text;

/* Makes the text of a field. Borrows the decoder, the format, and the format's field. */
struct tsh_field_text *tsh_field_text_new(struct tsh_decoder *d,
					  const struct tsh_event_format *format,
					  const struct tsh_field *field);
/* Frees a field's text; NULL is allowed. */
void tsh_field_text_free(struct tsh_field_text *text);
/* Says whether the text is more than the plain value. */
bool tsh_field_text_is_own(const struct tsh_field_text *text);
/* Says whether two fields have the same text for each number, as two results of system
 * calls have. */
bool tsh_field_text_is_same(const struct tsh_field_text *a, const struct tsh_field_text *b);
/* Appends the text of a value of this field, unsanitized; nothing for MISSING. */
void tsh_field_text_add(const struct tsh_field_text *text, const struct tsh_field_value *value,
			struct tsh_strbuf *out);

/* Says whether a text is `number` in decimal, or in hexadecimal behind 0x. JSON prints such a text
 * as a number. */
bool tsh_text_is_number(const char *text, uint64_t number, bool is_signed);

/* Appends the plain value, unsanitized; nothing when it is missing. */
void tsh_decoder_print_value(const struct tsh_decoder *d, const struct tsh_field *field,
			     const struct tsh_record *rec, struct tsh_strbuf *out);

#endif
