/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "kernel/undo/plan.h"

#include "fake-kernel.h"

/* The way back: what is taken back, in which order, what stays and why. Nothing is left behind. */

/* ---- all of it ---- */

static void test_order(void **state)
{
	struct tsh_undo_report report;
	struct fake_session s;
	struct fake_kernel k;
	char *before, *after;

	(void)state;
	kernel_begin(&k);
	before = kernel_state();
	session_begin(&s, 1);
	session_set(&s, "events/sched/b/enable", "0");
	session_set(&s, "events/sched/b/filter", "pid == 3");
	session_set(&s, "events/sched/a/filter", "pid > 1");
	session_set(&s, "events/sched/a/enable", "1");
	session_set(&s, "events/sched/a/trigger", "stacktrace:3");
	session_set(&s, "current_tracer", "function");
	session_set(&s, "kprobe_events", "p:g/n vfs_read");
	session_set(&s, "events/g/n/enable", "1");
	session_set(&s, "buffer_size_kb", "4096");
	session_set(&s, "trace_clock", "mono");
	session_set(&s, "options/sym-addr", "1");
	assert_int_equal(tsh_journal_count_settings(s.dir->journal), 11);
	assert_int_equal(journals(), 1);
	tsh_strbuf_clear(&k.wrote);
	report = session_undo(&s);
	wrote_is("events/g/n/enable=0;events/sched/a/enable=0;current_tracer=nop;events/sched/a/trigger=!stacktrace;"
		 "options/sym-addr=0;events/sched/a/filter=0;events/sched/b/filter=0;kprobe_events=-:g/n;"
		 "events/sched/b/enable=1;trace_clock=local;buffer_size_kb=1408;");
	NONE(report.problems);
	NONE(report.notes);
	assert_int_equal(report.settings, 11);
	assert_int_equal(report.commands, 11);
	assert_int_equal(s.dir->journal->entries.n, 0);
	after = kernel_state();
	assert_string_equal(after, before);
	session_close(&s);
	assert_int_equal(journals(), 0);
	tsh_undo_report_release(&report);
	free(before);
	free(after);
	kernel_end(&k);
}

/* The oldest write decides: an event that was off is not on for a moment. */
static void test_there_and_back(void **state)
{
	struct tsh_undo_report report;
	struct fake_session s;
	struct fake_kernel k;

	(void)state;
	kernel_begin(&k);
	session_begin(&s, 1);
	session_set(&s, "events/sched/a/enable", "1");
	/* it is off by somebody else, and on by him again after our second write */
	fake_put("events/sched/a/enable", "0");
	session_set(&s, "events/sched/a/enable", "1");
	session_set(&s, "current_tracer", "function");
	session_set(&s, "current_tracer", "nop");
	tsh_strbuf_clear(&k.wrote);
	report = session_undo(&s);
	wrote_is("events/sched/a/enable=0;");
	/* the first write was undone by somebody else */
	assert_int_equal(report.settings, 3);
	assert_int_equal(report.gone, 1);
	ARE(report.changes, "sched:a enabled -> disabled");
	tsh_undo_report_release(&report);
	session_close(&s);
	kernel_end(&k);
}

/* ---- what stays ---- */

#define THEIRS(file, now, before) \
	file ": changed by somebody else since (now " now ", it would go back to " before "); left as it is"

static void test_somebody_elses(void **state)
{
	static const struct {
		const char *path, *ours, *theirs, *problem;
	} cases[] = {
		{ "current_tracer", "function", "wakeup",
		  THEIRS("current_tracer", "wakeup", "nop") },
		{ "events/sched/a/filter", "x == 1", "x == 2",
		  THEIRS("events/sched/a/filter", "x == 2", "none") },
		{ "trace_clock", "mono", "local [global] mono",
		  THEIRS("trace_clock", "global", "local") },
		{ "buffer_size_kb", "4096", "2048",
		  THEIRS("buffer_size_kb", "2M", "1408K") },
		{ "options/x", "1", "2",
		  THEIRS("options/x", "2", "off") },
	};
	struct tsh_undo_report report;
	struct fake_session s;
	struct fake_kernel k;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		kernel_begin(&k);
		fake_put("options/x", "0");
		session_begin(&s, 1);
		session_set(&s, cases[i].path, cases[i].ours);
		fake_put(cases[i].path, cases[i].theirs);
		tsh_strbuf_clear(&k.wrote);
		report = session_undo(&s);
		wrote_is("");
		file_is(cases[i].path, cases[i].theirs);
		ARE(report.problems, cases[i].problem);
		assert_int_equal(report.settings, 0);
		/* it may become ours again */
		assert_int_equal(s.dir->journal->entries.n, 1);
		assert_true(s.dir->journal->entries.v[0].left);
		tsh_undo_report_release(&report);
		/* and recover --forget gives it up */
		assert_int_equal(tsh_journal_forget_left(s.dir->journal), 1);
		session_close(&s);
		assert_int_equal(journals(), 0);
		kernel_end(&k);
	}
}

