/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "clocks.h"

#include <stdlib.h>

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
		/* a rate that is known for sure is that of a clock that clock_gettime has */
		assert_true(kind->spread_ppb || !kind->unit_ns ||
			    kind->posix != TSH_CLOCK_NO_POSIX);
		assert_true(kind->unit_ns || kind->unit_max_ns || !kind->has_time);
	}
	assert_false(tsh_clock_kind("counter")->has_time);
	assert_true(tsh_clock_kind("uptime")->unit_ns == 10 * MS);
	assert_true(tsh_clock_kind("tai")->steps_with_realtime);
	kind = tsh_clock_kind("cntvct");
	assert_string_equal(kind->name, "unknown");
	assert_true(kind->has_time && kind->per_cpu && !kind->unit_ns && !kind->in_ns);
	assert_ptr_equal(tsh_clock_kind(""), kind);
}

/* Which clock an own instance gets. */
static void test_best(void **state)
{
	(void)state;
	assert_string_equal(tsh_clock_best("tsc", 8, true), "boot");
	assert_string_equal(tsh_clock_best("tsc", 8, false), "boot");
	assert_string_equal(tsh_clock_best("arch_sys_counter", 4, true), "boot");
	assert_string_equal(tsh_clock_best("arch_sys_counter", 4, false), "mono");
	assert_string_equal(tsh_clock_best("hpet", 8, true), "local");
	assert_string_equal(tsh_clock_best("acpi_pm", 4, false), "local");
	assert_string_equal(tsh_clock_best("jiffies", 8, false), "local");
	assert_string_equal(tsh_clock_best("refined-jiffies", 8, false), "local");
	assert_string_equal(tsh_clock_best("", 8, true), "boot");
	assert_true(tsh_clocksource_is_slow("hpet") && !tsh_clocksource_is_slow("kvm-clock"));
}

/* ---- calibration by hand ---- */

static void test_constant_offset(void **state)
{
	struct tsh_clock clock;
	int64_t wall;

	(void)state;
	tsh_clock_init(&clock, tsh_clock_kind("boot"));
	assert_false(tsh_clock_is_ready(&clock));
	assert_false(tsh_clock_wall(&clock, 0, 5, &wall, NULL));
	assert_true(tsh_clock_error(&clock) == UINT64_MAX);
	/* offset in [1000, 1200], then [900, 1100], then [1041, 1060] by a late one */
	assert_int_equal(add_wall(&clock, 1500, 1700, 500), 0);
	check_wall(&clock, 3, 500, 1600, 101);
	assert_int_equal(add_wall(&clock, 2900, 3100, 2000), 0);
	check_wall(&clock, -1, 500, 1550, 51);
	assert_int_equal(add_wall(&clock, 1041, 1060, 0), 0);
	assert_true(tsh_clock_error(&clock) == 11);
	/* no growth with the distance: REALTIME is slewed together with it */
	check_wall(&clock, 0, 1000000 * S, 1000000 * S + 1050, 11);
	check_wall(&clock, 0, 0, 1050, 11);
	/* REALTIME was stepped back while it was read */
	assert_int_equal(add_wall(&clock, 100, 99, 3000), 0);
	check_wall(&clock, 0, 500, 1550, 11);
	tsh_clock_release(&clock);
	assert_false(tsh_clock_is_ready(&clock));
}

static void check_ambiguous(const struct tsh_clock *clock, uint64_t stamp, int64_t one, int64_t other)
{
	struct tsh_wall wall;

	assert_true(tsh_clock_at(clock, 0, stamp, &wall));
	assert_true(wall.ambiguous);
	assert_in_range(llabs(wall.ns - one), 0, wall.error_ns);
	assert_in_range(llabs(wall.ns - other), 0, wall.error_ns);
}

