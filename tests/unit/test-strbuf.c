/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/strbuf.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/xmalloc.h"

static uint32_t seed;

/* The same numbers in every run. */
static uint32_t next_random(uint32_t below)
{
	seed = seed * 1664525 + 1013904223;
	return (seed >> 8) % below;
}

static void assert_content(const struct tsh_strbuf *sb, const void *want, size_t len)
{
	assert_non_null(sb->buf);
	assert_int_equal(sb->len, len);
	assert_memory_equal(sb->buf, want, len);
	assert_int_equal(sb->buf[len], '\0');
	if (sb->cap)
		assert_true(sb->cap > len);
	assert_int_equal(tsh_strbuf_empty[0], '\0');
}

static void test_empty(void **state)
{
	struct tsh_strbuf sb = TSH_STRBUF_INIT;
	char *text;

	(void)state;
	assert_content(&sb, "", 0);
	tsh_strbuf_clear(&sb);
	tsh_strbuf_truncate(&sb, 0);
	tsh_strbuf_truncate(&sb, 7);
	tsh_strbuf_rtrim(&sb);
	tsh_strbuf_grow(&sb, 0);
	tsh_strbuf_add(&sb, NULL, 0);
	tsh_strbuf_adds(&sb, "");
	tsh_strbuf_addn(&sb, 'x', 0);
	assert_content(&sb, "", 0);
	assert_ptr_equal(sb.buf, tsh_strbuf_empty);
	assert_int_equal(sb.cap, 0);

	text = tsh_strbuf_detach(&sb);
	assert_string_equal(text, "");
	assert_ptr_not_equal(text, tsh_strbuf_empty);
	free(text);
	tsh_strbuf_release(&sb);
	tsh_strbuf_release(&sb);
	assert_content(&sb, "", 0);
}

static void add_bytes(struct tsh_strbuf *sb)
{
	tsh_strbuf_add(sb, "a\0b", 3);
}

static void add_text(struct tsh_strbuf *sb)
{
	tsh_strbuf_adds(sb, "abc");
}

static void add_byte(struct tsh_strbuf *sb)
{
	tsh_strbuf_addc(sb, 'a');
}

static void add_many(struct tsh_strbuf *sb)
{
	tsh_strbuf_addn(sb, 'a', 100);
}

static void add_format(struct tsh_strbuf *sb)
{
	tsh_strbuf_addf(sb, "%s", "");
}

static void add_number(struct tsh_strbuf *sb)
{
	tsh_strbuf_addu(sb, 7);
}

static void grow_nothing(struct tsh_strbuf *sb)
{
	tsh_strbuf_grow(sb, 0);
}

static void add_nothing(struct tsh_strbuf *sb)
{
	tsh_strbuf_add(sb, NULL, 0);
}

static void test_zeroed(void **state)
{
	static void (*const functions[])(struct tsh_strbuf *) = {
		add_bytes, add_text, add_byte, add_many, add_format, add_number, grow_nothing,
		add_nothing, tsh_strbuf_clear, tsh_strbuf_init, tsh_strbuf_release,
	};
	static const size_t lengths[] = { 3, 3, 1, 100, 0, 1, 0, 0, 0, 0, 0 };
	struct tsh_strbuf sb;
	char *text;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(functions) / sizeof(functions[0]); i++) {
		memset(&sb, 0, sizeof(sb));
		functions[i](&sb);
		assert_non_null(sb.buf);
		assert_int_equal(sb.len, lengths[i]);
		assert_int_equal(sb.buf[sb.len], '\0');
		tsh_strbuf_release(&sb);
	}
	memset(&sb, 0, sizeof(sb));
	tsh_strbuf_truncate(&sb, 0);
	tsh_strbuf_rtrim(&sb);
	text = tsh_strbuf_detach(&sb);
	assert_string_equal(text, "");
	free(text);
}

