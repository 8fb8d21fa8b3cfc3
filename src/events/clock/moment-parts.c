/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "moment-read.h"

#include <string.h>

#define HINT "moments look like 22:47:33, '2024-01-02 22:47:33', 2024-01-02T22:47:33Z, " \
	     "@1704206853.8, -5s, now; dates can be copied from logs as they are"
#define NO_ZONE "the text after the time is not a time zone: use Z, +08:00 or +0800"
/* Limits how much of the text a message repeats. */
#define SHOWN 40
#define QUOTED "'%.*s'"
#define QUOTE(text) SHOWN, (text)

static const char *const month_names[] = {
	"January", "February", "March", "April", "May", "June", "July", "August", "September",
	"October", "November", "December",
};

static const char *const day_names[] = {
	"Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday",
};

/* ---- errors ---- */

int moment_blame(const struct reading *r, const char *from, const char *to)
{
	/* An empty range leaves the span {0, 0}: the whole text. */
	if (to > from)
		r->err->span = (struct tsh_span){ (size_t)(from - r->copy),
						  (size_t)(to - r->copy) };
	return -1;
}

int moment_refuse(const struct reading *r, const char *why)
{
	tsh_err_set(r->err, TSH_USAGE, QUOTED ": %s", QUOTE(r->text), why);
	tsh_err_hint(r->err, "%s", HINT);
	return -1;
}

int moment_refuse_at(const struct reading *r, const char *from, const char *why)
{
	moment_refuse(r, why);
	return moment_blame(r, from, from + strcspn(from, " "));
}

int moment_refuse_range(const struct reading *r)
{
	tsh_err_set(r->err, TSH_USAGE, QUOTED " is not between the years 1970 and 2262",
		    QUOTE(r->text));
	return -1;
}

/* ---- pieces ---- */

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

bool moment_read_char(struct reading *r, char c)
{
	if (*r->p != c)
		return false;
	r->p++;
	return true;
}

void moment_skip_blanks(struct reading *r)
{
	while (*r->p == ' ')
		r->p++;
}

bool moment_read_digits(struct reading *r, unsigned int least, unsigned int most, int *ret)
{
	unsigned int n = 0;
	int value = 0;

	while (is_digit(r->p[n])) {
		if (++n > most)
			return false;
		value = value * 10 + (r->p[n - 1] - '0');
	}
	if (n < least)
		return false;
	r->p += n;
	*ret = value;
	return true;
}

bool moment_read_fraction(struct reading *r, uint64_t *ret_ns, uint64_t *ret_width)
{
	uint64_t ns = 0, width = NS_PER_S;

	for (; is_digit(*r->p); r->p++) {
		width /= 10;
		if (!width)
			return false;
		ns += (uint64_t)(*r->p - '0') * width;
	}
	*ret_ns = ns;
	*ret_width = width;
	return width < NS_PER_S;
}

/* Reads one of the names, in full or its first three letters. Returns its number, or -1. */
static int read_name(struct reading *r, const char *const *names, int n)
{
	size_t len;
	int i;

	for (i = 0; i < n; i++) {
		len = strlen(names[i]);
		if (strncmp(r->p, names[i], len) != 0 || is_letter(r->p[len]))
			len = 3;
		if (!strncmp(r->p, names[i], len) && !is_letter(r->p[len])) {
			r->p += len;
			return i;
		}
	}
	return -1;
}

bool moment_read_weekday(struct reading *r)
{
	int day = read_name(r, day_names, 7);

	if (day < 0)
		return false;
	r->weekday = day;
	moment_read_char(r, ',');
	moment_skip_blanks(r);
	return true;
}

bool moment_read_month(struct reading *r, int *ret)
{
	int month = read_name(r, month_names, 12);

	*ret = month + 1;
	return month >= 0;
}

/* ---- a time and its zone ---- */

static int refuse_date(const struct reading *r, const struct tsh_date *d, const char *at)
{
	int days = tsh_days_of_month(d->year, d->month);

	tsh_err_set(r->err, TSH_USAGE, QUOTED ": %s %d has %d days", QUOTE(r->text),
		    month_names[d->month - 1], d->year, days);
	return moment_blame(r, at, at + strcspn(at, " T:"));
}

