/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pages.h"

#include "engine/diagnose/caps.h"
#include "engine/diagnose/doctor.h"
#include "session/session.h"

/* What the checks of doctor find in a recorded tree, and what the table of caps asks. */

#define EVENT "events/sched/sched_switch/"
#define OTHER "events/sched/sched_waking/"

static void put_event(const struct tree *t, const char *name, unsigned int id, const char *enable,
		      const char *filter, const char *trigger)
{
	char *path = tsh_xasprintf("events/sched/%s", name), *file, *text;

	make_folder(t, path);
	text = tsh_xasprintf("name: %s\nID: %u\nformat:\n"
			     "\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
			     "\n"
			     "\tfield:int prev_pid;\toffset:8;\tsize:4;\tsigned:1;\n"
			     "\nprint fmt: \"%%d\", REC->prev_pid\n", name, id);
	file = tsh_xasprintf("%s/format", path);
	put_text(t, file, text);
	free(file);
	file = tsh_xasprintf("%s/enable", path);
	put_text(t, file, enable);
	free(file);
	file = tsh_xasprintf("%s/filter", path);
	put_text(t, file, filter);
	free(file);
	file = tsh_xasprintf("%s/trigger", path);
	put_text(t, file, trigger);
	free(file);
	free(text);
	free(path);
}

static void begin_tree(struct tree *t, const char *set_event)
{
	tree_open(t, false, 2);
	make_folder(t, "events/sched");
	make_folder(t, "options");
	put_text(t, "available_events", "sched:sched_switch\nsched:sched_waking\n");
	put_text(t, "set_event", set_event);
	put_text(t, "tracing_on", "0\n");
	put_text(t, "trace_clock", "local global [counter] boot\n");
}

/* Runs one check, and compares the rows that it appends: check, fix and finding, separated by commas. */
static void expect(const struct tree *t, bool on, const char *tracer,
		   void (*check)(struct tsh_doctor *d), const char *rows)
{
	static const struct tsh_column columns[] = {
		{ "check", TSH_COLUMN_TEXT }, { "fix", TSH_COLUMN_TEXT },
		{ "finding", TSH_COLUMN_TEXT }, { 0 }
	};
	struct tsh_session s = { .dir = t->dir, .in = t->in };
	struct tsh_doctor d = { .s = &s, .in = t->in, .on = on, .tracer = tsh_xstrdup(tracer) };
	struct tsh_out out;
	const char *after;

	tsh_out_init(&out, -1, TSH_FORMAT_CSV);
	s.out = &out;
	tsh_doctor_sort_events(&d);
	d.table = tsh_table_begin(&out, "finding", columns);
	check(&d);
	tsh_table_end(d.table);
	after = out.data.buf ? strchr(out.data.buf, '\n') : NULL;
	assert_string_equal(after ? after + 1 : "", rows);
	tsh_out_release(&out);
	tsh_doctor_release(&d);
	tsh_cmd_session_release(&s);
}

static void test_switch(void **state)
{
	struct tree t;

	(void)state;
	begin_tree(&t, "sched:sched_switch\n");
	put_event(&t, "sched_switch", 300, "1\n", "none\n", "traceoff:count=3 if prev_pid > 5\n");
	put_event(&t, "sched_waking", 301, "0\n", "none\n", "# Available triggers:\n");
	put_text(&t, "set_ftrace_filter", "vfs_read\nschedule:traceoff:unlimited\n");
	expect(&t, true, "nop", tsh_doctor_switch, "");
	expect(&t, false, "nop", tsh_doctor_switch,
	       "traceoff-trigger,trigger sched:sched_switch !traceoff,"
	       "a trigger of sched:sched_switch switches tracing off: traceoff:count=3 if prev_pid > 5\n"
	       "traceoff-function,append set_ftrace_filter '!schedule:traceoff',"
	       "a command of a function switches tracing off: schedule:traceoff:unlimited\n"
	       "off,on,tracing is off: the buffer takes nothing\n");
	tree_close(&t);
}

static void test_events(void **state)
{
	struct tree t;

	(void)state;
	begin_tree(&t, "sched:sched_switch\nsched:sched_waking\n");
	put_event(&t, "sched_switch", 300, "1\n", "prev_pid > 5 && prev_pid < 5\n",
		  "enable_event:sched:sched_waking:unlimited\n");
	put_event(&t, "sched_waking", 301, "0*\n", "none\n", "# Available triggers:\n");
	expect(&t, true, "nop", tsh_doctor_enabled, "");
	expect(&t, true, "nop", tsh_doctor_soft,
	       "soft-disabled,enable sched:sched_waking,"
	       "sched:sched_waking is off until a trigger of sched:sched_switch switches it on\n");
	expect(&t, true, "nop", tsh_doctor_filters,
	       "filter,filter sched:sched_switch clear,the filter of sched:sched_switch matches nothing: "
	       "'prev_pid > 5' and 'prev_pid < 5' are never true at once\n");
	tree_close(&t);
}

