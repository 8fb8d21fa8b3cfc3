/* events/clock/clock.h - trace clocks into wall-clock time, with an error bound */
/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_EVENTS_CLOCK_CLOCK_H
#define TRACESH_EVENTS_CLOCK_CLOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include "base/strbuf.h"

/*
 * This layer is given samples and opens no file: src/events/source/sampler.c reads the
 * clocks. Timestamps are in the trace clock's own unit (ns for most; cycles for
 * x86-tsc; 10 ms ticks for uptime; a number of events for counter), as raw pages
 * hold them. Wall times are ns since 1970 UTC in an int64 (good to the year 2262).
 *
 * boot, mono and tai have one offset to REALTIME from one step of the wall clock to the
 * next. All others go in two stages: to CLOCK_MONOTONIC_RAW, against which their rate is
 * constant, and from there to REALTIME, which NTP slews. Both stages are tracks.
 */

/* What is known of a clock by its name in trace_clock (kernel/trace/trace.c, trace_clocks[]). */
struct tsh_clock_kind {
	const char *name;
	clockid_t posix;	/* the same clock for clock_gettime, or TSH_CLOCK_NO_POSIX */
	bool in_ns;
	bool has_time;		/* false for counter */
	bool per_cpu;		/* CPUs may disagree: sample each */
	bool runs_in_suspend;
	bool steps_with_realtime;	/* tai */
	bool slewed;		/* like REALTIME: the offset is constant between steps */
	uint64_t unit_ns;	/* of a timestamp when it is a fixed one; 0: to be measured */
	uint64_t unit_max_ns;	/* the bound of one that is to be measured */
	/* How far its rate may be from unit_ns, against MONOTONIC_RAW, in billionths. */
	uint32_t spread_ppb;
	uint64_t jitter_ns;	/* by which its ticks may come late */
	bool uses_ticks;	/* where sched_clock is unstable, see tsh_clocksource_is_slow */
	const char *summary;
};
#define TSH_CLOCK_NO_POSIX ((clockid_t)-1)

/* A name that is not known gets the kind of an unknown clock (measured, per CPU),
 * never NULL; .name is "unknown" then. */
const struct tsh_clock_kind *tsh_clock_kind(const char *name);
/* The same clock where REALTIME is another machine's: nothing holds the two together. */
const struct tsh_clock_kind *tsh_clock_kind_by_other(const struct tsh_clock_kind *kind);
/*
 * What the machine's clocksource says of the clocks: with a slow one (hpet, acpi_pm, jiffies)
 * boot, mono and tai slow every event down, and perf and global, which are made of an
 * unstable sched_clock then, are held back by ticks that come late, as uptime is.
 */
bool tsh_clocksource_is_slow(const char *name);
/* Which clock an own instance gets: on that clocksource, a kernel with words of so many
 * bytes (one of 4 reads boot in two halves), a machine that can be suspended or not. */
const char *tsh_clock_best(const char *clocksource, unsigned int long_size, bool can_suspend);
/* The clock whose time REALTIME is looked at with: its own, or CLOCK_MONOTONIC_RAW. */
clockid_t tsh_clock_base(const struct tsh_clock_kind *kind);

struct tsh_track;

/* The calibration of one clock: what a stream or a recording carries. */
struct tsh_clock {
	const struct tsh_clock_kind *kind;
	struct tsh_track *wall;		/* REALTIME, by the base */
	struct tsh_track *line;		/* the base, by the clock: [0] all CPUs, [1 + N] CPU N */
	size_t nlines;
	int64_t asleep;			/* see struct tsh_clock_wall_sample */
	bool has_asleep;
	int32_t passing[2];		/* what of the slew may go on until passing_until */
	int64_t passing_until;
	uint64_t jitter_ns;		/* of a clock that uses ticks, on this machine */
	bool is_unvouched;		/* its nanoseconds are counted by a source that the kernel
					 * does not trust: only what is measured holds */
	bool is_not_set;		/* REALTIME was not the time of day, see
					 * tsh_clock_load_samples */
	int64_t jump_ns;		/* of the last step: how far REALTIME was set */
	int64_t slept_ns;		/* of the last suspend */
	/*
	 * tai: it steps together with REALTIME. When it went back by `by`, a stamp from `from`
	 * on can be of before it or of after it; and the ring buffer, whose stamps only grow,
	 * goes on with the old ones up to the end of a sub-buffer.
	 */
	struct {
		bool is_on, has_boot;
		int64_t wall_to_boot, clock_to_boot;
		uint64_t from, to, now;
		uint64_t by;
	} back;
	/* boot, mono, tai: what tsh_clock_wall adds since the last step. */
	struct {
		bool is_on;
		uint64_t from;
		int64_t offset;
		uint64_t error_ns;
	} constant;
};

void tsh_clock_init(struct tsh_clock *clock, const struct tsh_clock_kind *kind);
void tsh_clock_release(struct tsh_clock *clock);

