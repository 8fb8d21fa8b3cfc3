/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_OUTPUT_GRAPH_LINES_H
#define TRACESH_OUTPUT_GRAPH_LINES_H

/* Shared by the files of the function_graph layout. */

#include "graph.h"

/* FTRACE_RETFUNC_DEPTH: deeper calls are not remembered */
#define GRAPH_DEPTH 50
/* Limits the depth by which a record can indent a line; no kernel stack is deeper. */
#define GRAPH_DEPTH_MAX 1000

enum graph_kind {
	GRAPH_COMMENT,			/* any event without a place of its own here */
	GRAPH_ENTRY,
	GRAPH_EXIT,
	GRAPH_ORDINARY,			/* function, kernel_stack: ordinary lines */
};

/* Holds the fields of an entry or exit; a field that the event lacks has size 0. */
struct graph_fields {
	bool known;
	unsigned int id;
	struct tsh_field func, depth;
	struct tsh_field retaddr;			/* entry, since 6.13 */
	uint32_t args;					/* where arguments begin, since 6.15 */
	struct tsh_field overrun, calltime, rettime;	/* exit */
	struct tsh_field retval;			/* exit, since 6.5 */
};

/* Holds an entry or exit that was read; what the event lacks is 0. */
struct graph_call {
	uint64_t func;
	int depth;			/* -1 .. GRAPH_DEPTH_MAX */
	bool has_retaddr;
	uint64_t retaddr;
	uint32_t args;			/* where the arguments begin; 0: not recorded */
	uint64_t duration;		/* in ns */
	uint64_t overrun;
	uint64_t retval;
};

struct graph_options {
	bool context_info, latency_format;
	bool abstime, cpu, proc, duration, overhead;
	bool irqs, overrun, tail, retval, retval_hex, retaddr;
	/* Kernels since 6.13 print "ret=0x0"; older ones print "= 0x0". */
	bool names_retval;
};

struct graph_cpu {
	int last_pid;			/* -1: nothing was printed yet */
	int depth;			/* depth at which other events are printed */
	int depth_irq;			/* depth of the hidden interrupt; -1: there is none */
	uint64_t entered[GRAPH_DEPTH];
};

struct tsh_graph {
	struct tsh_decoder *decoder;
	struct graph_options opt;
	bool with_migrate;
	bool raw;
	unsigned int cpu_width;		/* digits of a CPU's number */
	unsigned int long_size;
	struct graph_cpu **cpus;
	size_t ncpus;
	struct graph_fields entry, retaddr_entry, exit;
	bool irq_known;			/* irq_begin .. irq_end are set: __irqentry_text */
	uint64_t irq_begin, irq_end;
	struct tsh_strbuf scratch;
};

/* Holds the state of one call of tsh_graph_print. */
struct graph_line {
	struct tsh_graph *g;
	struct graph_cpu *cpu;		/* NULL: the number of the CPU is too large */
	const struct tsh_record *rec;
	const struct tsh_common *common;
	char comm[8];			/* as much as is printed */
	const char *time_text;
	const struct tsh_ahead *ahead;
	struct tsh_strbuf *out;
	unsigned int events;		/* how many events the line is made of */
};

/* ---- graph-record.c ---- */

void graph_options_read(struct graph_options *opt, const struct tsh_provider *options);
/* Returns how the layout prints an event. */
enum graph_kind graph_kind(const struct tsh_graph *g, const struct tsh_event_format *format);
/* Reads an entry or exit. Returns false when the record has no function. */
bool graph_read(struct tsh_graph *g, const struct tsh_event_format *format,
		const struct tsh_record *rec, struct graph_call *ret);

/* ---- graph-columns.c ---- */

/* Escapes hostile characters in the output from `begin` on. */
void graph_sanitize(struct graph_line *line, size_t begin, bool lines);
/* Adds the separating lines around a change of task. */
void graph_add_switch(struct graph_line *line, int from_pid);
/* Adds all columns before the duration. */
void graph_add_head(struct graph_line *line);
void graph_add_duration(struct graph_line *line, uint64_t ns);
void graph_add_no_duration(struct graph_line *line);
/* Adds the line that marks the beginning or the end of an interrupt, if func is in the kernel's
 * section __irqentry_text. */
void graph_add_irq(struct graph_line *line, uint64_t func, bool is_entry);
bool graph_is_irq(struct tsh_graph *g, uint64_t func);
/* Adds "schedule" or "ext4_iget [ext4]". */
void graph_add_function(struct graph_line *line, uint64_t func);

#endif