/* What was before a step keeps its time; between the looks about it nobody knows. */
static void test_step(void **state)
{
	struct tsh_clock clock;
	struct tsh_wall wall;

	(void)state;
	tsh_clock_init(&clock, tsh_clock_kind("boot"));
	add_wall(&clock, YEAR_2024, YEAR_2024, 100 * S);
	add_wall(&clock, YEAR_2024 + S, YEAR_2024 + S, 101 * S);
	assert_int_equal(add_wall(&clock, YEAR_2024 + 3602 * S, YEAR_2024 + 3602 * S, 102 * S),
			 TSH_CLOCK_SET);
	assert_true(clock.jump_ns == 3600 * S);
	check_wall(&clock, 0, 100 * S, YEAR_2024, 1);
	check_wall(&clock, 0, 1 * S, YEAR_2024 - 99 * S, 1);
	check_wall(&clock, 0, 102 * S, YEAR_2024 + 3602 * S, 1);
	check_wall(&clock, 0, 200 * S, YEAR_2024 + 3700 * S, 1);
	check_ambiguous(&clock, 101 * S + 500 * MS, YEAR_2024 + S + 500 * MS,
			YEAR_2024 + 3601 * S + 500 * MS);
	/* and back */
	assert_int_equal(add_wall(&clock, YEAR_2024 + 3, YEAR_2024 + 3, 103 * S), TSH_CLOCK_SET);
	check_wall(&clock, 0, 103 * S, YEAR_2024 + 3, 1);
	check_wall(&clock, 0, 102 * S, YEAR_2024 + 3602 * S, 1);
	check_wall(&clock, 0, 100 * S, YEAR_2024, 1);
	assert_true(tsh_clock_at(&clock, 0, 99 * S, &wall) && !wall.ambiguous);
	tsh_clock_release(&clock);
}

/* TAI is set with REALTIME; BOOTTIME says so. */
static int look_tai(struct tsh_clock *clock, int64_t wall, int64_t tai, int64_t boot)
{
	const struct tsh_clock_wall_sample sample = {
		.before = wall - 20, .after = wall + 20, .base = (uint64_t)tai, .boot = boot,
		.asleep = TSH_ASLEEP_UNKNOWN,
	};

	return tsh_clock_add_wall(clock, &sample);
}

/* A leap second is inserted: TAI goes on, REALTIME repeats one. */
static void test_leap_second(void **state)
{
	struct tsh_clock clock;

	(void)state;
	tsh_clock_init(&clock, tsh_clock_kind("tai"));
	look_tai(&clock, YEAR_2024, YEAR_2024 + 37 * S, 100 * S);
	assert_int_equal(look_tai(&clock, YEAR_2024 + 9 * S, YEAR_2024 + 47 * S, 110 * S),
			 TSH_CLOCK_SET);
	assert_true(clock.jump_ns == -S);
	check_wall(&clock, 0, YEAR_2024 + 47 * S, YEAR_2024 + 9 * S, 21);
	check_wall(&clock, 0, YEAR_2024 + 36 * S, YEAR_2024 - S, 21);
	tsh_clock_release(&clock);
}

/* REALTIME is set, and TAI with it, which keeps its offset. */
static void test_tai_is_set(void **state)
{
	struct tsh_clock clock;
	struct tsh_wall wall;

	(void)state;
	tsh_clock_init(&clock, tsh_clock_kind("tai"));
	look_tai(&clock, YEAR_2024, YEAR_2024 + 37 * S, 100 * S);
	assert_int_equal(look_tai(&clock, YEAR_2024 + 3610 * S, YEAR_2024 + 3647 * S, 110 * S),
			 TSH_CLOCK_SET);
	assert_true(clock.jump_ns == 3600 * S);
	check_wall(&clock, 0, YEAR_2024 + 3647 * S, YEAR_2024 + 3610 * S, 21);
	/* and back: stamps of the moment before may stand for those of after it */
	assert_int_equal(look_tai(&clock, YEAR_2024 + 20 * S, YEAR_2024 + 57 * S, 120 * S),
			 TSH_CLOCK_SET);
	assert_true(clock.jump_ns == -3600 * S);
	check_ambiguous(&clock, YEAR_2024 + 3647 * S, YEAR_2024 + 3610 * S, YEAR_2024 + 10 * S);
	check_ambiguous(&clock, YEAR_2024 + 3700 * S, YEAR_2024 + 3663 * S, YEAR_2024 + 63 * S);
	assert_true(tsh_clock_at(&clock, 0, YEAR_2024 + 58 * S, &wall));
	assert_true(!wall.ambiguous && wall.ns == YEAR_2024 + 21 * S && wall.error_ns == 21);
	/* when the clock is there again, it is right again */
	look_tai(&clock, YEAR_2024 + 4000 * S, YEAR_2024 + 4037 * S, 4100 * S);
	check_wall(&clock, 0, YEAR_2024 + 4030 * S, YEAR_2024 + 3993 * S, 21);
	tsh_clock_release(&clock);
}

