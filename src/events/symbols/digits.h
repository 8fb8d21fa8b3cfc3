/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_EVENTS_SYMBOLS_DIGITS_H
#define TRACESH_EVENTS_SYMBOLS_DIGITS_H

#include <stdint.h>
#include <string.h>

#include "base/load.h"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

/*
 * Convert numbers to text quickly: eight digits are made side by side in one 64-bit word, without a
 * branch that could be mispredicted. Each function returns the end of what it wrote, and may write
 * up to DIGITS_ROOM bytes.
 */
#define DIGITS_ROOM 32

#define DIGITS_E8 100000000U
#define DIGITS_ZEROS 0x3030303030303030U

/* Holds the digits of each number below DIGITS_SMALL, and behind them how many they are. */
#define DIGITS_SMALL 1000
extern const char digits_small[DIGITS_SMALL][4];

/* Writes a number below DIGITS_SMALL: quicker than by digits_write_short, and most numbers are so
 * small. */
static inline char *digits_write_small(char *o, uint64_t v)
{
	memcpy(o, digits_small[v], sizeof(digits_small[v]));
	return o + digits_small[v][3];
}

/* Stores eight characters; the first is in the highest byte. */
static inline void digits_store(char *o, uint64_t chars)
{
	if (!TSH_HOST_BIG_ENDIAN)
		chars = __builtin_bswap64(chars);
	memcpy(o, &chars, sizeof(chars));
}

/* Splits a number below 10^8 into eight bytes of 0 to 9: into halves, quarters, digits. The higher
 * part moves up: x - d * high + (high << bits). */
static inline uint64_t digits_split(uint32_t v)
{
	uint64_t x = v + (uint64_t)(v / 10000) * ((UINT64_C(1) << 32) - 10000);

	x += (((x * 10486) >> 20) & 0x0000007f0000007fU) * ((1 << 16) - 100);
	return x + (((x * 103) >> 10) & 0x000f000f000f000fU) * ((1 << 8) - 10);
}

/* Writes all eight digits of a number below 10^8. */
static inline char *digits_write_eight(char *o, uint32_t v)
{
	digits_store(o, digits_split(v) + DIGITS_ZEROS);
	return o + 8;
}

/* Writes at least `width` digits (1 to 8) of a number below 10^8. */
static inline char *digits_write_wide(char *o, uint32_t v, unsigned int width)
{
	uint64_t digits = digits_split(v);
	uint64_t last = UINT64_C(1) << 8 * (width - 1);
	unsigned int zeros = (unsigned int)__builtin_clzll(digits | last) & 56;

	digits_store(o, (digits + DIGITS_ZEROS) << zeros);
	return o + 8 - zeros / 8;
}

/* Writes the digits of a number below 10^8 without leading zeros. */
static inline char *digits_write_short(char *o, uint32_t v)
{
	return digits_write_wide(o, v, 1);
}

static inline char *digits_write_unsigned(char *o, uint64_t v)
{
	const uint64_t e8 = DIGITS_E8;
	uint64_t high;

	if (v < DIGITS_SMALL)
		return digits_write_small(o, v);
	if (__builtin_expect(v < e8, 1))
		return digits_write_short(o, (uint32_t)v);
	high = v / e8;
	if (high < e8) {
		o = digits_write_short(o, (uint32_t)high);
	} else {
		o = digits_write_short(o, (uint32_t)(high / e8));
		o = digits_write_eight(o, (uint32_t)(high % e8));
	}
	return digits_write_eight(o, (uint32_t)(v % e8));
}

static inline char *digits_write_signed(char *o, int64_t v)
{
	if (v >= 0)
		return digits_write_unsigned(o, (uint64_t)v);
	*o++ = '-';
	return digits_write_unsigned(o, -(uint64_t)v);
}

#ifdef __SSE2__
/* Writes the sixteen hexadecimal digits of v. */
static inline void digits_write_sixteen(char *o, uint64_t v)
{
	__m128i bytes = _mm_cvtsi64_si128((long long)__builtin_bswap64(v));
	__m128i nibbles = _mm_and_si128(_mm_unpacklo_epi8(_mm_srli_epi64(bytes, 4), bytes),
					_mm_set1_epi8(15));
	__m128i letters = _mm_and_si128(_mm_cmpgt_epi8(nibbles, _mm_set1_epi8(9)),
					_mm_set1_epi8('a' - '0' - 10));

	_mm_storeu_si128((__m128i *)(void *)o,
			 _mm_add_epi8(_mm_add_epi8(nibbles, letters), _mm_set1_epi8('0')));
}
#else
static inline uint64_t digits_hex_chars(uint32_t v)
{
	uint64_t x = v, letters;

	x = (x | x << 16) & 0x0000ffff0000ffffU;
	x = (x | x << 8) & 0x00ff00ff00ff00ffU;
	x = (x | x << 4) & 0x0f0f0f0f0f0f0f0fU;
	letters = ((x + 0x0606060606060606U) >> 4) & 0x0101010101010101U;
	return x + DIGITS_ZEROS + letters * ('a' - '0' - 10);
}

/* Writes the sixteen hexadecimal digits of v. */
static inline void digits_write_sixteen(char *o, uint64_t v)
{
	digits_store(o, digits_hex_chars((uint32_t)(v >> 32)));
	digits_store(o + 8, digits_hex_chars((uint32_t)v));
}
#endif

/* Writes small hexadecimal digits, `width` of them (1 to 16), or more when v has more. */
static inline char *digits_write_hex_wide(char *o, uint64_t v, unsigned int width)
{
	unsigned int n = 16 - (unsigned int)__builtin_clzll(v | 1) / 4;

	if (n < width)
		n = width;
	digits_write_sixteen(o, v << 4 * (16 - n));
	return o + n;
}

static inline char *digits_write_hex(char *o, uint64_t v)
{
	return digits_write_hex_wide(o, v, 1);
}

#endif
