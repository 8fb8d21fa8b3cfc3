/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tracesh/sink.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* ---- an event with a field of every kind ---- */

#define ID_ALL 100
#define ID_UNKNOWN 4321

#define COMMON \
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n" \
	"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n" \
	"\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n" \
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"

static const char all_format[] =
	"name: all\nID: 100\nformat:\n" COMMON
	"\tfield:int i;\toffset:8;\tsize:4;\tsigned:1;\n"
	"\tfield:u32 bits;\toffset:12;\tsize:4;\tsigned:0;\n"
	"\tfield:u64 big;\toffset:16;\tsize:8;\tsigned:0;\n"
	"\tfield:void * ptr;\toffset:24;\tsize:8;\tsigned:0;\n"
	"\tfield:char name[16];\toffset:32;\tsize:16;\tsigned:0;\n"
	"\tfield:u8 mac[6];\toffset:48;\tsize:6;\tsigned:0;\n"
	"\tfield:__data_loc char[] text;\toffset:56;\tsize:4;\tsigned:0;\n"
	"\nprint fmt: \"i=%d bits=%u big=%llu name=%s text=%s\", "
	"REC->i, REC->bits, REC->big, REC->name, __get_str(text)\n";

#define ID_PRINT 5
#define ID_STACK 4

static const char print_format[] =
	"name: print\nID: 5\nformat:\n" COMMON
	"\tfield:unsigned long ip;\toffset:8;\tsize:8;\tsigned:0;\n"
	"\tfield:char buf[];\toffset:16;\tsize:0;\tsigned:0;\n"
	"\nprint fmt: \"%ps: %s\", (void *)REC->ip, REC->buf\n";

static const char stack_format[] =
	"name: kernel_stack\nID: 4\nformat:\n" COMMON
	"\tfield:int size;\toffset:8;\tsize:4;\tsigned:1;\n"
	"\tfield:unsigned long caller[8];\toffset:16;\tsize:64;\tsigned:0;\n"
	"\nprint fmt: \"\\t=> %ps\\n\\t=> %ps\\n\", (void *)REC->caller[0], "
	"(void *)REC->caller[1]\n";

struct record {
	uint16_t type;
	uint8_t flags;
	uint8_t preempt;
	int32_t pid;
	int32_t i;
	uint32_t bits;
	uint64_t big;
	uint64_t ptr;
	char name[16];
	uint8_t mac[6];
	uint8_t fill[2];
	uint32_t text_at;
	char text[32];
};

static struct record a_record(int pid, const char *name, const char *text)
{
	struct record r = {
		.type = ID_ALL, .flags = 1, .preempt = 2, .pid = pid,
		.i = -5, .bits = 7, .big = (UINT64_C(1) << 53) + 1, .ptr = 0xffff888000000000,
		.mac = { 1, 2, 3, 4, 5, 255 },
	};

	memcpy(r.name, name, strlen(name));
	memcpy(r.text, text, strlen(text));
	r.text_at = offsetof(struct record, text) | (uint32_t)(strlen(text) + 1) << 16;
	return r;
}

static int provide_format(void *ctx, unsigned int id, char **ret_system, char **ret_text)
{
	(void)ctx;
	*ret_system = strdup(id == ID_ALL ? "test" : "ftrace");
	if (id == ID_ALL)
		*ret_text = strdup(all_format);
	else if (id == ID_PRINT)
		*ret_text = strdup(print_format);
	else if (id == ID_STACK)
		*ret_text = strdup(stack_format);
	else
		free(*ret_system);
	return id == ID_ALL || id == ID_PRINT || id == ID_STACK ? 0 : -ENOENT;
}

static char *provide_cmdlines(void *ctx)
{
	(void)ctx;
	return strdup("42 worker\n");
}

