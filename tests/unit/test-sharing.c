/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "fake-kernel.h"

#include "kernel/journal/others.h"
#include "kernel/sharing/share.h"

/* Several sessions on one setting: whoever ends first, what each has asked for stays until it ends, and
 * in the end all is as it was before the first. */

#define LAST 3

/* Is what a session does (who 1 to 3), or somebody without a journal (who 0): sets a file; or ends, text NULL. */
struct act {
	unsigned int who;
	const char *path, *text;
	const char *now;	/* text of the case's file afterwards */
};

#define ENDS NULL, NULL

static void act(struct fake_session *sessions, const struct act *act)
{
	struct fake_session *s = &sessions[act->who];
	struct tsh_undo_report report;

	if (!act->who) {
		fake_put(act->path, act->text);
		return;
	}
	if (!s->dir)
		session_begin(s, act->who);
	if (act->text) {
		session_set(s, act->path, act->text);
		return;
	}
	report = session_undo(s);
	assert_int_equal(report.problems.n, 0);
	tsh_undo_report_release(&report);
	assert_int_equal(s->dir->journal->entries.n, 0);
	session_close(s);
	s->dir = NULL;
}

static const struct {
	const char *what, *path;
	struct act acts[10];
} schedules[] = {
	{ "the older one ends first", "current_tracer",
	  { { 1, "current_tracer", "function", "function" }, { 2, "current_tracer", "wakeup", "wakeup" },
	    { 1, ENDS, "wakeup" }, { 2, ENDS, "nop" } } },
	{ "the younger one ends first", "current_tracer",
	  { { 1, "current_tracer", "function", "function" }, { 2, "current_tracer", "wakeup", "wakeup" },
	    { 2, ENDS, "function" }, { 1, ENDS, "nop" } } },
	{ "both ask for one value, the older one ends first", "events/sched/a/enable",
	  { { 1, "events/sched/a/enable", "1", "1" }, { 2, "events/sched/a/enable", "1", "1" },
	    { 1, ENDS, "1" }, { 2, ENDS, "0" } } },
	{ "both ask for one value, the younger one ends first", "events/sched/a/enable",
	  { { 1, "events/sched/a/enable", "1", "1" }, { 2, "events/sched/a/enable", "1", "1" },
	    { 2, ENDS, "1" }, { 1, ENDS, "0" } } },
	{ "three, from the middle", "current_tracer",
	  { { 1, "current_tracer", "function", "function" }, { 2, "current_tracer", "wakeup", "wakeup" },
	    { 3, "current_tracer", "irqsoff", "irqsoff" }, { 2, ENDS, "irqsoff" }, { 1, ENDS, "irqsoff" },
	    { 3, ENDS, "nop" } } },
	{ "three, in the order in which they came", "trace_clock",
	  { { 1, "trace_clock", "global", "local [global] mono" }, { 2, "trace_clock", "mono", "local global [mono]" },
	    { 3, "trace_clock", "local", "[local] global mono" }, { 1, ENDS, "[local] global mono" },
	    { 2, ENDS, "[local] global mono" }, { 3, ENDS, "[local] global mono" } } },
	{ "by turns", "current_tracer",
	  { { 1, "current_tracer", "function", "function" }, { 2, "current_tracer", "wakeup", "wakeup" },
	    { 1, "current_tracer", "irqsoff", "irqsoff" }, { 2, "current_tracer", "blk", "blk" },
	    { 1, ENDS, "blk" }, { 2, ENDS, "nop" } } },
	{ "by turns, the younger one ends first", "current_tracer",
	  { { 1, "current_tracer", "function", "function" }, { 2, "current_tracer", "wakeup", "wakeup" },
	    { 1, "current_tracer", "irqsoff", "irqsoff" }, { 2, ENDS, "irqsoff" }, { 1, ENDS, "nop" } } },
	{ "a filter", "events/sched/a/filter",
	  { { 1, "events/sched/a/filter", "x == 1", "x == 1" }, { 2, "events/sched/a/filter", "x == 2", "x == 2" },
	    { 1, ENDS, "x == 2" }, { 2, ENDS, "none" } } },
	{ "a size", "buffer_size_kb",
	  { { 1, "buffer_size_kb", "4096", "4096" }, { 2, "buffer_size_kb", "8192", "8192" },
	    { 1, ENDS, "8192" }, { 2, ENDS, "1408" } } },
	{ "triggers, each its own", "events/sched/a/trigger",
	  { { 1, "events/sched/a/trigger", "traceoff:3", "traceoff:count=3" },
	    { 2, "events/sched/a/trigger", "stacktrace", "stacktrace:unlimited\ntraceoff:count=3" },
	    { 1, ENDS, "stacktrace:unlimited" }, { 2, ENDS, "" } } },
	{ "one trigger that both ask for", "events/sched/a/trigger",
	  { { 1, "events/sched/a/trigger", "stacktrace:3", "stacktrace:count=3" },
	    { 2, "events/sched/a/trigger", "stacktrace:3", "stacktrace:count=3" },
	    { 1, ENDS, "stacktrace:count=3" }, { 2, ENDS, "" } } },
	{ "a probe whose event another one has on", "kprobe_events",
	  { { 1, "kprobe_events", "p:g/n vfs_read", "p:g/n vfs_read" },
	    { 2, "events/g/n/enable", "1", "p:g/n vfs_read" }, { 1, ENDS, "p:g/n vfs_read" }, { 2, ENDS, "" } } },
};

