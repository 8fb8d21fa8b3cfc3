/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tracesh/clock.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "interval.h"
#include "tracesh/number.h"
#include "tracesh/vec.h"
#include "tracesh/xmalloc.h"

/* A rate is measured over this much at least: reading a clock takes up to some us. */
#define MIN_BASELINE_NS (10 * 1000 * 1000)
#define MILLION 1000000

/* The wall time at the moment when the clock was at `stamp`. */
struct point {
	uint64_t stamp;
	struct tsh_interval wall;
};

/* `units` of the clock take between `least` and `most` ns; not known when units is 0. */
struct rate {
	uint64_t units;
	uint64_t least;
	uint64_t most;
};

/*
 * What is known of a clock since the last step. Each sample says in which interval
 * the wall time was at its stamp; by the rate and its drift that is carried to the
 * latest stamp, where all that was said so far is met with it. So nothing is lost
 * by keeping only two points: the latest, and the first for the stamps before.
 */
struct tsh_clock_offset {
	struct rate rate;
	bool ready;
	struct point first;
	struct point last;
	/* Of a clock whose rate is measured: the sample at which that began. */
	bool has_base;
	struct point base;
	uint64_t base_quantum;
};

void tsh_clock_init(struct tsh_clock *clock, const struct tsh_clock_kind *kind)
{
	clock->kind = kind;
	clock->offset = NULL;
	clock->noffsets = 0;
}

void tsh_clock_release(struct tsh_clock *clock)
{
	free(clock->offset);
	clock->offset = NULL;
	clock->noffsets = 0;
}

/* Room for the offset of a CPU, or of all with -1. */
static struct tsh_clock_offset *make_offset(struct tsh_clock *clock, int cpu)
{
	size_t index = clock->kind->per_cpu ? (size_t)(cpu + 1) : 0;

	if (index >= clock->noffsets) {
		clock->offset = tsh_xreallocarray(clock->offset, index + 1,
						  sizeof(*clock->offset));
		while (clock->noffsets <= index) {
			clock->offset[clock->noffsets++] = (struct tsh_clock_offset){
				.rate = { !!clock->kind->unit_ns, clock->kind->unit_ns,
					  clock->kind->unit_ns },
			};
		}
	}
	return &clock->offset[index];
}

/* Stamps are counted modulo 2^64: the nearer way round is the right one. */
static bool is_before(uint64_t a, uint64_t b)
{
	return a - b > INT64_MAX;
}

/* What `ns` may be off by, rounded up. */
static uint64_t drift(const struct tsh_clock_kind *kind, uint64_t ns)
{
	uint64_t rest = ns % MILLION * kind->drift_ppm;

	if (!kind->drift_ppm)
		return 0;
	return ns / MILLION * kind->drift_ppm + (rest + MILLION - 1) / MILLION;
}

/* The wall time at another stamp, from what is known of one. */
static struct tsh_interval carry(const struct tsh_clock_kind *kind, const struct rate *rate,
				 const struct point *from, uint64_t stamp)
{
	bool back = is_before(stamp, from->stamp);
	uint64_t units = back ? from->stamp - stamp : stamp - from->stamp;
	uint64_t least = tsh_mul_div(units, rate->least, rate->units, false);
	uint64_t most = tsh_mul_div(units, rate->most, rate->units, true);

	if (__builtin_sub_overflow(least, drift(kind, least), &least))
		least = 0;
	if (__builtin_add_overflow(most, drift(kind, most), &most))
		most = UINT64_MAX;
	return back ? tsh_interval_earlier(from->wall, least, most) :
		      tsh_interval_later(from->wall, least, most);
}

/*
 * The average rate from the base to a sample. The stamps may be off by their
 * quanta, towards each other or away from each other.
 */
