/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "clocks.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "events/clock/moment.h"

/* What a zone database would have for Europe/Berlin, which may not be there. */
#define BERLIN "CET-1CEST,M3.5.0,M10.5.0/3"
#define NOON (YEAR_2024 + 12 * 3600 * S)	/* 2024-01-01 12:00:00 UTC */
#define DAY (86400 * S)

static void set_zone(const char *zone)
{
	setenv("TZ", zone, 1);
	tzset();
}

static struct tsh_moment parse(const char *text, int64_t now)
{
	struct tsh_moment m = { 0 };
	struct tsh_err err = { 0 };

	if (tsh_moment_parse(text, now, &m, &err) < 0)
		fail_msg("%s: %s", text, err.message);
	return m;
}

static void check(const char *text, int64_t now, int64_t wall, uint64_t width)
{
	struct tsh_moment m = parse(text, now);

	if (m.wall != wall || m.width != width)
		fail_msg("%s: %" PRId64 ", width %" PRIu64, text, m.wall, m.width);
	assert_false(m.is_stamp);
	assert_true(tsh_moment_end(&m) == wall + (int64_t)(width - 1));
}

/* The message, and (when not NULL) the hint, have these words. */
static void refused(const char *text, const char *message, const char *hint)
{
	struct tsh_moment m = { .wall = 5 };
	struct tsh_err err = { 0 };

	if (tsh_moment_parse(text, NOON, &m, &err) == 0)
		fail_msg("%s is taken: %" PRId64, text, m.wall);
	assert_int_equal(err.status, TSH_USAGE);
	if (!strstr(err.message, message) || (hint && (!err.hint || !strstr(err.hint, hint))))
		fail_msg("%s: %s (%s)", text, err.message, err.hint ? err.hint : "no hint");
	assert_true(m.wall == 5);
	tsh_err_release(&err);
}

/* ---- forms ---- */

static void test_dates(void **state)
{
	const int64_t t = YEAR_2024 + DAY + (22 * 3600 + 47 * 60 + 33) * S;
	const int64_t east = t - 8 * 3600 * S;

	(void)state;
	set_zone("UTC0");
	check("2024-01-02 22:47:33", 0, t, S);
	check("2024-01-02T22:47:33", 0, t, S);
	check("2024-01-02t22:47", 0, t - 33 * S, 60 * S);
	check("2024-01-02  22:47:33.8", 0, t + 800 * MS, 100 * MS);
	check("2024-01-02 22:47:33,843", 0, t + 843 * MS, MS);
	check("2024-01-02 22:47:33.843825", 0, t + 843825 * US, US);
	check("2024-01-02 22:47:33.843825123", 0, t + 843825123, 1);
	check("2024-01-02T22:47:33Z", 0, t, S);
	check("2024-01-02 22:47:33 UTC", 0, t, S);
	check("2024-01-02T22:47:33+08:00", 0, east, S);
	check("2024-01-02T22:47:33.5+0800", 0, east + 500 * MS, 100 * MS);
	check("2024-01-02 22:47:33 +08", 0, east, S);
	check("2024-01-02T22:47:33-03:30", 0, t + 12600 * S, S);
	check("1970-01-01 00:00:00", 0, 0, S);
	check("2024-02-29 00:00:00", 0, YEAR_2024 + 59 * DAY, S);
	set_zone("<+08>-8");
	check("2024-01-02 22:47:33", 0, east, S);
	check("2024-01-02T22:47:33Z", 0, t, S);
}

static void test_epoch_and_relative(void **state)
{
	(void)state;
	set_zone(BERLIN);
	check("@0", 0, 0, S);
	check("@1704206853", 0, 1704206853 * S, S);
	check("@1704206853.843825", 0, 1704206853 * S + 843825 * US, US);
	check("@9223372036.854775807", 0, INT64_MAX, 1);
	check("now", NOON, NOON, 1);
	check("-5s", NOON, NOON - 5 * S, 1);
	check("-500ms", NOON, NOON - 500 * MS, 1);
	check("-2m", NOON, NOON - 120 * S, 1);
	check("-1.5h", NOON, NOON - 5400 * S, 1);
	check("-5", NOON, NOON - 5 * S, 1);
	check("+1m", NOON, NOON + 60 * S, 1);
	check("-5s", 5 * S, 0, 1);
}

