/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_ENGINE_SHOW_LAYOUT_H
#define TRACESH_ENGINE_SHOW_LAYOUT_H

/*
 * Parses the kernel's `trace` file by its columns. Does not search for separators, because a task
 * can be called "x-1 [000] d... 1.0: y", and its name can contain newlines. Does not read tracefs.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/strbuf.h"

enum tsh_show_kind {
	TSH_SHOW_OTHER,		/* unknown: lines are not parsed */
	TSH_SHOW_STANDARD,	/* kernel/trace/trace_output.c, trace_print_context */
	TSH_SHOW_GRAPH,		/* kernel/trace/trace_functions_graph.c */
};

/* Holds the options of the instance that change the layout of the lines. */
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
	const char *why;	/* reason for OTHER */
	bool tgid;
	bool tgid_last;		/* column is behind the CPU: kernels before 4.19 */
	bool flags;
	bool cpu;		/* GRAPH: cpu and proc say which columns there are */
	bool proc;
};

/* Finds the layout by the header; without a header (option verbose, some tracers) by the
 * options. */
void tsh_show_layout_find(const struct tsh_show_options *opt, const char *header, size_t len,
			  struct tsh_show_layout *ret);

enum tsh_show_item_kind {
	TSH_SHOW_TEXT,		/* any other line */
	TSH_SHOW_EVENT,		/* all lines of an event's text */
	TSH_SHOW_LOST,		/* CPU:1 [LOST 21005 EVENTS] */
	TSH_SHOW_STARTED,	/* ##### CPU 1 buffer started #### */
	TSH_SHOW_BANNER,	/* lines around a change of task in a graph */
};

/* Describes a part of the file. Offsets count from `text`, which is not NUL-terminated. */
struct tsh_show_item {
	enum tsh_show_item_kind kind;
	const char *text;
	size_t len;		/* including the last newline */

	int cpu;		/* -1: not in the line */
	uint64_t lost;		/* TSH_LOST_UNKNOWN: the line has no count */

	/* The rest is for EVENT only. */
	size_t comm;		/* the name without the blanks around it */
	size_t comm_len;
	int pid;		/* -1: not in the line */
	int tgid;		/* -1: unknown */
	size_t flags;
	size_t flags_len;
	size_t head_len;	/* length of the text before the time, without blanks at its end */
	size_t time;		/* offset of the time's digits */
	size_t time_len;
	uint64_t stamp;		/* ns; units of the clock when bare */
	bool bare;		/* an integer (clocks x86-tsc, counter, uptime) */
	size_t body;		/* offset of the event's own text */
};

/* Parses text that begins with a line; len may include following lines. Returns false when it is
 * a TEXT, as ret->kind says too. Does not set ret->len. */
bool tsh_show_parse(const struct tsh_show_layout *layout, const char *text, size_t len,
		    struct tsh_show_item *ret);

/* Reads the file in pieces, and keeps one event at a time in memory. */
struct tsh_show_reader {
	struct tsh_show_layout layout;
	struct tsh_strbuf buf;
	size_t begin;		/* offset of the text that was not returned yet */
	bool eof;
	/* Appends more text to buf; returns false at the end. NULL: buf has all of the file. */
	bool (*fill)(void *ctx, struct tsh_strbuf *buf);
	void *ctx;
};

void tsh_show_reader_release(struct tsh_show_reader *rd);
/* Returns the length of the comment lines at the beginning. *ret is borrowed until the next
 * call. */
size_t tsh_show_header(struct tsh_show_reader *rd, const char **ret);
/* Returns the next item, borrowed until the next call; false at the end. */
bool tsh_show_next(struct tsh_show_reader *rd, struct tsh_show_item *ret);

#endif
