/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "json-read.h"

#include <limits.h>
#include <string.h>

#include "strbuf.h"

#define MAX_DEPTH 32

/* Say what can come next in the text. */
enum {
	STATE_VALUE,		/* any value: at the start, or behind a ':' or a ',' */
	STATE_FIRST,		/* behind an opening bracket: the first element, or the closing one */
	STATE_KEY,		/* behind a ',' in an object */
	STATE_NEXT,		/* behind an element: a ',' or a closing bracket */
	STATE_BAD,
};

void tsh_json_read(struct tsh_json_reader *rd, const char *text, size_t len)
{
	*rd = (struct tsh_json_reader){ .at = text, .end = text + len, .state = STATE_VALUE };
}

static enum tsh_json_token bad(struct tsh_json_reader *rd)
{
	rd->state = STATE_BAD;
	return TSH_JSON_BAD;
}

static inline void skip_blanks(struct tsh_json_reader *rd)
{
	while (rd->at < rd->end && (*rd->at == ' ' || *rd->at == '\t' || *rd->at == '\n' ||
				    *rd->at == '\r'))
		rd->at++;
}

/* ---- strings ---- */

/* Marks the bytes of a string that need no further check. */
static const bool plain[256] = {
	[' ' ... '"' - 1] = true,
	['"' + 1 ... '\\' - 1] = true,
	['\\' + 1 ... '~'] = true,
};

static int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if ((c | 0x20) >= 'a' && (c | 0x20) <= 'f')
		return (c | 0x20) - 'a' + 10;
	return -1;
}

/* Reads the four hexadecimal digits at p. Returns -1 when they are none. */
static int32_t read_unit(const char *p, const char *end)
{
	int32_t unit = 0;
	int i;

	if (end - p < 4)
		return -1;
	for (i = 0; i < 4; i++) {
		int digit = hex_digit(p[i]);

		if (digit < 0)
			return -1;
		unit = unit << 4 | digit;
	}
	return unit;
}

/* Returns the length of the escape whose letter is at p; 0: there is no such escape. */
static size_t escape_len(const char *p, const char *end)
{
	if (p == end)
		return 0;
	if (*p == 'u')
		return read_unit(p + 1, end) < 0 ? 0 : 5;
	return *p && strchr("\"\\/bfnrt", *p) ? 1 : 0;
}

/* Reads a string. Moves rd->at from behind the first quote to behind the last. */
static bool read_string(struct tsh_json_reader *rd)
{
	const char *begin = rd->at, *p = begin;
	bool is_plain = true;

	for (;;) {
		size_t len;

		while (p < rd->end && plain[(unsigned char)*p])
			p++;
		if (p == rd->end || (unsigned char)*p < ' ')
			return false;
		if (*p == '"')
			break;
		is_plain = false;
		if (*p++ != '\\')
			continue;	/* a DEL, or a byte of a longer character */
		len = escape_len(p, rd->end);
		if (!len)
			return false;
		p += len;
	}
	rd->value = (struct tsh_json_text){ begin, (size_t)(p - begin), is_plain };
	rd->at = p + 1;
	return true;
}

/* ---- the other values ---- */

static bool read_digits(struct tsh_json_reader *rd)
{
	const char *begin = rd->at;

	while (rd->at < rd->end && *rd->at >= '0' && *rd->at <= '9')
		rd->at++;
	return rd->at > begin;
}

static bool at_char(const struct tsh_json_reader *rd, char c)
{
	return rd->at < rd->end && *rd->at == c;
}

static bool read_number(struct tsh_json_reader *rd)
{
	const char *begin = rd->at;

	if (at_char(rd, '-'))
		rd->at++;
	if (at_char(rd, '0'))
		rd->at++;
	else if (!read_digits(rd))
		return false;
	if (at_char(rd, '.')) {
		rd->at++;
		if (!read_digits(rd))
			return false;
	}
	if (at_char(rd, 'e') || at_char(rd, 'E')) {
		rd->at++;
		if (at_char(rd, '+') || at_char(rd, '-'))
			rd->at++;
		if (!read_digits(rd))
			return false;
	}
	rd->value = (struct tsh_json_text){ begin, (size_t)(rd->at - begin), true };
	return true;
}

