/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>

#include "calibration.h"
#include "collected-looks.h"

/*
 * Makes a calibration from the samples of a shell script, see tsh_clock_load_samples. No shell can
 * read CLOCK_MONOTONIC_RAW, so CLOCK_MONOTONIC is used instead: during the samples it is as steady.
 */

/* Bounds the rate: the most that NTP corrects, which is more than the error of a crystal. */
#define SLEW_PPB 500000
/* Bounds how far a sched_clock drifts from REALTIME, with the slew: 1/500 of the time. */
#define DRIFT_SHARE 500
#define NO_BASE	    ((enum look_base) - 1)

static const struct tsh_interval anywhere = { INT64_MIN, INT64_MAX };

/* Subtracts; an unknown end stays unknown. */
static struct tsh_interval minus(struct tsh_interval a, struct tsh_interval b)
{
	if (a.lo == INT64_MIN || __builtin_sub_overflow(a.lo, b.hi, &a.lo))
		a.lo = INT64_MIN;
	if (a.hi == INT64_MAX || __builtin_sub_overflow(a.hi, b.lo, &a.hi))
		a.hi = INT64_MAX;
	return a;
}

static struct tsh_interval plus(struct tsh_interval a, struct tsh_interval b)
{
	if (b.lo == INT64_MIN || b.hi == INT64_MAX)
		return anywhere;
	return minus(a, (struct tsh_interval){ -b.hi, -b.lo });
}

/* Reduces `a` to the part that it shares with `b`. When they share nothing, the clock was set in
 * between: sets `a` to `b`. */
static void narrow(struct tsh_interval *a, struct tsh_interval b)
{
	if (!tsh_interval_intersect(a, b))
		*a = b;
}

/* Returns REALTIME at a sample, from the dates before and behind it. */
static struct tsh_interval date_at(const struct looks *l, size_t i)
{
	const struct look *before = looks_before(l, i, LOOK_AT_DATE);
	const struct look *after = looks_after(l, i, LOOK_AT_DATE);
	struct tsh_interval date = anywhere;

	if (before)
		date.lo = before->value.lo;
	if (after)
		date.hi = after->value.hi;
	return date.lo <= date.hi ? date : anywhere;
}

static const struct look *last_of(const struct looks *l, enum look_at what)
{
	return looks_before(l, l->list.n, what);
}

static bool is_bounded(struct tsh_interval a)
{
	return a.lo != INT64_MIN && a.hi != INT64_MAX && a.lo <= a.hi;
}

static uint64_t gap_between(const struct look *a, const struct look *b)
{
	return a->value.hi < b->value.hi ? (uint64_t)(b->value.hi - a->value.hi) :
					   (uint64_t)(a->value.hi - b->value.hi);
}

/*
 * Finds REALTIME minus a clock, at the last sample of that clock. The clock may drift by
 * 1/drift_share of the time; 0: not at all. Returns false when the dates do not bound the result on
 * both sides.
 */
static bool by_dates(const struct looks *l, enum look_at what, uint64_t drift_share,
		     struct tsh_interval *ret)
{
	const struct look *last = last_of(l, what), *look;
	struct tsh_interval one;
	size_t i;

	*ret = anywhere;
	for (i = 0; i < l->list.n; i++) {
		look = &l->list.v[i];
		if (look->what != what)
			continue;
		one = minus(date_at(l, i), look->value);
		if (drift_share)
			one = tsh_interval_widen(one, gap_between(last, look) / drift_share + 1);
		narrow(ret, one);
	}
	return is_bounded(*ret);
}

/* Finds REALTIME minus MONOTONIC, exactly from timer_list, unless the dates contradict it. */
static bool by_mono(const struct looks *l, struct tsh_interval *ret)
{
	struct tsh_interval dates;
	bool has_dates = by_dates(l, LOOK_AT_MONO, 0, &dates);

	*ret = l->has_offset[LOOK_REALTIME] ? l->offset[LOOK_REALTIME] : dates;
	if (has_dates)
		narrow(ret, dates);
	return l->has_offset[LOOK_REALTIME] || has_dates;
}

/* ---- samples of the trace clock between two of MONOTONIC ---- */

