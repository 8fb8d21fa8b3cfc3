/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_ENGINE_PIPELINE_WHOLE_CALLS_H
#define TRACESH_ENGINE_PIPELINE_WHOLE_CALLS_H

#include "base/vec.h"
#include "session/session.h"
#include "stage.h"

/*
 * Passes on calls of function_graph as a whole. Keeps the events of a task, from the entry of its
 * outermost function to the return of that function, and then passes them on together, or drops
 * them. Passes on other events at once.
 */

/* Limits the bytes of one call. When it has more, events from its middle are left out, and a
 * note says so. */
#define TSH_WHOLE_CALLS_ONE_BYTES (1024 * 1024)
/* Limits the bytes of all calls that have not returned. */
#define TSH_WHOLE_CALLS_BYTES (32 * 1024 * 1024)

struct tsh_whole_calls;

/*
 * Passes on calls that take `slower` ns or more (0: all), at most `max` of them (0: all). names:
 * globs for the name of the outermost function; empty: any. Copies the names. They exclude
 * finish_task_switch, which the kernel also graphs in a new task.
 */
struct tsh_whole_calls *tsh_whole_calls_new(uint64_t slower, uint64_t max, const struct tsh_strlist *names);
void tsh_whole_calls_free(struct tsh_whole_calls *calls);
/* Returns the stage; NULL when calls is NULL. */
struct tsh_stage *tsh_whole_calls_stage(struct tsh_whole_calls *calls);

#endif
