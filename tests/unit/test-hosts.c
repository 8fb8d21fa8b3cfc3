/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "outputs.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/xmalloc.h"
#include "engine/hosts/merge.h"

/* Merges two files, in each format, with the sums at the end. */

#define START(host) \
	"{\"type\":\"start\",\"format\":1,\"host\":\"" host "\",\"boot_id\":\"b-" host "\",\"kernel\":\"6.1.0\"," \
	"\"instance\":\"own\",\"clock\":\"boot\",\"error_ns\":18}\n"
#define EVENT(second, comm) \
	"{\"type\":\"event\",\"time\":\"2024-01-02T22:47:0" second "+00:00\",\"ts\":\"90\",\"error_ns\":18,\"cpu\":1," \
	"\"pid\":7,\"tgid\":6,\"comm\":\"" comm "\",\"flags\":\"d..2.\",\"event\":\"sched:sched_waking\"," \
	"\"fields\":{\"comm\":\"x y\",\"pid\":5,\"args\":[1,2]}}\n"
#define LOST(second) "{\"type\":\"lost\",\"time\":\"2024-01-02T22:47:0" second "+00:00\",\"cpu\":1,\"count\":21}\n"
#define END "{\"type\":\"end\",\"events\":2,\"lost\":0,\"seconds\":2.000123}\n"

static const char red[] = START("red") EVENT("1.1", "one") EVENT("3.1", "three") END;
static const char blue[] = START("blue") EVENT("2.1", "two") LOST("2.2") "no JSON\n";

struct fixture {
	char paths[2][40];
	struct tsh_out out;
	struct tsh_session s;
};

static void write_file(char *path, const char *text)
{
	int fd;

	strcpy(path, "/tmp/tracesh-hosts.XXXXXX");
	fd = mkstemp(path);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), (ssize_t)strlen(text));
	close(fd);
}

static void open_fixture(struct fixture *f, enum tsh_format format)
{
	memset(f, 0, sizeof(*f));
	write_file(f->paths[0], red);
	write_file(f->paths[1], blue);
	tsh_out_init(&f->out, -1, format);
	f->out.quiet = true;
	f->s.out = &f->out;
	f->s.settings.time = TSH_TIME_UTC;
}

static void close_fixture(struct fixture *f)
{
	unlink(f->paths[0]);
	unlink(f->paths[1]);
}

static void merge(enum tsh_format format, const uint64_t *limit, const char *expected)
{
	const struct tsh_merge_spec spec = {
		.limit = limit, .delay_ns = TSH_MERGE_DELAY_NS, .room = TSH_MERGE_ROOM,
	};
	struct tsh_range range = { .is_on = false };
	struct tsh_err err = { 0 };
	struct tsh_value files[2];
	struct tsh_merge *m;
	struct fixture f;
	size_t i;

	open_fixture(&f, format);
	m = tsh_merge_new(&f.s, &spec);
	for (i = 0; i < SIZE(files); i++) {
		files[i] = (struct tsh_value){ .word = { .text = f.paths[i], .len = strlen(f.paths[i]) } };
		assert_int_equal(tsh_merge_add(m, &files[i], &err), 0);
	}
	/* each file once */
	assert_int_equal(tsh_merge_add(m, &files[1], &err), -1);
	assert_int_equal(err.status, TSH_FAILED);
	tsh_err_release(&err);
	assert_int_equal(tsh_merge_run(m, &range, &err), 0);
	tsh_merge_free(m);
	close_fixture(&f);
	check_data(&f.out, expected);
}

