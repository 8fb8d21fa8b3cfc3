/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "moment.h"

#include <errno.h>
#include <string.h>
#include <time.h>

#include "base/number.h"
#include "moment-read.h"

/* ---- forms without a calendar ---- */

/* Reads seconds with an optional fraction as ns. *ret_width is the unit of the last
 * digit, in ns. */
static int read_seconds(struct reading *r, uint64_t *ret_ns, uint64_t *ret_width)
{
	uint64_t seconds = 0, fraction = 0;
	bool overflow = false;
	const char *from = r->p;

	for (; *r->p >= '0' && *r->p <= '9'; r->p++) {
		overflow |= __builtin_mul_overflow(seconds, (uint64_t)10, &seconds);
		overflow |= __builtin_add_overflow(seconds, (uint64_t)(*r->p - '0'), &seconds);
	}
	*ret_width = NS_PER_S;
	if (r->p == from ||
	    (moment_read_char(r, '.') && !moment_read_fraction(r, &fraction, ret_width)) || *r->p)
		return -EINVAL;
	overflow |= __builtin_mul_overflow(seconds, (uint64_t)NS_PER_S, &seconds);
	overflow |= __builtin_add_overflow(seconds, fraction, ret_ns);
	return overflow ? -ERANGE : 0;
}

/* Reads "-5s", "+1m", "-2h30m". */
static int read_relative(struct reading *r)
{
	bool back = *r->p == '-';
	const char *bad;
	uint64_t ns;
	int64_t wall;
	int number = tsh_scan_time(r->p + 1, &ns, &bad);

	if (number == -EINVAL) {
		moment_refuse_at(r, bad, "this is not a time relative to now");
		tsh_err_hint(r->err, "such times look like -5s, -1.5h, -1m30s, -2h30m, -1d: units "
				     "are d h m s ms us ns, the larger first");
		return -1;
	}
	if (number || ns > INT64_MAX ||
	    (back ? __builtin_sub_overflow(r->now, (int64_t)ns, &wall) :
		    __builtin_add_overflow(r->now, (int64_t)ns, &wall)) || wall < 0)
		return moment_refuse_range(r);
	r->m->wall = wall;
	r->m->width = 1;
	return 0;
}

/* Reads "@1704206853.8". */
static int read_epoch(struct reading *r)
{
	uint64_t ns;
	int number;

	r->p++;
	number = read_seconds(r, &ns, &r->m->width);
	if (number == -EINVAL)
		return moment_refuse(r, "write the seconds since 1970 after @, with at most nine "
					"digits after the dot");
	if (number || ns > INT64_MAX)
		return moment_refuse_range(r);
	r->m->wall = (int64_t)ns;
	return 0;
}

/* Reads a stamp as the kernel prints it before an event: "12345.678901", "67368528". */
static int read_stamp(struct reading *r)
{
	struct tsh_moment *m = r->m;
	uint64_t width = 1;
	int number;

	m->is_stamp = true;
	m->width = 1;
	m->bare = !strchr(r->p, '.');
	number = m->bare ? tsh_parse_u64(r->p, &m->stamp) : read_seconds(r, &m->stamp, &width);
	if (number == -ERANGE)
		return moment_refuse(r, "this is more than a trace clock can count");
	if (number)
		return moment_refuse(r, "a time of the trace clock has one to nine digits behind "
				     "the dot");
	/* the kernel has rounded to the last digit */
	m->rounding_ns = width / 2;
	return 0;
}

/* ---- "2024-01-02 22:47:33", "2024-01-02T22:47:33+08:00", "2024/01/02 22:47:33" ---- */

static int refuse_day(const struct reading *r)
{
	tsh_err_set(r->err, TSH_USAGE, "'%s' is a day without a time", r->text);
	tsh_err_hint(r->err, "date and time are one word: '2024-01-02 22:47:33' in quotes, "
			     "or with a T between them");
	return -1;
}

static int read_date(struct reading *r)
{
	const char *at = r->p;
	struct tsh_date date;
	char between;

	if (!moment_read_digits(r, 4, 4, &date.year))
		return moment_refuse_at(r, at, "dates look like 2024-01-02");
	between = *r->p++;
	if (!moment_read_digits(r, 2, 2, &date.month) || !moment_read_char(r, between) ||
	    !moment_read_digits(r, 2, 2, &date.day))
		return moment_refuse_at(r, at, "dates look like 2024-01-02");
	if (!*r->p)
		return moment_check_date(r, &date, at) < 0 ? -1 : refuse_day(r);
	if (!moment_read_char(r, 'T') && !moment_read_char(r, 't') && !moment_read_char(r, ' '))
		return moment_refuse_at(r, r->p,
					"write a blank or a T after the date, then the time");
	moment_skip_blanks(r);
	return moment_read_time_of(r, &date, at);
}

/* ---- which form it is ---- */

static int refuse_any(const struct reading *r)
{
	uint64_t ns;

	moment_refuse(r, "this is no moment");
	if (!tsh_parse_time(r->text, &ns))
		tsh_err_hint(r->err, "did you mean '-%s'? That is so long ago", r->text);
	return -1;
}

static int read_any(struct reading *r)
{
	size_t digits;
	int found;

	if (!strcmp(r->p, "now")) {
		r->m->wall = r->now;
		r->m->width = 1;
		return 0;
	}
	if (*r->p == '-' || *r->p == '+')
		return read_relative(r);
	if (*r->p == '@')
		return read_epoch(r);
	if (moment_read_log(r, &found))
		return found;
	digits = strspn(r->p, "0123456789");
	if (digits && (r->p[digits] == '-' || r->p[digits] == '/'))
		return read_date(r);
	if (r->weekday >= 0)
		return refuse_any(r);
	if (digits && r->p[digits] == ':')
		return moment_read_time_of_day(r);
	if (digits && (!r->p[digits] || r->p[digits] == '.'))
		return read_stamp(r);
	return refuse_any(r);
}

int tsh_moment_parse(const char *text, int64_t now, struct tsh_moment *ret, struct tsh_err *err)
{
	struct tsh_moment m = { 0 };
	struct reading r = { .text = text, .p = r.copy, .now = now, .weekday = -1, .err = err,
			     .m = &m };
	size_t len = strlen(text);

	if (!len)
		return moment_refuse(&r, "the text is empty");
	if (len > MOMENT_MAX)
		return moment_refuse(&r, "this is too long for a moment");
	memcpy(r.copy, text, len + 1);
	/* localtime_r need not do this */
	tzset();
	if (read_any(&r) < 0)
		return -1;
	*ret = m;
	return 0;
}
