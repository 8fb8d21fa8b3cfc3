/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "events/clock/clock.h"

#define SIZE(array) (sizeof(array) / sizeof((array)[0]))
#define S 1000000000LL
#define DAY (86400 * S)
/* 2024-01-02 14:47:33.843825123 UTC */
#define MOMENT 1704206853843825123LL

static void zone(const char *name)
{
	setenv("TZ", name, 1);
	tzset();
}

static bool has_berlin(void)
{
	return access("/usr/share/zoneinfo/Europe/Berlin", R_OK) == 0;
}

/* One line of a stream. */
static void check_add(struct tsh_time_text *t, const char *clock, uint64_t stamp, bool has_wall,
		      int64_t wall, const char *expected)
{
	struct tsh_strbuf sb = TSH_STRBUF_INIT;

	tsh_time_text_add(t, &sb, tsh_clock_kind(clock), stamp, has_wall, wall);
	assert_string_equal(sb.buf, expected);
	assert_int_equal(sb.len, strlen(expected));
	tsh_strbuf_release(&sb);
}

static void check(const char *tz, enum tsh_time_style style, bool ns, int64_t wall,
		  const char *expected)
{
	struct tsh_time_text t;

	zone(tz);
	tsh_time_text_init(&t, style, ns);
	check_add(&t, "boot", 12345, true, wall, expected);
	/* from the cache */
	check_add(&t, "boot", 12345, true, wall, expected);
}

static void test_names(void **state)
{
	size_t i;

	(void)state;
	for (i = 0; i <= TSH_TIME_NONE; i++)
		assert_non_null(tsh_time_style_names[i]);
	assert_null(tsh_time_style_names[i]);
	assert_string_equal(tsh_time_style_names[TSH_TIME_DELTA], "delta");
}

static void test_styles(void **state)
{
	static const struct {
		const char *tz;
		enum tsh_time_style style;
		bool ns;
		int64_t wall;
		const char *expected;
	} cases[] = {
		{ "UTC-8", TSH_TIME_WALL, false, MOMENT, "2024-01-02 22:47:33.843825" },
		{ "UTC-8", TSH_TIME_WALL, true, MOMENT, "2024-01-02 22:47:33.843825123" },
		{ "UTC-8", TSH_TIME_SHORT, false, MOMENT, "22:47:33.843825" },
		{ "UTC-8", TSH_TIME_ISO, false, MOMENT, "2024-01-02T22:47:33.843825+08:00" },
		{ "UTC-8", TSH_TIME_ISO, true, MOMENT, "2024-01-02T22:47:33.843825123+08:00" },
		{ "UTC-8", TSH_TIME_UTC, false, MOMENT, "2024-01-02T14:47:33.843825Z" },
		{ "UTC-8", TSH_TIME_NONE, false, MOMENT, "" },
		{ "UTC3:30", TSH_TIME_ISO, false, MOMENT, "2024-01-02T11:17:33.843825-03:30" },
		{ "UTC0", TSH_TIME_ISO, false, 0, "1970-01-01T00:00:00.000000+00:00" },
		/* after the end of a signed, and of an unsigned 32-bit time_t */
		{ "UTC0", TSH_TIME_WALL, true, 2147483648 * S + 1,
		  "2038-01-19 03:14:08.000000001" },
		{ "UTC0", TSH_TIME_WALL, false, 4294967296 * S, "2106-02-07 06:28:16.000000" },
		/* 2100 has no leap day, 2000 has */
		{ "UTC0", TSH_TIME_UTC, false, 4107542399 * S, "2100-02-28T23:59:59.000000Z" },
		{ "UTC0", TSH_TIME_UTC, false, 4107542400 * S, "2100-03-01T00:00:00.000000Z" },
		{ "UTC0", TSH_TIME_UTC, false, 951782400 * S, "2000-02-29T00:00:00.000000Z" },
		/* before 1970 */
		{ "UTC0", TSH_TIME_UTC, true, -1, "1969-12-31T23:59:59.999999999Z" },
		{ "UTC0", TSH_TIME_WALL, false, -S - 1000, "1969-12-31 23:59:58.999999" },
		{ "UTC0", TSH_TIME_UTC, true, INT64_MAX, "2262-04-11T23:47:16.854775807Z" },
		{ "UTC0", TSH_TIME_UTC, false, INT64_MAX, "2262-04-11T23:47:16.854775Z" },
		{ "UTC0", TSH_TIME_UTC, true, INT64_MIN, "1677-09-21T00:12:43.145224192Z" },
		{ "UTC0", TSH_TIME_WALL, false, INT64_MIN, "1677-09-21 00:12:43.145224" },
		/* microseconds are rounded, nanoseconds are not */
		{ "UTC0", TSH_TIME_WALL, false, 499, "1970-01-01 00:00:00.000000" },
		{ "UTC0", TSH_TIME_WALL, false, 500, "1970-01-01 00:00:00.000001" },
		{ "UTC0", TSH_TIME_WALL, false, 999999499, "1970-01-01 00:00:00.999999" },
		{ "UTC0", TSH_TIME_WALL, false, 999999500, "1970-01-01 00:00:01.000000" },
		{ "UTC0", TSH_TIME_WALL, true, 999999500, "1970-01-01 00:00:00.999999500" },
		{ "UTC0", TSH_TIME_ISO, false, DAY - 1, "1970-01-02T00:00:00.000000+00:00" },
	};
	size_t i;

	(void)state;
	for (i = 0; i < SIZE(cases); i++)
		check(cases[i].tz, cases[i].style, cases[i].ns, cases[i].wall,
		      cases[i].expected);
}

