/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "last-per-task.h"

#include <stdlib.h>

#include "base/xmalloc.h"

struct last {
	int64_t time;
	uint64_t used;		/* when it was used last; 0: the slot is free */
	uint64_t birth;
	uint32_t key;
	bool by_wall;
};

/* Holds the slots that a key may use. Consecutive keys, as CPUs and most pids are, use consecutive
 * sets. */
struct set {
	struct last last[LASTS_WAYS];
	bool has_forgotten;
};

struct tsh_time_lasts {
	uint64_t lines;
	struct set set[LASTS_SETS];
};

struct tsh_time_lasts *lasts_new(void)
{
	return tsh_xcalloc(1, sizeof(struct tsh_time_lasts));
}

void lasts_free(struct tsh_time_lasts *lasts)
{
	free(lasts);
}

void lasts_forget(struct tsh_time_lasts *lasts)
{
	size_t i;

	for (i = 0; i < LASTS_SETS; i++)
		lasts->set[i] = (struct set){ .has_forgotten = true };
}

/* Returns the slot of a key, or the one to reuse: the slot that was unused for the longest time. */
static struct last *find_slot(struct set *set, uint32_t key)
{
	struct last *last, *oldest = set->last;

	for (last = set->last; last < set->last + LASTS_WAYS; last++) {
		if (last->used && last->key == key)
			return last;
		if (last->used < oldest->used)
			oldest = last;
	}
	return oldest;
}

enum last_state lasts_swap(struct tsh_time_lasts *lasts, uint32_t key, uint64_t birth, bool by_wall,
			   int64_t now, int64_t *ret_before)
{
	struct set *set = &lasts->set[key % LASTS_SETS];
	struct last *last = find_slot(set, key);
	enum last_state state = LAST_KNOWN;

	if (!last->used || last->key != key) {
		state = set->has_forgotten || last->used ? LAST_FORGOTTEN : LAST_NONE;
		set->has_forgotten |= last->used != 0;
	} else if (last->by_wall != by_wall || last->birth != birth) {
		state = LAST_NONE;
	}
	*ret_before = last->time;
	*last = (struct last){
		.time = now, .used = ++lasts->lines, .key = key, .by_wall = by_wall, .birth = birth,
	};
	return state;
}
