/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_OUTPUT_GRAPH_LINES_H
#define TRACESH_OUTPUT_GRAPH_LINES_H

/* What the files of the function_graph layout share. */

#include "graph.h"

/* FTRACE_RETFUNC_DEPTH: calls deeper than this are not remembered */
#define GRAPH_DEPTH 50
/* Deeper than any kernel stack: what a record may indent a line by. */
#define GRAPH_DEPTH_MAX 1000

enum graph_kind {
	GRAPH_COMMENT,			/* any event that has no other place here */
	GRAPH_ENTRY,
	GRAPH_EXIT,
	GRAPH_ORDINARY,			/* function, kernel_stack: lines as elsewhere */
};

/* The fields of an entry or exit; those that the event has not have no name. */
struct graph_fields {
	bool known;
	unsigned int id;
	struct tsh_field func, depth;
	struct tsh_field retaddr;			/* entry, since 6.13 */
	uint32_t args;					/* since 6.15: where they begin */
	struct tsh_field overrun, calltime, rettime;	/* exit */
	struct tsh_field retval;			/* exit, since 6.5 */
};

/* An entry or exit, read. What its event has not is 0. */
struct graph_call {
	uint64_t func;
	int depth;			/* -1 .. GRAPH_DEPTH_MAX */
	bool has_retaddr;
	uint64_t retaddr;
	uint32_t args;			/* where the arguments begin; 0: not recorded */
	uint64_t duration;		/* ns */
	uint64_t overrun;
	uint64_t retval;
};

struct graph_options {
	bool context_info, latency_format;
	bool abstime, cpu, proc, duration, overhead;
	bool irqs, overrun, tail, retval, retval_hex, retaddr;
	/* Kernels since 6.13 write "ret=0x0" where older ones write "= 0x0". */
	bool names_retval;
};

struct graph_cpu {
	int last_pid;			/* -1: nothing was printed yet */
	int depth;			/* where comments stand */
	int depth_irq;			/* the hidden interrupt's; -1: none */
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
	bool irq_known;			/* irq_begin .. irq_end: __irqentry_text */
	uint64_t irq_begin, irq_end;
	struct tsh_strbuf scratch;
};

/* One call of tsh_graph_print. */
struct graph_line {
	struct tsh_graph *g;
	struct graph_cpu *cpu;		/* NULL: nothing is remembered */
	const struct tsh_record *rec;
	const struct tsh_common *common;
	char comm[8];			/* no more of it is printed */
	const char *time_text;
	const struct tsh_ahead *ahead;
	struct tsh_strbuf *out;
	unsigned int events;		/* that it is of */
};

/* ---- graph-record.c ---- */

void graph_options_read(struct graph_options *opt, const struct tsh_provider *options);
enum graph_kind graph_kind(const struct tsh_graph *g, const struct tsh_event_format *format);
/* False: the record has no function. */
bool graph_read(struct tsh_graph *g, const struct tsh_event_format *format,
		const struct tsh_record *rec, struct graph_call *ret);

/* ---- graph-columns.c ---- */

/* Escapes what is hostile in the output from `begin` on. */
void graph_sanitize(struct graph_line *line, size_t begin, bool lines);
/* The rules around a change of task. */
void graph_add_switch(struct graph_line *line, int from_pid);
/* All columns before the duration. */
void graph_add_head(struct graph_line *line);
void graph_add_duration(struct graph_line *line, uint64_t ns);
void graph_add_no_duration(struct graph_line *line);
/* The line of its own that marks the begin or the end of an interrupt, if func is one. */
void graph_add_irq(struct graph_line *line, uint64_t func, bool is_entry);
bool graph_is_irq(struct tsh_graph *g, uint64_t func);
/* "schedule", "ext4_iget [ext4]" */
void graph_add_function(struct graph_line *line, uint64_t func);

#endif