static void test_time_of_day(void **state)
{
	(void)state;
	set_zone("UTC0");
	check("11:00:00", NOON, NOON - 3600 * S, S);
	check("9:05", NOON, NOON - (2 * 60 + 55) * 60 * S, 60 * S);
	/* up to twelve hours ahead it is today's */
	check("23:59:59.999999999", NOON, NOON + 12 * 3600 * S - 1, 1);
	check("00:00:00", NOON, NOON - 12 * 3600 * S, S);
	check("23:50:00", YEAR_2024 + 600 * S, YEAR_2024 - 600 * S, S);
	check("12:10:00", YEAR_2024 + 600 * S, NOON + 600 * S, S);
	check("12:10:00.1", YEAR_2024 + 600 * S, NOON + 600 * S + 100 * MS - DAY, 100 * MS);
	/* the day is the zone's: at noon in UTC it is tomorrow in the far east */
	set_zone("<+14>-14");
	check("02:00:00", NOON, NOON, S);
	check("12:00:00Z", NOON, NOON, S);
	set_zone("<-10>10");
	check("02:00:00", NOON, NOON, S);
}

static void test_syslog(void **state)
{
	(void)state;
	set_zone("UTC0");
	check("Jan  1 11:00:00", NOON, NOON - 3600 * S, S);
	check("Jan 01 11:00:00.5", NOON, NOON - 3600 * S + 500 * MS, 100 * MS);
	check("Dec 31 23:00:00", NOON, YEAR_2024 - 3600 * S, S);
	check("Jan  2 00:00:00", NOON, YEAR_2024 + DAY, S);
	check("Jan  2 00:00:01", NOON, YEAR_2024 + DAY + S - 365 * DAY, S);
	check("Feb 29 00:00:00", YEAR_2024 + 200 * DAY, YEAR_2024 + 59 * DAY, S);
	check("January 1 11:00:00", NOON, NOON - 3600 * S, S);
	/* the last year that had it */
	check("Feb 29 00:00:00", NOON, (YEAR_2024 / S - (4 * 365 + 1 - 59) * 86400) * S, S);
	check("Feb 29 00:00:00", YEAR_2024 + 58 * DAY + 13 * 3600 * S, YEAR_2024 + 59 * DAY, S);
	check("Feb 29 12:00:00", YEAR_2024 + 58 * DAY + 13 * 3600 * S,
	      YEAR_2024 - (4 * 365 + 1 - 59) * DAY + 12 * 3600 * S, S);
}

/* 2026-11-22 01:41:41 UTC, a Sunday: in the forms of logs. */
#define SUNDAY (INT64_C(1795311701) * S)

static void test_mail(void **state)
{
	(void)state;
	set_zone(BERLIN);
	check("Sun, 22 Nov 2026 02:41:41 +0100", NOON, SUNDAY, S);
	check("Sun, 22 Nov 2026 01:41:41 GMT", NOON, SUNDAY, S);
	check("22 Nov 2026 01:41:41 UT", NOON, SUNDAY, S);
	check("Sun, 22 Nov 2026 01:41 -0000", NOON, SUNDAY - 41 * S, 60 * S);
	check("Sun, 22 Nov 2026 02:41:41 +0100 (CET)", NOON, SUNDAY, S);
	check("Sun 22 November 2026 02:41:41 CET", NOON, SUNDAY, S);
	check("22 Nov 2026 02:41:41.25", NOON, SUNDAY + 250 * MS, 10 * MS);
	check("Sun, 2 Nov 1997 09:55:06 -0600", NOON, INT64_C(878486106) * S, S);
	check("Sun 22 Nov 2026 02:41:41 AM CET", NOON, SUNDAY, S);
	check("Sun 22 Nov 2026 02:41:41 PM CET", NOON, SUNDAY + 12 * 3600 * S, S);
	check("22 Nov 2026 12:41:41 AM", NOON, SUNDAY - 2 * 3600 * S, S);
	check("22 Nov 2026 12:41:41 PM", NOON, SUNDAY + 10 * 3600 * S, S);
}

