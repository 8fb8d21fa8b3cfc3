/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/json.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/strbuf.h"
#include "base/utf8.h"

#define N(array) (sizeof(array) / sizeof((array)[0]))

static uint32_t seed;

/* The same numbers in every run. */
static uint32_t next_random(uint32_t below)
{
	seed = seed * 1664525 + 1013904223;
	return (seed >> 8) % below;
}

/*
 * A validator of RFC 8259, stricter in that there are no blanks and that nothing
 * hostile stands in a string. Each function returns the end of what it read, or
 * NULL; the text ends in a NUL, which no JSON has.
 */
static const char *value_end(const char *p, int depth);

static const char *escape_end(const char *p, uint32_t *ret_unit)
{
	int i;

	*ret_unit = 0;
	if (*p != 'u')
		return *p && strchr("\"\\/bfnrt", *p) ? p + 1 : NULL;
	for (i = 0, p++; i < 4; i++, p++) {
		const char *digits = "0123456789abcdef";
		const char *digit = *p ? strchr(digits, *p) : NULL;

		if (!digit)
			return NULL;
		*ret_unit = *ret_unit << 4 | (uint32_t)(digit - digits);
	}
	return p;
}

static const char *string_end(const char *p)
{
	bool high = false; /* the first half of a surrogate pair was last */

	if (*p++ != '"')
		return NULL;
	while (*p != '"') {
		uint32_t code;
		size_t n;

		if (*p == '\\') {
			p = escape_end(p + 1, &code);
			if (!p || high != (code >= 0xdc00 && code < 0xe000))
				return NULL;
			high = code >= 0xd800 && code < 0xdc00;
			continue;
		}
		n = tsh_utf8_decode(p, strlen(p), &code);
		if (!n || high || tsh_utf8_is_hostile(code))
			return NULL;
		p += n;
	}
	return high ? NULL : p + 1;
}

static const char *digits_end(const char *p)
{
	size_t n = strspn(p, "0123456789");

	return n ? p + n : NULL;
}

static const char *number_end(const char *p)
{
	p += *p == '-';
	p = *p == '0' ? p + 1 : digits_end(p);
	if (p && *p == '.')
		p = digits_end(p + 1);
	return p;
}

static const char *members_end(const char *p, int depth, char end, bool keys)
{
	if (*++p == end)
		return p + 1;
	for (;; p++) {
		if (keys) {
			p = string_end(p);
			if (!p || *p++ != ':')
				return NULL;
		}
		p = value_end(p, depth - 1);
		if (!p)
			return NULL;
		if (*p == end)
			return p + 1;
		if (*p != ',')
			return NULL;
	}
}

static const char *value_end(const char *p, int depth)
{
	if (depth < 0)
		return NULL;
	switch (*p) {
	case '{':
		return members_end(p, depth, '}', true);
	case '[':
		return members_end(p, depth, ']', false);
	case '"':
		return string_end(p);
	case 't':
		return strncmp(p, "true", 4) ? NULL : p + 4;
	case 'f':
		return strncmp(p, "false", 5) ? NULL : p + 5;
	case 'n':
		return strncmp(p, "null", 4) ? NULL : p + 4;
	default:
		return number_end(p);
	}
}

static bool is_valid(const struct tsh_strbuf *sb)
{
	const char *end = value_end(sb->buf, 40);

	return end && end == sb->buf + sb->len;
}

static void test_validator(void **state)
{
	static const char *const good[] = {
		"0", "-1.50", "\"\"", "\"\\u001b\\ud83d\\ude00\"", "[]", "{}", "[1,[2],{\"a\":null}]",
	};
	static const char *const bad[] = {
		"", "01", "1.", "-", "\"", "\"\\x\"", "\"\\u12\"", "\"\\ud800\"", "\"\\udc00\"",
		"\"\xff\"", "\"\n\"", "\"\x7f\"", "\"\xe2\x80\xae\"", "[1,]", "[,1]", "[1 2]", "[",
		"{\"a\"}", "{\"a\":1,}", "{1:2}", "{\"a\":1\"b\":2}", "nul", "truex", "1,2", "{}{}",
	};
	size_t i;

	(void)state;
	for (i = 0; i < N(good) + N(bad); i++) {
		const char *text = i < N(good) ? good[i] : bad[i - N(good)];
		struct tsh_strbuf sb = TSH_STRBUF_INIT;

		tsh_strbuf_adds(&sb, text);
		if (is_valid(&sb) != (i < N(good)))
			fail_msg("%s", text);
		tsh_strbuf_release(&sb);
	}
}

