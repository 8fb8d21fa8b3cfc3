/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "clocks.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/xmalloc.h"

/* What tsh_clock_load_samples makes of the looks of a shell script. */

static int load(struct tsh_clock *clock, const char *name, const char *samples, const char *home)
{
	tsh_clock_init(clock, tsh_clock_kind(name));
	return tsh_clock_load_samples(clock, samples, home, YEAR_2024);
}

static void check(const char *name, const char *samples, const char *home, uint64_t stamp,
		  int64_t wall, uint64_t error)
{
	struct tsh_clock clock;

	assert_int_equal(load(&clock, name, samples, home), 0);
	check_wall(&clock, 0, stamp, wall, error);
	tsh_clock_release(&clock);
}

/* ---- by hand ---- */

/* MONOTONIC 100 s, REALTIME 1704067300 s, 7 s asleep, TAI 37 s ahead; as on two CPUs. */
static const char timer_list[] =
	"Timer List Version: v0.8\nHRTIMER_MAX_CLOCK_BASES: 4\nnow at 100000000000 nsecs\n\n"
	"cpu: 0\n clock 0:\n  .base:       c7a0c2c0\n  .index:      0\n  .resolution: 1 nsecs\n"
	"  .get_time:   ktime_get\n  .offset:     0 nsecs\nactive timers:\n clock 1:\n"
	"  .offset:     1704067200000000000 nsecs\n clock 2:\n  .offset:     7000000000 nsecs\n"
	" clock 3:\n  .offset:     1704067237000000000 nsecs\n clock 4:\n  .offset:     0 nsecs\n"
	"cpu: 1\n clock 1:\n  .offset:     1704067200000000000 nsecs\n clock 2:\n"
	"  .offset:     7000000000 nsecs\n clock 5:\n  .offset:     1 nsecs\n";

static void test_timer_list(void **state)
{
	(void)state;
	check("mono", timer_list, NULL, 60 * S, YEAR_2024 + 60 * S, 1);
	check("boot", timer_list, NULL, 60 * S, YEAR_2024 + 53 * S, 1);
	check("tai", timer_list, NULL, (uint64_t)YEAR_2024 + 60 * S, YEAR_2024 + 23 * S, 1);
}

static void test_late_cpu(void **state)
{
	/* one CPU has not heard yet that the clock was set by 2 ms */
	static const char stale[] = "1704067300.0\nnow at 100000000000 nsecs\n clock 1:\n"
				    "  .offset:     1704067200000000000 nsecs\n clock 1:\n"
				    "  .offset:     1704067200002000000 nsecs\n";
	/* and all of them lie */
	static const char wrong[] = "1704067300.5\nnow at 100000000000 nsecs\n clock 1:\n"
				    "  .offset:     4000000000 nsecs\n1704067300.5\n";

	(void)state;
	check("mono", stale, NULL, 0, YEAR_2024 + MS, MS + 1);
	check("mono", wrong, NULL, 0, YEAR_2024 + 550 * MS, 50 * MS + 1);
}

static void test_dates(void **state)
{
	static const char fractions[] = "1704067300.100\nnow ts:   100.150000\n1704067300.200\n";
	/* the second begins somewhere between the two looks in the middle */
	static const char seconds[] =
		"1704067300.%N\nnow ts:   100.800000\n1704067300.%N\nnow ts:   100.900000\n"
		"1704067300.%N\nnow ts:   101.000000\n1704067301.%N\nnow ts:   101.100000\n"
		"1704067301.%N\n";
	static const char adjtimex[] =
		"    status:       64 (UNSYNC)\n    time.tv_sec:  1704067300\n"
		"    time.tv_usec: 100000\nnow ts:   100.150000\n    status:       8193 (PLL NANO)\n"
		"    time.tv_sec:  1704067300\n    time.tv_usec: 200000000\n";

	(void)state;
	/* from 100 ms to 201 ms, 500 ns each way, the stamp's own 1 */
	check("mono", fractions, NULL, 100 * S, YEAR_2024 + 100 * S + 500 * US,
	      50 * MS + 500 * US + 501);
	check("mono", adjtimex, NULL, 100 * S, YEAR_2024 + 100 * S, 50 * MS + 502);
	check("mono", seconds, NULL, 101 * S, YEAR_2024 + 101 * S, 100 * MS + 501);
}

