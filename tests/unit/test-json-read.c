/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/json-read.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/strbuf.h"
#include "base/xmalloc.h"

#define N(array) (sizeof(array) / sizeof((array)[0]))

/* The tokens as letters: { } [ ] K S N T F 0, then . for the end or ! for what is bad. */
static void tokens(const char *text, size_t len, struct tsh_strbuf *ret)
{
	static const char letters[] = "!.{}[]KSNTF0";
	/* a copy without a NUL behind it: what is read beyond the end is found */
	char *copy = tsh_xmalloc(len ? len : 1);
	struct tsh_json_reader rd;
	enum tsh_json_token token;

	tsh_strbuf_clear(ret);
	memcpy(copy, text, len);
	tsh_json_read(&rd, copy, len);
	do {
		token = tsh_json_next(&rd);
		tsh_strbuf_addc(ret, letters[token]);
	} while (token != TSH_JSON_BAD && token != TSH_JSON_DONE);
	free(copy);
}

static void test_grammar(void **state)
{
	static const struct {
		const char *text;
		const char *want;
	} rows[] = {
		{ "{}", "{}." },
		{ " { \"a\" : 1 , \"b\" : [ ] }\t", "{KNK[]}." },
		{ "[1,-0,0.5,1e9,1E-2,-12.5e+3]", "[NNNNNN]." },
		{ "[true,false,null,\"\"]", "[TF0S]." },
		{ "{\"a\":{\"b\":[{}]}}", "{K{K[{}]}}." },
		{ "7", "N." },
		{ "\"\\u00e9\\n\\/\\\"\"", "S." },
		{ "\"\xff\xc3\"", "S." },
		{ "", "!" },
		{ "{", "{!" },
		{ "}", "!" },
		{ "{]", "{!" },
		{ "[}", "[!" },
		{ "{}{}", "{}!" },
		{ "{} x", "{}!" },
		{ "{,}", "{!" },
		{ "[1,]", "[N!" },
		{ "[,1]", "[!" },
		{ "[1 2]", "[N!" },
		{ "{\"a\"}", "{!" },
		{ "{\"a\":}", "{K!" },
		{ "{\"a\":1,}", "{KN!" },
		{ "{a:1}", "{!" },
		{ "{1:1}", "{!" },
		{ "\"abc", "!" },
		{ "\"\\", "!" },
		{ "\"\\x\"", "!" },
		{ "\"\\u12\"", "!" },
		{ "\"\\u123g\"", "!" },
		{ "\"a\nb\"", "!" },
		{ "01", "N!" },
		{ "-", "!" },
		{ "1.", "!" },
		{ ".5", "!" },
		{ "1e", "!" },
		{ "+1", "!" },
		{ "nul", "!" },
		{ "truex", "T!" },
		{ "NaN", "!" },
		{ "{\"type\":\"event\",\"time\":\"2026-", "{KSK!" },
	};
	struct tsh_strbuf got = TSH_STRBUF_INIT;
	size_t i;

	(void)state;
	for (i = 0; i < N(rows); i++) {
		tokens(rows[i].text, strlen(rows[i].text), &got);
		assert_string_equal(got.buf, rows[i].want);
	}
	tokens("\"a\0b\"", 5, &got);
	assert_string_equal(got.buf, "!");
	tokens("{\"a\":1}\0", 8, &got);
	assert_string_equal(got.buf, "{KN}!");
	tsh_strbuf_release(&got);
}

/* No deeper than the writer goes; and no recursion. */
static void test_depth(void **state)
{
	struct tsh_strbuf text = TSH_STRBUF_INIT, got = TSH_STRBUF_INIT;

	(void)state;
	tsh_strbuf_addn(&text, '[', 32);
	tsh_strbuf_addn(&text, ']', 32);
	tokens(text.buf, text.len, &got);
	assert_int_equal(got.len, 65);
	assert_int_equal(got.buf[64], '.');
	tsh_strbuf_clear(&text);
	tsh_strbuf_addn(&text, '[', 1000000);
	tokens(text.buf, text.len, &got);
	assert_int_equal(got.len, 33);
	assert_int_equal(got.buf[32], '!');
	tsh_strbuf_release(&text);
	tsh_strbuf_release(&got);
}

static void test_skip(void **state)
{
	static const char text[] = "{\"a\":{\"b\":[1,{\"c\":2}]},\"d\":[],\"e\":5}";
	struct tsh_json_reader rd;

	(void)state;
	tsh_json_read(&rd, text, strlen(text));
	assert_int_equal(tsh_json_next(&rd), TSH_JSON_OBJECT);
	assert_int_equal(tsh_json_next(&rd), TSH_JSON_KEY);
	assert_true(tsh_json_is(&rd.value, "a"));
	assert_true(tsh_json_skip(&rd, tsh_json_next(&rd)));
	assert_int_equal(tsh_json_next(&rd), TSH_JSON_KEY);
	assert_true(tsh_json_is(&rd.value, "d"));
	assert_true(tsh_json_skip(&rd, tsh_json_next(&rd)));
	assert_int_equal(tsh_json_next(&rd), TSH_JSON_KEY);
	assert_false(tsh_json_is(&rd.value, "ee"));
	assert_true(tsh_json_skip(&rd, tsh_json_next(&rd)));
	assert_int_equal(tsh_json_next(&rd), TSH_JSON_OBJECT_END);
	assert_int_equal(tsh_json_next(&rd), TSH_JSON_DONE);
	tsh_json_read(&rd, "[[[", 3);
	assert_false(tsh_json_skip(&rd, tsh_json_next(&rd)));
	assert_false(tsh_json_skip(&rd, TSH_JSON_BAD));
}