static void test_schedules(void **state)
{
	struct fake_session sessions[LAST + 1] = { { 0 } };
	struct fake_kernel k;
	char *before, *after;
	size_t i, n;

	(void)state;
	for (i = 0; i < sizeof(schedules) / sizeof(schedules[0]); i++) {
		kernel_begin(&k);
		before = kernel_state();
		for (n = 0; schedules[i].acts[n].now; n++) {
			act(sessions, &schedules[i].acts[n]);
			if (strcmp(fake_text(schedules[i].path), schedules[i].acts[n].now) != 0)
				fail_msg("%s, act %zu: '%s' and not '%s'", schedules[i].what, n + 1,
					 fake_text(schedules[i].path), schedules[i].acts[n].now);
		}
		after = kernel_state();
		assert_string_equal(after, before);
		assert_int_equal(journals(), 0);
		free(before);
		free(after);
		kernel_end(&k);
	}
}

#define STAYS(what) "1 setting stays: process PID has set it, too, and will restore the old value: " what

/* Checks the only line of a list, in which PID is our number. */
static void is_line(const struct tsh_strlist *lines, const char *line)
{
	const char *at = strstr(line, "PID");
	char *text = at ? tsh_xasprintf("%.*s%d%s", (int)(at - line), line, (int)getpid(), at + strlen("PID")) :
			  tsh_xstrdup(line);

	assert_int_equal(lines->n, 1);
	assert_string_equal(lines->v[0], text);
	free(text);
}

/* What stays, and for whom, is said; and nothing is counted as taken back. */
static void test_told(void **state)
{
	struct fake_session one, two;
	struct tsh_undo_report report;
	struct fake_kernel k;

	(void)state;
	kernel_begin(&k);
	session_begin(&one, 1);
	session_begin(&two, 2);
	session_set(&one, "current_tracer", "function");
	session_set(&two, "current_tracer", "wakeup");
	tsh_strbuf_clear(&k.wrote);
	report = session_undo(&one);
	wrote_is("");
	is_line(&report.notes, STAYS("tracer"));
	assert_int_equal(report.settings, 0);
	assert_int_equal(report.changes.n, 0);
	tsh_undo_report_release(&report);
	session_close(&one);
	report = session_undo(&two);
	assert_int_equal(report.notes.n, 0);
	assert_int_equal(report.settings, 1);
	tsh_undo_report_release(&report);
	session_close(&two);
	kernel_end(&k);
}

/* A value that somebody without a journal has set in between is left, and what he had set comes back in the end. */
static void test_somebody_in_between(void **state)
{
	struct fake_session one, two;
	struct tsh_undo_report report;
	struct fake_kernel k;

	(void)state;
	kernel_begin(&k);
	session_begin(&one, 1);
	session_begin(&two, 2);
	session_set(&one, "current_tracer", "function");
	fake_put("current_tracer", "blk");
	session_set(&two, "current_tracer", "wakeup");
	report = session_undo(&one);
	is_line(&report.problems, "current_tracer: changed by somebody else since (now wakeup, it would go back to "
		"nop); left as it is");
	file_is("current_tracer", "wakeup");
	tsh_undo_report_release(&report);
	report = session_undo(&two);
	file_is("current_tracer", "blk");
	tsh_undo_report_release(&report);
	session_close(&two);
	session_close(&one);
	kernel_end(&k);
}

