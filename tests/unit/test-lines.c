/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "kernel/tracefs/lines.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

/* Files that hold lines: which are the same, which replace each other, how one writes them. */

#define N(array) (sizeof(array) / sizeof((array)[0]))

#define TRIGGER "events/a/b/trigger"

/* `want` NULL: there is none. */
static void is_text(char *got, const char *want)
{
	if (want)
		assert_string_equal(got ? got : "(null)", want);
	else
		assert_null(got);
	free(got);
}

static void test_text(void **state)
{
	/* file, line, as one writes it, what makes it the same, what there is one of */
	static const char *const rows[][5] = {
		{ TRIGGER, "traceoff:count=3 if x == 1", "traceoff:3 if x == 1",
		  "traceoff if x == 1", "tracing" },
		{ TRIGGER, "traceon:unlimited", "traceon", "traceon", "tracing" },
		{ TRIGGER, "disable_event:s:e:count=1", "disable_event:s:e:1",
		  "disable_event:s:e", "enable_event:s:e" },
		{ TRIGGER, "hist:keys=a [paused]", "hist:keys=a:pause", "hist:keys=a:pause", NULL },
		/* what is no trigger stays as it is */
		{ TRIGGER, "traceoff:count=x", "traceoff:count=x", "traceoff:count=x", NULL },
		{ "set_ftrace_filter", "f", "f", "f", NULL },
		{ "set_ftrace_filter", "f [ext4]", "f:mod:ext4", "f [ext4]", NULL },
		{ "set_ftrace_filter", "f [9p]", "f", "f [9p]", NULL },
		{ "set_ftrace_filter", "f [ext4", "f [ext4", "f [ext4", NULL },
		{ "set_ftrace_filter", "f:traceoff:count=2", "f:traceoff:2", "f:traceoff:0", NULL },
		{ "set_ftrace_filter", "f [ext4]:traceoff:unlimited", "f:traceoff",
		  "f [ext4]:traceoff", NULL },
		{ "stack_trace_filter", "f [ext4]", "f", "f [ext4]", NULL },
		{ "set_graph_function", "f", "f", "f", NULL },
		{ "set_graph_notrace", "f [ext4]", "f", "f [ext4]", NULL },
		{ "set_event", "a:b", "a:b", "a:b", NULL },
		{ "kprobe_events", "p:g/e f arg=%di", "p:g/e f arg=%di", "p:g/e f arg=%di", ":g/e" },
		{ "kprobe_events", "r3:g/e f", "r3:g/e f", "r3:g/e f", ":g/e" },
		{ "kprobe_events", "nothing", "nothing", "nothing", NULL },
		{ "synthetic_events", "lat\tu64 lat; pid_t pid", "lat\tu64 lat; pid_t pid",
		  "lat\tu64 lat; pid_t pid", "lat" },
		{ "synthetic_events", "lat;u64 x", "lat;u64 x", "lat;u64 x", "lat" },
	};
	size_t i;

	(void)state;
	for (i = 0; i < N(rows); i++) {
		const struct tsh_file_class *cls = tsh_file_class(rows[i][0]);

		is_text(tsh_line_text(cls, rows[i][1]), rows[i][2]);
		is_text(tsh_line_identity(cls, rows[i][1]), rows[i][3]);
		is_text(tsh_line_key(cls, rows[i][1]), rows[i][4]);
	}
	assert_true(tsh_line_is_command("f:traceoff"));
	assert_false(tsh_line_is_command("f [ext4]"));
}

static void test_split(void **state)
{
	static const char *const rows[][2] = {
		{ "", "" },
		{ "\n\n", "" },
		{ "# a comment\n1\n#x\n\n2\n", "1,2," },
		{ "no pid", "" },
		{ "no pid\n7", "7," },
		{ "no pids", "no pids," },
		{ "#### all functions enabled ####\nf:traceoff", "f:traceoff," },
	};
	size_t i, k;

	(void)state;
	for (i = 0; i < N(rows); i++) {
		struct tsh_strlist lines = { 0 };
		struct tsh_strbuf text = TSH_STRBUF_INIT;

		tsh_lines_split(rows[i][0], &lines);
		for (k = 0; k < lines.n; k++)
			tsh_strbuf_addf(&text, "%s,", lines.v[k]);
		assert_string_equal(text.buf, rows[i][1]);
		tsh_strbuf_release(&text);
		tsh_strlist_release(&lines);
	}
}

