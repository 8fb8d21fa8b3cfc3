/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "clocks.h"

#include <stdlib.h>
#include <string.h>

/* The stated error is the truth, whatever a clock does. */

/*
 * A machine: MONOTONIC_RAW goes on, REALTIME is slewed and set, and a trace clock has a rate
 * of its own against RAW that stays.
 */
struct machine {
	const struct tsh_clock_kind *kind;
	uint64_t frequency;	/* of the trace clock: units in 10^6 s of RAW */
	uint64_t rounding;	/* of a look at it, in units: `now ts` in us has 1000 */
	uint64_t scale;		/* a coarse clock has phases that no stamp shows */
	bool is_unvouched;
	bool is_set;		/* REALTIME is stepped now and then */
	uint64_t raw;
	int64_t wall;
	uint64_t fraction;	/* of a ns of REALTIME, in billionths */
	int32_t slew;		/* ppb, in force */
	int32_t wanted;		/* as adjtimex says */
	uint64_t wanted_at;	/* when it comes into force: at a tick */
};

/* Time passes; the kernel looks at what is wanted of it at its ticks. */
static void pass(struct machine *m, uint64_t ns)
{
	while (ns) {
		uint64_t step = ns, left = m->wanted_at > m->raw ? m->wanted_at - m->raw : 0;
		int64_t gone;

		if (left && left < step)
			step = left;
		if (!left)
			m->slew = m->wanted;
		gone = (int64_t)(step % S) * m->slew + (int64_t)m->fraction;
		m->wall += (int64_t)step + (int64_t)(step / S) * m->slew;
		m->fraction = (uint64_t)((gone % S + S) % S);
		m->wall += (gone - (int64_t)m->fraction) / S;
		m->raw += step;
		ns -= step;
	}
}

static uint64_t ticks(const struct machine *m)
{
	return tsh_mul_div(m->raw, m->frequency, 1000000ULL * S, false) / m->scale;
}

static uint64_t stamp_now(const struct machine *m)
{
	if (m->kind->posix == CLOCK_MONOTONIC_RAW)
		return m->raw;
	/* slewed like REALTIME, and not set with it: how much it was is in frequency */
	return m->kind->slewed ? (uint64_t)m->wall - m->frequency : ticks(m);
}

static uint64_t latency(void)
{
	return (uint64_t)between(10, random64() % 8 ? 300 : 20 * US);
}

static int look_wall(struct machine *m, struct tsh_clock *clock)
{
	struct tsh_clock_wall_sample sample = {
		.before = m->wall, .slew_ppb = m->wanted, .asleep = TSH_ASLEEP_UNKNOWN,
	};

	pass(m, latency());
	sample.base = m->kind->slewed ? stamp_now(m) : m->raw;
	pass(m, latency());
	sample.after = m->wall;
	return tsh_clock_add_wall(clock, &sample);
}

static int look_line(struct machine *m, struct tsh_clock *clock)
{
	struct tsh_clock_sample sample = { .before = (int64_t)m->raw, .cpu = 0 };

	if (m->kind->posix != TSH_CLOCK_NO_POSIX)
		return 0;
	pass(m, latency());
	sample.stamp = stamp_now(m);
	sample.quantum = m->rounding;
	if (m->kind->in_ns) {
		sample.quantum = m->rounding / 2;
		sample.stamp = (sample.stamp + m->rounding / 2) / m->rounding * m->rounding;
	}
	pass(m, latency());
	sample.after = (int64_t)m->raw;
	return tsh_clock_add(clock, &sample);
}

static void meddle(struct machine *m)
{
	int64_t step;

	if (random64() % 16 == 0) {
		m->wanted = (int32_t)between(-500000, 500000);
		m->wanted_at = m->raw + (uint64_t)between(0, 10 * MS);
	}
	if (m->is_set && random64() % 64 == 0) {
		step = between(MS, 4000 * S) * (random64() % 2 ? 1 : -1);
		m->wall += step;
		if (m->kind->slewed)
			m->frequency += (uint64_t)step;
	}
}

struct event {
	uint64_t stamp;
	int64_t wall;
};

#define NEVENTS 64
#define NLOOKS 32

static void check_event(const struct machine *m, const struct tsh_clock *clock,
			const struct event *event, uint64_t most)
{
	struct tsh_wall got;

	assert_true(tsh_clock_at(clock, 0, event->stamp, &got));
	if ((uint64_t)llabs(got.ns - event->wall) > got.error_ns)
		print_error("%s: off by %" PRId64 ", error %" PRIu64 "\n", m->kind->name,
			    got.ns - event->wall, got.error_ns);
	assert_true((uint64_t)llabs(got.ns - event->wall) <= got.error_ns);
	if (!got.ambiguous && got.error_ns > most)
		print_error("%s: error %" PRIu64 "\n", m->kind->name, got.error_ns);
	/* and it is worth something */
	assert_true(got.ambiguous || got.error_ns <= most);
}