/* Our calendar is the C library's, for every 11 hours and some of the int64. */
static void test_calendar(void **state)
{
	struct tsh_strbuf sb = TSH_STRBUF_INIT;
	struct tsh_time_text t;
	int64_t second;

	(void)state;
	if (sizeof(time_t) < 8)
		skip();
	tsh_time_text_init(&t, TSH_TIME_UTC, true);
	for (second = INT64_MIN / S; second <= INT64_MAX / S - 50000; second += 39999) {
		time_t seconds = (time_t)second;
		char expected[64];
		struct tm tm;

		gmtime_r(&seconds, &tm);
		strftime(expected, sizeof(expected), "%Y-%m-%dT%H:%M:%S.000000000Z", &tm);
		tsh_strbuf_clear(&sb);
		tsh_time_text_add(&t, &sb, tsh_clock_kind("boot"), 0, true, second * S);
		assert_string_equal(sb.buf, expected);
	}
	tsh_strbuf_release(&sb);
}

/* The cache follows the time in both directions. */
static void test_back_and_forth(void **state)
{
	struct tsh_time_text t;

	(void)state;
	zone("UTC-8");
	tsh_time_text_init(&t, TSH_TIME_WALL, false);
	check_add(&t, "boot", 0, true, MOMENT, "2024-01-02 22:47:33.843825");
	check_add(&t, "boot", 0, true, MOMENT - S, "2024-01-02 22:47:32.843825");
	check_add(&t, "boot", 0, true, MOMENT + 1000, "2024-01-02 22:47:33.843826");
	check_add(&t, "boot", 0, true, MOMENT + 156174377, "2024-01-02 22:47:34.000000");
	check_add(&t, "boot", 0, true, MOMENT + 156174376, "2024-01-02 22:47:33.999999");
	check_add(&t, "boot", 0, true, MOMENT - 400 * DAY, "2022-11-28 22:47:33.843825");
	check_add(&t, "boot", 0, true, MOMENT, "2024-01-02 22:47:33.843825");
}

