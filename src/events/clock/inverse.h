/* events/clock/inverse.h - the stamp of a wall time */
/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_EVENTS_CLOCK_INVERSE_H
#define TRACESH_EVENTS_CLOCK_INVERSE_H

#include <stdbool.h>
#include <stdint.h>

/* What turns stamps into wall times: it rises, but where the wall clock was set back. */
struct tsh_forward {
	bool (*wall)(const void *ctx, uint64_t stamp, int64_t *ret_wall);
	const void *ctx;
	uint64_t unit_ns;	/* that a unit of the stamps takes, about; 0: not known */
};

/*
 * The stamp whose wall time is the nearest, and how far that is away. Of a wall time that
 * came twice it is one of the two; of one that was skipped the last before it or the first
 * behind it. False when it is before the stamps begin, or not to be had.
 */
bool tsh_inverse(const struct tsh_forward *f, int64_t wall, uint64_t *ret_stamp,
		 uint64_t *ret_away_ns);

#endif