static void test_programs(void **state)
{
	(void)state;
	set_zone(BERLIN);
	check("22/Nov/2026:01:41:41 +0000", NOON, SUNDAY, S);
	check("22/Nov/2026:02:41:41 +0100", NOON, SUNDAY, S);
	check("[22/Nov/2026:02:41:41 +0100]", NOON, SUNDAY, S);
	check("22/Nov/2026:02:41:41.123 +0100", NOON, SUNDAY + 123 * MS, MS);
	check("2/Nov/2026:02:41:41 +0100", NOON, SUNDAY - 20 * DAY, S);
	check("[Sun Nov 22 02:41:41 2026]", NOON, SUNDAY, S);
	check("[Sun Nov 22 02:41:41.843825 2026]", NOON, SUNDAY + 843825 * US, US);
	check("Sun Nov 22 02:41:41 AM CET 2026", NOON, SUNDAY, S);
	check("Sun 2026-11-22 02:41:41 CET", NOON, SUNDAY, S);
	check("2026/11/22 02:41:41", NOON, SUNDAY, S);
	check("2026-11-22T01:41:41.123456+00:00", NOON, SUNDAY + 123456 * US, US);
}

/* [begin, end) of the text is to blame; begin == end: all of it */
static void blames(const char *text, size_t begin, size_t end, const char *message,
		   const char *hint)
{
	struct tsh_moment m;
	struct tsh_err err = { 0 };

	assert_int_equal(tsh_moment_parse(text, NOON, &m, &err), -1);
	if (!strstr(err.message, message) || (hint && (!err.hint || !strstr(err.hint, hint))))
		fail_msg("%s: %s (%s)", text, err.message, err.hint ? err.hint : "no hint");
	if (begin == end ? err.span.end : err.span.begin != begin || err.span.end != end)
		fail_msg("%s: %zu to %zu is to blame", text, err.span.begin, err.span.end);
	tsh_err_release(&err);
}

static void test_blame(void **state)
{
	(void)state;
	set_zone(BERLIN);
	blames("-1m30", 3, 5, "not a time relative to now", "-1m30s");
	blames("-2h1x", 3, 5, "not a time relative to now", NULL);
	blames("-30m2h", 4, 6, "not a time relative to now", "the larger first");
	blames("-1m30s ", 6, 6, "not a time relative to now", NULL);
	blames("+", 0, 0, "not a time relative to now", NULL);
	blames("25:00:00", 0, 2, "hours are 00 to 23", NULL);
	blames("22:60:33", 3, 5, "minutes are 00 to 59", NULL);
	blames("22:47:77", 6, 8, "seconds are 00 to 59", NULL);
	blames("22:47:33.1234567890", 9, 19, "one to nine digits", NULL);
	blames("22:47:33 +8", 9, 11, "not a time zone", NULL);
	blames("2024-02-30T00:00:00", 0, 10, "has 29 days", NULL);
	blames("2024-13-01 00:00:00", 0, 10, "months are 01 to 12", NULL);
	blames("2024-1-01 00:00:00", 0, 9, "dates look like", NULL);
	blames("2024-01/01 00:00:00", 0, 10, "dates look like", NULL);
	blames("Sun, 22 Nov 2026 24:41:41 +0100", 17, 19, "hours are", NULL);
	blames("Sun, 22 Nov 2026 02:41:41 +1", 26, 28, "not a time zone", NULL);
	blames("Sun, 22 Nov 2026 02:41:41 EST", 26, 29, "another name at that time", NULL);
	blames("Mon, 22 Nov 2026 02:41:41 +0100", 0, 3, "22 November 2026 is a Sunday", NULL);
	blames("Sun, 22 Nox 2026 02:41:41 +0100", 8, 11, "no month", "Jan, Feb");
	blames("Sun, 22 Nov 26 02:41:41 +0100", 12, 14, "years have four digits", NULL);
	blames("Sun, 31 Nov 2026 02:41:41 +0100", 5, 7, "has 30 days", NULL);
	blames("Sun, 22 Nov 2026", 12, 16, "write the time after the year", NULL);
	blames("22/Nov/26:02:41:41 +0000", 7, 9, "years have four digits", NULL);
	blames("22/Nox/2026:02:41:41 +0000", 3, 6, "no month", NULL);
	blames("22/Nov 2026:02:41:41 +0000", 3, 6, "not a date of a mail", "22/Nov/2026:02:41:41");
	blames("22/Nov/2026 02:41:41 +0000", 7, 11, "not a date of a mail", NULL);
	blames("32/Nov/2026:02:41:41 +0000", 0, 11, "has 30 days", NULL);
	blames("[22/Nov/2026:02:61:41 +0000]", 16, 18, "minutes are", NULL);
	blames("Nov 22", 0, 3, "after the month", NULL);
	blames("Nov 31 02:41:41", 0, 3, "November 2023 has 30 days", NULL);
	blames("Mon Nov 22 02:41:41 2026", 0, 3, "is a Sunday", NULL);
	blames("Nov 22 13:41:41 PM", 7, 9, "hours with AM and PM", NULL);
	blames("yesterday", 0, 0, "no moment", "dates can be copied from logs");
	blames("[12345.678901]", 0, 0, "no moment", NULL);
	blames("Monday", 0, 0, "no moment", NULL);
}

