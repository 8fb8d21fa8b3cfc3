/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "collected-looks.h"

#include <string.h>

/* Reads the lines that examples/board/collect.sh takes from files of the kernel and from two
 * programs (date, adjtimex). Checks every number, because the lines come from another machine. */

/* Limits times, so that a difference of two stays within int64; up to the year 2116. */
#define NS_MAX	    (INT64_MAX / 2)
#define SECONDS_MAX (NS_MAX / BILLION)
#define BILLION	    INT64_C(1000000000)
/* Limits the samples that are read. */
#define LOOKS_MAX 16384
/* Bounds the error of "now ts", in ns: it is rounded to microseconds. */
#define ROUNDED_NS 500

struct reader {
	struct looks *looks;
	const struct tsh_clock_kind *kind;
	int cpu;
	int base; /* clock base of the next offset; -1: the offset is skipped */
	bool is_fresh[LOOK_BASES]; /* no offset of that base since the last "now at" */
	bool has_nano; /* adjtimex counts ns */
	uint64_t seconds; /* seconds that adjtimex printed */
	bool has_seconds;
};

static const char *after(const char *line, const char *word)
{
	const char *p = strstr(line, word);

	if (!p)
		return NULL;
	p += strlen(word);
	return p + strspn(p, " \t");
}

static struct look *add(struct reader *r, enum look_at what, int64_t lo, int64_t hi)
{
	struct look *look;

	if (r->looks->list.n >= LOOKS_MAX)
		return NULL;
	look = tsh_vec_push(&r->looks->list);
	look->what = what;
	look->cpu = r->cpu;
	look->value = (struct tsh_interval){ lo, hi };
	return look;
}

/* Reads the digits behind a dot. Returns their value in ns. *ret_unit is the unit of the last
 * digit, in ns. */
static int64_t fraction(const char *p, int64_t *ret_unit)
{
	int64_t ns = 0, unit = BILLION;

	for (; *p >= '0' && *p <= '9' && unit > 1; p++) {
		unit /= 10;
		ns += (*p - '0') * unit;
	}
	*ret_unit = unit;
	return ns;
}

/* Reads "1795251424.69" of date +%s.%N. Accepts whole seconds too: some versions of date have no
 * %N. */
static void parse_date(struct reader *r, const char *p)
{
	int64_t ns = 0, unit = BILLION;
	uint64_t seconds;

	if (!tsh_parse_u64_prefix(&p, &seconds) || seconds > SECONDS_MAX)
		return;
	if (*p == '.')
		ns = fraction(p + 1, &unit);
	ns += (int64_t)seconds * BILLION;
	add(r, LOOK_AT_DATE, ns, ns + unit);
}

static void parse_mono(struct reader *r, const char *p)
{
	uint64_t ns;
	size_t i;

	if (!tsh_parse_u64_prefix(&p, &ns) || ns > NS_MAX)
		return;
	add(r, LOOK_AT_MONO, (int64_t)ns, (int64_t)ns);
	for (i = 0; i < LOOK_BASES; i++)
		r->is_fresh[i] = true;
	r->base = -1;
}

/* Reads "now ts: 883.547553", or a plain number of a clock that is not in ns. */
static void parse_stamp(struct reader *r, const char *p)
{
	const char *dot;
	struct look *look;
	uint64_t stamp;
	int64_t unit;

	if (!tsh_parse_u64_prefix(&p, &stamp))
		return;
	dot = *p == '.' ? p : NULL;
	if (!dot != !r->kind->in_ns || stamp > (uint64_t)(dot ? SECONDS_MAX : NS_MAX))
		return;
	if (dot)
		stamp = stamp * BILLION + (uint64_t)fraction(dot + 1, &unit);
	look = add(r, LOOK_AT_TRACE, (int64_t)stamp - ROUNDED_NS, (int64_t)stamp + ROUNDED_NS);
	if (look)
		look->stamp = stamp;
}

static void parse_base(struct reader *r, const char *p)
{
	uint64_t number;

	/* skips the bases from LOOK_BASES on: the same four clocks again, for softirqs */
	r->base = tsh_parse_u64_prefix(&p, &number) && number < LOOK_BASES ? (int)number : -1;
}

