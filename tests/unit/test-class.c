/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "kernel/tracefs/tracefs.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "kernel/tracefs/trigger.h"

#define N(array) (sizeof(array) / sizeof((array)[0]))

/* One path of every class, with what the class is to do. */
static const struct {
	const char *path;
	enum tsh_compare compare;
	enum tsh_inverse inverse;
} paths[] = {
	{ "trace_pipe", TSH_SAME_NEVER, TSH_BACK_NONE },
	{ "per_cpu/cpu1/trace_pipe_raw", TSH_SAME_NEVER, TSH_BACK_NONE },
	{ "trace", TSH_SAME_NEVER, TSH_BACK_NONE },
	{ "trace_marker", TSH_SAME_NEVER, TSH_BACK_NONE },
	{ "per_cpu/cpu0/snapshot", TSH_SAME_NEVER, TSH_BACK_NONE },
	{ "events/sched/enable", TSH_SAME_NEVER, TSH_BACK_NONE },
	{ "events/sched/sched_switch/enable", TSH_SAME_BIT, TSH_BACK_WRITE },
	{ "events/sched/filter", TSH_SAME_NEVER, TSH_BACK_NONE },
	{ "events/sched/sched_switch/filter", TSH_SAME_FILTER, TSH_BACK_WRITE },
	{ "events/sched/sched_switch/trigger", TSH_SAME_TRIGGERS, TSH_BACK_TRIGGERS },
	{ "set_event", TSH_SAME_LINES, TSH_BACK_LINES },
	{ "set_event_pid", TSH_SAME_PIDS, TSH_BACK_REPLACE },
	{ "set_ftrace_notrace_pid", TSH_SAME_PIDS, TSH_BACK_REPLACE },
	{ "set_ftrace_filter", TSH_SAME_FUNCTIONS, TSH_BACK_FUNCTIONS },
	{ "set_graph_function", TSH_SAME_LINES, TSH_BACK_REPLACE },
	{ "kprobe_events", TSH_SAME_LINES, TSH_BACK_PROBES },
	{ "synthetic_events", TSH_SAME_LINES, TSH_BACK_SYNTHETIC },
	{ "current_tracer", TSH_SAME_TEXT, TSH_BACK_WRITE },
	{ "trace_clock", TSH_SAME_CHOICE, TSH_BACK_WRITE },
	{ "buffer_size_kb", TSH_SAME_SIZE, TSH_BACK_SIZES },
	{ "per_cpu/cpu0/buffer_size_kb", TSH_SAME_SIZE, TSH_BACK_WRITE },
	{ "tracing_cpumask", TSH_SAME_MASK, TSH_BACK_WRITE },
	{ "tracing_on", TSH_SAME_BIT, TSH_BACK_WRITE },
	{ "tracing_max_latency", TSH_SAME_ANY, TSH_BACK_WRITE },
	{ "trace_options", TSH_SAME_OPTION, TSH_BACK_WRITE },
	{ "options/record-tgid", TSH_SAME_TEXT, TSH_BACK_WRITE },
};

static void test_classes(void **state)
{
	size_t i;

	(void)state;
	for (i = 0; i < N(paths); i++) {
		const struct tsh_file_class *cls = tsh_file_class(paths[i].path);

		assert_int_equal(cls->compare, paths[i].compare);
		assert_int_equal(cls->inverse, paths[i].inverse);
		/* What has no way back says why it is not written, or what writing does. */
		if (cls->inverse == TSH_BACK_NONE)
			assert_non_null(cls->why);
	}
}

static void test_normalize(void **state)
{
	static const char *const rows[][3] = {
		{ "events/a/b/enable", "1*", "1" },
		{ "events/a/b/enable", "0", "0" },
		{ "events/a/b/filter", "none", "0" },
		{ "events/a/b/filter", "x == 1 ", "x == 1" },
		{ "events/a/b/filter", "foo == 5\n ^\nparse_error: Field not found", "0" },
		{ "events/a/b/filter", "comm ~ \"parse_error: x\"", "comm ~ \"parse_error: x\"" },
		{ "events/a/b/trigger", "# Available triggers:\n# traceon traceoff", "" },
		{ "events/a/b/trigger", "traceoff:unlimited\nstacktrace:count=3 if a == \" if \"",
		  "traceoff\nstacktrace:3 if a == \" if \"" },
		{ "events/a/b/trigger", "hist:keys=pid:vals=hitcount:size=2048 if x == 1 [paused]",
		  "hist:keys=pid:vals=hitcount:size=2048:pause if x == 1" },
		{ "trace_clock", "local [boot] mono", "boot" },
		{ "buffer_size_kb", "7 (expanded: 1408)", "1408" },
		{ "set_ftrace_pid", "no pid", "" },
		{ "set_ftrace_filter", "#### all functions enabled ####", "" },
		{ "set_ftrace_filter", "f\nf [9pnet]\ng [ext4]\nh:traceoff:count=2\nk:traceon:unlimited",
		  "f\nf\ng:mod:ext4\nh:traceoff:2\nk:traceon" },
	};
	size_t i;

	(void)state;
	for (i = 0; i < N(rows); i++) {
		char *text = tsh_class_normalize(tsh_file_class(rows[i][0]), rows[i][1]);

		assert_string_equal(text, rows[i][2]);
		free(text);
	}
}

