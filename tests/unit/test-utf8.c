/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/utf8.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/strbuf.h"

#define N(array) (sizeof(array) / sizeof((array)[0]))

static uint32_t seed;

/* The same numbers in every run. */
static uint32_t next_random(uint32_t below)
{
	seed = seed * 1664525 + 1013904223;
	return (seed >> 8) % below;
}

/* Encodes as if there were no forbidden code points. */
static size_t encode(uint32_t code, char *out)
{
	static const unsigned char lead[] = { 0, 0, 0xc0, 0xe0, 0xf0 };
	size_t n = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
	size_t i;

	if (n == 1) {
		out[0] = (char)code;
		return 1;
	}
	for (i = n - 1; i > 0; i--, code >>= 6)
		out[i] = (char)(0x80 | (code & 0x3f));
	out[0] = (char)(lead[n] | code);
	return n;
}

static void test_every_code(void **state)
{
	uint32_t code;

	(void)state;
	for (code = 0; code < 0x200000; code++) {
		bool valid = code < 0xd800 || (code > 0xdfff && code < 0x110000);
		uint32_t got = 0xabcdef12;
		char text[4];
		size_t n = encode(code, text);
		size_t r = tsh_utf8_decode(text, n, &got);

		if (r != (valid ? n : 0) || got != (valid ? code : 0xabcdef12))
			fail_msg("U+%04x: %zu, U+%04x", code, r, got);
		if (n > 1 && tsh_utf8_decode(text, n - 1, &got))
			fail_msg("U+%04x without its end is decoded", code);
	}
}

static void test_decode_invalid(void **state)
{
	static const struct {
		const char *text;
		size_t len;
	} rows[] = {
		{ "", 0 },
		{ "\x80", 1 },				/* no lead */
		{ "\xbf\x80", 2 },
		{ "\xc0\x80", 2 },			/* overlong */
		{ "\xc1\xbf", 2 },
		{ "\xe0\x80\x80", 3 },
		{ "\xe0\x9f\xbf", 3 },
		{ "\xf0\x80\x80\x80", 4 },
		{ "\xf0\x8f\xbf\xbf", 4 },
		{ "\xed\xa0\x80", 3 },			/* surrogates */
		{ "\xed\xbf\xbf", 3 },
		{ "\xf4\x90\x80\x80", 4 },		/* U+110000 */
		{ "\xf5\x80\x80\x80", 4 },
		{ "\xf8\x88\x80\x80\x80", 5 },
		{ "\xfe", 1 },
		{ "\xff\xff\xff\xff", 4 },
		{ "\xc3", 1 },				/* truncated */
		{ "\xe2\x82", 2 },
		{ "\xf0\x9f\x98", 3 },
		{ "\xc3(", 2 },				/* something else follows */
		{ "\xe2(\xa1", 3 },
		{ "\xe2\x82(", 3 },
		{ "\xf0\x9f\x98\xc3", 4 },
		{ "\xc3\xc3", 2 },
	};
	uint32_t code = 7;
	size_t i;

	(void)state;
	for (i = 0; i < N(rows); i++) {
		if (tsh_utf8_decode(rows[i].text, rows[i].len, &code) || code != 7)
			fail_msg("row %zu is decoded", i);
	}
	/* what follows does not matter */
	assert_int_equal(tsh_utf8_decode("\xc3\xa4\xff", 3, &code), 2);
	assert_int_equal(code, 0xe4);
}

static void test_hostile(void **state)
{
	static const uint32_t hostile[] = {
		0, '\t', '\n', 0x1b, 0x1f, 0x7f, 0x80, 0x85, 0x9b, 0x9f, 0xad, 0x61c, 0x200b,
		0x200d, 0x200e, 0x200f, 0x2028, 0x2029, 0x202a, 0x202e, 0x2060, 0x2064, 0x2066,
		0x2069, 0x206f, 0xfe0f, 0xfeff, 0xfff9, 0xe0000, 0xe0001, 0xe0020, 0xe007f, 0xe0100,
	};
	static const uint32_t harmless[] = {
		' ', 'a', '\\', '~', 0xa0, 0xac, 0xae, 0xe4, 0x300, 0x61b, 0x200a, 0x2010, 0x2027,
		0x202f, 0x205f, 0x2070, 0x20ac, 0x4e2d, 0xac00, 0xfdff, 0xfe10, 0xfffd, 0x1f600,
		0xdffff, 0xe1000, 0x10ffff,
	};
	size_t i;

	(void)state;
	for (i = 0; i < N(hostile); i++) {
		if (!tsh_utf8_is_hostile(hostile[i]))
			fail_msg("U+%04x is let through", hostile[i]);
	}
	for (i = 0; i < N(harmless); i++) {
		if (tsh_utf8_is_hostile(harmless[i]))
			fail_msg("U+%04x is hostile", harmless[i]);
	}
}

