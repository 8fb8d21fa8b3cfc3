/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_ENGINE_PIPELINE_WHOLE_CALLS_H
#define TRACESH_ENGINE_PIPELINE_WHOLE_CALLS_H

#include "base/vec.h"
#include "events/decode/consumer.h"
#include "events/decode/decode.h"
#include "session/session.h"

/*
 * Whole calls of function_graph: what a task called, from the outermost entry to its return,
 * is kept until it has returned, and then given on in one piece, or not at all. What is no
 * call goes on at once.
 */

/* Of one call; what is more is left out of its middle, which a note says. */
#define TSH_CALLS_ONE_BYTES (1024 * 1024)
/* Of all that have not returned. */
#define TSH_CALLS_BYTES (32 * 1024 * 1024)

struct tsh_calls;

/*
 * Gives on those that take `slower` ns or more (0: all), `max` of them (0: all). names: what
 * the outermost function may be called, globs; in a task that is new the kernel graphs a
 * finish_task_switch for which nobody asked. Empty: anything.
 */
struct tsh_calls *tsh_calls_new(uint64_t slower, uint64_t max, const struct tsh_strlist *names);
void tsh_calls_free(struct tsh_calls *calls);
/* Begins. All are borrowed; what is not given on is not counted in sum. */
struct tsh_consumer *tsh_calls_begin(struct tsh_calls *calls, struct tsh_consumer *to,
				     struct tsh_decoder *decoder, struct tsh_stream_summary *sum);
/* For struct tsh_stream_options: whether `max` of them were given on; ctx is the calls. */
bool tsh_calls_done(void *ctx);
/* Says how many there were; what is kept goes. */
void tsh_calls_end(struct tsh_calls *calls, struct tsh_out *out);

#endif
