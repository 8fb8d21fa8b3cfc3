/* events/clock/moment-read.h - what the forms of a moment are read with */
/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_EVENTS_CLOCK_MOMENT_READ_H
#define TRACESH_EVENTS_CLOCK_MOMENT_READ_H

#include "local.h"
#include "moment.h"

#define NS_PER_S INT64_C(1000000000)
/* What has more letters than this is no time. */
#define MOMENT_MAX 64
/* A time of day that is further ahead than this was yesterday's. */
#define AHEAD_NS (12 * 3600 * NS_PER_S)

struct reading {
	const char *text;		/* all of it, as it was typed, for messages */
	char copy[MOMENT_MAX + 1];	/* of it: some forms cut something off its end */
	const char *p;			/* in the copy */
	int64_t now;
	int weekday;			/* that stands before it, 0: Sunday; -1: none */
	const char *zone_name;		/* that stands behind it, CET; NULL: none */
	struct tsh_err *err;
	struct tsh_moment *m;
};

/* ---- what is wrong with it; -1 ---- */

/* With the hint that shows every form. */
int moment_refuse(const struct reading *r, const char *why);
/* The same, from there to the end of that word is to blame. */
int moment_refuse_at(const struct reading *r, const char *from, const char *why);
int moment_refuse_range(const struct reading *r);
/* Blames [from, to) of the copy in the error that is set. */
int moment_blame(const struct reading *r, const char *from, const char *to);

/* ---- pieces; each moves r->p behind it when it is there ---- */

bool moment_take(struct reading *r, char c);
void moment_skip_blanks(struct reading *r);
/* `least` to `most` digits, and no more of them. */
bool moment_take_digits(struct reading *r, unsigned int least, unsigned int most, int *ret);
/* What stands behind a dot, one to nine digits: in ns, and what the last digit is worth. */
bool moment_take_fraction(struct reading *r, uint64_t *ret_ns, uint64_t *ret_width);
/* "Sun", "Sun,"; and "Nov", "November" into 1 to 12. */
bool moment_take_weekday(struct reading *r);
bool moment_take_month(struct reading *r, int *ret);

/* ---- a time of day, alone or of a date, up to the end of the text; 0 or -1 ---- */

/* "22:47:33", "22:47:33 +0800" */
int moment_read_time_of_day(struct reading *r);
/* The same of that date, which is checked; `at` is where it stands. */
int moment_read_time_of(struct reading *r, const struct tsh_date *date, const char *at);
int moment_check_date(const struct reading *r, const struct tsh_date *date, const char *at);
/* Today in the zone in use. */
int moment_today(const struct reading *r, struct tsh_date *ret);

/* ---- dates in words: of logs, mails and programs ---- */

/*
 * "Nov 22 02:41:41", "Sun Nov 22 02:41:41 CET 2026", "Sun, 22 Nov 2026 02:41:41 +0100",
 * "22/Nov/2026:02:41:41 +0000". True when it begins like one of them; *ret is 0 or -1 then.
 */
bool moment_read_log(struct reading *r, int *ret);

#endif
