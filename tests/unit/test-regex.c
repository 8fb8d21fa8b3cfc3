/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "query/regex.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "base/strbuf.h"

static bool matches(const char *pattern, const char *text)
{
	const char *why = NULL;
	struct query_regex *regex = query_regex_new(pattern, &why);
	bool is;

	if (!regex)
		fail_msg("%s: %s", pattern, why);
	is = query_regex_matches(regex, text, strlen(text));
	query_regex_free(regex);
	return is;
}

/* ---- what regcomp(3) is not asked about: characters, and what is ours ---- */

static const struct {
	const char *pattern, *yes, *no;
} cases[] = {
	{ "^.$", "\xc3\xa9", "ab" },
	{ "^..$", "\xc3\xa9\xff", "\xc3\xa9" }, /* a byte that is no UTF-8 is one of its own */
	{ "^[\xc3\xa9-\xc3\xaf]+$", "\xc3\xa9\xc3\xaa", "\xc3" },
	{ "^[^a]$", "\xe2\x82\xac", "a" },
	{ "\xe2\x82\xac", "12\xe2\x82\xac", "\xe2\x82" },
	{ "^[[:alpha:]]$", "z", "\xc3\xa9" },
	{ "^[\xff]$", "\xff", "\xfe" },
	{ "[[.a.]]b[[=c=]]", "abc", "a.b" },
	{ "^[[.-.]-/]+$", "-./", "+" },
	{ "^x{,2}$", "xx", "xxx" },
	{ "\\bsh\\b", "a sh b", "bash" },
	{ "\\<k\\w+\\>", "a kworker/0", "akworker" },
	{ "o\\B", "worker", "so" },
	{ "\\.\\*\\/\\\\", ".*/\\", "x*/\\" },
	{ "^\\S+\\s\\W$", "ab -", "a b c" },
	{ "a\nb", "a\nb", "ab" },
	{ "a.b", "a\nb", "ab" },
};

static void test_cases(void **state)
{
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		if (!matches(cases[i].pattern, cases[i].yes))
			fail_msg("%s does not match %s", cases[i].pattern, cases[i].yes);
		if (matches(cases[i].pattern, cases[i].no))
			fail_msg("%s matches %s", cases[i].pattern, cases[i].no);
	}
}

static void test_length(void **state)
{
	const char *why;
	struct query_regex *regex = query_regex_new("ab$", &why);

	(void)state;
	assert_true(query_regex_matches(regex, "xabc", 3));
	assert_false(query_regex_matches(regex, "xabc", 4));
	assert_false(query_regex_matches(regex, "\xc3", 1));
	query_regex_free(regex);
}

/* ---- what is refused ---- */

static const struct {
	const char *pattern, *why;
} wrong[] = {
	{ "a(b", "the ( has no )" },
	{ "[a", "the [ has no ]" },
	{ "[", "the [ has no ]" },
	{ "[]", "the [ has no ]" },
	{ "[^]", "the [ has no ]" },
	{ "[[:digit]", "the [ has no ]" },
	{ "[[.a]", "the [ has no ]" },
	{ "[[:number:]]",
	  "no class of that name: it is one of alnum alpha blank cntrl digit graph lower print "
	  "punct space upper xdigit" },
	{ "[[.space.]]", "[. .] and [= =] hold one character here" },
	{ "[b-a]", "the range ends before it begins" },
	{ "[a-[:digit:]]", "a range ends with a character, not with a class" },
	{ "[a-c-e]", "a - in [ ] stands first, last, or between two characters" },
	{ "*a", "there is nothing before this * + ? or { to repeat" },
	{ "a|+", "there is nothing before this * + ? or { to repeat" },
	{ "^*", "there is nothing before this * + ? or { to repeat" },
	{ "a{", "a repetition is {N}, {N,} or {N,M}; for a plain { write \\{" },
	{ "a{}", "a repetition is {N}, {N,} or {N,M}; for a plain { write \\{" },
	{ "a{1x}", "a repetition is {N}, {N,} or {N,M}; for a plain { write \\{" },
	{ "a{3,2}", "{N,M} with N above M" },
	{ "a{99}{99}", "the pattern has too many repetitions" },
	{ "a{18446744073709551617}", "the pattern has too many repetitions" },
	{ "((((a{9}){9}){9}){9}){9}", "the pattern has too many repetitions" },
	{ "a\\", "the pattern ends in a \\" },
	{ "(a)\\1", "back-references such as \\1 are not supported" },
	{ "\\d+", "\\d is not POSIX: write [0-9], or [^0-9] for \\D" },
	{ "\\n", "\\ may only stand before the letters w W s S b B" },
};

static void test_wrong(void **state)
{
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		const char *why = "";

		assert_null(query_regex_new(wrong[i].pattern, &why));
		assert_string_equal(why, wrong[i].why);
	}
}

static void test_depth(void **state)
{
	char deep[1001];
	const char *why = NULL;

	(void)state;
	memset(deep, '(', sizeof(deep) - 1);
	deep[sizeof(deep) - 1] = '\0';
	assert_null(query_regex_new(deep, &why));
	assert_string_equal(why, "groups within groups, more than a hundred deep");
}

