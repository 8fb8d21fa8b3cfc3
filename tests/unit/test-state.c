/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "engine/state/state.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "kernel/dryrun/dryrun.h"

/* What save writes, diff reads: the same items, whatever their text. */

static void test_triggers(void **ctx)
{
	static const char *const cases[][2] = {
		{ "traceoff:unlimited", "traceoff" },
		{ "traceoff:count=3", "traceoff:3" },
		{ "traceon:count=0 if pid == 1", "traceon:0 if pid == 1" },
		{ "stacktrace:unlimited if comm == \":unlimited\"", "stacktrace if comm == \":unlimited\"" },
		{ "enable_event:a:b:unlimited", "enable_event:a:b" },
		{ "enable_event:a:b2:count=12 if x > 1", "enable_event:a:b2:12 if x > 1" },
		{ "disable_event:a:count=5", "disable_event:a:5" },
		{ "snapshot", "snapshot" },
		{ "hist:keys=a:vals=hitcount:size=2048 [active]", "hist:keys=a:vals=hitcount:size=2048" },
		{ "hist:keys=a:size=9 if b == \" [active]\" [paused]",
		  "hist:keys=a:size=9:pause if b == \" [active]\"" },
		{ "hist:x:keys=a [active]", "hist:name=x:keys=a" },
		{ "hist:name=x:keys=a [active]", "hist:name=x:keys=a" },
		{ "vfs_read:traceoff:count=2", "vfs_read:traceoff:2" },
		{ "", "" },
		{ ":unlimited", ":unlimited" },
		{ ":count=", ":count=" },
		{ "5", "5" },
	};
	size_t i;

	(void)ctx;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char *text = tsh_state_trigger_text(cases[i][0]);

		assert_string_equal(text, cases[i][1]);
		free(text);
	}
}

/* Prints the state, reads it back, and compares what both print. */
static void there_and_back(const struct tsh_state *state)
{
	struct tsh_strbuf first = TSH_STRBUF_INIT, second = TSH_STRBUF_INIT;
	struct tsh_state back = { 0 };
	struct tsh_err err = { 0 };
	size_t i, k;

	tsh_state_print(state, &first);
	if (tsh_state_parse(NULL, first.buf, first.len, &back, &err) < 0)
		fail_msg("%s: %s", err.message, first.buf);
	tsh_state_print(&back, &second);
	/* the sections come in the order in which they are named first */
	if (!state->instances.n)
		assert_string_equal(second.buf, first.buf);
	for (i = k = 0; i < state->items.n; i++) {
		if (!*state->items.v[i].path)
			continue;
		assert_true(k < back.items.n);
		assert_string_equal(back.items.v[k].path, state->items.v[i].path);
		assert_string_equal(back.items.v[k].value, state->items.v[i].value);
		assert_int_equal(back.items.v[k].line, state->items.v[i].line);
		if (state->items.v[i].instance)
			assert_string_equal(back.items.v[k].instance, state->items.v[i].instance);
		else
			assert_null(back.items.v[k].instance);
		k++;
	}
	assert_int_equal(k, back.items.n);
	tsh_state_release(&back);
	tsh_strbuf_release(&first);
	tsh_strbuf_release(&second);
}

static const char *const nasty[] = {
	"a == 1", "comm == \"it's\"", "comm == 'a\"b'", "'whole'", "\"whole\"", "a||b", "a | b",
	"(a&1)||(b==2)", "x # y", "#x == 1", "$1 ${x} $# $?", "a;b", "a\\", "a\nb == 1", "\\\n",
	" blank == 1 ", "-n == 1", "if == 1", "where x == 1", "clear == 1", "\033[31m == 1",
	"\xff\xfe == 1", "a\r == 1", "''", "\"\"", "'a' \"b\" == 1", "else == 1", "!x",
};

static void test_round_trip(void **ctx)
{
	struct tsh_state state = { 0 };
	size_t i;

	(void)ctx;
	tsh_state_add(&state, NULL, "buffer_size_kb", "4096", false);
	tsh_state_add(&state, NULL, "per_cpu/cpu1/buffer_size_kb", "512", false);
	tsh_state_add(&state, NULL, "trace_clock", "x86-tsc", false);
	tsh_state_add(&state, NULL, "options/sym-addr", "1", false);
	tsh_state_add(&state, NULL, "options/noisy", "0", false);
	tsh_state_add(&state, NULL, "tracing_cpumask", "b", false);
	tsh_state_add(&state, NULL, "set_event_pid", "1", true);
	tsh_state_add(&state, NULL, "set_event_pid", "4194304", true);
	tsh_state_add(&state, NULL, "set_ftrace_filter", "vfs_read.constprop.0", true);
	tsh_state_add(&state, NULL, "set_ftrace_filter", "vfs_open:traceoff:3", true);
	for (i = 0; i < sizeof(nasty) / sizeof(nasty[0]); i++) {
		tsh_state_add(&state, NULL, "events/a/b/trigger", nasty[i], true);
		tsh_state_add(&state, NULL, "some_file", nasty[i], false);
	}
	tsh_state_add(&state, NULL, "current_tracer", "function", false);
	tsh_state_add(&state, NULL, "events/a/b/enable", "1", false);
	tsh_state_add(&state, NULL, "events/a/c/enable", "1", false);
	tsh_state_add(&state, NULL, "events/d/c/enable", "1", false);
	tsh_state_add(&state, NULL, "tracing_on", "0", false);
	there_and_back(&state);
	tsh_state_release(&state);
}

