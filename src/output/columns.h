/* output/columns.h - the columns of an event's line in text */
/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_OUTPUT_COLUMNS_H
#define TRACESH_OUTPUT_COLUMNS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "output.h"

enum tsh_line_column {
	TSH_LINE_TASK,		/* name and pid in one, as the kernel has it */
	TSH_LINE_COMM, TSH_LINE_PID, TSH_LINE_TGID, TSH_LINE_CPU, TSH_LINE_FLAGS, TSH_LINE_TIME,
	TSH_LINE_DELTA,		/* since the line before */
	TSH_LINE_EVENT,
	TSH_LINE_TEXT,		/* the event's own */
	TSH_LINE_N
};
extern const char *const tsh_line_column_names[];	/* by value; NULL at the end */
extern const char *const tsh_line_column_help[];	/* a few words, by value */
/* What the usual lines have, in their order. */
extern const char tsh_line_columns_usual[];

/* Which columns lines have, and what is remembered from line to line. */
struct tsh_line_columns {
	unsigned char v[TSH_LINE_N];
	size_t n;		/* 0: the usual lines */
	size_t event_width;	/* of the widest so far, within bounds */
	bool has_last;
	bool in_ns;		/* DELTA has nine digits, not six */
	bool by_wall;		/* what `last` is: wall time, or a trace clock's */
	int64_t last;		/* when the line before was, in ns */
	int64_t delta;		/* since then */
};

/* Of a list "time,event,text". -1: a name that there is not, one that stands twice, or none. */
int tsh_line_columns_parse(struct tsh_line_columns *c, const char *list, struct tsh_err *err);
bool tsh_line_columns_has(const struct tsh_line_columns *c, enum tsh_line_column column);

/*
 * Appends a line's cell: aligned, but for the last one, and in colour where `out` has it.
 * `text` is what the line's place c->v[i] holds, sanitized; of DELTA nothing is needed. pid
 * decides on a task's colour.
 */
void tsh_line_cell(struct tsh_line_columns *c, struct tsh_out *out, size_t i, const char *text,
		   size_t len, int pid);
/* The text of DELTA: "+0.000123", or "+0.000123456", since the last call, whose time this was;
 * 0 where that had the other kind of time. */
void tsh_line_delta(struct tsh_line_columns *c, bool by_wall, int64_t ns, struct tsh_strbuf *text);
/* "-": there is no time. */
void tsh_line_no_delta(struct tsh_line_columns *c, struct tsh_strbuf *text);

#endif