static bool is_between(const struct looks *l, size_t i)
{
	const struct look *look = &l->list.v[i];

	return i && i + 1 < l->list.n && look->what == LOOK_AT_TRACE &&
	       look[-1].what == LOOK_AT_MONO && look[1].what == LOOK_AT_MONO;
}

static enum look_base base_of(const struct tsh_clock_kind *kind)
{
	if (kind->posix == CLOCK_MONOTONIC)
		return LOOK_MONOTONIC;
	if (kind->steps_with_realtime)
		return LOOK_TAI;
	return kind->runs_in_suspend && kind->slewed ? LOOK_BOOTTIME : NO_BASE;
}

/* Finds the trace clock minus MONOTONIC, when both have (almost) the same rate. */
static bool from_mono(const struct looks *l, const struct tsh_clock_kind *kind,
		      struct tsh_interval *ret)
{
	enum look_base base = base_of(kind);
	bool found = false;
	size_t i;

	if (base == LOOK_MONOTONIC) {
		*ret = (struct tsh_interval){ 0, 0 };
		return true;
	}
	if (base != NO_BASE && l->has_offset[base]) {
		*ret = l->offset[base];
		return true;
	}
	for (i = 0; i < l->list.n; i++) {
		const struct look *look = &l->list.v[i];

		if (!is_between(l, i))
			continue;
		*ret = minus(look->value,
			     (struct tsh_interval){ look[-1].value.lo, look[1].value.hi });
		found = true;
	}
	return found;
}

/* ---- REALTIME ---- */

/* Sets how far REALTIME's rate may differ from that of the base, at any time. */
static void expect_slew(struct tsh_clock *clock, const struct looks *board, bool by_other)
{
	int32_t most = SLEW_PPB;

	/* The base goes as MONOTONIC did during the samples, with REALTIME's correction of then.
	 * The bound therefore includes that correction. */
	if (by_other || (clock->kind->posix == TSH_CLOCK_NO_POSIX && !board->has_freq))
		most += SLEW_PPB;
	else if (clock->kind->posix == TSH_CLOCK_NO_POSIX)
		most += board->freq_ppb < 0 ? -board->freq_ppb : board->freq_ppb;
	clock->passing[0] = -most;
	clock->passing[1] = most;
	clock->passing_until = INT64_MAX;
}

/* Adds a wall time at a moment `at` of the base, which has an error of its own. */
static void add_wall(struct tsh_clock *clock, struct tsh_interval wall, struct tsh_interval at)
{
	const struct tsh_clock_wall_sample sample = {
		.before = tsh_saturating_sub(wall.lo, tsh_interval_error(at)),
		.after = tsh_saturating_add(wall.hi, tsh_interval_error(at)),
		.base = (uint64_t)tsh_interval_middle(at),
		.asleep = TSH_ASLEEP_UNKNOWN,
		.boot = TSH_BOOT_UNKNOWN,
	};

	if (is_bounded(wall) && at.lo >= 0)
		tsh_clock_add_wall(clock, &sample);
}

/* Adds wall times by the dates of another machine, one for each of its samples of the clock `what`.
 * The base is `distance` ahead of that clock. */
static void add_home(struct tsh_clock *clock, const struct looks *home, enum look_at what,
		     struct tsh_interval distance)
{
	size_t i;

	for (i = 0; i < home->list.n; i++)
		if (home->list.v[i].what == what)
			add_wall(clock, date_at(home, i), plus(home->list.v[i].value, distance));
}

/* Adds wall times by samples of MONOTONIC. The base is `distance` ahead of MONOTONIC. */
static void wall_by_mono(struct tsh_clock *clock, const struct looks *board,
			 const struct looks *home, struct tsh_interval distance)
{
	const struct look *last = last_of(board, LOOK_AT_MONO);
	struct tsh_interval at = plus(last->value, distance), real;

	if (home)
		add_home(clock, home, LOOK_AT_MONO, distance);
	else if (by_mono(board, &real))
		add_wall(clock, plus(real, last->value), at);
}

/* Returns a stamp without an error: by_dates has included its rounding. */
static struct tsh_interval stamp_of(const struct look *look)
{
	return (struct tsh_interval){ (int64_t)look->stamp, (int64_t)look->stamp };
}

