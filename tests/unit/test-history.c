/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "session/history.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/strbuf.h"
#include "base/xmalloc.h"

/* A state directory of this test's own. */
struct place {
	char dir[64];
	char *folder;
	char *file;
};

static int make_place(void **state)
{
	struct place *p = tsh_xcalloc(1, sizeof(*p));

	strcpy(p->dir, "/tmp/tracesh-history.XXXXXX");
	assert_non_null(mkdtemp(p->dir));
	p->folder = tsh_xasprintf("%s/tracesh", p->dir);
	p->file = tsh_xasprintf("%s/history", p->folder);
	assert_int_equal(setenv("XDG_STATE_HOME", p->dir, 1), 0);
	*state = p;
	return 0;
}

static int remove_place(void **state)
{
	struct place *p = *state;

	unlink(p->file);
	rmdir(p->folder);
	rmdir(p->dir);
	free(p->folder);
	free(p->file);
	free(p);
	return 0;
}

static void write_file(const struct place *p, const char *text)
{
	int fd;

	mkdir(p->folder, 0700);
	fd = open(p->file, O_WRONLY | O_CREAT | O_TRUNC, 0600);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	close(fd);
}

static void expect_file(const struct place *p, const char *want)
{
	struct tsh_strbuf text = TSH_STRBUF_INIT;
	int fd = open(p->file, O_RDONLY);

	assert_true(fd >= 0);
	assert_true(tsh_strbuf_read(&text, fd, 1 << 20) >= 0);
	close(fd);
	assert_string_equal(text.buf, want);
	tsh_strbuf_release(&text);
}

static void open_history(struct tsh_history *h, bool write)
{
	struct tsh_err err = { 0 };

	assert_int_equal(tsh_history_open(h, write, &err), 0);
	assert_false(tsh_err_is_set(&err));
}

/* `want`: the lines with a '|' behind each */
static void expect_lines(const struct tsh_history *h, const char *want)
{
	struct tsh_strbuf text = TSH_STRBUF_INIT;
	size_t i;

	for (i = 0; i < h->lines.n; i++)
		tsh_strbuf_addf(&text, "%s|", h->lines.v[i]);
	assert_string_equal(text.buf, want);
	tsh_strbuf_release(&text);
}

static void add(struct tsh_history *h, const char *line, bool kept)
{
	struct tsh_err err = { 0 };

	assert_int_equal(tsh_history_add(h, line, &err), kept);
	assert_false(tsh_err_is_set(&err));
}

static void test_add(void **state)
{
	const struct place *p = *state;
	struct tsh_history h, next;

	open_history(&h, true);
	add(&h, "a", true);
	add(&h, "b", true);
	add(&h, "b", true);
	add(&h, "a", true);
	add(&h, "", false);
	add(&h, " secret", false);
	add(&h, "\tsecret", false);
	add(&h, "let x = '1\n2\n\n3'", true);
	expect_lines(&h, "b|a|let x = '1\n2\n\n3'|");
	/* what was typed twice in a row stands there once */
	expect_file(p, "a\nb\na\nlet x = '1\n\t2\n\t\n\t3'\n");
	open_history(&next, false);
	expect_lines(&next, "b|a|let x = '1\n2\n\n3'|");
	tsh_history_release(&next);
	tsh_history_release(&h);
}

static void test_file(void **state)
{
	const struct place *p = *state;
	struct tsh_history h;

	write_file(p, "\tbegins with nothing\n\n\na\n\tmore\nb\nhalf");
	open_history(&h, true);
	expect_lines(&h, "a\nmore|b|half|");
	add(&h, "c", true);
	expect_file(p, "\tbegins with nothing\n\n\na\n\tmore\nb\nhalf\nc\n");
	tsh_history_release(&h);
}

static void test_reads_only(void **state)
{
	const struct place *p = *state;
	struct tsh_history h;

	open_history(&h, false);
	expect_lines(&h, "");
	assert_null(h.path);
	add(&h, "a", true);
	assert_int_equal(access(p->folder, F_OK), -1);
	tsh_history_release(&h);
}