static void test_line(void **state)
{
	struct tsh_strbuf sb = TSH_STRBUF_INIT;
	struct tsh_json js;

	(void)state;
	tsh_json_line(&js, &sb, "lost");
	tsh_json_kmaybe(&js, "cpu", true, 3);
	tsh_json_kmaybe(&js, "count", false, 21);
	tsh_json_literal_key(&js, "stamp_2");
	tsh_json_maybe(&js, true, 4);
	tsh_json_line_end(&js);
	tsh_json_line(&js, &sb, "end");
	tsh_json_line_end(&js);
	assert_string_equal(sb.buf, "{\"type\":\"lost\",\"cpu\":3,\"count\":null,\"stamp_2\":4}\n{\"type\":\"end\"}\n");
	tsh_strbuf_release(&sb);
}

static void test_structure(void **state)
{
	struct tsh_strbuf sb = TSH_STRBUF_INIT;
	struct tsh_json js;

	(void)state;
	tsh_json_init(&js, &sb);
	tsh_json_object(&js);
	tsh_json_kstr(&js, "a", "x");
	tsh_json_kstr(&js, "none", NULL);
	tsh_json_ku64(&js, "u", 7);
	tsh_json_ks64(&js, "s", -7);
	tsh_json_kbool(&js, "t", true);
	tsh_json_kbool(&js, "f", false);
	tsh_json_key(&js, "array");
	tsh_json_array(&js);
	tsh_json_u64(&js, 1);
	tsh_json_array(&js);
	tsh_json_array_end(&js);
	tsh_json_object(&js);
	tsh_json_object_end(&js);
	tsh_json_null(&js);
	tsh_json_str(&js, "y");
	tsh_json_array_end(&js);
	tsh_json_key(&js, "o");
	tsh_json_object(&js);
	tsh_json_key(&js, "k\"\n");
	tsh_json_seconds(&js, 2000123000);
	tsh_json_object_end(&js);
	tsh_json_ku64(&js, "last", 0);
	tsh_json_object_end(&js);
	assert_string_equal(sb.buf,
			    "{\"a\":\"x\",\"none\":null,\"u\":7,\"s\":-7,\"t\":true,\"f\":false,"
			    "\"array\":[1,[],{},null,\"y\"],\"o\":{\"k\\\"\\n\":2.000123},"
			    "\"last\":0}");
	assert_true(is_valid(&sb));
	/* the next line */
	tsh_strbuf_clear(&sb);
	tsh_json_array(&js);
	tsh_json_bool(&js, true);
	tsh_json_array_end(&js);
	assert_string_equal(sb.buf, "[true]");
	tsh_strbuf_release(&sb);
}

static void test_depth(void **state)
{
	struct tsh_strbuf sb = TSH_STRBUF_INIT;
	struct tsh_json js;
	int i;

	(void)state;
	tsh_json_init(&js, &sb);
	for (i = 0; i < 32; i++) {
		if (i % 2)
			tsh_json_object(&js);
		else
			tsh_json_array(&js);
		if (i % 2)
			tsh_json_key(&js, "k");
	}
	tsh_json_null(&js);
	for (i = 31; i >= 0; i--) {
		if (i % 2)
			tsh_json_object_end(&js);
		else
			tsh_json_array_end(&js);
	}
	assert_true(is_valid(&sb));
	assert_int_equal(js.depth, 0);
	tsh_strbuf_release(&sb);
}

static void test_string(void **state)
{
	static const struct {
		const char *text;
		size_t len;
		const char *want;
	} rows[] = {
		{ NULL, 0, "\"\"" },
		{ "a/b", 3, "\"a/b\"" },
		{ "\"\\", 2, "\"\\\"\\\\\"" },
		{ "\n\t\r\b\f", 5, "\"\\n\\t\\r\\u0008\\u000c\"" },
		{ "a\0b", 3, "\"a\\u0000b\"" },
		{ "\x1b[0m\x7f", 5, "\"\\u001b[0m\\u007f\"" },
		{ "\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80", 9,
		  "\"\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80\"" },
		{ "\xff\xc3", 2, "\"\\u00ff\\u00c3\"" },
		{ "\xc0\x80", 2, "\"\\u00c0\\u0080\"" },
		{ "\xed\xa0\x80", 3, "\"\\u00ed\\u00a0\\u0080\"" },
		{ "\xe2\x82", 2, "\"\\u00e2\\u0082\"" },
		{ "\xc2\x85", 2, "\"\\u0085\"" },
		{ "\xe2\x80\xae\xe2\x81\xa6\xe2\x80\x8b", 9, "\"\\u202e\\u2066\\u200b\"" },
		{ "\xe2\x80\xa8", 3, "\"\\u2028\"" },
		{ "\xf3\xa0\x80\x81", 4, "\"\\udb40\\udc01\"" },
	};
	struct tsh_strbuf sb = TSH_STRBUF_INIT;
	struct tsh_json js;
	size_t i;

	(void)state;
	for (i = 0; i < N(rows); i++) {
		tsh_strbuf_clear(&sb);
		tsh_json_init(&js, &sb);
		tsh_json_string(&js, rows[i].text, rows[i].len);
		assert_string_equal(sb.buf, rows[i].want);
		assert_true(is_valid(&sb));
	}
	tsh_strbuf_release(&sb);
}