static void test_clear_keeps_memory(void **state)
{
	struct tsh_strbuf sb = TSH_STRBUF_INIT;
	char *buf;

	(void)state;
	tsh_strbuf_addn(&sb, 'x', 1000);
	buf = sb.buf;
	tsh_strbuf_clear(&sb);
	assert_content(&sb, "", 0);
	tsh_strbuf_addn(&sb, 'y', 1000);
	assert_ptr_equal(sb.buf, buf);
	tsh_strbuf_release(&sb);
	assert_int_equal(sb.cap, 0);
}

static void test_detach(void **state)
{
	struct tsh_strbuf sb = TSH_STRBUF_INIT;
	char *text;

	(void)state;
	tsh_strbuf_adds(&sb, "mine");
	text = tsh_strbuf_detach(&sb);
	assert_string_equal(text, "mine");
	assert_content(&sb, "", 0);
	tsh_strbuf_adds(&sb, "other");
	assert_string_equal(text, "mine");
	free(text);
	tsh_strbuf_release(&sb);
}

static void test_addf(void **state)
{
	struct tsh_strbuf sb = TSH_STRBUF_INIT;
	char want[400];
	int width;

	(void)state;
	/* every length around the capacities, so that both attempts are taken */
	for (width = 1; width < 300; width++) {
		int len = snprintf(want, sizeof(want), "<%*d|%s>", width, -width, "tail");

		tsh_strbuf_release(&sb);
		tsh_strbuf_addf(&sb, "<%*d|%s>", width, -width, "tail");
		assert_content(&sb, want, (size_t)len);
		tsh_strbuf_addf(&sb, "%c", 'x');
		assert_int_equal(sb.buf[len], 'x');
	}
	tsh_strbuf_release(&sb);
}

static void test_addu(void **state)
{
	unsigned long long power = 1;
	char want[32];
	int i, step;

	(void)state;
	for (i = 0; i < 20; i++, power *= 10) {
		for (step = -11; step <= 11; step++) {
			struct tsh_strbuf sb = TSH_STRBUF_INIT;
			unsigned long long value = power + (unsigned long long)step;

			snprintf(want, sizeof(want), "%llu", value);
			tsh_strbuf_addu(&sb, value);
			assert_string_equal(sb.buf, want);
			tsh_strbuf_release(&sb);
		}
	}
}

static void test_addu_random(void **state)
{
	struct tsh_strbuf sb = TSH_STRBUF_INIT;
	char want[32];
	int i;

	(void)state;
	seed = 1;
	for (i = 0; i < 20000; i++) {
		unsigned long long value = next_random(1 << 24);

		value = (value << 40 ^ (unsigned long long)next_random(1 << 24) << 20 ^
			 next_random(1 << 24)) >> next_random(64);
		snprintf(want, sizeof(want), "%llu", value);
		tsh_strbuf_clear(&sb);
		tsh_strbuf_addu(&sb, value);
		assert_string_equal(sb.buf, want);
	}
	tsh_strbuf_clear(&sb);
	tsh_strbuf_addu(&sb, ULLONG_MAX);
	assert_string_equal(sb.buf, "18446744073709551615");
	tsh_strbuf_release(&sb);
}

static void test_cut(void **state)
{
	static const struct {
		const char *text;
		const char *want;
	} rows[] = {
		{ "", "" },	    { " ", "" },	   { "\n\t \n", "" },
		{ "a", "a" },	    { "a \t\n", "a" },	   { " a b ", " a b" },
		{ "a\r\n", "a\r" }, { "a\v ", "a\v" },	   { "a\n\nb\n\n", "a\n\nb" },
	};
	struct tsh_strbuf sb = TSH_STRBUF_INIT;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		tsh_strbuf_clear(&sb);
		tsh_strbuf_adds(&sb, rows[i].text);
		tsh_strbuf_rtrim(&sb);
		assert_content(&sb, rows[i].want, strlen(rows[i].want));
	}
	tsh_strbuf_clear(&sb);
	tsh_strbuf_adds(&sb, "abcdef");
	tsh_strbuf_truncate(&sb, 9);
	tsh_strbuf_truncate(&sb, 6);
	assert_content(&sb, "abcdef", 6);
	tsh_strbuf_truncate(&sb, 2);
	assert_content(&sb, "ab", 2);
	tsh_strbuf_truncate(&sb, 0);
	assert_content(&sb, "", 0);
	tsh_strbuf_release(&sb);
}

