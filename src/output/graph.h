/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_OUTPUT_GRAPH_H
#define TRACESH_OUTPUT_GRAPH_H

#include <stdbool.h>

#include "events/decode/consumer.h"
#include "events/decode/decode.h"

/*
 * Prints events in the layout that `trace` has while the tracer is function_graph
 * (kernel/trace/trace_functions_graph.c):
 *
 *	 1)               |  do_sys_open() {
 *	 1)   0.512 us    |    getname();
 *	 1) + 12.345 us   |  }
 *
 * A call and its return are two events. When no other event comes between them, they are one
 * line, a leaf. The printer keeps for each CPU what it printed last: the task, the depth, and
 * which functions were entered.
 */
struct tsh_graph;

/*
 * Makes a printer. Borrows decoder and options for its whole life. Reads the options of the
 * instance here, once. An option that is missing, and each one when `options` is NULL, has the
 * kernel's default. Also reads options->variable "nr_cpu_ids", which is one more than the highest
 * CPU that the machine may have: the width of a CPU's number depends on it.
 */
struct tsh_graph *tsh_graph_new(struct tsh_decoder *decoder, const struct tsh_provider *options);
void tsh_graph_free(struct tsh_graph *g);
/* Sets whether flags have a letter for migrate_disable(), for latency-format
 * (tsh_decoder_flags). They have one before this call. */
void tsh_graph_set_migrate(struct tsh_graph *g, bool with_migrate);
/* Sets whether the kernel's bytes are printed as they are, not sanitized. They are sanitized
 * before this call. */
void tsh_graph_set_raw(struct tsh_graph *g, bool raw);

/*
 * Appends all lines of an event, each with its newline; appends nothing for an event that the
 * kernel hides (funcgraph-irqs off). format and common are the record's; comm is the name of
 * common->pid, not sanitized. time_text is printed in the place of the trace clock
 * (funcgraph-abstime); NULL: the trace clock, if that option is on; "": no column. ahead may be
 * NULL: then no call is a leaf.
 * Returns how many events were printed: 2 for a leaf, which is a call and its return. Returns 0 and
 * appends nothing when the event has an ordinary line here, too (function, stacks).
 */
unsigned int tsh_graph_print(struct tsh_graph *g, const struct tsh_record *rec,
			     const struct tsh_event_format *format, const struct tsh_common *common,
			     const char *comm, const char *time_text, const struct tsh_ahead *ahead,
			     struct tsh_strbuf *out);

#endif
