/* events/clock/local.h - the calendar, and local times */
/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_EVENTS_CLOCK_LOCAL_H
#define TRACESH_EVENTS_CLOCK_LOCAL_H

#include <stdbool.h>
#include <stdint.h>

struct tsh_date {
	int year;
	int month;	/* 1 to 12 */
	int day;
};

int tsh_days_of_month(int year, int month);
int64_t tsh_days_since_1970(const struct tsh_date *date);
/* The date of a second since 1970, in UTC. */
void tsh_utc_date(int64_t second, struct tsh_date *ret);
/* In the zone in use; false: the C library's time_t does not reach it. */
bool tsh_local_date(int64_t second, struct tsh_date *ret);

enum tsh_local_result {
	TSH_LOCAL_ONE,
	TSH_LOCAL_TWOFOLD,	/* the clocks went back over it */
	TSH_LOCAL_NONE,		/* the clocks went forward over it */
	TSH_LOCAL_BEYOND,	/* the C library's time_t does not reach it */
};

/*
 * A local time, given as what its clock and calendar would count since 1970 in UTC, into
 * the second since 1970; TWOFOLD: the earlier. NONE: that of a clock that was not put forward.
 * With a name (not NULL) it is one at which the zone is called so: CET.
 */
enum tsh_local_result tsh_local_second(int64_t local, const char *name, int64_t *ret_second);

/*
 * A second of UTC's calendar into the one since 1970 at which the zone in use shows it: the
 * zones of right/ have counted leap seconds by then, as date(1) takes them; others none.
 */
int64_t tsh_with_leaps(int64_t second);

#endif
