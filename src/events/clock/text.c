/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "clock.h"

#include <limits.h>

#include "last-per-task.h"

#define NS_PER_S 1000000000
#define NS_PER_MS 1000000
#define DAY_S 86400
#define NO_DAY INT_MIN
/* Sets the size of copies of the cached text: a fixed size is quicker than the exact one. The cache
 * is larger. */
#define CACHE_COPY 32

const char *const tsh_time_style_names[] = {
	[TSH_TIME_WALL] = "wall",
	[TSH_TIME_SHORT] = "short",
	[TSH_TIME_ISO] = "iso",
	[TSH_TIME_UTC] = "utc",
	[TSH_TIME_REL] = "rel",
	[TSH_TIME_DELTA] = "delta",
	[TSH_TIME_DELTA_CPU] = "delta-cpu",
	[TSH_TIME_DELTA_TASK] = "delta-task",
	[TSH_TIME_TRACE] = "trace",
	[TSH_TIME_NONE] = "none",
	NULL
};

const char *tsh_time_style_since(enum tsh_time_style style)
{
	switch (style) {
	case TSH_TIME_REL:
		return "times since the first line";
	case TSH_TIME_DELTA:
		return "times since the line before";
	case TSH_TIME_DELTA_CPU:
		return "times since the line before on the same CPU";
	case TSH_TIME_DELTA_TASK:
		return "times since the line before of the same task";
	default:
		return NULL;
	}
}

static const char digit_pairs[] =
	"00010203040506070809101112131415161718192021222324"
	"25262728293031323334353637383940414243444546474849"
	"50515253545556575859606162636465666768697071727374"
	"75767778798081828384858687888990919293949596979899";

struct moment {
	int year;
	unsigned int month, day, hour, minute, second;
	int day_number;		/* days since 1970 */
	int east;		/* seconds that local time is ahead of UTC */
};

static char *write2(char *p, uint32_t value)
{
	memcpy(p, digit_pairs + value * 2, 2);
	return p + 2;
}

static char *write3(char *p, uint32_t value)
{
	*p++ = (char)('0' + value / 100);
	return write2(p, value % 100);
}

static char *write6(char *p, uint32_t value)
{
	p = write2(p, value / 10000);
	p = write2(p, value / 100 % 100);
	return write2(p, value % 100);
}

/* Writes nine digits behind a dot, or six that are rounded already. */
static char *write_fraction(char *p, uint32_t ns, bool nine)
{
	uint32_t us = ns / 1000;

	p = write6(p, us);
	if (!nine)
		return p;
	return write3(p, ns - us * 1000);
}

static int64_t floor_div(int64_t a, int64_t b)
{
	return a / b - (a % b < 0);
}

/* Converts to the proleptic Gregorian calendar, by eras of 400 years that begin in March, so that a
 * leap day is the last day of its year. */
static void fill_date(struct moment *m, int64_t day_number)
{
	int64_t days = day_number + 719468; /* days since 0000-03-01 */
	int64_t era = floor_div(days, 146097);
	unsigned int of_era = (unsigned int)(days - era * 146097);
	unsigned int year = (of_era - of_era / 1460 + of_era / 36524 - of_era / 146096) / 365;
	unsigned int of_year = of_era - (365 * year + year / 4 - year / 100);
	unsigned int month = (5 * of_year + 2) / 153; /* 0 is March */

	m->day_number = (int)day_number;
	m->day = of_year - (153 * month + 2) / 5 + 1;
	m->month = month < 10 ? month + 3 : month - 9;
	m->year = (int)(year + era * 400) + (m->month <= 2);
}

static void fill_utc(struct moment *m, int64_t second)
{
	int64_t day = floor_div(second, DAY_S);
	unsigned int of_day = (unsigned int)(second - day * DAY_S);

	fill_date(m, day);
	m->hour = of_day / 3600;
	m->minute = of_day / 60 % 60;
	m->second = of_day % 60;
	m->east = 0;
}

