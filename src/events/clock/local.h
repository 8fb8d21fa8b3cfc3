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
/* Returns the date of a second since 1970 in UTC. */
void tsh_utc_date(int64_t second, struct tsh_date *ret);
/* Returns the date in the present zone; false when the C library's time_t is too small. */
bool tsh_local_date(int64_t second, struct tsh_date *ret);

enum tsh_local_result {
	TSH_LOCAL_ONE,
	TSH_LOCAL_TWOFOLD,	/* the clocks were set back over it: it came twice */
	TSH_LOCAL_NONE,		/* the clocks were set forward over it: it never came */
	TSH_LOCAL_BEYOND,	/* the C library's time_t is too small */
};

/*
 * Converts a local time to a second since 1970. `local` is the local date and time in seconds since
 * 1970, counted as if they were in UTC. TWOFOLD: returns the earlier second. NONE: returns that of
 * a clock that was not set forward. With a name (not NULL), such as CET, finds a second at which
 * the zone has that name.
 */
enum tsh_local_result tsh_local_second(int64_t local, const char *name, int64_t *ret_second);

/* Adds leap seconds to a second of UTC's calendar when the present zone counts them (those of
 * right/), as date(1) does. */
int64_t tsh_add_leap_seconds(int64_t second);

#endif