/* Its offset alone is changed, as when a time server starts: TAI goes back by a second. */
static void test_tai_offset(void **state)
{
	struct tsh_clock clock;

	(void)state;
	tsh_clock_init(&clock, tsh_clock_kind("tai"));
	look_tai(&clock, YEAR_2024, YEAR_2024 + 37 * S, 100 * S);
	look_tai(&clock, YEAR_2024 + 50 * S, YEAR_2024 + 87 * S, 150 * S);
	assert_int_equal(look_tai(&clock, YEAR_2024 + 51 * S, YEAR_2024 + 87 * S, 151 * S),
			 TSH_CLOCK_SET);
	check_wall(&clock, 0, YEAR_2024 + 20 * S, YEAR_2024 - 17 * S, 21);
	check_ambiguous(&clock, YEAR_2024 + 87 * S, YEAR_2024 + 50 * S, YEAR_2024 + 51 * S);
	look_tai(&clock, YEAR_2024 + 100 * S, YEAR_2024 + 136 * S, 200 * S);
	check_wall(&clock, 0, YEAR_2024 + 120 * S, YEAR_2024 + 84 * S, 21);
	tsh_clock_release(&clock);
}

static int look_asleep(struct tsh_clock *clock, int64_t wall, uint64_t base, int64_t asleep)
{
	const struct tsh_clock_wall_sample sample = {
		.before = wall, .after = wall, .base = base, .asleep = asleep,
	};

	return tsh_clock_add_wall(clock, &sample);
}

/* boot runs on in suspend, mono stands still, and neither is the wall clock being set. */
static void test_suspend(void **state)
{
	struct tsh_clock clock;

	(void)state;
	tsh_clock_init(&clock, tsh_clock_kind("boot"));
	assert_int_equal(look_asleep(&clock, YEAR_2024, 100 * S, 7), 0);
	assert_int_equal(look_asleep(&clock, YEAR_2024 + 9 * S, 109 * S, 7 + 8 * S), TSH_CLOCK_SLEPT);
	assert_true(clock.slept_ns == 8 * S);
	check_wall(&clock, 0, 104 * S, YEAR_2024 + 4 * S, 1);
	tsh_clock_release(&clock);

	tsh_clock_init(&clock, tsh_clock_kind("mono"));
	look_asleep(&clock, YEAR_2024, 100 * S, 0);
	assert_int_equal(look_asleep(&clock, YEAR_2024 + 9 * S, 101 * S, 8 * S), TSH_CLOCK_SLEPT);
	check_wall(&clock, 0, 100 * S, YEAR_2024, 1);
	check_wall(&clock, 0, 101 * S, YEAR_2024 + 9 * S, 1);
	check_ambiguous(&clock, 100 * S + 5, YEAR_2024 + 5, YEAR_2024 + 8 * S + 5);
	/* both at once */
	assert_int_equal(look_asleep(&clock, YEAR_2024 + 100 * S, 102 * S, 16 * S),
			 TSH_CLOCK_SLEPT | TSH_CLOCK_SET);
	assert_true(clock.jump_ns == 82 * S);
	tsh_clock_release(&clock);
}