static void test_date_program(void **state)
{
	const int64_t t = YEAR_2024 + DAY + (22 * 3600 + 47 * 60 + 33) * S;
	const int64_t back = 1729990800 * S;	/* 2024-10-27 01:00:00 UTC */
	struct tsh_moment m;

	(void)state;
	set_zone(BERLIN);
	check("Tue Jan  2 22:47:33 UTC 2024", NOON, t, S);
	check("Tue Jan  2 22:47:33 2024", NOON, t - 3600 * S, S);
	check("Tue Jan  2 22:47:33 CET 2024", NOON, t - 3600 * S, S);
	check("Jan 2 22:47:33 +0800 2024", NOON, t - 8 * 3600 * S, S);
	check("2024-01-02 22:47:33.5 CET", NOON, t - 3600 * S + 500 * MS, 100 * MS);
	check("22:47:33 CET", NOON + DAY + 12 * 3600 * S, t - 3600 * S, S);
	/* the name tells which of the two it is */
	m = parse("Sun Oct 27 02:30:00 CEST 2024", 0);
	assert_true(m.wall == back - 1800 * S && !m.is_twofold);
	m = parse("Sun Oct 27 02:30:00 CET 2024", 0);
	assert_true(m.wall == back + 1800 * S && !m.is_twofold);
	refused("Tue Jan  2 22:47:33 CEST 2024", "another name at that time", NULL);
	refused("Tue Jan  2 22:47:33 x 2024", "not a time zone", NULL);
	refused("Tue Feb 30 22:47:33 2024", "has 29 days", NULL);
	refused("Tue 2 Jan 22:47:33 2024", "years have four digits", NULL);
}

static void check_stamp(const char *text, uint64_t stamp, uint64_t rounding)
{
	struct tsh_moment m = parse(text, NOON);

	assert_true(m.is_stamp && m.stamp == stamp && m.rounding_ns == rounding);
	assert_true(m.bare == !strchr(text, '.'));
}

static void test_stamps(void **state)
{
	(void)state;
	check_stamp("12345.678901", 12345678901000, 500);
	check_stamp("12345.678901234", 12345678901234, 0);
	check_stamp("0.5", 500000000, 50 * MS);
	check_stamp("67368528", 67368528, 0);
	check_stamp("18446744073709551615", UINT64_MAX, 0);
	check_stamp("18446744073.709551615", UINT64_MAX, 0);
	refused("18446744073709551616", "more than a trace clock can count", NULL);
	refused("18446744073.709551616", "more than a trace clock can count", NULL);
	refused("12345.", "one to nine digits", NULL);
	refused("12345.1234567890", "one to nine digits", NULL);
	refused("1.2.3", "one to nine digits", NULL);
}

/* ---- daylight saving ---- */

