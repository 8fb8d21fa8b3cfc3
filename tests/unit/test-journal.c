/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "kernel/journal/file.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "kernel/journal/journal.h"

/* The journal's file: what is written into it, and what is read out of it again. */

/* The CRC-32 of zlib, a second time and the long way round. */
static uint32_t crc_of(const char *text, size_t len)
{
	uint32_t crc = 0xffffffff;
	size_t i;
	int bit;

	for (i = 0; i < len; i++)
		for (bit = 0; bit < 8; bit++) {
			uint32_t mix = (crc ^ (uint32_t)((unsigned char)text[i] >> bit)) & 1;

			crc >>= 1;
			if (mix)
				crc ^= 0xedb88320;
		}
	return crc ^ 0xffffffff;
}

static void add_line(struct tsh_strbuf *out, const char *record)
{
	tsh_strbuf_addf(out, "%08x\t%s\n", crc_of(record, strlen(record)), record);
}

#define HEADER "tracesh-journal\t1\tboot-id\t4711\t99\t1700000000000000000\t13"

static const char *const session[] = {
	HEADER,
	"command\t1\t1700000000000000001\tenable sched if x == 'a\\x09b'",
	"write\t1\t1\t\\N\tevents/sched/sched_switch/enable\tset\t0\t1",
	"done\t1\t1",
	"mkdir\t2\t1\tlat\tuser",
	"done\t2\t12345",
	"mkdir\t3\t1\ttracesh-4711-1\town",
	"write\t4\t1\tlat\tset_event_pid\tset\t1\\x0a2\t3\t12345",
};

static struct tsh_journal *parse(const struct tsh_strbuf *text)
{
	struct tsh_journal_owner owner;
	struct tsh_err err = { 0 };
	struct tsh_journal *j = NULL;

	if (tsh_journal_parse(text->buf, text->len, &owner, &j, &err) < 0) {
		assert_non_null(err.message);
		tsh_err_release(&err);
		return NULL;
	}
	assert_int_equal(owner.pid, 4711);
	assert_int_equal(owner.starttime, 99);
	assert_int_equal(owner.device, 13);
	assert_string_equal(owner.boot_id, "boot-id");
	return j;
}

static void make_session(struct tsh_strbuf *out)
{
	size_t i;

	for (i = 0; i < sizeof(session) / sizeof(session[0]); i++)
		add_line(out, session[i]);
}

static void test_reads_a_session(void **state)
{
	struct tsh_strbuf text = TSH_STRBUF_INIT;
	struct tsh_journal *j;

	(void)state;
	make_session(&text);
	j = parse(&text);
	assert_non_null(j);
	assert_false(j->damaged);
	assert_int_equal(j->entries.n, 4);
	assert_int_equal(tsh_journal_count_settings(j), 3);
	assert_int_equal(tsh_journal_count_commands(j), 1);
	assert_string_equal(tsh_journal_command(j, 1)->text, "enable sched if x == 'a\tb'");
	assert_null(j->entries.v[0].instance);
	assert_string_equal(j->entries.v[0].after, "1");
	assert_int_equal(j->entries.v[1].op, TSH_JOURNAL_MKDIR);
	assert_true(j->entries.v[2].own);
	assert_string_equal(j->entries.v[3].before, "1\n2");
	assert_null(j->entries.v[3].after);
	tsh_journal_free(j);
	tsh_strbuf_release(&text);
}

static void test_what_is_gone(void **state)
{
	struct tsh_strbuf text = TSH_STRBUF_INIT;
	struct tsh_journal *j;

	(void)state;
	make_session(&text);
	add_line(&text, "gone\t4");
	add_line(&text, "keep");
	j = parse(&text);
	assert_false(j->damaged);
	/* what was kept is no matter of ours, an instance of its own is */
	assert_int_equal(j->entries.n, 1);
	assert_true(j->entries.v[0].own);
	tsh_journal_free(j);
	tsh_strbuf_release(&text);
}

/* What keep leaves is still to be taken back, and kept by the next one. */
static void test_what_keep_leaves(void **state)
{
	struct tsh_strbuf text = TSH_STRBUF_INIT;
	struct tsh_journal *j;

	(void)state;
	make_session(&text);
	add_line(&text, "keep\t1 4 7");
	j = parse(&text);
	assert_false(j->damaged);
	assert_int_equal(j->entries.n, 3);
	assert_int_equal(j->entries.v[0].number, 1);
	assert_true(j->entries.v[1].own);
	assert_int_equal(j->entries.v[2].number, 4);
	tsh_journal_free(j);
	add_line(&text, "keep");
	j = parse(&text);
	assert_int_equal(j->entries.n, 1);
	tsh_journal_free(j);
	add_line(&text, "keep\tall");
	j = parse(&text);
	assert_true(j->damaged);
	tsh_journal_free(j);
	tsh_strbuf_release(&text);
}

