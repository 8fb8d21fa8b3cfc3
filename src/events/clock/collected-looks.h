/* events/clock/collected-looks.h - reads samples of clocks that a shell script has taken */
/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_EVENTS_CLOCK_COLLECTED_LOOKS_H
#define TRACESH_EVENTS_CLOCK_COLLECTED_LOOKS_H

#include "base/vec.h"
#include "clock.h"
#include "interval.h"

enum look_at {
	LOOK_AT_DATE, /* REALTIME, within `value` */
	LOOK_AT_MONO, /* CLOCK_MONOTONIC */
	LOOK_AT_TRACE, /* the trace clock */
};

struct look {
	enum look_at what;
	int cpu; /* CPU of the sample; -1: any */
	struct tsh_interval value; /* in ns; not set for a trace clock that is not in ns */
	uint64_t stamp; /* stamp of the trace clock */
};

/* Numbers the clock bases of /proc/timer_list. */
enum look_base { LOOK_MONOTONIC, LOOK_REALTIME, LOOK_BOOTTIME, LOOK_TAI, LOOK_BASES };

struct looks {
	TSH_VEC(struct look) list;
	/* Holds how far each base is ahead of MONOTONIC, in ns. Covers all CPUs of the last
	 * timer_list. */
	struct tsh_interval offset[LOOK_BASES];
	bool has_offset[LOOK_BASES];
	/* Holds what adjtimex prints. */
	bool has_freq;
	int32_t freq_ppb; /* rate of REALTIME against MONOTONIC_RAW */
};

/* Reads the lines; skips unknown ones. */
void looks_read(struct looks *looks, const char *text, const struct tsh_clock_kind *kind);
void looks_release(struct looks *looks);
size_t looks_count(const struct looks *looks, enum look_at what);
/* Return the last sample of a kind before number i, or the first one behind it; NULL: there is
 * none. */
const struct look *looks_before(const struct looks *looks, size_t i, enum look_at what);
const struct look *looks_after(const struct looks *looks, size_t i, enum look_at what);

#endif
