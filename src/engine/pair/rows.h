/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_ENGINE_PAIR_ROWS_H
#define TRACESH_ENGINE_PAIR_ROWS_H

#include "engine/pipeline/stage.h"
#include "plan.h"

/*
 * Makes rows of pairs, as the kernel makes events by a plan. A START waits for the next END with
 * the same keys; the two are a row, with values of both (kernel/trace/trace_events_hist.c,
 * action_trace: a START that was matched is not matched again).
 */
struct tsh_pair_rows;

/*
 * Makes a struct tsh_pair_rows for a plan, which it borrows. If START and END are the same event,
 * tracesh evaluates its two filters, because the kernel has one filter for an event. Returns NULL
 * with err when the rows have more values of START than TSH_PAIRS_WITH_MAX, or such a filter cannot
 * be evaluated.
 */
struct tsh_pair_rows *tsh_pair_rows_new(struct synth_plan *plan, struct tsh_err *err);
/* Frees it; NULL is fine. */
void tsh_pair_rows_free(struct tsh_pair_rows *rows);
/*
 * Pushes a stage that passes on each END that ends a pair, with its row: the time of END, and the
 * plan's fields. If the plan has a stack, pushes the stage that attaches stacks, too.
 */
void tsh_pair_rows_push(struct tsh_pair_rows *rows, struct tsh_stages *stages);

#endif
