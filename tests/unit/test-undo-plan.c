/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "kernel/undo/plan.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

/* The plan of undo: which writes make one step, and in which order the steps are. */

/* ---- phases ---- */

/* An event whose filter is removed before it is disabled would record everything; a probe is removed
 * after what uses it; an event is enabled again when it is filtered again; then what erases a buffer,
 * and last its size. */
static void test_phases(void **state)
{
	static const struct {
		const char *path, *before, *text;
		enum tsh_phase phase;
	} cases[] = {
		{ "events/a/b/enable", "0", "1", TSH_PHASE_LOAD_OFF },
		{ "events/a/b/enable", "1", "0", TSH_PHASE_LOAD_ON },
		/* armed by a trigger of somebody else, and enabled */
		{ "events/a/b/enable", "1*", "0", TSH_PHASE_LOAD_ON },
		{ "events/a/b/enable", "0*", "1", TSH_PHASE_LOAD_OFF },
		{ "tracing_on", "0", "1", TSH_PHASE_LOAD_OFF },
		{ "tracing_on", "1", "0", TSH_PHASE_LOAD_ON },
		{ "set_event", "", "a:b", TSH_PHASE_LOAD_OFF },
		{ "set_event", "a:b", "!a:b", TSH_PHASE_LOAD_OFF },
		{ "current_tracer", "nop", "function", TSH_PHASE_TRACER_OFF },
		{ "current_tracer", "function", "nop", TSH_PHASE_ERASING },
		{ "kprobe_events", "p:g/n f", "-:g/n", TSH_PHASE_PROBES_BACK },
		{ "synthetic_events", "n int x", "!n", TSH_PHASE_PROBES_BACK },
		{ "events/a/b/trigger", "", "traceoff", TSH_PHASE_TRIGGERS },
		{ "set_ftrace_filter", "", "f:traceoff", TSH_PHASE_TRIGGERS },
		{ "events/a/b/filter", "none", "x == 1", TSH_PHASE_SETTINGS },
		{ "set_event_pid", "", "1", TSH_PHASE_SETTINGS },
		{ "options/sym-addr", "0", "1", TSH_PHASE_SETTINGS },
		{ "kprobe_events", "", "p:g/n f", TSH_PHASE_PROBES },
		{ "dynamic_events", "", "e:g/n s/e", TSH_PHASE_PROBES },
		{ "synthetic_events", "", "n int x", TSH_PHASE_PROBES },
		{ "trace_clock", "[local] mono", "mono", TSH_PHASE_ERASING },
		{ "buffer_subbuf_size_kb", "4", "8", TSH_PHASE_ERASING },
		{ "buffer_size_kb", "7", "8", TSH_PHASE_SIZES },
		{ "per_cpu/cpu1/buffer_size_kb", "7", "8", TSH_PHASE_SIZES },
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct tsh_journal_entry entry = { .path = (char *)cases[i].path, .before = (char *)cases[i].before,
						   .text = (char *)cases[i].text };

		if (tsh_plan_phase(&entry) != cases[i].phase)
			fail_msg("%s %s: %d and not %d", cases[i].path, cases[i].text, (int)tsh_plan_phase(&entry),
				 (int)cases[i].phase);
	}
}

static void test_phases_of_instances(void **state)
{
	const struct tsh_journal_entry theirs = { .op = TSH_JOURNAL_MKDIR, .path = (char *)"" };
	const struct tsh_journal_entry own = { .op = TSH_JOURNAL_MKDIR, .path = (char *)"", .own = true };

	(void)state;
	assert_int_equal(tsh_plan_phase(&theirs), TSH_PHASE_INSTANCES);
	/* its events use probes */
	assert_int_equal(tsh_plan_phase(&own), TSH_PHASE_OWN_INSTANCES);
	assert_true(TSH_PHASE_OWN_INSTANCES < TSH_PHASE_PROBES);
}

/* ---- steps ---- */

struct write {
	const char *instance, *path, *before, *text, *after;
};

/* Prints the steps as "oldest-newest", the newest step first. */
static char *steps_of(const struct write *writes)
{
	struct tsh_journal *j = tsh_journal_new();
	struct tsh_plan plan = { .j = j };
	struct tsh_strbuf out = TSH_STRBUF_INIT;
	size_t i;

	for (; writes->path; writes++) {
		const struct tsh_instance in = { .name = (char *)writes->instance };
		struct tsh_journal_entry *entry = tsh_journal_add(j, &in, writes->path);

		entry->before = tsh_xstrdup(writes->before);
		entry->text = tsh_xstrdup(writes->text);
		entry->after = writes->after ? tsh_xstrdup(writes->after) : NULL;
	}
	tsh_plan_make(&plan);
	for (i = 0; i < plan.steps.n; i++)
		tsh_strbuf_addf(&out, "%s%zu-%zu", i ? " " : "", plan.steps.v[i].oldest, plan.steps.v[i].newest);
	free(plan.step_of);
	tsh_plan_release_texts(&plan);
	tsh_vec_release(&plan.steps);
	tsh_journal_free(j);
	return tsh_strbuf_detach(&out);
}