static void test_gone(void **state)
{
	static const char *const rows[][4] = {
		/* came, went, now, what of what came is not there any more */
		{ "hist:keys=a [paused]", "", "hist:keys=a [active]", "" },
		{ "hist:keys=a [paused]", "hist:keys=a [active]", "hist:keys=a [active]", "hist:keys=a [paused]," },
		{ "hist:keys=a [paused]", "", "hist:keys=b [active]", "hist:keys=a [paused]," },
		{ "hist:keys=a if x [active]", "", "hist:keys=a [paused]", "hist:keys=a if x [active]," },
		{ "hist:keys=a if x [active]", "", "hist:keys=a if x [paused]", "" },
		{ "traceoff:unlimited", "", "traceon:unlimited", "traceoff:unlimited," },
	};
	size_t i, k;

	(void)state;
	for (i = 0; i < N(rows); i++) {
		struct tsh_strlist lists[3] = { 0 }, got = { 0 };
		struct tsh_strbuf text = TSH_STRBUF_INIT;

		for (k = 0; k < 3; k++)
			tsh_lines_split(rows[i][k], &lists[k]);
		tsh_lines_removed_since(tsh_file_class(TRIGGER), &lists[0], &lists[1], &lists[2], &got);
		tsh_strbuf_adds(&text, "");
		for (k = 0; k < got.n; k++)
			tsh_strbuf_addf(&text, "%s,", got.v[k]);
		assert_string_equal(text.buf, rows[i][3]);
		tsh_strbuf_release(&text);
		for (k = 0; k < 3; k++)
			tsh_strlist_release(&lists[k]);
		tsh_strlist_release(&got);
	}
}

static void test_without(void **state)
{
	static const char *const rows[][4] = {
		/* file, a, b, what of a is not in b: in the order of a */
		{ "set_event", "a:b\na:c", "", "a:b,a:c," },
		{ "set_event", "", "a:b", "" },
		{ "set_event", "z:z\nm:m\na:a", "m:m", "z:z,a:a," },
		{ TRIGGER, "traceoff:count=9\nstacktrace", "traceoff:count=1", "stacktrace," },
		{ TRIGGER, "traceoff if x == 1", "traceoff if x == 2", "traceoff if x == 1," },
		{ "set_ftrace_filter", "b\na [m]\nf:traceoff:count=2", "f:traceoff:count=1\na", "b,a [m]," },
		{ "set_ftrace_filter", "f:traceoff:count=2\nf:traceoff:unlimited", "f:traceoff:unlimited",
		  "f:traceoff:count=2," },
	};
	size_t i, k;

	(void)state;
	for (i = 0; i < N(rows); i++) {
		struct tsh_strlist a = { 0 }, b = { 0 }, got = { 0 };
		struct tsh_strbuf text = TSH_STRBUF_INIT;

		tsh_lines_split(rows[i][1], &a);
		tsh_lines_split(rows[i][2], &b);
		tsh_lines_without(tsh_file_class(rows[i][0]), &a, &b, &got);
		for (k = 0; k < got.n; k++)
			tsh_strbuf_addf(&text, "%s,", got.v[k]);
		assert_string_equal(text.buf, rows[i][3]);
		tsh_strbuf_release(&text);
		tsh_strlist_release(&a);
		tsh_strlist_release(&b);
		tsh_strlist_release(&got);
	}
}

static void test_replaced(void **state)
{
	static const struct {
		const char *path, *list, *line;
		bool replaced;
	} rows[] = {
		{ TRIGGER, "traceon", "traceoff", true },
		{ TRIGGER, "traceoff:count=1", "traceoff:3", false },
		{ TRIGGER, "stacktrace", "traceoff", false },
		{ TRIGGER, "hist:keys=a", "hist:keys=b", false },
		{ TRIGGER, "", "traceoff", false },
		{ TRIGGER, "hist:keys=a\nenable_event:s:e if x == 1", "enable_event:s:e", true },
		{ "kprobe_events", "p:g/e other", "p:g/e f", true },
		{ "kprobe_events", "p:g/e2 f", "p:g/e f", false },
		{ "synthetic_events", "lat u64 x", "lat u64 y", true },
		{ "set_event", "a:b", "a:c", false },
	};
	size_t i;

	(void)state;
	for (i = 0; i < N(rows); i++) {
		struct tsh_strlist list = { 0 };

		tsh_lines_split(rows[i].list, &list);
		assert_int_equal(tsh_lines_replaced(tsh_file_class(rows[i].path), &list,
						    rows[i].line), rows[i].replaced);
		tsh_strlist_release(&list);
	}
}

static void test_same(void **state)
{
	static const struct {
		const char *path, *a, *b;
		bool same;
	} rows[] = {
		{ "set_event", "a:b\na:c", "# x\na:c\na:b\n", true },
		{ "set_event", "a:b", "a:b\na:b", false },
		{ "set_event", "a:b\na:c", "a:b\na:d", false },
		{ "set_ftrace_pid", "no pid", "", true },
		{ TRIGGER, "# Available triggers:\n# traceon", "", true },
		{ TRIGGER, "hist:keys=a [active]", "hist:keys=a [paused]", false },
	};
	size_t i;

	(void)state;
	for (i = 0; i < N(rows); i++)
		assert_int_equal(tsh_lines_same(tsh_file_class(rows[i].path), rows[i].a, rows[i].b),
				 rows[i].same);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_text),	 cmocka_unit_test(test_split),
		cmocka_unit_test(test_gone),
		cmocka_unit_test(test_without),	 cmocka_unit_test(test_replaced),
		cmocka_unit_test(test_same),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
