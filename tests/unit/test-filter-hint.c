/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "lang/filter-hint.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "base/xmalloc.h"

#define N(array) (sizeof(array) / sizeof((array)[0]))

static const struct tsh_filter_field fields[] = {
	{ "common_pid", "int", TSH_FILTER_NUMBER, true, true },
	{ "prev_comm", "char[16]", TSH_FILTER_STRING, false, false },
	{ "prev_pid", "pid_t", TSH_FILTER_NUMBER, true, false },
	{ "next_pid", "pid_t", TSH_FILTER_NUMBER, true, false },
	{ "flags", "unsigned long", TSH_FILTER_NUMBER, false, false },
	{ "file", "__data_loc char[]", TSH_FILTER_STRING, false, false },
	{ "mask", "__data_loc cpumask_t", TSH_FILTER_CPUS, false, false },
	{ "args", "unsigned long[6]", TSH_FILTER_OTHER, false, false },
};
static const struct tsh_filter_event event = { "sched:sched_switch", fields, N(fields) };

struct row {
	const char *filter;
	const char *blamed;	/* the bytes that the fault is about */
	const char *hint;	/* in the hint */
};

static void check(const struct row *row)
{
	struct tsh_filter_fault fault;
	bool found = tsh_filter_fault_find(row->filter, &event, &fault);
	char *got;

	if (!found)
		fail_msg("%s: no fault", row->filter);
	got = tsh_xstrndup(row->filter + fault.span.begin, fault.span.end - fault.span.begin);
	if (strcmp(got, row->blamed))
		fail_msg("%s: blames '%s', not '%s'", row->filter, got, row->blamed);
	if (!strstr(fault.hint, row->hint))
		fail_msg("%s: '%s' has no '%s'", row->filter, fault.hint, row->hint);
	free(got);
	tsh_filter_fault_release(&fault);
}

static void check_all(const struct row *rows, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		check(&rows[i]);
}

static void test_fields(void **state)
{
	static const struct row rows[] = {
		{ "prev_pidd == 1", "prev_pidd", "did you mean 'prev_pid'?" },
		{ "xyzzy == 1", "xyzzy", "sched:sched_switch has char prev_comm[16], pid_t prev_pid, "
		  "pid_t next_pid, unsigned long flags, char file[], cpumask_t mask, "
		  "unsigned long args[6]" },
		{ "prev_pid == 1 || (next_pid == 2 && comn == \"a\")", "comn", "mean 'comm'" },
		{ "1 == prev_pid", "1", "the field stands before the operator" },
		{ "\"bash\" == comm", "\"bash\"", "begins with the name of a field" },
		{ "== 1", "=", "a field is missing" },
		{ "prev_comm.len == 4", ".len", ".ustring and .function" },
		{ "args->x == 4", "->", "not parts of one" },
		{ "args[1] == 4", "[", "not parts of one" },
		{ "$flags == 4", "$", "variables look like ${name}" },
		{ "not prev_pid == 1", "not", "is written '!'" },
	};

	(void)state;
	check_all(rows, N(rows));
}

static void test_operators(void **state)
{
	static const struct row rows[] = {
		{ "prev_pid = 1", "=", "equal is written '=='" },
		{ "prev_pid === 1", "===", "is written '=='" },
		{ "prev_comm =~ \"a\"", "=~", "is written '~'" },
		{ "prev_comm !~ \"a\"", "!~", "!(prev_comm ~ ..)" },
		{ "prev_pid => 1", "=>", "is written '>='" },
		{ "prev_pid =< 1", "=<", "is written '<='" },
		{ "prev_pid <> 1", "<>", "is written '!='" },
		{ "prev_pid !== 1", "!==", "is written '!='" },
		{ "prev_pid in 1", "in", "the operators are ==" },
		{ "prev_pid is 1", "is", "the operators are ==" },
		{ "prev_pid + 1 == 2", "+", "filters do not calculate" },
		{ "prev_pid", "prev_pid", "a field alone is no comparison; write: prev_pid != 0" },
		{ "file || prev_pid == 1", "file", "file != \"\"" },
		{ "prev_comm > \"a\"", ">", "is a string (char[16])" },
		{ "prev_comm & \"a\"", "&", "is a string (char[16])" },
		{ "prev_pid ~ 1", "~", "is a number (pid_t): ~ is for strings" },
	};

	(void)state;
	check_all(rows, N(rows));
}