/* A filter has an operator: the kernel takes no other. */
static void test_filters(void **ctx)
{
	size_t i;

	(void)ctx;
	for (i = 0; i < sizeof(nasty) / sizeof(nasty[0]); i++) {
		struct tsh_state state = { 0 };
		char *filter = tsh_xasprintf("x != 3 && %s", nasty[i]);

		tsh_state_add(&state, NULL, "events/a/b/filter", filter, false);
		there_and_back(&state);
		tsh_state_release(&state);
		free(filter);
	}
}

static const struct {
	const char *path, *value;
	bool line;
	const char *command;
} commands[] = {
	{ "snapshot", "1", false, "snapshot alloc" },
	{ "snapshot", "2", false, "write snapshot 2" },
	{ "buffer_size_kb", "0512", false, "buffer 512K" },
	{ "buffer_size_kb", "7 8", false, "write buffer_size_kb '7 8'" },
	{ "buffer_size_kb", "18446744073709551615", false,
	  "write buffer_size_kb 18446744073709551615" },
	{ "tracing_cpumask", "x y", false, "write tracing_cpumask 'x y'" },
	{ "events/a/b/trigger", "traceoff", true, "trigger a:b traceoff" },
	{ "events/a/b/trigger", "traceoff:3 if x == 1 && y == 2", true,
	  "trigger a:b traceoff:3 if 'x == 1 && y == 2'" },
	{ "events/a/b/trigger", "enable_event:c:d:5 if x == \"it's if so\"", true,
	  "trigger a:b enable_event:c:d:5 if 'x == \"it'\"'\"'s if so\"'" },
	{ "events/a/b/trigger", "hist:keys=a:x=b-$c:size=2048:pause if a == 1", true,
	  "trigger a:b hist:keys=a:x=b-$c:size=2048:pause if 'a == 1'" },
	{ "events/a/b/trigger", "hist:keys=a:sort=b descending", true, NULL },
	/* The command refuses these. */
	{ "events/a/b/trigger", "traceoff:0", true, "append events/a/b/trigger traceoff:0" },
	{ "events/a/b/trigger", "unheard_of", true, "append events/a/b/trigger unheard_of" },
	{ "events/a/b/trigger", "traceoff if x", true, NULL },
	{ "events/ftrace/print/trigger", "traceoff", true,
	  "append events/ftrace/print/trigger traceoff" },
	/* Paths that no event has, and a filter that no kernel takes. */
	{ "events/a/b/c/filter", "x == 1", false, "write events/a/b/c/filter 'x == 1'" },
	{ "events/a:b/c/enable", "1", false, "write events/a:b/c/enable 1" },
	{ "events//c/enable", "1", false, "write events//c/enable 1" },
	{ "events/a/b/enable", "0", false, "disable a:b" },
	{ "events/a b/c/enable", "1", false, "enable 'a b:c'" },
	{ "events/a/b/filter", "'x'", false, NULL },
	{ "a file", "a text", false, "write 'a file' 'a text'" },
	{ "options/a b", "1", false, "option 'a b' on" },
	{ "set_event_pid", "5;on", true, "append set_event_pid '5;on'" },
};

/* Whatever the values are, each command is read as the setting that it was made of. */
static void test_commands(void **ctx)
{
	size_t i;

	(void)ctx;
	for (i = 0; i < sizeof(commands) / sizeof(commands[0]); i++) {
		struct tsh_strbuf text = TSH_STRBUF_INIT;
		struct tsh_state state = { 0 }, back = { 0 };
		struct tsh_err err = { 0 };

		tsh_state_add(&state, NULL, commands[i].path, commands[i].value, commands[i].line);
		tsh_state_print_item(&state.items.v[0], &text);
		if (commands[i].command)
			assert_string_equal(text.buf, commands[i].command);
		if (tsh_state_parse(NULL, text.buf, text.len, &back, &err) < 0)
			fail_msg("%s: %s", err.message, text.buf);
		assert_int_equal(back.items.n, 1);
		assert_string_equal(back.items.v[0].path, commands[i].path);
		if (strcmp(commands[i].value, "0512") != 0)
			assert_string_equal(back.items.v[0].value, commands[i].value);
		assert_int_equal(back.items.v[0].line, commands[i].line);
		tsh_state_release(&state);
		tsh_state_release(&back);
		tsh_strbuf_release(&text);
	}
}

