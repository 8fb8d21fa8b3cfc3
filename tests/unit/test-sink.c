/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sinks.h"

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

/* ---- text ---- */

static void test_text(void **state)
{
	struct record r = a_record(42, "n", "t");
	struct fixture f;

	(void)state;
	begin(&f, TSH_FORMAT_TEXT, TSH_TIME_WALL, false, "boot");
	put(&f, &r, STAMP, false);
	expect(&f, "# tracesh: instance top, clock boot, times local (+0800), error +-680 ns\n"
	       "          worker-42      [009] d..2. 2024-01-02 22:47:33.843825: all: " TEXT);
	put(&f, &r, STAMP - 1000, true);
	expect(&f, "          worker-42      [009] d..2. !2024-01-02 22:47:33.843824: all: " TEXT);
	tsh_sink_lost(&f.sink, 1, 21005, STAMP);
	tsh_sink_lost(&f.sink, 1, 1, STAMP);
	tsh_sink_lost(&f.sink, 1, TSH_LOST_UNKNOWN, STAMP);
	tsh_sink_skipped(&f.sink, 21005, 1, STAMP);
	tsh_sink_skipped(&f.sink, 1, 1, STAMP);
	tsh_sink_note(&f.sink, "a note\033");
	tsh_sink_end(&f.sink, &(struct tsh_stream_summary){ .events = 2 });
	expect(&f, "# cpu 1: 21005 events lost\n# cpu 1: 1 event lost\n"
	       "# cpu 1: events lost, count unknown\n"
	       "# 21,005 events skipped, the output is too slow\n"
	       "# 1 event skipped, the output is too slow\n# a note\\x1b\n");
	finish(&f);
}

static void test_text_tgid(void **state)
{
	struct record r = a_record(42, "n", "t");
	struct fixture f;

	(void)state;
	begin(&f, TSH_FORMAT_TEXT, TSH_TIME_NONE, false, "boot");
	f.sink.info.with_tgid = true;
	f.sink.info.with_migrate = false;
	put(&f, &r, STAMP, false);
	r.pid = 1234567;
	r.flags = 0;
	r.preempt = 0;
	put(&f, &r, STAMP, false);
	expect(&f, "# tracesh: instance top, clock boot, no times\n"
	       "          worker-42      (     40) [009] d..2 all: " TEXT
	       "           <...>-1234567 (-------) [009] .... all: " TEXT);
	finish(&f);
}

static void test_text_hostile(void **state)
{
	struct record r = a_record(1, "a\033[31mb", "line\nline");
	struct fixture f;

	(void)state;
	begin(&f, TSH_FORMAT_TEXT, TSH_TIME_UTC, true, "boot");
	put(&f, &r, STAMP, false);
	expect(&f, "# tracesh: instance top, clock boot, times UTC, error +-180 ns\n"
	       " x-1 [000] d...:-1       [009] d..2. 2024-01-02T14:47:33.843825123Z: all: i=-5 "
	       "bits=7 big=9007199254740993 name=a\\x1b[31mb text=line\\nline\n");
	r = a_record(2, "n", "t");
	put(&f, &r, STAMP, false);
	r.pid = 3;
	put(&f, &r, STAMP, false);
	r.pid = 4;
	put(&f, &r, STAMP, false);
	r.pid = 6;
	put(&f, &r, STAMP, false);
#define REST "       [009] d..2. 2024-01-02T14:47:33.843825123Z: all: " TEXT
	expect(&f, "     \\x1b[2Jgone-2" REST "    two\\nlines\\t-3" REST
	       "bad\\xff\\xc3(utf8-4" REST "\\u{202e}evil,\"q\"-6" REST);
	finish(&f);
}

static void test_text_days(void **state)
{
	const uint64_t day = UINT64_C(86400) * 1000000000;
	struct record r = a_record(42, "n", "t");
	struct fixture f;

	(void)state;
	begin(&f, TSH_FORMAT_TEXT, TSH_TIME_SHORT, false, "boot");
	put(&f, &r, STAMP, false);
	put(&f, &r, STAMP + day, false);
	expect(&f, "# tracesh: instance top, clock boot, times local (+0800), error +-680 ns\n"
	       "          worker-42      [009] d..2. 22:47:33.843825: all: " TEXT
	       "# 2024-01-03\n"
	       "          worker-42      [009] d..2. 22:47:33.843825: all: " TEXT);
	finish(&f);
}

