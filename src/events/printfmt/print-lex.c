/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <ctype.h>
#include <string.h>

#include "print-lex.h"

static bool is_name_char(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

/* ---- escapes ---- */

static int digit_value(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return 16;
}

/* Reads digits of an escape, at most `max`. */
static const char *read_digits(const char *p, const char *end, int base, int max,
			       unsigned char *ret)
{
	unsigned int value = 0;

	for (; p < end && max && digit_value(*p) < base; p++, max--)
		value = value * (unsigned int)base + (unsigned int)digit_value(*p);
	*ret = (unsigned char)value;
	return p;
}

/* Reads the escape behind a backslash; an unknown one stays as it is. */
static const char *read_escape(const char *p, const char *end, unsigned char *ret)
{
	static const char names[] = "ntrabfve", values[] = "\n\t\r\a\b\f\v\033";
	const char *name;

	if (*p == 'x' && p + 1 < end && digit_value(p[1]) < 16)
		return read_digits(p + 1, end, 16, 2, ret);
	if (digit_value(*p) < 8)
		return read_digits(p, end, 8, 3, ret);
	name = *p ? strchr(names, *p) : NULL;
	*ret = (unsigned char)(name ? values[name - names] : *p);
	return p + 1;
}

size_t token_unescape(const char *text, size_t len, char *out)
{
	const char *p = text, *end = text + len;
	unsigned char c;
	size_t n = 0;

	while (p < end) {
		c = (unsigned char)*p++;
		if (c == '\\' && p < end)
			p = read_escape(p, end, &c);
		out[n++] = (char)c;
	}
	return n;
}

/* ---- numbers ---- */

/* Returns the first type of C's list that can hold the value (C11 6.4.4.1). */
static struct ctype constant_type(uint64_t value, bool is_decimal, bool is_unsigned,
				  unsigned int longs, unsigned int long_size)
{
	unsigned int size = longs > 1 ? 8 : longs ? long_size : 4;
	bool is_signed = !is_unsigned;

	if (size == 4 && value >> 32)
		size = 8;
	if (is_signed && value >> (8 * size - 1)) {
		if (!is_decimal || size == 8)
			is_signed = false;
		else
			size = 8;
	}
	return (struct ctype){ .size = (uint8_t)size, .is_signed = is_signed };
}

static const char *read_number(const char *p, const char *end, unsigned int long_size,
			       struct token *ret)
{
	bool is_unsigned = false;
	unsigned int longs = 0;
	int base = 10;

	ret->kind = TOKEN_NUMBER;
	if (*p == '0' && p + 1 < end && (p[1] == 'x' || p[1] == 'X')) {
		base = 16;
		p += 2;
	} else if (*p == '0' && p + 1 < end && (p[1] == 'b' || p[1] == 'B')) {
		base = 2;
		p += 2;
	} else if (*p == '0') {
		base = 8;
	}
	if (p == end || digit_value(*p) >= base)
		ret->kind = TOKEN_BAD;
	for (; p < end && digit_value(*p) < base; p++)
		ret->number = ret->number * (uint64_t)base + (uint64_t)digit_value(*p);
	for (; p < end && strchr("uUlL", *p) && *p; p++) {
		if (*p == 'u' || *p == 'U')
			is_unsigned = true;
		else
			longs++;
	}
	if (p < end && (is_name_char(*p) || *p == '.'))
		ret->kind = TOKEN_BAD;
	ret->type = constant_type(ret->number, base == 10, is_unsigned, longs, long_size);
	return p;
}

/* ---- quotes ---- */

static const char *read_string(const char *p, const char *end, struct token *ret)
{
	for (p++; p < end && *p != '"'; p++)
		if (*p == '\\' && p + 1 < end)
			p++;
	ret->kind = p < end ? TOKEN_STRING : TOKEN_BAD;
	return p < end ? p + 1 : end;
}

static const char *read_character(const char *p, const char *end, struct token *ret)
{
	unsigned char c = 0;

	ret->kind = TOKEN_BAD;
	p++;
	if (p < end && *p != '\'') {
		c = (unsigned char)*p++;
		if (c == '\\' && p < end)
			p = read_escape(p, end, &c);
		if (p < end && *p == '\'')
			ret->kind = TOKEN_NUMBER;
	}
	ret->number = c;
	ret->type = (struct ctype){ .size = 4, .is_signed = true };
	return p < end ? p + 1 : end;
}

/* ---- tokens ---- */

static const char *read_punct(const char *p, const char *end, struct token *ret)
{
	static const char doubles[][3] = {
		"<<", ">>", "<=", ">=", "==", "!=", "&&", "||", "->", "++", "--", "+=", "-=",
		"*=", "/=", "%=", "&=", "|=", "^=",
	};
	size_t i;

	ret->kind = TOKEN_PUNCT;
	for (i = 0; p + 1 < end && i < sizeof(doubles) / sizeof(doubles[0]); i++) {
		if (p[0] == doubles[i][0] && p[1] == doubles[i][1]) {
			ret->punct = PUNCT2(p[0], p[1]);
			return p + 2;
		}
	}
	ret->punct = (unsigned char)*p;
	if (!*p || !strchr("+-*/%&|^~!<>=?:.,;()[]{}", *p))
		ret->kind = TOKEN_BAD;
	return p + 1;
}

const char *token_next(const char *p, const char *end, unsigned int long_size,
		       struct token *ret)
{
	while (p < end && isspace((unsigned char)*p))
		p++;
	*ret = (struct token){ .kind = TOKEN_END, .text = p };
	if (p == end)
		return p;
	if (isdigit((unsigned char)*p)) {
		p = read_number(p, end, long_size, ret);
	} else if (is_name_char(*p)) {
		ret->kind = TOKEN_NAME;
		while (p < end && is_name_char(*p))
			p++;
	} else if (*p == '"') {
		p = read_string(p, end, ret);
	} else if (*p == '\'') {
		p = read_character(p, end, ret);
	} else {
		p = read_punct(p, end, ret);
	}
	ret->len = (size_t)(p - ret->text);
	return p;
}

bool token_is_name(const struct token *token, const char *name)
{
	return token->kind == TOKEN_NAME && token->len == strlen(name) &&
	       !memcmp(token->text, name, token->len);
}