static bool measure_rate(const struct tsh_clock_offset *o, const struct point *now,
			 uint64_t quantum, struct rate *ret)
{
	uint64_t units = now->stamp - o->base.stamp;
	uint64_t fuzz;

	if (!units || is_before(now->stamp, o->base.stamp) ||
	    now->wall.lo < tsh_saturating_add(o->base.wall.hi, MIN_BASELINE_NS) ||
	    __builtin_add_overflow(o->base_quantum, quantum, &fuzz) || fuzz >= units / 2)
		return false;
	ret->units = units;
	ret->least = (uint64_t)now->wall.lo - (uint64_t)o->base.wall.hi;
	ret->least = tsh_mul_div(ret->least, units, units + fuzz, false);
	ret->most = (uint64_t)now->wall.hi - (uint64_t)o->base.wall.lo;
	ret->most = tsh_mul_div(ret->most, units, units - fuzz, true);
	return true;
}

/* How uncertain a rate is, in billionths of it. */
static uint64_t rate_error(const struct rate *rate)
{
	if (!rate->most)
		return UINT64_MAX;
	return tsh_mul_div(rate->most - rate->least, 1000 * MILLION, rate->most, true);
}

static void set_base(struct tsh_clock_offset *o, const struct point *now, uint64_t quantum)
{
	o->has_base = true;
	o->base = *now;
	o->base_quantum = quantum;
}

/* A point with what its stamp may be off by taken into the wall time. */
static struct point widened(const struct tsh_clock_offset *o, const struct point *p,
			    uint64_t quantum)
{
	uint64_t ns = tsh_mul_div(quantum, o->rate.most, o->rate.units, true);

	return (struct point){ p->stamp, tsh_interval_widen(p->wall, ns) };
}

/* A sample of a clock whose rate is not known yet. */
static int add_first(struct tsh_clock_offset *o, const struct point *now, uint64_t quantum)
{
	if (!o->has_base) {
		set_base(o, now, quantum);
		return 0;
	}
	if (measure_rate(o, now, quantum, &o->rate)) {
		o->ready = true;
		o->first = widened(o, &o->base, o->base_quantum);
		o->last = widened(o, now, quantum);
		return 0;
	}
	/* time that goes on in one clock and back in the other */
	if (is_before(now->stamp, o->base.stamp) ? now->wall.lo > o->base.wall.hi :
						   now->wall.hi < o->base.wall.lo) {
		set_base(o, now, quantum);
		return 1;
	}
	/* still in the first 10 ms: the best sample is the one to begin with */
	if (tsh_interval_width(now->wall) < tsh_interval_width(o->base.wall))
		set_base(o, now, quantum);
	return 0;
}

/* Meets the points with a new one, already widened; false when they contradict. */
static bool narrow(const struct tsh_clock_kind *kind, struct tsh_clock_offset *o,
		   struct point now)
{
	if (!tsh_interval_meet(&now.wall, carry(kind, &o->rate, &o->last, now.stamp)))
		return false;
	if (is_before(now.stamp, o->last.stamp))
		tsh_interval_meet(&o->last.wall, carry(kind, &o->rate, &now, o->last.stamp));
	else
		o->last = now;
	if (is_before(now.stamp, o->first.stamp))
		o->first = now;
	else
		tsh_interval_meet(&o->first.wall, carry(kind, &o->rate, &now, o->first.stamp));
	return true;
}

int tsh_clock_add(struct tsh_clock *clock, const struct tsh_clock_sample *sample)
{
	const struct tsh_clock_kind *kind = clock->kind;
	struct point now = { sample->stamp, { sample->wall_before, sample->wall_after } };
	struct tsh_clock_offset *o;
	struct rate rate;
	int stepped = 0;

	if (!kind->has_time || now.wall.lo > now.wall.hi ||
	    sample->cpu < -1 || sample->cpu >= TSH_CPU_MAX)
		return 0;
	o = make_offset(clock, sample->cpu);
	if (!o->rate.units)
		return add_first(o, &now, sample->quantum);
	if (!o->ready || !narrow(kind, o, widened(o, &now, sample->quantum))) {
		stepped = o->ready;
		o->ready = true;
		o->first = o->last = widened(o, &now, sample->quantum);
		o->has_base = false;
	}
	if (kind->unit_ns)
		return stepped;
	if (!o->has_base)
		set_base(o, &now, sample->quantum);
	else if (measure_rate(o, &now, sample->quantum, &rate) &&
		 rate_error(&rate) < rate_error(&o->rate))
		o->rate = rate;
	return stepped;
}