static void test_home(void **state)
{
	static const char board[] =
		"now at 100000000000 nsecs\n clock 1:\n"
		"  .offset:     3 nsecs\n clock 2:\n  .offset:     7000000000 nsecs\n";
	static const char home[] = "1704067300.000000000\nnow at 200000000000 nsecs\n clock 1:\n"
				   "  .offset:     3 nsecs\n1704067300.020000000\n";
	struct tsh_clock clock;
	struct tsh_wall wall;

	(void)state;
	check("boot", board, home, 207 * S, YEAR_2024 + 100 * S + 10 * MS, 10 * MS + 2);
	assert_int_equal(load(&clock, "boot", board, home), 0);
	assert_false(clock.is_not_set);
	/* the two clocks do not go alike: 1000 ppm */
	assert_true(tsh_clock_at(&clock, 0, 107 * S, &wall));
	assert_true(wall.error_ns >= 110 * MS && wall.error_ns < 111 * MS);
	tsh_clock_release(&clock);
	/* without a date behind it nothing is known */
	assert_int_equal(load(&clock, "boot", board, "1704067300.0\nnow at 200000000000 nsecs\n"),
			 -EINVAL);
	assert_false(tsh_clock_is_ready(&clock));
	tsh_clock_release(&clock);
}

static void test_not_set(void **state)
{
	struct tsh_strbuf text = TSH_STRBUF_INIT;
	struct tsh_clock clock;

	(void)state;
	assert_int_equal(load(&clock, "mono", timer_list, NULL), 0);
	assert_false(clock.is_not_set);
	tsh_clock_release(&clock);
	assert_int_equal(load(&clock, "mono",
			      "now at 100000000000 nsecs\n clock 1:\n  .offset:     5 nsecs\n",
			      NULL),
			 0);
	assert_true(clock.is_not_set);
	check_wall(&clock, 0, 60 * S, 60 * S + 5, 1);
	tsh_clock_error_text(&clock, 0, &text);
	assert_non_null(strstr(text.buf, "not set"));
	tsh_clock_release(&clock);
	tsh_strbuf_release(&text);
}

static void test_nothing(void **state)
{
	static const char *const bad[] = {
		"",
		"\n",
		"now at\n",
		"now at -1 nsecs\n",
		"now at 18446744073709551616 nsecs\n",
		"now at 9223372036854775807 nsecs\n clock 1:\n  .offset:     1 nsecs\n",
		"now at 1 nsecs\n clock 9:\n  .offset:     1 nsecs\n",
		"now at 1 nsecs\n clock 1:\n  .offset:     99999999999999999999 nsecs\n",
		"now at 1 nsecs\n  .offset:     1 nsecs\n",
		"1.0\nnow ts:\n2.0\n",
		"1.0\nnow ts: 5\n2.0\n",
		"99999999999.0\nnow ts: 5.000000\n99999999999.9\n",
		"time.tv_usec: 1\nnow ts: 5.000000\n2.0\n",
		"2.0\nnow ts: 5.000000\n1.0\n",
		"@99999\n@\n",
		" clock \n .offset:\n",
		"now ts: 1.000000\n",
	};
	struct tsh_clock clock;
	size_t i;

	(void)state;
	for (i = 0; i < SIZE(bad); i++) {
		if (load(&clock, "mono", bad[i], NULL) != -EINVAL)
			fail_msg("'%s' says what time it is", bad[i]);
		assert_false(tsh_clock_is_ready(&clock));
		tsh_clock_release(&clock);
		assert_int_equal(load(&clock, "local", bad[i], bad[i]), -EINVAL);
		tsh_clock_release(&clock);
	}
	assert_int_equal(load(&clock, "counter", timer_list, NULL), 0);
	assert_false(tsh_clock_is_ready(&clock));
	tsh_clock_release(&clock);
}

