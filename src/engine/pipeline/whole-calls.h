/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_ENGINE_PIPELINE_WHOLE_CALLS_H
#define TRACESH_ENGINE_PIPELINE_WHOLE_CALLS_H

#include "base/vec.h"
#include "session/session.h"
#include "stage.h"

/*
 * Whole calls of function_graph: what a task called, from the outermost entry to its return,
 * is kept until it has returned, and then given on in one piece, or not at all. What is no
 * call goes on at once.
 */

/* Of one call; what is more is left out of its middle, which a note says. */
#define TSH_WHOLE_CALLS_ONE_BYTES (1024 * 1024)
/* Of all that have not returned. */
#define TSH_WHOLE_CALLS_BYTES (32 * 1024 * 1024)

struct tsh_whole_calls;

/*
 * Gives on those that take `slower` ns or more (0: all), `max` of them (0: all). names: what
 * the outermost function may be called, globs; in a task that is new the kernel graphs a
 * finish_task_switch for which nobody asked. Empty: anything.
 */
struct tsh_whole_calls *tsh_whole_calls_new(uint64_t slower, uint64_t max, const struct tsh_strlist *names);
void tsh_whole_calls_free(struct tsh_whole_calls *calls);
/* Gives the stage; NULL: all events go on as they come. */
struct tsh_stage *tsh_whole_calls_stage(struct tsh_whole_calls *calls);

#endif
