/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TESTS_UNIT_CLOCKS_H
#define TESTS_UNIT_CLOCKS_H

#include "events/clock/clock.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <inttypes.h>

#include "events/clock/interval.h"

#define SIZE(array) (sizeof(array) / sizeof((array)[0]))
#define US 1000LL
#define MS 1000000LL
#define S 1000000000LL
#define YEAR_2024 (1704067200 * S)

/* Implements splitmix64, which gives the same numbers in every run and on every machine. */
static uint64_t random_state = 1;

static inline uint64_t random64(void)
{
	uint64_t z = random_state += 0x9e3779b97f4a7c15u;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
	z = (z ^ z >> 27) * 0x94d049bb133111ebu;
	return z ^ z >> 31;
}

static inline int64_t between(int64_t lo, int64_t hi)
{
	return lo + (int64_t)(random64() % (uint64_t)(hi - lo + 1));
}

/* ---- samples made by hand ---- */

/* Adds a sample of REALTIME, together with the clock itself or MONOTONIC_RAW. */
static inline int add_wall(struct tsh_clock *clock, int64_t before, int64_t after, uint64_t base)
{
	const struct tsh_clock_wall_sample sample = {
		.before = before, .after = after, .base = base, .asleep = TSH_ASLEEP_UNKNOWN,
	};

	return tsh_clock_add_wall(clock, &sample);
}

/* Adds a sample of the clock, together with MONOTONIC_RAW. */
static inline int add(struct tsh_clock *clock, int64_t before, int64_t after, uint64_t stamp,
		      uint64_t quantum, int cpu)
{
	struct tsh_clock_sample sample = { before, after, stamp, quantum, cpu };

	return tsh_clock_add(clock, &sample);
}

static inline void check_wall(const struct tsh_clock *clock, int cpu, uint64_t stamp, int64_t wall,
			      uint64_t error)
{
	int64_t got;
	uint64_t got_error;

	assert_true(tsh_clock_wall(clock, cpu, stamp, &got, &got_error));
	if (got != wall || got_error != error)
		print_error("stamp %" PRIu64 ": %" PRId64 " +-%" PRIu64 "\n", stamp, got,
			    got_error);
	assert_true(got == wall && got_error == error);
	assert_true(tsh_clock_wall(clock, cpu, stamp, &got, NULL));
}

#endif
