/* tracesh/clock.h - trace clocks into wall-clock time, with an error bound (src/clock) */
/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_CLOCK_H
#define TRACESH_CLOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include "tracesh/strbuf.h"

/*
 * This layer is given samples and opens no file: src/stream/sampler.c reads the
 * clocks. Timestamps are in the trace clock's own unit (ns for most; cycles for
 * x86-tsc; 10 ms ticks for uptime; a number of events for counter), as raw pages
 * hold them. Wall times are ns since 1970 UTC in an int64 (good to the year 2262).
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
	uint64_t unit_ns;	/* of a timestamp when it is a fixed one; 0: to be measured */
	/* How far its rate may be from REALTIME's (from its measured rate, when unit_ns
	 * is 0), in millionths. 0: the offset is constant between steps. */
	uint32_t drift_ppm;
	const char *summary;
};
#define TSH_CLOCK_NO_POSIX ((clockid_t)-1)

/* A name that is not known gets the kind of an unknown clock (measured, per CPU),
 * never NULL; .name is "unknown" then. */
const struct tsh_clock_kind *tsh_clock_kind(const char *name);

/*
 * One look at the clock: REALTIME before, the clock, REALTIME after. `quantum` is
 * what the reading of the clock may be off by, each way, in its own unit (0 for
 * clock_gettime, 500 for a `now ts` in microseconds).
 */
struct tsh_clock_sample {
	int64_t wall_before;
	int64_t wall_after;
	uint64_t stamp;
	uint64_t quantum;
	int cpu;		/* -1: valid for all */
};

/*
 * The calibration of one clock: what a stream or a recording carries. It holds for
 * the time since the last step: of a clock that drifts it knows the wall time of
 * its first and its latest sample, and the error of a stamp grows by drift_ppm
 * with the distance from the nearer one.
 */
struct tsh_clock {
	const struct tsh_clock_kind *kind;
	struct tsh_clock_offset *offset;	/* [0] for all CPUs, [1 + N] of CPU N */
	size_t noffsets;
};

void tsh_clock_init(struct tsh_clock *clock, const struct tsh_clock_kind *kind);
void tsh_clock_release(struct tsh_clock *clock);
/*
 * Narrows the offset by a sample. Returns 1 when the sample contradicts the ones
 * before (the wall clock was stepped): the offset starts anew from it; 0 otherwise.
 * For a clock of unknown rate two samples at least 10 ms apart are needed; a step
 * keeps the rate. A step that is smaller than the error cannot be told from it.
 * A sample whose wall_after is before its wall_before says nothing and is dropped.
 */
int tsh_clock_add(struct tsh_clock *clock, const struct tsh_clock_sample *sample);
bool tsh_clock_is_ready(const struct tsh_clock *clock);
/*
 * Wall time of a timestamp. ret_error_ns (may be NULL) is the bound of its error.
 * False when the clock has no wall time (counter) or no sample was given. For a CPU
 * without a sample of its own, and for -1, the error covers what all the others say.
 * A wall time beyond the int64 is its nearest end, and the error UINT64_MAX.
 */
bool tsh_clock_wall(const struct tsh_clock *clock, int cpu, uint64_t stamp, int64_t *ret_wall,
		    uint64_t *ret_error_ns);
/* The largest error bound of a timestamp of the latest sample; UINT64_MAX without one. */
uint64_t tsh_clock_error(const struct tsh_clock *clock);
/* "error +-180 ns", and how it grows with an event's age; rounding_ns is added. */
void tsh_clock_error_text(const struct tsh_clock *clock, uint64_t rounding_ns,
			  struct tsh_strbuf *out);

/*
 * Lines for recordings: "KIND CPU UNITS LEAST MOST STAMP FROM TO STAMP FROM TO":
 * CPU -1 for all; UNITS of the clock take LEAST to MOST ns; at the first and at the
 * latest STAMP the wall time was between FROM and TO. Just "KIND" without a sample.
 */
void tsh_clock_save(const struct tsh_clock *clock, struct tsh_strbuf *out);
/* 0, or -EINVAL and `clock` as it was. It may be zeroed; what it had is released. */
int tsh_clock_load(struct tsh_clock *clock, const char *text);

/* ---- text ---- */
enum tsh_time_style {
	TSH_TIME_WALL,		/* 2024-01-02 22:47:33.843825 */
	TSH_TIME_SHORT,		/* 22:47:33.843825 */
	TSH_TIME_ISO,		/* 2024-01-02T22:47:33.843825+08:00 */
	TSH_TIME_UTC,		/* 2024-01-02T14:47:33.843825Z */
	TSH_TIME_REL,		/* seconds since the first line */
	TSH_TIME_DELTA,		/* seconds since the line before */
	TSH_TIME_TRACE,		/* the trace clock's own, as the kernel prints it */
	TSH_TIME_NONE,
};
extern const char *const tsh_time_style_names[];	/* NULL at the end */

/* Prints times; keeps the second that it printed last, so an event costs no localtime. */
struct tsh_time_text {
	enum tsh_time_style style;
	bool ns;			/* nine digits instead of six */
	int64_t start;			/* wall ns at which the second of the cache begins */
	int64_t first;			/* for REL: wall ns, or stamp */
	int64_t last;			/* for DELTA */
	bool started;
	bool by_wall;			/* what first and last are */
	size_t len;
	char cache[48];			/* up to the dot */
	size_t zone_len;
	char zone[8];			/* "+08:00" of that second; "Z" */
	int cache_day;			/* of that second, days since 1970 in local time */
	int day;			/* of the last line, for SHORT */
};

/* Looks at TZ anew. */
void tsh_time_text_init(struct tsh_time_text *t, enum tsh_time_style style, bool ns);
/*
 * Appends the time of one event. Microseconds are rounded as the kernel rounds
 * (ns2usecs adds 500). wall is used unless the style is TRACE or !has_wall; then
 * the stamp is printed as the kernel prints it, with its padding but not the blank
 * before it: "%5lu.%06lu" for a clock in ns, "%12llu" otherwise. REL and DELTA
 * without a wall time are differences of stamps: seconds, or a bare number.
 */
void tsh_time_text_add(struct tsh_time_text *t, struct tsh_strbuf *out,
		       const struct tsh_clock_kind *kind, uint64_t stamp, bool has_wall,
		       int64_t wall);
/* SHORT style: whether this wall time begins another day than the last line's; then
 * the caller prints a line with the date: "# 2024-01-03" is appended here, without a
 * newline. Not so for the first line. */
bool tsh_time_text_new_day(struct tsh_time_text *t, int64_t wall, struct tsh_strbuf *out);
/* RFC 3339 with nine digits and the local offset: JSON's "time". Asks localtime each
 * time; a sink has a tsh_time_text with TSH_TIME_ISO and .ns for the same text. */
void tsh_time_iso(struct tsh_strbuf *out, int64_t wall);
/* "+0800" of that moment in the zone in use. */
void tsh_time_zone(struct tsh_strbuf *out, int64_t wall);

#endif