static void test_zone(void **state)
{
	struct record r = a_record(42, "n", "t");
	struct fixture f;

	(void)state;
	begin(&f, TSH_FORMAT_TEXT, TSH_TIME_SHORT, false, "boot");
	f.sink.info.zone = "<+08>-8";
	put(&f, &r, STAMP, false);
	expect(&f, "# tracesh: instance top, clock boot, times <+08>-8 (+0800), error +-680 ns\n"
	       "          worker-42      [009] d..2. 22:47:33.843825: all: " TEXT);
	finish(&f);
}

/* What the six digits round away is part of it. */
static void test_show_error(void **state)
{
	struct record r = a_record(42, "n", "t");
	struct fixture f;

	(void)state;
	begin(&f, TSH_FORMAT_TEXT, TSH_TIME_SHORT, false, "boot");
	tsh_sink_show_error(&f.sink);
	put(&f, &r, STAMP, false);
	put(&f, &r, STAMP - 1000, true);
	expect(&f, "# tracesh: instance top, clock boot, times local (+0800), error +-680 ns\n"
	       "          worker-42      [009] d..2. 22:47:33.843825 +-680ns: all: " TEXT
	       "          worker-42      [009] d..2. !22:47:33.843824 +-680ns: all: " TEXT);
	finish(&f);
	begin(&f, TSH_FORMAT_TEXT, TSH_TIME_SHORT, true, "boot");
	tsh_sink_show_error(&f.sink);
	put(&f, &r, STAMP, false);
	expect(&f, "# tracesh: instance top, clock boot, times local (+0800), error +-180 ns\n"
	       "          worker-42      [009] d..2. 22:47:33.843825123 +-180ns: all: " TEXT);
	finish(&f);
	/* it grows with the age of an event by 500 ppm */
	begin(&f, TSH_FORMAT_TEXT, TSH_TIME_SHORT, true, "mono_raw");
	tsh_sink_show_error(&f.sink);
	tsh_sink_start(&f.sink);
	tsh_strbuf_clear(&f.out.data);
	put(&f, &r, STAMP, false);
	put(&f, &r, STAMP - 1000000, false);
	put(&f, &r, STAMP, false);
	expect(&f, "          worker-42      [009] d..2. 22:47:33.843825123 +-180ns: all: " TEXT
	       "          worker-42      [009] d..2. 22:47:33.842825123 +-682ns: all: " TEXT
	       "          worker-42      [009] d..2. 22:47:33.843825123 +-180ns: all: " TEXT);
	finish(&f);
}

/* No bound without a wall-clock time, and none where only the kernel's bytes may stand. */
static void test_show_no_error(void **state)
{
	static const struct {
		enum tsh_format format;
		enum tsh_time_style style;
		const char *clock;
	} cases[] = {
		{ TSH_FORMAT_TEXT, TSH_TIME_TRACE, "boot" },
		{ TSH_FORMAT_TEXT, TSH_TIME_REL, "boot" },
		{ TSH_FORMAT_TEXT, TSH_TIME_NONE, "boot" },
		{ TSH_FORMAT_TEXT, TSH_TIME_WALL, "counter" },
		{ TSH_FORMAT_KERNEL, TSH_TIME_WALL, "boot" },
		{ TSH_FORMAT_JSON, TSH_TIME_WALL, "boot" },
		{ TSH_FORMAT_CSV, TSH_TIME_WALL, "boot" },
	};
	struct record r = a_record(42, "n", "t");
	struct fixture f;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		begin(&f, cases[i].format, cases[i].style, false, cases[i].clock);
		tsh_sink_show_error(&f.sink);
		tsh_sink_start(&f.sink);
		tsh_strbuf_clear(&f.out.data);
		put(&f, &r, STAMP, false);
		assert_null(strstr(f.out.data.buf, "+-"));
		finish(&f);
	}
}

static void test_text_differences(void **state)
{
	struct record r = a_record(42, "n", "t");
	struct fixture f;

	(void)state;
	begin(&f, TSH_FORMAT_TEXT, TSH_TIME_DELTA, false, "boot");
	put(&f, &r, STAMP, false);
	put(&f, &r, STAMP + 1500000, false);
	expect(&f, "# tracesh: instance top, clock boot, times since the line before, "
	       "error +-680 ns\n"
	       "          worker-42      [009] d..2. 0.000000: all: " TEXT
	       "          worker-42      [009] d..2. 0.001500: all: " TEXT);
	finish(&f);
}