/* Of one that goes by ticks an error of 20 ms is not enough any more. */
static void test_suspend_of_ticks(void **state)
{
	struct tsh_clock clock;
	int64_t wall;
	uint64_t error;

	(void)state;
	tsh_clock_init(&clock, tsh_clock_kind("perf"));
	clock.jitter_ns = 20 * MS;
	look_asleep(&clock, YEAR_2024, 100 * S, 0);
	add(&clock, 100 * S, 100 * S, 50 * S, 0, 0);
	assert_true(tsh_clock_wall(&clock, 0, 50 * S, &wall, &error));
	assert_in_range(error, 20 * MS, 21 * MS);
	assert_int_equal(look_asleep(&clock, YEAR_2024 + 9 * S, 101 * S, 8 * S), TSH_CLOCK_SLEPT);
	add(&clock, 101 * S, 101 * S, 51 * S, 0, 0);
	assert_true(tsh_clock_wall(&clock, 0, 52 * S, &wall, &error));
	assert_in_range(error, 200 * MS, 210 * MS);
	/* on either side of the sleep, for one that stood still meanwhile */
	assert_true(tsh_clock_wall(&clock, 0, 51 * S + 100 * MS, &wall, &error));
	assert_in_range(error, 4 * S, 5 * S);
	/* of a CPU that is looked at for the first time as well */
	add(&clock, 101 * S, 101 * S, 51 * S, 0, 1);
	assert_true(tsh_clock_wall(&clock, 1, 52 * S, &wall, &error));
	assert_in_range(error, 200 * MS, 210 * MS);
	tsh_clock_release(&clock);
}

static void test_counter(void **state)
{
	struct tsh_clock clock;
	int64_t wall;

	(void)state;
	tsh_clock_init(&clock, tsh_clock_kind("counter"));
	assert_int_equal(add_wall(&clock, 1, 2, 3), 0);
	assert_int_equal(add(&clock, S, S + 1, 1, 0, -1), 0);
	assert_false(tsh_clock_is_ready(&clock));
	assert_false(tsh_clock_wall(&clock, 0, 3, &wall, NULL));
	tsh_clock_release(&clock);
}

/* A tick of 10 ms: +-10 ms, since neither the look nor the event says where in it; and 4 that it may be late. */
static void test_uptime(void **state)
{
	struct tsh_clock clock;
	int64_t wall;
	uint64_t error;

	(void)state;
	tsh_clock_init(&clock, tsh_clock_kind("uptime"));
	add_wall(&clock, YEAR_2024, YEAR_2024, 50 * S);
	add(&clock, 50 * S, 50 * S, 5000, 1, -1);
	assert_true(tsh_clock_wall(&clock, 0, 5000, &wall, &error));
	assert_in_range(wall, YEAR_2024 - 10 * US, YEAR_2024 + 10 * US);
	assert_in_range(error, 14 * MS, 15 * MS);
	tsh_clock_release(&clock);
}