/* ---- a board that is made up ---- */

#define BILLION INT64_C(1000000000)

struct board {
	int64_t now; /* MONOTONIC */
	int64_t real, asleep; /* from there */
	int64_t home, home_ppb; /* the clock at home, and how fast it goes */
	int64_t local, ppb; /* sched_clock likewise */
	bool has_list, has_offsets, has_nano, has_adjtimex;
};

static void pass(struct board *b, int64_t most)
{
	b->now += between(most / 10, most);
}

static int64_t trace_clock(const struct board *b, const char *name, int64_t now)
{
	if (!strcmp(name, "boot"))
		return now + b->asleep;
	if (!strcmp(name, "local"))
		return now + b->local + now / 1000 * b->ppb / 1000000;
	return now;
}

static void date(struct board *b, bool home, struct tsh_strbuf *out)
{
	int64_t now =
		home ? b->now + b->home + b->now / 1000 * b->home_ppb / 1000000 : b->now + b->real;

	if (b->has_nano || home)
		tsh_strbuf_addf(out, "%" PRId64 ".%09" PRId64 "\n", now / BILLION, now % BILLION);
	else
		tsh_strbuf_addf(out, "%" PRId64 ".%%N\n", now / BILLION);
	pass(b, 3 * MS);
}

static void list(struct board *b, struct tsh_strbuf *out)
{
	if (!b->has_list)
		return;
	tsh_strbuf_addf(out, "now at %" PRId64 " nsecs\n", b->now);
	if (b->has_offsets)
		tsh_strbuf_addf(out,
				" clock 1:\n  .offset:     %" PRId64 " nsecs\n clock 2:\n"
				"  .offset:     %" PRId64 " nsecs\n",
				b->real, b->asleep);
	pass(b, 100 * US);
}

static void stats(struct board *b, const char *name, struct tsh_strbuf *out)
{
	int64_t us = (trace_clock(b, name, b->now) + 500) / 1000;

	tsh_strbuf_addf(out, "now ts: %5" PRId64 ".%06" PRId64 "\n", us / 1000000, us % 1000000);
	pass(b, 2 * MS);
}

/* As examples/board/collect.sh does it. */
static void look(struct board *b, const char *name, struct tsh_strbuf *out)
{
	int64_t begin, printed, us;

	if (b->has_list) {
		list(b, out);
		stats(b, name, out);
		list(b, out);
		stats(b, name, out);
		list(b, out);
	}
	us = (b->now + b->real) / 1000;
	if (b->has_adjtimex)
		tsh_strbuf_addf(
			out,
			"-f  freq.adjust:  0 (65536 = 1ppm)\n    status:       64 (UNSYNC)\n"
			"    time.tv_sec:  %" PRId64 "\n    time.tv_usec: %" PRId64 "\n",
			us / 1000000, us % 1000000);
	pass(b, 2 * MS);
	begin = printed = (b->now + b->real) / S;
	date(b, false, out);
	while (printed == begin) {
		stats(b, name, out);
		printed = (b->now + b->real) / S;
		date(b, false, out);
	}
	stats(b, name, out);
	date(b, false, out);
}

