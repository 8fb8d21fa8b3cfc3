/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_ENGINE_SHOW_LAYOUT_H
#define TRACESH_ENGINE_SHOW_LAYOUT_H

/*
 * The kernel's `trace` file taken apart by its columns, never by a search: a task
 * can be called "x-1 [000] d... 1.0: y", with newlines. Knows no tracefs.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/strbuf.h"

enum tsh_show_kind {
	TSH_SHOW_OTHER,		/* not known: lines */
	TSH_SHOW_STANDARD,	/* kernel/trace/trace_output.c, trace_print_context */
	TSH_SHOW_GRAPH,		/* kernel/trace/trace_functions_graph.c */
};

/* The options of the instance that shape the lines. */
struct tsh_show_options {
	bool context_info;
	bool latency_format;
	bool raw;
	bool hex;
	bool bin;
	bool record_tgid;
	bool irq_info;
	bool funcgraph_abstime;
	bool funcgraph_cpu;
	bool funcgraph_proc;
};

struct tsh_show_layout {
	enum tsh_show_kind kind;
	const char *why;	/* OTHER: what makes it so */
	bool tgid;
	bool tgid_last;		/* behind the CPU: kernels before 4.19 */
	bool flags;
	bool cpu;		/* GRAPH: the columns that it has */
	bool proc;
};

/* The header says it; where it is silent (option verbose, some tracers) the options do. */
void tsh_show_layout_find(const struct tsh_show_options *opt, const char *header, size_t len,
			  struct tsh_show_layout *ret);

enum tsh_show_item_kind {
	TSH_SHOW_TEXT,		/* a line that is none of the others */
	TSH_SHOW_EVENT,		/* with all lines of its text */
	TSH_SHOW_LOST,		/* CPU:1 [LOST 21005 EVENTS] */
	TSH_SHOW_STARTED,	/* ##### CPU 1 buffer started #### */
	TSH_SHOW_BANNER,	/* the rules around a change of task in a graph */
};

/* Offsets count from `text`, which is not NUL-terminated. */
struct tsh_show_item {
	enum tsh_show_item_kind kind;
	const char *text;
	size_t len;		/* with the last newline */

	int cpu;		/* -1: the line has none */
	uint64_t lost;		/* TSH_LOST_UNKNOWN: the kernel does not know */

	/* EVENT */
	size_t comm;		/* the name without the blanks that align it */
	size_t comm_len;
	int pid;		/* -1: the line has none */
	int tgid;		/* -1: not known */
	size_t flags;
	size_t flags_len;
	size_t head_len;	/* what stands before the time, without blanks at its end */
	size_t time;		/* its digits */
	size_t time_len;
	uint64_t stamp;		/* in ns, or in the clock's unit when bare */
	bool bare;		/* an integer: x86-tsc, counter, uptime */
	size_t body;		/* where the event's own text begins */
};

/* Takes a piece of text apart that begins with a line; false when it is plain TEXT
 * (ret says so too). len may reach beyond the line. */
bool tsh_show_parse(const struct tsh_show_layout *layout, const char *text, size_t len,
		    struct tsh_show_item *ret);

/* Reads the file piece by piece; holds one event at a time. */
struct tsh_show_reader {
	struct tsh_show_layout layout;
	struct tsh_strbuf buf;
	size_t begin;		/* of what was not given out yet */
	bool eof;
	/* Appends more; false at the end. NULL: everything is in buf. */
	bool (*fill)(void *ctx, struct tsh_strbuf *buf);
	void *ctx;
};

void tsh_show_reader_release(struct tsh_show_reader *rd);
/* The comment lines at the beginning, borrowed until the next call. Their length. */
size_t tsh_show_header(struct tsh_show_reader *rd, const char **ret);
/* The next item, borrowed until the next call; false at the end. */
bool tsh_show_next(struct tsh_show_reader *rd, struct tsh_show_item *ret);

#endif