static void test_sanitize(void **state)
{
	static const struct {
		const char *text;
		const char *want;
		const char *lines; /* NULL: as want */
	} rows[] = {
		{ "", "", NULL },
		{ "plain, long enough for several words", "plain, long enough for several words", NULL },
		{ "a\\b\\n", "a\\b\\n", NULL },
		{ "a\nb\tc\rd", "a\\nb\\tc\\rd", "a\nb\tc\\rd" },
		{ "\x1b[31mred", "\\x1b[31mred", NULL },
		{ "\x01\x1f\x7f\a", "\\x01\\x1f\\x7f\\x07", NULL },
		{ "gr\xc3\xbc\xc3\x9f" "e \xe2\x82\xac \xf0\x9f\x98\x80",
		  "gr\xc3\xbc\xc3\x9f" "e \xe2\x82\xac \xf0\x9f\x98\x80", NULL },
		{ "\xc2\x85|\xc2\x9b" "31m", "\\u{0085}|\\u{009b}31m", NULL },
		{ "\x9b" "31m", "\\x9b31m", NULL },
		{ "a\xe2\x80\xae" "b", "a\\u{202e}b", NULL },
		{ "\xe2\x81\xa6\xe2\x80\x8b", "\\u{2066}\\u{200b}", NULL },
		{ "\xf3\xa0\x80\x81", "\\u{e0001}", NULL },
		{ "\xef\xbb\xbfx", "\\u{feff}x", NULL },
		{ "\xe2\x80\xa8\xe2\x80\xa9", "\\u{2028}\\u{2029}", NULL },
		{ "\xc0\xaf", "\\xc0\\xaf", NULL },
		{ "\xed\xa0\x80", "\\xed\\xa0\\x80", NULL },
		{ "abc\xe2\x82", "abc\\xe2\\x82", NULL },
		{ "\xe2\x82\xc3\xa4", "\\xe2\\x82\xc3\xa4", NULL },
		{ "\xf4\x90\x80\x80", "\\xf4\\x90\\x80\\x80", NULL },
		{ "comm\n\xff\t", "comm\\n\\xff\\t", "comm\n\\xff\t" },
	};
	struct tsh_strbuf sb = TSH_STRBUF_INIT;
	char *copy;
	size_t i;

	(void)state;
	for (i = 0; i < N(rows); i++) {
		const char *text = rows[i].text;

		tsh_strbuf_clear(&sb);
		tsh_sanitize(&sb, text, strlen(text));
		assert_string_equal(sb.buf, rows[i].want);
		copy = tsh_sanitize_dup(text);
		assert_string_equal(copy, rows[i].want);
		free(copy);
		tsh_strbuf_clear(&sb);
		tsh_sanitize_lines(&sb, text, strlen(text));
		assert_string_equal(sb.buf, rows[i].lines ? rows[i].lines : rows[i].want);
	}
	tsh_strbuf_clear(&sb);
	tsh_strbuf_adds(&sb, "kept ");
	tsh_sanitize(&sb, "a\0b", 3);
	tsh_sanitize(&sb, NULL, 0);
	assert_string_equal(sb.buf, "kept a\\x00b");
	tsh_strbuf_release(&sb);
}

/* What becomes of one byte that is alone between ASCII characters. */
static size_t escape(unsigned char byte, char *out, size_t size)
{
	switch (byte) {
	case '\n':
		return (size_t)snprintf(out, size, "\\n");
	case '\t':
		return (size_t)snprintf(out, size, "\\t");
	case '\r':
		return (size_t)snprintf(out, size, "\\r");
	}
	if (byte < ' ' || byte > '~')
		return (size_t)snprintf(out, size, "\\x%02x", byte);
	return (size_t)snprintf(out, size, "%c", byte);
}

/* Every byte at every place of the words that are looked at in one go. */
static void test_sanitize_words(void **state)
{
	enum { LEN = 40 };
	unsigned int byte;
	size_t at;

	(void)state;
	for (byte = 0; byte < 256; byte++) {
		for (at = 0; at < LEN; at++) {
			struct tsh_strbuf sb = { 0 };
			char text[LEN + 8], want[LEN + 8], filler = at % 2 ? '~' : ' ';
			size_t begin = byte % 8, n;

			memset(text, '\n', sizeof(text));
			memset(text + begin, filler, LEN);
			text[begin + at] = (char)byte;
			memset(want, filler, sizeof(want));
			n = escape((unsigned char)byte, want + at, 8);
			want[at + n] = filler;
			tsh_sanitize(&sb, text + begin, LEN);
			assert_int_equal(sb.len, LEN - 1 + n);
			assert_memory_equal(sb.buf, want, sb.len);
			tsh_strbuf_release(&sb);
		}
	}
}