/* Two stages: sched_clock to MONOTONIC_RAW, and that to REALTIME. */
static void test_two_stages(void **state)
{
	struct tsh_clock clock;
	int64_t wall;
	uint64_t error;

	(void)state;
	tsh_clock_init(&clock, tsh_clock_kind("global"));
	add_wall(&clock, YEAR_2024, YEAR_2024, 50 * S);
	assert_false(tsh_clock_is_ready(&clock));
	/* 20 ppm slower than RAW, and that is known from the second look on */
	assert_int_equal(add(&clock, 50 * S, 50 * S, 100 * S, 0, -1), 0);
	assert_true(tsh_clock_is_ready(&clock));
	check_wall(&clock, 0, 100 * S, YEAR_2024 + 1, 3);
	assert_int_equal(add(&clock, 60 * S + 200 * US, 60 * S + 200 * US, 110 * S, 0, -1), 0);
	add_wall(&clock, YEAR_2024 + 10 * S + 200 * US, YEAR_2024 + 10 * S + 200 * US,
		 60 * S + 200 * US);
	assert_true(tsh_clock_wall(&clock, 0, 105 * S, &wall, &error));
	assert_in_range(llabs(wall - (YEAR_2024 + 5 * S + 100 * US)), 0, error);
	/* REALTIME alone: 1 ppm, for 10 s, each way, and never farther than in the middle */
	assert_in_range(error, 1, 6 * US);
	assert_true(tsh_clock_wall(&clock, 0, 111 * S, &wall, &error));
	assert_in_range(llabs(wall - (YEAR_2024 + 11 * S + 220 * US)), 0, 100);
	/* what is not between two looks may have been slewed by 500 ppm */
	assert_in_range(error, 490 * US, 510 * US);
	/* REALTIME is set: of the first stage nothing changes */
	assert_int_equal(add_wall(&clock, YEAR_2024, YEAR_2024, 61 * S), TSH_CLOCK_SET);
	assert_true(clock.jump_ns < -10 * S);
	check_ambiguous(&clock, 110 * S + 500 * MS, YEAR_2024 + 10 * S + 500 * MS + 210 * US,
			YEAR_2024 - 500 * MS + 200 * US);
	tsh_clock_release(&clock);
}

/* A steady clock that is not quite: every value is off by what was seen. */
static void test_unsteady(void **state)
{
	struct tsh_clock clock;
	int64_t wall;
	uint64_t error;

	(void)state;
	tsh_clock_init(&clock, tsh_clock_kind("perf"));
	add_wall(&clock, YEAR_2024, YEAR_2024, 0);
	add(&clock, 0, 0, 0, 0, 0);
	add(&clock, 10 * S, 10 * S, 10 * S, 0, 0);
	assert_int_equal(add(&clock, 20 * S + 3 * US, 20 * S + 3 * US, 20 * S, 0, 0), 0);
	add_wall(&clock, YEAR_2024 + 30 * S, YEAR_2024 + 30 * S, 30 * S);
	assert_true(tsh_clock_wall(&clock, 0, 10 * S, &wall, &error));
	assert_in_range(error, 6 * US, 22 * US);
	/* one that was set is another line */
	assert_int_equal(add(&clock, 30 * S, 30 * S, 25 * S, 0, 0), TSH_CLOCK_RESTARTED);
	check_ambiguous(&clock, 22 * S, YEAR_2024 + 22 * S, YEAR_2024 + 27 * S);
	tsh_clock_release(&clock);
}

static void test_per_cpu(void **state)
{
	struct tsh_clock clock;

	(void)state;
	tsh_clock_init(&clock, tsh_clock_kind("local"));
	add_wall(&clock, 0, 0, 0);
	add_wall(&clock, 10000, 10000, 10000);
	add(&clock, 1000, 1000, 0, 0, 2);
	add(&clock, 5000, 5100, 0, 0, 0);
	check_wall(&clock, 2, 0, 1001, 2);
	check_wall(&clock, 0, 0, 5051, 52);
	/* no sample of this CPU: something between the others */
	check_wall(&clock, 1, 0, 3051, 2052);
	check_wall(&clock, 99, 0, 3051, 2052);
	check_wall(&clock, -1, 0, 3051, 2052);
	add(&clock, 700, 700, 0, 0, -1);
	check_wall(&clock, 1, 0, 701, 2);
	check_wall(&clock, 2, 0, 1001, 2);
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
	add_wall(&clock, YEAR_2024, YEAR_2024, 0);
	add(&clock, 0, 0, 512000000, 0, -1);
	assert_int_equal(add(&clock, 9 * MS, 9 * MS, 512000000 + 4608000, 0, -1), 0);
	assert_false(tsh_clock_is_ready(&clock));
	add(&clock, S, S, 1024000000, 0, -1);
	assert_true(tsh_clock_is_ready(&clock));
	add_wall(&clock, YEAR_2024 + 2 * S, YEAR_2024 + 2 * S, 2 * S);
	/* a unit is 1.95 ns */
	assert_true(tsh_clock_wall(&clock, 0, 768000000, &wall, &error));
	assert_in_range(llabs(wall - (YEAR_2024 + 500 * MS)), 0, error);
	assert_in_range(error, 1, 2 * US);
	assert_true(tsh_clock_wall(&clock, 0, 1024000000 + 512000, &wall, &error));
	assert_in_range(llabs(wall - (YEAR_2024 + S + MS)), 0, error);
	tsh_clock_release(&clock);

	/* the clock itself goes back, and one that stands still has no rate */
	tsh_clock_init(&clock, tsh_clock_kind("ppc-tb"));
	add(&clock, S, S, 1000, 0, -1);
	assert_int_equal(add(&clock, 2 * S, 2 * S, 500, 0, -1), TSH_CLOCK_RESTARTED);
	assert_int_equal(add(&clock, 3 * S, 3 * S, 500, 0, -1), 0);
	assert_false(tsh_clock_is_ready(&clock));
	tsh_clock_release(&clock);
}