int moment_check_date(const struct reading *r, const struct tsh_date *d, const char *at)
{
	int weekday;

	if (d->month < 1 || d->month > 12) {
		moment_refuse(r, "months are 01 to 12");
		return moment_blame(r, at, at + strcspn(at, " T:"));
	}
	if (d->year < 1970 || d->year > 2262)
		return moment_refuse_range(r);
	if (d->day < 1 || d->day > tsh_days_of_month(d->year, d->month))
		return refuse_date(r, d, at);
	/* 1970 began on a Thursday */
	weekday = (int)((tsh_days_since_1970(d) + 4) % 7);
	if (r->weekday < 0 || r->weekday == weekday)
		return 0;
	tsh_err_set(r->err, TSH_USAGE, QUOTED ": %d %s %d is a %s", QUOTE(r->text), d->day,
		    month_names[d->month - 1], d->year, day_names[weekday]);
	return moment_blame(r, r->copy, r->copy + strcspn(r->copy, " ,"));
}

/* Refuses two digits at `from` that are too large. */
static int refuse_number(const struct reading *r, const char *from, const char *why)
{
	moment_refuse(r, why);
	return moment_blame(r, from, from + strspn(from, "0123456789"));
}

/* Reads ":33.843825". */
static int read_seconds(struct reading *r, int *ret, uint64_t *ret_ns)
{
	const char *from;

	if (!moment_read_char(r, ':'))
		return 0;
	from = r->p;
	r->m->width = NS_PER_S;
	if (!moment_read_digits(r, 2, 2, ret))
		return moment_refuse_at(r, from, "seconds have two digits");
	if (*ret > 59)
		return refuse_number(r, from, "seconds are 00 to 59");
	if (!moment_read_char(r, '.') && !moment_read_char(r, ','))
		return 0;
	from = r->p;
	if (!moment_read_fraction(r, ret_ns, &r->m->width))
		return moment_refuse_at(r, from, "write one to nine digits after the dot");
	return 0;
}

/* Reads " AM" or " PM", as date(1) prints in some languages, and corrects the hour. */
static int read_half(struct reading *r, const char *hour_text, int *hour)
{
	bool is_pm = !strncmp(r->p, " PM", 3);

	if ((!is_pm && strncmp(r->p, " AM", 3) != 0) || is_letter(r->p[3]))
		return 0;
	if (*hour < 1 || *hour > 12)
		return refuse_number(r, hour_text, "hours with AM and PM are 1 to 12");
	*hour = *hour % 12 + is_pm * 12;
	r->p += 3;
	return 0;
}

/* Reads "22:47", "22:47:33" or "22:47:33.843825": the second of the day, and ns. */
static int read_clock(struct reading *r, int *ret_second, uint64_t *ret_ns)
{
	const char *from = r->p, *minutes;
	int hour, minute, second = 0;

	*ret_ns = 0;
	r->m->width = 60 * (uint64_t)NS_PER_S;
	if (!moment_read_digits(r, 1, 2, &hour) || !moment_read_char(r, ':'))
		return moment_refuse_at(r, from, "this is no time of day");
	minutes = r->p;
	if (!moment_read_digits(r, 2, 2, &minute))
		return moment_refuse_at(r, from, "this is no time of day");
	if (hour > 23)
		return refuse_number(r, from, "hours are 00 to 23");
	if (minute > 59)
		return refuse_number(r, minutes, "minutes are 00 to 59");
	if (read_seconds(r, &second, ret_ns) < 0 || read_half(r, from, &hour) < 0)
		return -1;
	*ret_second = (hour * 60 + minute) * 60 + second;
	return 0;
}

/* Says whether a word like "CET" follows. Only when the time is known can it be checked against the
 * zone's name. */
static bool is_zone_name(const char *p)
{
	size_t len = strspn(p, "ABCDEFGHIJKLMNOPQRSTUVWXYZ");

	return len >= 3 && !p[len];
}

static bool is_utc(const char *p)
{
	static const char *const names[] = { "", "Z", "z", "UTC", "GMT", "UT" };
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!strcmp(p, names[i]))
			return true;
	return false;
}

/* Reads "Z", "UTC", "+08:00", "+0800", "+08", " +0800": seconds to the east. */
static int read_zone(struct reading *r, bool *ret_has, int *ret_east)
{
	int sign, hours, minutes = 0;
	const char *from;

	moment_skip_blanks(r);
	from = r->p;
	*ret_has = *r->p != '\0';
	*ret_east = 0;
	if (is_utc(r->p))
		return 0;
	if (is_zone_name(r->p)) {
		r->zone_name = r->p;
		*ret_has = false;
		return 0;
	}
	if (*r->p != '+' && *r->p != '-')
		return moment_refuse_at(r, from, NO_ZONE);
	sign = *r->p++ == '-' ? -1 : 1;
	if (is_digit(r->p[0]) && is_digit(r->p[1])) {
		hours = (r->p[0] - '0') * 10 + (r->p[1] - '0');
		r->p += 2;
		if ((!moment_read_char(r, ':') && !*r->p) || moment_read_digits(r, 2, 2, &minutes)) {
			*ret_east = sign * (hours * 60 + minutes) * 60;
			if (!*r->p && hours < 24 && minutes < 60)
				return 0;
		}
	}
	return moment_refuse_at(r, from, NO_ZONE);
}