/* Adds wall times by dates only, without MONOTONIC. */
static void wall_by_dates(struct tsh_clock *clock, const struct looks *board,
			  const struct looks *home)
{
	const struct look *last = last_of(board, LOOK_AT_TRACE);
	const struct tsh_interval none = { 0, 0 };
	uint64_t drift_share = clock->kind->slewed ? 0 : DRIFT_SHARE;
	struct tsh_interval real;

	if (home)
		add_home(clock, home, LOOK_AT_TRACE, none);
	else if (last && by_dates(board, LOOK_AT_TRACE, drift_share, &real))
		add_wall(clock, plus(real, stamp_of(last)), stamp_of(last));
}

/* ---- a clock that is measured against MONOTONIC ---- */

static void add_line(struct tsh_clock *clock, const struct look *look, struct tsh_interval base)
{
	const struct tsh_clock_sample sample = {
		.before = base.lo,
		.after = base.hi,
		.stamp = look->stamp,
		.quantum = clock->kind->in_ns ? 500 : 1,
		.cpu = clock->kind->per_cpu ? look->cpu : -1,
	};

	if (is_bounded(base) && base.lo >= 0)
		tsh_clock_add(clock, &sample);
}

static void line_by_mono(struct tsh_clock *clock, const struct looks *board)
{
	size_t i;

	for (i = 0; i < board->list.n; i++) {
		const struct look *look = &board->list.v[i];

		if (is_between(board, i))
			add_line(clock, look,
				 (struct tsh_interval){ look[-1].value.lo, look[1].value.hi });
	}
}

/* Makes the line when REALTIME itself is the base: dates are whole seconds, so only all of them
 * together are exact. */
static void line_by_dates(struct tsh_clock *clock, const struct looks *l)
{
	const struct look *last = last_of(l, LOOK_AT_TRACE);
	struct tsh_interval real, at;

	if (!last || !clock->kind->in_ns || !by_dates(l, LOOK_AT_TRACE, DRIFT_SHARE, &real))
		return;
	at = plus(real, stamp_of(last));
	add_line(clock, last, at);
	at.lo = at.hi = tsh_interval_middle(at);
	add_wall(clock, at, at);
}

/* ---- the whole calibration ---- */

/* Says whether wall times by MONOTONIC are better than wall times by dates. Without the offsets of
 * timer_list, MONOTONIC itself needs the dates. */
static bool has_mono(const struct tsh_clock_kind *kind, const struct looks *board,
		     const struct looks *home)
{
	if (!looks_count(board, LOOK_AT_MONO))
		return false;
	if (home)
		return looks_count(home, LOOK_AT_MONO);
	return board->has_offset[LOOK_REALTIME] || !kind->in_ns;
}

static void calibrate(struct tsh_clock *clock, const struct tsh_clock_kind *kind,
		      const struct looks *board, const struct looks *home)
{
	bool by_mono = has_mono(kind, board, home), has_lines = kind->posix == TSH_CLOCK_NO_POSIX;
	struct tsh_interval distance = { 0, 0 };

	expect_slew(clock, board, home != NULL);
	if (has_lines && by_mono) {
		line_by_mono(clock, board);
		wall_by_mono(clock, board, home, distance);
	} else if (has_lines) {
		line_by_dates(clock, home ? home : board);
	} else if (by_mono && from_mono(board, kind, &distance)) {
		wall_by_mono(clock, board, home, distance);
	} else {
		wall_by_dates(clock, board, home);
	}
}

int tsh_clock_load_samples(struct tsh_clock *clock, const char *samples, const char *home,
			   int64_t not_before)
{
	const struct tsh_clock_kind *kind = clock->kind;
	struct looks board, other = { 0 };
	struct tsh_clock made;
	int64_t wall;

	looks_read(&board, samples, kind);
	if (home)
		looks_read(&other, home, kind);
	tsh_clock_init(&made, home ? tsh_clock_kind_by_other(kind) : kind);
	if (kind->has_time)
		calibrate(&made, kind, &board, home ? &other : NULL);
	looks_release(&board);
	looks_release(&other);
	if (!tsh_clock_is_ready(&made) && kind->has_time) {
		tsh_clock_release(&made);
		return -EINVAL;
	}
	made.is_not_set = !home && tsh_clock_last_sample(&made, &wall) && wall < not_before;
	tsh_clock_release(clock);
	*clock = made;
	return 0;
}
