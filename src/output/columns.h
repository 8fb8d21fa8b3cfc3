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
	TSH_LINE_TASK,		/* name and pid in one, as in the kernel's text */
	TSH_LINE_COMM, TSH_LINE_PID, TSH_LINE_TGID, TSH_LINE_CPU, TSH_LINE_FLAGS, TSH_LINE_TIME,
	TSH_LINE_DELTA,		/* time since the previous line */
	TSH_LINE_EVENT,
	TSH_LINE_TEXT,		/* the event's own text */
	TSH_LINE_N
};
extern const char *const tsh_line_column_names[];	/* by value; ends with NULL */
extern const char *const tsh_line_column_help[];	/* a few words each, by value */
/* Lists the columns of ordinary lines. */
extern const char tsh_line_columns_usual[];

/* Says which columns lines have, and keeps what depends on the previous lines. */
struct tsh_line_columns {
	unsigned char v[TSH_LINE_N];
	size_t n;		/* 0: ordinary lines */
	size_t event_width;	/* of the widest name so far, within limits */
	bool has_last;
	bool in_ns;		/* DELTA has nine digits, not six */
	bool by_wall;		/* `last` is a wall time, not one of the trace clock */
	int64_t last;		/* time of the previous line, in ns */
	int64_t delta;		/* time since then */
};

/* Parses a list "time,event,text". Returns -1 with err for an unknown name, a name that occurs
 * twice, or an empty list. */
int tsh_line_columns_parse(struct tsh_line_columns *c, const char *list, struct tsh_err *err);
bool tsh_line_columns_has(const struct tsh_line_columns *c, enum tsh_line_column column);

/*
 * Appends a cell of a line with `text`, which is sanitized. Aligns it unless it is the last one,
 * and colours it if `out` has colours, a task by its pid.
 */
void tsh_line_cell(struct tsh_line_columns *c, struct tsh_out *out, size_t i, const char *text,
		   size_t len, int pid);
/* Appends the text of DELTA, "+0.000123" or "+0.000123456": the time since the previous call; 0
 * for the first one, and when one of the two has a wall time and the other one a stamp. */
void tsh_line_delta(struct tsh_line_columns *c, bool by_wall, int64_t ns, struct tsh_strbuf *text);
/* Makes the text of DELTA without a time: "-". */
void tsh_line_no_delta(struct tsh_line_columns *c, struct tsh_strbuf *text);

#endif