static bool read_word(struct tsh_json_reader *rd, const char *word)
{
	size_t len = strlen(word);

	if ((size_t)(rd->end - rd->at) < len || memcmp(rd->at, word, len) != 0)
		return false;
	rd->at += len;
	return true;
}

static enum tsh_json_token open_level(struct tsh_json_reader *rd, bool is_object)
{
	uint32_t bit;

	if (rd->depth == MAX_DEPTH)
		return bad(rd);
	bit = UINT32_C(1) << rd->depth++;
	rd->is_object = is_object ? rd->is_object | bit : rd->is_object & ~bit;
	rd->state = STATE_FIRST;
	rd->at++;
	return is_object ? TSH_JSON_OBJECT : TSH_JSON_ARRAY;
}

static enum tsh_json_token read_value(struct tsh_json_reader *rd)
{
	rd->state = STATE_NEXT;
	switch (rd->at < rd->end ? *rd->at : '\0') {
	case '{':
		return open_level(rd, true);
	case '[':
		return open_level(rd, false);
	case '"':
		rd->at++;
		return read_string(rd) ? TSH_JSON_STRING : bad(rd);
	case 't':
		return read_word(rd, "true") ? TSH_JSON_TRUE : bad(rd);
	case 'f':
		return read_word(rd, "false") ? TSH_JSON_FALSE : bad(rd);
	case 'n':
		return read_word(rd, "null") ? TSH_JSON_NULL : bad(rd);
	default:
		return read_number(rd) ? TSH_JSON_NUMBER : bad(rd);
	}
}

/* ---- objects and arrays ---- */

static bool in_object(const struct tsh_json_reader *rd)
{
	return rd->depth && (rd->is_object & (UINT32_C(1) << (rd->depth - 1)));
}

static enum tsh_json_token read_key(struct tsh_json_reader *rd)
{
	if (!at_char(rd, '"'))
		return bad(rd);
	rd->at++;
	if (!read_string(rd))
		return bad(rd);
	skip_blanks(rd);
	if (!at_char(rd, ':'))
		return bad(rd);
	rd->at++;
	rd->state = STATE_VALUE;
	return TSH_JSON_KEY;
}

static enum tsh_json_token close_level(struct tsh_json_reader *rd)
{
	bool is_object = in_object(rd);

	rd->at++;
	rd->depth--;
	rd->state = STATE_NEXT;
	return is_object ? TSH_JSON_OBJECT_END : TSH_JSON_ARRAY_END;
}

/* Reads what follows an element, or the end of the text. */
static enum tsh_json_token read_next(struct tsh_json_reader *rd)
{
	if (!rd->depth)
		return rd->at == rd->end ? TSH_JSON_DONE : bad(rd);
	if (at_char(rd, in_object(rd) ? '}' : ']'))
		return close_level(rd);
	if (!at_char(rd, ','))
		return bad(rd);
	rd->at++;
	skip_blanks(rd);
	return in_object(rd) ? read_key(rd) : read_value(rd);
}

enum tsh_json_token tsh_json_next(struct tsh_json_reader *rd)
{
	skip_blanks(rd);
	switch (rd->state) {
	case STATE_VALUE:
		return read_value(rd);
	case STATE_FIRST:
		if (at_char(rd, in_object(rd) ? '}' : ']'))
			return close_level(rd);
		return in_object(rd) ? read_key(rd) : read_value(rd);
	case STATE_NEXT:
		return read_next(rd);
	default:
		return bad(rd);
	}
}