/* As a stream does it: events, and a look after each pass. */
static void simulate(struct machine *m, uint64_t most)
{
	struct event events[NEVENTS];
	uint64_t line_at, line_pause = 15 * MS;
	struct tsh_clock clock;
	size_t n = 0, i;
	int round;

	tsh_clock_init(&clock, m->kind);
	clock.is_unvouched = m->is_unvouched;
	for (i = 0; i < 2 * NLOOKS; i++) {
		look_wall(m, &clock);
		look_line(m, &clock);
		if (i == NLOOKS)
			pass(m, 10500 * US);
	}
	look_wall(m, &clock);
	line_at = m->raw + line_pause;
	for (round = 0; round < 600; round++) {
		pass(m, (uint64_t)between(0, 10 * MS));
		events[n++ % NEVENTS] = (struct event){ stamp_now(m), m->wall };
		pass(m, (uint64_t)between(0, 10 * MS));
		meddle(m);
		for (i = look_wall(m, &clock) ? NLOOKS : 0; i; i--)
			look_wall(m, &clock);
		if (m->raw >= line_at) {
			line_pause *= 2;
			for (i = 0; i < NLOOKS / 2; i++)
				assert_int_equal(look_line(m, &clock), 0);
			look_wall(m, &clock);
			line_at = m->raw + line_pause;
		}
		for (i = 0; i < (n < NEVENTS ? n : NEVENTS); i++)
			check_event(m, &clock, &events[i], most);
	}
	tsh_clock_release(&clock);
}

static void test_truth(void **state)
{
	static const struct {
		const char *name;
		uint64_t frequency;
		uint64_t rounding;
		uint64_t most;
		bool is_unvouched;
	} cases[] = {
		{ "boot", 0, 0, 1000, false },
		{ "mono", 0, 0, 1000, false },
		{ "mono_raw", 0, 0, 12 * US, false },
		{ "local", S, 1000, 20 * US, false },
		{ "local", S, 1000, 20 * US, true },
		{ "local", S / 100 * 135, 1000, 20 * US, true },
		{ "local", S / 100 * 60, 1000, 20 * US, true },
		{ "global", S + 900 * US, 1000, 20 * US, false },
		{ "perf", S - 900 * US, 1000, 20 * US, false },
		{ "uptime", S, 1, 21 * MS, false },
		{ "x86-tsc", 2893299000u, 1, 20 * US, false },
		{ "x86-tsc", 1000000000u, 1, 20 * US, false },
		{ "s390-tod", 4096000000u, 1, 20 * US, false },
		{ "what", 62500000, 1, 20 * US, false },
		{ "what", 1000000, 1, 30 * US, false },
	};
	size_t i, j;

	(void)state;
	for (i = 0; i < SIZE(cases); i++) {
		for (j = 0; j < 20; j++) {
			struct machine m = {
				.kind = tsh_clock_kind(cases[i].name),
				.frequency = cases[i].frequency * 1000000,
				.rounding = cases[i].rounding,
				.is_unvouched = cases[i].is_unvouched,
				.scale = strcmp(cases[i].name, "uptime") ? 1 : 10 * MS,
				.is_set = j % 2,
				.raw = random64() >> between(10, 40),
				.wall = between(0, YEAR_2024),
			};

			if (m.kind->slewed)
				m.frequency = (uint64_t)(m.wall - between(0, S * 1000));
			m.wanted_at = m.raw;
			simulate(&m, cases[i].most);
		}
	}
}

/* Steps of any size beyond the error are seen at once. */
static void test_steps(void **state)
{
	static const char *const names[] = { "boot", "mono_raw", "local", "x86-tsc" };
	size_t i;
	int j;

	(void)state;
	for (i = 0; i < SIZE(names); i++) {
		struct machine m = {
			.kind = tsh_clock_kind(names[i]),
			.frequency = 1000000ULL * S, .rounding = 1000, .scale = 1,
			.wall = YEAR_2024, .raw = 5 * S,
		};
		struct tsh_clock clock;

		tsh_clock_init(&clock, m.kind);
		if (m.kind->slewed)
			m.frequency = YEAR_2024 - 1000 * S;
		for (j = 0; j < 100; j++) {
			int64_t step = between(60 * US, 4000 * S) * (j % 2 ? 1 : -1);

			pass(&m, 20 * MS);
			look_wall(&m, &clock);
			look_line(&m, &clock);
			pass(&m, 20 * MS);
			assert_int_equal(look_wall(&m, &clock), 0);
			m.wall += step;
			if (m.kind->slewed)
				m.frequency += (uint64_t)step;
			assert_int_equal(look_wall(&m, &clock), TSH_CLOCK_SET);
			assert_in_range(llabs(clock.jump_ns - step), 0, 41 * US);
			pass(&m, 20 * MS);
			assert_int_equal(look_wall(&m, &clock), 0);
		}
		tsh_clock_release(&clock);
	}
}

static void check_error_text(const char *kind, int64_t each_way, uint64_t rounding,
			     const char *expected)
{
	struct tsh_strbuf text = TSH_STRBUF_INIT;
	struct tsh_clock clock;

	tsh_clock_init(&clock, tsh_clock_kind(kind));
	/* a stamp is 1 ns wide */
	add_wall(&clock, YEAR_2024 - each_way + 1, YEAR_2024 + each_way - 1, 5 * S);
	tsh_clock_error_text(&clock, rounding, &text);
	assert_string_equal(text.buf, expected);
	tsh_strbuf_release(&text);
	tsh_clock_release(&clock);
}

/* A bound is rounded up. */
static void test_error_text(void **state)
{
	(void)state;
	check_error_text("boot", 180, 0, "error +-180 ns");
	check_error_text("boot", 180, 500, "error +-680 ns");
	check_error_text("boot", 1230, 0, "error +-1.23 us");
	check_error_text("boot", 1231, 0, "error +-1.24 us");
	check_error_text("mono_raw", 180, 0,
			 "error +-180 ns now, 500 us more for each second of age");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_truth),
		cmocka_unit_test(test_steps),
		cmocka_unit_test(test_error_text),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