static void try_board(const char *name, bool at_home)
{
	struct board b = {
		.now = between(5 * S, 100000 * S),
		.real = between(0, YEAR_2024),
		.asleep = between(0, 1000 * S),
		.home = YEAR_2024,
		.home_ppb = between(-200000, 200000),
		.local = between(0, 5 * S),
		.ppb = between(-400000, 400000),
		.has_list = between(0, 3),
		.has_offsets = between(0, 3),
		.has_nano = between(0, 1),
		.has_adjtimex = between(0, 1),
	};
	struct tsh_strbuf text = TSH_STRBUF_INIT, home = TSH_STRBUF_INIT;
	int64_t events = b.now, then, true_wall, off;
	struct tsh_clock clock;
	struct tsh_wall wall;
	int i;

	look(&b, name, &text);
	pass(&b, S);
	look(&b, name, &text);
	if (at_home) {
		pass(&b, 100 * S);
		date(&b, true, &home);
		pass(&b, 50 * MS);
		if (b.has_list)
			list(&b, &home);
		else
			stats(&b, name, &home);
		date(&b, true, &home);
	}
	if (load(&clock, name, text.buf, at_home ? home.buf : NULL))
		fail_msg("%s: no calibration of\n%s", name, text.buf);
	for (i = 0; i < 20; i++) {
		then = events - between(0, i < 10 ? 1000 : events);
		true_wall = at_home ? then + b.home + then / 1000 * b.home_ppb / 1000000 :
				      then + b.real;
		assert_true(tsh_clock_at(&clock, -1, (uint64_t)trace_clock(&b, name, then), &wall));
		off = wall.ns < true_wall ? true_wall - wall.ns : wall.ns - true_wall;
		/* the model itself is cut to microseconds */
		if ((uint64_t)off > wall.error_ns + 1000)
			fail_msg("%s: off by %" PRId64 " ns, more than %" PRIu64 ", in\n%s\n%s",
				 name, off, wall.error_ns, text.buf, home.buf);
		if (i < 10 && wall.error_ns > (at_home ? 700 : 20) * (uint64_t)MS)
			fail_msg("%s: +-%" PRIu64 " ns, of\n%s\n%s", name, wall.error_ns, text.buf,
				 home.buf);
	}
	tsh_clock_release(&clock);
	tsh_strbuf_release(&text);
	tsh_strbuf_release(&home);
}

static void test_boards(void **state)
{
	static const char *const names[] = { "boot", "mono", "local" };
	size_t i;

	(void)state;
	for (i = 0; i < 1500; i++)
		try_board(names[i % SIZE(names)], i / SIZE(names) % 2);
}

/* Damaged, it still ends, and what is ready converts. */
static void test_damage(void **state)
{
	static const char *const names[] = {
		"boot", "local", "x86-tsc", "uptime", "mono_raw", "tai"
	};
	struct board b = { .now = 77 * S,
			   .real = YEAR_2024,
			   .has_list = true,
			   .has_offsets = true,
			   .has_adjtimex = true };
	struct tsh_strbuf text = TSH_STRBUF_INIT;
	struct tsh_clock clock;
	struct tsh_wall wall, again, any;
	size_t i, j, known = 0;

	(void)state;
	look(&b, "mono", &text);
	for (i = 0; i < 3000; i++) {
		char *damaged = tsh_xstrdup(text.buf);

		for (j = 0; j < 1 + i % 8; j++)
			damaged[random64() % text.len] = (char)"0123456789.\n @-x"[random64() % 16];
		load(&clock, names[i % SIZE(names)], damaged, i % 3 ? NULL : damaged);
		if (tsh_clock_at(&clock, 0, 60 * S, &wall)) {
			known++;
			/* no time without an error, the same time again, and of any CPU no smaller error */
			assert_true(wall.error_ns > 0);
			assert_true(tsh_clock_at(&clock, 0, 60 * S, &again));
			assert_true(again.ns == wall.ns && again.error_ns == wall.error_ns);
			assert_true(tsh_clock_at(&clock, -1, 60 * S, &any));
			assert_true(any.error_ns >= wall.error_ns);
		}
		if (tsh_clock_at(&clock, -1, UINT64_MAX, &wall))
			assert_true(wall.error_ns > 0);
		tsh_clock_release(&clock);
		free(damaged);
	}
	assert_true(known > 0 && known <= 3000);
	tsh_strbuf_release(&text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_timer_list), cmocka_unit_test(test_late_cpu),
		cmocka_unit_test(test_dates),	   cmocka_unit_test(test_home),
		cmocka_unit_test(test_not_set),	   cmocka_unit_test(test_nothing),
		cmocka_unit_test(test_boards),	   cmocka_unit_test(test_damage),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
