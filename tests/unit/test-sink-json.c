/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sinks.h"

#include <fcntl.h>

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
	tsh_sink_skipped(&f.sink, 7, 1, STAMP);
	tsh_sink_note(&f.sink, "a \"note\"");
	tsh_sink_end(&f.sink, &(struct tsh_stream_summary){
		.events = 1, .lost = 3, .skipped = 7, .ns = 2000123000,
	});
	expect(&f, "{\"type\":\"lost\",\"time\":\"2024-01-02T22:47:33.843825123+08:00\","
	       "\"cpu\":1,\"count\":null}\n"
	       "{\"type\":\"skipped\",\"time\":\"2024-01-02T22:47:33.843825123+08:00\","
	       "\"count\":7,\"reason\":\"slow output\"}\n"
	       "{\"type\":\"note\",\"text\":\"a \\\"note\\\"\"}\n"
	       "{\"type\":\"end\",\"events\":1,\"lost\":3,\"skipped\":7,\"seconds\":2.000123}\n");
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
	tsh_sink_skipped(&f.sink, 21005, 1, STAMP);
	tsh_sink_note(&f.sink, "a note");
	expect(&f, "time,ts,error_ns,cpu,pid,tgid,comm,flags,event,text\n"
	       "2024-01-02T22:47:33.843825123+08:00,6736852843825123,180,9,42,40,worker,d..2.,"
	       "test:all,\"i=-5 bits=7 big=9007199254740993 name=n text=a,\"\"b\"\"\"\n"
	       "2024-01-02T22:47:33.843825123+08:00,6736852843825123,180,9,5,,"
	       "'=cmd|' /C calc,d..2.,test:all," TEXT
	       "2024-01-02T22:47:33.843825123+08:00,6736852843825123,,1,,,,,lost,21005\n"
	       "2024-01-02T22:47:33.843825123+08:00,6736852843825123,,,,,,,skipped,21005\n");
	assert_string_equal(f.noted, "a note");
	finish(&f);
	begin(&f, TSH_FORMAT_CSV, TSH_TIME_WALL, true, "counter");
	put(&f, &r, 5, false);
	expect(&f, "time,ts,error_ns,cpu,pid,tgid,comm,flags,event,text\n"
	       "5,5,,9,5,,'=cmd|' /C calc,d..2.,test:all," TEXT);
	finish(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_json),
		cmocka_unit_test(test_json_hostile),
		cmocka_unit_test(test_json_late),
		cmocka_unit_test(test_csv),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