/* Each byte at each place of a long string is written as it is alone. */
static void test_places(void **state)
{
	struct tsh_strbuf alone = TSH_STRBUF_INIT, out = TSH_STRBUF_INIT, want = TSH_STRBUF_INIT;
	size_t len, at;
	int byte;

	(void)state;
	for (byte = 0; byte < 256; byte++) {
		char text[26], c = (char)byte;
		struct tsh_json js;

		tsh_strbuf_clear(&alone);
		tsh_json_init(&js, &alone);
		tsh_json_string(&js, &c, 1);
		for (len = 1; len <= sizeof(text); len++)
			for (at = 0; at < len; at++) {
				memset(text, 'a', sizeof(text));
				text[at] = c;
				tsh_strbuf_clear(&want);
				tsh_strbuf_addc(&want, '"');
				tsh_strbuf_add(&want, text, at);
				tsh_strbuf_add(&want, alone.buf + 1, alone.len - 2);
				tsh_strbuf_add(&want, text + at + 1, len - at - 1);
				tsh_strbuf_addc(&want, '"');
				tsh_strbuf_clear(&out);
				tsh_json_init(&js, &out);
				tsh_json_string(&js, text, len);
				assert_string_equal(out.buf, want.buf);
			}
	}
	tsh_strbuf_release(&alone);
	tsh_strbuf_release(&out);
	tsh_strbuf_release(&want);
}

static void test_numbers(void **state)
{
	static const struct {
		void (*unsigned_writer)(struct tsh_json *, uint64_t); /* NULL: tsh_json_s64 */
		int64_t value;
		const char *want;
	} rows[] = {
		{ tsh_json_u64, 0, "0" },
		{ tsh_json_u64, 9007199254740992, "9007199254740992" },
		{ tsh_json_u64, 9007199254740993, "\"9007199254740993\"" },
		{ tsh_json_u64, -1, "\"18446744073709551615\"" },
		{ NULL, 0, "0" },
		{ NULL, -1, "-1" },
		{ NULL, -9007199254740992, "-9007199254740992" },
		{ NULL, -9007199254740993, "\"-9007199254740993\"" },
		{ NULL, INT64_MAX, "\"9223372036854775807\"" },
		{ NULL, INT64_MIN, "\"-9223372036854775808\"" },
		{ tsh_json_seconds, 0, "0.000000" },
		{ tsh_json_seconds, 2000123000, "2.000123" },
		{ tsh_json_seconds, 2000123001, "2.000123001" },
		{ tsh_json_seconds, 1, "0.000000001" },
		{ tsh_json_seconds, 999999999, "0.999999999" },
		{ tsh_json_seconds, -1, "18446744073.709551615" },
	};
	struct tsh_strbuf sb = { 0 };
	size_t i;

	(void)state;
	for (i = 0; i < N(rows); i++) {
		struct tsh_json js;

		tsh_strbuf_clear(&sb);
		tsh_json_init(&js, &sb);
		if (rows[i].unsigned_writer)
			rows[i].unsigned_writer(&js, (uint64_t)rows[i].value);
		else
			tsh_json_s64(&js, rows[i].value);
		assert_string_equal(sb.buf, rows[i].want);
		assert_true(is_valid(&sb));
	}
	tsh_strbuf_release(&sb);
}

static void random_value(struct tsh_json *js, int depth);

