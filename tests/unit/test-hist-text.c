/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "engine/histtrigger/text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#define HEAD \
	"# event histogram\n#\n# trigger info: hist:keys=a:vals=hitcount:sort=hitcount:size=2048 " \
	"if comm != \"{ \" [active]\n#\n\n"
#define TOTALS(hits, dropped) "\nTotals:\n    Hits: " hits "\n    Entries: 1\n    Dropped: " dropped "\n"
/* "%-50s" and "%-16s" of the kernel */
#define FILL50(text) text "                                                " /* 48 */

static void is_text(const struct tsh_hist_row *row, size_t key, const char *text)
{
	char got[256];

	snprintf(got, sizeof(got), "%.*s", (int)row->keys[key].len, row->keys[key].text);
	assert_string_equal(got, text);
}

static void test_numbers(void **state)
{
	static const struct tsh_hist_shape shape = {
		.keys = { { "call_site", TSH_HIST_NUMBER }, { "common_cpu", TSH_HIST_NUMBER } },
		.nkeys = 2, .nvalues = 2,
	};
	const char *at = HEAD
		"{ call_site: 18446744073709551615, common_cpu:          0 } hitcount:          5  "
		"bytes_req:        400  bytes_alloc:        512\n"
		/* 5.10 */
		"{ call_site:          7, cpu:          1 } hitcount:         12  bytes_req: "
		"18446744073709551611  bytes_alloc:          0\n" TOTALS("17", "3");
	struct tsh_hist_row row;
	uint64_t hits, dropped;

	(void)state;
	assert_true(tsh_hist_text_row(&at, &shape, &row));
	assert_true(row.keys[0].number == UINT64_MAX);
	assert_int_equal(row.keys[1].number, 0);
	assert_int_equal(row.count, 5);
	assert_int_equal(row.values[0], 400);
	assert_int_equal(row.values[1], 512);
	assert_true(tsh_hist_text_row(&at, &shape, &row));
	assert_int_equal(row.keys[1].number, 1);
	assert_int_equal(row.count, 12);
	assert_true((int64_t)row.values[0] == -5);
	assert_false(tsh_hist_text_row(&at, &shape, &row));
	assert_true(tsh_hist_text_totals(at, &hits, &dropped));
	assert_int_equal(hits, 17);
	assert_int_equal(dropped, 3);
}

static void test_texts(void **state)
{
	static const struct tsh_hist_shape shape = {
		.keys = { { "filename", TSH_HIST_TEXT }, { "common_pid", TSH_HIST_COMM },
			  { "pid", TSH_HIST_NUMBER } },
		.nkeys = 3,
	};
	const char *at = HEAD
		"{ filename: " FILL50("ab") ", common_pid: bash            [       712], pid:        713 } "
		"hitcount:          5\n"
		"{ filename: " FILL50("  ") ", common_pid: a[1] b          [         9], pid:          9 } "
		"hitcount:          1\n"
		/* longer than what is filled up, with what looks like a key in the part that counts */
		"{ filename: /aaaaaaaaaaaaaaaaaaaaaaa, pid:  1 } hitcount: 9 /bbbbbbbbbbbbbb, common_pid: "
		"kworker/0:1     [        10], pid:         10 } hitcount:          2\n" TOTALS("8", "0");
	struct tsh_hist_row row;

	(void)state;
	assert_true(tsh_hist_text_row(&at, &shape, &row));
	is_text(&row, 0, "ab");
	is_text(&row, 1, "bash");
	assert_int_equal(row.keys[1].number, 712);
	assert_int_equal(row.keys[2].number, 713);
	assert_int_equal(row.count, 5);
	assert_true(tsh_hist_text_row(&at, &shape, &row));
	is_text(&row, 0, "");
	is_text(&row, 1, "a[1] b");
	assert_true(tsh_hist_text_row(&at, &shape, &row));
	is_text(&row, 0, "/aaaaaaaaaaaaaaaaaaaaaaa, pid:  1 } hitcount: 9 /bbbbbbbbbbbbbb");
	is_text(&row, 1, "kworker/0:1");
	assert_int_equal(row.count, 2);
	assert_false(tsh_hist_text_row(&at, &shape, &row));
}