static void test_berlin(void **state)
{
	const int64_t forward = 1711846800 * S;	/* 2024-03-31 01:00:00 UTC */
	const int64_t back = 1729990800 * S;	/* 2024-10-27 01:00:00 UTC */
	struct tsh_moment m;

	(void)state;
	set_zone(BERLIN);
	check("2024-03-31 01:59:59", 0, forward - S, S);
	check("2024-03-31 03:00:00", 0, forward, S);
	refused("2024-03-31 02:00:00", "did not exist in this zone", "'2024-03-31 02:00:00+01:00'");
	refused("2024-03-31 02:59:59.999", "did not exist", "02:59:59.999+01:00'");
	check("2024-03-31 02:00:00+01:00", 0, forward, S);

	m = parse("2024-10-27 01:59:59", 0);
	assert_true(!m.is_twofold && m.wall == back - 3600 * S - S);
	m = parse("2024-10-27 02:00:00", 0);
	assert_true(m.is_twofold && m.wall == back - 3600 * S);
	m = parse("2024-10-27 02:59:59", 0);
	assert_true(m.is_twofold && m.wall == back - S);
	m = parse("2024-10-27 02:30:00+01:00", 0);
	assert_true(!m.is_twofold && m.wall == back + 1800 * S);
	m = parse("2024-10-27 03:00:00", 0);
	assert_true(!m.is_twofold && m.wall == back + 3600 * S);
	/* today's */
	m = parse("02:30:00", back + 7200 * S);
	assert_true(m.is_twofold && m.wall == back - 1800 * S);
	check("10:00:00", back, back + 8 * 3600 * S, S);
}

/* A zone that changes without daylight saving, and one that is ahead of summer. */
static void test_other_zones(void **state)
{
	(void)state;
	set_zone("<+1030>-10:30<+11>-11,M10.1.0,M4.1.0");	/* Lord Howe: half an hour */
	refused("2024-10-06 02:15:00", "did not exist", "'2024-10-06 02:15:00+10:30'");
	assert_true(parse("2024-04-07 01:45:00", 0).is_twofold);
	set_zone("EST5EDT,M3.2.0,M11.1.0");
	refused("2024-03-10 02:30:00", "did not exist", "'2024-03-10 02:30:00-05:00'");
	check("2024-11-03 01:30:00", 0, 1730611800 * S, S);
	assert_true(parse("2024-11-03 01:30:00", 0).is_twofold);
}

static void test_far_times(void **state)
{
	(void)state;
	set_zone("UTC0");
	check("2038-01-19T03:14:08Z", 0, (INT64_C(1) << 31) * S, S);
	check("2100-03-01T00:00:00Z", 0, 4107542400 * S, S);
	refused("2100-02-29T00:00:00Z", "February 2100 has 28 days", NULL);
	check("2262-04-11T23:47:16.854775807Z", 0, INT64_MAX, 1);
	refused("2262-04-11T23:47:16.854775808Z", "1970 and 2262", NULL);
	refused("2262-04-12T00:00:00Z", "1970 and 2262", NULL);
	if (sizeof(time_t) > 4) {
		set_zone(BERLIN);
		check("2038-07-01 02:00:00", 0, 2161555200 * S, S);
		check("2100-07-01 02:00:00", 0, 4118083200 * S, S);
	} else {
		refused("2038-07-01 02:00:00", "end in 2038", "Z");
	}
}

/* What is printed is understood, in every zone; without the zone wherever it is not twofold. */
static void test_printed(void **state)
{
	static const char *const zones[] = {
		"UTC0", BERLIN, "EST5EDT,M3.2.0,M11.1.0", "<+0545>-5:45",
		"<+1030>-10:30<+11>-11,M10.1.0,M4.1.0",
	};
	struct tsh_strbuf text = TSH_STRBUF_INIT;
	struct tsh_moment m;
	int64_t wall;
	size_t i;
	int n;

	(void)state;
	for (i = 0; i < SIZE(zones); i++) {
		set_zone(zones[i]);
		for (n = 0; n < 2000; n++) {
			/* zones of before 1972 had other rules, where time_t ends none */
			wall = between(2 * 366 * DAY, sizeof(time_t) > 4 ? INT64_MAX : 2147000000 * S);
			tsh_strbuf_clear(&text);
			tsh_time_iso(&text, wall);
			check(text.buf, NOON, wall, 1);
			tsh_strbuf_truncate(&text, 29);
			m = parse(text.buf, NOON);
			assert_true(m.wall == wall || m.is_twofold);
		}
	}
	tsh_strbuf_release(&text);
}

