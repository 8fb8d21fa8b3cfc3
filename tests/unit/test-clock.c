/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../../src/clock/interval.h"
#include "tracesh/clock.h"

#define SIZE(array) (sizeof(array) / sizeof((array)[0]))
#define US 1000LL
#define MS 1000000LL
#define S 1000000000LL
#define YEAR_2024 (1704067200 * S)

/* splitmix64: the same numbers in every run and on every machine */
static uint64_t random_state = 1;

static uint64_t random64(void)
{
	uint64_t z = random_state += 0x9e3779b97f4a7c15u;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
	z = (z ^ z >> 27) * 0x94d049bb133111ebu;
	return z ^ z >> 31;
}

static int64_t between(int64_t lo, int64_t hi)
{
	return lo + (int64_t)(random64() % (uint64_t)(hi - lo + 1));
}

/* ---- intervals ---- */

static void test_saturating(void **state)
{
	static const struct {
		int64_t a;
		uint64_t b;
		int64_t sum, difference;
	} cases[] = {
		{ 1, 2, 3, -1 },
		{ INT64_MAX, 0, INT64_MAX, INT64_MAX },
		{ INT64_MAX, 1, INT64_MAX, INT64_MAX - 1 },
		{ INT64_MIN, 1, INT64_MIN + 1, INT64_MIN },
		{ INT64_MIN, UINT64_MAX, INT64_MAX, INT64_MIN },
		{ INT64_MAX, UINT64_MAX, INT64_MAX, INT64_MIN },
		{ 0, UINT64_MAX, INT64_MAX, INT64_MIN },
		{ -1, 1ULL << 63, INT64_MAX, INT64_MIN },
		{ 0, 1ULL << 63, INT64_MAX, INT64_MIN },
		{ 5, INT64_MAX, INT64_MAX, 5 - INT64_MAX },
	};
	size_t i;

	(void)state;
	for (i = 0; i < SIZE(cases); i++) {
		assert_int_equal(tsh_saturating_add(cases[i].a, cases[i].b), cases[i].sum);
		assert_int_equal(tsh_saturating_sub(cases[i].a, cases[i].b),
				 cases[i].difference);
	}
}

static void test_interval(void **state)
{
	static const struct {
		struct tsh_interval a, b;
		bool meets;
		struct tsh_interval common, hull;
	} cases[] = {
		{ { 0, 10 }, { 5, 20 }, true, { 5, 10 }, { 0, 20 } },
		{ { 0, 10 }, { 10, 20 }, true, { 10, 10 }, { 0, 20 } },
		{ { 0, 10 }, { 11, 20 }, false, { 0, 10 }, { 0, 20 } },
		{ { 0, 10 }, { -9, -1 }, false, { 0, 10 }, { -9, 10 } },
		{ { 0, 10 }, { 3, 4 }, true, { 3, 4 }, { 0, 10 } },
		{ { INT64_MIN, INT64_MAX }, { 3, 4 }, true, { 3, 4 }, { INT64_MIN, INT64_MAX } },
	};
	struct tsh_interval a;
	size_t i;

	(void)state;
	for (i = 0; i < SIZE(cases); i++) {
		a = cases[i].a;
		assert_int_equal(tsh_interval_meet(&a, cases[i].b), cases[i].meets);
		assert_memory_equal(&a, &cases[i].common, sizeof(a));
		a = tsh_interval_hull(cases[i].a, cases[i].b);
		assert_memory_equal(&a, &cases[i].hull, sizeof(a));
	}
	a = tsh_interval_later((struct tsh_interval){ -5, 5 }, 1, 2);
	assert_true(a.lo == -4 && a.hi == 7);
	a = tsh_interval_earlier((struct tsh_interval){ -5, 5 }, 1, 2);
	assert_true(a.lo == -7 && a.hi == 4);
	a = tsh_interval_widen((struct tsh_interval){ INT64_MIN + 1, 5 }, 2);
	assert_true(a.lo == INT64_MIN && a.hi == 7);
	a = (struct tsh_interval){ INT64_MIN, INT64_MAX };
	assert_true(tsh_interval_width(a) == UINT64_MAX);
	assert_true(tsh_interval_error(a) == 1ULL << 63);
	assert_true(tsh_interval_middle(a) == -1);
	a = (struct tsh_interval){ -3, 0 };
	assert_true(tsh_interval_middle(a) == -2 && tsh_interval_error(a) == 2);
}

