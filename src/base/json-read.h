/* base/json-read.h - a reader of JSON, one value at a time */
/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_BASE_JSON_READ_H
#define TRACESH_BASE_JSON_READ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct tsh_strbuf;

enum tsh_json_token {
	TSH_JSON_BAD,			/* the text is no JSON; every further call returns this */
	TSH_JSON_DONE,			/* the text has ended, and it was exactly one value */
	TSH_JSON_OBJECT, TSH_JSON_OBJECT_END,
	TSH_JSON_ARRAY, TSH_JSON_ARRAY_END,
	TSH_JSON_KEY,
	TSH_JSON_STRING, TSH_JSON_NUMBER, TSH_JSON_TRUE, TSH_JSON_FALSE, TSH_JSON_NULL,
};

/* Points into the text that is read. For a string or a key this is what stands between the
 * quotes, with its escapes; for a number, the number. */
struct tsh_json_text {
	const char *text;
	size_t len;
	bool is_plain;			/* printable ASCII without escapes: can be used as it is */
};

/*
 * Reads RFC 8259, one value at a time, from memory that the caller owns; allocates nothing, and has
 * no limit of size. Refuses more than 32 levels, and control bytes and NULs in strings. Accepts
 * bytes that are no UTF-8: whoever prints a string sanitizes it.
 */
struct tsh_json_reader {
	const char *at, *end;
	struct tsh_json_text value;	/* of a KEY, STRING or NUMBER */
	uint32_t is_object;		/* bit d: level d + 1 is an object, not an array */
	unsigned int depth;
	unsigned char state;
};

/* Prepares a reader for a text, which it borrows. */
void tsh_json_read(struct tsh_json_reader *rd, const char *text, size_t len);
/* Reads the next token. Sets rd->value for a KEY, STRING or NUMBER. */
enum tsh_json_token tsh_json_next(struct tsh_json_reader *rd);
/* Skips the rest of the value that began with this token. Returns false when it is bad. */
bool tsh_json_skip(struct tsh_json_reader *rd, enum tsh_json_token token);

/* Says whether a string or key is `text`, which must need no escapes. */
bool tsh_json_is(const struct tsh_json_text *value, const char *text);
/* Appends the bytes that a string stands for. Half a surrogate pair becomes U+FFFD. */
void tsh_json_unescape(const struct tsh_json_text *value, struct tsh_strbuf *out);
/* Reads a whole number. Also reads a string of digits: base/json.h writes numbers beyond 2^53 as
 * strings. Returns false, and does not change *ret, when it is no such number or out of range. */
bool tsh_json_to_u64(const struct tsh_json_text *value, uint64_t *ret);
/* Does the same for a number that fits an int, and may have a sign. */
bool tsh_json_to_int(const struct tsh_json_text *value, int *ret);

#endif