/* The line between is another task's. */
static void test_text_delta_task(void **state)
{
	struct record r = a_record(42, "n", "t"), idle = a_record(0, "n", "t");
	struct fixture f;

	(void)state;
	begin(&f, TSH_FORMAT_TEXT, TSH_TIME_DELTA_TASK, false, "boot");
	put(&f, &r, STAMP, false);
	put(&f, &idle, STAMP + 1000000, false);
	put(&f, &r, STAMP + 1500000, false);
	expect(&f, "# tracesh: instance top, clock boot, times since the line before of the same "
	       "task, error +-680 ns\n"
	       "          worker-42      [009] d..2. 0.000000: all: " TEXT
	       "          <idle>-0       [009] d..2. 0.000000: all: " TEXT
	       "          worker-42      [009] d..2. 0.001500: all: " TEXT);
	finish(&f);
	begin(&f, TSH_FORMAT_CSV, TSH_TIME_DELTA_CPU, false, "boot");
	tsh_sink_start(&f.sink);
	tsh_strbuf_clear(&f.out.data);
	tsh_sink_lost(&f.sink, 3, 1, STAMP);
	tsh_sink_lost(&f.sink, 3, 1, STAMP + 1000000);
	assert_non_null(strstr(f.out.data.buf, "\n0.001000,"));
	finish(&f);
	begin(&f, TSH_FORMAT_CSV, TSH_TIME_DELTA_TASK, false, "boot");
	tsh_sink_start(&f.sink);
	tsh_strbuf_clear(&f.out.data);
	tsh_sink_lost(&f.sink, 3, 1, STAMP);
	assert_int_equal(f.out.data.buf[0], ',');
	finish(&f);
}

static void test_no_wall_time(void **state)
{
	struct record r = a_record(42, "n", "t");
	struct fixture f;

	(void)state;
	begin(&f, TSH_FORMAT_TEXT, TSH_TIME_WALL, false, "counter");
	put(&f, &r, 77, false);
	expect(&f, "# tracesh: instance top, clock counter, "
	       "which has no wall-clock time here\n"
	       "          worker-42      [009] d..2.           77: all: " TEXT);
	finish(&f);
	begin(&f, TSH_FORMAT_JSON, TSH_TIME_WALL, false, "counter");
	tsh_sink_start(&f.sink);
	tsh_sink_lost(&f.sink, 1, 2, 77);
	expect(&f, "{\"type\":\"start\",\"format\":1,\"host\":\"box\",\"boot_id\":\"b-1\","
	       "\"kernel\":\"6.18.44\",\"instance\":\"top\",\"clock\":\"counter\","
	       "\"error_ns\":null}\n"
	       "{\"type\":\"lost\",\"time\":null,\"cpu\":1,\"count\":2}\n");
	finish(&f);
}

/* The columns, times and losses of the kernel, and nothing of our own. */
static void test_kernel(void **state)
{
	struct record r = a_record(42, "n", "t");
	struct fixture f;

	(void)state;
	begin(&f, TSH_FORMAT_KERNEL, TSH_TIME_WALL, false, "boot");
	tsh_sink_start(&f.sink);
	put(&f, &r, UINT64_C(1461178486499), true);
	tsh_sink_lost(&f.sink, 1, 21005, STAMP);
	tsh_sink_lost(&f.sink, 1, TSH_LOST_UNKNOWN, STAMP);
	tsh_sink_note(&f.sink, "a note");
	expect(&f, "          worker-42      [009] d..2.  1461.178486: all: " TEXT
	       "CPU:1 [LOST 21005 EVENTS]\nCPU:1 [LOST EVENTS]\n");
	assert_string_equal(f.noted, "a note");
	tsh_sink_skipped(&f.sink, 7, 1, STAMP);
	expect(&f, "");
	assert_string_equal(f.noted, "7 events skipped, the output is too slow");
	finish(&f);
}

static void test_color(void **state)
{
	struct record r = a_record(42, "n", "t");
	struct fixture f;

	(void)state;
	begin(&f, TSH_FORMAT_TEXT, TSH_TIME_NONE, false, "boot");
	f.out.color = true;
	put(&f, &r, STAMP, false);
	expect(&f, "\033[2m# tracesh: instance top, clock boot, no times\033[0m\n"
	       "\033[34m          worker-42      \033[0m[009] d..2. \033[36mall\033[0m: " TEXT);
	finish(&f);
}