/* What somebody has undone already is neither written nor counted as ours. */
static void test_gone_already(void **state)
{
	struct tsh_undo_report report;
	struct fake_session s;
	struct fake_kernel k;
	char *text;

	(void)state;
	kernel_begin(&k);
	session_begin(&s, 1);
	session_set(&s, "current_tracer", "function");
	session_set(&s, "options/sym-addr", "1");
	fake_put("current_tracer", "nop");
	tsh_strbuf_clear(&k.wrote);
	report = session_undo(&s);
	wrote_is("options/sym-addr=0;");
	NONE(report.problems);
	ARE(report.changes, "option sym-addr on -> off");
	text = tsh_undo_report_text(&report, true);
	assert_string_equal(text, "1 setting taken back (1 more was gone already)");
	free(text);
	tsh_undo_report_release(&report);
	session_close(&s);
	assert_int_equal(journals(), 0);
	kernel_end(&k);
}

/* In a list only our own lines count. */
static void test_lines_of_others(void **state)
{
	struct tsh_undo_report report;
	struct fake_session s;
	struct fake_kernel k;

	(void)state;
	kernel_begin(&k);
	fake_put("events/sched/a/trigger", "traceon:unlimited");
	session_begin(&s, 1);
	session_set(&s, "events/sched/a/trigger", "stacktrace:5");
	/* the count has gone down, and somebody has added one and removed another one */
	fake_put("events/sched/a/trigger", "snapshot:unlimited\nstacktrace:count=2");
	tsh_strbuf_clear(&k.wrote);
	report = session_undo(&s);
	wrote_is("events/sched/a/trigger=!stacktrace;");
	file_is("events/sched/a/trigger", "snapshot:unlimited");
	NONE(report.problems);
	ARE(report.changes, "trigger of sched:a: stacktrace:5 removed");
	tsh_undo_report_release(&report);
	session_close(&s);
	kernel_end(&k);
}

/* What the kernel refuses is tried twice, stays in the journal, and goes the next time. */
static void test_refused(void **state)
{
	struct tsh_undo_report report;
	struct fake_session s;
	struct fake_kernel k;

	(void)state;
	kernel_begin(&k);
	session_begin(&s, 1);
	session_set(&s, "options/sym-addr", "1");
	session_set(&s, "current_tracer", "function");
	k.refused = "options/sym-addr";
	report = session_undo(&s);
	file_is("current_tracer", "nop");
	file_is("options/sym-addr", "1");
	ARE(report.problems, "options/sym-addr: Input/output error");
	assert_int_equal(report.settings, 1);
	assert_int_equal(s.dir->journal->entries.n, 1);
	tsh_undo_report_release(&report);
	k.refused = NULL;
	report = session_undo(&s);
	NONE(report.problems);
	file_is("options/sym-addr", "0");
	tsh_undo_report_release(&report);
	session_close(&s);
	assert_int_equal(journals(), 0);
	kernel_end(&k);
}

/* An event that is still on keeps its probe; when it is off, the next undo removes the probe. */
static void test_probe_in_use(void **state)
{
	struct tsh_undo_report report;
	struct fake_session s;
	struct fake_kernel k;

	(void)state;
	kernel_begin(&k);
	session_begin(&s, 1);
	session_set(&s, "kprobe_events", "p:g/n vfs_read");
	fake_put("events/g/n/enable", "1");
	report = session_undo(&s);
	ARE(report.problems, "kprobe_events: p:g/n vfs_read: Device or resource busy");
	file_is("kprobe_events", "p:g/n vfs_read");
	tsh_undo_report_release(&report);
	fake_put("events/g/n/enable", "0");
	report = session_undo(&s);
	NONE(report.problems);
	file_is("kprobe_events", "");
	file_is("events/g/n/enable", "(none)");
	tsh_undo_report_release(&report);
	session_close(&s);
	kernel_end(&k);
}