static void test_mul_div(void **state)
{
	static const struct {
		uint64_t a, b, c, down, up;
	} cases[] = {
		{ 0, 0, 1, 0, 0 },
		{ 7, 3, 2, 10, 11 },
		{ UINT64_MAX, 5, 5, UINT64_MAX, UINT64_MAX },
		{ UINT64_MAX, 2, 1, UINT64_MAX, UINT64_MAX },
		{ UINT64_MAX, UINT64_MAX, UINT64_MAX - 1, UINT64_MAX, UINT64_MAX },
		{ UINT64_MAX, UINT64_MAX - 1, UINT64_MAX, UINT64_MAX - 1, UINT64_MAX - 1 },
		{ UINT64_MAX, 1, 2, INT64_MAX, 1ULL << 63 },
		{ 1ULL << 63, 1000000000, 3000000000u, 3074457345618258602u,
		  3074457345618258603u },
		{ 0x123456789abcdef0u, 0xfedcba9876543210u, 0xffffffffffffffffu,
		  1305938385386173474u, 1305938385386173475u },
	};
	size_t i;

	(void)state;
	for (i = 0; i < SIZE(cases); i++) {
		assert_true(tsh_mul_div(cases[i].a, cases[i].b, cases[i].c, false) ==
			    cases[i].down);
		assert_true(tsh_mul_div(cases[i].a, cases[i].b, cases[i].c, true) ==
			    cases[i].up);
	}
#ifdef __SIZEOF_INT128__
	for (i = 0; i < 200000; i++) {
		uint64_t a = random64() >> random64() % 64;
		uint64_t b = random64() >> random64() % 64;
		uint64_t c = (random64() >> random64() % 64) | 1;
		unsigned __int128 q = (unsigned __int128)a * b / c;
		bool rest = (unsigned __int128)a * b % c;
		uint64_t down = q > UINT64_MAX ? UINT64_MAX : (uint64_t)q;

		assert_true(tsh_mul_div(a, b, c, false) == down);
		assert_true(tsh_mul_div(a, b, c, true) ==
			    (rest && down < UINT64_MAX ? down + 1 : down));
	}
#endif
}

/* ---- kinds ---- */

static void test_kinds(void **state)
{
	static const char *const names[] = {
		"local", "global", "counter", "uptime", "perf", "mono", "mono_raw", "boot",
		"tai", "x86-tsc", "ppc-tb", "s390-tod",
	};
	const struct tsh_clock_kind *kind;
	size_t i;

	(void)state;
	for (i = 0; i < SIZE(names); i++) {
		kind = tsh_clock_kind(names[i]);
		assert_string_equal(kind->name, names[i]);
		assert_true(!kind->in_ns || kind->unit_ns == 1);
		assert_non_null(kind->summary);
		/* a clock without drift is one that clock_gettime has, too */
		assert_true(kind->drift_ppm || kind->posix != TSH_CLOCK_NO_POSIX ||
			    !kind->has_time);
	}
	assert_false(tsh_clock_kind("counter")->has_time);
	assert_true(tsh_clock_kind("uptime")->unit_ns == 10 * MS);
	assert_true(tsh_clock_kind("tai")->steps_with_realtime);
	kind = tsh_clock_kind("cntvct");
	assert_string_equal(kind->name, "unknown");
	assert_true(kind->has_time && kind->per_cpu && !kind->unit_ns && !kind->in_ns);
	assert_ptr_equal(tsh_clock_kind(""), kind);
}

/* ---- calibration by hand ---- */

static int add(struct tsh_clock *clock, int64_t before, int64_t after, uint64_t stamp,
	       uint64_t quantum, int cpu)
{
	struct tsh_clock_sample sample = { before, after, stamp, quantum, cpu };

	return tsh_clock_add(clock, &sample);
}

