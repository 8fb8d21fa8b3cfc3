/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "clock.h"
#include "local.h"

#define NS_PER_S INT64_C(1000000000)
#define DATE_LEN 19			/* 2024-01-02T22:47:33 */

/* Reads RFC 3339 as machines write it. Must be quick, for each event of a stream, so it does not
 * use tsh_moment_parse. */

/* Reads n digits; returns -1 when there are fewer. */
static int read_digits(const char *p, int n)
{
	int value = 0;

	for (; n; n--, p++) {
		if (*p < '0' || *p > '9')
			return -1;
		value = value * 10 + (*p - '0');
	}
	return value;
}

/* Reads date and time of day as seconds, as if they were in UTC. */
static bool read_date(const char *p, int64_t *ret)
{
	struct tsh_date date = { read_digits(p, 4), read_digits(p + 5, 2), read_digits(p + 8, 2) };
	int hour = read_digits(p + 11, 2), minute = read_digits(p + 14, 2);
	int second = read_digits(p + 17, 2);

	if (p[4] != '-' || p[7] != '-' || p[10] != 'T' || p[13] != ':' || p[16] != ':')
		return false;
	/* accepts 23:59:60, a leap second */
	if (date.year < 1969 || date.year > 2262 || date.month < 1 || date.month > 12 ||
	    date.day < 1 || date.day > tsh_days_of_month(date.year, date.month) || hour < 0 ||
	    hour > 23 || minute < 0 || minute > 59 || second < 0 || second > 60)
		return false;
	*ret = tsh_days_since_1970(&date) * 86400 + hour * 3600 + minute * 60 + second;
	return true;
}

/* Reads ".843825123", which may be missing. Returns what follows it, or NULL. */
static const char *read_fraction(const char *p, const char *end, int64_t *ret_ns)
{
	int64_t unit = NS_PER_S;

	*ret_ns = 0;
	if (p == end || *p != '.')
		return p;
	for (p++; p < end && *p >= '0' && *p <= '9' && unit > 1; p++) {
		unit /= 10;
		*ret_ns += (*p - '0') * unit;
	}
	return unit == NS_PER_S ? NULL : p;
}

/* Reads "Z" or "+08:00" as seconds ahead of UTC. */
static bool read_offset(const char *p, const char *end, int64_t *ret)
{
	int hours, minutes;

	*ret = 0;
	if (end - p == 1)
		return *p == 'Z';
	if (end - p != 6 || (*p != '+' && *p != '-') || p[3] != ':')
		return false;
	hours = read_digits(p + 1, 2);
	minutes = read_digits(p + 4, 2);
	if (hours < 0 || hours > 23 || minutes < 0 || minutes > 59)
		return false;
	*ret = hours * 3600 + minutes * 60;
	if (*p == '-')
		*ret = -*ret;
	return true;
}

bool tsh_time_read_iso(const char *text, size_t len, int64_t *ret_wall)
{
	const char *p = text + DATE_LEN, *end = text + len;
	int64_t second, ns, east, wall;

	if (len <= DATE_LEN || !read_date(text, &second))
		return false;
	p = read_fraction(p, end, &ns);
	if (!p || !read_offset(p, end, &east))
		return false;
	second -= east;
	if (second < 0 || __builtin_mul_overflow(second, NS_PER_S, &wall) ||
	    __builtin_add_overflow(wall, ns, &wall))
		return false;
	*ret_wall = wall;
	return true;
}
