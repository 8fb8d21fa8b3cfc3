/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/suggest.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <fnmatch.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define N(array) (sizeof(array) / sizeof((array)[0]))

static uint32_t seed;

/* The same numbers in every run. */
static uint32_t next_random(uint32_t below)
{
	seed = seed * 1664525 + 1013904223;
	return (seed >> 8) % below;
}

static void test_distance(void **state)
{
	static const struct {
		const char *typed;
		const char *name;
		unsigned int want;
	} rows[] = {
		{ "", "", 0 },		 { "abc", "abc", 0 },	   { "", "abc", 3 },
		{ "abc", "", 9 },	 { "abc", "abxc", 1 },	   { "abxc", "abc", 3 },
		{ "abc", "axc", 2 },	 { "abc", "acb", 0 },	   { "ab", "ba", 0 },
		{ "abcd", "badc", 0 },	 { "abc", "ABC", 6 },	   { "steram", "stream", 0 },
		{ "sched", "schedule", 3 }, { "kitten", "sitting", 5 }, { "abc", "xyz", 6 },
	};
	size_t i;

	(void)state;
	for (i = 0; i < N(rows); i++) {
		unsigned int got = tsh_edit_distance(rows[i].typed, rows[i].name);

		if (got != rows[i].want)
			fail_msg("%s, %s: %u", rows[i].typed, rows[i].name, got);
	}
}

static const char *const names[] = {
	"stream", "drain", "set", "show", "start", "stop", "status", "quit", "help", "enable",
	"disable", "sched:sched_switch", "sched:sched_wakeup", "sched:sched_waking",
	"irq:irq_handler_entry", "irq:softirq_entry", "syscalls:sys_enter_openat",
	"function_graph", "function", "nop", "Custom",
};

static void check_suggestion(const char *typed, const char *want, bool backwards)
{
	struct tsh_suggest s;
	const char *best;
	size_t i;

	tsh_suggest_init(&s, typed);
	assert_null(tsh_suggest_best(&s));
	for (i = 0; i < N(names); i++)
		tsh_suggest_offer(&s, names[backwards ? N(names) - 1 - i : i]);
	best = tsh_suggest_best(&s);
	if (!best != !want || (want && strcmp(best, want)))
		fail_msg("%s: %s", typed, best ? best : "nothing");
	tsh_suggest_release(&s);
	assert_null(tsh_suggest_best(&s));
}

static void test_suggest(void **state)
{
	static const struct {
		const char *typed;
		const char *want;
	} rows[] = {
		{ "steram", "stream" },
		{ "strem", "stream" },
		{ "strream", "stream" },
		{ "sett", "set" },
		{ "quti", "quit" },
		{ "hlp", "help" },
		{ "Help", "help" },
		{ "HELP", "help" },
		{ "HLEP", "help" },
		{ "custom", "Custom" },
		{ "stre", "stream" },
		{ "disa", "disable" },
		{ "DISA", "disable" },
		{ "D", "drain" },
		{ "func", "function" },
		{ "function_", "function_graph" },
		{ "sched_switch", "sched:sched_switch" },
		{ "sched_swich", "sched:sched_switch" },
		{ "sched_wak", "sched:sched_wakeup" },
		{ "sched:sched_swithc", "sched:sched_switch" },
		{ "schde:sched_switch", "sched:sched_switch" },
		{ "Sched_Switch", "sched:sched_switch" },
		{ "softirq_enter", "irq:softirq_entry" },
		{ "sys_enter_opneat", "syscalls:sys_enter_openat" },
		{ "", NULL },
		{ "xyzzy", NULL },
		{ "zz", NULL },
		{ "frobnicate", NULL },
		{ "stxyzw", NULL },
		{ "\xff\xfe", NULL },
	};
	size_t i;

	(void)state;
	for (i = 0; i < N(rows); i++) {
		check_suggestion(rows[i].typed, rows[i].want, false);
		check_suggestion(rows[i].typed, rows[i].want, true);
	}
}

static void test_suggest_odd_names(void **state)
{
	struct tsh_suggest s;
	char *longest = malloc(100001);

	(void)state;
	assert_non_null(longest);
	memset(longest, 'a', 100000);
	longest[100000] = '\0';
	tsh_suggest_init(&s, "abc");
	tsh_suggest_offer(&s, "");
	tsh_suggest_offer(&s, ":");
	tsh_suggest_offer(&s, "sys:");
	tsh_suggest_offer(&s, longest);
	assert_null(tsh_suggest_best(&s));
	tsh_suggest_offer(&s, ":abd");
	assert_string_equal(tsh_suggest_best(&s), ":abd");
	tsh_suggest_offer(&s, "abc");
	assert_string_equal(tsh_suggest_best(&s), "abc");
	tsh_suggest_offer(&s, "abd");
	assert_string_equal(tsh_suggest_best(&s), "abc");
	assert_int_equal(s.distance, 0);
	tsh_suggest_release(&s);
	tsh_suggest_release(&s);
	free(longest);
}

/* Two of the same case-folded form: the one that was typed is nearer. */
static void test_suggest_case(void **state)
{
	static const char *const pair[] = { "Foobar", "foobar" };
	int i;

	(void)state;
	for (i = 0; i < 4; i++) {
		struct tsh_suggest s;

		tsh_suggest_init(&s, i / 2 ? "foobra" : "Foobra");
		tsh_suggest_offer(&s, pair[i % 2]);
		tsh_suggest_offer(&s, pair[!(i % 2)]);
		assert_string_equal(tsh_suggest_best(&s), pair[i / 2]);
		tsh_suggest_release(&s);
	}
}

