/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "outputs.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- the writer ---- */

static void test_write(void **state)
{
	struct tsh_err err = { 0 };
	struct tsh_out out;
	char text[32];
	int fds[2];

	(void)state;
	assert_int_equal(pipe(fds), 0);
	tsh_out_init(&out, fds[1], TSH_FORMAT_TEXT);
	tsh_out_line(&out, "%d events", 5);
	assert_int_equal(tsh_out_flush_if_full(&out), 0);
	assert_int_equal(out.bytes, 0);
	assert_int_equal(tsh_out_finish(&out, &err), 0);
	assert_int_equal(out.bytes, 9);
	assert_int_equal(read(fds[0], text, sizeof(text)), 9);
	assert_memory_equal(text, "5 events\n", 9);
	tsh_out_release(&out);
	close(fds[0]);
	close(fds[1]);
}

static void test_no_space(void **state)
{
	struct tsh_err err = { 0 };
	struct tsh_out out;
	int fd = open("/dev/full", O_WRONLY | O_CLOEXEC);

	(void)state;
	if (fd < 0)
		skip();
	tsh_out_init(&out, fd, TSH_FORMAT_TEXT);
	tsh_out_line(&out, "x");
	assert_int_equal(tsh_out_flush(&out), -ENOSPC);
	assert_int_equal(out.error, ENOSPC);
	/* it stays an error, and nothing piles up */
	tsh_out_line(&out, "y");
	assert_int_equal(tsh_out_flush_if_full(&out), -ENOSPC);
	assert_int_equal(tsh_out_flush(&out), -ENOSPC);
	assert_int_equal(out.data.len, 0);
	assert_int_equal(out.bytes, 0);
	assert_int_equal(tsh_out_finish(&out, &err), -1);
	assert_string_equal(err.message,
			    "cannot write to standard output: No space left on device");
	assert_int_equal(err.number, ENOSPC);
	assert_int_equal(err.status, TSH_FAILED);
	out.name = "a\nb.txt";
	assert_int_equal(tsh_out_finish(&out, &err), -1);
	assert_string_equal(err.message, "cannot write 'a\\nb.txt': No space left on device");
	tsh_err_release(&err);
	tsh_out_release(&out);
	close(fd);
}

static void test_closed(void **state)
{
	struct tsh_err err = { 0 };
	struct tsh_out out;
	int fds[2];

	(void)state;
	signal(SIGPIPE, SIG_IGN);
	assert_int_equal(pipe(fds), 0);
	close(fds[0]);
	tsh_out_init(&out, fds[1], TSH_FORMAT_TEXT);
	tsh_out_line(&out, "x");
	assert_false(out.closed);
	assert_int_equal(tsh_out_flush(&out), 0);
	assert_true(out.closed);
	assert_int_equal(out.error, 0);
	tsh_out_line(&out, "y");
	assert_int_equal(tsh_out_finish(&out, &err), 0);
	assert_int_equal(out.data.len, 0);
	assert_false(tsh_err_is_set(&err));
	tsh_out_release(&out);
	close(fds[1]);
}

/* A child that reads `bytes` in its own time and fails when there are more or less. */
static pid_t slow_reader(const int fds[2], size_t bytes)
{
	pid_t pid = fork();
	char buf[3000];
	ssize_t n;

	if (pid)
		return pid;
	close(fds[1]);
	while ((n = read(fds[0], buf, sizeof(buf))) > 0) {
		bytes -= (size_t)n;
		usleep(500);
	}
	_exit(bytes != 0);
}

/* A full pipe that does not block is waited for. */
static void test_non_blocking(void **state)
{
	struct tsh_out out;
	int fds[2], status;
	pid_t pid;
	int i;

	(void)state;
	assert_int_equal(pipe(fds), 0);
	assert_int_equal(fcntl(fds[1], F_SETFL, O_NONBLOCK), 0);
	pid = slow_reader(fds, 4000 * 101);
	assert_true(pid > 0);
	tsh_out_init(&out, fds[1], TSH_FORMAT_TEXT);
	for (i = 0; i < 4000; i++)
		tsh_out_line(&out, "%0100d", i);
	/* more than 64 KB never wait */
	assert_true(out.bytes > 0 && out.data.len <= 65536);
	assert_int_equal(tsh_out_flush(&out), 0);
	close(fds[1]);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	assert_int_equal(out.bytes, 4000 * 101);
	tsh_out_release(&out);
	close(fds[0]);
}

/* ---- notes, lines, text, styles ---- */

static char noted[256];

static void take_note(void *ctx, const char *text)
{
	*(int *)ctx += 1;
	snprintf(noted, sizeof(noted), "%s", text);
}