static bool provide_comm(void *ctx, int pid, char comm[16])
{
	static const struct {
		int pid;
		const char *comm;
	} tasks[] = {
		{ 1, "x-1 [000] d...:" },
		{ 2, "\033[2Jgone" },
		{ 3, "two\nlines\t" },
		{ 4, "bad\xff\xc3(utf8" },
		{ 5, "=cmd|' /C calc" },
		{ 6, "\xe2\x80\xae" "evil,\"q\"" },
	};
	size_t i;

	(void)ctx;
	for (i = 0; i < sizeof(tasks) / sizeof(tasks[0]); i++) {
		if (tasks[i].pid != pid)
			continue;
		memset(comm, 0, 16);
		memcpy(comm, tasks[i].comm, strlen(tasks[i].comm));
		return true;
	}
	return false;
}

static int provide_tgid(void *ctx, int pid)
{
	(void)ctx;
	return pid == 42 ? 40 : -1;
}

static char *provide_nothing(void *ctx)
{
	(void)ctx;
	return NULL;
}

static const struct tsh_provider provider = {
	.format = provide_format,
	.cmdlines = provide_cmdlines,
	.comm = provide_comm,
	.tgid = provide_tgid,
	.printk_formats = provide_nothing,
};

/* ---- a sink into memory ---- */

/* 2024-01-02 14:47:33.843825123 UTC */
#define WALL INT64_C(1704206853843825123)
#define STAMP UINT64_C(6736852843825123)

struct fixture {
	struct tsh_out out;
	struct tsh_decoder *decoder;
	struct tsh_clock clock;
	struct tsh_stream_info info;
	struct tsh_sink sink;
	char *noted;
};

static void take_note(void *ctx, const char *text)
{
	struct fixture *f = ctx;

	free(f->noted);
	f->noted = strdup(text);
}

static void begin(struct fixture *f, enum tsh_format format, enum tsh_time_style style, bool ns,
		  const char *clock)
{
	static const struct tsh_page_layout layout = {
		.long_size = sizeof(long), .data_offset = 16, .page_size = 4096,
		.big_endian = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__,
	};
	/* 180 ns each way, of which one is the width of a stamp */
	const struct tsh_clock_sample sample = {
		.wall_before = WALL - 179, .wall_after = WALL + 179, .stamp = STAMP, .cpu = -1,
	};

	memset(f, 0, sizeof(*f));
	setenv("TZ", "<+08>-8", 1);
	tzset();
	tsh_out_init(&f->out, -1, format);
	f->out.note = take_note;
	f->out.note_ctx = f;
	f->decoder = tsh_decoder_new(&provider, &layout);
	tsh_clock_init(&f->clock, tsh_clock_kind(clock));
	tsh_clock_add(&f->clock, &sample);
	f->info = (struct tsh_stream_info){
		.instance = "top", .host = "box", .boot_id = "b-1", .kernel = "6.18.44",
		.with_migrate = true,
	};
	tsh_sink_init(&f->sink, &f->out, f->decoder, &f->clock, &f->info, style, ns);
}

static void put(struct fixture *f, const struct record *r, uint64_t stamp, bool late)
{
	const struct tsh_record rec = {
		.stamp = stamp, .cpu = 9, .size = sizeof(*r), .data = (const void *)r,
	};

	tsh_sink_event(&f->sink, &rec, late);
}

static void expect(struct fixture *f, const char *expected)
{
	assert_string_equal(f->out.data.buf, expected);
	tsh_strbuf_clear(&f->out.data);
}

static void finish(struct fixture *f)
{
	tsh_sink_release(&f->sink);
	tsh_decoder_free(f->decoder);
	tsh_clock_release(&f->clock);
	tsh_out_release(&f->out);
	free(f->noted);
}

/* ---- text ---- */

#define TEXT "i=-5 bits=7 big=9007199254740993 name=n text=t\n"