static void random_bytes(struct tsh_json *js)
{
	static const char *const nasty[] = {
		"\"", "\\", "\xe2\x80\xae", "\xf3\xa0\x80\x81", "\xed\xa0\x80", "\xf0\x9f\x98",
	};
	char text[64];
	size_t len = 0, want = next_random(48);

	while (len < want) {
		if (next_random(3)) {
			text[len++] = (char)next_random(256);
		} else {
			const char *piece = nasty[next_random(N(nasty))];

			memcpy(text + len, piece, strlen(piece));
			len += strlen(piece);
		}
	}
	tsh_json_string(js, text, len);
}

static void random_members(struct tsh_json *js, int depth)
{
	bool object = next_random(2);
	uint32_t n = next_random(4);

	if (object)
		tsh_json_object(js);
	else
		tsh_json_array(js);
	while (n--) {
		char key[] = { (char)(1 + next_random(255)), (char)next_random(256), '\0' };

		if (object)
			tsh_json_key(js, key);
		random_value(js, depth - 1);
	}
	if (object)
		tsh_json_object_end(js);
	else
		tsh_json_array_end(js);
}

static void random_value(struct tsh_json *js, int depth)
{
	switch (next_random(depth ? 8 : 5)) {
	case 0:
		tsh_json_u64(js, (uint64_t)next_random(1 << 24) << next_random(41));
		break;
	case 1:
		tsh_json_s64(js, -(int64_t)next_random(1 << 24) * (1 << next_random(20)));
		break;
	case 2:
		tsh_json_bool(js, next_random(2));
		break;
	case 3:
		tsh_json_seconds(js, next_random(1 << 24) * UINT64_C(1000003));
		break;
	case 4:
		random_bytes(js);
		break;
	default:
		random_members(js, depth);
	}
}

static void test_random(void **state)
{
	struct tsh_strbuf sb = TSH_STRBUF_INIT;
	int i;

	(void)state;
	seed = 5;
	for (i = 0; i < 20000; i++) {
		struct tsh_json js;

		tsh_strbuf_clear(&sb);
		tsh_json_init(&js, &sb);
		if (i % 2)
			random_bytes(&js);
		else
			random_value(&js, 6);
		if (!is_valid(&sb))
			fail_msg("%s", sb.buf);
		assert_null(strchr(sb.buf, '\n'));
	}
	tsh_strbuf_release(&sb);
}

/* Ways to write what is no JSON, each an assertion in its last call. */
enum {
	NO_KEY, TWO_KEYS, END_AFTER_KEY,
	KEY_IN_ARRAY, WRONG_END,
	KEY_ALONE, END_ALONE, TOO_DEEP,
	N_WAYS
};

static void misuse(struct tsh_json *js, int way)
{
	int i;

	if (way <= END_AFTER_KEY)
		tsh_json_object(js);
	else if (way <= WRONG_END)
		tsh_json_array(js);
	if (way == TWO_KEYS || way == END_AFTER_KEY)
		tsh_json_key(js, "a");
	if (way == NO_KEY)
		tsh_json_null(js);
	else if (way == TWO_KEYS || way == KEY_IN_ARRAY || way == KEY_ALONE)
		tsh_json_key(js, "b");
	else if (way == END_ALONE)
		tsh_json_array_end(js);
	else if (way != TOO_DEEP)
		tsh_json_object_end(js);
	else
		for (i = 0; i < 33; i++)
			tsh_json_array(js);
}

static void test_misuse(void **state)
{
	struct rlimit none = { 0, 0 };
	int way;

	(void)state;
#ifdef NDEBUG
	skip();
#endif
	for (way = 0; way < N_WAYS; way++) {
		int status;
		pid_t pid = fork();

		assert_true(pid >= 0);
		if (!pid) {
			struct tsh_strbuf sb = TSH_STRBUF_INIT;
			struct tsh_json js;

			/* no core file, and no message among the test's own */
			setrlimit(RLIMIT_CORE, &none);
			close(STDERR_FILENO);
			signal(SIGABRT, SIG_DFL);
			tsh_json_init(&js, &sb);
			misuse(&js, way);
			_exit(0);
		}
		assert_int_equal(waitpid(pid, &status, 0), pid);
		if (!WIFSIGNALED(status) || WTERMSIG(status) != SIGABRT)
			fail_msg("misuse %d: status %#x", way, (unsigned int)status);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_validator),
		cmocka_unit_test(test_line),
		cmocka_unit_test(test_structure),
		cmocka_unit_test(test_depth),
		cmocka_unit_test(test_string),
		cmocka_unit_test(test_places),
		cmocka_unit_test(test_numbers),
		cmocka_unit_test(test_random),
		cmocka_unit_test(test_misuse),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