/* More than is kept: the newest, in memory and, once it has grown to twice that, in the file. */
static void test_many(void **state)
{
	const struct place *p = *state;
	struct tsh_strbuf text = TSH_STRBUF_INIT;
	struct tsh_history h;
	struct stat before, after;
	unsigned int i;

	for (i = 0; i < 2 * TSH_HISTORY_MAX; i++)
		tsh_strbuf_addf(&text, "command %u\n", i);
	write_file(p, text.buf);
	assert_int_equal(stat(p->file, &before), 0);
	open_history(&h, true);
	assert_int_equal(h.lines.n, TSH_HISTORY_MAX);
	assert_string_equal(h.lines.v[0], "command 2000");
	assert_int_equal(stat(p->file, &after), 0);
	assert_int_equal(after.st_size, before.st_size);
	add(&h, "the last", true);
	assert_int_equal(h.lines.n, TSH_HISTORY_MAX);
	assert_string_equal(h.lines.v[0], "command 2001");
	tsh_history_release(&h);
	open_history(&h, true);
	assert_string_equal(h.lines.v[0], "command 2001");
	assert_string_equal(h.lines.v[TSH_HISTORY_MAX - 1], "the last");
	assert_int_equal(stat(p->file, &after), 0);
	assert_true(after.st_size < before.st_size * 2 / 3);
	assert_int_equal(after.st_mode & 0777, 0600);
	tsh_history_release(&h);
	tsh_strbuf_release(&text);
}

static void test_long_line(void **state)
{
	struct tsh_history h;
	char *line = tsh_xcalloc(1, 20001);

	(void)state;
	memset(line, 'x', 16384);
	open_history(&h, true);
	add(&h, line, true);
	memset(line, 'x', 16385);
	add(&h, line, false);
	assert_int_equal(h.lines.n, 1);
	tsh_history_release(&h);
	free(line);
}

/* It goes on in memory, and says so once. */
static void test_refused(void **state)
{
	const struct place *p = *state;
	struct tsh_err err = { 0 };
	struct tsh_history h;
	char *second = tsh_xasprintf("%s/second", p->folder);

	write_file(p, "a\n");
	assert_int_equal(link(p->file, second), 0);
	assert_int_equal(tsh_history_open(&h, true, &err), -1);
	assert_non_null(strstr(err.message, "second hard link"));
	tsh_err_release(&err);
	add(&h, "b", true);
	expect_lines(&h, "b|");
	expect_file(p, "a\n");
	tsh_history_release(&h);
	unlink(second);
	/* while it is in use */
	open_history(&h, true);
	unlink(p->file);
	assert_int_equal(mkdir(p->file, 0700), 0);
	assert_true(tsh_history_add(&h, "c", &err));
	assert_true(tsh_err_is_set(&err));
	tsh_err_release(&err);
	add(&h, "d", true);
	expect_lines(&h, "a|c|d|");
	tsh_history_release(&h);
	rmdir(p->file);
	free(second);
}

/* Two sessions on one file. */
static void test_refresh(void **state)
{
	const struct place *p = *state;
	struct tsh_history a, b;

	open_history(&a, true);
	open_history(&b, true);
	assert_false(tsh_history_refresh(&a));
	add(&a, "one", true);
	assert_false(tsh_history_refresh(&a));
	assert_true(tsh_history_refresh(&b));
	expect_lines(&b, "one|");
	add(&b, "two", true);
	/* the last one of a, but not of the file */
	add(&a, "one", true);
	expect_file(p, "one\ntwo\none\n");
	assert_true(tsh_history_refresh(&a));
	expect_lines(&a, "two|one|");
	assert_false(tsh_history_refresh(&a));
	assert_true(tsh_history_refresh(&b));
	expect_lines(&b, "two|one|");
	/* what cannot be read, or is gone, takes nothing away */
	assert_int_equal(chmod(p->folder, 0700), 0);
	assert_int_equal(unlink(p->file), 0);
	assert_false(tsh_history_refresh(&a));
	assert_int_equal(mkdir(p->file, 0700), 0);
	assert_false(tsh_history_refresh(&a));
	expect_lines(&a, "two|one|");
	assert_int_equal(rmdir(p->file), 0);
	/* another file in its place */
	write_file(p, "three\n");
	assert_true(tsh_history_refresh(&a));
	expect_lines(&a, "three|");
	tsh_history_release(&a);
	tsh_history_release(&b);
}

#define AT_A_PLACE(test) cmocka_unit_test_setup_teardown(test, make_place, remove_place)

int main(void)
{
	const struct CMUnitTest tests[] = {
		AT_A_PLACE(test_add), AT_A_PLACE(test_file), AT_A_PLACE(test_reads_only),
		AT_A_PLACE(test_many), AT_A_PLACE(test_long_line), AT_A_PLACE(test_refused),
		AT_A_PLACE(test_refresh),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