/* A long word, and a long text of short ones, lose their middles; characters stay whole. */
static void test_shorten(void **state)
{
	struct tsh_strbuf sb = TSH_STRBUF_INIT;
	size_t i;

	(void)state;
	tsh_strbuf_adds(&sb, "unknown command 'nosuch'");
	tsh_strbuf_shorten(&sb, 0);
	assert_content(&sb, "unknown command 'nosuch'", 24);
	tsh_strbuf_clear(&sb);
	tsh_strbuf_adds(&sb, "before '");
	tsh_strbuf_addn(&sb, 'y', 1000000);
	tsh_strbuf_adds(&sb, "': behind");
	tsh_strbuf_shorten(&sb, 0);
	assert_true(sb.len < 500);
	assert_memory_equal(sb.buf, "before 'yyy", 11);
	assert_non_null(strstr(sb.buf, "yyy [9996"));
	assert_non_null(strstr(sb.buf, " bytes more] yyy"));
	assert_string_equal(sb.buf + sb.len - 12, "yyy': behind");
	tsh_strbuf_clear(&sb);
	for (i = 0; i < 100000; i++)
		tsh_strbuf_adds(&sb, "\xc3\xa4 ");
	tsh_strbuf_shorten(&sb, 3);
	assert_true(sb.len < 2100);
	for (i = 0; i < sb.len; i++)
		assert_true((sb.buf[i] == '\xc3') == (sb.buf[i + 1] == '\xa4'));
	tsh_strbuf_clear(&sb);
	tsh_strbuf_addn(&sb, '\x80', 5000);
	tsh_strbuf_shorten(&sb, 0);
	assert_true(sb.len < 500);
	tsh_strbuf_release(&sb);
}

/* Random calls, compared with an array that is large enough. */
static void test_random(void **state)
{
	static char model[70000];
	char data[256];
	struct tsh_strbuf sb = { 0 };
	size_t n = 0;
	int i;

	(void)state;
	seed = 42;
	for (i = 0; i < 20000; i++) {
		size_t len = next_random(next_random(4) ? 8 : sizeof(data));
		size_t k;

		for (k = 0; k < len; k++)
			data[k] = (char)next_random(256);
		if (n > sizeof(model) - 2 * sizeof(data) || !next_random(500)) {
			tsh_strbuf_release(&sb);
			n = 0;
		}
		switch (next_random(6)) {
		case 0:
			tsh_strbuf_add(&sb, data, len);
			memcpy(model + n, data, len);
			n += len;
			break;
		case 1:
			tsh_strbuf_addc(&sb, data[0]);
			model[n++] = data[0];
			break;
		case 2:
			tsh_strbuf_addn(&sb, 'n', len);
			memset(model + n, 'n', len);
			n += len;
			break;
		case 3:
			tsh_strbuf_addu(&sb, len);
			n += (size_t)snprintf(model + n, 8, "%zu", len);
			break;
		case 4:
			tsh_strbuf_addf(&sb, "%-*s", (int)len, "f");
			n += (size_t)snprintf(model + n, sizeof(data), "%-*s", (int)len, "f");
			break;
		default:
			tsh_strbuf_grow(&sb, len);
			if (n > len / 2 && !next_random(4))
				n -= len / 2;
			tsh_strbuf_truncate(&sb, n);
		}
		assert_content(&sb, model, n);
	}
	tsh_strbuf_release(&sb);
}

static void exhaust_array(void)
{
	free(tsh_xreallocarray(NULL, SIZE_MAX / 2, 3));
}

