/* events/clock/moment.h - parses moments as people type them, or paste them from a log */
/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_EVENTS_CLOCK_MOMENT_H
#define TRACESH_EVENTS_CLOCK_MOMENT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "clock.h"

/*
 * Holds a moment. A wall time covers all ns that its text can mean: `22:47:33` is a whole second,
 * with `.843825` behind it a microsecond. A stamp of the trace clock, as the kernel prints it, is
 * rounded to its last digit.
 */
struct tsh_moment {
	bool is_stamp;		/* true: `stamp`, of the trace clock; false: `wall` and `width` */
	bool bare;		/* a stamp without a dot, in the clock's own unit */
	bool is_twofold;	/* the hour came twice in that zone: this is the first one */
	int64_t wall;		/* its beginning: ns since 1970 UTC, not negative */
	uint64_t width;		/* how many ns it covers, at least 1 */
	uint64_t stamp;		/* in ns, or in the clock's unit when bare */
	uint64_t rounding_ns;	/* largest error of the stamp */
};

/* Returns the last ns of a moment. */
static inline int64_t tsh_moment_end(const struct tsh_moment *m)
{
	uint64_t room = (uint64_t)INT64_MAX - (uint64_t)m->wall;

	return m->width - 1 > room ? INT64_MAX : m->wall + (int64_t)(m->width - 1);
}

/*
 * Parses a moment in one of these forms:
 *
 *	22:47:33.843825  22:47		today in the zone in use (TZ), or yesterday when that
 *					is more than 12 hours after `now`
 *	2024-01-02 22:47:33.8		in that zone; with T for the blank, a comma for the dot
 *	2024-01-02T22:47:33+08:00	or Z, +0800, +08; a blank may stand before it
 *	2024/01/02 22:47:33		as with dashes
 *	Jan  2 22:47:33			syslog's: of the last year that had it, or at most 12
 *					hours ahead
 *	Tue Jan  2 22:47:33 CET 2024	date(1)'s and ctime(3)'s; CET where the zone in use is
 *					called so then; also with AM and PM
 *	Tue, 2 Jan 2024 22:47:33 +0100	RFC 2822's; with a remark behind it: (CET)
 *	02/Jan/2024:22:47:33 +0000	web servers'; these and those with a month first also
 *					in [..]
 *	Tue 2024-01-02 22:47:33 CET	systemd's
 *	@1704206853.843825		as date(1) has it
 *	-5s  -500ms  -1m30s  +1d  now	from `now`
 *	12345.678901  67368528		a stamp of the trace clock
 *
 * Accepts the years 1970 to 2262; local times also must be within the C library's time_t. In the
 * zones of right/ the calendar's times are those of date(1). Reads TZ again. Returns 0, or -1 with
 * a message, a hint, and a span that counts in `text` ({0, 0}: all of it).
 */
int tsh_moment_parse(const char *text, int64_t now, struct tsh_moment *ret, struct tsh_err *err);

/*
 * Finds the stamp that is nearest to a wall time, by tsh_clock_wall(), with its error bound in ns.
 * Returns false when there is none: the clock has no wall time, or began to count later; or the
 * wall time is before 1970.
 */
bool tsh_clock_stamp(const struct tsh_clock *clock, int cpu, int64_t wall, uint64_t *ret_stamp,
		     uint64_t *ret_error_ns);

#endif
