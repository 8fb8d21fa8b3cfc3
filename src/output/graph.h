/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_OUTPUT_GRAPH_H
#define TRACESH_OUTPUT_GRAPH_H

#include <stdbool.h>

#include "events/decode/consumer.h"
#include "events/decode/decode.h"

/*
 * The layout that `trace` has while the tracer is function_graph
 * (kernel/trace/trace_functions_graph.c):
 *
 *	 1)               |  do_sys_open() {
 *	 1)   0.512 us    |    getname();
 *	 1) + 12.345 us   |  }
 *
 * A call and its return are two events; where nothing lies between them they are one
 * line. What was printed last is remembered for each CPU: the task, the depth, and which
 * functions were entered.
 */
struct tsh_graph;

/*
 * decoder and options are borrowed and outlive it. The instance's options are asked for
 * here and not again; NULL, or an option that it has not: the kernel's default. Of
 * options->variable "nr_cpu_ids" is asked, which the width of a CPU's number depends on
 * (one more than the highest CPU that the machine may have).
 */
struct tsh_graph *tsh_graph_new(struct tsh_decoder *decoder, const struct tsh_provider *options);
void tsh_graph_free(struct tsh_graph *g);
/* For latency-format: see tsh_decoder_flags; true until it is set. */
void tsh_graph_set_migrate(struct tsh_graph *g, bool with_migrate);
/* The kernel's bytes as they are, not sanitized; false until it is set. */
void tsh_graph_set_raw(struct tsh_graph *g, bool raw);

/*
 * Appends all lines of an event, each with its newline; nothing for what the kernel hides
 * (funcgraph-irqs off). format and common are the record's, comm the name of common->pid,
 * not sanitized. time_text stands where funcgraph-abstime puts the trace clock; NULL: the
 * trace clock itself, if the option is on; "": no column. ahead may be NULL: no call is a
 * leaf then.
 * Returns how many events they are of: of a leaf its return, too. 0, and nothing appended: the
 * event has an ordinary line here too (function, stacks).
 */
unsigned int tsh_graph_print(struct tsh_graph *g, const struct tsh_record *rec,
			     const struct tsh_event_format *format, const struct tsh_common *common,
			     const char *comm, const char *time_text, const struct tsh_ahead *ahead,
			     struct tsh_strbuf *out);

#endif
