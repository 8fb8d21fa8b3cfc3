/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "calibration.h"

#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "base/vec.h"
#include "base/xmalloc.h"

/* Widens the bounds of a rate, in billionths: the timekeeper rounds the rate. */
#define SLEW_SLACK_PPB 1000
/* Bounds how long a passing slew goes on, in ns: the kernel corrects an offset in portions of a
 * second. */
#define PASSING_NS INT64_C(2100000000)
/* Sets the shortest suspend, in ns. A smaller change is the time between the readings of two
 * clocks. */
#define SLEEP_MIN_NS 1000000

/* ---- the tracks ---- */

static bool has_lines(const struct tsh_clock_kind *kind)
{
	return kind->has_time && kind->posix == TSH_CLOCK_NO_POSIX;
}

bool tsh_clock_has_line(const struct tsh_clock_kind *kind, int cpu)
{
	return has_lines(kind) && cpu >= -1 && cpu < (kind->per_cpu ? TSH_CPU_MAX : 0);
}

void tsh_clock_init(struct tsh_clock *clock, const struct tsh_clock_kind *kind)
{
	static const struct tsh_track_rule exact = { .unit = 1 };
	/* A spread that is not 0 means that the rate varies: each node has the bounds of
	 * its slew. */
	static const struct tsh_track_rule slewed = { .unit = 1, .spread_ppb = 1 };

	memset(clock, 0, sizeof(*clock));
	clock->kind = kind;
	clock->wall = tsh_xmalloc(sizeof(*clock->wall));
	tsh_track_init(clock->wall, kind->slewed ? &exact : &slewed);
}

void tsh_clock_release(struct tsh_clock *clock)
{
	size_t i;

	if (clock->wall)
		tsh_track_release(clock->wall);
	for (i = 0; i < clock->nlines; i++)
		tsh_track_release(&clock->line[i]);
	free(clock->wall);
	free(clock->line);
	clock->wall = clock->line = NULL;
	clock->nlines = 0;
	clock->has_asleep = clock->back.is_on = clock->back.has_boot = false;
	clock->constant.is_on = clock->is_not_set = false;
}

/* Limits the unit of a clock in ns that the kernel does not trust: its unit may be up to
 * 4 ns long. */
#define UNVOUCHED_MAX_NS 4

struct tsh_track *tsh_clock_line(struct tsh_clock *clock, int cpu)
{
	const struct tsh_clock_kind *kind = clock->kind;
	const struct tsh_track_rule rule = {
		.unit = clock->is_unvouched ? 0 : kind->unit_ns,
		.finest = clock->is_unvouched ? UNVOUCHED_MAX_NS : kind->unit_max_ns,
		.spread_ppb = clock->is_unvouched ? 0 : kind->spread_ppb,
		.jitter = kind->jitter_ns + clock->jitter_ns,
		.steady = true,
	};
	size_t index = kind->per_cpu ? (size_t)(cpu + 1) : 0;

	if (index >= clock->nlines) {
		clock->line = tsh_xreallocarray(clock->line, index + 1, sizeof(*clock->line));
		while (clock->nlines <= index)
			tsh_track_init(&clock->line[clock->nlines++], &rule);
	}
	return &clock->line[index];
}

/* Sets the constant offset, when the clock is slewed like REALTIME: then every stamp since the last
 * step has the same offset. */
void tsh_clock_set_constant(struct tsh_clock *clock)
{
	struct tsh_track_value value;
	uint64_t from, last;

	clock->constant.is_on = false;
	if (!clock->kind->slewed || clock->back.is_on ||
	    !tsh_track_last_piece(clock->wall, &from, &last) || last >> 62 ||
	    !tsh_track_at(clock->wall, last, &value) || value.ns < 0 || value.ns > INT64_MAX / 2)
		return;
	clock->constant.from = from;
	clock->constant.offset = value.ns - (int64_t)last;
	/* Adds 1 ns, the width of a stamp. */
	clock->constant.error_ns = value.error + 1;
	clock->constant.is_on = true;
}