static void parse_offset(struct reader *r, const char *p)
{
	struct tsh_interval one, *all;
	uint64_t ns;
	int base = r->base;

	r->base = -1;
	if (base < 0 || !tsh_parse_u64_prefix(&p, &ns) || ns > NS_MAX)
		return;
	one = (struct tsh_interval){ (int64_t)ns, (int64_t)ns };
	all = &r->looks->offset[base];
	/* After the clock was set, CPUs may have different offsets: covers all. */
	*all = r->is_fresh[base] ? one : tsh_interval_hull(*all, one);
	r->is_fresh[base] = false;
	r->looks->has_offset[base] = true;
}

/* in 2^-16 ppm */
static void parse_freq(struct reader *r, const char *p)
{
	bool minus = *p == '-';
	uint64_t freq;

	p += minus;
	if (!tsh_parse_u64_prefix(&p, &freq) || freq > INT64_C(512000) * 65536 / 1000)
		return;
	r->looks->freq_ppb = (int32_t)(freq * 1000 / 65536) * (minus ? -1 : 1);
	r->looks->has_freq = true;
}

static void parse_status(struct reader *r, const char *p)
{
	const uint64_t nano = 0x2000; /* STA_NANO */
	uint64_t status;

	if (tsh_parse_u64_prefix(&p, &status))
		r->has_nano = status & nano;
}

static void parse_seconds(struct reader *r, const char *p)
{
	r->has_seconds = tsh_parse_u64_prefix(&p, &r->seconds) && r->seconds <= SECONDS_MAX;
}

static void parse_fraction(struct reader *r, const char *p)
{
	int64_t unit = r->has_nano ? 1 : 1000, ns;
	uint64_t number;

	if (r->has_seconds && tsh_parse_u64_prefix(&p, &number) && number < (uint64_t)(BILLION / unit)) {
		ns = (int64_t)r->seconds * BILLION + (int64_t)number * unit;
		add(r, LOOK_AT_DATE, ns, ns + unit);
	}
	r->has_seconds = false;
}

static void parse_cpu(struct reader *r, const char *p)
{
	uint64_t cpu;

	r->cpu = tsh_parse_u64_prefix(&p, &cpu) && cpu < TSH_CPU_MAX ? (int)cpu : -1;
}

static void parse_line(struct reader *r, const char *line)
{
	const char *p;

	if (*line == '@')
		parse_cpu(r, line + 1);
	else if (*line >= '0' && *line <= '9')
		parse_date(r, line);
	else if (!strncmp(line, "now at ", 7))
		parse_mono(r, line + 7);
	else if (!strncmp(line, "now ts:", 7))
		parse_stamp(r, after(line, ":"));
	else if (!strncmp(line, " clock ", 7))
		parse_base(r, line + 7);
	else if ((p = after(line, ".offset:")))
		parse_offset(r, p);
	else if ((p = after(line, "freq.adjust:")))
		parse_freq(r, p);
	else if ((p = after(line, "status:")))
		parse_status(r, p);
	else if ((p = after(line, "time.tv_sec:")))
		parse_seconds(r, p);
	else if ((p = after(line, "time.tv_usec:")))
		parse_fraction(r, p);
}

void looks_read(struct looks *looks, const char *text, const struct tsh_clock_kind *kind)
{
	struct reader r = { .looks = looks, .kind = kind, .cpu = -1, .base = -1 };
	struct tsh_strlist lines = { 0 };
	size_t i;

	memset(looks, 0, sizeof(*looks));
	tsh_strlist_split_lines(&lines, text);
	for (i = 0; i < lines.n; i++)
		parse_line(&r, lines.v[i]);
	tsh_strlist_release(&lines);
}

void looks_release(struct looks *looks)
{
	tsh_vec_release(&looks->list);
}

size_t looks_count(const struct looks *looks, enum look_at what)
{
	size_t i, n = 0;

	for (i = 0; i < looks->list.n; i++)
		n += looks->list.v[i].what == what;
	return n;
}

const struct look *looks_before(const struct looks *looks, size_t i, enum look_at what)
{
	while (i-- > 0)
		if (looks->list.v[i].what == what)
			return &looks->list.v[i];
	return NULL;
}

const struct look *looks_after(const struct looks *looks, size_t i, enum look_at what)
{
	while (++i < looks->list.n)
		if (looks->list.v[i].what == what)
			return &looks->list.v[i];
	return NULL;
}
