/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_QUERY_DELTAS_H
#define TRACESH_QUERY_DELTAS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Limits the tasks whose last event is known. One task more, and all are forgotten, so that a long
 * stream does not need more and more memory.
 */
#define QUERY_TASKS_MAX 65536

struct query_last {
	int task;
	bool is_set;
	uint64_t stamp;
	uint64_t birth;
};

/* Holds the last event of each task. Zeroed memory holds none. */
struct query_deltas {
	struct query_last *slots;	/* an open-addressed hash table */
	size_t cap;			/* a power of two */
	size_t n;
};

void query_deltas_release(struct query_deltas *d);
/*
 * Returns in *ret the time since the previous event of a task, and replaces that event by this one.
 * The idle tasks all have the pid 0, so each CPU has its own. Returns false when there was no such
 * event, when it was later, or when it was of an older task with the same pid (another `birth`).
 */
bool query_deltas_next(struct query_deltas *d, int pid, uint64_t birth, int cpu, uint64_t stamp, uint64_t *ret);

#endif