static void check_wall(const struct tsh_clock *clock, int cpu, uint64_t stamp, int64_t wall,
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

static void test_constant_offset(void **state)
{
	struct tsh_clock clock;
	int64_t wall;

	(void)state;
	tsh_clock_init(&clock, tsh_clock_kind("boot"));
	assert_false(tsh_clock_is_ready(&clock));
	assert_false(tsh_clock_wall(&clock, 0, 5, &wall, NULL));
	assert_true(tsh_clock_error(&clock) == UINT64_MAX);
	/* offset in [1000, 1200], then [900, 1100], then +-5 more by the quantum */
	assert_int_equal(add(&clock, 1500, 1700, 500, 0, -1), 0);
	check_wall(&clock, 3, 500, 1600, 101);
	assert_int_equal(add(&clock, 2900, 3100, 2000, 0, -1), 0);
	check_wall(&clock, -1, 500, 1550, 51);
	assert_int_equal(add(&clock, 1041, 1060, 0, 5, 7), 0);
	assert_true(tsh_clock_error(&clock) == 16);
	/* no growth with the distance: REALTIME is slewed together with it */
	check_wall(&clock, 0, 1000000 * S, 1000000 * S + 1050, 16);
	check_wall(&clock, 0, 0, 1050, 16);
	/* a step back, and one forward; what went before is forgotten */
	assert_int_equal(add(&clock, 2000, 2010, 2000, 0, -1), 1);
	check_wall(&clock, 0, 500, 505, 6);
	assert_int_equal(add(&clock, 2000 + S, 2100 + S, 2000, 0, -1), 1);
	check_wall(&clock, 0, 500, 550 + S, 51);
	/* REALTIME was stepped back while it was read */
	assert_int_equal(add(&clock, 100, 99, 2000, 0, -1), 0);
	check_wall(&clock, 0, 500, 550 + S, 51);
	tsh_clock_release(&clock);
	assert_false(tsh_clock_is_ready(&clock));
}

/* A leap second is inserted: TAI goes on, REALTIME repeats one. */
static void test_leap_second(void **state)
{
	struct tsh_clock clock;

	(void)state;
	tsh_clock_init(&clock, tsh_clock_kind("tai"));
	add(&clock, YEAR_2024, YEAR_2024 + 40, YEAR_2024 + 37 * S + 20, 0, -1);
	assert_int_equal(add(&clock, YEAR_2024 + 9 * S, YEAR_2024 + 9 * S + 40,
			     YEAR_2024 + 47 * S + 20, 0, -1), 1);
	check_wall(&clock, 0, YEAR_2024 + 47 * S, YEAR_2024 + 9 * S, 21);
	tsh_clock_release(&clock);
}

static void test_counter(void **state)
{
	struct tsh_clock clock;
	int64_t wall;

	(void)state;
	tsh_clock_init(&clock, tsh_clock_kind("counter"));
	assert_int_equal(add(&clock, 1, 2, 3, 0, -1), 0);
	assert_int_equal(add(&clock, S, S + 1, 1, 0, -1), 0);
	assert_false(tsh_clock_is_ready(&clock));
	assert_false(tsh_clock_wall(&clock, 0, 3, &wall, NULL));
	tsh_clock_release(&clock);
}

static void test_uptime(void **state)
{
	struct tsh_clock clock;

	(void)state;
	tsh_clock_init(&clock, tsh_clock_kind("uptime"));
	add(&clock, YEAR_2024, YEAR_2024, 5000, 1, -1);
	check_wall(&clock, 0, 5000, YEAR_2024, 20 * MS);
	check_wall(&clock, 0, 5100, YEAR_2024 + S, 20 * MS + 500 * US);
	/* the next tick begins: half of what the stamp left open is known now */
	add(&clock, YEAR_2024 + 10 * MS, YEAR_2024 + 10 * MS, 5000, 1, -1);
	check_wall(&clock, 0, 5000, YEAR_2024 + 5 * MS, 15 * MS);
	tsh_clock_release(&clock);
}

/* 1000 ppm for sched_clock, and not from within the calibrated range. */
static void test_drift(void **state)
{
	struct tsh_clock clock;

	(void)state;
	tsh_clock_init(&clock, tsh_clock_kind("global"));
	add(&clock, YEAR_2024, YEAR_2024, 100 * S, 0, -1);
	check_wall(&clock, 0, 100 * S, YEAR_2024, 1);
	check_wall(&clock, 0, 101 * S, YEAR_2024 + S, MS + 1);
	check_wall(&clock, 0, 99 * S, YEAR_2024 - S, MS + 1);
	/* 9 ms off after 10 s is drift, 11 ms is a step */
	assert_int_equal(add(&clock, YEAR_2024 + 10 * S + 9 * MS, YEAR_2024 + 10 * S + 9 * MS,
			     110 * S, 0, -1), 0);
	check_wall(&clock, 0, 110 * S, YEAR_2024 + 10 * S + 9 * MS, 1);
	/* between the two each of them bounds it: [+0.5 +-5.. ms] of both */
	check_wall(&clock, 0, 105 * S, YEAR_2024 + 5 * S + 4500 * US, 500 * US + 1);
	assert_int_equal(add(&clock, YEAR_2024 + 20 * S + 20 * MS + 11 * US,
			     YEAR_2024 + 20 * S + 20 * MS + 11 * US, 120 * S, 0, -1), 1);
	check_wall(&clock, 0, 120 * S, YEAR_2024 + 20 * S + 20 * MS + 11 * US, 1);
	tsh_clock_release(&clock);
}

/* Samples that come late, as those of several threads may. */
static void test_order(void **state)
{
	struct tsh_clock clock;

	(void)state;
	tsh_clock_init(&clock, tsh_clock_kind("global"));
	add(&clock, YEAR_2024, YEAR_2024 + 4 * MS, 100 * S, 0, -1);
	check_wall(&clock, 0, 100 * S, YEAR_2024 + 2 * MS, 2 * MS + 1);
	/* of the second before: it narrows the latest, and is the first */
	assert_int_equal(add(&clock, YEAR_2024 - S, YEAR_2024 - S, 99 * S, 0, -1), 0);
	check_wall(&clock, 0, 100 * S, YEAR_2024 + 500 * US, 500 * US + 1);
	check_wall(&clock, 0, 101 * S, YEAR_2024 + S + 500 * US, 1500 * US + 1);
	check_wall(&clock, 0, 99 * S, YEAR_2024 - S, 1);
	check_wall(&clock, 0, 98 * S, YEAR_2024 - 2 * S, MS + 1);
	/* of between the two */
	assert_int_equal(add(&clock, YEAR_2024 - 100 * MS, YEAR_2024 - 100 * MS,
			     99 * S + 900 * MS, 0, -1), 0);
	check_wall(&clock, 0, 100 * S, YEAR_2024 + 50 * US, 50 * US + 1);
	/* older than all, and of before a step */
	assert_int_equal(add(&clock, 0, 0, 98 * S, 0, -1), 1);
	check_wall(&clock, 0, 98 * S, 0, 1);
	tsh_clock_release(&clock);
}

static void test_per_cpu(void **state)
{
	struct tsh_clock clock;

	(void)state;
	tsh_clock_init(&clock, tsh_clock_kind("local"));
	add(&clock, 1000, 1000, 0, 0, 2);
	add(&clock, 5000, 5100, 0, 0, 0);
	check_wall(&clock, 2, 0, 1000, 1);
	check_wall(&clock, 0, 0, 5050, 51);
	/* no sample of this CPU: something between the others */
	check_wall(&clock, 1, 0, 3050, 2051);
	check_wall(&clock, 99, 0, 3050, 2051);
	check_wall(&clock, -1, 0, 3050, 2051);
	assert_true(tsh_clock_error(&clock) == 51);
	add(&clock, 700, 700, 0, 0, -1);
	check_wall(&clock, 1, 0, 700, 1);
	check_wall(&clock, 2, 0, 1000, 1);
	/* no such CPU */
	assert_int_equal(add(&clock, 1, 1, 0, 0, 1 << 20), 0);
	assert_int_equal(add(&clock, 1, 1, 0, 0, -2), 0);
	tsh_clock_release(&clock);
}

static void test_measured_rate(void **state)
{
	struct tsh_clock clock;
	int64_t wall;
	uint64_t error;

	(void)state;
	tsh_clock_init(&clock, tsh_clock_kind("ppc-tb"));
	add(&clock, YEAR_2024, YEAR_2024, 512000000, 0, -1);
	assert_int_equal(add(&clock, YEAR_2024 + 9 * MS, YEAR_2024 + 9 * MS,
			     512000000 + 4608000, 0, -1), 0);
	assert_false(tsh_clock_is_ready(&clock));
	add(&clock, YEAR_2024 + S, YEAR_2024 + S, 1024000000, 0, -1);
	assert_true(tsh_clock_is_ready(&clock));
	/* a unit is 1.95 ns */
	check_wall(&clock, 0, 1024000000, YEAR_2024 + S, 2);
	assert_true(tsh_clock_wall(&clock, 0, 1024000000 + 512000, &wall, &error));
	assert_in_range(wall, YEAR_2024 + S + MS - 1, YEAR_2024 + S + MS + 1);
	assert_in_range(error, 500, 504);
	/* a step keeps the rate, so that times go on */
	assert_int_equal(add(&clock, YEAR_2024, YEAR_2024, 1536000000, 0, -1), 1);
	check_wall(&clock, 0, 1536000000, YEAR_2024, 2);
	assert_true(tsh_clock_wall(&clock, 0, 1536000000 + 512000000, &wall, &error));
	assert_in_range(wall, YEAR_2024 + S - 1, YEAR_2024 + S + 1);
	assert_in_range(error, 500 * US, 500 * US + 4);
	/* and worse samples do not spoil it */
	add(&clock, YEAR_2024 + 20 * MS, YEAR_2024 + 21 * MS, 1536000000 + 10496000, 0, -1);
	assert_true(tsh_clock_wall(&clock, 0, 1536000000 + 512000000, &wall, &error));
	assert_in_range(error, 490 * US, 510 * US);
	tsh_clock_release(&clock);

	/* the wall clock goes back before the rate is known */
	tsh_clock_init(&clock, tsh_clock_kind("ppc-tb"));
	add(&clock, YEAR_2024, YEAR_2024, 1000, 0, -1);
	assert_int_equal(add(&clock, YEAR_2024 - S, YEAR_2024 - S, 2000, 0, -1), 1);
	/* the clock itself goes back */
	assert_int_equal(add(&clock, YEAR_2024, YEAR_2024, 500, 0, -1), 1);
	/* one that stands still has no rate */
	assert_int_equal(add(&clock, YEAR_2024 + S, YEAR_2024 + S, 500, 0, -1), 0);
	assert_false(tsh_clock_is_ready(&clock));
	tsh_clock_release(&clock);
}

/* Nothing overflows, whatever the ring buffer says the time is. */
static void test_hostile(void **state)
{
	static const char *const names[] = { "boot", "local", "uptime", "x86-tsc", "what" };
	static const uint64_t stamps[] = {
		0, 1, INT64_MAX, 1ULL << 63, UINT64_MAX - 1, UINT64_MAX,
	};
	struct tsh_clock clock;
	size_t i, j;
	int64_t wall;
	uint64_t error;

	(void)state;
	for (i = 0; i < SIZE(names); i++) {
		tsh_clock_init(&clock, tsh_clock_kind(names[i]));
		add(&clock, YEAR_2024, YEAR_2024 + 100, 1000000000, 0, 0);
		add(&clock, YEAR_2024 + S, YEAR_2024 + S + 100, 4000000000u, 0, 0);
		for (j = 0; j < SIZE(stamps); j++)
			assert_true(tsh_clock_wall(&clock, 0, stamps[j], &wall, &error));
		for (j = 0; j < 20000; j++) {
			int64_t before = (int64_t)(random64() << random64() % 64);
			int64_t after = tsh_saturating_add(before, random64() >>
							   random64() % 64);

			add(&clock, before, after, random64() >> random64() % 64,
			    random64() >> random64() % 64, (int)between(-1, 3));
			tsh_clock_wall(&clock, 0, random64(), &wall, &error);
			tsh_clock_wall(&clock, -1, random64(), &wall, &error);
		}
		tsh_clock_error(&clock);
		tsh_clock_release(&clock);
	}
	/* beyond 2262 */
	tsh_clock_init(&clock, tsh_clock_kind("boot"));
	add(&clock, YEAR_2024, YEAR_2024, 0, 0, -1);
	check_wall(&clock, 0, INT64_MAX, INT64_MAX, UINT64_MAX);
	check_wall(&clock, 0, UINT64_MAX, YEAR_2024 - 1, 1);
	tsh_clock_release(&clock);
}

/* ---- the stated error is the truth ---- */

/* A clock whose rate against the wall clock changes now and then. */
struct simulation {
	const struct tsh_clock_kind *kind;
	uint64_t frequency;	/* units a second, nominal, times scale */
	uint64_t scale;		/* a coarse clock has phases that no stamp shows */
	uint32_t ppm;		/* how far it goes away from that */
	uint64_t rounding;	/* of a sample, in units: `now ts` in us has 1000 */
	int64_t wall;
	int64_t segment_wall;	/* where the rate changed */
	uint64_t segment_stamp;
	uint64_t rate;		/* units in 10^6 seconds */
};

static uint64_t now(const struct simulation *sim)
{
	return sim->segment_stamp + tsh_mul_div((uint64_t)(sim->wall - sim->segment_wall),
						sim->rate, 1000000ULL * S, false);
}

static uint64_t stamp_now(const struct simulation *sim)
{
	return now(sim) / sim->scale;
}

static void change_rate(struct simulation *sim)
{
	sim->segment_stamp = now(sim);
	sim->segment_wall = sim->wall;
	sim->rate = sim->frequency * (uint64_t)(1000000 + between(-(int64_t)sim->ppm, sim->ppm));
}

static int look(struct simulation *sim, struct tsh_clock *clock)
{
	uint64_t half = sim->rounding / 2;
	int64_t before = sim->wall;
	uint64_t stamp;

	sim->wall += between(10, random64() % 8 ? 300 : 20 * US);
	stamp = stamp_now(sim);
	if (sim->rounding)
		stamp = (stamp + half) / sim->rounding * sim->rounding;
	sim->wall += between(10, random64() % 8 ? 300 : 20 * US);
	return add(clock, before, sim->wall, stamp, half, 0);
}

#define NEVENTS 64

static void simulate(struct simulation *sim, bool fast)
{
	struct { uint64_t stamp; int64_t wall; } events[NEVENTS];
	struct tsh_clock clock;
	size_t n = 0, i;
	int round;

	tsh_clock_init(&clock, sim->kind);
	sim->wall = sim->segment_wall = between(0, YEAR_2024);
	sim->segment_stamp = random64() >> between(1, 40);
	sim->rate = sim->frequency * 1000000;
	for (round = 0; round < 300; round++) {
		if (sim->ppm && random64() % 4 == 0)
			change_rate(sim);
		sim->wall += between(MS, fast ? 20 * MS : 5 * S);
		events[n++ % NEVENTS] = (__typeof__(events[0])){ stamp_now(sim), sim->wall };
		sim->wall += between(0, 50 * MS);
		/* ordinary drift is not a step */
		assert_int_equal(look(sim, &clock), 0);
		if (!tsh_clock_is_ready(&clock))
			continue;
		for (i = 0; i < (n < NEVENTS ? n : NEVENTS); i++) {
			int64_t wall;
			uint64_t error;

			assert_true(tsh_clock_wall(&clock, 0, events[i].stamp, &wall, &error));
			if ((uint64_t)llabs(wall - events[i].wall) > error)
				print_error("%s: off by %" PRId64 ", error %" PRIu64 "\n",
					    sim->kind->name, wall - events[i].wall, error);
			assert_true((uint64_t)llabs(wall - events[i].wall) <= error);
			/* and it is worth something */
			assert_true(error < 2 * S);
		}
	}
	assert_true(tsh_clock_error(&clock) <=
		    100 * US + (sim->rounding + 1) * sim->scale * S / sim->frequency);
	tsh_clock_release(&clock);
}

static void test_truth(void **state)
{
	/* ppm below the bound: the simulated rate is units a second, not seconds a unit */
	static const struct {
		const char *name;
		uint64_t frequency;
		uint32_t ppm;
		uint64_t rounding;
	} cases[] = {
		{ "boot", S, 0, 0 },
		{ "mono", S, 0, 1000 },
		{ "tai", S, 0, 0 },
		{ "mono_raw", S, 499, 0 },
		{ "local", S, 998, 1000 },
		{ "global", S, 998, 1000 },
		{ "perf", S, 30, 1000 },
		{ "uptime", S, 499, 2 },
		{ "x86-tsc", 2893299000u, 249, 0 },
		{ "x86-tsc", 24000000, 249, 0 },
		{ "s390-tod", 4096000000u, 249, 0 },
		{ "what", 62500000, 100, 10 },
		{ "what", 1000000, 100, 1000 },
	};
	struct simulation sim;
	size_t i, j;

	(void)state;
	for (i = 0; i < SIZE(cases); i++) {
		for (j = 0; j < 20; j++) {
			sim = (struct simulation){
				.kind = tsh_clock_kind(cases[i].name),
				.frequency = cases[i].frequency,
				.scale = strcmp(cases[i].name, "uptime") ? 1 : 10 * MS,
				.ppm = cases[i].ppm,
				.rounding = cases[i].rounding,
			};
			simulate(&sim, j % 2);
		}
	}
}

/* Steps of any size beyond the error are seen at once, or at the next samples. */
static void test_steps(void **state)
{
	static const char *const names[] = { "boot", "local", "uptime", "x86-tsc" };
	struct tsh_clock clock;
	size_t i;
	int j;

	(void)state;
	for (i = 0; i < SIZE(names); i++) {
		struct simulation sim = {
			.kind = tsh_clock_kind(names[i]),
			.frequency = S,
			.scale = i == 2 ? 10 * MS : 1,
			.rounding = i == 2 ? 2 : 0,
			.wall = YEAR_2024, .segment_wall = YEAR_2024, .segment_stamp = 5 * S,
			.rate = S * 1000000,
		};

		tsh_clock_init(&clock, sim.kind);
		for (j = 0; j < 100; j++) {
			int64_t step = between(60 * MS, 4000 * S) * (j % 2 ? 1 : -1);

			sim.wall += 20 * MS;
			look(&sim, &clock);
			sim.wall += 20 * MS;
			assert_int_equal(look(&sim, &clock), 0);
			sim.wall += step;
			sim.segment_wall += step;
			assert_int_equal(look(&sim, &clock), 1);
			sim.wall += 20 * MS;
			assert_int_equal(look(&sim, &clock), 0);
		}
		tsh_clock_release(&clock);
	}
}

/* ---- saved ---- */

static void test_save(void **state)
{
	static const char *const names[] = { "boot", "local", "uptime", "x86-tsc", "what" };
	static const int64_t moments[] = { -S, 0, 100 * MS, S, 100 * S };
	size_t i, j;

	(void)state;
	for (i = 0; i < SIZE(names); i++) {
		struct tsh_strbuf text = TSH_STRBUF_INIT, again = TSH_STRBUF_INIT;
		struct tsh_clock clock, loaded = { 0 };

		tsh_clock_init(&clock, tsh_clock_kind(names[i]));
		tsh_clock_save(&clock, &text);
		assert_int_equal(tsh_clock_load(&loaded, text.buf), 0);
		assert_false(tsh_clock_is_ready(&loaded));
		assert_ptr_equal(loaded.kind, clock.kind);
		for (j = 0; j < 3; j++) {
			add(&clock, YEAR_2024 - 5 * S, YEAR_2024 - 5 * S + 77, 0, 1, (int)j);
			add(&clock, YEAR_2024, YEAR_2024 + 50, i == 2 ? 500 : 5 * S, 1, (int)j);
		}
		tsh_strbuf_clear(&text);
		tsh_clock_save(&clock, &text);
		assert_int_equal(tsh_clock_load(&loaded, text.buf), 0);
		tsh_clock_save(&loaded, &again);
		assert_string_equal(text.buf, again.buf);
		for (j = 0; j < SIZE(moments); j++) {
			uint64_t stamp = (uint64_t)(i == 2 ? moments[j] / (10 * MS) : moments[j]);
			int64_t wall;
			uint64_t error;

			assert_true(tsh_clock_wall(&clock, 1, stamp, &wall, &error));
			check_wall(&loaded, 1, stamp, wall, error);
		}
		/* it can go on from there */
		assert_int_equal(add(&loaded, YEAR_2024 + S, YEAR_2024 + S + 60,
				     i == 2 ? 600 : 6 * S, 1, 1), 0);
		tsh_strbuf_release(&text);
		tsh_strbuf_release(&again);
		tsh_clock_release(&clock);
		tsh_clock_release(&loaded);
	}
}

static void test_load_errors(void **state)
{
	static const char *const bad[] = {
		"", "\n", "boot\nboot\n", "boot -1\n", "boot -1 1 1 1 0 0 0 0 0\n",
		"boot -1 1 1 1 0 0 0 0 0 0 0\n", "boot 0 1 1 1 0 0 0 0 0 0\n",
		"boot -1 2 1 1 0 0 0 0 0 0\n", "boot -1 1 1 2 0 0 0 0 0 0\n",
		"boot -1 1 1 1 0 1 0 0 0 0\n", "boot -1 1 1 1 0 0 0 -1 0 0\n",
		"boot -1 1 1 1 0 0 0 0 0 9223372036854775808\n",
		"boot -1 1 1 1 0 0 0 0 0 x\n", "local 8192 1 1 1 0 0 0 0 0 0\n",
		"local -2 1 1 1 0 0 0 0 0 0\n", "x86-tsc 0 0 1 1 0 0 0 0 0 0\n",
		"x86-tsc 0 5 2 1 0 0 0 0 0 0\n", "counter -1 1 0 0 0 0 0 0 0 0\n",
		"local 0 1 1 1 0 0 0 0 0 0\nperf 1 1 1 1 0 0 0 0 0 0\n",
		"local 0 1 1 1 0 0 0 0 0 0\nlocal\n",
	};
	struct tsh_clock clock;
	size_t i;

	(void)state;
	tsh_clock_init(&clock, tsh_clock_kind("boot"));
	add(&clock, 1500, 1700, 500, 0, -1);
	for (i = 0; i < SIZE(bad); i++) {
		if (tsh_clock_load(&clock, bad[i]) != -EINVAL)
			fail_msg("'%s' was accepted", bad[i]);
		check_wall(&clock, 0, 500, 1600, 101);
	}
	assert_int_equal(tsh_clock_load(&clock, "counter\n"), 0);
	assert_string_equal(clock.kind->name, "counter");
	assert_int_equal(tsh_clock_load(&clock, "boot -1 1 1 1 0 3 5 0 3 5"), 0);
	check_wall(&clock, 0, 0, 4, 2);
	tsh_clock_release(&clock);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_saturating),
		cmocka_unit_test(test_interval),
		cmocka_unit_test(test_mul_div),
		cmocka_unit_test(test_kinds),
		cmocka_unit_test(test_constant_offset),
		cmocka_unit_test(test_leap_second),
		cmocka_unit_test(test_counter),
		cmocka_unit_test(test_uptime),
		cmocka_unit_test(test_drift),
		cmocka_unit_test(test_order),
		cmocka_unit_test(test_per_cpu),
		cmocka_unit_test(test_measured_rate),
		cmocka_unit_test(test_hostile),
		cmocka_unit_test(test_truth),
		cmocka_unit_test(test_steps),
		cmocka_unit_test(test_save),
		cmocka_unit_test(test_load_errors),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
