/* output/event-line.h - prints the cells of an event's line: of a record, of the kernel's own
 * text, of a merged stream */
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
 * Appends what a header says of the times: "times UTC, error +-180 ns", "no times". clock NULL: the
 * times are those of several hosts. rounding: the error of the printed times, in ns. has_older:
 * some events are from before the first sample of the clock.
 */
void tsh_event_times_text(const struct tsh_clock *clock, enum tsh_time_style style, const char *zone, uint64_t rounding,
			  bool has_older, struct tsh_strbuf *out);
/* Appends "cpu 1: 21005 events lost". cpu negative: unknown; count may be TSH_LOST_UNKNOWN. */
void tsh_event_lost_text(int cpu, uint64_t count, struct tsh_strbuf *out);

/* Holds what an event's line shows; strings are borrowed and not sanitized. */
struct tsh_event_line {
	const char *comm, *flags;
	size_t comm_len, flags_len;
	int cpu, tgid;			/* negative: unknown */
	int pid;			/* TSH_NO_PID: unknown */
	bool pads_comm;			/* print TSH_LINE_TASK as the kernel's own lines have it */
	struct tsh_time_text *time;	/* prepared by tsh_time_text_set_task; NULL: no time in CSV */
	const struct tsh_clock_kind *clock;	/* clock of the stamp, to print it */
	bool has_stamp, has_wall, has_error;
	bool stamp_in_ns;
	uint64_t stamp;
	uint64_t error_ns;		/* error of the wall time, with the rounding of its text */
	int64_t wall;
};

/* Appends a cell that only the caller knows, sanitized: TSH_LINE_TIME, TSH_LINE_EVENT or
 * TSH_LINE_TEXT. */
typedef void tsh_event_cell(void *ctx, enum tsh_line_column column, struct tsh_strbuf *out);

/* Prints a line of chosen columns; `cell` is scratch memory. */
void tsh_event_line_columns(struct tsh_line_columns *c, struct tsh_out *out, const struct tsh_event_line *line,
			    tsh_event_cell *add, void *ctx, struct tsh_strbuf *cell);

/* Names the columns of events in CSV, for all printers. In the last two, `event` is "lost" or
 * "skipped" where events are missing (an event's name has a colon), and `text` is their number. */
#define TSH_EVENT_CSV_HEADER "time,ts,error_ns,cpu,pid,tgid,comm,flags,event,text\n"
/* Appends all cells but `event` and `text`, each with a comma behind it. */
void tsh_event_line_csv(const struct tsh_event_line *line, struct tsh_strbuf *out);
/* Appends the row for missing events, with CPU and time of the line. count may be
 * TSH_LOST_UNKNOWN. */
void tsh_event_line_csv_lost(const struct tsh_event_line *line, const char *what, uint64_t count,
			     struct tsh_strbuf *out);

#endif