static void test_nothing_enabled(void **state)
{
	struct tree t;

	(void)state;
	begin_tree(&t, "");
	make_folder(&t, "instances");
	make_folder(&t, "instances/night");
	put_text(&t, "instances/night/set_event", "sched:sched_switch\n");
	put_text(&t, "instances/night/tracing_on", "1\n");
	expect(&t, true, "function", tsh_doctor_enabled, "");
	expect(&t, true, "nop", tsh_doctor_enabled,
	       "nothing-enabled,enable sched:sched_switch,no event is enabled and no tracer is set\n"
	       "elsewhere,instance use night,1 event is enabled in the instance 'night'\n");
	tree_close(&t);
}

static void test_buffer(void **state)
{
	struct tree t;

	(void)state;
	begin_tree(&t, "");
	/* Two CPUs with five events each that were overwritten and one that did not fit while another was written, and
	 * one with three that were dropped. */
	set_stats(&t, 1, 3);
	expect(&t, true, "nop", tsh_doctor_buffer,
	       "overwritten,buffer 2816K,\"10 events were overwritten before anybody read them: "
	       "the buffer is too small, or too much is enabled\"\n"
	       "dropped,buffer 2816K,5 new events dropped\n");
	put_text(&t, "options/overwrite", "0\n");
	put_text(&t, "per_cpu/cpu0/buffer_size_kb", "8\n");
	put_text(&t, "per_cpu/cpu1/buffer_size_kb", "8\n");
	expect(&t, true, "nop", tsh_doctor_buffer,
	       "small-buffer,buffer 1408K,the buffer has 8K for each CPU: that is room for a few events\n"
	       "overwritten,buffer 2816K,\"10 events were overwritten before anybody read them: "
	       "the buffer is too small, or too much is enabled\"\n"
	       "dropped,option overwrite on,5 new events dropped: the buffer is full and keeps the old ones\n");
	tree_close(&t);
}

static void test_clock(void **state)
{
	struct tree t;

	(void)state;
	begin_tree(&t, "");
	expect(&t, true, "nop", tsh_doctor_clock,
	       "clock,clock boot,the clock 'counter' counts events and has no times (another one erases the buffer)\n");
	put_text(&t, "trace_clock", "[local] global counter boot\n");
	expect(&t, true, "nop", tsh_doctor_clock, "");
	tree_close(&t);
}

static void test_functions(void **state)
{
	struct tree t;

	(void)state;
	begin_tree(&t, "");
	put_text(&t, "set_ftrace_filter", "vfs_read\n");
	put_text(&t, "tracing_thresh", "100\n");
	put_text(&t, "options/function-trace", "0\n");
	put_text(&t, "enabled_functions", "vfs_read (1)\n");
	expect(&t, true, "nop", tsh_doctor_functions,
	       "no-tracer,tracer function,\"functions are chosen, and no function tracer is set\"\n");
	expect(&t, true, "function_graph", tsh_doctor_functions,
	       "function-trace,option function-trace on,the option 'function-trace' is off: "
	       "'function_graph' traces nothing\n"
	       "threshold,write tracing_thresh 0,only functions that take longer than 100 us are traced\n");
	tree_close(&t);
}

/* Each line of caps says what it asks and belongs to one group, and no name stands there twice. */
static void test_caps(void **state)
{
	const struct tsh_cap *cap, *other;
	const char *group = "";

	(void)state;
	for (cap = tsh_caps; cap->name; cap++) {
		assert_non_null(cap->group);
		assert_non_null(cap->summary);
		assert_non_null(cap->what);
		if (strcmp(group, cap->group))
			for (other = tsh_caps; other < cap; other++)
				assert_string_not_equal(other->group, cap->group);
		group = cap->group;
		for (other = tsh_caps; other < cap; other++)
			assert_true(strcmp(other->group, cap->group) || strcmp(other->name, cap->name));
	}
	assert_true(cap - tsh_caps > 40);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_switch),
		cmocka_unit_test(test_events),
		cmocka_unit_test(test_nothing_enabled),
		cmocka_unit_test(test_buffer),
		cmocka_unit_test(test_clock),
		cmocka_unit_test(test_functions),
		cmocka_unit_test(test_caps),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
