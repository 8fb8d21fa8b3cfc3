/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "directive.h"

#include <string.h>

#include "digits.h"

/* Limits padding: the kernel's line buffer (struct trace_seq) has two pages at most. */
#define PAD_MAX		8192
/* struct printf_spec: field_width:24, precision:16 */
#define WIDTH_MAX	((1 << 23) - 1)
#define PRECISION_MAX	((1 << 15) - 1)

/* ---- parsing: format_decode() ---- */

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* Says whether a character is a letter or a digit for the kernel's isalnum(), which includes
 * Latin-1 (lib/ctype.c). */
static bool is_alnum(char c)
{
	unsigned char u = (unsigned char)c;

	return is_digit(c) || (u >= 'a' && u <= 'z') || (u >= 'A' && u <= 'Z') ||
	       (u >= 0xc0 && u != 0xd7 && u != 0xf7);
}

/* Reads a number. A large one wraps as in the kernel's signed bit field of `bits` bits. */
static int parse_bits(const char **s, const char *end, unsigned int bits)
{
	uint32_t value = 0;

	while (*s < end && is_digit(**s))
		value = value * 10 + (uint32_t)(*(*s)++ - '0');
	return (int32_t)(value << (32 - bits)) >> (32 - bits);
}

static bool set_flag(struct directive *d, char c)
{
	switch (c) {
	case '-':
		d->left = true;
		return true;
	case '+':
		d->plus = true;
		return true;
	case ' ':
		d->space = true;
		return true;
	case '#':
		d->special = true;
		return true;
	case '0':
		d->zero = true;
		return true;
	}
	return false;
}

/* Reads flags, width and precision. Returns what follows them. */
static const char *parse_layout(const char *s, const char *end, struct directive *d)
{
	while (s < end && set_flag(d, *s))
		s++;
	if (s < end && *s == '*') {
		d->width_is_arg = true;
		s++;
	} else if (s < end && is_digit(*s)) {
		d->width = parse_bits(&s, end, 24);
		if (d->width < 0)
			d->width = -1;
	}
	if (s == end || *s != '.')
		return s;
	s++;
	if (s < end && *s == '*') {
		d->precision_is_arg = true;
		s++;
	} else if (s < end && is_digit(*s)) {
		d->precision = parse_bits(&s, end, 16);
		if (d->precision < 0)
			d->precision = 0;
	}
	return s;
}

static const char *parse_length(const char *s, const char *end, unsigned int long_size,
				struct directive *d)
{
	bool is_double = end - s > 1 && s[0] == s[1];

	d->size = 4;
	if (s == end)
		return s;
	switch (*s) {
	case 'h':
		d->size = is_double ? 1 : 2;
		return s + 1 + is_double;
	case 'l':
		d->size = is_double ? 8 : (uint8_t)long_size;
		return s + 1 + is_double;
	case 'L':
		d->size = 8;
		return s + 1;
	case 'z':
	case 't':
		d->size = (uint8_t)long_size;
		return s + 1;
	}
	return s;
}

static void set_number(struct directive *d, uint8_t base, bool is_signed)
{
	d->kind = DIRECTIVE_NUMBER;
	d->base = base;
	d->is_signed = is_signed;
}

static const char *parse_extension(const char *s, const char *end, struct directive *d)
{
	size_t len = 0;

	for (; s < end && is_alnum(*s); s++)
		if (len < sizeof(d->extension) - 1)
			d->extension[len++] = *s;
	return s;
}

/* Reads the conversion letter at s. Returns false when the kernel does not know it. */
static bool set_conversion(struct directive *d, char c, unsigned int long_size)
{
	switch (c) {
	case 'd':
	case 'i':
		set_number(d, 10, true);
		return true;
	case 'u':
		set_number(d, 10, false);
		return true;
	case 'X':
		d->is_upper = true;
		set_number(d, 16, false);
		return true;
	case 'x':
		set_number(d, 16, false);
		return true;
	case 'o':
		set_number(d, 8, false);
		return true;
	case 'c':
		d->kind = DIRECTIVE_CHAR;
		d->size = 1;
		return true;
	case 's':
		d->kind = DIRECTIVE_STRING;
		d->size = (uint8_t)long_size;
		return true;
	case 'p':
		d->kind = DIRECTIVE_POINTER;
		d->size = (uint8_t)long_size;
		return true;
	case '%':
		return true;
	}
	return false;
}

const char *directive_next(const char *text, const char *end, unsigned int long_size,
			   size_t *ret_literal_len, struct directive *ret)
{
	const char *percent, *s;

	memset(ret, 0, sizeof(*ret));
	ret->width = -1;
	ret->precision = -1;
	ret->base = 10;
	end = text + strnlen(text, (size_t)(end - text));
	percent = memchr(text, '%', (size_t)(end - text));
	*ret_literal_len = (size_t)((percent ? percent : end) - text);
	if (!percent)
		return end;
	s = parse_layout(percent + 1, end, ret);
	s = parse_length(s, end, long_size, ret);
	if (s == end || !set_conversion(ret, *s, long_size)) {
		ret->kind = DIRECTIVE_BAD;
		return end;
	}
	if (*s == '%')
		++*ret_literal_len;
	s++;
	return ret->kind == DIRECTIVE_POINTER ? parse_extension(s, end, ret) : s;
}

void directive_set_width(struct directive *d, int width)
{
	if (width < -WIDTH_MAX)
		width = -WIDTH_MAX;
	if (width < 0) {
		d->left = true;
		width = -width;
	}
	d->width = width < WIDTH_MAX ? width : WIDTH_MAX;
}