/* What asks, in a file that nobody can answer. */
static void test_unasked(void **ctx)
{
	struct tsh_strbuf text = TSH_STRBUF_INIT;
	struct tsh_state state = { 0 };

	(void)ctx;
	tsh_state_add(&state, NULL, "current_tracer", "function", false);
	tsh_state_add(&state, NULL, "events/lock/lock_acquire/enable", "1", false);
	tsh_state_add(&state, NULL, "events/lock/lock_release/enable", "1", false);
	tsh_state_add(&state, NULL, "events/kmem/kfree/enable", "1", false);
	tsh_state_print(&state, &text);
	assert_string_equal(text.buf, "off\ntracer --yes function\n"
			    "enable --yes lock:lock_acquire lock:lock_release\n"
			    "enable kmem:kfree\non\n");
	there_and_back(&state);
	tsh_strbuf_clear(&text);
	tsh_state_add(&state, NULL, "set_ftrace_filter", "vfs_read:traceoff", true);
	tsh_state_print(&state, &text);
	assert_non_null(strstr(text.buf, "tracer --yes function\n"));
	tsh_strbuf_clear(&text);
	tsh_state_add(&state, NULL, "set_ftrace_filter", "vfs_read", true);
	tsh_state_print(&state, &text);
	assert_non_null(strstr(text.buf, "tracer function\n"));
	tsh_strbuf_release(&text);
	tsh_state_release(&state);
}

static void test_many_words(void **ctx)
{
	struct tsh_state state = { 0 };
	struct tsh_strbuf text = TSH_STRBUF_INIT;
	const char *line, *end;
	unsigned int i;

	(void)ctx;
	for (i = 0; i < 500; i++) {
		char *name = tsh_xasprintf("function_number_%u", i);

		tsh_state_add(&state, NULL, "set_ftrace_notrace", name, true);
		free(name);
	}
	there_and_back(&state);
	tsh_state_print(&state, &text);
	for (line = text.buf; *line; line = end + 1) {
		end = strchr(line, '\n');
		assert_true(end - line <= 100);
	}
	tsh_strbuf_release(&text);
	tsh_state_release(&state);
}

static void test_sections(void **ctx)
{
	struct tsh_state state = { 0 };

	(void)ctx;
	tsh_strlist_add(&state.instances, "top");
	tsh_strlist_add(&state.instances, "a");
	tsh_strlist_add(&state.instances, "b");
	tsh_state_add(&state, "top", "trace_clock", "mono", false);
	tsh_state_add(&state, "a", "trace_clock", "boot", false);
	tsh_state_add(&state, "a", "tracing_on", "0", false);
	there_and_back(&state);
	tsh_state_release(&state);
}

static void test_refusals(void **ctx)
{
	static const char *const texts[] = {
		"stream", "clock", "clock a b", "option x", "filter a:b 'x", "write", "append",
		"functions vfs_read", "functions clear", "instance use", "try", "quit",
		"write x ${y}", "on 1", "write '' x", "instance use a/b", "instance create ..",
		"enable sched", "enable a:b:c", "enable a/b/c", "filter :b x == 1", "cpus x",
		"buffer 3X", "buffer", "option x maybe", "snapshot take", "snapshot",
		"trigger a:b", "trigger a traceoff", "trigger a:b traceoff x", "tracer --yes",
	};
	size_t i;

	(void)ctx;
	for (i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		struct tsh_state state = { 0 };
		struct tsh_err err = { 0 };

		if (tsh_state_parse(NULL, texts[i], strlen(texts[i]), &state, &err) == 0)
			fail_msg("taken: %s", texts[i]);
		assert_non_null(err.message);
		assert_true(err.span.begin <= err.span.end && err.span.end <= strlen(texts[i]) + 1);
		tsh_err_release(&err);
		tsh_state_release(&state);
	}
}

static void test_sh_quote(void **ctx)
{
	static const char *const cases[][2] = {
		{ "", "''" }, { "a b", "'a b'" }, { "it's", "'it'\\''s'" }, { "'", "''\\'''" },
		{ "$x `y` \\", "'$x `y` \\'" }, { "a\nb", "'a\nb'" },
	};
	size_t i;

	(void)ctx;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct tsh_strbuf out = TSH_STRBUF_INIT;

		tsh_sh_quote(&out, cases[i][0]);
		assert_string_equal(out.buf, cases[i][1]);
		tsh_strbuf_release(&out);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_triggers), cmocka_unit_test(test_round_trip),
		cmocka_unit_test(test_filters), cmocka_unit_test(test_many_words),
		cmocka_unit_test(test_commands), cmocka_unit_test(test_unasked),
		cmocka_unit_test(test_sections), cmocka_unit_test(test_refusals),
		cmocka_unit_test(test_sh_quote),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