static void test_strange_records(void **state)
{
	static const unsigned char unknown[8] = { ID_UNKNOWN & 255, ID_UNKNOWN >> 8, 0, 0, 42 };
	struct tsh_record rec = { .stamp = STAMP, .cpu = 0, .size = 8, .data = unknown };
	struct fixture f;

	(void)state;
	begin(&f, TSH_FORMAT_TEXT, TSH_TIME_NONE, false, "boot");
	tsh_sink_start(&f.sink);
	tsh_strbuf_clear(&f.out.data);
	tsh_sink_event(&f.sink, &rec, false);
	rec.size = 2;
	tsh_sink_event(&f.sink, &rec, false);
	expect(&f, "          worker-42      [000] ..... unknown:4321: "
	       "a record of 8 bytes of an unknown event\n"
	       "          <idle>-0       [000] ..... unknown:0: a damaged record of 2 bytes\n");
	finish(&f);
}

struct small_record {
	uint16_t type;
	uint8_t flags;
	uint8_t preempt;
	int32_t pid;
	union {
		struct {
			uint64_t ip;
			char buf[32];
		} print;
		struct {
			int32_t size;
			uint64_t caller[2];
		} stack;
	};
};

/* What the kernel prints without a name, under another, or over several lines. */
static void test_labels(void **state)
{
	struct small_record r = { .type = ID_PRINT, .pid = 42 };
	struct tsh_record rec = {
		.stamp = STAMP, .size = sizeof(r), .data = (const void *)&r,
	};
	struct fixture f;

	(void)state;
	begin(&f, TSH_FORMAT_TEXT, TSH_TIME_NONE, false, "boot");
	memcpy(r.print.buf, "one\ntwo\n", 8);
	tsh_sink_start(&f.sink);
	tsh_strbuf_clear(&f.out.data);
	tsh_sink_event(&f.sink, &rec, false);
	expect(&f, "          worker-42      [000] ..... 0: one\\ntwo\n");
	memset(&r, 0, sizeof(r));
	r.type = ID_STACK;
	r.pid = 42;
	r.stack.size = 2;
	r.stack.caller[0] = 0x1000;
	r.stack.caller[1] = 0x2000;
	rec.size = offsetof(struct small_record, stack.caller[2]);
	tsh_sink_event(&f.sink, &rec, false);
	assert_non_null(strstr(f.out.data.buf, " ..... <stack trace>\n"));
	tsh_strbuf_clear(&f.out.data);
	finish(&f);
}

/* ---- texts that were there before ---- */

#define ID_SMALL 102
#define ID_SECOND 103
#define ID_OWN 104

#define SMALL_FIELDS \
	"format:\n" COMMON \
	"\tfield:u64 v;\toffset:8;\tsize:8;\tsigned:0;\n" \
	"\tfield:char s[8];\toffset:16;\tsize:8;\tsigned:0;\n\nprint fmt: "

static int provide_small(void *ctx, unsigned int id, char **ret_system, char **ret_text)
{
	(void)ctx;
	if (id < ID_SMALL || id > ID_OWN)
		return -ENOENT;
	*ret_system = strdup("test");
	*ret_text = strdup(id == ID_SMALL ?
		"name: small\nID: 102\n" SMALL_FIELDS "\"v=%llu s=%s\", REC->v, REC->s\n" :
		id == ID_SECOND ?
		"name: second\nID: 103\n" SMALL_FIELDS "\"%llx\", REC->v\n" :
		"name: own\nID: 104\n" SMALL_FIELDS
		"\"%d %llu\", REC->common_pid, REC->v\n");
	return 0;
}

struct small {
	uint16_t type;
	uint8_t flags, preempt;
	int32_t pid;
	uint64_t v;
	char s[8];
};

static void put_small(struct fixture *f, unsigned int type, int pid, uint64_t v, const char *s,
		      const char *text)
{
	struct small small = { .type = (uint16_t)type, .pid = pid, .v = v };
	const struct tsh_record rec = { .stamp = STAMP, .cpu = 1, .size = sizeof(small),
					.data = (const void *)&small };
	const char *got;

	memcpy(small.s, s, strlen(s));
	tsh_strbuf_clear(&f->out.data);
	tsh_sink_event(&f->sink, &rec, false);
	got = strstr(f->out.data.buf, "[001] ..... ");
	assert_non_null(got);
	assert_string_equal(got + strlen("[001] ..... "), text);
}