static void test_kept(void **state)
{
	struct fake_session one, two;
	struct tsh_undo_report report = { 0 };
	struct fake_kernel k;

	(void)state;
	kernel_begin(&k);
	session_begin(&one, 1);
	session_begin(&two, 2);
	session_set(&one, "current_tracer", "function");
	session_set(&two, "current_tracer", "wakeup");
	session_set(&one, "options/sym-addr", "1");
	kernel->number = 2;
	tsh_journal_commit(two.dir, two.dir->journal, false, &report);
	assert_int_equal(report.problems.n, 0);
	assert_int_equal(report.settings, 1);
	tsh_undo_report_release(&report);
	session_close(&two);
	report = session_undo(&one);
	is_line(&report.notes, "1 setting stays: another session has kept it, too: tracer");
	file_is("current_tracer", "wakeup");
	file_is("options/sym-addr", "0");
	assert_int_equal(one.dir->journal->entries.n, 0);
	tsh_undo_report_release(&report);
	session_close(&one);
	assert_int_equal(journals(), 0);
	kernel_end(&k);
}

/* What cannot be handed over stays in our journal, to be tried again. */
static void test_no_heir(void **state)
{
	struct fake_session one, two;
	struct tsh_undo_report report;
	struct fake_kernel k;
	char *journal;

	(void)state;
	kernel_begin(&k);
	session_begin(&one, 1);
	session_begin(&two, 2);
	session_set(&one, "current_tracer", "function");
	session_set(&two, "current_tracer", "wakeup");
	(void)tsh_others_read(one.dir, one.dir->journal);
	/* others could have written it */
	journal = tsh_xasprintf("%s/%d-20.journal", k.folder, (int)getpid());
	assert_int_equal(chmod(journal, 0644), 0);
	report = session_undo(&one);
	is_line(&report.problems, "current_tracer: another session has set it, too, and its journal cannot be written; "
		"left as it is");
	file_is("current_tracer", "wakeup");
	assert_int_equal(one.dir->journal->entries.n, 1);
	tsh_undo_report_release(&report);
	assert_int_equal(chmod(journal, 0600), 0);
	report = session_undo(&one);
	assert_int_equal(report.problems.n, 0);
	assert_int_equal(one.dir->journal->entries.n, 0);
	tsh_undo_report_release(&report);
	session_close(&one);
	report = session_undo(&two);
	file_is("current_tracer", "nop");
	tsh_undo_report_release(&report);
	session_close(&two);
	assert_int_equal(journals(), 0);
	free(journal);
	kernel_end(&k);
}

/* An instance in which another session has set something goes to that session. */
static void test_instance(void **state)
{
	struct fake_session one, two;
	struct tsh_instance *in, *same;
	struct tsh_undo_report report;
	struct tsh_err err = { 0 };
	struct fake_kernel k;

	(void)state;
	kernel_begin(&k);
	session_begin(&one, 1);
	session_begin(&two, 2);
	kernel->number = 1;
	tsh_journal_begin(one.dir->journal, "instance create x");
	assert_int_equal(tsh_instance_create(one.dir, "x", &in, &err), 0);
	fake_put("instances/x/current_tracer", "nop");
	assert_int_equal(tsh_instance_open(two.dir, "x", &same, &err), 0);
	session_set_in(&two, same, "current_tracer", "function");
	assert_int_equal(tsh_journal_other_user(one.dir, one.dir->journal, in), getpid());
	assert_int_equal(tsh_journal_other_user(two.dir, two.dir->journal, same), getpid());
	tsh_instance_close(in);
	tsh_instance_close(same);
	report = session_undo(&one);
	is_line(&report.notes, STAYS("instance x"));
	assert_int_equal(report.removed.n, 0);
	assert_true(tsh_instance_exists(one.dir, "x"));
	file_is("instances/x/current_tracer", "function");
	tsh_undo_report_release(&report);
	session_close(&one);
	report = session_undo(&two);
	assert_int_equal(report.problems.n, 0);
	is_line(&report.removed, "x");
	assert_false(tsh_instance_exists(two.dir, "x"));
	tsh_undo_report_release(&report);
	session_close(&two);
	assert_int_equal(journals(), 0);
	kernel_end(&k);
}

/* ---- who has set it, and who takes it back ---- */

