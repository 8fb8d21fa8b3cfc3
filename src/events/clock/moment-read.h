/* events/clock/moment-read.h - helpers to read the forms of a moment */
/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_EVENTS_CLOCK_MOMENT_READ_H
#define TRACESH_EVENTS_CLOCK_MOMENT_READ_H

#include "local.h"
#include "moment.h"

#define NS_PER_S INT64_C(1000000000)
/* Limits the letters of a moment. */
#define MOMENT_MAX 64
/* Bounds how far ahead of now a time of day may be. One further ahead is yesterday's. */
#define AHEAD_NS (12 * 3600 * NS_PER_S)

struct reading {
	const char *text;		/* the whole text as it was typed, for messages */
	char copy[MOMENT_MAX + 1];	/* a copy, because some forms cut off its end */
	const char *p;			/* position in the copy */
	int64_t now;
	int weekday;			/* a weekday before the date, 0: Sunday; -1: none */
	const char *zone_name;		/* a zone's name behind it, such as CET; NULL: none */
	struct tsh_err *err;
	struct tsh_moment *m;
};

/* ---- errors; each returns -1 ---- */

/* Refuses the text, with a hint that shows every form. */
int moment_refuse(const struct reading *r, const char *why);
/* Refuses the text as moment_refuse. The error points to the text from `from` to the end of that
 * word. */
int moment_refuse_at(const struct reading *r, const char *from, const char *why);
/* Refuses a time outside of the years 1970 to 2262. */
int moment_refuse_range(const struct reading *r);
/* Lets the error that is set point to [from, to) of the copy. */
int moment_blame(const struct reading *r, const char *from, const char *to);

/* ---- parts; each moves r->p behind the part, or returns false ---- */

bool moment_read_char(struct reading *r, char c);
void moment_skip_blanks(struct reading *r);
/* Reads `least` to `most` digits that no further digit follows. */
bool moment_read_digits(struct reading *r, unsigned int least, unsigned int most, int *ret);
/* Reads one to nine digits behind a dot as ns. *ret_width is the unit of the last digit, in ns. */
bool moment_read_fraction(struct reading *r, uint64_t *ret_ns, uint64_t *ret_width);
/* Read "Sun" or "Sun,"; and "Nov" or "November" as 1 to 12. */
bool moment_read_weekday(struct reading *r);
bool moment_read_month(struct reading *r, int *ret);

/* ---- a time of day, alone or behind a date, to the end of the text; each returns 0 or -1 ---- */

/* Reads "22:47:33" or "22:47:33 +0800". */
int moment_read_time_of_day(struct reading *r);
/* Reads a time of day behind a date, and checks the date. `at` is the beginning of the date. */
int moment_read_time_of(struct reading *r, const struct tsh_date *date, const char *at);
/* Checks a date: the numbers, and the weekday before it. Returns 0, or -1 with the error
 * at `at`. */
int moment_check_date(const struct reading *r, const struct tsh_date *date, const char *at);
/* Returns today's date in the present zone. Returns 0 or -1. */
int moment_today(const struct reading *r, struct tsh_date *ret);

/* ---- dates in words: of logs, mails and programs ---- */

/*
 * Reads "Nov 22 02:41:41", "Sun Nov 22 02:41:41 CET 2026", "Sun, 22 Nov 2026 02:41:41 +0100" or
 * "22/Nov/2026:02:41:41 +0000". Returns true when the text begins like one of these; then *ret is 0
 * or -1.
 */
bool moment_read_log(struct reading *r, int *ret);

#endif
