/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "local.h"

#include <string.h>
#include <time.h>

#define DAY_S 86400

static bool is_leap(int year)
{
	return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
}

int tsh_days_of_month(int year, int month)
{
	static const int days[] = { 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31 };

	return days[month - 1] + (month == 2 && is_leap(year));
}

static int days_of_year(int year)
{
	return 365 + is_leap(year);
}

/* counts year by year, three hundred at most */
int64_t tsh_days_since_1970(const struct tsh_date *date)
{
	int64_t days = date->day - 1;
	int i;

	for (i = 1970; i < date->year; i++)
		days += days_of_year(i);
	for (i = date->year; i < 1970; i++)
		days -= days_of_year(i);
	for (i = 1; i < date->month; i++)
		days += tsh_days_of_month(date->year, i);
	return days;
}

void tsh_utc_date(int64_t second, struct tsh_date *ret)
{
	int64_t days = second / DAY_S - (second % DAY_S < 0);

	ret->year = 1970;
	ret->month = 1;
	for (; days < 0; ret->year--)
		days += days_of_year(ret->year - 1);
	for (; days >= days_of_year(ret->year); ret->year++)
		days -= days_of_year(ret->year);
	for (; days >= tsh_days_of_month(ret->year, ret->month); ret->month++)
		days -= tsh_days_of_month(ret->year, ret->month);
	ret->day = (int)days + 1;
}

static bool break_down(int64_t second, struct tm *ret)
{
	time_t t = (time_t)second;

	/* time_t may be too small */
	return (int64_t)t == second && localtime_r(&t, ret);
}

/* Returns the seconds from 1970 to the date and time in `tm`, counted as if they were in UTC. */
static int64_t seconds_of(const struct tm *tm)
{
	const struct tsh_date date = { tm->tm_year + 1900, tm->tm_mon + 1, tm->tm_mday };

	return tsh_days_since_1970(&date) * DAY_S +
	       (tm->tm_hour * 60 + tm->tm_min) * 60 + tm->tm_sec;
}

/* Finds how far local time is ahead of UTC at a second. Returns false when time_t is too small.
 * Does not use tm_gmtoff, which is wrong by the leap seconds in zones of right/. */
static bool east_of(int64_t second, int64_t *ret)
{
	struct tm tm;

	if (!break_down(second, &tm))
		return false;
	*ret = seconds_of(&tm) - second;
	return true;
}

/* Says whether local time is `east` seconds ahead of UTC at a second, and the zone has that name
 * (NULL: any). Is false for 23:59:60, which nobody types. */
static bool has_offset(int64_t second, int64_t east, const char *name)
{
	struct tm tm;

	return break_down(second, &tm) && seconds_of(&tm) - second == east && tm.tm_sec < 60 &&
	       (!name || !strcmp(tm.tm_zone, name));
}

int64_t tsh_add_leap_seconds(int64_t second)
{
	int64_t leaps = 0;
	struct tm tm;
	int i;

	/* tries again near a leap second; nobody types 23:59:60 */
	for (i = 0; i < 2; i++)
		if (break_down(second + leaps, &tm))
			leaps += second + tm.tm_gmtoff - seconds_of(&tm) + (tm.tm_sec == 60);
	return second + leaps;
}

bool tsh_local_date(int64_t second, struct tsh_date *ret)
{
	int64_t east;

	if (!east_of(second, &east))
		return false;
	tsh_utc_date(second + east, ret);
	return true;
}

/*
 * Converts a local time. mktime(3) does not report a local time that came twice, and in some
 * libraries not one that never came. So the offsets a day before and a day after are tried: a zone
 * changes at most once in that time.
 */
enum tsh_local_result tsh_local_second(int64_t local, const char *name, int64_t *ret_second)
{
	int64_t before, after, early, late;
	bool is_early, is_late;

	if (!east_of(local - DAY_S, &before) || !east_of(local + DAY_S, &after))
		return TSH_LOCAL_BEYOND;
	early = local - before;
	late = local - after;
	is_early = has_offset(early, before, name);
	is_late = has_offset(late, after, name);
	*ret_second = is_early || !is_late ? early : late;
	if (!is_early && !is_late)
		return TSH_LOCAL_NONE;
	return is_early && is_late && early != late ? TSH_LOCAL_TWOFOLD : TSH_LOCAL_ONE;
}