static void test_values(void **state)
{
	static const struct row rows[] = {
		{ "prev_pid ==", "==", "a value is missing behind '=='" },
		{ "(prev_pid == )", "==", "a value is missing" },
		{ "comm == bash", "bash", "strings need quotes: comm == \"bash\"" },
		{ "prev_comm ~ kworker*", "kworker*", "prev_comm ~ \"kworker*\"" },
		{ "file == /etc/passwd && flags == 1", "/etc/passwd", "file == \"/etc/passwd\"" },
		{ "comm == a\"b\"", "a\"b\"", "'a\"b\"'" },
		{ "comm == 5", "5", "comm == \"5\"" },
		{ "prev_pid == \"1\"", "\"1\"", "write numbers without quotes: prev_pid == 1" },
		{ "prev_pid == 'x'", "'x'", "is a number (pid_t), no string" },
		{ "cpu == '0'", "'0'", "write numbers without quotes: cpu == 0" },
		{ "prev_pid == next_pid", "next_pid", "cannot compare two fields" },
		{ "comm == prev_comm", "prev_comm", "cannot compare two fields" },
		{ "flags == TASK_DEAD", "TASK_DEAD", "filters have no names for its values" },
		{ "prev_pid == 12x", "12x", "numbers are 10, 0x1f" },
		{ "prev_pid == 10ms", "10ms", "without a unit" },
		{ "prev_pid == 1.5", "1.5", "numbers are whole" },
		{ "prev_pid == 08", "08", "octal" },
		{ "prev_pid == 0b1", "0b1", "numbers are 10" },
		{ "prev_pid == 9223372036854775808", "9223372036854775808", "the largest" },
		{ "prev_pid == -9223372036854775809", "-9223372036854775809", "the largest" },
		{ "flags == 18446744073709551616", "18446744073709551616", "the largest" },
		{ "flags == -1", "-1", "unsigned" },
		{ "prev_pid == - 1", "-", "right before its number" },
		{ "prev_pid == +1", "+", "without a '+'" },
		{ "prev_pid == (1)", "(", "without parentheses" },
		{ "prev_comm == \xe2\x80\x9c" "a\xe2\x80\x9d", "\xe2\x80\x9c", "the quotes of a filter" },
		{ "prev_pid == ${x}", "$", "variables look like" },
		{ "args == foo", "foo", "a number, or a string in quotes" },
		{ "flags.function > schedule", ">", "compared with == or !=" },
	};

	(void)state;
	check_all(rows, N(rows));
}

static void test_cpus(void **state)
{
	static const struct row rows[] = {
		{ "cpu & CPUS{0-1", "{", "there is no '}'" },
		{ "cpu & CPUS{}", "CPUS{}", "looks like CPUS{0-3,7}" },
		{ "cpu & CPUS{a}", "CPUS{a}", "looks like CPUS{0-3,7}" },
		{ "cpu & CPUS", "CPUS", "looks like CPUS{0-3,7}" },
		{ "cpu > CPUS{1}", ">", "compared with == != or &" },
		{ "file == CPUS{1}", "CPUS", "not for a string" },
	};

	(void)state;
	check_all(rows, N(rows));
}

static void test_expressions(void **state)
{
	static const struct row rows[] = {
		{ "()", ")", "missing before this" },
		{ "!", "!", "looks like common_pid == 1" },
		{ "prev_pid == 1 &&", "&&", "missing behind this" },
		{ "&& prev_pid == 1", "&&", "missing before this" },
		{ "prev_pid == 1 && || flags == 2", "||", "missing before this" },
		{ "prev_pid == 1 and flags == 2", "and", "'and' is written '&&'" },
		{ "prev_pid == 1 OR flags == 2", "OR", "'or' is written '||'" },
		{ "prev_pid == 1 & flags == 2", "&", "joined by '&&'" },
		{ "(prev_pid == 1 | flags == 2)", "|", "joined by '||'" },
		{ "prev_pid == 1, flags == 2", ",", "'&&' or '||'" },
		{ "prev_pid == 1 flags == 2", "flags", "'&&' or '||' is missing before 'flags'" },
		{ "prev_pid == 1 (flags == 2)", "(", "is missing before '('" },
		{ "comm == \"a\" \"b\"", "\"b\"", "is missing before" },
		{ "comm == \"a\" || \"b\"", "\"b\"", "begins with the name of a field" },
		{ "prev_pid == 1 || 2", "2", "the field stands before" },
		{ "1 < prev_pid < 2", "1", "the field stands before" },
		{ "prev_pid > 1 < 2", "<", "is missing before '<'" },
		{ "((prev_pid == 1)", "(", "there is no ')'" },
		{ "prev_pid == 1)", ")", "there is no '('" },
		{ "comm == \"bash", "\"", "has no end" },
		{ "comm == 'it\"", "'", "has no end" },
		/* quotes and parentheses are looked at first, as the kernel does */
		{ "nosuch = 1 || (prev_pid == 1", "(", "there is no ')'" },
	};

	(void)state;
	check_all(rows, N(rows));
}

/* Where among equal bytes. */
static void test_places(void **state)
{
	static const struct {
		const char *filter;
		size_t begin;
	} rows[] = {
		{ "(prev_pid == 1 && (flags == 2)", 0 },
		{ "(prev_pid == 1) && (flags == 2", 19 },
		{ "prev_pid == 1) && flags == 2)", 13 },
		{ "prev_pid == 1 && prev_pid = 1", 26 },
		{ "comm == \"a\" && comm == \"b", 23 },
		{ "", 0 },
	};
	struct tsh_filter_fault fault;
	size_t i;

	(void)state;
	for (i = 0; i < N(rows); i++) {
		assert_true(tsh_filter_fault_find(rows[i].filter, &event, &fault));
		assert_int_equal(fault.span.begin, rows[i].begin);
		assert_true(fault.span.end > fault.span.begin);
		tsh_filter_fault_release(&fault);
	}
}