static void test_text(void **state)
{
	struct record r = a_record(42, "n", "t");
	struct fixture f;

	(void)state;
	begin(&f, TSH_FORMAT_TEXT, TSH_TIME_WALL, false, "boot");
	put(&f, &r, STAMP, false);
	expect(&f, "# tracesh: instance top, clock boot, times local (+0800), error +-180 ns\n"
	       "          worker-42      [009] d..2. 2024-01-02 22:47:33.843825: all: " TEXT);
	put(&f, &r, STAMP - 1000, true);
	expect(&f, "          worker-42      [009] d..2. !2024-01-02 22:47:33.843824: all: " TEXT);
	tsh_sink_lost(&f.sink, 1, 21005, STAMP);
	tsh_sink_lost(&f.sink, 1, 1, STAMP);
	tsh_sink_lost(&f.sink, 1, TSH_LOST_UNKNOWN, STAMP);
	tsh_sink_note(&f.sink, "a note\033");
	tsh_sink_end(&f.sink, &(struct tsh_stream_summary){ .events = 2 });
	expect(&f, "# cpu 1: 21005 events lost\n# cpu 1: 1 event lost\n"
	       "# cpu 1: events lost, count unknown\n# a note\\x1b\n");
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
	expect(&f, "# tracesh: instance top, clock boot, times local (+0800), error +-180 ns\n"
	       "          worker-42      [009] d..2. 22:47:33.843825: all: " TEXT
	       "# 2024-01-03\n"
	       "          worker-42      [009] d..2. 22:47:33.843825: all: " TEXT);
	finish(&f);
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
	       "error +-180 ns\n"
	       "          worker-42      [009] d..2. 0.000000: all: " TEXT
	       "          worker-42      [009] d..2. 0.001500: all: " TEXT);
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
	       "          worker-42      [009] d..2. \033[36mall\033[0m: " TEXT);
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
	       "a record of 8 bytes, no event has this number\n"
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
	expect(&f, "          worker-42      [000] ..... tracing_mark_write: one\\ntwo\n");
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

/* ---- JSON ---- */

static void test_json(void **state)
{
	struct record r = a_record(42, "n", "t\n");
	struct fixture f;

	(void)state;
	begin(&f, TSH_FORMAT_JSON, TSH_TIME_WALL, false, "boot");
	put(&f, &r, STAMP, false);
	expect(&f, "{\"type\":\"start\",\"format\":1,\"host\":\"box\",\"boot_id\":\"b-1\","
	       "\"kernel\":\"6.18.44\",\"instance\":\"top\",\"clock\":\"boot\","
	       "\"error_ns\":180}\n"
	       "{\"type\":\"event\",\"time\":\"2024-01-02T22:47:33.843825123+08:00\","
	       "\"ts\":\"6736852843825123\",\"error_ns\":180,\"cpu\":9,\"pid\":42,\"tgid\":40,"
	       "\"comm\":\"worker\",\"flags\":\"d..2.\",\"event\":\"test:all\",\"fields\":{"
	       "\"i\":-5,\"bits\":7,\"big\":\"9007199254740993\","
	       "\"ptr\":\"0xffff888000000000\",\"name\":\"n\",\"mac\":[1,2,3,4,5,255],"
	       "\"text\":\"t\\n\"}}\n");
	tsh_sink_lost(&f.sink, 1, TSH_LOST_UNKNOWN, STAMP);
	tsh_sink_note(&f.sink, "a \"note\"");
	tsh_sink_end(&f.sink, &(struct tsh_stream_summary){
		.events = 1, .lost = 3, .ns = 2000123000,
	});
	expect(&f, "{\"type\":\"lost\",\"time\":\"2024-01-02T22:47:33.843825123+08:00\","
	       "\"cpu\":1,\"count\":null}\n"
	       "{\"type\":\"note\",\"text\":\"a \\\"note\\\"\"}\n"
	       "{\"type\":\"end\",\"events\":1,\"lost\":3,\"seconds\":2.000123}\n");
	finish(&f);
}