/* Cut anywhere, it is a prefix of the records, and only a whole line counts. Half a line is said. */
static void test_every_length(void **state)
{
	struct tsh_strbuf text = TSH_STRBUF_INIT, piece = TSH_STRBUF_INIT;
	size_t len, lines;

	(void)state;
	make_session(&text);
	for (len = 0; len <= text.len; len++) {
		struct tsh_journal *j;
		size_t i;

		tsh_strbuf_clear(&piece);
		tsh_strbuf_add(&piece, text.buf, len);
		for (lines = i = 0; i < len; i++)
			lines += text.buf[i] == '\n';
		j = parse(&piece);
		assert_int_equal(j != NULL, lines > 0);
		if (!j)
			continue;
		assert_int_equal(j->damaged, piece.buf[len - 1] != '\n');
		assert_int_equal(j->entries.n, (lines > 2) + (lines > 4) + (lines > 6) + (lines > 7));
		tsh_journal_free(j);
	}
	tsh_strbuf_release(&text);
	tsh_strbuf_release(&piece);
}

/* A write that was killed ends where a page does, and its setting was not made. */
static void test_torn_at_a_page(void **state)
{
	struct tsh_strbuf text = TSH_STRBUF_INIT, record = TSH_STRBUF_INIT;
	struct tsh_journal *j;
	size_t len;

	(void)state;
	make_session(&text);
	tsh_strbuf_adds(&record, "write\t5\t1\t\\N\tevents/a/b/filter\tset\tnone\t");
	while (record.len < 9000)
		tsh_strbuf_adds(&record, "common_pid == 1 || ");
	add_line(&text, record.buf);
	for (len = 4000; len < text.len; len++) {
		struct tsh_strbuf piece = TSH_STRBUF_INIT;

		tsh_strbuf_add(&piece, text.buf, len);
		j = parse(&piece);
		assert_int_equal(j->damaged, len % 4096 != 0);
		assert_int_equal(j->entries.n, 4);
		tsh_journal_free(j);
		tsh_strbuf_release(&piece);
	}
	tsh_strbuf_release(&record);
	tsh_strbuf_release(&text);
}

/* What did not fit stands elsewhere, or comes later. */
static void test_cut(void **state)
{
	struct tsh_strbuf text = TSH_STRBUF_INIT;
	struct tsh_journal *j;

	(void)state;
	make_session(&text);
	add_line(&text, "cut");
	j = parse(&text);
	assert_true(j->cut);
	assert_false(j->damaged);
	assert_int_equal(j->entries.n, 4);
	tsh_journal_free(j);
	add_line(&text, "write\t5\t1\t\\N\ttracing_on\tset\t0\t1");
	add_line(&text, "whole");
	j = parse(&text);
	assert_false(j->cut);
	assert_false(j->damaged);
	assert_int_equal(j->entries.n, 5);
	tsh_journal_free(j);
	tsh_strbuf_release(&text);
}

/* Any bit that is turned is found, and is said. */
static void test_every_bit(void **state)
{
	struct tsh_strbuf text = TSH_STRBUF_INIT;
	size_t at;

	(void)state;
	make_session(&text);
	for (at = 0; at < text.len; at++) {
		char was = text.buf[at];
		struct tsh_journal *j;

		text.buf[at] = (char)(was ^ (1 << at % 8));
		j = parse(&text);
		if (j)
			assert_true(j->damaged);
		tsh_journal_free(j);
		text.buf[at] = was;
	}
	tsh_strbuf_release(&text);
}

/* Whole lines with a good checksum that nobody of ours has written: what is behind them counts. */
static void test_forged_records(void **state)
{
	static const char *const forged[] = {
		"write\t9\t1\t../..\tetc/passwd\tset\tx\ty",
		"write\t9\t1\t..\tset_event\tset\tx\ty",
		"write\t9\t1\t\\N\ttracing_on\tset\t0",
		"write\t9",
		"write\t0\t1\t\\N\ttracing_on\tset\t0\t1",
		"write\t2\t1\t\\N\ttracing_on\tset\t0\t1",
		"write\t99999999999\t1\t\\N\ttracing_on\tset\t0\t1",
		"write\t9\t1\t\\N\t\\N\tset\t0\t1",
		"write\t9\t1\t\\N\ttracing_on\t\\N\t0\t1",
		"write\t9\t1\t\\N\ttracing_on\txyz\t0\t1",
		"write\t9\t1\t\\N\ttracing_on\t\t0\t1",
		"inherit\t3000000000\t0\t\\N\ttracing_on\txyz\t0\t1\t0\t0\t1",
		"mkdir\t9\t1\t\\N\tuser",
		"mkdir\t9\t1\ta/b\tuser",
		"mkdir\t9\t1\tlat",
		"done\t77\tx",
		"gone\t77",
		"gone",
		"command\tx\ty\tz",
		"erase\t1",
		"",
		"\\N",
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(forged) / sizeof(forged[0]); i++) {
		struct tsh_strbuf text = TSH_STRBUF_INIT;
		struct tsh_journal *j;
	
		make_session(&text);
		add_line(&text, forged[i]);
		add_line(&text, "write\t20\t1\t\\N\ttracing_on\tset\t0\t1");
		j = parse(&text);
		assert_non_null(j);
		assert_true(j->damaged);
		assert_int_equal(j->entries.n, 5);
		assert_int_equal(j->entries.v[4].number, 20);
		tsh_journal_free(j);
		tsh_strbuf_release(&text);
	}
}