/*
 * One look at the wall clock: REALTIME before, the base, REALTIME after. Of a base that is
 * not slewed also how fast REALTIME may go now, in billionths, as adjtimex(2) has it: what
 * stays so until somebody changes it, and what passes (an offset that is worked off goes on
 * for the rest of its second).
 */
struct tsh_clock_wall_sample {
	int64_t before;
	int64_t after;
	uint64_t base;
	int32_t slew_ppb;
	int32_t passing_ppb;
	int64_t asleep;		/* CLOCK_BOOTTIME minus CLOCK_MONOTONIC, or unknown */
	int64_t boot;		/* CLOCK_BOOTTIME just after, or unknown: for a clock that steps */
};
#define TSH_ASLEEP_UNKNOWN INT64_MIN
#define TSH_BOOT_UNKNOWN   INT64_MIN

#define TSH_CLOCK_SET	1	/* REALTIME was set by clock->jump_ns */
#define TSH_CLOCK_SLEPT	2	/* the machine was suspended for clock->slept_ns */
#define TSH_CLOCK_ANEW	4	/* the trace clock went back: what was known is gone */
/*
 * Adds a look. Returns what happened since the one before, a sum of TSH_CLOCK_*. A step that
 * is smaller than the error cannot be told from it. A sample whose end is before its
 * beginning says nothing and is dropped.
 */
int tsh_clock_add_wall(struct tsh_clock *clock, const struct tsh_clock_wall_sample *sample);

/*
 * One look at a trace clock that clock_gettime does not know: CLOCK_MONOTONIC_RAW before, the
 * clock, CLOCK_MONOTONIC_RAW after. `quantum` is what the reading of the clock may be off
 * by, in its own unit: each way for a clock in ns (500 for a `now ts` in microseconds),
 * otherwise what was cut (1 for a count of ticks).
 */
struct tsh_clock_sample {
	int64_t before;
	int64_t after;
	uint64_t stamp;
	uint64_t quantum;
	int cpu;		/* -1: valid for all */
};
/* Adds it. 0 or TSH_CLOCK_ANEW. Of a clock of unknown rate two looks at least 10 ms apart
 * are needed. */
int tsh_clock_add(struct tsh_clock *clock, const struct tsh_clock_sample *sample);
bool tsh_clock_is_ready(const struct tsh_clock *clock);

struct tsh_wall {
	int64_t ns;
	uint64_t error_ns;	/* the time is within that of the truth */
	bool ambiguous;		/* the clock was set or slept about then: nobody knows whether
				 * before it or after it; the error covers both */
};
/*
 * Wall time of a timestamp. False when the clock has no wall time (counter) or no sample was
 * given. For a CPU without a sample of its own, and for -1, the error covers what all the
 * others say. A wall time beyond the int64 is its nearest end, and the error UINT64_MAX.
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
 * The same for who asks for no error. False: it is not this easy, ask tsh_clock_at. It is
 * where the time is not ambiguous and the event from before the first look, as all of a
 * buffer are that is drained, or the clock slewed like REALTIME.
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
/* The same in two words; ret_error_ns may be NULL. */
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
/* When the wall clock was looked at last; false: never. */
bool tsh_clock_last_look(const struct tsh_clock *clock, int64_t *ret_wall);
/* The largest error bound of a timestamp of the latest sample; UINT64_MAX without one. */
uint64_t tsh_clock_error(const struct tsh_clock *clock);
/* "error +-180 ns", and how it grows with an event's age; rounding_ns is added. */
void tsh_clock_error_text(const struct tsh_clock *clock, uint64_t rounding_ns,
			  struct tsh_strbuf *out);

/*
 * "if the clock was not set since": what the time of an event from before the first look
 * rests on; of a clock that stops when the machine sleeps also that it did not.
 */
const char *tsh_clock_condition(const struct tsh_clock *clock);

/*
 * Lines for recordings: "KIND" alone, then the nodes of its tracks, oldest first,
 * "wall BASE FROM TO SLOWEST FASTEST BREAK" and "cpu N STAMP FROM TO BREAK", N -1 for all:
 * at BASE REALTIME was between FROM and TO, and went SLOWEST to FASTEST billionths faster;
 * at STAMP the base was between FROM and TO; BREAK 1: not the same line as before. And
 * "fuzz N NS": values of that CPU's track may be off by NS more.
 */