static void test_glob(void **state)
{
	static const struct {
		const char *glob;
		const char *text;
		bool want;
	} rows[] = {
		{ "", "", true },	      { "", "a", false },	   { "a", "", false },
		{ "*", "", true },	      { "*", "a/b", true },	   { "**", "ab", true },
		{ "?", "", false },	      { "?", "a", true },	   { "?", "ab", false },
		{ "a*", "a", true },	      { "*a", "ba", true },	   { "*a", "ab", false },
		{ "a*c", "abbc", true },      { "a*c", "abcd", false },	   { "*b*", "abc", true },
		{ "*ab", "aab", true },	      { "*aab", "aaab", true },	   { "a?c", "abc", true },
		{ "[abc]", "b", true },	      { "[abc]", "d", false },	   { "[a-c]", "b", true },
		{ "[a-c]", "-", false },      { "[!a-c]", "d", true },	   { "[!a-c]", "b", false },
		{ "[!a]", "", false },	      { "[]a]", "]", true },	   { "[!]a]", "]", false },
		{ "[!]a]", "b", true },	      { "[a-]", "-", true },	   { "[-a]", "-", true },
		{ "[c-a]", "b", false },      { "[", "[", true },	   { "[a", "[a", true },
		{ "[a", "a", false },	      { "[]", "[]", true },	   { "[!]", "[!]", true },
		{ "a]", "a]", true },	      { "[*]", "*", true },	   { "[*]", "a", false },
		{ "[\\]]", "]", true },	      { "[\\a-\\c]", "b", true },  { "\\*", "*", true },
		{ "\\*", "a", false },	      { "\\a", "a", true },	   { "\\\\", "\\", true },
		{ "\\[a]", "[a]", true },     { "a\\", "a\\", true },	   { "*\\", "a\\", true },
		{ "[\xa0-\xff]", "\xc3", true }, { "[a-\xff]", "z", true }, { "sched*", "sched", true },
		{ "events/*/*/enable", "events/sched/sched_switch/enable", true },
		{ "*[0-9]", "cpu12", true },  { "cpu[0-9][0-9]", "cpu1", false },
		{ "*a*b*c*", "xxaxxbxxcxx", true }, { "*a*b*c*", "xxaxxcxxbxx", false },
	};
	size_t i;

	(void)state;
	for (i = 0; i < N(rows); i++) {
		if (!tsh_glob_match(rows[i].glob, rows[i].text) != !rows[i].want)
			fail_msg("%s, %s", rows[i].glob, rows[i].text);
	}
}

/* The C library's own agrees, but for the last backslash, which it never matches. */
static void test_glob_random(void **state)
{
	static const char in_glob[] = "aabbc**??[[]]!-\\";
	static const char in_text[] = "aabbc*[]-!\\";
	int i, matches = 0;

	(void)state;
	seed = 11;
	for (i = 0; i < 300000; i++) {
		char glob[12], text[8];
		size_t n = next_random(sizeof(glob)), k;
		bool want;

		for (k = 0; k < n; k++)
			glob[k] = in_glob[next_random(sizeof(in_glob) - 1)];
		glob[n] = '\0';
		while (n && glob[n - 1] == '\\')
			glob[--n] = '\0';
		n = next_random(sizeof(text));
		for (k = 0; k < n; k++)
			text[k] = in_text[next_random(sizeof(in_text) - 1)];
		text[n] = '\0';
		want = !fnmatch(glob, text, 0);
		matches += want;
		if (!tsh_glob_match(glob, text) != !want)
			fail_msg("'%s', '%s': fnmatch %s", glob, text, want ? "yes" : "no");
	}
	assert_true(matches > 3000);
}

/* Patterns that take other matchers years. */
static void test_glob_time(void **state)
{
	static char glob[2001], text[4001];
	clock_t begin = clock();
	size_t i;

	(void)state;
	memset(text, 'a', 4000);
	for (i = 0; i < 2000; i += 2)
		memcpy(glob + i, "a*", 2);
	assert_true(tsh_glob_match(glob, text));
	glob[1999] = 'b';
	assert_false(tsh_glob_match(glob, text));
	memset(glob, '*', 2000);
	glob[1999] = 'b';
	assert_false(tsh_glob_match(glob, text));
	for (i = 0; i + 5 < 2000; i += 5)
		memcpy(glob + i, "*[!b]", 5);
	memcpy(glob + i, "*b", 3);
	assert_false(tsh_glob_match(glob, text));
	assert_true(clock() - begin < 5 * CLOCKS_PER_SEC);
}

static void test_is_glob(void **state)
{
	(void)state;
	assert_true(tsh_is_glob("*"));
	assert_true(tsh_is_glob("a?"));
	assert_true(tsh_is_glob("a[b]"));
	assert_false(tsh_is_glob(""));
	assert_false(tsh_is_glob("sched:sched_switch"));
	assert_false(tsh_is_glob("a]b"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_distance),
		cmocka_unit_test(test_suggest),
		cmocka_unit_test(test_suggest_odd_names),
		cmocka_unit_test(test_suggest_case),
		cmocka_unit_test(test_glob),
		cmocka_unit_test(test_glob_random),
		cmocka_unit_test(test_glob_time),
		cmocka_unit_test(test_is_glob),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
