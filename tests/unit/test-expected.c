/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "kernel/journal/expected.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

/* What a write of which nobody has seen the end can have made of a file. */

#define N(array) (sizeof(array) / sizeof((array)[0]))
#define OURS TSH_STANDS_OURS
#define BEFORE TSH_STANDS_BEFORE
#define THEIRS TSH_STANDS_THEIRS
#define SET TSH_WRITE_SET
#define ADD TSH_WRITE_ADD
#define CLEAR TSH_WRITE_CLEAR

static const struct row {
	const char *path;
	enum tsh_write_how how;
	const char *before, *text, *now;
	const char *after;		/* what is to be expected */
	enum tsh_standing standing;
} rows[] = {
	/* values: before, ours, or somebody else's */
	{ "tracing_on", SET, "1", "0", "1", "1", BEFORE },
	{ "tracing_on", SET, "1", "0", "0", "0", OURS },
	{ "events/a/b/enable", SET, "0", "1", "1*", "1*", OURS },
	{ "trace_clock", SET, "[local] mono boot", "mono", "local [mono] boot", "local [mono] boot",
	  OURS },
	{ "trace_clock", SET, "[local] mono boot", "mono", "local mono [boot]", "mono", THEIRS },
	{ "current_tracer", SET, "nop", "function", "blk", "function", THEIRS },
	{ "buffer_size_kb", SET, "7 (expanded: 1408)", "300", "301", "301", OURS },
	{ "buffer_size_kb", SET, "1408", "300", "900", "300", THEIRS },
	{ "buffer_size_kb", SET, "1408", "4096", "4502", "4096", THEIRS },
	{ "buffer_size_kb", SET, "1408", "4096", "4099", "4099", OURS },
	{ "per_cpu/cpu0/buffer_size_kb", SET, "1408", "4096", "4107", "4096", THEIRS },
	{ "buffer_size_kb", SET, "1408", "1", "7", "7", OURS },
	/* in whole sub-buffers, of 64 KB, that this journal had set */
	{ "buffer_size_kb", SET, "1408", "300", "319", "319", OURS },
	{ "buffer_size_kb", SET, "1408", "300", "320", "300", THEIRS },
	{ "buffer_size_kb", SET, "1408", "300", "299", "299", OURS },
	{ "buffer_size_kb", SET, "1408", "300", "290", "300", THEIRS },
	{ "tracing_cpumask", SET, "3", "1", "00000000,00000001", "00000000,00000001", OURS },
	{ "tracing_cpumask", SET, "3", "1", "2", "1", THEIRS },
	{ "events/a/b/filter", SET, "none", "x == 1", "x == 1", "x == 1", OURS },
	{ "events/a/b/filter", SET, "none", "x == 1", "x == 2", "x == 1", THEIRS },
	{ "events/a/b/filter", SET, "x == 1", "0", "none", "none", OURS },
	{ "events/a/b/filter", SET, "x == 1", "y ==", "y ==\n ^\nparse_error: Field not found",
	  "y ==\n ^\nparse_error: Field not found", OURS },
	{ "buffer_percent", SET, "50", "0x10", "16", "16", OURS },
	{ "buffer_percent", SET, "50", "10", "16", "10", THEIRS },
	{ "trace_options", SET, "nosym-addr", "sym-addr", "sym-addr", "sym-addr", OURS },
	/* a file that spells words its own way */
	{ "osnoise/options", SET, "A NO_B", "B", "A B", "A B", OURS },
	/* triggers: a line that came beside ours stays */
	{ "events/a/b/trigger", ADD, "", "stacktrace if x == 1",
	  "traceoff:unlimited\nstacktrace:unlimited if x == 1", "stacktrace:unlimited if x == 1",
	  OURS },
	{ "events/a/b/trigger", ADD, "", "stacktrace if x == 1", "traceoff:unlimited", "", BEFORE },
	{ "events/a/b/trigger", ADD, "", "stacktrace if x == 1", "stacktrace:unlimited if x == 2", "",
	  BEFORE },
	{ "events/a/b/trigger", ADD, "snapshot:unlimited", "traceoff:3 if x == 1",
	  "traceoff:count=2 if x == 1\nsnapshot:unlimited",
	  "traceoff:count=2 if x == 1\nsnapshot:unlimited", OURS },
	{ "events/a/b/trigger", ADD, "", "hist:keys=pid,comm:ts=common_timestamp if x == 1",
	  "hist:keys=cpu:vals=hitcount:sort=hitcount:size=2048 [active]\n"
	  "hist:keys=pid,comm:vals=hitcount:ts=common_timestamp:sort=hitcount:size=2048:clock=global"
	  " if x == 1 [active]",
	  "hist:keys=pid,comm:vals=hitcount:ts=common_timestamp:sort=hitcount:size=2048:clock=global"
	  " if x == 1 [active]", OURS },
	{ "events/a/b/trigger", ADD, "stacktrace:unlimited\ntraceoff:unlimited", "!stacktrace", "",
	  "traceoff:unlimited", OURS },
	{ "events/a/b/trigger", ADD, "stacktrace:unlimited", "!stacktrace", "stacktrace:unlimited",
	  "stacktrace:unlimited", BEFORE },
	/* events */
	{ "set_event", ADD, "a:b", "c:d", "a:b\nc:d\ne:f", "a:b\nc:d", OURS },
	{ "set_event", ADD, "", "c", "a:c\nc:d\ne:f", "a:c\nc:d", OURS },
	{ "set_event", ADD, "", "c:", "c:d\ne:f", "c:d", OURS },
	{ "set_event", ADD, "", "*:d", "c:d\nx:d\ne:f", "c:d\nx:d", OURS },
	{ "set_event", ADD, "a:b\nc:d", "!a:b", "", "c:d", OURS },
	{ "set_event", ADD, "", "c:d", "e:f", "", BEFORE },
	{ "set_event", ADD, "", "c:d e:f", "c:d\ne:f\ng:h", "c:d\ne:f", OURS },
	{ "set_event", ADD, "a:b\nc:d\ne:f", "!a:b\t!c:d", "e:f", "e:f", OURS },
	{ "set_event", ADD, "a:b", "!a:b c:d nothing:", "c:d", "c:d", OURS },
	/* probes */
	{ "kprobe_events", ADD, "p:o/x f", "p:o/y g a=%di", "p:o/x f\np:o/y g a=%di\np:t/z h",
	  "p:o/x f\np:o/y g a=%di", OURS },
	{ "kprobe_events", ADD, "", "p:y g", "p:kprobes/y g\np:t/yy g", "p:kprobes/y g", OURS },
	{ "kprobe_events", ADD, "", "p g+0x10", "p:kprobes/p_g_16 g+16\np:kprobes/p_g_0 g",
	  "p:kprobes/p_g_16 g+16", OURS },
	{ "kprobe_events", ADD, "", "r:o/y g", "p:o/y g", "", BEFORE },
	{ "uprobe_events", ADD, "", "p /bin/sh:0x10", "p:uprobes/p_sh_0x10 /bin/sh:0x0000000000000010",
	  "p:uprobes/p_sh_0x10 /bin/sh:0x0000000000000010", OURS },
	{ "kprobe_events", ADD, "p:o/x f\np:o/y g", "-:o/x", "", "p:o/y g", OURS },
	{ "kprobe_events", ADD, "p:o/x f\np:t/x g", "-:o/", "p:t/x g", "p:t/x g", OURS },
	{ "synthetic_events", ADD, "", "lat u64 d", "lat\tu64 d\nlatency\tu64 d", "lat\tu64 d", OURS },
	{ "synthetic_events", ADD, "lat\tu64 d\nx\tint y", "!lat", "", "x\tint y", OURS },
	{ "dynamic_events", ADD, "", "s:lat u64 d", "s:synthetic/lat u64 d\np:k/q f",
	  "s:synthetic/lat u64 d", OURS },
	/* functions */
	{ "set_ftrace_filter", SET, "", "vfs_* ksys_?ead", "vfs_open\nvfs_read [m]\nksys_read",
	  "vfs_open\nvfs_read [m]\nksys_read", OURS },
	{ "set_ftrace_filter", SET, "", "vfs_*", "vfs_open\nksys_read", "vfs_open", THEIRS },
	{ "set_ftrace_filter", SET, "a\nb", "c", "", "", OURS },
	{ "set_ftrace_filter", ADD, "a\nb:traceoff:unlimited", "c", "a\nc\nb:traceoff:unlimited",
	  "a\nb:traceoff:unlimited\nc", OURS },
	{ "set_ftrace_filter", ADD, "", "c*:traceoff:5", "cd:traceoff:count=4\nce:traceoff:count=5",
	  "cd:traceoff:count=4\nce:traceoff:count=5", OURS },
	{ "set_ftrace_filter", ADD, "", "c:traceoff", "c:traceon:unlimited", "", THEIRS },
	{ "set_ftrace_filter", CLEAR, "a\nb:traceoff:unlimited", "", "b:traceoff:unlimited",
	  "b:traceoff:unlimited", OURS },
	/* pids; a list that is truncated and not yet written */
	{ "set_event_pid", SET, "4000000", "4000000 4000001", "", "", OURS },
	{ "set_event_pid", ADD, "1", "4000001", "1\n4000001\n7", "1\n4000001", OURS },
	{ "set_event_pid", CLEAR, "1", "", "", "", OURS },
	{ "set_event_pid", SET, "4000000", "4000001", "7", "", THEIRS },
};

static void test_expected(void **state)
{
	/* where no sub-buffers' size can be read: a page */
	const struct tsh_dir dir = { .fd = -1 };
	struct tsh_journal_entry subbuf = {
		.op = TSH_JOURNAL_WRITE, .path = (char *)"buffer_subbuf_size_kb", .before = (char *)"4",
		.text = (char *)"64",
	};
	const struct tsh_journal j = { .entries = { .v = &subbuf, .n = 1 } };
	size_t i;

	(void)state;
	for (i = 0; i < N(rows); i++) {
		const struct row *row = &rows[i];
		const struct tsh_journal_entry entry = {
			.path = (char *)row->path, .how = row->how, .before = (char *)row->before,
			.text = (char *)row->text,
		};
		char *after = tsh_expected_after(&dir, &j, &entry, row->now);
		enum tsh_standing standing = tsh_class_standing(tsh_file_class(row->path),
								row->before, after, row->now);

		if (strcmp(after, row->after) != 0)
			fail_msg("row %zu: %s: '%s', not '%s'", i, row->path, after, row->after);
		if (standing != row->standing)
			fail_msg("row %zu: %s: %d, not %d", i, row->path, (int)standing,
				 (int)row->standing);
		free(after);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_expected) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