/* Fills in local time; UTC when the C library's time_t ends in 2038, and the time is later. */
static void fill_local(struct moment *m, int64_t second)
{
	time_t t = (time_t)second;
	struct moment day;
	struct tm tm;

	if ((int64_t)t != second || !localtime_r(&t, &tm)) {
		fill_utc(m, second);
		return;
	}
	m->year = tm.tm_year + 1900;
	m->month = (unsigned int)tm.tm_mon + 1;
	m->day = (unsigned int)tm.tm_mday;
	m->hour = (unsigned int)tm.tm_hour;
	m->minute = (unsigned int)tm.tm_min;
	m->second = (unsigned int)tm.tm_sec;
	m->east = (int)tm.tm_gmtoff;
	m->day_number = (int)floor_div(second + m->east, DAY_S);
	/* In zones of right/, seconds include leap seconds, so the day may be one too many. */
	fill_date(&day, m->day_number);
	m->day_number -= day.day != m->day;
}

static char *write_date(char *p, const struct moment *m)
{
	p = write2(p, (uint32_t)m->year / 100 % 100);
	p = write2(p, (uint32_t)m->year % 100);
	*p++ = '-';
	p = write2(p, m->month);
	*p++ = '-';
	return write2(p, m->day);
}

static char *write_clock(char *p, const struct moment *m)
{
	p = write2(p, m->hour);
	*p++ = ':';
	p = write2(p, m->minute);
	*p++ = ':';
	p = write2(p, m->second % 100);
	*p++ = '.';
	return p;
}

static char *write_zone(char *p, const struct moment *m, const char *colon)
{
	uint32_t minutes = (uint32_t)(m->east < 0 ? -m->east : m->east) / 60;

	*p++ = m->east < 0 ? '-' : '+';
	p = write2(p, minutes / 60 % 100);
	while (*colon)
		*p++ = *colon++;
	return write2(p, minutes % 60);
}

/* Fills the cache for a second. */
static void __attribute__((noinline, cold)) render(struct tsh_time_text *t, int64_t second)
{
	struct moment m;
	char *p = t->cache;

	t->span = 0;
	/* computes modulo 2^64: the first second of the int64 begins before the range */
	t->second = (int64_t)((uint64_t)second * NS_PER_S);
	if (t->style == TSH_TIME_UTC)
		fill_utc(&m, second);
	else
		fill_local(&m, second);
	t->cache_day = m.day_number;
	if (t->style != TSH_TIME_SHORT) {
		p = write_date(p, &m);
		*p++ = t->style == TSH_TIME_WALL ? ' ' : 'T';
	}
	t->len = (size_t)(write3(write_clock(p, &m), 0) - t->cache);
	t->zone_len = 0;
	if (t->style == TSH_TIME_UTC)
		t->zone[t->zone_len++] = 'Z';
	else if (t->style == TSH_TIME_ISO)
		t->zone_len = (size_t)(write_zone(t->zone, &m, ":") - t->zone);
}

/* Moves the cache to the millisecond that is to be printed. Returns the ns within it. */
static uint32_t move_cache(struct tsh_time_text *t, int64_t wall)
{
	/* does not round beyond the largest time */
	unsigned int more = t->ns || wall > INT64_MAX - 500 ? 0 : 500;
	uint64_t rounded = (uint64_t)wall + more, start;
	uint32_t ms;

	if (rounded - (uint64_t)t->second >= NS_PER_S)
		render(t, floor_div((int64_t)rounded, NS_PER_S));
	ms = (uint32_t)(rounded - (uint64_t)t->second) / NS_PER_MS;
	start = (uint64_t)t->second + (uint64_t)ms * NS_PER_MS;
	write3(t->cache + t->len - 3, ms);
	t->start = start - more;
	t->span = start > INT64_MAX - NS_PER_MS && start <= INT64_MAX ? 0 : NS_PER_MS;
	return (uint32_t)(rounded - start);
}