/* ---- undo of some commands ---- */

static void test_some(void **state)
{
	struct tsh_undo_report report = { 0 };
	struct fake_session s;
	struct fake_kernel k;

	(void)state;
	kernel_begin(&k);
	session_begin(&s, 1);
	session_set(&s, "current_tracer", "function");
	session_set(&s, "options/sym-addr", "1");
	tsh_journal_hold(s.dir->journal);
	session_set(&s, "current_tracer", "wakeup");
	session_set(&s, "events/sched/a/enable", "1");
	tsh_journal_undo(s.dir, s.dir->journal, 1, &report);
	file_is("events/sched/a/enable", "0");
	file_is("current_tracer", "wakeup");
	assert_int_equal(report.commands, 1);
	tsh_undo_report_release(&report);
	/* more than there are: what is held stays until the end of the session */
	tsh_journal_undo(s.dir, s.dir->journal, UINT32_MAX, &report);
	file_is("current_tracer", "function");
	file_is("options/sym-addr", "1");
	assert_int_equal(report.commands, 1);
	tsh_undo_report_release(&report);
	report = session_undo(&s);
	file_is("current_tracer", "nop");
	file_is("options/sym-addr", "0");
	tsh_undo_report_release(&report);
	session_close(&s);
	kernel_end(&k);
}

/* What was left before is tried in silence, and does not count as the last command. */
static void test_left_before(void **state)
{
	struct tsh_undo_report report = { 0 };
	struct fake_session s;
	struct fake_kernel k;

	(void)state;
	kernel_begin(&k);
	session_begin(&s, 1);
	session_set(&s, "options/sym-addr", "1");
	session_set(&s, "current_tracer", "function");
	fake_put("current_tracer", "wakeup");
	tsh_journal_undo(s.dir, s.dir->journal, 1, &report);
	assert_int_equal(report.problems.n, 1);
	tsh_undo_report_release(&report);
	tsh_journal_undo(s.dir, s.dir->journal, 1, &report);
	NONE(report.problems);
	file_is("options/sym-addr", "0");
	file_is("current_tracer", "wakeup");
	tsh_undo_report_release(&report);
	/* when it is ours again, it goes back */
	fake_put("current_tracer", "function");
	report = session_undo(&s);
	file_is("current_tracer", "nop");
	NONE(report.problems);
	tsh_undo_report_release(&report);
	session_close(&s);
	assert_int_equal(journals(), 0);
	kernel_end(&k);
}

/* ---- instances ---- */

static struct tsh_instance *create(struct fake_session *s, const char *name)
{
	static const char *const files[] = { "current_tracer", "set_event_pid", "options/sym-addr", "events/enable",
					     "buffer_size_kb", "per_cpu/cpu0/buffer_size_kb", "trace_clock" };
	static const char *const texts[] = { "nop", "", "0", "0", "1408", "1408", "[local] global mono" };
	struct tsh_instance *in;
	struct tsh_err err = { 0 };
	size_t i;

	kernel->number = s->number;
	tsh_journal_begin(s->dir->journal, "instance");
	assert_int_equal(tsh_instance_create(s->dir, name, &in, &err), 0);
	for (i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		char *path = tsh_xasprintf("instances/%s/%s", name, files[i]);

		fake_put(path, texts[i]);
		free(path);
	}
	return in;
}

static void test_instance(void **state)
{
	struct tsh_undo_report report;
	struct tsh_instance *in;
	struct fake_session s;
	struct fake_kernel k;
	char *before, *after;

	(void)state;
	kernel_begin(&k);
	before = kernel_state();
	session_begin(&s, 1);
	in = create(&s, "x");
	session_set_in(&s, in, "current_tracer", "function");
	session_set_in(&s, in, "buffer_size_kb", "4096");
	session_set_in(&s, in, "trace_clock", "mono");
	tsh_instance_close(in);
	tsh_strbuf_clear(&k.wrote);
	report = session_undo(&s);
	/* a clock erases the buffer, whose events are saved when the instance goes, and only then */
	wrote_is("instances/x/current_tracer=nop;instances/x/buffer_size_kb=1408;rmdir x;");
	NONE(report.problems);
	ARE(report.removed, "x");
	ARE(report.changes, "instance x removed");
	after = kernel_state();
	assert_string_equal(after, before);
	assert_false(tsh_instance_exists(s.dir, "x"));
	tsh_undo_report_release(&report);
	session_close(&s);
	assert_int_equal(journals(), 0);
	free(before);
	free(after);
	kernel_end(&k);
}

