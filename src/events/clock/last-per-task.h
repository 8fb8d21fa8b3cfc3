/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_EVENTS_CLOCK_LAST_PER_TASK_H
#define TRACESH_EVENTS_CLOCK_LAST_PER_TASK_H

#include <stdbool.h>
#include <stdint.h>

/* The times of the last lines of so many CPUs or tasks, for DELTA_CPU and DELTA_TASK. */
#define LASTS_WAYS 4
#define LASTS_SETS 2048

enum last_state {
	LAST_NONE,		/* it has no line yet */
	LAST_KNOWN,
	LAST_FORGOTTEN,		/* it may have one: the table is too small to know */
};

struct tsh_time_lasts;

struct tsh_time_lasts *lasts_new(void);
void lasts_free(struct tsh_time_lasts *lasts);
/* Each key may have a line from now on. */
void lasts_forget(struct tsh_time_lasts *lasts);
/*
 * Puts `now` in the place of the last line's time, which it gives back when there is one on
 * the same scale, and of the same birth: by_wall tells wall times from stamps.
 */
enum last_state lasts_swap(struct tsh_time_lasts *lasts, uint32_t key, uint64_t birth, bool by_wall,
			   int64_t now, int64_t *ret_before);

#endif