static void unescape(const char *text, struct tsh_strbuf *ret, bool *ret_plain)
{
	struct tsh_json_reader rd;

	tsh_strbuf_clear(ret);
	tsh_json_read(&rd, text, strlen(text));
	assert_int_equal(tsh_json_next(&rd), TSH_JSON_STRING);
	*ret_plain = rd.value.is_plain;
	tsh_json_unescape(&rd.value, ret);
}

static void test_strings(void **state)
{
	static const struct {
		const char *text;
		const char *want;
		bool is_plain;
	} rows[] = {
		{ "\"\"", "", true },
		{ "\"a b~/\"", "a b~/", true },
		{ "\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"", "\"\\/\b\f\n\r\t", false },
		{ "\"\\u0041\\u00e9\\u20AC\"", "A\xc3\xa9\xe2\x82\xac", false },
		{ "\"\\ud83d\\ude00!\"", "\xf0\x9f\x98\x80!", false },
		{ "\"\\ud83d\"", "\xef\xbf\xbd", false },
		{ "\"\\ud83dx\"", "\xef\xbf\xbdx", false },
		{ "\"\\ude00\\ud83d\"", "\xef\xbf\xbd\xef\xbf\xbd", false },
		{ "\"\\ud83d\\u0041\"", "\xef\xbf\xbd" "A", false },
		{ "\"\xc3\xa9\xff\"", "\xc3\xa9\xff", false },
		{ "\"\x7f\"", "\x7f", false },
	};
	struct tsh_strbuf got = TSH_STRBUF_INIT;
	bool is_plain;
	size_t i;

	(void)state;
	for (i = 0; i < N(rows); i++) {
		unescape(rows[i].text, &got, &is_plain);
		assert_string_equal(got.buf, rows[i].want);
		assert_int_equal(is_plain, rows[i].is_plain);
	}
	unescape("\"a\\u0000b\"", &got, &is_plain);
	assert_int_equal(got.len, 3);
	assert_memory_equal(got.buf, "a\0b", 3);
	tsh_strbuf_release(&got);
}

/* What the writer makes of a string that is UTF-8, the reader makes that string of. */
static void test_round_trip(void **state)
{
	static const char *const texts[] = { "", "plain", "\"\\/", "\x1b[31m\n\t", "\xe2\x80\xae",
					     "\xf3\xa0\x80\x81", "\xc2\x85\xc3\xa4" };
	struct tsh_strbuf json = TSH_STRBUF_INIT, got = TSH_STRBUF_INIT;
	struct tsh_json js;
	bool is_plain;
	size_t i;

	(void)state;
	for (i = 0; i < N(texts); i++) {
		tsh_strbuf_clear(&json);
		tsh_json_init(&js, &json);
		tsh_json_str(&js, texts[i]);
		unescape(json.buf, &got, &is_plain);
		assert_string_equal(got.buf, texts[i]);
	}
	tsh_strbuf_release(&json);
	tsh_strbuf_release(&got);
}

static void test_numbers(void **state)
{
	static const struct {
		const char *text;
		bool is_u64, is_int;
		uint64_t u;
		int i;
	} rows[] = {
		{ "0", true, true, 0, 0 },
		{ "2147483647", true, true, 2147483647, 2147483647 },
		{ "2147483648", true, false, 2147483648, 0 },
		{ "-1", false, true, 0, -1 },
		{ "18446744073709551615", true, false, UINT64_MAX, 0 },
		{ "18446744073709551616", false, false, 0, 0 },
		{ "99999999999999999999999999999999999", false, false, 0, 0 },
		{ "1.5", false, false, 0, 0 },
		{ "1e3", false, false, 0, 0 },
		{ "-", false, false, 0, 0 },
		{ "", false, false, 0, 0 },
	};
	size_t n;

	(void)state;
	for (n = 0; n < N(rows); n++) {
		struct tsh_json_text text = { rows[n].text, strlen(rows[n].text), true };
		uint64_t u = 7;
		int i = 7;

		assert_int_equal(tsh_json_to_u64(&text, &u), rows[n].is_u64);
		assert_true(u == (rows[n].is_u64 ? rows[n].u : 7));
		assert_int_equal(tsh_json_to_int(&text, &i), rows[n].is_int);
		assert_int_equal(i, rows[n].is_int ? rows[n].i : 7);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_grammar),	   cmocka_unit_test(test_depth),
		cmocka_unit_test(test_skip),	   cmocka_unit_test(test_strings),
		cmocka_unit_test(test_round_trip), cmocka_unit_test(test_numbers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
