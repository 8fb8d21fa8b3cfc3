/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "deltas.h"

#include <stdlib.h>

#include "base/xmalloc.h"

void query_deltas_release(struct query_deltas *d)
{
	free(d->slots);
	*d = (struct query_deltas){ 0 };
}

/* Returns the slot of a task, or the free slot where it belongs. */
static struct query_last *slot_of(const struct query_deltas *d, int task)
{
	/* uses Fibonacci hashing: a recording's pids may be chosen to collide in their low bits */
	size_t i = ((uint32_t)task * 2654435769U >> 8) & (d->cap - 1);

	while (d->slots[i].is_set && d->slots[i].task != task)
		i = (i + 1) & (d->cap - 1);
	return &d->slots[i];
}

static void grow(struct query_deltas *d)
{
	struct query_deltas old = *d;
	size_t i;

	d->cap = old.cap ? 2 * old.cap : 256;
	d->slots = tsh_xcalloc(d->cap, sizeof(*d->slots));
	for (i = 0; i < old.cap; i++)
		if (old.slots[i].is_set)
			*slot_of(d, old.slots[i].task) = old.slots[i];
	free(old.slots);
}

bool query_deltas_next(struct query_deltas *d, int pid, uint64_t birth, int cpu, uint64_t stamp, uint64_t *ret)
{
	int task = pid ? pid : -1 - cpu;
	struct query_last *last;
	bool is_known;

	if (d->n >= QUERY_TASKS_MAX)
		query_deltas_release(d);
	if (d->n * 2 >= d->cap)
		grow(d);
	last = slot_of(d, task);
	is_known = last->is_set && last->birth == birth && last->stamp <= stamp;
	*ret = is_known ? stamp - last->stamp : 0;
	d->n += !last->is_set;
	*last = (struct query_last){ task, true, stamp, birth };
	return is_known;
}