/* Every line is one object: quotes and brackets match and all is printable ASCII. */
static void check_json(const char *text)
{
	unsigned int depth = 0, lines = 0;
	bool in_string = false;

	for (; *text; text++) {
		if (*text == '\n') {
			assert_int_equal(depth, 0);
			assert_false(in_string);
			lines++;
			continue;
		}
		assert_true(*text >= ' ' && *text <= '~');
		if (in_string && *text == '\\') {
			text++;
			assert_non_null(strchr("\"\\/bfnrtu", *text));
		} else if (*text == '"') {
			in_string = !in_string;
		} else if (!in_string && strchr("{[", *text)) {
			depth++;
		} else if (!in_string && strchr("}]", *text)) {
			assert_true(depth > 0);
			depth--;
		}
	}
	assert_int_equal(lines, 7);
}

static void test_json_hostile(void **state)
{
	struct record r;
	struct fixture f;
	int pid;

	(void)state;
	begin(&f, TSH_FORMAT_JSON, TSH_TIME_WALL, false, "boot");
	for (pid = 1; pid <= 6; pid++) {
		r = a_record(pid, "\"}\n\\\033\xff\xe2\x80\xae", "\xc2\x9b\x7f{[");
		r.ptr = 0;
		put(&f, &r, STAMP, false);
	}
	check_json(f.out.data.buf);
	assert_non_null(strstr(f.out.data.buf, "\"comm\":\"\\u001b[2Jgone\""));
	assert_non_null(strstr(f.out.data.buf, "\"ptr\":\"0x0\""));
	finish(&f);
}

static void test_json_late(void **state)
{
	struct record r = a_record(7, "n", "t");
	struct fixture f;

	(void)state;
	begin(&f, TSH_FORMAT_JSON, TSH_TIME_WALL, false, "boot");
	put(&f, &r, STAMP, true);
	assert_non_null(strstr(f.out.data.buf, "\"tgid\":null,\"comm\":\"<...>\","));
	assert_non_null(strstr(f.out.data.buf, "\"event\":\"test:all\",\"late\":true,"));
	finish(&f);
}

/* ---- CSV ---- */

static void test_csv(void **state)
{
	struct record r = a_record(42, "n", "a,\"b\"");
	struct fixture f;

	(void)state;
	begin(&f, TSH_FORMAT_CSV, TSH_TIME_ISO, true, "boot");
	put(&f, &r, STAMP, false);
	r = a_record(5, "n", "t");
	put(&f, &r, STAMP, true);
	tsh_sink_lost(&f.sink, 1, 21005, STAMP);
	tsh_sink_note(&f.sink, "a note");
	expect(&f, "time,ts,error_ns,cpu,pid,tgid,comm,flags,event,text\n"
	       "2024-01-02T22:47:33.843825123+08:00,6736852843825123,180,9,42,40,worker,d..2.,"
	       "test:all,\"i=-5 bits=7 big=9007199254740993 name=n text=a,\"\"b\"\"\"\n"
	       "2024-01-02T22:47:33.843825123+08:00,6736852843825123,180,9,5,,"
	       "'=cmd|' /C calc,d..2.,test:all," TEXT
	       "2024-01-02T22:47:33.843825123+08:00,6736852843825123,,1,,,,,lost,21005\n");
	assert_string_equal(f.noted, "a note");
	finish(&f);
	begin(&f, TSH_FORMAT_CSV, TSH_TIME_WALL, true, "counter");
	put(&f, &r, 5, false);
	expect(&f, "time,ts,error_ns,cpu,pid,tgid,comm,flags,event,text\n"
	       "5,5,,9,5,,'=cmd|' /C calc,d..2.,test:all," TEXT);
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
		cmocka_unit_test(test_text_differences),
		cmocka_unit_test(test_no_wall_time),
		cmocka_unit_test(test_kernel),
		cmocka_unit_test(test_color),
		cmocka_unit_test(test_strange_records),
		cmocka_unit_test(test_labels),
		cmocka_unit_test(test_json),
		cmocka_unit_test(test_json_hostile),
		cmocka_unit_test(test_json_late),
		cmocka_unit_test(test_csv),
		cmocka_unit_test(test_consumer),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
