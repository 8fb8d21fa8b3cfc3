/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "outputs.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

/* The second thread that writes regular files. */

#define LINES 60000
#define LINE_BYTES 101
#define LIMIT 1000003

static bool has_cpus(void)
{
	cpu_set_t cpus;

	return !sched_getaffinity(0, sizeof(cpus), &cpus) && CPU_COUNT(&cpus) > 1;
}

/* A file that nobody else sees. */
static int open_file(void)
{
	char path[] = "/tmp/tracesh-test-XXXXXX";
	int fd = mkstemp(path);

	assert_true(fd >= 0);
	unlink(path);
	return fd;
}

static void add_line(struct tsh_out *out, int i)
{
	char text[LINE_BYTES + 1];

	snprintf(text, sizeof(text), "%0100d\n", i);
	tsh_out_text(out, text, LINE_BYTES);
	tsh_out_add_event(out);
}

/* So many lines, from the first on, and nothing behind them. */
static void check_lines(int fd, int n)
{
	char text[LINE_BYTES + 1], expected[LINE_BYTES + 1];
	struct stat st;
	int i;

	assert_int_equal(fstat(fd, &st), 0);
	assert_int_equal(st.st_size, (off_t)n * LINE_BYTES);
	for (i = 0; i < n; i++) {
		snprintf(expected, sizeof(expected), "%0100d\n", i);
		assert_int_equal(pread(fd, text, LINE_BYTES, (off_t)i * LINE_BYTES), LINE_BYTES);
		assert_memory_equal(text, expected, LINE_BYTES);
	}
}

static void test_order(void **state)
{
	struct tsh_err err = { 0 };
	struct tsh_out out;
	int fd = open_file(), i;

	(void)state;
	tsh_out_init(&out, fd, TSH_FORMAT_TEXT);
	for (i = 0; i < LINES; i++) {
		add_line(&out, i);
		/* the ticks of a stream */
		if (i % 1000 == 999)
			assert_int_equal(tsh_out_write_some(&out), 0);
		/* what is written is forgotten, but for what the buffers hold */
		assert_true(out.ends.n * LINE_BYTES < 4 * (262144 + 65536));
	}
	assert_int_equal(out.writer != NULL, has_cpus());
	assert_int_equal(tsh_out_flush(&out), 0);
	assert_null(out.writer);
	assert_int_equal(out.bytes, LINES * LINE_BYTES);
	check_lines(fd, LINES);
	/* once more, behind it */
	for (; i < LINES + 2000; i++)
		add_line(&out, i);
	assert_int_equal(out.writer != NULL, has_cpus());
	assert_int_equal(tsh_out_finish(&out, &err), 0);
	assert_int_equal(out.bytes, (LINES + 2000) * LINE_BYTES);
	assert_int_equal(out.unprinted, 0);
	check_lines(fd, LINES + 2000);
	tsh_out_release(&out);
	close(fd);
}

static void test_release(void **state)
{
	struct tsh_out out;
	int fd = open_file(), i;

	(void)state;
	tsh_out_init(&out, fd, TSH_FORMAT_TEXT);
	for (i = 0; i < 2000; i++)
		add_line(&out, i);
	(void)tsh_out_write_some(&out);
	tsh_out_release(&out);
	check_lines(fd, 2000);
	close(fd);
}

/* A limit that a write in the middle reaches: what fits is there, and counted. */
static void test_no_room(void **state)
{
	struct rlimit before, limit;
	struct tsh_err err = { 0 };
	struct tsh_out out;
	struct stat st;
	int fd = open_file(), i;

	(void)state;
	signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
	limit = before;
	limit.rlim_cur = LIMIT;
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
	tsh_out_init(&out, fd, TSH_FORMAT_TEXT);
	for (i = 0; i < LINES; i++)
		add_line(&out, i);
	assert_int_equal(tsh_out_flush(&out), -EFBIG);
	assert_null(out.writer);
	assert_int_equal(out.bytes, LIMIT);
	/* of the last one there is a part */
	assert_int_equal(out.unprinted, LINES - LIMIT / LINE_BYTES);
	/* it stays an error, nothing more is written, and nothing piles up */
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
	for (i = 0; i < 2000; i++)
		add_line(&out, i);
	assert_null(out.writer);
	assert_true(out.data.len <= 65536);
	assert_int_equal(tsh_out_finish(&out, &err), -1);
	assert_string_equal(err.message, "cannot write to standard output: File too large");
	assert_int_equal(fstat(fd, &st), 0);
	assert_int_equal(st.st_size, LIMIT);
	assert_int_equal(out.bytes, LIMIT);
	assert_int_equal(out.unprinted, LINES + 2000 - LIMIT / LINE_BYTES);
	tsh_err_release(&err);
	tsh_out_release(&out);
	close(fd);
}

/* Where it would not pay. */
static void test_alone(void **state)
{
	cpu_set_t before, one;
	struct tsh_out out;
	int fds[3], fd = open_file(), i, k;

	(void)state;
	fds[0] = open("/dev/null", O_WRONLY | O_CLOEXEC);
	fds[1] = fds[2] = fd;
	assert_int_equal(sched_getaffinity(0, sizeof(before), &before), 0);
	for (k = 0; k < 3; k++) {
		/* a whole buffer; one CPU; not even a buffer */
		if (k == 1) {
			CPU_ZERO(&one);
			for (i = 0; !CPU_ISSET(i, &before); i++)
				;
			CPU_SET(i, &one);
			assert_int_equal(sched_setaffinity(0, sizeof(one), &one), 0);
		}
		tsh_out_init(&out, fds[k], TSH_FORMAT_TEXT);
		for (i = 0; i < (k == 2 ? 600 : 2000); i++)
			add_line(&out, i);
		assert_null(out.writer);
		assert_int_equal(tsh_out_flush(&out), 0);
		assert_int_equal(out.bytes, i * LINE_BYTES);
		tsh_out_release(&out);
		assert_int_equal(sched_setaffinity(0, sizeof(before), &before), 0);
	}
	close(fds[0]);
	close(fd);
}

/* The signals that this thread waits for must not go to the other one. */
static void test_signals(void **state)
{
	char path[300], line[128];
	unsigned long long blocked;
	struct dirent *entry;
	struct tsh_out out;
	int fd = open_file(), others = 0, i;
	FILE *f;
	DIR *d;

	(void)state;
	if (!has_cpus())
		skip();
	tsh_out_init(&out, fd, TSH_FORMAT_TEXT);
	for (i = 0; i < 2000; i++)
		add_line(&out, i);
	d = opendir("/proc/self/task");
	while (d && (entry = readdir(d))) {
		if (entry->d_name[0] == '.' || atoi(entry->d_name) == (int)getpid())
			continue;
		snprintf(path, sizeof(path), "/proc/self/task/%s/status", entry->d_name);
		f = fopen(path, "r");
		while (f && fgets(line, sizeof(line), f)) {
			if (sscanf(line, "SigBlk: %llx", &blocked) != 1)
				continue;
			others++;
			for (i = 1; i < 32; i++)
				if (i != SIGKILL && i != SIGSTOP)
					assert_true(blocked >> (i - 1) & 1);
		}
		if (f)
			fclose(f);
	}
	if (d)
		closedir(d);
	assert_true(others >= 1 || !d);
	tsh_out_release(&out);
	close(fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_order),
		cmocka_unit_test(test_release),
		cmocka_unit_test(test_no_room),
		cmocka_unit_test(test_alone),
		cmocka_unit_test(test_signals),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