/* Summer time begins and ends within a stream. */
static void test_summer_time_in(const char *tz)
{
	struct tsh_time_text t;

	zone(tz);
	tsh_time_text_init(&t, TSH_TIME_ISO, false);
	check_add(&t, "boot", 0, true, 1711846799 * S + 999998000,
		  "2024-03-31T01:59:59.999998+01:00");
	check_add(&t, "boot", 0, true, 1711846800 * S, "2024-03-31T03:00:00.000000+02:00");
	check_add(&t, "boot", 0, true, 1711846799 * S, "2024-03-31T01:59:59.000000+01:00");
	check_add(&t, "boot", 0, true, 1729990799 * S, "2024-10-27T02:59:59.000000+02:00");
	/* the carry of the rounding brings the new offset with it */
	check_add(&t, "boot", 0, true, 1729990799 * S + 999999500,
		  "2024-10-27T02:00:00.000000+01:00");
	check_add(&t, "boot", 0, true, 1729990800 * S, "2024-10-27T02:00:00.000000+01:00");
	/* the hour that comes twice, to and fro: only the offset tells */
	check_add(&t, "boot", 0, true, 1729989000 * S, "2024-10-27T02:30:00.000000+02:00");
	check_add(&t, "boot", 0, true, 1729992600 * S, "2024-10-27T02:30:00.000000+01:00");
	check_add(&t, "boot", 0, true, 1729989000 * S + 1000,
		  "2024-10-27T02:30:00.000001+02:00");
	check_add(&t, "boot", 0, true, 1729990799 * S, "2024-10-27T02:59:59.000000+02:00");
	check_add(&t, "boot", 0, true, 1729994400 * S, "2024-10-27T03:00:00.000000+01:00");
	check_add(&t, "boot", 0, true, 4118036400 * S, "2100-06-30T13:00:00.000000+02:00");
	tsh_time_text_init(&t, TSH_TIME_SHORT, true);
	check_add(&t, "boot", 0, true, 1711846799 * S + 999999999, "01:59:59.999999999");
	check_add(&t, "boot", 0, true, 1711846800 * S, "03:00:00.000000000");
	check_add(&t, "boot", 0, true, 1711846799 * S + 999999999, "01:59:59.999999999");
}

static void test_summer_time(void **state)
{
	(void)state;
	test_summer_time_in("CET-1CEST,M3.5.0,M10.5.0/3");
	if (!has_berlin())
		skip();
	test_summer_time_in("Europe/Berlin");
}

static void test_trace(void **state)
{
	static const struct {
		const char *clock;
		bool ns;
		uint64_t stamp;
		const char *expected;
	} cases[] = {
		{ "boot", false, 0, "    0.000000" },
		{ "boot", false, 499, "    0.000000" },
		{ "boot", false, 999999500, "    1.000000" },
		{ "boot", false, 6736852843825123u, "6736852.843825" },
		{ "boot", false, 12345 * 1000000000ULL, "12345.000000" },
		{ "local", true, 1234000000005u, " 1234.000000005" },
		/* ns2usecs overflows like this, too */
		{ "boot", false, UINT64_MAX, "    0.000000" },
		{ "boot", true, UINT64_MAX, "18446744073.709551615" },
		{ "x86-tsc", false, 99, "          99" },
		{ "counter", true, 123456789012345u, "123456789012345" },
		{ "uptime", false, UINT64_MAX, "18446744073709551615" },
		{ "uptime", false, 0, "           0" },
	};
	struct tsh_time_text t;
	size_t i;

	(void)state;
	for (i = 0; i < SIZE(cases); i++) {
		tsh_time_text_init(&t, TSH_TIME_TRACE, cases[i].ns);
		check_add(&t, cases[i].clock, cases[i].stamp, true, MOMENT, cases[i].expected);
		/* without a wall time other styles come to this */
		tsh_time_text_init(&t, TSH_TIME_WALL, cases[i].ns);
		check_add(&t, cases[i].clock, cases[i].stamp, false, 0, cases[i].expected);
	}
	tsh_time_text_init(&t, TSH_TIME_NONE, false);
	check_add(&t, "counter", 1, false, 0, "");
}