/* What takes others a time without end. */
static void test_hard(void **state)
{
	static const char *const hard[] = {
		"^(a|a)*b",	    "^((a*)*)*b",
		"(a?){400}a{400}b", "^(a|aa)+$|^((a+)+)+b",
		"(.*.*.*.*.*)*b",   "a+++++++++++++++++++++++b",
	};
	char text[4000];
	size_t i;

	(void)state;
	memset(text, 'a', sizeof(text));
	for (i = 0; i < sizeof(hard) / sizeof(hard[0]); i++) {
		const char *why;
		struct query_regex *regex = query_regex_new(hard[i], &why);

		assert_non_null(regex);
		text[sizeof(text) - 1] = 'c';
		assert_false(query_regex_matches(regex, text, sizeof(text)));
		text[sizeof(text) - 1] = 'b';
		assert_true(query_regex_matches(regex, text, sizeof(text)));
		query_regex_free(regex);
	}
}

/* A set of 21,000 characters, none beside another, a hundred times: the limit of CPU time ends
 * what looks at each of them for each character. */
static void test_many_ranges(void **state)
{
	struct tsh_strbuf pattern = TSH_STRBUF_INIT;
	const struct rlimit limit = { 30, 60 };
	struct query_regex *regex;
	const char *why;
	char text[4000];
	uint32_t c;

	(void)state;
	assert_int_equal(setrlimit(RLIMIT_CPU, &limit), 0);
	tsh_strbuf_addc(&pattern, '[');
	for (c = 0x3400; c < 0xd800; c += 2)
		tsh_strbuf_addf(&pattern, "%c%c%c", (int)(0xe0 | c >> 12), (int)(0x80 | (c >> 6 & 0x3f)),
				(int)(0x80 | (c & 0x3f)));
	tsh_strbuf_adds(&pattern, "a]{100}b");
	regex = query_regex_new(pattern.buf, &why);
	assert_non_null(regex);
	memset(text, 'a', sizeof(text));
	assert_false(query_regex_matches(regex, text, sizeof(text)));
	text[sizeof(text) - 1] = 'b';
	assert_true(query_regex_matches(regex, text, sizeof(text)));
	query_regex_free(regex);
	tsh_strbuf_release(&pattern);
	/* ranges that touch, lie in each other, or stand in any order */
	assert_true(matches("^[x-zb-da-ce]+$", "abcdexyz"));
	assert_false(matches("[x-zb-da-ce]", "fw{"));
	assert_true(matches("^[^x-zb-da-ce]+$", "fw{"));
	assert_true(matches("^\\w+$", "aZ_09"));
	assert_false(matches("\\w", "-+ `{@["));
}

/* ---- the same as regcomp(3) says ---- */

/* By the letter, and with words that random letters rarely make. */
static const char *const words[] = {
	"a",
	"b",
	"ab",
	"c",
	"1",
	"-",
	"(",
	")",
	"(",
	")",
	"|",
	"*",
	"+",
	"?",
	"{",
	"}",
	",",
	"{2}",
	"{1,2}",
	"{0}",
	"{0,1}",
	"{2,}",
	"{,}",
	"[",
	"]",
	"[ab]",
	"[^a]",
	"[]a]",
	"[a-c]",
	"[[:digit:]]",
	"[^[:alpha:]-]",
	"[a-]",
	"[[.-.]b]",
	"^",
	"$",
	".",
	"\\.",
	"\\(",
	"\\w",
	"\\W",
	"\\b",
	"\\<",
	"\\>",
};
static const char *const letters[] = { "a", "b", "c", "1", "-", ".", "a", "b", "_", " ", "(" };

static uint32_t draw(uint32_t *seed, size_t n)
{
	*seed = *seed * 1664525 + 1013904223;
	return (uint32_t)((*seed >> 8) % n);
}

static void make(struct tsh_strbuf *out, uint32_t *seed, const char *const *from, size_t n,
		 size_t most)
{
	size_t len = draw(seed, most + 1);

	tsh_strbuf_clear(out);
	while (len--)
		tsh_strbuf_adds(out, from[draw(seed, n)]);
}

static void test_oracle(void **state)
{
	struct tsh_strbuf pattern = TSH_STRBUF_INIT, text = TSH_STRBUF_INIT;
	size_t i, j, accepted = 0, matched = 0;
	uint32_t seed = 4711;

	(void)state;
	for (i = 0; i < 30000; i++) {
		struct query_regex *regex;
		const char *why;
		regex_t oracle;
		int r;

		make(&pattern, &seed, words, sizeof(words) / sizeof(words[0]), 13);
		r = regcomp(&oracle, pattern.buf, REG_EXTENDED | REG_NOSUB);
		regex = query_regex_new(pattern.buf, &why);
		if (!r != !!regex)
			fail_msg("'%s': regcomp says %d, we %s", pattern.buf, r,
				 regex ? "take it" : why);
		for (j = 0; j < 8 && !r && regex; j++) {
			bool is, wants;

			make(&text, &seed, letters, sizeof(letters) / sizeof(letters[0]), 8);
			wants = !regexec(&oracle, text.buf, 0, NULL, 0);
			is = query_regex_matches(regex, text.buf, text.len);
			if (is != wants)
				fail_msg("'%s' on '%s': regexec says %d", pattern.buf, text.buf,
					 wants);
			matched += is;
		}
		accepted += !!regex;
		if (!r)
			regfree(&oracle);
		query_regex_free(regex);
	}
	assert_true(accepted > 10000 && matched > 10000);
	tsh_strbuf_release(&pattern);
	tsh_strbuf_release(&text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_cases), cmocka_unit_test(test_length),
		cmocka_unit_test(test_wrong), cmocka_unit_test(test_depth),
		cmocka_unit_test(test_hard),  cmocka_unit_test(test_many_ranges),
		cmocka_unit_test(test_oracle),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
