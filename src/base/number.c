/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "number.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <string.h>

#include "strbuf.h"

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* Does ASCII's tolower(), in every locale. */
static char lower_case(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static int digit_value(char c)
{
	if (is_digit(c))
		return c - '0';
	c = lower_case(c);
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : INT_MAX;
}

/*
 * Reads a run of digits and moves *text behind it. A number that is too large is read to its end,
 * so that the caller can first check the form of the whole text.
 */
static int scan_digits(const char **text, unsigned int base, uint64_t *ret)
{
	const char *p = *text;
	uint64_t value = 0;
	bool overflow = false;

	for (; digit_value(*p) < (int)base; p++) {
		overflow |= __builtin_mul_overflow(value, (uint64_t)base, &value);
		overflow |= __builtin_add_overflow(value, (uint64_t)digit_value(*p), &value);
	}
	if (p == *text)
		return -EINVAL;
	*text = p;
	*ret = value;
	return overflow ? -ERANGE : 0;
}

int tsh_parse_u64(const char *text, uint64_t *ret)
{
	bool hex = text[0] == '0' && lower_case(text[1]) == 'x';
	const char *p = hex ? text + 2 : text;
	uint64_t value;
	int r = scan_digits(&p, hex ? 16 : 10, &value);

	if (*p)
		return -EINVAL;
	if (!r)
		*ret = value;
	return r;
}

int tsh_parse_kernel(const char *text, unsigned int base, uint64_t *ret)
{
	char copy[CHAR_BIT * sizeof(long) + 3];
	size_t len = strnlen(text, sizeof(copy) - 1);
	const char *p = copy;
	uint64_t value;
	int r;

	memcpy(copy, text, len);
	copy[len] = '\0';
	p += *p == '+';
	if (!base) {
		base = *p != '0' ? 10 : lower_case(p[1]) == 'x' && digit_value(p[2]) < 16 ? 16 : 8;
		p += base == 16 ? 2 : 0;
	}
	r = scan_digits(&p, base, &value);
	if (r == -EINVAL || strcmp(p + (*p == '\n'), "") != 0)
		return -EINVAL;
	if (r || value > ULONG_MAX)
		return -ERANGE;
	*ret = value;
	return 0;
}

bool tsh_parse_u64_prefix(const char **text, uint64_t *ret)
{
	uint64_t value;

	if (scan_digits(text, 10, &value))
		return false;
	*ret = value;
	return true;
}

int tsh_parse_s64(const char *text, int64_t *ret)
{
	bool negative = *text == '-';
	uint64_t magnitude;
	int r;

	r = tsh_parse_u64(negative || *text == '+' ? text + 1 : text, &magnitude);
	if (r)
		return r;
	if (magnitude > (uint64_t)INT64_MAX + negative)
		return -ERANGE;
	/* negates this way because INT64_MIN's magnitude is no int64_t */
	*ret = negative && magnitude ? -(int64_t)(magnitude - 1) - 1 : (int64_t)magnitude;
	return 0;
}

int tsh_parse_int(const char *text, int *ret)
{
	int64_t value;
	int r = tsh_parse_s64(text, &value);

	if (r)
		return r;
	if (value < INT_MIN || value > INT_MAX)
		return -ERANGE;
	*ret = (int)value;
	return 0;
}

/* Holds the parts of a number with a unit. */
struct quantity {
	uint64_t whole;
	bool overflow;		/* `whole` is too large */
	const char *fraction;	/* the digits after the point */
	size_t n_fraction;
	const char *unit;
};

static int scan_quantity(const char *text, struct quantity *ret)
{
	struct quantity q = { 0 };
	const char *p = text;

	if (*p != '.') {
		int r = scan_digits(&p, 10, &q.whole);

		if (r == -EINVAL)
			return r;
		q.overflow = r;
	}
	if (*p == '.') {
		q.fraction = ++p;
		while (is_digit(*p))
			p++;
		q.n_fraction = (size_t)(p - q.fraction);
		if (!q.n_fraction)
			return -EINVAL;
	}
	q.unit = p;
	*ret = q;
	return 0;
}

static int scale_quantity(const struct quantity *q, uint64_t scale, uint64_t *ret)
{
	uint64_t value, part = 0;
	size_t i;

	/* bytes and nanoseconds have no fractions */
	if (q->n_fraction && scale == 1)
		return -EINVAL;
	/*
	 * Goes from the last digit to the first, so that every step fits into 64 bits. Rounding
	 * down after each step gives the same as rounding down once at the end.
	 */
	for (i = q->n_fraction; i > 0; i--)
		part = (part + (uint64_t)(q->fraction[i - 1] - '0') * scale) / 10;
	if (q->overflow || __builtin_mul_overflow(q->whole, scale, &value) ||
	    __builtin_add_overflow(value, part, &value))
		return -ERANGE;
	*ret = value;
	return 0;
}

/* Returns the bytes of a unit; 0: it is no unit. */
static uint64_t size_unit(const char *unit)
{
	static const char letters[] = "kmgtpe";
	const char *letter;
	uint64_t scale = 1;

	if (!*unit)
		return 1;
	letter = strchr(letters, lower_case(*unit));
	if (letter) {
		scale <<= 10 * (letter - letters + 1);
		unit++;
		if (lower_case(unit[0]) == 'i' && lower_case(unit[1]) == 'b')
			unit++;
	}
	if (lower_case(*unit) == 'b')
		unit++;
	return *unit ? 0 : scale;
}

int tsh_parse_size(const char *text, uint64_t *ret_bytes)
{
	struct quantity q;
	uint64_t scale;
	int r = scan_quantity(text, &q);

	if (r)
		return r;
	scale = size_unit(q.unit);
	return scale ? scale_quantity(&q, scale, ret_bytes) : -EINVAL;
}

/* Returns the ns of a unit of time, whose length is len; 0: it is no unit. */
static uint64_t time_unit(const char *unit, size_t len)
{
	static const struct {
		const char *name;
		uint64_t ns;
	} units[] = {
		{ "d", 86400000000000 }, { "h", 3600000000000 }, { "m", 60000000000 },
		{ "s", 1000000000 }, { "ms", 1000000 }, { "us", 1000 }, { "ns", 1 },
	};
	size_t i;

	for (i = 0; i < sizeof(units) / sizeof(units[0]); i++)
		if (strlen(units[i].name) == len && !memcmp(units[i].name, unit, len))
			return units[i].ns;
	return 0;
}

/*
 * Reads one part, a number and its unit, and moves *text behind it. The unit must be smaller than
 * that of the part before (`above`, in ns). After a part with a fraction no other part may follow.
 */
static int scan_time_part(const char **text, uint64_t *above, uint64_t *ret)
{
	uint64_t unit = 1000000000;
	struct quantity q;
	size_t len;
	int r = scan_quantity(*text, &q);

	if (r)
		return r;
	len = strspn(q.unit, "dhmsun");
	/* a number without a unit is seconds */
	if (len || q.unit[0] || *above != UINT64_MAX)
		unit = time_unit(q.unit, len);
	if (!unit || unit >= *above)
		return -EINVAL;
	*text = q.unit + len;
	*above = q.n_fraction ? 0 : unit;
	return scale_quantity(&q, unit, ret);
}

int tsh_scan_time(const char *text, uint64_t *ret_ns, const char **ret_bad)
{
	uint64_t above = UINT64_MAX, sum = 0, part;
	bool overflow = false;

	*ret_bad = text;
	do {
		int r = scan_time_part(&text, &above, &part);

		if (r == -EINVAL)
			return r;
		overflow |= r || __builtin_add_overflow(sum, part, &sum);
		*ret_bad = text;
	} while (*text);
	if (overflow)
		return -ERANGE;
	*ret_ns = sum;
	return 0;
}

int tsh_parse_time(const char *text, uint64_t *ret_ns)
{
	const char *bad;

	return tsh_scan_time(text, ret_ns, &bad);
}

void tsh_format_size(uint64_t bytes, struct tsh_strbuf *out)
{
	static const char letters[] = "KMGTPE";
	unsigned int power = 0;
	uint64_t whole = bytes, tenths = 0;

	/* rounding up may give 1024, which is one of the next unit */
	while (whole >= 1024) {
		uint64_t scale = UINT64_C(1) << 10 * ++power;
		uint64_t rest = bytes % scale;

		whole = bytes / scale;
		tenths = 0;
		if (whole >= 10) {
			whole += rest >= scale / 2;
		} else {
			tenths = (rest * 10 + scale / 2) / scale;
			whole += tenths / 10;
			tenths %= 10;
		}
	}
	tsh_strbuf_addu(out, whole);
	if (tenths) {
		tsh_strbuf_addc(out, '.');
		tsh_strbuf_addu(out, tenths);
	}
	if (power)
		tsh_strbuf_addc(out, letters[power - 1]);
}

void tsh_format_count(uint64_t count, struct tsh_strbuf *out)
{
	struct tsh_strbuf digits = TSH_STRBUF_INIT;
	size_t i;

	tsh_strbuf_addu(&digits, count);
	for (i = 0; i < digits.len; i++) {
		if (i && (digits.len - i) % 3 == 0)
			tsh_strbuf_addc(out, ',');
		tsh_strbuf_addc(out, digits.buf[i]);
	}
	tsh_strbuf_release(&digits);
}

void tsh_format_ns(uint64_t ns, struct tsh_strbuf *out)
{
	static const char *const units[] = { "ns", "us", "ms", "s" };
	const uint64_t second = 1000000000;
	uint64_t step = 1, scale = 1, count, rest;
	unsigned int unit = 0;

	/* rounds to three digits first: 999.6 us becomes 1 ms */
	while (ns / step >= 1000 && step < second)
		step *= 10;
	count = ns / step + (ns % step >= step - step / 2);
	if (step == second) {
		tsh_strbuf_addu(out, count);
		tsh_strbuf_adds(out, " s");
		return;
	}
	ns = count * step;
	for (; unit < 3 && ns >= scale * 1000; unit++)
		scale *= 1000;
	tsh_strbuf_addu(out, ns / scale);
	rest = ns % scale;
	if (rest)
		tsh_strbuf_addc(out, '.');
	for (; rest; rest %= scale) {
		rest *= 10;
		tsh_strbuf_addc(out, (char)('0' + rest / scale));
	}
	tsh_strbuf_addc(out, ' ');
	tsh_strbuf_adds(out, units[unit]);
}

void tsh_format_span(uint64_t ns, struct tsh_strbuf *out)
{
	const uint64_t m = 60, h = 60 * m, d = 24 * h;
	uint64_t s = ns / 1000000000;

	if (s < 2 * m)
		tsh_format_ns(ns, out);
	else if (s < 2 * h)
		tsh_strbuf_addf(out, "%" PRIu64 " min %" PRIu64 " s", s / m, s % m);
	else if (s < 2 * d)
		tsh_strbuf_addf(out, "%" PRIu64 " h %" PRIu64 " min", s / h, s / m % 60);
	else
		tsh_strbuf_addf(out, "%" PRIu64 " d %" PRIu64 " h", s / d, s / h % 24);
}

uint64_t tsh_round_bound(uint64_t ns)
{
	const uint64_t second = 1000000000;
	uint64_t step = 1, rest;

	while (ns / step >= 1000 && step < second)
		step *= 10;
	rest = ns % step;
	return rest && ns <= UINT64_MAX - step ? ns + step - rest : ns;
}

void tsh_format_bound(uint64_t ns, struct tsh_strbuf *out)
{
	char *blank;

	tsh_strbuf_adds(out, "+-");
	tsh_format_ns(tsh_round_bound(ns), out);
	blank = strrchr(out->buf, ' ');
	/* moves the NUL too */
	memmove(blank, blank + 1, strlen(blank));
	out->len--;
}

void tsh_append_ns(uint64_t ns, struct tsh_strbuf *to)
{
	struct tsh_strbuf text = TSH_STRBUF_INIT;
	size_t i;

	tsh_format_ns(ns, &text);
	for (i = 0; i < text.len; i++)
		if (text.buf[i] != ' ')
			tsh_strbuf_addc(to, text.buf[i]);
	tsh_strbuf_release(&text);
}

uint32_t tsh_crc32(const void *data, size_t len)
{
	const unsigned char *p = data;
	uint32_t crc = ~0u;
	int bit;

	while (len--) {
		crc ^= *p++;
		for (bit = 0; bit < 8; bit++)
			crc = crc >> 1 ^ (0xedb88320u & -(crc & 1));
	}
	return ~crc;
}