static void exhaust_strbuf(void)
{
	struct tsh_strbuf sb = TSH_STRBUF_INIT;

	tsh_strbuf_adds(&sb, "abc");
	tsh_strbuf_grow(&sb, SIZE_MAX - 2);
	tsh_strbuf_release(&sb);
}

/* The end of a process that runs `body`, with what it wrote to stderr. */
static int end_of(void (*body)(void), char *text, size_t size)
{
	struct rlimit none = { 0, 0 };
	size_t len = 0;
	ssize_t n;
	int fds[2], status;
	pid_t pid;

	assert_int_equal(pipe(fds), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (!pid) {
		setrlimit(RLIMIT_CORE, &none);
		dup2(fds[1], STDERR_FILENO);
		close(fds[0]);
		signal(SIGABRT, SIG_DFL);
		body();
		_exit(0);
	}
	close(fds[1]);
	while ((n = read(fds[0], text + len, size - 1 - len)) > 0)
		len += (size_t)n;
	text[len] = '\0';
	close(fds[0]);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return status;
}

static void test_out_of_memory(void **state)
{
	char text[65536];
	int status;

	(void)state;
	status = end_of(exhaust_array, text, sizeof(text));
	assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
	assert_string_equal(text, "tracesh: out of memory\n");
	/* the address sanitizer ends this one in its own way */
	assert_int_not_equal(end_of(exhaust_strbuf, text, sizeof(text)), 0);
}

static void test_xmalloc(void **state)
{
	char *text;
	char *zeroes;
	size_t i;

	(void)state;
	free(tsh_xmalloc(0));
	free(tsh_xcalloc(0, 8));
	free(tsh_xcalloc(8, 0));
	free(tsh_xreallocarray(NULL, 0, 0));
	zeroes = tsh_xcalloc(3, 5);
	for (i = 0; i < 15; i++)
		assert_int_equal(zeroes[i], 0);
	zeroes = tsh_xreallocarray(zeroes, 100, 5);
	assert_int_equal(zeroes[14], 0);
	free(zeroes);
	text = tsh_xstrdup("");
	assert_string_equal(text, "");
	free(text);
	text = tsh_xstrndup("abcdef", 3);
	assert_string_equal(text, "abc");
	free(text);
	text = tsh_xstrndup("ab", 30);
	assert_string_equal(text, "ab");
	free(text);
	text = tsh_xasprintf("%s-%d-%100s", "x", -5, "y");
	assert_int_equal(strlen(text), 105);
	assert_memory_equal(text, "x--5-  ", 7);
	free(text);
}

/* A file with these bytes, at its beginning; it has no name. */
static int file_of(const void *data, size_t len)
{
	char path[] = "/tmp/test-strbuf-XXXXXX";
	int fd = mkstemp(path);

	assert_true(fd >= 0);
	assert_int_equal(unlink(path), 0);
	assert_int_equal(write(fd, data, len), len);
	assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
	return fd;
}

static void test_read(void **state)
{
	static char data[100000];
	struct tsh_strbuf sb = TSH_STRBUF_INIT;
	size_t i;
	int fd;

	(void)state;
	for (i = 0; i < sizeof(data); i++)
		data[i] = (char)(i * 7 + i / 256);
	fd = file_of(data, sizeof(data));
	tsh_strbuf_adds(&sb, "before");
	assert_int_equal(tsh_strbuf_read(&sb, fd, sizeof(data) + 6), 0);
	assert_int_equal(sb.len, sizeof(data) + 6);
	assert_memory_equal(sb.buf, "before", 6);
	assert_memory_equal(sb.buf + 6, data, sizeof(data));
	assert_int_equal(sb.buf[sb.len], '\0');

	/* At its end there is no more; from its middle there is the rest. */
	assert_int_equal(tsh_strbuf_read(&sb, fd, sizeof(data) + 6), 0);
	assert_int_equal(sb.len, sizeof(data) + 6);
	assert_int_equal(lseek(fd, 99000, SEEK_SET), 99000);
	tsh_strbuf_clear(&sb);
	assert_int_equal(tsh_strbuf_read(&sb, fd, 1000), 0);
	assert_content(&sb, data + 99000, 1000);

	assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
	tsh_strbuf_clear(&sb);
	assert_int_equal(tsh_strbuf_read(&sb, fd, sizeof(data) - 1), -EFBIG);
	assert_true(sb.len > sizeof(data) - 1);
	assert_int_equal(sb.buf[sb.len], '\0');
	close(fd);
	tsh_strbuf_release(&sb);
}

static void test_read_in_pieces(void **state)
{
	struct tsh_strbuf sb = TSH_STRBUF_INIT;
	int ends[2], i;
	pid_t child;

	(void)state;
	assert_int_equal(pipe(ends), 0);
	child = fork();
	assert_true(child >= 0);
	if (!child) {
		close(ends[0]);
		for (i = 0; i < 20000; i++)
			if (write(ends[1], "ab\n", 3) != 3)
				_exit(1);
		_exit(0);
	}
	close(ends[1]);
	assert_int_equal(tsh_strbuf_read(&sb, ends[0], 1 << 20), 0);
	assert_int_equal(waitpid(child, &i, 0), child);
	assert_int_equal(i, 0);
	assert_int_equal(sb.len, 60000);
	assert_memory_equal(sb.buf + 59997, "ab\n", 3);
	close(ends[0]);
	tsh_strbuf_release(&sb);
}

static void test_write_all(void **state)
{
	static char data[300000];
	struct tsh_strbuf sb = TSH_STRBUF_INIT;
	int ends[2], status;
	size_t i;
	pid_t child;

	(void)state;
	for (i = 0; i < sizeof(data); i++)
		data[i] = (char)(i * 13 + i / 256);
	assert_int_equal(pipe(ends), 0);
	child = fork();
	assert_true(child >= 0);
	if (!child) {
		close(ends[0]);
		_exit(tsh_write_all(ends[1], data, sizeof(data)) != 0);
	}
	close(ends[1]);
	assert_int_equal(tsh_strbuf_read(&sb, ends[0], sizeof(data)), 0);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	assert_content(&sb, data, sizeof(data));
	assert_int_equal(tsh_write_all(ends[0], data, 1), -EBADF);
	assert_int_equal(tsh_write_all(-1, data, 0), 0);
	close(ends[0]);
	tsh_strbuf_release(&sb);
}

static void test_read_fails(void **state)
{
	struct tsh_strbuf sb = TSH_STRBUF_INIT;
	int fd = file_of("x", 1);

	(void)state;
	tsh_strbuf_adds(&sb, "kept");
	close(fd);
	assert_int_equal(tsh_strbuf_read(&sb, fd, 10), -EBADF);
	assert_content(&sb, "kept", 4);
	fd = open("/", O_RDONLY);
	assert_int_equal(tsh_strbuf_read(&sb, fd, 10), -EISDIR);
	close(fd);
	assert_content(&sb, "kept", 4);
	tsh_strbuf_release(&sb);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_empty),
		cmocka_unit_test(test_zeroed),
		cmocka_unit_test(test_clear_keeps_memory),
		cmocka_unit_test(test_detach),
		cmocka_unit_test(test_addf),
		cmocka_unit_test(test_addu),
		cmocka_unit_test(test_addu_random),
		cmocka_unit_test(test_cut),
		cmocka_unit_test(test_shorten),
		cmocka_unit_test(test_random),
		cmocka_unit_test(test_out_of_memory),
		cmocka_unit_test(test_xmalloc),
		cmocka_unit_test(test_read),
		cmocka_unit_test(test_read_in_pieces),
		cmocka_unit_test(test_read_fails),
		cmocka_unit_test(test_write_all),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
