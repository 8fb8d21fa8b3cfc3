/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "kernel/undo/plan.h"

#include "fake-kernel.h"

#include <signal.h>
#include <sys/wait.h>

/* The way back of lists of tasks, to which the kernel adds children and from which it removes tasks that end. */

static char *number(pid_t pid)
{
	return tsh_xasprintf("%d", (int)pid);
}

/* Makes a process that does nothing. */
static pid_t make_task(void)
{
	pid_t pid = fork();

	assert_true(pid >= 0);
	if (!pid)
		for (;;)
			pause();
	return pid;
}

static void end_task(pid_t pid)
{
	assert_int_equal(kill(pid, SIGKILL), 0);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
}

/* Ours go, those of others stay; the list is not empty for a moment while tracing is on: an empty one
 * is of all tasks. */
static void test_tasks(void **state)
{
	pid_t first = make_task(), second = make_task(), third = make_task();
	char *a = number(first), *b = number(second), *c = number(third), *text, *wrote;
	struct tsh_undo_report report;
	struct fake_session s;
	struct fake_kernel k;

	(void)state;
	kernel_begin(&k);
	fake_put("set_event_pid", a);
	session_begin(&s, 1);
	session_append(&s, "set_event_pid", b);
	text = tsh_xasprintf("%s\n%s\n%s", a, b, c);
	fake_put("set_event_pid", text);
	free(text);
	tsh_strbuf_clear(&k.wrote);
	report = session_undo(&s);
	text = tsh_xasprintf("%s\n%s", a, c);
	wrote = tsh_xasprintf("tracing_on=0;set_event_pid=%s;tracing_on=1;", text);
	wrote_is(wrote);
	file_is("set_event_pid", text);
	file_is("tracing_on", "1");
	NONE(report.problems);
	assert_int_equal(report.settings, 1);
	tsh_undo_report_release(&report);
	session_close(&s);
	assert_int_equal(journals(), 0);
	free(text);
	free(wrote);
	free(a);
	free(b);
	free(c);
	end_task(first);
	end_task(second);
	end_task(third);
	kernel_end(&k);
}

/* Children that the kernel has added because of our option go with the task that we have listed. */
static void test_children(void **state)
{
	pid_t child = make_task();
	char *a = number(getpid()), *b = number(child), *text;
	struct tsh_undo_report report;
	struct fake_session s;
	struct fake_kernel k;

	(void)state;
	kernel_begin(&k);
	session_begin(&s, 1);
	session_set(&s, "options/event-fork", "1");
	session_append(&s, "set_event_pid", a);
	text = tsh_xasprintf("%s\n%s", a, b);
	fake_put("set_event_pid", text);
	report = session_undo(&s);
	file_is("set_event_pid", "");
	file_is("options/event-fork", "0");
	NONE(report.problems);
	NONE(report.notes);
	tsh_undo_report_release(&report);
	session_close(&s);
	assert_int_equal(journals(), 0);
	free(text);
	free(a);
	free(b);
	end_task(child);
	kernel_end(&k);
}

/* With event-fork before, which the kernel follows: a task that has ended is not listed again, as the kernel would have
 * removed it. */
static void test_ended(void **state)
{
	pid_t first = make_task(), second = make_task();
	char *a = number(first), *b = number(second), *text = tsh_xasprintf("%s\n%s", a, b);
	struct tsh_undo_report report;
	struct fake_session s;
	struct fake_kernel k;

	(void)state;
	kernel_begin(&k);
	fake_put("options/event-fork", "1");
	fake_put("set_event_pid", text);
	session_begin(&s, 1);
	session_set(&s, "set_event_pid", a);
	file_is("set_event_pid", a);
	end_task(second);
	report = session_undo(&s);
	file_is("set_event_pid", a);
	NONE(report.problems);
	tsh_undo_report_release(&report);
	session_close(&s);
	assert_int_equal(journals(), 0);
	free(text);
	free(a);
	free(b);
	end_task(first);
	kernel_end(&k);
}

/* Without it the list is as it was, whoever has ended. */
static void test_replaced(void **state)
{
	pid_t first = make_task(), second = make_task();
	char *a = number(first), *b = number(second), *text = tsh_xasprintf("%s\n%s", a, b);
	struct tsh_undo_report report;
	struct fake_session s;
	struct fake_kernel k;

	(void)state;
	kernel_begin(&k);
	fake_put("set_event_pid", text);
	session_begin(&s, 1);
	session_set(&s, "set_event_pid", b);
	file_is("set_event_pid", b);
	end_task(second);
	report = session_undo(&s);
	file_is("set_event_pid", text);
	NONE(report.problems);
	tsh_undo_report_release(&report);
	session_close(&s);
	free(text);
	free(a);
	free(b);
	end_task(first);
	kernel_end(&k);
}

/* Those that somebody without a journal added stay, where all tasks were selected before: that is said. */
static void test_stay(void **state)
{
	pid_t first = make_task(), second = make_task();
	char *a = number(first), *b = number(second), *text = tsh_xasprintf("%s\n%s", a, b);
	struct tsh_undo_report report;
	struct fake_session s;
	struct fake_kernel k;

	(void)state;
	kernel_begin(&k);
	session_begin(&s, 1);
	session_append(&s, "set_event_pid", a);
	fake_put("set_event_pid", text);
	report = session_undo(&s);
	file_is("set_event_pid", b);
	NONE(report.problems);
	ARE(report.notes, "1 task stays in 'set_event_pid': others may have listed it");
	tsh_undo_report_release(&report);
	session_close(&s);
	free(text);
	free(a);
	free(b);
	end_task(first);
	end_task(second);
	kernel_end(&k);
}

/* ---- several sessions ---- */

/* Each takes its own tasks out; one that both have listed stays for the other one. */
static void test_shared(void **state)
{
	pid_t first = make_task(), second = make_task();
	char *a = number(first), *b = number(second), *both = tsh_xasprintf("%s\n%s", a, b);
	struct fake_session one, two;
	struct tsh_undo_report report;
	struct fake_kernel k;

	(void)state;
	kernel_begin(&k);
	session_begin(&one, 1);
	session_begin(&two, 2);
	session_append(&one, "set_event_pid", both);
	session_append(&two, "set_event_pid", b);
	fake_put("set_event_pid", both);
	report = session_undo(&one);
	file_is("set_event_pid", b);
	NONE(report.problems);
	tsh_undo_report_release(&report);
	session_close(&one);
	report = session_undo(&two);
	file_is("set_event_pid", "");
	NONE(report.problems);
	tsh_undo_report_release(&report);
	session_close(&two);
	assert_int_equal(journals(), 0);
	free(both);
	free(a);
	free(b);
	end_task(first);
	end_task(second);
	kernel_end(&k);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_tasks),
		cmocka_unit_test(test_children),
		cmocka_unit_test(test_ended),
		cmocka_unit_test(test_replaced),
		cmocka_unit_test(test_stay),
		cmocka_unit_test(test_shared),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