void tsh_time_text_init(struct tsh_time_text *t, enum tsh_time_style style, bool ns)
{
	memset(t, 0, sizeof(*t));
	t->style = style;
	t->ns = ns;
	t->day = NO_DAY;
	tsh_time_text_set_task(t, -1, -1);
	/* localtime_r need not do this */
	tzset();
	/* ensures that the cache always has a second */
	render(t, 0);
}

void tsh_time_text_release(struct tsh_time_text *t)
{
	lasts_free(t->lasts);
	t->lasts = NULL;
}

void tsh_time_text_note_loss(struct tsh_time_text *t)
{
	if (t->style == TSH_TIME_DELTA_TASK && t->lasts)
		lasts_forget(t->lasts);
}

/* Writes the cache, and the digits behind it. */
static inline char *write_rest(const struct tsh_time_text *t, char *p, uint32_t ns)
{
	uint32_t us = ns / 1000;

	memcpy(p, t->cache, CACHE_COPY);
	p = write3(p + t->len, us);
	if (t->ns)
		p = write3(p, ns - us * 1000);
	memcpy(p, t->zone, sizeof(t->zone));
	return p + t->zone_len;
}

/* Stays out of line, so that the common path needs few registers. */
static char *__attribute__((noinline)) write_anew(struct tsh_time_text *t, char *p, int64_t wall)
{
	uint32_t ns = move_cache(t, wall);

	return write_rest(t, p, ns);
}

char *tsh_time_text_write(struct tsh_time_text *t, char *p, int64_t wall)
{
	uint64_t ns = (uint64_t)wall - t->start;

	if (ns >= t->span)
		return write_anew(t, p, wall);
	return write_rest(t, p, (uint32_t)ns);
}

static void add_wall(struct tsh_time_text *t, struct tsh_strbuf *out, int64_t wall)
{
	char *p;

	tsh_strbuf_grow(out, TSH_TIME_ROOM);
	p = tsh_time_text_write(t, out->buf + out->len, wall);
	*p = '\0';
	out->len = (size_t)(p - out->buf);
}

/* Appends "%*llu". */
static void add_padded(struct tsh_strbuf *out, uint64_t value, int width)
{
	uint64_t power = 10;

	for (; --width > 0; power *= 10) {
		if (value < power)
			break;
	}
	if (width > 0)
		tsh_strbuf_addn(out, ' ', (size_t)width);
	tsh_strbuf_addu(out, value);
}

/* Appends seconds, padded to `width`, with the digits behind the dot. */
static void add_seconds(struct tsh_strbuf *out, uint64_t ns, bool nine, int width)
{
	char text[12] = ".";

	/* wraps modulo 2^64, as the kernel's ns2usecs does */
	if (!nine)
		ns += 500;
	add_padded(out, ns / NS_PER_S, width);
	tsh_strbuf_add(out, text,
		       (size_t)(write_fraction(text + 1, ns % NS_PER_S, nine) - text));
}

static void add_stamp(const struct tsh_time_text *t, struct tsh_strbuf *out,
		      const struct tsh_clock_kind *kind, uint64_t stamp)
{
	if (kind->in_ns)
		add_seconds(out, stamp, t->ns, 5);
	else
		add_padded(out, stamp, 12);
}

/* Returns the time of the last line of the same CPU or task; false: it is not known. */
static bool last_of_key(struct tsh_time_text *t, bool by_wall, int64_t now, int64_t *ret)
{
	bool by_cpu = t->style == TSH_TIME_DELTA_CPU;
	uint32_t key = (uint32_t)(by_cpu ? t->cpu : t->pid);
	enum last_state state;

	if ((by_cpu ? t->cpu : t->pid) < 0)
		return false;
	/* each CPU has an idle task, and all of them have the pid 0 */
	if (!by_cpu && !key)
		key = UINT32_C(1) << 31 | (uint32_t)(t->cpu < 0 ? 0 : t->cpu);
	if (!t->lasts)
		t->lasts = lasts_new();
	state = lasts_swap(t->lasts, key, by_cpu ? 0 : t->birth, by_wall, now, ret);
	if (state == LAST_NONE)
		*ret = now;
	return state != LAST_FORGOTTEN;
}