static void test_holder(void **state)
{
	struct fake_session one, two;
	struct tsh_journal_entry *entry;
	struct tsh_undo_report report;
	struct fake_kernel k;

	(void)state;
	kernel_begin(&k);
	session_begin(&one, 1);
	session_begin(&two, 2);
	session_set(&one, "options/sym-addr", "1");
	session_set(&two, "options/sym-addr", "1");
	entry = &two.dir->journal->entries.v[0];
	assert_true(tsh_share_is_set(two.dir, two.dir->journal, entry));
	assert_int_equal(tsh_share_holder(two.dir, two.dir->journal, entry, "1"), getpid());
	/* the file has not what it asks for */
	assert_int_equal(tsh_share_holder(two.dir, two.dir->journal, entry, "0"), 0);
	/* the younger one has changed nothing, so it will undo nothing */
	entry = &one.dir->journal->entries.v[0];
	assert_true(tsh_share_is_set(one.dir, one.dir->journal, entry));
	assert_int_equal(tsh_share_holder(one.dir, one.dir->journal, entry, "1"), 0);
	report = session_undo(&one);
	tsh_undo_report_release(&report);
	session_close(&one);
	entry = &two.dir->journal->entries.v[0];
	assert_false(tsh_share_is_set(two.dir, two.dir->journal, entry));
	report = session_undo(&two);
	tsh_undo_report_release(&report);
	session_close(&two);
	file_is("options/sym-addr", "0");
	kernel_end(&k);
}

/* ---- which lines an entry names ---- */

static void test_names(void **state)
{
	static const struct {
		const char *path, *text, *line;
		enum tsh_write_how how;
		unsigned int number;
		bool names;
	} cases[] = {
		{ "set_event_pid", "1 2", "2", TSH_WRITE_ADD, 1, true },
		{ "set_event_pid", "1 22", "2", TSH_WRITE_ADD, 1, false },
		/* a list that is replaced is about each task, but one that was handed over has only its own */
		{ "set_event_pid", "1", "2", TSH_WRITE_SET, 1, true },
		{ "set_event_pid", "", "2", TSH_WRITE_CLEAR, 1, true },
		{ "set_event_pid", "1", "2", TSH_WRITE_SET, TSH_JOURNAL_INHERITED, false },
		{ "set_event", "sched:a", "sched:a", TSH_WRITE_ADD, 1, true },
		{ "set_event", "!sched:a", "sched:a", TSH_WRITE_ADD, 1, true },
		{ "set_event", "sched:*", "sched:a", TSH_WRITE_ADD, 1, true },
		{ "set_event", "sched:a", "sched:ab", TSH_WRITE_ADD, 1, false },
		{ "kprobe_events", "p:g/n f", "p:g/n f", TSH_WRITE_ADD, 1, true },
		{ "kprobe_events", "-:g/n", "p:g/n f", TSH_WRITE_ADD, 1, true },
		{ "kprobe_events", "-:g/n", "p:g/m f", TSH_WRITE_ADD, 1, false },
		{ "events/a/b/trigger", "traceoff:3", "traceoff:count=2", TSH_WRITE_ADD, 1, true },
		{ "events/a/b/trigger", "traceoff", "traceon:unlimited", TSH_WRITE_ADD, 1, false },
		{ "current_tracer", "function", "function", TSH_WRITE_SET, 1, false },
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct tsh_journal_entry entry = { .path = (char *)cases[i].path, .text = (char *)cases[i].text,
							 .how = cases[i].how, .number = cases[i].number };

		if (tsh_share_names_line(&entry, cases[i].line) != cases[i].names)
			fail_msg("%s %s, %s", cases[i].path, cases[i].text, cases[i].line);
	}
}

/* ---- what uses a probe, a histogram, a clock ---- */

static struct tsh_journal_entry entry_of(const char *path, const char *text)
{
	return (struct tsh_journal_entry){ .path = (char *)path, .text = (char *)text, .before = (char *)"" };
}

