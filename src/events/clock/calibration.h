/* events/clock/calibration.h - the tracks of a struct tsh_clock */
/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_EVENTS_CLOCK_CALIBRATION_H
#define TRACESH_EVENTS_CLOCK_CALIBRATION_H

#include "clock.h"
#include "track.h"

/* Returns the track of a CPU (-1: of all CPUs); makes it when there is none. */
struct tsh_track *tsh_clock_line(struct tsh_clock *clock, int cpu);
/* Says whether a CPU number can have a track. */
bool tsh_clock_has_line(const struct tsh_clock_kind *kind, int cpu);
/* Computes the constant offset; to be called after the wall track has changed. */
void tsh_clock_set_constant(struct tsh_clock *clock);

#endif