void tsh_clock_save(const struct tsh_clock *clock, struct tsh_strbuf *out);
/* 0, or -EINVAL and `clock` as it was. It may be zeroed; what it had is released. */
int tsh_clock_load(struct tsh_clock *clock, const char *text);
/*
 * A calibration of the clock's kind from what a shell saw (examples/board/collect.sh), in the
 * order in which it saw it: the lines "now at", " clock N:" and ".offset:" of
 * /proc/timer_list, "now ts:" of per_cpu/cpuN/stats, behind "@N" of CPU N,
 * "freq.adjust:", "status:" and "time.tv_*:" of adjtimex, and "SECONDS.FRACTION" of
 * date +%s.%N. Other lines are passed over. `home`, or NULL, has the same of a machine
 * whose REALTIME counts instead, with a look at the board between its dates. Without it a
 * REALTIME before not_before is that of a clock that was not set: clock->is_not_set.
 * 0; -EINVAL and `clock` as it was: they do not say what time it was.
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
	TSH_TIME_DELTA,		/* seconds since the line before */
	TSH_TIME_DELTA_CPU,	/* since the line before on the same CPU */
	TSH_TIME_DELTA_TASK,	/* since the line before of the same task */
	TSH_TIME_TRACE,		/* the trace clock's own, as the kernel prints it */
	TSH_TIME_NONE,
};
extern const char *const tsh_time_style_names[];	/* NULL at the end */
/* Whether it shows the wall clock's time: the first four. */
static inline bool tsh_time_style_is_wall(enum tsh_time_style style)
{
	return style <= TSH_TIME_UTC;
}
/* REL and the DELTAs: "times since the first line"; NULL of the others. */
const char *tsh_time_style_since(enum tsh_time_style style);

/* Prints times; keeps the second that it printed last, so an event costs no localtime. */
struct tsh_time_text {
	enum tsh_time_style style;
	bool ns;			/* nine digits instead of six */
	/* Wall times from `start` on, so many ns of them, are in the cache's millisecond; they
	 * are rounded to it if need be. */
	uint64_t start;
	uint32_t span;
	int64_t second;			/* wall ns at which its second begins */
	int64_t first;			/* for REL: wall ns, or stamp */
	int64_t last;			/* for DELTA */
	struct tsh_time_lasts *lasts;	/* for DELTA_CPU and DELTA_TASK; NULL until then */
	int cpu;			/* see tsh_time_text_of */
	int pid;
	uint64_t birth;			/* of that task, for DELTA_TASK: tsh_decoder_birth, or 0 */
	bool started;
	bool by_wall;			/* what first and last are */
	size_t len;
	char cache[48];			/* with three digits behind the dot */
	size_t zone_len;
	char zone[8];			/* "+08:00" of that second; "Z" */
	int cache_day;			/* of that second, days since 1970 in local time */
	int day;			/* of the last line, for SHORT */
};

/* Looks at TZ anew. */
void tsh_time_text_init(struct tsh_time_text *t, enum tsh_time_style style, bool ns);
void tsh_time_text_release(struct tsh_time_text *t);
/* Whose line comes next, for DELTA_CPU and DELTA_TASK; -1: nobody knows. */
static inline void tsh_time_text_of(struct tsh_time_text *t, int cpu, int pid)
{
	t->cpu = cpu;
	t->pid = pid;
}
/* Events are missing here: for DELTA_TASK nobody knows what was before. */
void tsh_time_text_lose(struct tsh_time_text *t);
/*
 * Appends the time of one event. Microseconds are rounded as the kernel rounds
 * (ns2usecs adds 500). wall is used unless the style is TRACE or !has_wall; then
 * the stamp is printed as the kernel prints it, with its padding but not the blank
 * before it: "%5lu.%06lu" for a clock in ns, "%12llu" otherwise. REL and DELTA
 * without a wall time are differences of stamps: seconds, or a bare number.
 * DELTA_CPU and DELTA_TASK remember the last lines of some thousand tasks, of every CPU at
 * least; a task that may have been forgotten gets "-", its first line 0 as with DELTA. The
 * idle task of each CPU is one of its own.
 */
void tsh_time_text_add(struct tsh_time_text *t, struct tsh_strbuf *out,
		       const struct tsh_clock_kind *kind, uint64_t stamp, bool has_wall,
		       int64_t wall);
/* The same for a wall time in a style that shows one (not REL, DELTA, TRACE, NONE), where
 * TSH_TIME_ROOM bytes are free at p. Returns the end; no NUL. */
#define TSH_TIME_ROOM 64
char *tsh_time_text_put(struct tsh_time_text *t, char *p, int64_t wall);
/* What is lost by that: 500 ns, or 0 where nine digits are printed. */
uint64_t tsh_time_text_rounding(const struct tsh_time_text *t);
/* SHORT style: whether this wall time begins another day than the last line's; then
 * the caller prints a line with the date: "# 2024-01-03" is appended here, without a
 * newline. Not so for the first line. */
bool tsh_time_text_new_day(struct tsh_time_text *t, int64_t wall, struct tsh_strbuf *out);
/* RFC 3339 with nine digits and the local offset: JSON's "time". Asks localtime each
 * time; a sink has a tsh_time_text with TSH_TIME_ISO and .ns for the same text. */
void tsh_time_iso(struct tsh_strbuf *out, int64_t wall);
/* The same in UTC: "2024-01-02T14:47:33.843825123Z". */
void tsh_time_utc(struct tsh_strbuf *out, int64_t wall);
/* The way back: RFC 3339 with one to nine digits behind the dot, or none, and an offset or Z,
 * of the years 1970 to 2262. False: it is not that. */
bool tsh_time_read_iso(const char *text, size_t len, int64_t *ret_wall);
/* "+0800" of that moment in the zone in use. */
void tsh_time_zone(struct tsh_strbuf *out, int64_t wall);

#endif
