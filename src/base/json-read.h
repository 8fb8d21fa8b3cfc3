/* base/json-read.h - a reader of JSON, one value at a time */
/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_BASE_JSON_READ_H
#define TRACESH_BASE_JSON_READ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct tsh_strbuf;

enum tsh_json_token {
	TSH_JSON_BAD,			/* it is no JSON; and nothing else comes any more */
	TSH_JSON_DONE,			/* the text is over, and one value was all of it */
	TSH_JSON_OBJECT, TSH_JSON_OBJECT_END,
	TSH_JSON_ARRAY, TSH_JSON_ARRAY_END,
	TSH_JSON_KEY,
	TSH_JSON_STRING, TSH_JSON_NUMBER, TSH_JSON_TRUE, TSH_JSON_FALSE, TSH_JSON_NULL,
};

/* A piece of the text that is read: of a string or key what is between the quotes, escapes
 * included; a number as it stands there. */
struct tsh_json_text {
	const char *text;
	size_t len;
	bool is_plain;			/* printable ASCII without escapes: it stands for itself */
};

/*
 * Reads one value of RFC 8259, of any size, from memory that stays the caller's; allocates
 * nothing. Deeper than 32 levels is bad, and so are control bytes in strings, a NUL too. Bytes
 * that are no UTF-8 are not: whoever prints a string sanitizes it.
 */
struct tsh_json_reader {
	const char *at, *end;
	struct tsh_json_text value;	/* of a KEY, STRING or NUMBER */
	uint32_t is_object;		/* bit d: level d + 1 is an object, no array */
	unsigned int depth;
	unsigned char state;
};

void tsh_json_read(struct tsh_json_reader *rd, const char *text, size_t len);
enum tsh_json_token tsh_json_next(struct tsh_json_reader *rd);
/* All that belongs to the value that began with this token. False: it is bad. */
bool tsh_json_skip(struct tsh_json_reader *rd, enum tsh_json_token token);

/* Whether a string or key is that, which needs no escapes. */
bool tsh_json_is(const struct tsh_json_text *value, const char *text);
/* Appends what a string stands for: any bytes. Half a surrogate pair becomes U+FFFD. */
void tsh_json_unescape(const struct tsh_json_text *value, struct tsh_strbuf *out);
/* A whole number, which the writer makes a string of beyond 2^53. False: it is none, or out of
 * range; *ret is then unchanged. */
bool tsh_json_to_u64(const struct tsh_json_text *value, uint64_t *ret);
bool tsh_json_to_int(const struct tsh_json_text *value, int *ret);

#endif
