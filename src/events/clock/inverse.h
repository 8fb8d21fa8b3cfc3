/* events/clock/inverse.h - finds the stamp of a wall time */
/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_EVENTS_CLOCK_INVERSE_H
#define TRACESH_EVENTS_CLOCK_INVERSE_H

#include <stdbool.h>
#include <stdint.h>

/* Converts stamps to wall times, which grow with the stamps except where the wall clock was set
 * back. */
struct tsh_forward {
	bool (*wall)(const void *ctx, uint64_t stamp, int64_t *ret_wall);
	const void *ctx;
	uint64_t unit_ns;	/* ns of a unit of the stamps, roughly; 0: unknown */
};

/*
 * Finds the stamp whose wall time is nearest to `wall`, and how far away that time is, in ns. A
 * wall time that came twice has two stamps: finds one of them. A wall time that was skipped has
 * none: finds the last stamp before it, or the first behind it. Returns false when the wall time is
 * before all stamps, or cannot be found.
 */
bool tsh_inverse(const struct tsh_forward *f, int64_t wall, uint64_t *ret_stamp,
		 uint64_t *ret_away_ns);

#endif