/* The short way says the same as the long one. */
static bool check_quick(const struct tsh_clock *clock, int cpu, uint64_t stamp)
{
	struct tsh_wall wall;
	int64_t ns;

	if (!tsh_clock_quick(clock, cpu, stamp, &ns))
		return false;
	assert_true(tsh_clock_at(clock, cpu, stamp, &wall));
	assert_int_equal(ns, wall.ns);
	assert_false(wall.ambiguous);
	return true;
}

/* And it is the one by which a buffer is drained. */
static void test_quick(void **state)
{
	static const char *const kinds[] = { "local", "x86-tsc", "uptime", "boot" };
	struct tsh_clock clock;
	uint64_t i, j;

	(void)state;
	for (i = 0; i < SIZE(kinds); i++) {
		bool is_boot = !strcmp(kinds[i], "boot");
		uint64_t unit = !strcmp(kinds[i], "uptime") ? 10 * MS : 1;

		tsh_clock_init(&clock, tsh_clock_kind(kinds[i]));
		assert_false(check_quick(&clock, 0, 5));
		add_wall(&clock, YEAR_2024, YEAR_2024 + 30, is_boot ? (uint64_t)(100 * S) :
							      (uint64_t)(200 * S));
		add(&clock, 200 * S, 200 * S + 50, 100 * S / unit, 1, 0);
		add(&clock, 201 * S, 201 * S + 70, 101 * S / unit, 1, 0);
		add_wall(&clock, YEAR_2024 + S, YEAR_2024 + S + 20, is_boot ? (uint64_t)(101 * S) :
							      (uint64_t)(201 * S));
		/* ticks of 10 ms come too seldom to need one */
		for (j = 0; j < 2000; j++)
			assert_int_equal(check_quick(&clock, 0, random64() % (100 * S / unit)),
					 unit == 1);
		/* where nothing was looked at, and between looks: the long way, or the same */
		check_quick(&clock, -1, 50 * S / unit);
		check_quick(&clock, 7, 50 * S / unit);
		for (j = 0; j < 2000; j++)
			check_quick(&clock, 0, 99 * S / unit + random64() % (3 * S / unit));
		tsh_clock_release(&clock);
		assert_false(check_quick(&clock, 0, 50 * S / unit));
	}
}

