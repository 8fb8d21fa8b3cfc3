/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "moment-read.h"

#include <string.h>

#define DIGITS "0123456789"

static size_t digits_at(const char *p)
{
	return strspn(p, DIGITS);
}

static bool is_year(const char *p)
{
	return digits_at(p) == 4;
}

/* Cuts `tail`, and blanks before it, off the end of a text. */
static void cut_tail(char *begin, char *tail)
{
	while (tail > begin && tail[-1] == ' ')
		tail--;
	*tail = '\0';
}

/* Cuts off the year that date(1) and ctime(3) print last, and returns it; 0: there is none. */
static int cut_year(char *text)
{
	char *last = strrchr(text, ' ');
	int year = 0, i;

	if (!last || !is_year(last + 1) || last[5])
		return 0;
	for (i = 1; i <= 4; i++)
		year = year * 10 + (last[i] - '0');
	cut_tail(text, last);
	return year;
}

/* ---- "Nov 22 02:41:41", "Nov 22 02:41:41 CET 2026" ---- */

/* Moves a 29 February back to the last year that has one. */
static void last_with_that_day(struct tsh_date *date)
{
	if (date->month != 2 || date->day != 29)
		return;
	while (tsh_days_of_month(date->year, 2) < 29)
		date->year--;
}

/* Reads a date without a year: the latest one in the past. */
static int read_of_last_year(struct reading *r, struct tsh_date *date, const char *at)
{
	const char *time = r->p;
	struct tsh_date today;

	if (moment_today(r, &today) < 0)
		return -1;
	/* The time of day is not read yet, so tomorrow's date is allowed here. */
	date->year = today.year;
	last_with_that_day(date);
	if (tsh_days_since_1970(date) > tsh_days_since_1970(&today) + 1) {
		date->year--;
		last_with_that_day(date);
	}
	if (moment_read_time_of(r, date, at) < 0)
		return -1;
	if (r->m->wall <= r->now || r->m->wall - r->now <= AHEAD_NS)
		return 0;
	date->year--;
	last_with_that_day(date);
	r->p = time;
	return moment_read_time_of(r, date, at);
}

/* Reads a date with the month first; `r->p` is behind the month. */
static int read_month_first(struct reading *r, struct tsh_date *date, const char *at)
{
	char *rest = r->copy + (r->p - r->copy);

	date->year = cut_year(rest);
	moment_skip_blanks(r);
	if (!moment_read_digits(r, 1, 2, &date->day) || *r->p != ' ') {
		moment_refuse_at(r, r->copy + strspn(r->copy, "["),
				 "write the day and the time after the month");
		tsh_err_hint(r->err, "as one word, in quotes: 'Jan  2 22:47:33'");
		return -1;
	}
	moment_skip_blanks(r);
	return date->year ? moment_read_time_of(r, date, at) : read_of_last_year(r, date, at);
}

/* ---- "22 Nov 2026 02:41:41 +0100", "22/Nov/2026:02:41:41 +0000" ---- */

static int refuse_order(const struct reading *r, const char *from)
{
	moment_refuse_at(r, from, "this is not a date of a mail or a web server");
	tsh_err_hint(r->err, "they look like 'Sun, 22 Nov 2026 02:41:41 +0100' and "
			     "22/Nov/2026:02:41:41 +0000");
	return -1;
}

/* Cuts off the remark behind a mail's date: "+0100 (CET)". */
static void cut_remark(char *text)
{
	char *open = strrchr(text, '(');

	if (open && open > text && open[-1] == ' ' && text[strlen(text) - 1] == ')')
		cut_tail(text, open);
}

static int read_day_first(struct reading *r)
{
	const char *at = r->p, *part;
	struct tsh_date date;
	char between;

	if (!moment_read_digits(r, 1, 2, &date.day))
		return refuse_order(r, at);
	between = *r->p++;
	part = r->p;
	if (!moment_read_month(r, &date.month)) {
		moment_refuse(r, "this is no month");
		tsh_err_hint(r->err, "months are Jan, Feb, Mar, Apr, May, Jun, Jul, Aug, Sep, Oct, "
				     "Nov, Dec");
		return moment_blame(r, part, part + strcspn(part, " /:"));
	}
	if (!moment_read_char(r, between))
		return refuse_order(r, part);
	part = r->p;
	if (!is_year(part)) {
		moment_refuse(r, "years have four digits");
		return moment_blame(r, part, part + strcspn(part, " /:"));
	}
	moment_read_digits(r, 4, 4, &date.year);
	if (!*r->p)
		return moment_refuse_at(r, part, "write the time after the year");
	if (!moment_read_char(r, between == '/' ? ':' : ' '))
		return refuse_order(r, part);
	moment_skip_blanks(r);
	if (between == ' ')
		cut_remark(r->copy);
	return moment_read_time_of(r, &date, at);
}

/* ---- the form ---- */

/* Removes brackets: "[22/Nov/2026:02:41:41 +0000]", "[Sun Nov 22 02:41:41 2026]". */
static void strip_brackets(struct reading *r)
{
	size_t len = strlen(r->p);

	if (*r->p != '[' || r->p[len - 1] != ']')
		return;
	r->copy[(size_t)(r->p - r->copy) + len - 1] = '\0';
	r->p++;
}

/* Says whether the day is first: "22 Nov", "22/Nov". Accepts any word as the month, to report a
 * wrong one. */
static bool is_day_first(const char *p)
{
	size_t digits = digits_at(p);

	return digits && digits <= 2 && (p[digits] == '/' || p[digits] == ' ') &&
	       p[digits + 1] && !strchr(DIGITS " ", p[digits + 1]);
}

bool moment_read_log(struct reading *r, int *ret)
{
	const char *begin = r->p, *at;
	struct tsh_date date;

	strip_brackets(r);
	moment_read_weekday(r);
	at = r->p;
	if (moment_read_month(r, &date.month)) {
		*ret = read_month_first(r, &date, at);
		return true;
	}
	if (is_day_first(r->p)) {
		*ret = read_day_first(r);
		return true;
	}
	/* systemd prints "Sun 2026-11-22 02:41:41 CET" */
	if (r->weekday < 0)
		r->p = begin;
	return false;
}