/* Bytes of what moments are made of, at random: nothing but a refusal or a moment. */
static void test_random(void **state)
{
	static const char bytes[] = "0123456789012345678901234567890123456789:::---..+ TZ@,smhdJanFebSun/[](AM)\t\377";
	char text[24];
	int n, i, len;

	(void)state;
	set_zone(BERLIN);
	for (n = 0; n < 200000; n++) {
		struct tsh_moment m = { 0 };
		struct tsh_err err = { 0 };

		len = (int)between(0, sizeof(text) - 1);
		for (i = 0; i < len; i++)
			text[i] = bytes[between(0, sizeof(bytes) - 2)];
		text[len] = '\0';
		if (tsh_moment_parse(text, NOON, &m, &err) < 0)
			assert_non_null(err.message);
		else
			assert_true(m.wall >= 0 && m.width);
		tsh_err_release(&err);
	}
}

/* ---- what is no moment ---- */

static void test_refused(void **state)
{
	static const char *const junk[] = {
		"", " ", "x", "yesterday", "nowadays", "22", ":", "22:", "22:4", "22:47:",
		"22:47:3", "222:47:33", "22:47:33.", "22:47:33.1234567891", "22:47:33 CET",
		"22:47:33+", "22:47:33+8", "22:47:33+08:0", "22:47:33+08:000", "22:47:33+24:00",
		"22:47:33+08:60", "22:47:33Z+", "24:00:00", "23:60:00", "23:59:60", "-", "--5s", "-x",
		"-5x", "+", "@", "@-1", "@x", "@1.", "@1.1234567890", "@1,5", "@1704206853 x",
		"2024-1-2 22:47:33", "2024-01-02", "2024-01-02 ", "2024-01-02T", "2024-01-02x22:47:33",
		"2024-13-01 00:00:00", "2024-00-01 00:00:00", "2024-01-00 00:00:00",
		"2023-02-29 00:00:00", "1969-12-31T23:59:59Z", "2263-01-01T00:00:00Z",
		"20240-01-01 00:00:00", "1970-01-01T00:00:00+00:01", "Jan", "Jan 2", "Jan 22:47:33",
		"Janus 2 22:47:33", "Jan 32 00:00:00", "Jan  2 22:47:33 20245", "jan  2 22:47:33",
		"@9223372036.854775808", "@99999999999999999999", "-999999h", "-99999999999999999h",
		"2024-01-02\n22:47:33", "\033[2J", "22:47:33.843825\n",
	};
	char overlong[4096];
	size_t i;

	(void)state;
	set_zone("UTC0");
	for (i = 0; i < SIZE(junk); i++)
		if (strcmp(junk[i], "22"))	/* that is a stamp */
			refused(junk[i], "", NULL);
	memset(overlong, '1', sizeof(overlong));
	overlong[sizeof(overlong) - 1] = '\0';
	refused(overlong, "too long", NULL);
	overlong[0] = '@';
	refused(overlong, "too long", NULL);
	memcpy(overlong, "22:47:33.", 9);
	refused(overlong, "too long", NULL);
}

static void test_messages(void **state)
{
	(void)state;
	set_zone("UTC0");
	refused("25:00:00", "'25:00:00': hours are 00 to 23", "moments look like 22:47:33");
	refused("2024-01-02", "is a day without a time", "in quotes");
	refused("Jan", "after the month", "'Jan  2 22:47:33'");
	refused("1h", "this is no moment", "did you mean '-1h'?");
	refused("2024-02-30 00:00:00", "February 2024 has 29 days", NULL);
	refused("22:47:33 x", "not a time zone", NULL);
	refused("22:47:33 CET", "another name at that time", NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_dates),
		cmocka_unit_test(test_epoch_and_relative),
		cmocka_unit_test(test_time_of_day),
		cmocka_unit_test(test_syslog),
		cmocka_unit_test(test_date_program),
		cmocka_unit_test(test_mail),
		cmocka_unit_test(test_programs),
		cmocka_unit_test(test_blame),
		cmocka_unit_test(test_stamps),
		cmocka_unit_test(test_berlin),
		cmocka_unit_test(test_other_zones),
		cmocka_unit_test(test_far_times),
		cmocka_unit_test(test_printed),
		cmocka_unit_test(test_random),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_messages),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