/* A name with lines that look like rows: the row ends where one could begin. */
static void test_lines_in_a_name(void **state)
{
	static const struct tsh_hist_shape shape = {
		.keys = { { "comm", TSH_HIST_TEXT } }, .nkeys = 1,
	};
	const char *at = HEAD "{ comm: " FILL50("a\n") " } hitcount:          3\n"
			      "{ comm: " FILL50("b } hitcount: 7\nx") " } hitcount:          4\n" TOTALS("7", "0");
	struct tsh_hist_row row;
	uint64_t hits, dropped;

	(void)state;
	assert_true(tsh_hist_text_row(&at, &shape, &row));
	is_text(&row, 0, "a");
	assert_int_equal(row.count, 3);
	assert_true(tsh_hist_text_row(&at, &shape, &row));
	is_text(&row, 0, "b } hitcount: 7\nx");
	assert_int_equal(row.count, 4);
	assert_true(tsh_hist_text_totals(at, &hits, &dropped));
}

static void test_stacks(void **state)
{
	static const struct tsh_hist_shape shape = {
		.keys = { { "common_pid", TSH_HIST_COMM }, { "stacktrace", TSH_HIST_STACK } },
		.nkeys = 2, .nvalues = 1,
	};
	const char *at = HEAD
		"{ common_pid: dd              [        41], stacktrace:\n"
		"         p9_fcall_init+0x3d/0xb0 [9pnet]\n"
		"         do_syscall_64+0x5b/0xc0\n"
		"} hitcount:          2  bytes:         10\n"
		/* none: no caller could be found */
		"{ common_pid: dd              [        42], stacktrace:\n"
		"} hitcount:          1  bytes:          0\n" TOTALS("3", "0");
	struct tsh_hist_row row;

	(void)state;
	assert_true(tsh_hist_text_row(&at, &shape, &row));
	is_text(&row, 0, "dd");
	is_text(&row, 1, "         p9_fcall_init+0x3d/0xb0 [9pnet]\n         do_syscall_64+0x5b/0xc0");
	assert_int_equal(row.values[0], 10);
	assert_true(tsh_hist_text_row(&at, &shape, &row));
	is_text(&row, 1, "");
	assert_false(tsh_hist_text_row(&at, &shape, &row));
}

/* Whatever the text is cut to, nothing beyond its end is looked at, and no row is made up. */
static void test_cut(void **state)
{
	static const struct tsh_hist_shape shape = {
		.keys = { { "comm", TSH_HIST_TEXT }, { "common_pid", TSH_HIST_COMM },
			  { "stacktrace", TSH_HIST_STACK } },
		.nkeys = 3, .nvalues = 1,
	};
	static const char whole[] = HEAD
		"{ comm: " FILL50("ab") ", common_pid: bash            [       712], stacktrace:\n"
		"         f+0x1/0x2\n} hitcount:          5  bytes:          3\n" TOTALS("5", "0");
	char text[sizeof(whole)];
	struct tsh_hist_row row;
	uint64_t hits, dropped;
	size_t len, rows;

	(void)state;
	for (len = 0; len < sizeof(whole); len++) {
		const char *at = text;

		memcpy(text, whole, len);
		text[len] = '\0';
		for (rows = 0; tsh_hist_text_row(&at, &shape, &row); rows++)
			assert_int_equal(row.count, 5);
		assert_in_range(rows, 0, 1);
		if (tsh_hist_text_totals(at, &hits, &dropped))
			assert_int_equal(rows, 1);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_numbers),
		cmocka_unit_test(test_texts),
		cmocka_unit_test(test_lines_in_a_name),
		cmocka_unit_test(test_stacks),
		cmocka_unit_test(test_cut),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
