/* events/clock/calibration.h - the tracks of a struct tsh_clock */
/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_EVENTS_CLOCK_CALIBRATION_H
#define TRACESH_EVENTS_CLOCK_CALIBRATION_H

#include "clock.h"
#include "track.h"

/* The track of a CPU, or of all with -1; made when it is not there yet. */
struct tsh_track *tsh_clock_line(struct tsh_clock *clock, int cpu);
/* Whether a CPU number can have one. */
bool tsh_clock_has_line(const struct tsh_clock_kind *kind, int cpu);
/* After the wall track was changed. */
void tsh_clock_set_constant(struct tsh_clock *clock);

#endif