static void test_differences(void **state)
{
	struct tsh_time_text t;

	(void)state;
	tsh_time_text_init(&t, TSH_TIME_REL, false);
	check_add(&t, "boot", 0, true, MOMENT, "0.000000");
	check_add(&t, "boot", 0, true, MOMENT + 1500, "0.000002");
	check_add(&t, "boot", 0, true, MOMENT + 3600 * S + 999999500, "3601.000000");
	check_add(&t, "boot", 0, true, MOMENT - 499, "0.000000");
	check_add(&t, "boot", 0, true, MOMENT - 500, "-0.000001");
	check_add(&t, "boot", 0, true, MOMENT - 2 * S, "-2.000000");
	tsh_time_text_init(&t, TSH_TIME_DELTA, true);
	check_add(&t, "boot", 0, true, MOMENT, "0.000000000");
	check_add(&t, "boot", 0, true, MOMENT + 1, "0.000000001");
	check_add(&t, "boot", 0, true, MOMENT + S, "0.999999999");
	check_add(&t, "boot", 0, true, MOMENT + S - 1, "-0.000000001");
	/* stamps, when there is no wall time; the two are never mixed */
	check_add(&t, "boot", 5 * S, false, 0, "0.000000000");
	check_add(&t, "boot", 6 * S, false, 0, "1.000000000");
	check_add(&t, "boot", 7 * S, true, MOMENT, "0.000000000");
	tsh_time_text_init(&t, TSH_TIME_REL, false);
	check_add(&t, "counter", 100, false, 0, "0");
	check_add(&t, "counter", 107, false, 0, "7");
	check_add(&t, "counter", 97, false, 0, "-3");
}

static void check_of(struct tsh_time_text *t, int cpu, int pid, int64_t wall,
		     const char *expected)
{
	tsh_time_text_set_task(t, cpu, pid);
	check_add(t, "boot", 0, true, wall, expected);
}

static void test_delta_cpu(void **state)
{
	struct tsh_time_text t;
	int cpu;

	(void)state;
	tsh_time_text_init(&t, TSH_TIME_DELTA_CPU, false);
	check_of(&t, 0, 1, MOMENT, "0.000000");
	check_of(&t, 1, 1, MOMENT + S, "0.000000");
	check_of(&t, 0, 2, MOMENT + 2 * S, "2.000000");
	check_of(&t, 1, 1, MOMENT + 4 * S, "3.000000");
	check_of(&t, 1, 1, MOMENT + 3 * S, "-1.000000");
	check_of(&t, -1, 1, MOMENT + 3 * S, "-");
	/* stamps are no wall times */
	tsh_time_text_set_task(&t, 0, 1);
	check_add(&t, "boot", 5 * S, false, 0, "0.000000");
	check_add(&t, "boot", 6 * S, false, 0, "1.000000");
	check_of(&t, 1, 1, MOMENT + 3 * S, "0.000000");
	tsh_time_text_release(&t);
	/* of all CPUs that there can be none is forgotten */
	tsh_time_text_init(&t, TSH_TIME_DELTA_CPU, true);
	for (cpu = 0; cpu < 8192; cpu++)
		check_of(&t, cpu, 1, MOMENT + cpu, "0.000000000");
	for (cpu = 0; cpu < 8192; cpu++)
		check_of(&t, cpu, 1, MOMENT + cpu + 5, "0.000000005");
	tsh_time_text_release(&t);
}

static void test_delta_task(void **state)
{
	struct tsh_time_text t;

	(void)state;
	tsh_time_text_init(&t, TSH_TIME_DELTA_TASK, false);
	check_of(&t, 0, 10, MOMENT, "0.000000");
	check_of(&t, 1, 11, MOMENT + S, "0.000000");
	check_of(&t, 1, 10, MOMENT + 2 * S, "2.000000");
	check_of(&t, 0, 11, MOMENT + 2 * S, "1.000000");
	check_of(&t, 0, -1, MOMENT, "-");
	/* the idle tasks */
	check_of(&t, 0, 0, MOMENT, "0.000000");
	check_of(&t, 1, 0, MOMENT + S, "0.000000");
	check_of(&t, 0, 0, MOMENT + 3 * S, "3.000000");
	check_of(&t, 1, 0, MOMENT + 3 * S, "2.000000");
	/* another one has the number */
	t.birth = 5;
	check_of(&t, 1, 10, MOMENT + 4 * S, "0.000000");
	check_of(&t, 1, 10, MOMENT + 5 * S, "1.000000");
	tsh_time_text_note_loss(&t);
	check_of(&t, 1, 10, MOMENT + 6 * S, "-");
	check_of(&t, 1, 10, MOMENT + 7 * S, "1.000000");
	tsh_time_text_release(&t);
}