static void test_merge(void **state)
{
	static const uint64_t one = 1;

	(void)state;
	merge(TSH_FORMAT_CSV, NULL,
		"host,time,ts,error_ns,cpu,pid,tgid,comm,flags,event,text\n"
		"red,2024-01-02T22:47:01.100000Z,90,518,1,7,6,one,d..2.,sched:sched_waking,\"comm=x y pid=5 args={1,"
		"2}\"\n"
		"blue,2024-01-02T22:47:02.100000Z,90,518,1,7,6,two,d..2.,sched:sched_waking,\"comm=x y pid=5 args={1,"
		"2}\"\n"
		"blue,2024-01-02T22:47:02.200000Z,,,1,,,,,lost,21\n"
		"red,2024-01-02T22:47:03.100000Z,90,518,1,7,6,three,d..2.,sched:sched_waking,"
		"\"comm=x y pid=5 args={1,2}\"\n");
	merge(TSH_FORMAT_CSV, &one,
		"host,time,ts,error_ns,cpu,pid,tgid,comm,flags,event,text\n"
		"red,2024-01-02T22:47:01.100000Z,90,518,1,7,6,one,d..2.,sched:sched_waking,\"comm=x y pid=5 args={1,"
		"2}\"\n");
	merge(TSH_FORMAT_JSON, NULL,
		"{\"host\":\"red\",\"type\":\"start\",\"format\":1,\"boot_id\":\"b-red\",\"kernel\":\"6.1.0\","
		"\"instance\":\"own\",\"clock\":\"boot\",\"error_ns\":18}\n"
		"{\"host\":\"blue\",\"type\":\"start\",\"format\":1,\"boot_id\":\"b-blue\",\"kernel\":\"6.1.0\","
		"\"instance\":\"own\",\"clock\":\"boot\",\"error_ns\":18}\n"
		"{\"host\":\"red\",\"type\":\"event\",\"time\":\"2024-01-02T22:47:01.1+00:00\",\"ts\":\"90\","
		"\"error_ns\":18,\"cpu\":1,\"pid\":7,\"tgid\":6,\"comm\":\"one\",\"flags\":\"d..2.\","
		"\"event\":\"sched:sched_waking\",\"fields\":{\"comm\":\"x y\",\"pid\":5,\"args\":[1,2]}}\n"
		"{\"host\":\"blue\",\"type\":\"event\",\"time\":\"2024-01-02T22:47:02.1+00:00\",\"ts\":\"90\","
		"\"error_ns\":18,\"cpu\":1,\"pid\":7,\"tgid\":6,\"comm\":\"two\",\"flags\":\"d..2.\","
		"\"event\":\"sched:sched_waking\",\"fields\":{\"comm\":\"x y\",\"pid\":5,\"args\":[1,2]}}\n"
		"{\"host\":\"blue\",\"type\":\"lost\",\"time\":\"2024-01-02T22:47:02.2+00:00\",\"cpu\":1,"
		"\"count\":21}\n"
		"{\"host\":\"red\",\"type\":\"event\",\"time\":\"2024-01-02T22:47:03.1+00:00\",\"ts\":\"90\","
		"\"error_ns\":18,\"cpu\":1,\"pid\":7,\"tgid\":6,\"comm\":\"three\",\"flags\":\"d..2.\","
		"\"event\":\"sched:sched_waking\",\"fields\":{\"comm\":\"x y\",\"pid\":5,\"args\":[1,2]}}\n"
		"{\"host\":\"red\",\"type\":\"end\",\"events\":2,\"lost\":0,\"seconds\":2.000123}\n"
		"{\"type\":\"merged\",\"events\":3,\"lost\":21,\"unordered\":0,\"late\":0,\"cut\":1,\"bad_lines\":1,"
		"\"hosts\":[{\"host\":\"red\",\"events\":2,\"lost\":0,\"unordered\":0,\"late\":0,\"cut\":0,"
		"\"seconds\":2.000123},{\"host\":\"blue\",\"events\":1,\"lost\":21,\"unordered\":0,\"late\":0,"
		"\"cut\":1,\"seconds\":0.000000}]}\n");
}

/* What is no JSON of tracesh is blamed where nothing else was read. */
static void test_nothing(void **state)
{
	const struct tsh_merge_spec spec = { .delay_ns = TSH_MERGE_DELAY_NS, .room = TSH_MERGE_ROOM };
	struct tsh_value file = { .word = { .span = { 6, 9 } } };
	struct tsh_range range = { .is_on = false };
	struct tsh_err err = { 0 };
	struct tsh_merge *m;
	struct fixture f;

	(void)state;
	open_fixture(&f, TSH_FORMAT_CSV);
	unlink(f.paths[0]);
	write_file(f.paths[0], "neither\n");
	file.word.text = f.paths[0];
	file.word.len = strlen(f.paths[0]);
	m = tsh_merge_new(&f.s, &spec);
	assert_int_equal(tsh_merge_add(m, &file, &err), 0);
	assert_int_equal(tsh_merge_run(m, &range, &err), -1);
	assert_string_equal(err.message, "no line is one of tracesh's JSON");
	assert_int_equal(err.span.begin, 6);
	assert_int_equal(err.span.end, 9);
	tsh_err_release(&err);
	tsh_merge_free(m);
	tsh_out_release(&f.out);
	close_fixture(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_merge),
		cmocka_unit_test(test_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