static void torment(struct tsh_clock *clock)
{
	struct tsh_wall wall;
	int j;

	for (j = 0; j < 20000; j++) {
		int64_t before = (int64_t)(random64() << random64() % 64);
		int64_t after = tsh_saturating_add(before, random64() >> random64() % 64);

		if (j % 3)
			add(clock, before, after, random64() >> random64() % 64,
			    random64() >> random64() % 64, (int)between(-1, 3));
		else
			add_wall(clock, before, after, random64() >> random64() % 64);
		tsh_clock_at(clock, 0, random64(), &wall);
		tsh_clock_at(clock, -1, random64(), &wall);
		check_quick(clock, 0, random64());
		check_quick(clock, 2, random64() >> random64() % 64);
		/* and one that goes on as it should, so that there are many nodes */
		if (j > 10000)
			add_wall(clock, j * 50 * MS, j * 50 * MS + 9, (uint64_t)(j * 50 * MS));
	}
	tsh_clock_error(clock);
}

/* Nothing overflows, whatever the ring buffer says the time is. */
static void test_hostile(void **state)
{
	static const char *const names[] = { "boot", "mono_raw", "local", "uptime", "x86-tsc",
					     "what" };
	static const uint64_t stamps[] = {
		0, 1, INT64_MAX, 1ULL << 63, UINT64_MAX - 1, UINT64_MAX,
	};
	struct tsh_clock clock;
	struct tsh_wall wall;
	size_t i, j;

	(void)state;
	for (i = 0; i < SIZE(names); i++) {
		tsh_clock_init(&clock, tsh_clock_kind(names[i]));
		add_wall(&clock, YEAR_2024, YEAR_2024 + 100, S);
		add(&clock, S, S + 100, 1000000000, 0, 0);
		add(&clock, 2 * S, 2 * S + 100, 4000000000u, 0, 0);
		for (j = 0; j < SIZE(stamps); j++)
			assert_true(tsh_clock_at(&clock, 0, stamps[j], &wall));
		torment(&clock);
		tsh_clock_release(&clock);
	}
	/* beyond 2262 */
	tsh_clock_init(&clock, tsh_clock_kind("boot"));
	add_wall(&clock, YEAR_2024, YEAR_2024, 0);
	check_wall(&clock, 0, INT64_MAX, INT64_MAX, UINT64_MAX);
	check_wall(&clock, 0, UINT64_MAX, YEAR_2024 - 1, 1);
	tsh_clock_release(&clock);
}

/* A day of looks: what is old is known less well, and nothing grows for ever. */
static void test_long(void **state)
{
	const int64_t step = 20 * MS;
	struct tsh_clock clock;
	struct tsh_wall wall;
	int64_t t;

	(void)state;
	tsh_clock_init(&clock, tsh_clock_kind("mono_raw"));
	for (t = 0; t < 3600 * S; t += step)
		assert_int_equal(add_wall(&clock, YEAR_2024 + t, YEAR_2024 + t + 40,
					  (uint64_t)t + 20), 0);
	for (t = 0; t < 3600 * S - step; t += 777 * MS) {
		assert_true(tsh_clock_at(&clock, 0, (uint64_t)t + 20, &wall));
		assert_in_range(llabs(wall.ns - YEAR_2024 - t - 20), 0, wall.error_ns);
		assert_false(wall.ambiguous);
	}
	assert_true(tsh_clock_at(&clock, 0, (uint64_t)(3600 * S - 100 * MS), &wall));
	assert_in_range(wall.error_ns, 1, 100);
	tsh_clock_release(&clock);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_kinds),
		cmocka_unit_test(test_best),
		cmocka_unit_test(test_constant_offset),
		cmocka_unit_test(test_step),
		cmocka_unit_test(test_leap_second),
		cmocka_unit_test(test_tai_is_set),
		cmocka_unit_test(test_tai_offset),
		cmocka_unit_test(test_suspend),
		cmocka_unit_test(test_suspend_of_ticks),
		cmocka_unit_test(test_counter),
		cmocka_unit_test(test_uptime),
		cmocka_unit_test(test_two_stages),
		cmocka_unit_test(test_unsteady),
		cmocka_unit_test(test_per_cpu),
		cmocka_unit_test(test_measured_rate),
		cmocka_unit_test(test_hostile),
		cmocka_unit_test(test_long),
		cmocka_unit_test(test_quick),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
