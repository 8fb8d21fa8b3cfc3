/* events/clock/clock.h - turns stamps of trace clocks into wall-clock time, with an error bound */
/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_EVENTS_CLOCK_CLOCK_H
#define TRACESH_EVENTS_CLOCK_CLOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include "base/strbuf.h"

/*
 * Converts stamps to wall times, by samples of the clocks. This room opens no file:
 * src/events/source/sampler.c reads the clocks. Stamps are in the unit of the trace clock, as raw
 * pages have them (mostly ns; cycles for x86-tsc; ticks of 10 ms for uptime; a number of events for
 * counter). Wall times are ns since 1970 UTC in an int64 (up to the year 2262).
 *
 * boot, mono and tai have a constant offset to REALTIME, from one step of the wall clock to the
 * next. All others are converted in two stages: to CLOCK_MONOTONIC_RAW, against which their rate is
 * constant, and from that to REALTIME, which NTP slews. Both stages are tracks (track.h).
 */

/* Describes a clock by its name in trace_clock (kernel/trace/trace.c, trace_clocks[]). */
struct tsh_clock_kind {
	const char *name;
	clockid_t posix;	/* the same clock for clock_gettime(2), or TSH_CLOCK_NO_POSIX */
	bool in_ns;
	bool has_time;		/* false for counter */
	bool per_cpu;		/* CPUs may disagree: each is sampled */
	bool runs_in_suspend;
	bool steps_with_realtime;	/* tai */
	bool slewed;		/* slewed like REALTIME: the offset is constant between steps */
	uint64_t unit_ns;	/* ns of a stamp's unit; 0: it has to be measured */
	uint64_t unit_max_ns;	/* largest unit, when it has to be measured */
	/* Bounds how far its rate differs from unit_ns, against MONOTONIC_RAW, in billionths. */
	uint32_t spread_ppb;
	uint64_t jitter_ns;	/* ns by which its ticks may come late */
	/* counts ticks when sched_clock is unstable, see tsh_clocksource_is_slow */
	bool uses_ticks;
	const char *summary;
};
#define TSH_CLOCK_NO_POSIX ((clockid_t)-1)

/* Returns the kind of a clock, never NULL: for an unknown name that of an unknown clock (measured,
 * per CPU), whose .name is "unknown". */
const struct tsh_clock_kind *tsh_clock_kind(const char *name);
/* Returns the kind of a clock when the wall time is another machine's: the clock is neither slewed
 * nor set together with that REALTIME. */
const struct tsh_clock_kind *tsh_clock_kind_by_other(const struct tsh_clock_kind *kind);
/*
 * Says whether the machine's clocksource is slow (hpet, acpi_pm, jiffies). With one, boot, mono and
 * tai make every event slow. perf and global then come from an unstable sched_clock, and stand
 * still until a late tick comes, as uptime does.
 */
bool tsh_clocksource_is_slow(const char *name);
/*
 * Returns the name of the trace clock for tracesh's own instances. It depends on the machine's
 * clocksource, on the bytes of the kernel's long (with 4 it reads boot in two halves), and on
 * whether the machine can be suspended.
 */
const char *tsh_clock_best(const char *clocksource, unsigned int long_size, bool can_suspend);
/* Returns the clock that is read together with REALTIME: the trace clock itself, or
 * CLOCK_MONOTONIC_RAW. */
clockid_t tsh_clock_base(const struct tsh_clock_kind *kind);

struct tsh_track;

/* Holds the calibration of one clock, for a stream or a recording. */
struct tsh_clock {
	const struct tsh_clock_kind *kind;
	struct tsh_track *wall;		/* REALTIME as a function of the base */
	/* the base as a function of the clock: [0] all CPUs, [1 + N] CPU N */
	struct tsh_track *line;
	size_t nlines;
	int64_t asleep;			/* see struct tsh_clock_wall_sample */
	bool has_asleep;
	/* least and largest slew, in billionths, that may go on until passing_until */
	int32_t passing[2];
	int64_t passing_until;
	uint64_t jitter_ns;		/* for a clock that counts ticks, on this machine */
	/* the kernel does not trust the source of the clock's ns, so its rate is only measured */
	bool is_unvouched;
	/* REALTIME was not the time of day, see tsh_clock_load_samples */
	bool is_not_set;
	bool is_dated;			/* by another program, which does not say how exactly: trace.dat */
	int64_t jump_ns;		/* how far the last step set REALTIME */
	int64_t slept_ns;		/* ns of the last suspend */
	/*
	 * For tai, which steps together with REALTIME. After it was set back by `by` ns, stamps
	 * from `from` to `to` may be from before or after the step. Within a sub-buffer stamps only
	 * grow, so the ring buffer goes on with stamps from before the step until the sub-buffer
	 * ends.
	 */
	struct {
		bool is_on, has_boot;
		int64_t wall_to_boot, clock_to_boot;
		uint64_t from, to, now;
		uint64_t by;
	} back;
	/* Holds, for boot, mono and tai, the offset to wall time of stamps since the last step. */
	struct {
		bool is_on;
		uint64_t from;
		int64_t offset;
		uint64_t error_ns;
	} constant;
};

