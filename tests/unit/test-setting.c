/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "kernel/journal/setting.h"
#include "kernel/tracefs/write.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

/* Which entries are about one setting, and how one file's text reads in the other. */

#define N(array) (sizeof(array) / sizeof((array)[0]))
#define SAME 1
#define ONE 2

static const struct row {
	const char *path, *text, *other, *other_text;
	int are;			/* SAME, ONE, or 0 */
	const char *view;		/* the text in the other file; NULL: it is none there */
} rows[] = {
	{ "tracing_on", "1", "tracing_on", "0", SAME, "1" },
	{ "tracing_on", "1", "trace_clock", "mono", 0, NULL },
	{ "trace_options", "noirq-info", "trace_options", "irq-info", SAME, "noirq-info" },
	{ "trace_options", "irq-info", "trace_options", "sym-addr", 0, NULL },
	{ "trace_options", "noirq-info", "options/irq-info", "1", ONE, "0" },
	{ "trace_options", "irq-info", "options/sym-addr", "1", 0, NULL },
	{ "options/irq-info", "0", "trace_options", "irq-info", ONE, "noirq-info" },
	{ "options/irq-info", "1", "trace_options", "noirq-info", ONE, "irq-info" },
	{ "options/irq-info", "1", "options/sym-addr", "1", 0, NULL },
	{ "events/a/b/enable", "1*", "set_event", "a:b", ONE, "a:b" },
	{ "events/a/b/enable", "0", "set_event", "a:b", ONE, "" },
	{ "set_event", "c:d\na:b", "events/a/b/enable", "1", ONE, "1" },
	{ "set_event", "c:d", "events/a/b/enable", "1", ONE, "0" },
	{ "events/a/b/enable", "1", "events/a/c/enable", "1", 0, NULL },
	{ "events/a/b/filter", "x", "set_event", "a:b", 0, NULL },
	{ "kprobe_events", "p:a/b f", "dynamic_events", "p:a/b f", ONE, "p:a/b f" },
	{ "kprobe_events", "p:a/b f", "events/a/b/enable", "1", 0, NULL },
	{ "buffer_size_kb", "7 (expanded: 1408)", "per_cpu/cpu1/buffer_size_kb", "64", ONE, "1408" },
	{ "buffer_size_kb", "X\n0 64\n10 300\n1 128", "per_cpu/cpu1/buffer_size_kb", "64", ONE, "128" },
	{ "buffer_size_kb", "X\n0 64", "per_cpu/cpu1/buffer_size_kb", "64", ONE, NULL },
	{ "per_cpu/cpu1/buffer_size_kb", "64", "buffer_size_kb", "128", ONE, NULL },
	{ "per_cpu/cpu1/buffer_size_kb", "64", "per_cpu/cpu10/buffer_size_kb", "64", 0, NULL },
	{ "per_cpu/cpu1/buffer_size_kb", "64", "per_cpu/cpu1/trace", "64", 0, NULL },
};

static struct tsh_journal_entry entry(const char *path, const char *text, const char *instance)
{
	return (struct tsh_journal_entry){ .path = (char *)path, .text = (char *)text,
					   .instance = (char *)instance };
}

static void test_settings(void **state)
{
	size_t i;

	(void)state;
	for (i = 0; i < N(rows); i++) {
		const struct row *row = &rows[i];
		struct tsh_journal_entry a = entry(row->path, row->text, NULL);
		struct tsh_journal_entry b = entry(row->other, row->other_text, NULL);
		struct tsh_journal_entry elsewhere = entry(row->other, row->other_text, "x");
		int are = tsh_same_setting(&a, &b) ? SAME : tsh_is_one_setting(&a, &b) ? ONE : 0;
		char *view = tsh_setting_convert_text(&a, row->text, &b);

		if (are != row->are || are != (tsh_same_setting(&b, &a) ? SAME :
					       tsh_is_one_setting(&b, &a) ? ONE : 0))
			fail_msg("row %zu: %s, %s: %d, not %d", i, row->path, row->other, are, row->are);
		if (!view != !row->view || (view && strcmp(view, row->view) != 0))
			fail_msg("row %zu: %s in %s: '%s', not '%s'", i, row->path, row->other,
				 view ? view : "none", row->view ? row->view : "none");
		if (are && !tsh_may_be_related(&a, &b))
			fail_msg("row %zu: %s, %s: two keys", i, row->path, row->other);
		if (are == SAME && tsh_setting_key(&a) != tsh_setting_key(&b))
			fail_msg("row %zu: %s: two keys", i, row->path);
		assert_false(tsh_same_setting(&a, &elsewhere));
		assert_false(tsh_is_one_setting(&a, &elsewhere));
		free(view);
	}
}

/* Without this the two entries of any two settings are compared. */
static void test_keys_differ(void **state)
{
	struct tsh_journal_entry a = entry("events/a/b/enable", "1", NULL);
	struct tsh_journal_entry b = entry("events/a/c/enable", "1", NULL);
	struct tsh_journal_entry c = entry("events/a/b/enable", "1", "x");

	(void)state;
	assert_false(tsh_may_be_related(&a, &b));
	assert_false(tsh_may_be_related(&a, &c));
}

static void test_written(void **state)
{
	static const char trigger[] = "events/a/b/trigger";
	static const struct { const char *path, *text, *written; } texts[] = {
		{ trigger, "enable_event s:e", "enable_event:s:e" },
		{ trigger, " !disable_hist \t s:e:3 if a == 1\n", "!disable_hist:s:e:3 if a == 1" },
		{ trigger, "hist\tkeys=pid:ts0=common_timestamp if a", "hist:keys=pid:ts0=common_timestamp if a" },
		{ trigger, "hist: keys=pid", "hist:keys=pid" },
		{ trigger, "traceoff 5 if a == 1", "traceoff:5 if a == 1" },
		{ trigger, "traceoff  if a == 1", "traceoff if a == 1" },
		{ trigger, "traceoff\tif\ta == 1", "traceoff if\ta == 1" },
		{ trigger, "traceoff: if a == 1", "traceoff if a == 1" },
		{ trigger, "traceoff:5 if a == 1", "traceoff:5 if a == 1" },
		{ trigger, "stacktrace ", "stacktrace" },
		{ trigger, "!stacktrace:", "!stacktrace" },
		{ trigger, "hist ifs=1:keys=a", "hist:ifs=1:keys=a" },
		{ trigger, "", "" },
		{ "set_event_pid", "010 0x10\n+7 8 none", "8 16\n7 8 none" },
		{ "set_ftrace_notrace_pid", "0012", "10" },
		{ "set_event_pid", "", "" },
		{ "buffer_size_kb", "010", "10" },
		{ "options/markers", "+0", "0" },
		{ "tracing_on", "x", "x" },
		{ "trace_options", " nomarkers ", "nomarkers" },
		{ "set_event", "a b", "a b" },
		{ "events/a/b/filter", " a == 010", " a == 010" },
	};
	size_t i;

	(void)state;
	for (i = 0; i < N(texts); i++) {
		char *written = tsh_write_text(texts[i].path, texts[i].text);

		assert_string_equal(written, texts[i].written);
		free(written);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_settings),
		cmocka_unit_test(test_keys_differ),
		cmocka_unit_test(test_written),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