static void test_uses_probe(void **state)
{
	static const struct {
		const char *path, *text, *line;
		bool uses;
	} cases[] = {
		{ "events/g/n/enable", "1", "p:g/n f", true },
		{ "events/g/n/filter", "x == 1", "p:g/n f", true },
		{ "events/g/nn/enable", "1", "p:g/n f", false },
		{ "events/gg/n/enable", "1", "p:g/n f", false },
		{ "set_event", "g:n", "p:g/n f", true },
		{ "set_event", "g:*", "p:g/n f", true },
		{ "set_event", "h:n", "p:g/n f", false },
		/* a trigger that switches it holds the event */
		{ "events/s/e/trigger", "enable_event:g:n", "p:g/n f", true },
		{ "events/s/e/trigger", "disable_event:g:n:3", "p:g/n f", true },
		{ "events/s/e/trigger", "enable_event:g:m", "p:g/n f", false },
		/* a probe of the event */
		{ "dynamic_events", "e:x/y g/n", "p:g/n f", true },
		{ "dynamic_events", "e:x/y g.n a=$b", "p:g/n f", true },
		{ "dynamic_events", "e:x/y g/nn", "p:g/n f", false },
		{ "dynamic_events", "p:x/y g/n", "p:g/n f", false },
		/* a histogram that makes a synthetic event */
		{ "events/s/e/trigger", "hist:keys=a:onmatch(s.e).trace(lat,$x)", "lat u64 x", true },
		{ "events/s/e/trigger", "hist:keys=a:onmatch(s.e).lat($x)", "lat u64 x", true },
		{ "events/s/e/trigger", "hist:keys=a:onmatch(s.e).latency($x)", "lat u64 x", false },
		{ "events/s/e/trigger", "hist:keys=lat", "lat u64 x", false },
		{ "events/synthetic/lat/enable", "1", "lat u64 x", true },
		{ "tracing_on", "1", "p:g/n f", false },
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct tsh_journal_entry entry = entry_of(cases[i].path, cases[i].text);

		if (tsh_share_uses_probe(NULL, &entry, cases[i].line) != cases[i].uses)
			fail_msg("%s %s, %s", cases[i].path, cases[i].text, cases[i].line);
	}
}

static void test_uses_trigger(void **state)
{
	static const char made[] = "hist:keys=next_pid:ts0=common_timestamp.usecs";
	static const char match[] = "hist:keys=pid:lat=common_timestamp-$ts0:onmatch(s.a).trace(wake,$lat)";
	static const struct {
		const char *path, *text, *trigger;
		bool uses;
	} cases[] = {
		{ "events/s/b/trigger", match, made, true },
		{ "events/s/b/trigger", "hist:keys=pid:x=$ts01", made, false },
		{ "events/s/b/trigger", "hist:keys=pid:x=ts0", made, false },
		/* a key is no variable */
		{ "events/s/b/trigger", "hist:keys=pid:x=$next_pid", made, false },
		{ "events/synthetic/wake/enable", "1", match, true },
		{ "events/synthetic/woke/enable", "1", match, false },
		{ "events/s/b/filter", "$ts0", made, false },
		{ "events/s/b/trigger", "hist:keys=pid:x=$ts0", "traceoff", false },
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct tsh_journal_entry entry = entry_of(cases[i].path, cases[i].text);
		const struct tsh_journal_entry trigger = entry_of("events/s/a/trigger", cases[i].trigger);

		if (tsh_share_uses_trigger(NULL, &entry, &trigger, cases[i].trigger) != cases[i].uses)
			fail_msg("%s %s, %s", cases[i].path, cases[i].text, cases[i].trigger);
	}
}

static void test_needs_clock(void **state)
{
	struct tsh_journal_entry clock = entry_of("trace_clock", "mono");
	struct tsh_journal_entry other = entry_of("trace_clock", "mono"), option = entry_of("options/x", "1");
	struct tsh_journal_entry times = entry_of("events/s/a/trigger", "hist:keys=pid:t=common_timestamp");
	struct tsh_journal_entry plain = entry_of("events/s/a/trigger", "hist:keys=pid");

	(void)state;
	other.instance = (char *)"x";
	assert_true(tsh_share_needs_clock(&times, &clock));
	assert_false(tsh_share_needs_clock(&plain, &clock));
	assert_false(tsh_share_needs_clock(&times, &other));
	assert_false(tsh_share_needs_clock(&times, &option));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_schedules),
		cmocka_unit_test(test_told),
		cmocka_unit_test(test_somebody_in_between),
		cmocka_unit_test(test_kept),
		cmocka_unit_test(test_no_heir),
		cmocka_unit_test(test_instance),
		cmocka_unit_test(test_holder),
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_uses_probe),
		cmocka_unit_test(test_uses_trigger),
		cmocka_unit_test(test_needs_clock),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