/* Prepares a calibration without samples; borrows kind. */
void tsh_clock_init(struct tsh_clock *clock, const struct tsh_clock_kind *kind);
void tsh_clock_release(struct tsh_clock *clock);

/*
 * Holds a sample of the wall clock: REALTIME before, the base, REALTIME after. When the base is not
 * slewed, it also holds how fast REALTIME may go, in billionths, by adjtimex(2): a part that stays
 * until a program changes it, and a part that passes (an offset is corrected until the end of a
 * second).
 */
struct tsh_clock_wall_sample {
	int64_t before;
	int64_t after;
	uint64_t base;
	int32_t slew_ppb;
	int32_t passing_ppb;
	int64_t asleep;		/* CLOCK_BOOTTIME minus CLOCK_MONOTONIC, or unknown */
	/* CLOCK_BOOTTIME directly afterwards, or unknown; for a clock that steps */
	int64_t boot;
};
#define TSH_ASLEEP_UNKNOWN INT64_MIN
#define TSH_BOOT_UNKNOWN   INT64_MIN

#define TSH_CLOCK_SET	1	/* REALTIME was set by clock->jump_ns */
#define TSH_CLOCK_SLEPT	2	/* the machine was suspended for clock->slept_ns */
#define TSH_CLOCK_RESTARTED	4	/* the trace clock went back: the calibration was dropped */
/* Adds a sample. Returns what has happened since the one before, a sum of TSH_CLOCK_*. A step that
 * is smaller than the error cannot be noticed. Drops a sample whose end is before its beginning. */
int tsh_clock_add_wall(struct tsh_clock *clock, const struct tsh_clock_wall_sample *sample);

/*
 * Holds a sample of a trace clock that clock_gettime(2) does not know: CLOCK_MONOTONIC_RAW before,
 * the clock, CLOCK_MONOTONIC_RAW after. `quantum` is the error of the reading in the clock's own
 * unit. For a clock in ns it holds in both directions (500 for a `now ts` in microseconds). For
 * others it is the part that was cut off (1 for a count of ticks).
 */
struct tsh_clock_sample {
	int64_t before;
	int64_t after;
	uint64_t stamp;
	uint64_t quantum;
	int cpu;		/* -1: holds for all */
};
/* Adds a sample. Returns 0 or TSH_CLOCK_RESTARTED. A clock of unknown rate needs two samples, at
 * least 10 ms apart. */
int tsh_clock_add(struct tsh_clock *clock, const struct tsh_clock_sample *sample);
/* Says whether stamps can be converted. */
bool tsh_clock_is_ready(const struct tsh_clock *clock);

struct tsh_wall {
	int64_t ns;
	uint64_t error_ns;	/* bound: the true time is at most so far away */
	/* The stamp may be from before or after a step of the clock, or a suspend; the error covers
	 * both. */
	bool ambiguous;
};
/*
 * Converts a stamp to wall time. Returns false when the clock has no wall time (counter), or there
 * was no sample. For a CPU without a sample of its own, and for -1, the error covers the results of
 * all other CPUs. A wall time beyond the int64 is INT64_MIN or INT64_MAX, with the error
 * UINT64_MAX.
 */
bool tsh_clock_convert(const struct tsh_clock *clock, int cpu, uint64_t stamp,
		       struct tsh_wall *ret);
static inline bool tsh_clock_at(const struct tsh_clock *clock, int cpu, uint64_t stamp,
				struct tsh_wall *ret)
{
	if (!clock->constant.is_on || stamp < clock->constant.from || stamp >> 62)
		return tsh_clock_convert(clock, cpu, stamp, ret);
	ret->ns = (int64_t)stamp + clock->constant.offset;
	ret->error_ns = clock->constant.error_ns;
	ret->ambiguous = false;
	return true;
}
/*
 * Converts a stamp to wall time without an error bound, in the simple case: the time is not
 * ambiguous, and either the event is from before the first sample (as all events of a drained
 * buffer are), or the clock is slewed like REALTIME. Returns false in other cases: then call
 * tsh_clock_at.
 */