/* What kernels take: 5.10 to 7.2. */
static void test_good(void **state)
{
	static const char *const good[] = {
		"prev_pid == 1", "prev_pid==1&&next_pid==2", "  prev_pid != -1  ",
		"!(prev_pid == 1)", "!!prev_pid == 1", "!prev_pid == 1", "! ( ! prev_pid == 1 )",
		"((prev_pid == 1) || (flags & 0x10))", "flags >= 017 && flags <= 18446744073709551615",
		"prev_pid == -9223372036854775808", "comm ~ \"a|b;c#$x\"", "comm != 'it \"is\" (a'",
		"file ~ \"*/etc/*\"", "prev_comm == \"\"", "cpu == 0", "CPU & 1", "mask & 3",
		"common_type == 5 && common_flags == 1 && common_preempt_count < 2",
		"stacktrace == 1", "args == 5", "prev_pid\t==\n1",
	};
	struct tsh_filter_fault fault;
	size_t i;

	(void)state;
	for (i = 0; i < N(good); i++) {
		if (tsh_filter_fault_find(good[i], &event, &fault))
			fail_msg("%s: '%s'", good[i], fault.hint);
		assert_null(fault.hint);
		assert_int_equal(fault.span.end, 0);
	}
}

/* Without a fault, but not for every kernel: nothing is to blame. */
static void test_novelties(void **state)
{
	static const struct {
		const char *filter;
		const char *hint;
	} rows[] = {
		{ "cpu & CPUS{0-3,7}", "before 6.6" },
		{ "file.ustring ~ \"a*\"", "before 5.17" },
		{ "flags.function == schedule", "before 6.3" },
	};
	struct tsh_filter_fault fault;
	size_t i;

	(void)state;
	for (i = 0; i < N(rows); i++) {
		assert_true(tsh_filter_fault_find(rows[i].filter, &event, &fault));
		assert_non_null(strstr(fault.hint, rows[i].hint));
		assert_int_equal(fault.span.end, 0);
		tsh_filter_fault_release(&fault);
	}
}

static void test_long(void **state)
{
	struct tsh_filter_field many[40];
	struct tsh_filter_event big = { "a:b", many, N(many) };
	struct tsh_filter_fault fault;
	char names[40][8], filter[400];
	size_t i;

	(void)state;
	for (i = 0; i < N(many); i++) {
		names[i][0] = 'q';
		names[i][1] = (char)('a' + i / 26);
		names[i][2] = (char)('a' + i % 26);
		names[i][3] = '\0';
		many[i] = (struct tsh_filter_field){ names[i], "int", TSH_FILTER_NUMBER, true,
						     false };
	}
	assert_true(tsh_filter_fault_find("zzzzzz == 1", &big, &fault));
	assert_non_null(strstr(fault.hint, "int qap and 24 more"));
	tsh_filter_fault_release(&fault);

	memset(filter, 'a', sizeof(filter));
	memcpy(filter, "comm == \"", 9);
	strcpy(filter + 9 + 255, "\"");
	assert_false(tsh_filter_fault_find(filter, &event, &fault));
	strcpy(filter + 9 + 255, "a\"");
	assert_true(tsh_filter_fault_find(filter, &event, &fault));
	assert_non_null(strstr(fault.hint, "255 bytes at most"));
	tsh_filter_fault_release(&fault);
}

/* The kernel takes a filter that ends where a comparison has to follow. */
static void test_unfinished(void **state)
{
	static const struct {
		const char *filter;
		size_t begin;
	} rows[] = {
		{ "prev_pid == 1 &&", 14 }, { "prev_pid == 1 || ", 14 }, { "a == 1 || b == 2 && ! \t!", 17 }, { "&&", 0 },
	};
	static const char *const good[] = { "", "&", "a == 1", "a & 1", "a == 1 &", "(a == 1 &&)", "a ~ \"x &&\"" };
	struct tsh_span span;
	size_t i;

	(void)state;
	for (i = 0; i < N(rows); i++) {
		assert_true(tsh_filter_is_unfinished(rows[i].filter, &span));
		assert_int_equal(span.begin, rows[i].begin);
		assert_int_equal(span.end, rows[i].begin + 2);
	}
	for (i = 0; i < N(good); i++)
		assert_false(tsh_filter_is_unfinished(good[i], &span));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_fields),	 cmocka_unit_test(test_operators),
		cmocka_unit_test(test_values),	 cmocka_unit_test(test_cpus),
		cmocka_unit_test(test_expressions), cmocka_unit_test(test_places),
		cmocka_unit_test(test_good),	 cmocka_unit_test(test_novelties),
		cmocka_unit_test(test_long),	 cmocka_unit_test(test_unfinished),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
