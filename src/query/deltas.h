/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_QUERY_DELTAS_H
#define TRACESH_QUERY_DELTAS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * When each task had its last event. At most so many tasks are known; when one more comes all
 * are forgotten, so that those of a long stream cost no memory without end.
 */
#define QUERY_TASKS_MAX 65536

struct query_last {
	int task;
	bool is_set;
	uint64_t stamp;
	uint64_t birth;
};

/* Zeroed memory knows nobody. */
struct query_deltas {
	struct query_last *slots;	/* an open hash table */
	size_t cap;			/* a power of two */
	size_t n;
};

void query_deltas_release(struct query_deltas *d);
/* The time since the task's event before, which this one takes the place of. The idle tasks all
 * have the pid 0: each CPU's is its own. False: there was none, or it was later, or it was of a task that was born at
 * another time. */
bool query_deltas_next(struct query_deltas *d, int pid, uint64_t birth, int cpu, uint64_t stamp, uint64_t *ret);

#endif