/* Refuses a local time. `east` is the offset of a clock that was not set forward. */
static int refuse_local(const struct reading *r, enum tsh_local_result result, int64_t east)
{
	/* ignores leap seconds, which some zones count */
	int minutes = (int)((east < 0 ? -east : east) + 30) / 60;

	if (result == TSH_LOCAL_BEYOND) {
		tsh_err_set(r->err, TSH_USAGE, QUOTED ": local times of this system end in 2038",
			    QUOTE(r->text));
		tsh_err_hint(r->err, "give it in UTC: 2040-01-02T22:47:33Z");
		return -1;
	}
	tsh_err_set(r->err, TSH_USAGE, QUOTED " did not exist in this zone: the clocks were set "
					      "forward over it", QUOTE(r->text));
	tsh_err_hint(r->err, "by a clock that was not set forward: '%.*s%c%02d:%02d'",
		     QUOTE(r->text), east < 0 ? '-' : '+', minutes / 60, minutes % 60);
	return -1;
}

static int refuse_name(const struct reading *r)
{
	moment_refuse_at(r, r->zone_name,
			 "the present zone has another name at that time: use an offset such as +08:00");
	return -1;
}

/* Converts a second of a calendar to one since 1970. */
static int place(struct reading *r, const struct tsh_date *d, int of_day, uint64_t ns,
		 bool has_zone, int east)
{
	int64_t second = tsh_days_since_1970(d) * 86400 + of_day, found = second - east;
	enum tsh_local_result result;

	if (has_zone) {
		found = tsh_add_leap_seconds(found);
	} else {
		result = tsh_local_second(second, r->zone_name, &found);
		if (result == TSH_LOCAL_NONE && r->zone_name)
			return refuse_name(r);
		if (result == TSH_LOCAL_BEYOND || result == TSH_LOCAL_NONE)
			return refuse_local(r, result, second - found);
		r->m->is_twofold = result == TSH_LOCAL_TWOFOLD;
	}
	if (found < 0 || __builtin_mul_overflow(found, NS_PER_S, &r->m->wall) ||
	    __builtin_add_overflow(r->m->wall, (int64_t)ns, &r->m->wall))
		return moment_refuse_range(r);
	return 0;
}

/* Returns the date at a moment, in the present zone or with the offset `east`. */
static bool date_of(int64_t wall, bool has_zone, int east, struct tsh_date *ret)
{
	int64_t second = wall / NS_PER_S - (wall % NS_PER_S < 0);

	if (!has_zone)
		return tsh_local_date(second, ret);
	tsh_utc_date(second + east, ret);
	return true;
}

int moment_today(const struct reading *r, struct tsh_date *ret)
{
	return date_of(r->now, false, 0, ret) ? 0 : refuse_local(r, TSH_LOCAL_BEYOND, 0);
}

int moment_read_time_of_day(struct reading *r)
{
	struct tsh_date date;
	int of_day, east;
	uint64_t ns;
	bool has_zone;

	if (read_clock(r, &of_day, &ns) < 0 || read_zone(r, &has_zone, &east) < 0)
		return -1;
	if (!date_of(r->now, has_zone, east, &date))
		return refuse_local(r, TSH_LOCAL_BEYOND, 0);
	if (place(r, &date, of_day, ns, has_zone, east) < 0)
		return -1;
	if (r->m->wall <= r->now || r->m->wall - r->now <= AHEAD_NS)
		return 0;
	tsh_utc_date((tsh_days_since_1970(&date) - 1) * 86400, &date);
	return place(r, &date, of_day, ns, has_zone, east);
}

int moment_read_time_of(struct reading *r, const struct tsh_date *date, const char *at)
{
	int of_day, east;
	uint64_t ns;
	bool has_zone;

	if (read_clock(r, &of_day, &ns) < 0 || read_zone(r, &has_zone, &east) < 0 ||
	    moment_check_date(r, date, at) < 0)
		return -1;
	return place(r, date, of_day, ns, has_zone, east);
}
