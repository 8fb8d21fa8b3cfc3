/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "clocks.h"

#include "events/clock/inverse.h"
#include "events/clock/moment.h"

/* A straight clock whose wall clock was set, by `jump`, at the stamp `at`. */
struct made_up {
	uint64_t zero;			/* the stamp of YEAR_2024 */
	uint64_t units, ns;		/* its rate */
	uint64_t at;
	int64_t jump;
};

static bool wall_of(const void *ctx, uint64_t stamp, int64_t *ret)
{
	const struct made_up *m = ctx;
	/* the nearer way round */
	int64_t units = (int64_t)(stamp - m->zero);
	uint64_t ns = tsh_mul_div(units < 0 ? 0 - (uint64_t)units : (uint64_t)units, m->ns,
				  m->units, false);

	if (ns > INT64_MAX / 4)
		*ret = units < 0 ? INT64_MIN : INT64_MAX;
	else
		*ret = YEAR_2024 + (units < 0 ? -(int64_t)ns : (int64_t)ns) +
		       (stamp >= m->at ? m->jump : 0);
	return true;
}

static void check_inverse(const struct made_up *m, uint64_t unit_ns, uint64_t stamp, uint64_t most)
{
	const struct tsh_forward f = { wall_of, m, unit_ns };
	uint64_t got = 0, away = 0;
	int64_t wall = 0;

	wall_of(m, stamp, &wall);
	if (!tsh_inverse(&f, wall, &got, &away))
		fail_msg("no stamp for %" PRId64, wall);
	if ((got > stamp ? got - stamp : stamp - got) > most || away)
		fail_msg("%" PRIu64 " comes back as %" PRIu64 ", %" PRIu64 " ns away", stamp, got,
			 away);
}

static void test_inverse(void **state)
{
	const struct made_up ns = { 1000 * S, 1, 1, UINT64_MAX, 0 };
	const struct made_up drifting = { 1000 * S, 1000000, 1000987, UINT64_MAX, 0 };
	const struct made_up ticks = { 100000, 1, 10 * MS, UINT64_MAX, 0 };
	const struct made_up tsc = { 3000000000000, 2803, 1000, UINT64_MAX, 0 };
	/* s390's has its highest bit set */
	const struct made_up tod = { 0xe0 * (UINT64_C(1) << 56), 4096, 1000, UINT64_MAX, 0 };
	int n;

	(void)state;
	for (n = 0; n < 1000; n++) {
		check_inverse(&ns, 1, random64() >> (8 + n % 50), 0);
		check_inverse(&drifting, 1, random64() >> (8 + n % 50), 1);
		check_inverse(&ticks, 10 * MS, random64() >> 34, 0);
		check_inverse(&tsc, 0, random64() >> (8 + n % 50), 3);
		check_inverse(&tod, 0, tod.zero + (uint64_t)between(-1000 * S, 1000 * S), 5);
	}
	check_inverse(&ns, 1, 0, 0);
}

static bool inverse(const struct made_up *m, uint64_t unit_ns, int64_t wall, uint64_t *stamp,
		    uint64_t *away)
{
	const struct tsh_forward f = { wall_of, m, unit_ns };

	return tsh_inverse(&f, wall, stamp, away);
}

static void test_inverse_nearest(void **state)
{
	const struct made_up ticks = { 100000, 1, 10 * MS, UINT64_MAX, 0 };
	const struct made_up ns = { 1000 * S, 1, 1, UINT64_MAX, 0 };
	uint64_t stamp, away;

	(void)state;
	assert_true(inverse(&ticks, 10 * MS, YEAR_2024 + 24 * MS, &stamp, &away));
	assert_true(stamp == 100002 && away == 4 * MS);
	assert_true(inverse(&ticks, 10 * MS, YEAR_2024 + 26 * MS, &stamp, &away));
	assert_true(stamp == 100003 && away == 4 * MS);
	/* it had not begun to count */
	assert_true(inverse(&ns, 1, YEAR_2024 - 1000 * S, &stamp, &away) && !stamp);
	assert_false(inverse(&ns, 1, YEAR_2024 - 1001 * S, &stamp, &away));
	assert_false(inverse(&ns, 1, 0, &stamp, &away));
}

/* The wall clock was set while it went. */
static void test_inverse_steps(void **state)
{
	const struct made_up forward = { 1000 * S, 1, 1, 2000 * S, 3600 * S };
	const struct made_up back = { 1000 * S, 1, 1, 2000 * S, -500 * S };
	uint64_t stamp, away;

	(void)state;
	check_inverse(&forward, 1, 1999 * S, 0);
	check_inverse(&forward, 1, 2000 * S, 0);
	check_inverse(&forward, 1, 9000 * S, 0);
	/* times that were skipped: the last before it, the first behind it */
	assert_true(inverse(&forward, 1, YEAR_2024 + 1100 * S, &stamp, &away));
	assert_true(stamp == 2000 * S - 1 && away == 100 * S + 1);
	assert_true(inverse(&forward, 1, YEAR_2024 + 4500 * S, &stamp, &away));
	assert_true(stamp == 2000 * S && away == 100 * S);
	/* times that came twice, and those around */
	assert_true(inverse(&back, 1, YEAR_2024 + 700 * S, &stamp, &away));
	assert_true((stamp == 1700 * S || stamp == 2200 * S) && !away);
	check_inverse(&back, 1, 1100 * S, 0);
	check_inverse(&back, 1, 3000 * S, 0);
}

static void test_clock_without_time(void **state)
{
	struct tsh_clock clock;
	uint64_t stamp;

	(void)state;
	tsh_clock_init(&clock, tsh_clock_kind("counter"));
	assert_false(tsh_clock_stamp(&clock, -1, YEAR_2024, &stamp, NULL));
	tsh_clock_release(&clock);
	tsh_clock_init(&clock, tsh_clock_kind("boot"));
	assert_false(tsh_clock_stamp(&clock, -1, YEAR_2024, &stamp, NULL));
	tsh_clock_release(&clock);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_inverse),
		cmocka_unit_test(test_inverse_nearest),
		cmocka_unit_test(test_inverse_steps),
		cmocka_unit_test(test_clock_without_time),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
