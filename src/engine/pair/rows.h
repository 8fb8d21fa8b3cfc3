/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_ENGINE_PAIR_ROWS_H
#define TRACESH_ENGINE_PAIR_ROWS_H

#include "events/clock/clock.h"
#include "events/decode/consumer.h"
#include "events/decode/page.h"
#include "output/sink.h"
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
/* The columns: the time of END, and the plan's fields. */
const struct tsh_rows *tsh_joined_rows(const struct tsh_joined *joined);
/* Begins: gives on each END that ends a pair, while its row is there. All are borrowed; what is
 * not given on is not counted in sum. */
struct tsh_consumer *tsh_joined_begin(struct tsh_joined *joined, struct tsh_consumer *to,
				      struct tsh_decoder *decoder,
				      const struct tsh_page_layout *layout,
				      const struct tsh_clock *clock,
				      struct tsh_stream_summary *sum);
/* Gives what stands between its source and `to`, the joined or what gives to that: `to` itself, or what brings the events
 * together with their stacks. */
struct tsh_consumer *tsh_joined_before(struct tsh_joined *joined, struct tsh_consumer *to);
/* Before tsh_joined_end: no event comes any more. */
void tsh_joined_last(struct tsh_joined *joined);
/* Says which pairs are missing; the decoder goes. */
void tsh_joined_end(struct tsh_joined *joined, struct tsh_out *out);

#endif
