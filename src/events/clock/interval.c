/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "interval.h"

#define LOW_HALF 0xffffffffu

bool tsh_interval_intersect(struct tsh_interval *a, struct tsh_interval b)
{
	int64_t lo = a->lo > b.lo ? a->lo : b.lo;
	int64_t hi = a->hi < b.hi ? a->hi : b.hi;

	if (lo > hi)
		return false;
	a->lo = lo;
	a->hi = hi;
	return true;
}

struct tsh_interval tsh_interval_hull(struct tsh_interval a, struct tsh_interval b)
{
	if (b.lo < a.lo)
		a.lo = b.lo;
	if (b.hi > a.hi)
		a.hi = b.hi;
	return a;
}

/* Computes the 128 bits of a product; 32-bit compilers have no type for them. */
static void multiply(uint64_t a, uint64_t b, uint64_t *ret_high, uint64_t *ret_low)
{
	uint64_t low = (a & LOW_HALF) * (b & LOW_HALF);
	uint64_t cross = (a >> 32) * (b & LOW_HALF) + (low >> 32);
	uint64_t other = (a & LOW_HALF) * (b >> 32) + (cross & LOW_HALF);

	*ret_high = (a >> 32) * (b >> 32) + (cross >> 32) + (other >> 32);
	*ret_low = other << 32 | (low & LOW_HALF);
}

/*
 * Computes one digit of a long division in base 2^32: (*rest * 2^32 + next) / divisor; *rest
 * becomes the remainder. The highest bit of divisor must be set, and *rest < divisor. The first
 * estimate, by the upper half of the divisor, is at most two too large.
 */
static uint64_t divide_digit(uint64_t *rest, uint32_t next, uint64_t divisor)
{
	uint64_t upper = divisor >> 32;
	uint64_t lower = divisor & LOW_HALF;
	uint64_t digit = *rest / upper;
	uint64_t left = *rest % upper;

	while (digit > LOW_HALF || digit * lower > (left << 32 | next)) {
		digit--;
		left += upper;
		if (left > LOW_HALF)
			break;
	}
	/* computes modulo 2^64, into which the true value fits */
	*rest = (*rest << 32 | next) - digit * divisor;
	return digit;
}

uint64_t tsh_mul_div(uint64_t a, uint64_t b, uint64_t c, bool up)
{
	uint64_t high, low, quotient, rest;
	int shift;

	if (b == c)
		return a;
	multiply(a, b, &high, &low);
	if (high >= c)
		return UINT64_MAX;
	if (!high) {
		quotient = low / c;
		rest = low % c;
	} else {
		shift = __builtin_clzll(c);
		c <<= shift;
		rest = shift ? high << shift | low >> (64 - shift) : high;
		low <<= shift;
		quotient = divide_digit(&rest, (uint32_t)(low >> 32), c) << 32;
		quotient |= divide_digit(&rest, (uint32_t)low, c);
	}
	return up && rest && quotient < UINT64_MAX ? quotient + 1 : quotient;
}