bool tsh_clock_is_ready(const struct tsh_clock *clock)
{
	size_t i;

	for (i = 0; i < clock->noffsets; i++) {
		if (clock->offset[i].ready)
			return true;
	}
	return false;
}

/* The wall time of a stamp that an event bears: the moment is within one unit of it. */
static struct tsh_interval wall_of(const struct tsh_clock_kind *kind,
				   const struct tsh_clock_offset *o, uint64_t stamp)
{
	struct tsh_interval wall = carry(kind, &o->rate, &o->last, stamp);
	struct tsh_interval other;
	uint64_t unit = kind->unit_ns;

	/* without drift the latest point knows all that the first does */
	if (kind->drift_ppm && is_before(stamp, o->last.stamp)) {
		other = carry(kind, &o->rate, &o->first, stamp);
		if (!tsh_interval_meet(&wall, other))
			wall = tsh_interval_hull(wall, other);
	}
	if (!unit)
		unit = tsh_mul_div(1, o->rate.most, o->rate.units, true);
	return tsh_interval_widen(wall, unit);
}

/* What the offsets of all CPUs say of a stamp. */
static bool wall_of_any(const struct tsh_clock *clock, uint64_t stamp, struct tsh_interval *ret)
{
	bool found = false;
	size_t i;

	for (i = 0; i < clock->noffsets; i++) {
		struct tsh_interval wall;

		if (!clock->offset[i].ready)
			continue;
		wall = wall_of(clock->kind, &clock->offset[i], stamp);
		*ret = found ? tsh_interval_hull(*ret, wall) : wall;
		found = true;
	}
	return found;
}

/* The CPU's own offset, or the one that holds for all; NULL when there is neither. */
static const struct tsh_clock_offset *find_offset(const struct tsh_clock *clock, int cpu)
{
	size_t index = clock->kind->per_cpu ? (size_t)cpu + 1 : 0;

	/* of a clock that has one for each CPU, none is right for CPU -1 */
	if (cpu < 0 && clock->noffsets > 1)
		return NULL;
	if (index && index < clock->noffsets && clock->offset[index].ready)
		return &clock->offset[index];
	return clock->noffsets && clock->offset[0].ready ? &clock->offset[0] : NULL;
}

bool tsh_clock_wall(const struct tsh_clock *clock, int cpu, uint64_t stamp, int64_t *ret_wall,
		    uint64_t *ret_error_ns)
{
	const struct tsh_clock_offset *o = find_offset(clock, cpu);
	struct tsh_interval wall;

	if (o)
		wall = wall_of(clock->kind, o, stamp);
	else if (!wall_of_any(clock, stamp, &wall))
		return false;
	*ret_wall = tsh_interval_middle(wall);
	if (ret_error_ns)
		*ret_error_ns = tsh_interval_error(wall);
	if (wall.lo == INT64_MIN || wall.hi == INT64_MAX) {
		*ret_wall = wall.lo == INT64_MIN ? INT64_MIN : INT64_MAX;
		if (ret_error_ns)
			*ret_error_ns = UINT64_MAX;
	}
	return true;
}

uint64_t tsh_clock_error(const struct tsh_clock *clock)
{
	uint64_t largest = 0;
	size_t i;

	for (i = 0; i < clock->noffsets; i++) {
		const struct tsh_clock_offset *o = &clock->offset[i];
		uint64_t error;

		if (!o->ready)
			continue;
		error = tsh_interval_error(wall_of(clock->kind, o, o->last.stamp));
		if (error > largest)
			largest = error;
	}
	return largest ? largest : UINT64_MAX;
}

static void save_point(const struct point *p, struct tsh_strbuf *out)
{
	tsh_strbuf_addf(out, " %" PRIu64 " %" PRId64 " %" PRId64, p->stamp, p->wall.lo,
			p->wall.hi);
}