bool tsh_clock_last_sample(const struct tsh_clock *clock, int64_t *ret_wall)
{
	struct tsh_track_value value;
	uint64_t from, last;

	if (!tsh_track_last_piece(clock->wall, &from, &last) ||
	    !tsh_track_at(clock->wall, last, &value))
		return false;
	*ret_wall = value.ns;
	return true;
}

/* ---- samples ---- */

static int32_t clamp(int64_t ppb)
{
	const int32_t most = 500000000;

	return ppb < -most ? -most : ppb > most ? most : (int32_t)ppb;
}

/* Returns bounds of REALTIME's rate at a sample: the present slew, and a passing slew that may
 * still go on. */
static struct tsh_slew slew_of(struct tsh_clock *clock, const struct tsh_clock_wall_sample *sample)
{
	int32_t *passing = clock->passing;

	if (sample->before > clock->passing_until)
		passing[0] = passing[1] = 0;
	if (sample->passing_ppb) {
		clock->passing_until = sample->before + PASSING_NS;
		if (sample->passing_ppb < passing[0])
			passing[0] = sample->passing_ppb;
		if (sample->passing_ppb > passing[1])
			passing[1] = sample->passing_ppb;
	}
	return (struct tsh_slew){
		clamp((int64_t)sample->slew_ppb + passing[0] - SLEW_SLACK_PPB),
		clamp((int64_t)sample->slew_ppb + passing[1] + SLEW_SLACK_PPB),
	};
}

/* Says whether the machine was suspended: that moves BOOTTIME away from MONOTONIC. */
static bool has_slept(struct tsh_clock *clock, int64_t asleep)
{
	int64_t before = clock->asleep;
	bool known = clock->has_asleep;

	if (asleep == TSH_ASLEEP_UNKNOWN)
		return false;
	clock->asleep = asleep;
	clock->has_asleep = true;
	clock->slept_ns = asleep - before;
	return known && clock->slept_ns > SLEEP_MIN_NS;
}

/*
 * Bounds how late ticks come after a suspend, in ns. The first ones need the devices; until then a
 * clock that counts ticks stands still (86 ms were seen in an emulated machine). There may be no
 * sample of that time.
 */
#define JITTER_AFTER_SLEEP_NS UINT64_C(200000000)

static void expect_late_ticks(struct tsh_clock *clock)
{
	size_t i;

	if (!clock->jitter_ns || clock->jitter_ns >= JITTER_AFTER_SLEEP_NS)
		return;
	for (i = 0; i < clock->nlines; i++)
		clock->line[i].fuzz += JITTER_AFTER_SLEEP_NS - clock->jitter_ns;
	clock->jitter_ns = JITTER_AFTER_SLEEP_NS;
}

/* ---- intervals of wall time ---- */

static void merge(struct tsh_wall *wall, const struct tsh_wall *other)
{
	struct tsh_interval a = {
		tsh_saturating_sub(wall->ns, wall->error_ns),
		tsh_saturating_add(wall->ns, wall->error_ns),
	};
	struct tsh_interval b = {
		tsh_saturating_sub(other->ns, other->error_ns),
		tsh_saturating_add(other->ns, other->error_ns),
	};

	a = tsh_interval_hull(a, b);
	wall->ns = tsh_interval_middle(a);
	wall->error_ns = tsh_interval_error(a);
	wall->ambiguous |= other->ambiguous;
}

/* ---- a clock that is set back together with REALTIME ---- */

/* Bound, in ns, how long after the last sample a step back came, and how old the stamps may be with
 * which the ring buffer goes on. */
#define BACK_MARGIN_NS UINT64_C(1000000000)
#define BACK_OLDEST_NS UINT64_C(60000000000)

/* Notes a step back: the stamps that may be from before or after it. */
static void step_back(struct tsh_clock *clock, const struct tsh_clock_wall_sample *sample,
		      uint64_t by, bool with_wall)
{
	uint64_t from, last;

	if (!tsh_track_last_piece(clock->wall, &from, &last))
		return;
	clock->back.is_on = true;
	clock->back.by = by;
	clock->back.to = last + BACK_MARGIN_NS;
	/* When REALTIME was set back too, the offset is the same as before, so earlier wall times
	 * stay right. */
	clock->back.from = last - BACK_OLDEST_NS - (with_wall ? 0 : by);
	if (!with_wall)
		tsh_track_step_back(clock->wall, sample->base);
}