/* Returns the time that a line's difference counts from; false: it is not known. */
static bool origin(struct tsh_time_text *t, bool by_wall, int64_t now, int64_t *ret)
{
	if (t->style == TSH_TIME_DELTA_CPU || t->style == TSH_TIME_DELTA_TASK)
		return last_of_key(t, by_wall, now, ret);
	/* drops the old times when a clock has become ready, or has failed: they are on another
	 * scale */
	if (!t->started || t->by_wall != by_wall) {
		t->started = true;
		t->by_wall = by_wall;
		t->first = t->last = now;
	}
	*ret = t->style == TSH_TIME_REL ? t->first : t->last;
	t->last = now;
	return true;
}

static void add_difference(struct tsh_time_text *t, struct tsh_strbuf *out, bool is_ns,
			   bool by_wall, int64_t now)
{
	int64_t since;
	uint64_t ns;

	if (!origin(t, by_wall, now, &since)) {
		tsh_strbuf_addc(out, '-');
		return;
	}
	ns = (uint64_t)now - (uint64_t)since;
	if (ns > INT64_MAX) {
		ns = -ns;
		if (!is_ns || t->ns || ns >= 500)
			tsh_strbuf_addc(out, '-');
	}
	if (is_ns)
		add_seconds(out, ns, t->ns, 0);
	else
		tsh_strbuf_addu(out, ns);
}

void tsh_time_text_add(struct tsh_time_text *t, struct tsh_strbuf *out,
		       const struct tsh_clock_kind *kind, uint64_t stamp, bool has_wall,
		       int64_t wall)
{
	switch (t->style) {
	case TSH_TIME_NONE:
		return;
	case TSH_TIME_REL:
	case TSH_TIME_DELTA:
	case TSH_TIME_DELTA_CPU:
	case TSH_TIME_DELTA_TASK:
		add_difference(t, out, has_wall || kind->in_ns, has_wall,
			       has_wall ? wall : (int64_t)stamp);
		return;
	case TSH_TIME_TRACE:
		has_wall = false;
		break;
	default:
		break;
	}
	if (has_wall)
		add_wall(t, out, wall);
	else
		add_stamp(t, out, kind, stamp);
}

uint64_t tsh_time_text_rounding(const struct tsh_time_text *t)
{
	return t->ns ? 0 : 500;
}

bool tsh_time_text_new_day(struct tsh_time_text *t, int64_t wall, struct tsh_strbuf *out)
{
	bool first = t->day == NO_DAY;
	char text[16] = "# ";
	struct moment m;

	if (t->style != TSH_TIME_SHORT)
		return false;
	if ((uint64_t)wall - t->start >= t->span)
		move_cache(t, wall);
	if (t->day == t->cache_day)
		return false;
	t->day = t->cache_day;
	if (first)
		return false;
	fill_date(&m, t->day);
	tsh_strbuf_add(out, text, (size_t)(write_date(text + 2, &m) - text));
	return true;
}

void tsh_time_iso(struct tsh_strbuf *out, int64_t wall)
{
	struct tsh_time_text t = { .style = TSH_TIME_ISO, .ns = true };

	render(&t, floor_div(wall, NS_PER_S));
	add_wall(&t, out, wall);
}

void tsh_time_utc(struct tsh_strbuf *out, int64_t wall)
{
	struct tsh_time_text t = { .style = TSH_TIME_UTC, .ns = true };

	render(&t, floor_div(wall, NS_PER_S));
	add_wall(&t, out, wall);
}

void tsh_time_zone(struct tsh_strbuf *out, int64_t wall)
{
	char text[8];
	struct moment m;

	fill_local(&m, floor_div(wall, NS_PER_S));
	tsh_strbuf_add(out, text, (size_t)(write_zone(text, &m, "") - text));
}