/* Of a task that may have been forgotten nothing is said, and its next line is known. */
static void test_delta_bound(void **state)
{
	struct tsh_time_text t;
	int pid;

	(void)state;
	tsh_time_text_init(&t, TSH_TIME_DELTA_TASK, true);
	for (pid = 1; pid <= 8192; pid++)
		check_of(&t, 0, pid, MOMENT + pid, "0.000000000");
	for (pid = 1; pid <= 8192; pid++)
		check_of(&t, 0, pid, MOMENT + pid + 7, "0.000000007");
	/* where pid 1 was, the longest without a line */
	check_of(&t, 0, 8193, MOMENT + 1, "-");
	check_of(&t, 0, 8193, MOMENT + 4, "0.000000003");
	check_of(&t, 0, 1, MOMENT + 9, "-");
	check_of(&t, 0, 2, MOMENT + 2 + 8, "0.000000001");
	for (pid = 1; pid < 4000000; pid += 2) {
		struct tsh_strbuf sb = TSH_STRBUF_INIT;

		tsh_time_text_set_task(&t, 0, pid);
		tsh_time_text_add(&t, &sb, tsh_clock_kind("boot"), 0, true, MOMENT);
		tsh_strbuf_release(&sb);
	}
	check_of(&t, 0, 3999999, MOMENT + 1, "0.000000001");
	check_of(&t, 0, 1, MOMENT + 1, "-");
	tsh_time_text_release(&t);
}

static void check_day(struct tsh_time_text *t, int64_t wall, const char *expected)
{
	struct tsh_strbuf sb = TSH_STRBUF_INIT;

	assert_int_equal(tsh_time_text_new_day(t, wall, &sb), *expected != '\0');
	assert_int_equal(sb.len, strlen(expected));
	assert_memory_equal(sb.buf ? sb.buf : "", expected, sb.len);
	tsh_strbuf_release(&sb);
}

static void test_new_day(void **state)
{
	const int64_t midnight = 1704211200 * S; /* 2024-01-03 00:00 in UTC-8 is 8 h before */
	struct tsh_time_text t;

	(void)state;
	zone("UTC-8");
	tsh_time_text_init(&t, TSH_TIME_SHORT, false);
	check_day(&t, midnight - S, "");
	check_add(&t, "boot", 0, true, midnight - S, "23:59:59.000000");
	check_day(&t, midnight - 501, "");
	/* this one is printed as 00:00:00.000000 */
	check_day(&t, midnight - 500, "# 2024-01-03");
	check_add(&t, "boot", 0, true, midnight - 500, "00:00:00.000000");
	check_day(&t, midnight + 20 * 3600 * S, "");
	/* a late event, and the one after it */
	check_day(&t, midnight - 1000, "# 2024-01-02");
	check_day(&t, midnight, "# 2024-01-03");
	check_day(&t, midnight + 364 * DAY, "# 2025-01-01");
	check_day(&t, -1, "# 1970-01-01");
	tsh_time_text_init(&t, TSH_TIME_WALL, false);
	check_day(&t, midnight - S, "");
	check_day(&t, midnight + S, "");
}

/* A zone that counts leap seconds: its days begin later by them. */
static void test_new_day_of_leaps(void **state)
{
	const int64_t midnight = 1704153600 * S; /* 2024-01-02 in UTC */
	struct tsh_time_text t;

	(void)state;
	if (access("/usr/share/zoneinfo/right/UTC", R_OK) != 0)
		skip();
	zone("right/UTC");
	tsh_time_text_init(&t, TSH_TIME_SHORT, false);
	check_day(&t, midnight, "");
	check_add(&t, "boot", 0, true, midnight, "23:59:33.000000");
	check_day(&t, midnight + 26 * S, "");
	check_day(&t, midnight + 27 * S, "# 2024-01-02");
	check_add(&t, "boot", 0, true, midnight + 27 * S, "00:00:00.000000");
}