/* Somebody without a journal has set something in it: it is not taken from him. */
static void test_instance_in_use(void **state)
{
	static const struct { const char *path, *text; } cases[] = {
		{ "instances/x/current_tracer", "function" }, { "instances/x/set_event_pid", "1" },
		{ "instances/x/events/enable", "X" },
	};
	struct tsh_undo_report report;
	struct fake_session s;
	struct fake_kernel k;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		kernel_begin(&k);
		session_begin(&s, 1);
		tsh_instance_close(create(&s, "x"));
		fake_put(cases[i].path, cases[i].text);
		report = session_undo(&s);
		assert_int_equal(report.problems.n, 1);
		assert_non_null(strstr(report.problems.v[0], "instance 'x': "));
		assert_true(tsh_instance_exists(s.dir, "x"));
		file_is(cases[i].path, cases[i].text);
		assert_int_equal(s.dir->journal->entries.n, 1);
		tsh_undo_report_release(&report);
		session_close(&s);
		/* recover finds it */
		assert_int_equal(journals(), 1);
		kernel_end(&k);
	}
}

static void test_instance_gone(void **state)
{
	struct tsh_undo_report report;
	struct tsh_instance *in;
	struct fake_session s;
	struct fake_kernel k;

	(void)state;
	kernel_begin(&k);
	session_begin(&s, 1);
	in = create(&s, "x");
	session_set_in(&s, in, "current_tracer", "function");
	tsh_instance_close(in);
	kernel->number = 0;
	assert_int_equal(__wrap_tsh_instance_remove(s.dir, "x"), 0);
	tsh_strbuf_clear(&k.wrote);
	report = session_undo(&s);
	wrote_is("");
	NONE(report.problems);
	ARE(report.notes, "instance 'x' is gone, and what was set there");
	assert_int_equal(report.settings, 0);
	assert_int_equal(s.dir->journal->entries.n, 0);
	tsh_undo_report_release(&report);
	session_close(&s);
	assert_int_equal(journals(), 0);
	kernel_end(&k);
}

/* ---- what would be erased ---- */

struct asked {
	struct tsh_strbuf text;
	int answer;
};

static int before_erasing(void *ctx, struct tsh_instance *in, unsigned int what, char **why)
{
	struct asked *asked = ctx;

	(void)what;
	tsh_strbuf_addf(&asked->text, "%s;", tsh_instance_label(in));
	if (asked->answer < 0)
		*why = tsh_xstrdup("3 unread events");
	return asked->answer;
}

/* A clock that goes back erases the buffer: what is unread is saved first, or the clock stays. */
static void test_erasing(void **state)
{
	struct asked asked = { .text = TSH_STRBUF_INIT, .answer = -1 };
	const struct tsh_journal_hooks hooks = { .ctx = &asked, .before_erasing = before_erasing };
	struct tsh_undo_report report;
	struct fake_session s;
	struct fake_kernel k;

	(void)state;
	kernel_begin(&k);
	session_begin(&s, 1);
	session_set(&s, "trace_clock", "mono");
	session_set(&s, "options/sym-addr", "1");
	s.dir->journal->hooks = &hooks;
	report = session_undo(&s);
	assert_string_equal(asked.text.buf, "top;");
	ARE(report.problems, "trace_clock: 3 unread events");
	assert_true(report.erasing);
	file_is("trace_clock", "local global [mono]");
	file_is("options/sym-addr", "0");
	tsh_undo_report_release(&report);
	asked.answer = 0;
	report = session_undo(&s);
	file_is("trace_clock", "[local] global mono");
	NONE(report.problems);
	tsh_undo_report_release(&report);
	session_close(&s);
	tsh_strbuf_release(&asked.text);
	kernel_end(&k);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_order),
		cmocka_unit_test(test_there_and_back),
		cmocka_unit_test(test_somebody_elses),
		cmocka_unit_test(test_gone_already),
		cmocka_unit_test(test_lines_of_others),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_probe_in_use),
		cmocka_unit_test(test_some),
		cmocka_unit_test(test_left_before),
		cmocka_unit_test(test_instance),
		cmocka_unit_test(test_instance_in_use),
		cmocka_unit_test(test_instance_gone),
		cmocka_unit_test(test_erasing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
