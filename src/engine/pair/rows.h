/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_ENGINE_PAIR_ROWS_H
#define TRACESH_ENGINE_PAIR_ROWS_H

#include "engine/pipeline/stage.h"
#include "plan.h"

/*
 * Pairs of two events as rows, made here: what the synthetic event of a plan has where the kernel
 * makes it. A START waits for the next END that has its keys; that is a row, with the values
 * of both (kernel/trace/trace_events_hist.c, action_trace: what was matched is not matched again).
 */
struct tsh_joined;

/* The plan is borrowed. Of one event that is both the filters are asked here, as the kernel's cannot tell the two
 * apart. NULL with err: it keeps more of START than there is room for. */
struct tsh_joined *tsh_joined_new(struct synth_plan *plan, struct tsh_err *err);
/* NULL is fine. */
void tsh_joined_free(struct tsh_joined *joined);
/* Pushes the stage that gives on each END that ends a pair, while its row is there: the time of END, and the plan's
 * fields. With a stack in it, pushes what brings the events together with their stacks, too. */
void tsh_joined_push(struct tsh_joined *joined, struct tsh_stages *stages);

#endif