bool tsh_json_skip(struct tsh_json_reader *rd, enum tsh_json_token token)
{
	unsigned int outside;

	if (token != TSH_JSON_OBJECT && token != TSH_JSON_ARRAY)
		return token != TSH_JSON_BAD;
	outside = rd->depth - 1;
	while (token != TSH_JSON_BAD && rd->depth > outside)
		token = tsh_json_next(rd);
	return token != TSH_JSON_BAD;
}

/* ---- values of texts ---- */

bool tsh_json_is(const struct tsh_json_text *value, const char *text)
{
	return value->len == strlen(text) && !memcmp(value->text, text, value->len);
}

static void add_code(struct tsh_strbuf *out, uint32_t code)
{
	if (code < 0x80) {
		tsh_strbuf_addc(out, (char)code);
		return;
	}
	if (code < 0x800) {
		tsh_strbuf_addc(out, (char)(0xc0 | code >> 6));
	} else {
		if (code < 0x10000) {
			tsh_strbuf_addc(out, (char)(0xe0 | code >> 12));
		} else {
			tsh_strbuf_addc(out, (char)(0xf0 | code >> 18));
			tsh_strbuf_addc(out, (char)(0x80 | (code >> 12 & 0x3f)));
		}
		tsh_strbuf_addc(out, (char)(0x80 | (code >> 6 & 0x3f)));
	}
	tsh_strbuf_addc(out, (char)(0x80 | (code & 0x3f)));
}

/* Appends the character of a \uNNNN whose digits are at p. Returns a pointer behind it, or
 * behind the second half of a surrogate pair. */
static const char *add_unit(struct tsh_strbuf *out, const char *p, const char *end)
{
	int32_t unit = read_unit(p, end), low;

	p += 4;
	if (unit < 0xd800 || unit > 0xdfff) {
		add_code(out, (uint32_t)unit);
		return p;
	}
	low = end - p >= 6 && p[0] == '\\' && p[1] == 'u' ? read_unit(p + 2, end) : -1;
	if (unit > 0xdbff || low < 0xdc00 || low > 0xdfff) {
		add_code(out, 0xfffd);
		return p;
	}
	add_code(out, 0x10000 + ((uint32_t)(unit - 0xd800) << 10) + (uint32_t)(low - 0xdc00));
	return p + 6;
}

void tsh_json_unescape(const struct tsh_json_text *value, struct tsh_strbuf *out)
{
	static const char letters[] = "bfnrt", bytes[] = "\b\f\n\r\t";
	const char *p = value->text, *end = p + value->len;

	while (p < end) {
		const char *escape = memchr(p, '\\', (size_t)(end - p)), *letter;

		tsh_strbuf_add(out, p, (size_t)((escape ? escape : end) - p));
		if (!escape)
			return;
		p = escape + 2;
		if (escape[1] == 'u') {
			p = add_unit(out, p, end);
			continue;
		}
		letter = strchr(letters, escape[1]);
		tsh_strbuf_addc(out, letter ? bytes[letter - letters] : escape[1]);
	}
}

bool tsh_json_to_u64(const struct tsh_json_text *value, uint64_t *ret)
{
	uint64_t n = 0;
	size_t i;

	for (i = 0; i < value->len; i++) {
		unsigned int digit = (unsigned int)(unsigned char)value->text[i] - '0';

		if (digit > 9 || n > (UINT64_MAX - digit) / 10)
			return false;
		n = n * 10 + digit;
	}
	if (!value->len)
		return false;
	*ret = n;
	return true;
}

bool tsh_json_to_int(const struct tsh_json_text *value, int *ret)
{
	struct tsh_json_text digits = *value;
	bool negative = digits.len && *digits.text == '-';
	uint64_t n;

	digits.text += negative;
	digits.len -= negative;
	if (!tsh_json_to_u64(&digits, &n) || n > INT_MAX)
		return false;
	*ret = negative ? -(int)n : (int)n;
	return true;
}