/* Compares REALTIME and the clock with BOOTTIME, which cannot be set. Returns TSH_CLOCK_*. */
static int watch_steps(struct tsh_clock *clock, const struct tsh_clock_wall_sample *sample)
{
	bool known = clock->back.has_boot, set;
	int64_t wall, now, wall_step, step;

	if (sample->boot == TSH_BOOT_UNKNOWN)
		return 0;
	wall = sample->before - sample->boot;
	now = (int64_t)sample->base - sample->boot;
	wall_step = wall - clock->back.wall_to_boot;
	step = now - clock->back.clock_to_boot;
	set = known && (wall_step > SLEEP_MIN_NS || wall_step < -SLEEP_MIN_NS);
	clock->back.wall_to_boot = wall;
	clock->back.clock_to_boot = now;
	clock->back.has_boot = true;
	clock->back.now = sample->base;
	if (known && step < -SLEEP_MIN_NS)
		step_back(clock, sample, 0 - (uint64_t)step, set);
	if (set)
		clock->jump_ns = wall_step;
	return set ? TSH_CLOCK_SET : 0;
}

/* Widens the error of a stamp that may be from before or after a step back. */
static void widen_back(const struct tsh_clock *clock, uint64_t stamp, struct tsh_wall *wall)
{
	struct tsh_wall other = *wall;
	uint64_t to = clock->back.to;

	/* While the clock is behind `from`, every later stamp may be from before the step. */
	if (clock->back.now - clock->back.from > INT64_MAX)
		to = clock->back.from + INT64_MAX;
	if (stamp - clock->back.from > to - clock->back.from)
		return;
	other.ns = tsh_saturating_sub(other.ns, clock->back.by);
	merge(wall, &other);
	wall->error_ns = tsh_saturating_sum(wall->error_ns, BACK_OLDEST_NS);
	wall->ambiguous = true;
}

int tsh_clock_add_wall(struct tsh_clock *clock, const struct tsh_clock_wall_sample *sample)
{
	struct tsh_interval value = { sample->before, sample->after };
	struct tsh_slew slew;
	int64_t jump;
	bool slept;
	int news = 0;

	if (!clock->kind->has_time || value.lo > value.hi)
		return 0;
	if (clock->kind->steps_with_realtime)
		news |= watch_steps(clock, sample);
	slew = slew_of(clock, sample);
	slept = has_slept(clock, sample->asleep);
	if (slept) {
		news |= TSH_CLOCK_SLEPT;
		expect_late_ticks(clock);
	}
	switch (tsh_track_add(clock->wall, sample->base, value, &slew, &jump)) {
	case TSH_TRACK_CONTINUES:
		break;
	case TSH_TRACK_BROKEN:
		/* A clock that stops in suspend is behind by the time asleep. That is no step of
		 * REALTIME. */
		if (slept && !clock->kind->runs_in_suspend)
			jump -= clock->slept_ns;
		if (slept && jump <= SLEEP_MIN_NS && jump >= -SLEEP_MIN_NS)
			break;
		clock->jump_ns = jump;
		news |= TSH_CLOCK_SET;
		break;
	case TSH_TRACK_RESTARTED:
		news |= TSH_CLOCK_RESTARTED;
		break;
	}
	tsh_clock_set_constant(clock);
	return news;
}

int tsh_clock_add(struct tsh_clock *clock, const struct tsh_clock_sample *sample)
{
	struct tsh_interval value = { sample->before, sample->after };
	struct tsh_track *line;
	int64_t jump;

	if (value.lo > value.hi || sample->cpu < -1 || sample->cpu >= TSH_CPU_MAX ||
	    !has_lines(clock->kind))
		return 0;
	line = tsh_clock_line(clock, sample->cpu);
	line->may_jump = clock->asleep - line->asleep > SLEEP_MIN_NS;
	line->asleep = clock->asleep;
	/* A count of ticks is rounded down: the tick had begun before. */
	value.lo = tsh_saturating_sub(value.lo, tsh_track_ticks(line, sample->quantum));
	if (clock->kind->in_ns)
		value.hi = tsh_saturating_add(value.hi, tsh_track_ticks(line, sample->quantum));
	return tsh_track_add(line, sample->stamp, value, NULL, &jump) == TSH_TRACK_CONTINUES ?
		       0 :
		       TSH_CLOCK_RESTARTED;
}

