/* base/json.h - a writer of JSON, one object a line */
/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_BASE_JSON_H
#define TRACESH_BASE_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct tsh_strbuf;

/*
 * Writes JSON to `out`, and sets the commas. The depth is at most 32; a misuse (a value without a
 * key in an object) fails an assertion. The caller writes the newline between two values of depth
 * 0.
 */
struct tsh_json {
	struct tsh_strbuf *out;
	uint32_t has_member;	/* bit d: level d + 1 has had a member */
	uint32_t is_object;	/* bit d: level d + 1 is an object, not an array */
	unsigned int depth;
	bool after_key;
};

/* Prepares a writer; borrows `out`. */
void tsh_json_init(struct tsh_json *js, struct tsh_strbuf *out);
void tsh_json_object(struct tsh_json *js);
void tsh_json_object_end(struct tsh_json *js);
void tsh_json_array(struct tsh_json *js);
void tsh_json_array_end(struct tsh_json *js);
void tsh_json_key(struct tsh_json *js, const char *key);
/* Writes a key of any bytes, also NULs, as tsh_json_string writes a string. */
void tsh_json_keyn(struct tsh_json *js, const char *key, size_t len);
/* Writes a key that is JSON already, with its colon. */
void tsh_json_key_text(struct tsh_json *js, const char *text, size_t len);
/* Writes a key that is a literal of letters, digits and underscores. */
#define tsh_json_literal_key(js, key) tsh_json_key_text(js, "\"" key "\":", sizeof(key) + 2)
/*
 * Writes a string of any bytes. A byte that is not UTF-8 becomes \u00NN, so that nothing is lost;
 * hostile characters (tsh_utf8_is_hostile) are escaped; all others stay. So the line is safe for a
 * terminal too.
 */
void tsh_json_string(struct tsh_json *js, const char *text, size_t len);
/* Appends such a string without its quotes. */
void tsh_json_add_text(struct tsh_strbuf *out, const char *text, size_t len);
void tsh_json_str(struct tsh_json *js, const char *text);	/* NULL: writes null */
/* Writes a number up to 2^53, and a string beyond that, because jq 1.6 and JavaScript would
 * round it. */
void tsh_json_u64(struct tsh_json *js, uint64_t value);
void tsh_json_s64(struct tsh_json *js, int64_t value);
/* Writes a number, or null when the number is not known. */
void tsh_json_maybe(struct tsh_json *js, bool is_known, uint64_t value);
/* Writes the number in `text` by the same rule. It may exceed 64 bits, and may have a sign and a
 * point. NULL: writes null. */
void tsh_json_digits(struct tsh_json *js, const char *text);
/* Writes seconds as 2.000123, with nine decimals when ns is no whole number of microseconds. */
void tsh_json_seconds(struct tsh_json *js, uint64_t ns);
void tsh_json_bool(struct tsh_json *js, bool value);
void tsh_json_null(struct tsh_json *js);
/* Writes a value that is JSON already, such as a number that was read. */
void tsh_json_raw(struct tsh_json *js, const char *text, size_t len);

/* Write a key and its value. */
void tsh_json_kstr(struct tsh_json *js, const char *key, const char *text);
void tsh_json_ku64(struct tsh_json *js, const char *key, uint64_t value);
void tsh_json_ks64(struct tsh_json *js, const char *key, int64_t value);
void tsh_json_kbool(struct tsh_json *js, const char *key, bool value);
/* Writes a key and a number, or null when the number is not known. */
void tsh_json_kmaybe(struct tsh_json *js, const char *key, bool is_known, uint64_t value);

/* Prepares js, and begins an object with the member "type". tsh_json_line_end ends the object
 * and its line. */
void tsh_json_line(struct tsh_json *js, struct tsh_strbuf *out, const char *type);
void tsh_json_line_end(struct tsh_json *js);

#endif