bool tsh_clock_before(const struct tsh_clock *clock, int cpu, uint64_t stamp, int64_t *ret_wall);
static inline bool tsh_clock_quick(const struct tsh_clock *clock, int cpu, uint64_t stamp,
				   int64_t *ret_wall)
{
	if (!clock->constant.is_on || stamp < clock->constant.from || stamp >> 62)
		return tsh_clock_before(clock, cpu, stamp, ret_wall);
	*ret_wall = (int64_t)stamp + clock->constant.offset;
	return true;
}
/* Converts a stamp to wall time and its error bound in ns, as tsh_clock_at; ret_error_ns may be
 * NULL. */
static inline bool tsh_clock_wall(const struct tsh_clock *clock, int cpu, uint64_t stamp,
				  int64_t *ret_wall, uint64_t *ret_error_ns)
{
	struct tsh_wall wall = { 0 };
	bool known = tsh_clock_at(clock, cpu, stamp, &wall);

	*ret_wall = wall.ns;
	if (ret_error_ns)
		*ret_error_ns = wall.error_ns;
	return known;
}
/* Returns when the wall clock was sampled last; false: never. */
bool tsh_clock_last_sample(const struct tsh_clock *clock, int64_t *ret_wall);
/* Returns the largest error bound of a stamp at the time of the latest sample; UINT64_MAX without
 * one. */
uint64_t tsh_clock_error(const struct tsh_clock *clock);
/* Appends "error +-180 ns", and how it grows with an event's age; rounding_ns is added. */
void tsh_clock_error_text(const struct tsh_clock *clock, uint64_t rounding_ns,
			  struct tsh_strbuf *out);

/*
 * Returns the condition under which an event from before the first sample has the right time:
 * "if the clock was not set since". For a clock that stops in suspend, it also says that the
 * machine did not sleep.
 */
const char *tsh_clock_condition(const struct tsh_clock *clock);

/*
 * Appends a calibration as lines, for recordings: "KIND" alone, then the nodes of its tracks,
 * oldest first, "wall BASE FROM TO SLOWEST FASTEST BREAK" and "cpu N STAMP FROM TO BREAK", N -1 for
 * all CPUs. A line "wall" means: at BASE, REALTIME was between FROM and TO, and went SLOWEST to
 * FASTEST billionths faster. A line "cpu" means: at STAMP, the base was between FROM and TO. BREAK
 * 1 means that no straight line leads from the node before to this one. A line "fuzz N NS" means
 * that values of CPU N's track may be off by NS more. A line "dated" means: the times are another
 * program's, whose error is not known.
 */
void tsh_clock_save(const struct tsh_clock *clock, struct tsh_strbuf *out);
/* Loads the lines of tsh_clock_save. `clock` may be zeroed; its old content is released. Returns 0,
 * or -EINVAL with `clock` unchanged. */
int tsh_clock_load(struct tsh_clock *clock, const char *text);
/*
 * Makes a calibration of the clock's kind from the samples of a shell script
 * (examples/board/collect.sh), in the order of their time: lines "now at", " clock N:" and
 * ".offset:" of /proc/timer_list; "now ts:" of per_cpu/cpuN/stats, behind "@N" for CPU N;
 * "freq.adjust:", "status:" and "time.tv_*:" of adjtimex; and "SECONDS.FRACTION" of date +%s.%N.
 * Skips other lines. `home` (or NULL) has such lines from a machine whose REALTIME is used instead,
 * with a sample of the board between two dates of that machine. Without `home`, a REALTIME before
 * not_before (ns) is that of a clock that was not set: clock->is_not_set. Returns 0; -EINVAL with
 * `clock` unchanged when the lines do not suffice for wall times.
 */
int tsh_clock_load_samples(struct tsh_clock *clock, const char *samples, const char *home,
			   int64_t not_before);

/* ---- text ---- */
enum tsh_time_style {
	TSH_TIME_WALL,		/* 2024-01-02 22:47:33.843825 */
	TSH_TIME_SHORT,		/* 22:47:33.843825 */
	TSH_TIME_ISO,		/* 2024-01-02T22:47:33.843825+08:00 */
	TSH_TIME_UTC,		/* 2024-01-02T14:47:33.843825Z */
	TSH_TIME_REL,		/* seconds since the first line */
	TSH_TIME_DELTA,		/* seconds since the previous line */
	TSH_TIME_DELTA_CPU,	/* since the previous line of the same CPU */
	TSH_TIME_DELTA_TASK,	/* since the previous line of the same task */
	TSH_TIME_TRACE,		/* the trace clock's own, as the kernel prints it */
	TSH_TIME_NONE,
};
extern const char *const tsh_time_style_names[];	/* NULL at the end */
/* Says whether a style shows wall-clock time. */
static inline bool tsh_time_style_is_wall(enum tsh_time_style style)
{
	return style <= TSH_TIME_UTC;
}
/* Returns "times since the first line" or a similar text for REL and the DELTAs; NULL for other
 * styles. */