bool tsh_clock_is_ready(const struct tsh_clock *clock)
{
	size_t i;

	if (!clock->wall || !tsh_track_is_ready(clock->wall))
		return false;
	for (i = 0; i < clock->nlines; i++)
		if (tsh_track_is_ready(&clock->line[i]))
			return true;
	return !has_lines(clock->kind);
}

/* ---- conversion ---- */

/* Converts an error from ns of the base to ns of REALTIME, whose rate differs. */
static inline uint64_t slewed_error(const struct tsh_track *wall, uint64_t error)
{
	uint64_t more = error <= UINT32_MAX ?
				error * wall->slew_most / 1000000000 :
				tsh_mul_div(error, wall->slew_most, 1000000000, false);

	return tsh_saturating_sum(error, more);
}

/* Returns REALTIME when the base was `at`, which has an error of its own. */
static bool wall_at(const struct tsh_clock *clock, uint64_t at, uint64_t error,
		    struct tsh_wall *ret)
{
	struct tsh_track_value value;

	if (!tsh_track_at(clock->wall, at, &value))
		return false;
	ret->ns = value.ns;
	if (!clock->kind->slewed)
		error = slewed_error(clock->wall, error);
	ret->error_ns = tsh_saturating_sum(value.error, error);
	ret->ambiguous = value.ambiguous;
	if (value.error == UINT64_MAX)
		ret->error_ns = UINT64_MAX;
	return true;
}

static void merge_at(const struct tsh_clock *clock, uint64_t at, struct tsh_wall *wall)
{
	struct tsh_wall other;

	if (wall_at(clock, at, 0, &other))
		merge(wall, &other);
	wall->ambiguous = true;
}

/* Returns REALTIME at a time of the base that has an error. Near a step the time may be before or
 * after the step; the error of the result covers both. */
static bool wall_about(const struct tsh_clock *clock, const struct tsh_track_value *base,
		       struct tsh_wall *ret)
{
	const struct tsh_track *track = clock->wall;
	uint64_t at = (uint64_t)base->ns, from = at - base->error, to = at + base->error;
	size_t i = SIZE_MAX;

	if (!wall_at(clock, at, base->error, ret))
		return false;
	ret->ambiguous |= base->ambiguous;
	if (!track->nbroken)
		return true;
	/* Between steps REALTIME only grows, so its largest value is at one of the ends. */
	while ((i = tsh_track_break(track, from, to, i)) != SIZE_MAX) {
		merge_at(clock, from, ret);
		merge_at(clock, to, ret);
		merge_at(clock, track->node[i].at, ret);
		merge_at(clock, track->node[i].at - 1, ret);
		if (i)
			merge_at(clock, track->node[i - 1].at, ret);
		if (i)
			merge_at(clock, track->node[i - 1].at + 1, ret);
	}
	return true;
}

/* Converts a stamp by the line of a CPU. The event happened within the unit that the
 * stamp begins. */
static bool wall_by_line(const struct tsh_clock *clock, const struct tsh_track *line,
			 uint64_t stamp, struct tsh_wall *ret)
{
	struct tsh_track_value base;

	if (!tsh_track_at(line, stamp, &base))
		return false;
	base.ns = tsh_saturating_add(base.ns, line->half_tick);
	base.error = tsh_saturating_sum(base.error, line->half_tick);
	return wall_about(clock, &base, ret);
}

/* Converts a stamp by the lines of all CPUs together. */
static bool wall_of_any(const struct tsh_clock *clock, uint64_t stamp, struct tsh_wall *ret)
{
	bool found = false;
	size_t i;

	for (i = 0; i < clock->nlines; i++) {
		struct tsh_wall wall;

		if (!wall_by_line(clock, &clock->line[i], stamp, &wall))
			continue;
		if (found)
			merge(ret, &wall);
		else
			*ret = wall;
		found = true;
	}
	return found;
}