/* Fails unless all of it is valid and not hostile. */
static void assert_safe(const struct tsh_strbuf *sb, bool lines)
{
	size_t i = 0;

	while (i < sb->len) {
		uint32_t code;
		size_t n = tsh_utf8_decode(sb->buf + i, sb->len - i, &code);

		if (!n)
			fail_msg("a byte is not UTF-8");
		if (tsh_utf8_is_hostile(code) && !(lines && (code == '\n' || code == '\t')))
			fail_msg("U+%04x is let through", code);
		i += n;
	}
}

static size_t random_text(char *text, size_t size)
{
	static const uint32_t nasty[] = {
		0x85, 0x9b, 0x200b, 0x202e, 0x2066, 0xd800, 0xdfff, 0xe0001, 0xfeff, 0x10ffff,
		0x110000, 0x20ac, 0xe4, 0x7ff, 0x800, 0xffff, 0x10000, 0x1b,
	};
	size_t want = next_random((uint32_t)(size - 8));
	size_t len = 0;

	while (len < want) {
		switch (next_random(4)) {
		case 0:
			text[len++] = (char)next_random(256);
			break;
		case 1:
			len += encode(nasty[next_random(N(nasty))], text + len);
			/* now and then without its end */
			len -= len && !next_random(4);
			break;
		case 2:
			len += encode(next_random(0x110000), text + len);
			break;
		default:
			text[len++] = (char)(' ' + next_random(95));
		}
	}
	return len;
}

static void test_sanitize_random(void **state)
{
	struct tsh_strbuf sb = TSH_STRBUF_INIT, again = TSH_STRBUF_INIT;
	int i;

	(void)state;
	seed = 2024;
	for (i = 0; i < 20000; i++) {
		char buffer[128];
		size_t len = random_text(buffer, sizeof(buffer));
		/* of exactly its size, for the address sanitizer */
		char *text = malloc(len ? len : 1);

		assert_non_null(text);
		memcpy(text, buffer, len);
		tsh_strbuf_clear(&sb);
		tsh_strbuf_clear(&again);
		tsh_sanitize(&sb, text, len);
		assert_safe(&sb, false);
		assert_true(sb.len >= len);
		tsh_sanitize(&again, sb.buf, sb.len);
		assert_string_equal(again.buf, sb.buf);
		assert_true(tsh_utf8_width(text, len) <= 2 * len);
		tsh_strbuf_clear(&sb);
		tsh_sanitize_lines(&sb, text, len);
		assert_safe(&sb, true);
		free(text);
	}
	tsh_strbuf_release(&sb);
	tsh_strbuf_release(&again);
}

static void test_width(void **state)
{
	static const struct {
		const char *text;
		size_t want;
	} rows[] = {
		{ "", 0 },
		{ "abc", 3 },
		{ "a long line of clean ASCII!", 27 },
		{ "gr\xc3\xbc\xc3\x9f", 4 },
		{ "u\xcc\x88", 1 },				/* combining diaeresis */
		{ "\xe4\xb8\xad\xe6\x96\x87", 4 },		/* U+4E2D U+6587 */
		{ "\xed\x95\x9c", 2 },				/* U+D55C */
		{ "\xe1\x84\x92\xe1\x85\xa1\xe1\x86\xab", 2 },	/* the same from its parts */
		{ "\xef\xbc\xa1", 2 },				/* fullwidth A */
		{ "\xef\xbd\xb1", 1 },				/* halfwidth katakana */
		{ "\xf0\x9f\x98\x80", 2 },
		{ "\xf0\xa0\x80\x80", 2 },			/* U+20000 */
		{ "\xe2\x82\xac", 1 },
		{ "\xe2\x80\xa6", 1 },
		{ "\xe2\x94\x80", 1 },				/* a box's line */
		{ "\xe2\x80\x8b", 0 },
		{ "\xe2\x83\x9d", 0 },				/* U+20DD, enclosing */
		{ "\xe0\xb8\x81\xe0\xb8\xb4", 1 },		/* Thai, vowel above */
		{ "\n\t\x1b", 0 },
		{ "a\xff" "b", 3 },
		{ "\xe4\xb8", 2 },
	};
	size_t i;

	(void)state;
	for (i = 0; i < N(rows); i++) {
		size_t width = tsh_utf8_width(rows[i].text, strlen(rows[i].text));

		if (width != rows[i].want)
			fail_msg("row %zu: %zu columns", i, width);
	}
	assert_int_equal(tsh_utf8_width("a\0b", 3), 2);
	assert_int_equal(tsh_utf8_width(NULL, 0), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_code),
		cmocka_unit_test(test_decode_invalid),
		cmocka_unit_test(test_hostile),
		cmocka_unit_test(test_sanitize),
		cmocka_unit_test(test_sanitize_words),
		cmocka_unit_test(test_sanitize_random),
		cmocka_unit_test(test_width),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