const char *tsh_time_style_since(enum tsh_time_style style);

/* Prints times. Caches the text of the last second, so that most events need no localtime(3). */
struct tsh_time_text {
	enum tsh_time_style style;
	bool ns;			/* nine digits, not six */
	/* Bound the wall times that the cached millisecond is the text of, after rounding: `span`
	 * ns from `start` on. */
	uint64_t start;
	uint32_t span;
	int64_t second;			/* wall ns at which the second in the cache begins */
	int64_t first;			/* for REL: wall ns, or a stamp */
	int64_t last;			/* for DELTA */
	struct tsh_time_lasts *lasts;	/* for DELTA_CPU and DELTA_TASK; NULL until needed */
	int cpu;			/* set by tsh_time_text_set_task */
	int pid;
	/* birth of the task `pid`, for DELTA_TASK: tsh_decoder_birth, or 0 */
	uint64_t birth;
	bool started;
	bool by_wall;			/* first and last are wall times, not stamps */
	size_t len;
	char cache[48];			/* text with three digits behind the dot */
	size_t zone_len;
	char zone[8];			/* "+08:00" at that second; "Z" */
	int cache_day;			/* day of that second: days since 1970 in local time */
	int day;			/* day of the last line, for SHORT */
};

/* Prepares a time text, and reads TZ again. */
void tsh_time_text_init(struct tsh_time_text *t, enum tsh_time_style style, bool ns);
void tsh_time_text_release(struct tsh_time_text *t);
/* Sets the CPU and the task of the next line, for DELTA_CPU and DELTA_TASK; -1: unknown. */
static inline void tsh_time_text_set_task(struct tsh_time_text *t, int cpu, int pid)
{
	t->cpu = cpu;
	t->pid = pid;
}
/* Notes that events are missing, so that DELTA_TASK cannot know the previous one. */
void tsh_time_text_note_loss(struct tsh_time_text *t);
/*
 * Appends the time of one event. Microseconds are rounded as the kernel does (ns2usecs adds 500).
 * `wall` is used unless the style is TRACE or !has_wall. Then the stamp is printed as the kernel
 * prints it, with its padding but not the blank before it: "%5lu.%06lu" for a clock in ns, "%12llu"
 * for others. Without a wall time, REL and DELTA are differences of stamps: seconds, or a plain
 * number. DELTA_CPU and DELTA_TASK remember the last lines of every CPU and of some thousand tasks;
 * a task that may have been forgotten gets "-", the first line of a task 0. Each CPU has an idle
 * task of its own.
 */
void tsh_time_text_add(struct tsh_time_text *t, struct tsh_strbuf *out,
		       const struct tsh_clock_kind *kind, uint64_t stamp, bool has_wall,
		       int64_t wall);
/* Writes a wall time to p, in a style that shows one (not REL, DELTA, TRACE, NONE). TSH_TIME_ROOM
 * bytes must be free at p. Returns the end; writes no NUL. */
#define TSH_TIME_ROOM 64
char *tsh_time_text_write(struct tsh_time_text *t, char *p, int64_t wall);
/* Returns the largest error of rounding, in ns: 500 with six digits, 0 with nine. */
uint64_t tsh_time_text_rounding(const struct tsh_time_text *t);
/*
 * Says, for SHORT, whether this wall time begins another day than the previous line. Then appends
 * the date, "# 2024-01-03", without a newline; the caller prints it as a line. The first line
 * begins no day.
 */
bool tsh_time_text_new_day(struct tsh_time_text *t, int64_t wall, struct tsh_strbuf *out);
/* Appends RFC 3339 with nine digits and the local offset, as JSON's "time". Calls localtime(3) each
 * time; a sink makes the same text with a tsh_time_text of TSH_TIME_ISO and .ns. */
void tsh_time_iso(struct tsh_strbuf *out, int64_t wall);
/* Appends RFC 3339 with nine digits in UTC: "2024-01-02T14:47:33.843825123Z". */
void tsh_time_utc(struct tsh_strbuf *out, int64_t wall);
/* Parses RFC 3339 of the years 1970 to 2262, with up to nine digits behind a dot or no dot, and
 * with an offset or Z. Returns false for other texts. */
bool tsh_time_read_iso(const char *text, size_t len, int64_t *ret_wall);
/* Appends "+0800", the offset at that moment in the present zone. */
void tsh_time_zone(struct tsh_strbuf *out, int64_t wall);

#endif