bool tsh_clock_convert(const struct tsh_clock *clock, int cpu, uint64_t stamp, struct tsh_wall *ret)
{
	size_t index = clock->kind->per_cpu ? (size_t)cpu + 1 : 0;

	if (!clock->wall)
		return false;
	if (!has_lines(clock->kind)) {
		if (!clock->kind->has_time || !wall_at(clock, stamp, 1, ret))
			return false;
		if (clock->back.is_on)
			widen_back(clock, stamp, ret);
		return true;
	}
	/* A clock with a line for each CPU has none for CPU -1. */
	if (cpu < 0 && clock->nlines > 1)
		return wall_of_any(clock, stamp, ret);
	if (index < clock->nlines && wall_by_line(clock, &clock->line[index], stamp, ret))
		return true;
	if (clock->nlines && wall_by_line(clock, &clock->line[0], stamp, ret))
		return true;
	return wall_of_any(clock, stamp, ret);
}

bool tsh_clock_before(const struct tsh_clock *clock, int cpu, uint64_t stamp, int64_t *ret_wall)
{
	size_t index = clock->kind->per_cpu ? (size_t)cpu + 1 : 0;
	const struct tsh_track *line;
	int64_t base;

	if (cpu < 0 || index >= clock->nlines)
		return false;
	line = &clock->line[index];
	return tsh_track_before(line, stamp, &base) &&
	       tsh_track_before(clock->wall, (uint64_t)base + line->half_tick, ret_wall);
}

/* ---- how good it is ---- */

uint64_t tsh_clock_error(const struct tsh_clock *clock)
{
	uint64_t largest = 0, from, last;
	struct tsh_wall wall;
	size_t i;

	if (!tsh_clock_is_ready(clock))
		return UINT64_MAX;
	if (!has_lines(clock->kind))
		return tsh_track_last_piece(clock->wall, &from, &last) &&
				       tsh_clock_convert(clock, -1, last, &wall) ?
			       wall.error_ns :
			       UINT64_MAX;
	for (i = 0; i < clock->nlines; i++)
		if (tsh_track_last_piece(&clock->line[i], &from, &last) &&
		    wall_by_line(clock, &clock->line[i], last, &wall) && wall.error_ns > largest)
			largest = wall.error_ns;
	return largest ? largest : UINT64_MAX;
}

/* Returns how much the error grows with each second of an event's age, in billionths, over all
 * tracks together. */
static uint64_t growth_ppb(const struct tsh_clock *clock)
{
	uint64_t largest = 0, ppb;
	size_t i;

	for (i = 0; i < clock->nlines; i++) {
		ppb = tsh_track_growth_ppb(&clock->line[i]);
		if (ppb > largest)
			largest = ppb;
	}
	return tsh_saturating_sum(largest, tsh_track_growth_ppb(clock->wall));
}

const char *tsh_clock_condition(const struct tsh_clock *clock)
{
	/* A recording does not say whether the machine was suspended. */
	bool may_have_slept = !clock->has_asleep || clock->asleep > SLEEP_MIN_NS;

	return may_have_slept && !clock->kind->runs_in_suspend ?
		       "if the clock was not set, and the machine did not sleep, since" :
		       "if the clock was not set since";
}

void tsh_clock_error_text(const struct tsh_clock *clock, uint64_t rounding_ns,
			  struct tsh_strbuf *out)
{
	uint64_t growth = clock->wall ? growth_ppb(clock) : 0;

	tsh_strbuf_adds(out, "error +-");
	tsh_format_ns(tsh_round_bound(tsh_saturating_sum(tsh_clock_error(clock), rounding_ns)),
		      out);
	if (growth) {
		/* Billionths of a second are the same as nanoseconds per second. */
		tsh_strbuf_adds(out, " now, ");
		tsh_format_ns(tsh_round_bound(growth), out);
		tsh_strbuf_adds(out, " more for each second of age");
	}
	if (clock->is_not_set)
		tsh_strbuf_adds(out, ", by a clock that was not set (help boards)");
	if (clock->is_dated)
		tsh_strbuf_adds(out, " besides that of the file's own date, which it does not say");
}