static void test_steps(void **state)
{
	static const struct {
		const char *what, *steps;
		struct write writes[5];
	} cases[] = {
		{ "writes that found what the one before left", "0-2",
		  { { NULL, "current_tracer", "nop", "function", "function" },
		    { NULL, "current_tracer", "function", "wakeup", "wakeup" },
		    { NULL, "current_tracer", "wakeup", "irqsoff", "irqsoff" } } },
		{ "somebody wrote in between", "1-1 0-0",
		  { { NULL, "current_tracer", "nop", "function", "function" },
		    { NULL, "current_tracer", "blk", "wakeup", "wakeup" } } },
		{ "a write that was killed", "1-1 0-0",
		  { { NULL, "current_tracer", "nop", "function", NULL },
		    { NULL, "current_tracer", "function", "wakeup", "wakeup" } } },
		{ "another file in between", "0-2 1-1",
		  { { NULL, "current_tracer", "nop", "function", "function" },
		    { NULL, "options/sym-addr", "0", "1", "1" },
		    { NULL, "current_tracer", "function", "wakeup", "wakeup" } } },
		{ "the file of another instance", "1-1 0-0",
		  { { NULL, "current_tracer", "nop", "function", "function" },
		    { "x", "current_tracer", "function", "wakeup", "wakeup" } } },
		{ "two options of one file", "1-1 0-0",
		  { { NULL, "trace_options", "nosym-addr", "sym-addr", "sym-addr" },
		    { NULL, "trace_options", "nosym-offset", "sym-offset", "sym-offset" } } },
		{ "one option, there and back", "0-1",
		  { { NULL, "trace_options", "nosym-addr", "sym-addr", "sym-addr" },
		    { NULL, "trace_options", "sym-addr", "nosym-addr", "nosym-addr" } } },
		/* the file has the same text again, but the step of the other file comes in between */
		{ "an option by its other file in between", "3-3 1-2 0-0",
		  { { NULL, "options/sym-addr", "0", "1", "1" },
		    { NULL, "trace_options", "sym-addr", "nosym-addr", "nosym-addr" },
		    { NULL, "trace_options", "nosym-addr", "sym-addr", "sym-addr" },
		    { NULL, "options/sym-addr", "1", "0", "0" } } },
		{ "an event by set_event in between", "3-3 2-2 1-1 0-0",
		  { { NULL, "events/a/b/enable", "0", "1", "1" }, { NULL, "set_event", "a:b", "!a:b", "" },
		    { NULL, "set_event", "", "a:b", "a:b" }, { NULL, "events/a/b/enable", "1", "0", "0" } } },
		{ "the size of a CPU in between", "3-3 1-2 0-0",
		  { { NULL, "buffer_size_kb", "7", "8", "8" },
		    { NULL, "per_cpu/cpu1/buffer_size_kb", "8", "9", "9" },
		    { NULL, "per_cpu/cpu1/buffer_size_kb", "9", "8", "8" },
		    { NULL, "buffer_size_kb", "8", "16", "16" } } },
		{ "lines of a list, each by itself", "1-1 0-0",
		  { { NULL, "events/a/b/trigger", "", "traceoff", "traceoff:unlimited" },
		    { NULL, "events/a/b/trigger", "traceoff:unlimited", "stacktrace",
		      "stacktrace:unlimited\ntraceoff:unlimited" } } },
		{ "the sizes of two CPUs", "0-2 1-1",
		  { { NULL, "per_cpu/cpu0/buffer_size_kb", "7", "8", "8" },
		    { NULL, "per_cpu/cpu1/buffer_size_kb", "7", "8", "8" },
		    { NULL, "per_cpu/cpu0/buffer_size_kb", "8", "9", "9" } } },
		{ "a list of tasks", "0-1",
		  { { NULL, "set_event_pid", "", "1", "1" }, { NULL, "set_event_pid", "1", "1 2", "1\n2" } } },
		{ "a list of tasks to which somebody added one", "1-1 0-0",
		  { { NULL, "set_event_pid", "", "1", "1" }, { NULL, "set_event_pid", "1\n7", "2", "1\n2\n7" } } },
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char *steps = steps_of(cases[i].writes);

		if (strcmp(steps, cases[i].steps) != 0)
			fail_msg("%s: %s and not %s", cases[i].what, steps, cases[i].steps);
		free(steps);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_phases),
		cmocka_unit_test(test_phases_of_instances),
		cmocka_unit_test(test_steps),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