static void test_equal(void **state)
{
	static const struct {
		const char *path, *a, *b;
		bool same;
	} rows[] = {
		{ "events/a/b/trigger", "traceoff:count=3", "traceoff:count=1", true },
		{ "events/a/b/trigger", "traceoff:3 if x == 1", "traceoff:count=0 if x == 2", false },
		{ "events/a/b/trigger", "traceoff\nstacktrace", "stacktrace\ntraceoff:unlimited", true },
		{ "events/a/b/trigger", "traceoff", "traceon", false },
		{ "set_ftrace_filter", "b\na\nc:traceoff:count=9", "a\nb\nc:traceoff:count=2", true },
		{ "set_ftrace_filter", "a", "a\nb", false },
		{ "buffer_size_kb", "1408", "1410", true },
		{ "buffer_size_kb", "1408", "1500", false },
		{ "buffer_size_kb", "X\n0 300\n1 400", "X\n0 300\n1 500", false },
		{ "buffer_size_kb", "X\n0 300\n1 400", "X\n0 301\n1 402", true },
		{ "buffer_size_kb", "X\n0 300\n1 300", "301", true },
		{ "buffer_size_kb", "X\n0 300\n1 400", "X\n0 301", false },
		{ "tracing_cpumask", "00000000,00000003", "3", true },
		{ "tracing_cpumask", "1", "3", false },
		{ "tracing_max_latency", "0", "555", true },
		{ "tracing_thresh", "0", "555", false },
		{ "set_event_pid", "1", "", true },
	};
	size_t i;

	(void)state;
	for (i = 0; i < N(rows); i++)
		assert_int_equal(tsh_class_equal(tsh_file_class(rows[i].path), rows[i].a, rows[i].b),
				 rows[i].same);
}

static void test_standing(void **state)
{
	static const struct {
		const char *path, *before, *after, *now;
		enum tsh_standing want;
	} rows[] = {
		{ "buffer_percent", "50", "31", "31", TSH_STANDS_OURS },
		{ "buffer_percent", "50", "31", "50", TSH_STANDS_BEFORE },
		{ "buffer_percent", "50", "31", "44", TSH_STANDS_THEIRS },
		{ "buffer_percent", "50", NULL, "44", TSH_STANDS_OURS },
		/* killed when one CPU was resized, and the other not yet */
		{ "buffer_size_kb", "1537", "768", "X\n0 1537\n1 768", TSH_STANDS_OURS },
		{ "buffer_size_kb", "X\n0 1024\n1 2048", "768", "X\n0 768\n1 2048", TSH_STANDS_OURS },
		{ "buffer_size_kb", "1537", "768", "X\n0 1537\n1 512", TSH_STANDS_THEIRS },
		{ "buffer_size_kb", "1537", "768", "512", TSH_STANDS_THEIRS },
		/* lists: others' lines are no change of ours */
		{ "kprobe_events", "p:a/b f", "p:a/b f\np:t/x g", "p:a/b f\np:t/x g\np:n/n h",
		  TSH_STANDS_OURS },
		{ "kprobe_events", "p:a/b f", "p:a/b f\np:t/x g", "p:n/n h", TSH_STANDS_BEFORE },
		{ "kprobe_events", "", "p:t/x g", "p:t/x h", TSH_STANDS_THEIRS },
		{ "kprobe_events", "p:a/b f", "", "", TSH_STANDS_OURS },
		{ "kprobe_events", "p:a/b f", "", "p:a/b f", TSH_STANDS_BEFORE },
		{ "kprobe_events", "p:a/b f", "", "p:a/b g", TSH_STANDS_THEIRS },
		{ "events/a/b/trigger", "", "traceoff:count=3", "traceoff:count=1\nstacktrace",
		  TSH_STANDS_OURS },
		{ "events/a/b/trigger", "", "traceoff", "traceon", TSH_STANDS_THEIRS },
		{ "events/a/b/trigger", "stacktrace", "", "stacktrace if x == 1", TSH_STANDS_THEIRS },
		{ "events/a/b/trigger", "", "enable_event:s:e", "disable_event:s:e",
		  TSH_STANDS_THEIRS },
		{ "events/a/b/trigger", "", "enable_event:s:e", "enable_event:s:f",
		  TSH_STANDS_BEFORE },
		{ "set_event", "a:b", "a:b\na:c", "a:c", TSH_STANDS_OURS },
		/* an emptied pid list reads like the default, and mutes */
		{ "set_event_pid", "", "4000000", "", TSH_STANDS_OURS },
		{ "set_event_pid", "", "", "", TSH_STANDS_OURS },
		{ "set_event_pid", "1", "", "5", TSH_STANDS_THEIRS },
		{ "set_event_pid", "5", "", "5", TSH_STANDS_OURS },
		/* the task has exited, its child is in the list */
		{ "set_event_pid", "", "99999999", "7", TSH_STANDS_OURS },
		{ "set_event_pid", "", "6\n7", "7\n8", TSH_STANDS_OURS },
	};
	size_t i;

	(void)state;
	for (i = 0; i < N(rows); i++) {
		enum tsh_standing standing = tsh_class_standing(tsh_file_class(rows[i].path),
								rows[i].before, rows[i].after,
								rows[i].now);

		if (standing != rows[i].want)
			fail_msg("row %zu: %s: %d, not %d", i, rows[i].path, (int)standing,
				 (int)rows[i].want);
	}
}