static void test_other_files(void **state)
{
	static const char *const headers[] = {
		"tracesh-journal\t2\tboot-id\t4711\t99\t1\t13",
		"tracesh-journal\t1\tboot-id\t4711\t99\t1",
		"tracesh-journal\t1\tan id that is much too long to be one of a boot\t1\t2\t3\t4",
		"tracesh-journal\t1\t\\N\t4711\t99\t1\t13",
		"tracesh-journal\t1\tboot-id\t-1\t99\t1\t13",
		"something else",
	};
	struct tsh_strbuf text = TSH_STRBUF_INIT;
	size_t i;

	(void)state;
	assert_null(parse(&text));
	for (i = 0; i < sizeof(headers) / sizeof(headers[0]); i++) {
		tsh_strbuf_clear(&text);
		add_line(&text, headers[i]);
		assert_null(parse(&text));
	}
	tsh_strbuf_release(&text);
}

static void limit_files(rlim_t size)
{
	struct rlimit limit;

	assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
	limit.rlim_cur = size;
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

static off_t size_of(int fd)
{
	struct stat st;

	assert_int_equal(fstat(fd, &st), 0);
	return st.st_size;
}

/* Half a line is cut off where the file ends there, and what another session has appended stays. */
static void test_half_a_line(void **state)
{
	char path[] = "/tmp/tracesh-unit-journal.XXXXXX";
	struct tsh_journal_log ours = { .fd = mkostemp(path, O_APPEND) };
	struct tsh_journal_log theirs = { .fd = open(path, O_RDWR | O_APPEND) };
	struct flock lock = { .l_type = F_WRLCK, .l_whence = SEEK_SET };
	struct tsh_strbuf line = TSH_STRBUF_INIT;
	off_t size;

	(void)state;
	assert_true(ours.fd >= 0 && theirs.fd >= 0);
	signal(SIGXFSZ, SIG_IGN);
	tsh_journal_line(&line, "done\t1\t1", strlen("done\t1\t1"));
	assert_int_equal(tsh_journal_log_append(&ours, &line), 0);
	assert_int_equal(tsh_journal_log_append(&theirs, &line), 0);
	size = size_of(ours.fd);
	assert_int_equal(size, 2 * line.len);
	limit_files((rlim_t)size + 3);
	tsh_journal_log_mark(&ours, "cut");
	assert_int_equal(size_of(ours.fd), size);
	assert_true(tsh_journal_log_append(&ours, &line) < 0);
	assert_int_equal(size_of(ours.fd), size);
	/* Another one is just appending: nothing is cut off. */
	assert_int_equal(fcntl(theirs.fd, F_OFD_SETLK, &lock), 0);
	tsh_journal_log_mark(&ours, "cut");
	assert_int_equal(size_of(ours.fd), size + 3);
	limit_files(RLIM_INFINITY);
	/* Nobody would find it there. */
	unlink(path);
	assert_int_equal(tsh_journal_log_append(&ours, &line), -ENOENT);
	close(ours.fd);
	close(theirs.fd);
	tsh_strbuf_release(&line);
}

/* A "keep" that the guard would not find behind the records in memory is no keep. */
static void test_keep_without_room(void **state)
{
	char path[] = "/tmp/tracesh-unit-journal.XXXXXX";
	struct tsh_journal *j = tsh_journal_new();
	struct tsh_journal_file *file = tsh_xcalloc(1, sizeof(*file));
	struct tsh_strbuf line = TSH_STRBUF_INIT;
	off_t size;

	(void)state;
	j->file = file;
	file->disk.fd = mkostemp(path, O_APPEND);
	file->memory = tsh_journal_memory_new();
	assert_true(file->disk.fd >= 0 && file->memory);
	tsh_journal_line(&line, "done\t1\t1", strlen("done\t1\t1"));
	assert_int_equal(tsh_journal_log_append(&file->disk, &line), 0);
	size = size_of(file->disk.fd);
	file->disk.cut = file->lost = true;
	assert_true(tsh_journal_memory_append(file->memory, &line));
	assert_int_equal(tsh_journal_file_commit(j, ""), -ENOSPC);
	assert_int_equal(size_of(file->disk.fd), size);
	/* Without a guard that reads the memory, the mark on the disk says all. */
	tsh_journal_memory_free(file->memory);
	file->memory = NULL;
	assert_int_equal(tsh_journal_file_commit(j, ""), 0);
	assert_true(size_of(file->disk.fd) > size);
	unlink(path);
	tsh_strbuf_release(&line);
	tsh_journal_free(j);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_reads_a_session),
		cmocka_unit_test(test_what_is_gone),
		cmocka_unit_test(test_what_keep_leaves),
		cmocka_unit_test(test_every_length),
		cmocka_unit_test(test_torn_at_a_page),
		cmocka_unit_test(test_cut),
		cmocka_unit_test(test_every_bit),
		cmocka_unit_test(test_forged_records),
		cmocka_unit_test(test_other_files),
		cmocka_unit_test(test_half_a_line),
		cmocka_unit_test(test_keep_without_room),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
