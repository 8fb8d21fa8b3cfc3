/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_ENGINE_SHOW_PRINT_H
#define TRACESH_ENGINE_SHOW_PRINT_H

#include "engine/pipeline/range.h"
#include "events/decode/consumer.h"
#include "layout.h"
#include "names.h"
#include "output/event-line.h"
#include "session/session.h"

/* Items of the `trace` file into text, JSON, CSV, with wall-clock times. */
struct tsh_show_printer {
	struct tsh_out *out;
	const char *instance;		/* borrowed, as is the next */
	const char *zone;		/* of the times; NULL: the machine's */
	struct tsh_show_layout layout;
	struct tsh_clock clock;
	struct tsh_time_text time;
	struct tsh_line_columns columns;
	bool live;			/* no recording */
	bool shows_error;		/* behind each wall-clock time */
	const struct tsh_dir *dir;	/* borrowed */
	struct tsh_show_names *names;	/* for CSV and chosen columns; or NULL */
	int64_t begin;			/* CLOCK_MONOTONIC */
	struct tsh_stream_summary sum;	/* of what was printed */
};

/* The wall time of an event, and what the clock may be off by. */
struct tsh_show_when {
	bool has_wall;
	int64_t wall;
	uint64_t error_ns;
};

/* Of the event's own text, without the newline at its end. */
size_t tsh_show_body_len(const struct tsh_show_item *item);
/* " +-180ns", with what the kernel's and our rounding add. */
void tsh_show_add_bound(const struct tsh_show_printer *p, uint64_t error, struct tsh_strbuf *out);

/*
 * lines.c: a line of p->columns, and a row of CSV, which has the columns of stream and drain, so that a sheet made for
 * one takes the other. The kernel's text does not name an event's system: it is looked up.
 */
void tsh_show_columns_event(struct tsh_show_printer *p, const struct tsh_show_item *item,
			    const struct tsh_show_when *when);
void tsh_show_csv_event(struct tsh_show_printer *p, const struct tsh_show_item *item);

/* Samples the clock; not for the kernel's own lines, unless needs_clock. The instance is
 * borrowed. */
void tsh_show_printer_init(struct tsh_show_printer *p, struct tsh_session *s, bool needs_clock);
/* The header, once the layout is known. */
void tsh_show_print_start(struct tsh_show_printer *p, const struct tsh_show_layout *layout);
/* The wall time of an event with all that it may be off by; false: none is known. */
bool tsh_show_wall(const struct tsh_show_printer *p, const struct tsh_show_item *item,
		   int64_t *ret_wall, uint64_t *ret_error_ns);
void tsh_show_print(struct tsh_show_printer *p, const struct tsh_show_item *item);
/* What stands last: {"type":"end"}; in text nothing. */
void tsh_show_print_end(struct tsh_show_printer *p, const struct tsh_range *range);
void tsh_show_printer_end(struct tsh_show_printer *p);

#endif