static void test_triggers(void **state)
{
	static const struct {
		const char *line, *command, *filter, *text, *removal;
		int64_t left;
	} rows[] = {
		{ "traceoff:unlimited", "traceoff", NULL, "traceoff", "!traceoff", -1 },
		{ "traceoff:count=0", "traceoff", NULL, "traceoff:0", "!traceoff", 0 },
		{ "  stacktrace:5  if   a == 1", "stacktrace", "a == 1", "stacktrace:5 if a == 1",
		  "!stacktrace", 5 },
		{ "enable_event:sched:sched_switch:count=2 if a==1", "enable_event:sched:sched_switch",
		  "a==1", "enable_event:sched:sched_switch:2 if a==1",
		  "!enable_event:sched:sched_switch", 2 },
		{ "enable_event:s:e", "enable_event:s:e", NULL, "enable_event:s:e",
		  "!enable_event:s:e", -1 },
		{ "traceoff if(a == 1)", "traceoff", "(a == 1)", "traceoff if (a == 1)",
		  "!traceoff", -1 },
		{ "hist:lat:keys=pid:size=2048 [active]", "hist:name=lat:keys=pid:size=2048", NULL,
		  "hist:name=lat:keys=pid:size=2048", "!hist:name=lat:keys=pid:size=2048", -1 },
		{ "hist:keys=common_cpucpu,pid:vals=hitcount [active]",
		  "hist:keys=common_cpu,pid:vals=hitcount", NULL,
		  "hist:keys=common_cpu,pid:vals=hitcount",
		  "!hist:keys=common_cpu,pid:vals=hitcount", -1 },
		{ "hist:keys=common_cpucommon_cpu,pid:vals=hitcount [active]",
		  "hist:keys=common_cpu,pid:vals=hitcount", NULL,
		  "hist:keys=common_cpu,pid:vals=hitcount",
		  "!hist:keys=common_cpu,pid:vals=hitcount", -1 },
		{ "hist:pause:keys=pid", "hist:pause:keys=pid", NULL, "hist:pause:keys=pid",
		  "!hist:pause:keys=pid", -1 },
		{ "hist:keys=pid:size=2048:clock=global if c ~ \"x [active]\" [active]",
		  "hist:keys=pid:size=2048:clock=global", "c ~ \"x [active]\"",
		  "hist:keys=pid:size=2048:clock=global if c ~ \"x [active]\"",
		  "!hist:keys=pid:size=2048:clock=global if c ~ \"x [active]\"", -1 },
	};
	static const char *const bad[] = { "", "  ", "# Available triggers:", ":3",
					   "traceoff:count=x", "traceoff:99999999999999999999" };
	struct tsh_trigger trigger;
	size_t i;

	(void)state;
	for (i = 0; i < N(rows); i++) {
		char *text, *removal;

		assert_int_equal(tsh_trigger_parse(rows[i].line, &trigger), 0);
		assert_string_equal(trigger.command, rows[i].command);
		assert_int_equal(trigger.left, rows[i].left);
		if (rows[i].filter)
			assert_string_equal(trigger.filter, rows[i].filter);
		else
			assert_null(trigger.filter);
		text = tsh_trigger_text(&trigger);
		removal = tsh_trigger_removal(&trigger);
		assert_string_equal(text, rows[i].text);
		assert_string_equal(removal, rows[i].removal);
		free(text);
		free(removal);
		tsh_trigger_release(&trigger);
	}
	for (i = 0; i < N(bad); i++) {
		assert_true(tsh_trigger_parse(bad[i], &trigger) < 0);
		tsh_trigger_release(&trigger);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_classes),	 cmocka_unit_test(test_normalize),
		cmocka_unit_test(test_equal),	 cmocka_unit_test(test_standing),
		cmocka_unit_test(test_triggers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