void directive_set_precision(struct directive *d, int precision)
{
	if (precision < 0)
		precision = 0;
	d->precision = precision < PRECISION_MAX ? precision : PRECISION_MAX;
}

/* ---- numbers: number() ---- */

/* Writes octal digits, or hexadecimal ones of either case, into DIGITS_ROOM bytes. Returns their
 * end. */
static char *write_bits(char *o, uint64_t value, unsigned int shift, bool is_upper)
{
	const char *digits = is_upper ? "0123456789ABCDEF" : "0123456789abcdef";
	unsigned int bits = 64 - (unsigned int)__builtin_clzll(value | 1);
	unsigned int left = (bits + shift - 1) / shift * shift;

	while (left) {
		left -= shift;
		*o++ = digits[value >> left & ((1u << shift) - 1)];
	}
	return o;
}

static char *write_digits(char *o, const struct directive *d, uint64_t value)
{
	if (d->base == 10)
		return digits_write_unsigned(o, value);
	if (d->base == 8)
		return write_bits(o, value, 3, false);
	return d->is_upper ? write_bits(o, value, 4, true) : digits_write_hex(o, value);
}

static uint64_t wrap(const struct directive *d, uint64_t value)
{
	unsigned int unused = 64 - 8 * d->size;

	if (!unused)
		return value;
	value <<= unused;
	return d->is_signed ? (uint64_t)((int64_t)value >> unused) : value >> unused;
}

static char sign_of(const struct directive *d, bool is_negative)
{
	if (!d->is_signed)
		return '\0';
	return is_negative ? '-' : d->plus ? '+' : d->space ? ' ' : '\0';
}

static int pad_length(int count)
{
	return count < 0 ? 0 : count < PAD_MAX ? count : PAD_MAX;
}

/* Adds digits with sign, prefix and padding, in the kernel's order. */
static void append_padded(struct tsh_strbuf *out, const struct directive *d, char sign,
			  const char *digits, int len)
{
	bool is_zero = len == 1 && digits[0] == '0';
	bool has_0 = d->special && (d->base == 16 || (d->base == 8 && !is_zero));
	bool has_x = d->special && d->base == 16;
	int zeros = pad_length(d->precision - len);
	int pad = pad_length(d->width - len - zeros - !!sign - has_0 - has_x);

	if (pad && !d->zero && !d->left)
		tsh_strbuf_addn(out, ' ', (size_t)pad);
	if (sign)
		tsh_strbuf_addc(out, sign);
	if (has_0)
		tsh_strbuf_addc(out, '0');
	if (has_x)
		tsh_strbuf_addc(out, d->is_upper ? 'X' : 'x');
	if (pad && d->zero && !d->left)
		tsh_strbuf_addn(out, '0', (size_t)pad);
	if (zeros)
		tsh_strbuf_addn(out, '0', (size_t)zeros);
	tsh_strbuf_add(out, digits, (size_t)len);
	if (pad && d->left)
		tsh_strbuf_addn(out, ' ', (size_t)pad);
}

void directive_number(struct tsh_strbuf *out, const struct directive *d, uint64_t value)
{
	char text[DIGITS_ROOM], *o;
	bool is_negative;
	char sign;

	value = wrap(d, value);
	is_negative = d->is_signed && (int64_t)value < 0;
	if (is_negative)
		value = -value;
	sign = sign_of(d, is_negative);
	if (d->width > 0 || d->precision > 0 || d->special) {
		append_padded(out, d, sign, text, (int)(write_digits(text, d, value) - text));
		return;
	}
	tsh_strbuf_grow(out, 1 + DIGITS_ROOM);
	o = out->buf + out->len;
	if (sign)
		*o++ = sign;
	o = write_digits(o, d, value);
	*o = '\0';
	out->len = (size_t)(o - out->buf);
}

/* ---- text: widen_string() ---- */

void directive_char(struct tsh_strbuf *out, const struct directive *d, unsigned char c)
{
	size_t pad = (size_t)pad_length(d->width - 1);

	if (!d->left)
		tsh_strbuf_addn(out, ' ', pad);
	tsh_strbuf_addc(out, (char)c);
	if (d->left)
		tsh_strbuf_addn(out, ' ', pad);
}

void directive_string(struct tsh_strbuf *out, const struct directive *d, const char *s,
		      size_t len)
{
	size_t pad;

	if (d->precision >= 0 && len > (size_t)d->precision)
		len = (size_t)d->precision;
	if (d->width <= 0 || len >= (size_t)d->width) {
		tsh_strbuf_add(out, s, len);
		return;
	}
	pad = (size_t)pad_length(d->width - (int)len);
	if (!d->left)
		tsh_strbuf_addn(out, ' ', pad);
	tsh_strbuf_add(out, s, len);
	if (d->left)
		tsh_strbuf_addn(out, ' ', pad);
}

void directive_pad(struct tsh_strbuf *out, const struct directive *d, size_t begin)
{
	size_t len = out->len - begin, pad;

	if (d->precision >= 0 && len > (size_t)d->precision) {
		len = (size_t)d->precision;
		tsh_strbuf_truncate(out, begin + len);
	}
	if (d->width <= 0 || len >= (size_t)d->width)
		return;
	pad = (size_t)pad_length(d->width - (int)len);
	tsh_strbuf_addn(out, ' ', pad);
	if (d->left)
		return;
	memmove(out->buf + begin + pad, out->buf + begin, len);
	memset(out->buf + begin, ' ', pad);
}
