/* output/event-line.h - the cells of an event's line: a record's, the kernel's own text's, a merged stream's */
/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_OUTPUT_EVENT_LINE_H
#define TRACESH_OUTPUT_EVENT_LINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "columns.h"
#include "events/clock/clock.h"
#include "events/decode/page.h"

/*
 * Appends the times of events as a header says it: "times UTC, error +-180 ns", "no times". clock NULL: they are of
 * several hosts. rounding: what their text adds to the error, in ns; has_older: some are from before the first look at
 * the clock.
 */
void tsh_event_times_text(const struct tsh_clock *clock, enum tsh_time_style style, const char *zone, uint64_t rounding,
			  bool has_older, struct tsh_strbuf *out);
/* Appends "cpu 1: 21005 events lost"; cpu negative: not known. count may be TSH_LOST_UNKNOWN. */
void tsh_event_lost_text(int cpu, uint64_t count, struct tsh_strbuf *out);

/* Holds what an event's line has in each place; strings are borrowed and not sanitized. */
struct tsh_event_line {
	const char *comm, *flags;
	size_t comm_len, flags_len;
	int cpu, tgid;			/* negative: not known */
	int pid;			/* TSH_NO_PID: not known */
	bool pads_comm;			/* TSH_LINE_TASK as in the kernel's own lines */
	struct tsh_time_text *time;	/* after tsh_time_text_of; NULL: no time in CSV */
	const struct tsh_clock_kind *clock;	/* of the stamp, for the text of the time */
	bool has_stamp, has_wall, has_error;
	bool stamp_in_ns;
	uint64_t stamp;
	uint64_t error_ns;		/* of the wall time, with the rounding of its text */
	int64_t wall;
};

/* Appends what only the caller knows of the event: TSH_LINE_TIME, TSH_LINE_EVENT and TSH_LINE_TEXT; sanitized. */
typedef void tsh_event_cell(void *ctx, enum tsh_line_column column, struct tsh_strbuf *out);

/* Prints a line of chosen columns. `cell` is used for each of them. */
void tsh_event_line_columns(struct tsh_line_columns *c, struct tsh_out *out, const struct tsh_event_line *line,
			    tsh_event_cell *add, void *ctx, struct tsh_strbuf *cell);

/* Names the columns that events have in CSV, whoever prints them; the last two are `event`, "lost" or "skipped" where
 * events are missing (an event's name has a colon), and its text, how many they are. */
#define TSH_EVENT_CSV_HEADER "time,ts,error_ns,cpu,pid,tgid,comm,flags,event,text\n"
/* Appends these cells but for `event` and `text`, with a comma behind each. */
void tsh_event_line_csv(const struct tsh_event_line *line, struct tsh_strbuf *out);
/* Appends the row of events that are missing: their CPU and time are the line's. count may be TSH_LOST_UNKNOWN. */
void tsh_event_line_csv_lost(const struct tsh_event_line *line, const char *what, uint64_t count,
			     struct tsh_strbuf *out);

#endif