static void test_iso(void **state)
{
	struct tsh_strbuf sb = TSH_STRBUF_INIT;

	(void)state;
	zone("UTC-8");
	tsh_time_iso(&sb, MOMENT);
	tsh_strbuf_addc(&sb, ' ');
	tsh_time_zone(&sb, MOMENT);
	assert_string_equal(sb.buf, "2024-01-02T22:47:33.843825123+08:00 +0800");
	zone("UTC3:30");
	tsh_strbuf_clear(&sb);
	tsh_time_zone(&sb, MOMENT);
	assert_string_equal(sb.buf, "-0330");
	if (has_berlin()) {
		zone("Europe/Berlin");
		tsh_strbuf_clear(&sb);
		tsh_time_zone(&sb, 1720000000 * S);
		tsh_time_zone(&sb, 1700000000 * S);
		assert_string_equal(sb.buf, "+0200+0100");
	}
	tsh_strbuf_release(&sb);
}

/* Many times in a row give the same as each alone. */
static void test_cache(void **state)
{
	struct tsh_strbuf alone = TSH_STRBUF_INIT, row = TSH_STRBUF_INIT;
	uint64_t random = 12345;
	struct tsh_time_text t;
	int64_t wall = 1711846000 * S;
	int i;

	(void)state;
	zone(has_berlin() ? "Europe/Berlin" : "UTC-8");
	tsh_time_text_init(&t, TSH_TIME_ISO, true);
	for (i = 0; i < 20000; i++) {
		random = random * 6364136223846793005u + 1442695040888963407u;
		wall += (int64_t)(random >> 33) - (S / 8) * (int64_t)(random >> 60);
		tsh_strbuf_clear(&alone);
		tsh_strbuf_clear(&row);
		tsh_time_iso(&alone, wall);
		tsh_time_text_add(&t, &row, tsh_clock_kind("boot"), 0, true, wall);
		assert_string_equal(row.buf, alone.buf);
	}
	tsh_strbuf_release(&alone);
	tsh_strbuf_release(&row);
}

/* Times that are near to each other, around where digits carry. */
static void test_near(void **state)
{
	static const int64_t begins[] = { MOMENT / S * S, MOMENT / S * S + 5 * S / 1000, 0, -S };
	struct tsh_strbuf row = TSH_STRBUF_INIT;
	uint64_t random = 54321;
	struct tsh_time_text t;
	char text[64];
	size_t i, j;

	(void)state;
	tsh_time_text_init(&t, TSH_TIME_UTC, false);
	for (i = 0; i < SIZE(begins); i++) {
		for (j = 0; j < 5000; j++) {
			int64_t wall = begins[i] + (int64_t)(random >> 43) - 1000000, rounded;
			time_t second;
			struct tm tm;
			size_t len;

			random = random * 6364136223846793005u + 1442695040888963407u;
			if (j % 2)
				wall = begins[i] + (int64_t)(random >> 53) - 1000;
			rounded = wall + 500;
			second = (time_t)(rounded / S - (rounded % S < 0));
			gmtime_r(&second, &tm);
			len = strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%S", &tm);
			snprintf(text + len, sizeof(text) - len, ".%06dZ",
				 (int)((rounded - (int64_t)second * S) / 1000));
			tsh_strbuf_clear(&row);
			tsh_time_text_add(&t, &row, tsh_clock_kind("boot"), 0, true, wall);
			assert_string_equal(row.buf, text);
		}
	}
	tsh_strbuf_release(&row);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_styles),
		cmocka_unit_test(test_calendar),
		cmocka_unit_test(test_back_and_forth),
		cmocka_unit_test(test_summer_time),
		cmocka_unit_test(test_trace),
		cmocka_unit_test(test_differences),
		cmocka_unit_test(test_delta_cpu),
		cmocka_unit_test(test_delta_task),
		cmocka_unit_test(test_delta_bound),
		cmocka_unit_test(test_new_day),
		cmocka_unit_test(test_new_day_of_leaps),
		cmocka_unit_test(test_iso),
		cmocka_unit_test(test_cache),
		cmocka_unit_test(test_near),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