/*
 * A text is copied only for the bytes that it was made of, and never where the text says
 * something of the common fields, which are no part of them.
 */
static void test_repeats(void **state)
{
	struct tsh_provider small = provider;
	struct fixture f;
	uint64_t v;
	char text[64];
	int i;

	(void)state;
	small.format = provide_small;
	begin(&f, TSH_FORMAT_TEXT, TSH_TIME_NONE, false, "boot");
	tsh_sink_release(&f.sink);
	tsh_decoder_free(f.decoder);
	f.decoder = tsh_decoder_new(&small, &(struct tsh_page_layout){
		.long_size = sizeof(long), .data_offset = 16, .page_size = 4096,
		.big_endian = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ });
	tsh_sink_init(&f.sink, &f.out, f.decoder, &f.clock, &f.info, TSH_TIME_NONE, false);
	tsh_sink_start(&f.sink);
	for (i = 0; i < 5; i++) {
		put_small(&f, ID_SMALL, 42, 7, "a", "small: v=7 s=a\n");
		put_small(&f, ID_SMALL, 43, 7, "b\033[2J", "small: v=7 s=b\\x1b[2J\n");
		put_small(&f, ID_SECOND, 42, 7, "a", "second: 7\n");
		put_small(&f, ID_OWN, 42, 7, "a", "own: 42 7\n");
		put_small(&f, ID_OWN, 43, 7, "a", "own: 43 7\n");
		put_small(&f, ID_SMALL, 42, 7ULL << 32, "a", "small: v=30064771072 s=a\n");
	}
	/* more than are kept */
	for (i = 0; i < 3; i++) {
		for (v = 0; v < 2000; v++) {
			snprintf(text, sizeof(text), "small: v=%llu s=c\n",
				 (unsigned long long)v);
			put_small(&f, ID_SMALL, 42, v, "c", text);
			snprintf(text, sizeof(text), "second: %llx\n", (unsigned long long)v);
			put_small(&f, ID_SECOND, 42, v, "c", text);
		}
	}
	finish(&f);
}

/* ---- as a consumer ---- */

static void test_consumer(void **state)
{
	struct record r = a_record(42, "n", "t");
	const struct tsh_record rec = {
		.stamp = STAMP, .cpu = 9, .size = sizeof(r), .data = (const void *)&r,
	};
	struct tsh_err err = { 0 };
	struct fixture f;
	int fds[2];

	(void)state;
	begin(&f, TSH_FORMAT_TEXT, TSH_TIME_NONE, false, "boot");
	assert_int_equal(pipe(fds), 0);
	f.out.fd = fds[1];
	f.sink.consumer.event(&f.sink.consumer, &rec, false);
	f.sink.consumer.lost(&f.sink.consumer, 0, 2, STAMP);
	f.sink.consumer.note(&f.sink.consumer, "hello");
	assert_true(f.out.data.len > 0);
	assert_int_equal(f.sink.consumer.flush(&f.sink.consumer, &err), 0);
	assert_int_equal(f.out.data.len, 0);
	f.sink.consumer.event(&f.sink.consumer, &rec, false);
	close(fds[1]);
	f.out.fd = open("/dev/full", O_WRONLY);
	f.out.name = "the file";
	assert_int_equal(f.sink.consumer.flush(&f.sink.consumer, &err), -1);
	assert_string_equal(err.message, "cannot write 'the file': No space left on device");
	close(f.out.fd);
	close(fds[0]);
	tsh_err_release(&err);
	finish(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_text),
		cmocka_unit_test(test_text_tgid),
		cmocka_unit_test(test_text_hostile),
		cmocka_unit_test(test_text_days),
		cmocka_unit_test(test_zone),
		cmocka_unit_test(test_show_error),
		cmocka_unit_test(test_show_no_error),
		cmocka_unit_test(test_text_differences),
		cmocka_unit_test(test_text_delta_task),
		cmocka_unit_test(test_no_wall_time),
		cmocka_unit_test(test_kernel),
		cmocka_unit_test(test_color),
		cmocka_unit_test(test_strange_records),
		cmocka_unit_test(test_labels),
		cmocka_unit_test(test_repeats),
		cmocka_unit_test(test_consumer),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
