/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_EVENTS_CLOCK_LAST_PER_TASK_H
#define TRACESH_EVENTS_CLOCK_LAST_PER_TASK_H

#include <stdbool.h>
#include <stdint.h>

/* Remembers the times of the last lines of CPUs or tasks, for DELTA_CPU and DELTA_TASK. */
#define LASTS_WAYS 4
#define LASTS_SETS 2048

enum last_state {
	LAST_NONE,		/* there was no line yet */
	LAST_KNOWN,
	LAST_FORGOTTEN,		/* there may have been one: the table is too small to know */
};

struct tsh_time_lasts;

struct tsh_time_lasts *lasts_new(void);
void lasts_free(struct tsh_time_lasts *lasts);
/* Forgets all lines. From then on a key without a line has LAST_FORGOTTEN, not LAST_NONE. */
void lasts_forget(struct tsh_time_lasts *lasts);
/* Stores `now` as the time of a key's last line. Returns the old one if there is one, on the same
 * scale (by_wall: wall times, not stamps) and of the same task (birth). */
enum last_state lasts_swap(struct tsh_time_lasts *lasts, uint32_t key, uint64_t birth, bool by_wall,
			   int64_t now, int64_t *ret_before);

#endif
