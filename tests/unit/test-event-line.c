/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "outputs.h"

#include <stdlib.h>

#include "output/event-line.h"

/* The cells of an event's line: columns, CSV, and what headers say. */

static void add_cell(void *ctx, enum tsh_line_column column, struct tsh_strbuf *out)
{
	assert_string_equal(ctx, "context");
	tsh_strbuf_adds(out, column == TSH_LINE_TIME ? "12:00" : column == TSH_LINE_EVENT ? "sched_switch" : "a text");
}

static struct tsh_event_line line_of(int pid, const char *comm)
{
	return (struct tsh_event_line){
		.comm = comm, .comm_len = strlen(comm), .flags = "d..2.", .flags_len = 5, .cpu = 1, .tgid = -1,
		.pid = pid, .clock = tsh_clock_kind("boot"),
	};
}

static void test_columns(void **state)
{
	static const struct {
		const char *columns, *comm;
		int pid;
		bool pads;
		const char *expected;
	} cases[] = {
		{ "task,text", "bash", 42, true, "            bash-42      a text\n" },
		{ "task,text", "bash", 42, false, "bash-42                  a text\n" },
		{ "task,text", "0123456789abcdef", 1, true, "0123456789abcdef-1       a text\n" },
		{ "task,text", "a\nb", 7, true, "            a\\nb-7       a text\n" },
		{ "task", "x", TSH_NO_PID, false, "x--\n" },
		{ "comm,pid,tgid,cpu,flags", CLEAR, 5, true, "\\x1b[2J               5       -   1 d..2.\n" },
		{ "time,event,text", "x", 5, true, "12:00 sched_switch         a text\n" },
		{ "delta,pid", "x", TSH_NO_PID, true, "           -       -\n" },
	};
	struct tsh_strbuf cell = TSH_STRBUF_INIT;
	struct tsh_line_columns c;
	struct tsh_err err = { 0 };
	struct tsh_out out;
	size_t i;

	(void)state;
	for (i = 0; i < SIZE(cases); i++) {
		struct tsh_event_line line = line_of(cases[i].pid, cases[i].comm);
		char context[] = "context";

		line.pads_comm = cases[i].pads;
		tsh_out_init(&out, -1, TSH_FORMAT_TEXT);
		assert_int_equal(tsh_line_columns_parse(&c, cases[i].columns, &err), 0);
		tsh_event_line_columns(&c, &out, &line, add_cell, context, &cell);
		check_data(&out, cases[i].expected);
	}
	tsh_strbuf_release(&cell);
}

/* A delta is one of wall times or of stamps in ns; a change between them begins anew. */
static void test_delta(void **state)
{
	struct tsh_event_line line = line_of(1, "x");
	struct tsh_strbuf cell = TSH_STRBUF_INIT;
	struct tsh_line_columns c;
	struct tsh_err err = { 0 };
	struct tsh_out out;
	unsigned int i;

	(void)state;
	tsh_out_init(&out, -1, TSH_FORMAT_TEXT);
	assert_int_equal(tsh_line_columns_parse(&c, "delta", &err), 0);
	line.stamp_in_ns = true;
	for (i = 0; i < 4; i++) {
		line.stamp += 2000;
		line.wall += 5000;
		line.has_wall = i >= 2;
		tsh_event_line_columns(&c, &out, &line, add_cell, NULL, &cell);
	}
	check_data(&out, "   +0.000000\n   +0.000002\n   +0.000000\n   +0.000005\n");
	tsh_strbuf_release(&cell);
}

static void test_csv(void **state)
{
	struct tsh_event_line line = line_of(-7, "=a,\"b\"");
	struct tsh_strbuf out = TSH_STRBUF_INIT;
	struct tsh_time_text time;

	(void)state;
	tsh_event_line_csv(&line, &out);
	assert_string_equal(out.buf, ",,,1,-7,,\"'=a,\"\"b\"\"\",d..2.,");
	tsh_strbuf_clear(&out);
	/* the kernel's digits have blanks before them */
	tsh_time_text_init(&time, TSH_TIME_TRACE, false);
	line.time = &time;
	line.has_stamp = line.has_error = true;
	line.stamp = 3500000;
	line.error_ns = 9;
	line.cpu = -1;
	line.pid = TSH_NO_PID;
	line.tgid = 0;
	line.comm_len = line.flags_len = 0;
	tsh_event_line_csv(&line, &out);
	assert_string_equal(out.buf, "0.003500,3500000,9,,,0,,,");
	tsh_strbuf_clear(&out);
	line.has_error = false;
	tsh_event_line_csv_lost(&line, "lost", 21, &out);
	tsh_event_line_csv_lost(&line, "lost", TSH_LOST_UNKNOWN, &out);
	assert_string_equal(out.buf, "0.003500,3500000,,,,0,,,lost,21\n0.003500,3500000,,,,0,,,lost,unknown\n");
	tsh_strbuf_release(&out);
	tsh_time_text_release(&time);
}

static void test_words(void **state)
{
	static const struct {
		enum tsh_time_style style;
		const char *zone, *of_clock, *of_hosts;
	} cases[] = {
		{ TSH_TIME_NONE, NULL, "no times", "no times" },
		{ TSH_TIME_TRACE, NULL, "times of that clock", "times of each host's trace clock" },
		{ TSH_TIME_UTC, NULL, "which has no wall-clock time here", "times UTC" },
		{ TSH_TIME_WALL, "Asia/Tokyo", "which has no wall-clock time here", "times Asia/Tokyo (+0000)" },
		{ TSH_TIME_SHORT, NULL, "which has no wall-clock time here", "times local (+0000)" },
	};
	struct tsh_strbuf out = TSH_STRBUF_INIT;
	struct tsh_clock clock;
	size_t i;

	(void)state;
	tsh_clock_init(&clock, tsh_clock_kind("boot"));
	for (i = 0; i < SIZE(cases); i++) {
		tsh_strbuf_clear(&out);
		tsh_event_times_text(&clock, cases[i].style, cases[i].zone, 500, true, &out);
		assert_string_equal(out.buf, cases[i].of_clock);
		tsh_strbuf_clear(&out);
		tsh_event_times_text(NULL, cases[i].style, cases[i].zone, 0, false, &out);
		assert_string_equal(out.buf, cases[i].of_hosts);
	}
	tsh_strbuf_clear(&out);
	tsh_event_lost_text(3, 1, &out);
	tsh_strbuf_addc(&out, '|');
	tsh_event_lost_text(-1, 2, &out);
	tsh_strbuf_addc(&out, '|');
	tsh_event_lost_text(0, TSH_LOST_UNKNOWN, &out);
	assert_string_equal(out.buf, "cpu 3: 1 event lost|2 events lost|cpu 0: events lost, count unknown");
	tsh_strbuf_release(&out);
	tsh_clock_release(&clock);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_columns),
		cmocka_unit_test(test_delta),
		cmocka_unit_test(test_csv),
		cmocka_unit_test(test_words),
	};

	setenv("TZ", "UTC0", 1);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