static void test_notes(void **state)
{
	struct tsh_out out;
	int count = 0;
	int fds[2];

	(void)state;
	tsh_out_init(&out, -1, TSH_FORMAT_JSON);
	tsh_out_note(&out, "nobody hears");
	tsh_out_warn(&out, "nobody hears");
	out.note = take_note;
	out.note_ctx = &count;
	tsh_out_note(&out, "task '%s'", CLEAR "\n");
	assert_string_equal(noted, "task '\\x1b[2J\\n'");
	out.quiet = true;
	tsh_out_note(&out, "hush");
	tsh_out_warn(&out, "%d lost", 3);
	assert_string_equal(noted, "3 lost");
	assert_int_equal(count, 2);
	check_data(&out, "");

	/* on a terminal, rows and notes keep their order */
	assert_int_equal(pipe(fds), 0);
	tsh_out_init(&out, fds[1], TSH_FORMAT_TEXT);
	out.note = take_note;
	out.note_ctx = &count;
	tsh_out_line(&out, "row");
	tsh_out_note(&out, "note");
	assert_int_equal(out.bytes, 0);
	out.is_terminal = true;
	tsh_out_note(&out, "note");
	assert_int_equal(out.bytes, 4);
	tsh_out_release(&out);
	close(fds[0]);
	close(fds[1]);
}

static void test_text(void **state)
{
	static const char text[] = "a\tb\n" CLEAR "\n=1,\"2\"\nlast";
	static const struct {
		enum tsh_format format;
		bool is_shown;
		const char *expected;
	} cases[] = {
		{ TSH_FORMAT_TEXT, false, "a\tb\n\\x1b[2J\n=1,\"2\"\nlast" },
		{ TSH_FORMAT_TEXT, true, "a\tb\n\\x1b[2J\n=1,\"2\"\nlast" },
		{ TSH_FORMAT_KERNEL, false, "a\tb\n" CLEAR "\n=1,\"2\"\nlast" },
		{ TSH_FORMAT_KERNEL, true, "a\tb\n\\x1b[2J\n=1,\"2\"\nlast" },
		{ TSH_FORMAT_CSV, false, "a\\tb\n\\x1b[2J\n\"'=1,\"\"2\"\"\"\nlast\n" },
		{ TSH_FORMAT_JSON, false,
		  "{\"type\":\"text\",\"text\":\"a\\tb\"}\n"
		  "{\"type\":\"text\",\"text\":\"\\u001b[2J\"}\n"
		  "{\"type\":\"text\",\"text\":\"=1,\\\"2\\\"\"}\n"
		  "{\"type\":\"text\",\"text\":\"last\"}\n" },
	};
	struct tsh_out out;
	size_t i;

	(void)state;
	for (i = 0; i < SIZE(cases); i++) {
		tsh_out_init(&out, -1, cases[i].format);
		out.may_be_raw = !cases[i].is_shown;
		tsh_out_text(&out, text, sizeof(text) - 1);
		check_data(&out, cases[i].expected);
	}
	tsh_out_init(&out, -1, TSH_FORMAT_JSON);
	tsh_out_script(&out, CLEAR "\n\xff", 6);
	check_data(&out, "\\x1b[2J\n\\xff");
	out.may_be_raw = true;
	tsh_out_script(&out, CLEAR "\n\xff", 6);
	check_data(&out, CLEAR "\n\xff");
	tsh_out_text(&out, "x\n\n", 3);
	tsh_out_text(&out, "", 0);
	check_data(&out, "{\"type\":\"text\",\"text\":\"x\"}\n{\"type\":\"text\",\"text\":\"\"}\n");
}

static void test_line(void **state)
{
	struct tsh_out out;

	(void)state;
	tsh_out_init(&out, -1, TSH_FORMAT_TEXT);
	tsh_out_line(&out, "%s: %d", "a\nb\xff", 1);
	check_data(&out, "a\\nb\\xff: 1\n");
	tsh_out_init(&out, -1, TSH_FORMAT_JSON);
	tsh_out_line(&out, "x");
	check_data(&out, "");
}

static void test_style(void **state)
{
	struct tsh_out out;
	int i;

	(void)state;
	tsh_out_init(&out, -1, TSH_FORMAT_TEXT);
	for (i = 0; i < TSH_STYLE_N; i++)
		assert_string_equal(tsh_out_style(&out, i), "");
	out.color = true;
	assert_string_equal(tsh_out_style(&out, TSH_STYLE_NONE), "\033[0m");
	for (i = 0; i < TSH_STYLE_N; i++)
		assert_int_equal(tsh_out_style(&out, i)[0], '\033');
	out.format = TSH_FORMAT_JSON;
	assert_string_equal(tsh_out_style(&out, TSH_STYLE_BOLD), "");
	for (i = 0; i <= TSH_FORMAT_KERNEL; i++)
		assert_non_null(tsh_format_names[i]);
	assert_null(tsh_format_names[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_write),
		cmocka_unit_test(test_no_space),
		cmocka_unit_test(test_closed),
		cmocka_unit_test(test_non_blocking),
		cmocka_unit_test(test_notes),
		cmocka_unit_test(test_text),
		cmocka_unit_test(test_line),
		cmocka_unit_test(test_style),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