void tsh_clock_save(const struct tsh_clock *clock, struct tsh_strbuf *out)
{
	size_t i;

	if (!tsh_clock_is_ready(clock))
		tsh_strbuf_addf(out, "%s\n", clock->kind->name);
	for (i = 0; i < clock->noffsets; i++) {
		const struct tsh_clock_offset *o = &clock->offset[i];

		if (!o->ready)
			continue;
		tsh_strbuf_addf(out, "%s %d %" PRIu64 " %" PRIu64 " %" PRIu64,
				clock->kind->name, (int)i - 1, o->rate.units, o->rate.least,
				o->rate.most);
		save_point(&o->first, out);
		save_point(&o->last, out);
		tsh_strbuf_addc(out, '\n');
	}
}

static bool load_point(char **words, struct point *ret)
{
	return !tsh_parse_u64(words[0], &ret->stamp) &&
	       !tsh_parse_s64(words[1], &ret->wall.lo) &&
	       !tsh_parse_s64(words[2], &ret->wall.hi) && ret->wall.lo <= ret->wall.hi;
}

/* One line of a saved clock, in words. */
static bool load_offset(struct tsh_clock *clock, const struct tsh_strlist *words)
{
	uint64_t unit = clock->kind->unit_ns;
	struct tsh_clock_offset o = { .ready = true };
	int cpu;

	if (words->n != 11 || !clock->kind->has_time || tsh_parse_int(words->v[1], &cpu) ||
	    cpu < -1 || cpu >= (clock->kind->per_cpu ? TSH_CPU_MAX : 0))
		return false;
	if (tsh_parse_u64(words->v[2], &o.rate.units) ||
	    tsh_parse_u64(words->v[3], &o.rate.least) ||
	    tsh_parse_u64(words->v[4], &o.rate.most) ||
	    !o.rate.units || o.rate.least > o.rate.most)
		return false;
	if (unit && (o.rate.units != 1 || o.rate.least != unit || o.rate.most != unit))
		return false;
	if (!load_point(words->v + 5, &o.first) || !load_point(words->v + 8, &o.last))
		return false;
	*make_offset(clock, cpu) = o;
	return true;
}

/* Every line is of the same kind, and a kind without an offset stands alone. */
static bool load_line(struct tsh_clock *clock, const char *line, size_t nlines)
{
	struct tsh_strlist words = { 0 };
	bool good = false;

	tsh_strlist_split_words(&words, line);
	if (words.n) {
		const struct tsh_clock_kind *kind = tsh_clock_kind(words.v[0]);

		good = !clock->kind || clock->kind == kind;
		clock->kind = kind;
		if (good)
			good = words.n == 1 ? nlines == 1 : load_offset(clock, &words);
	}
	tsh_strlist_release(&words);
	return good;
}

int tsh_clock_load(struct tsh_clock *clock, const char *text)
{
	struct tsh_clock loaded = { 0 };
	struct tsh_strlist lines = { 0 };
	bool good;
	size_t i;

	tsh_strlist_split_lines(&lines, text);
	good = lines.n > 0;
	for (i = 0; good && i < lines.n; i++)
		good = load_line(&loaded, lines.v[i], lines.n);
	tsh_strlist_release(&lines);
	if (!good) {
		tsh_clock_release(&loaded);
		return -EINVAL;
	}
	tsh_clock_release(clock);
	*clock = loaded;
	return 0;
}

void tsh_clock_error_text(const struct tsh_clock *clock, uint64_t rounding_ns,
			  struct tsh_strbuf *out)
{
	tsh_strbuf_adds(out, "error +-");
	tsh_format_ns(tsh_clock_error(clock) + rounding_ns, out);
	if (clock->kind->drift_ppm) {
		/* ppm of a second are microseconds. */
		tsh_strbuf_adds(out, " now, ");
		tsh_format_ns((uint64_t)clock->kind->drift_ppm * 1000, out);
		tsh_strbuf_adds(out, " more for each second of age");
	}
}
