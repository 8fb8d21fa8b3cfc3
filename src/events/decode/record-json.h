/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_EVENTS_DECODE_RECORD_JSON_H
#define TRACESH_EVENTS_DECODE_RECORD_JSON_H

#include "decode.h"

/* Holds how the records of an event are written as JSON: what stands between the values, and where
 * each value is. Borrows the format. */
struct record_json;

struct record_json *record_json_new(const struct tsh_event_format *format);
/* Frees it; NULL is allowed. */
void record_json_free(struct record_json *json);
/* Appends the rest of a line: see tsh_decoder_add_json. */
void record_json_add(const struct tsh_decoder *d, const struct record_json *json,
		     const struct tsh_record *rec, bool with_name, struct tsh_strbuf *out);

#endif
