/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_ENGINE_SHOW_PRINT_H
#define TRACESH_ENGINE_SHOW_PRINT_H

#include "engine/pipeline/range.h"
#include "events/decode/consumer.h"
#include "layout.h"
#include "names.h"
#include "output/event-line.h"
#include "session/session.h"

/* Prints items of the `trace` file as text, JSON or CSV, with wall-clock times. */
struct tsh_show_printer {
	struct tsh_out *out;
	const char *instance;		/* borrowed, also zone */
	const char *zone;		/* time zone; NULL: that of the machine */
	struct tsh_show_layout layout;
	struct tsh_clock clock;
	struct tsh_time_text time;
	struct tsh_line_columns columns;
	bool live;			/* false: a recording */
	bool shows_error;		/* print the error bound behind each time */
	const struct tsh_dir *dir;	/* borrowed */
	struct tsh_show_names *names;	/* used for CSV and chosen columns; otherwise NULL */
	int64_t begin;			/* CLOCK_MONOTONIC, ns */
	struct tsh_stream_summary sum;	/* counts of printed items */
};

/* Holds the wall-clock time of an event, in ns since 1970, and the bound of its error. */
struct tsh_show_when {
	bool has_wall;
	int64_t wall;
	uint64_t error_ns;
};

/* Returns the length of the event's own text without newlines at its end. */
size_t tsh_show_body_len(const struct tsh_show_item *item);
/* Appends " +-180ns": the error, with the rounding of the kernel and of our text added. */
void tsh_show_add_bound(const struct tsh_show_printer *p, uint64_t error, struct tsh_strbuf *out);

/*
 * Print an event as a line of p->columns, or as a row of CSV (lines.c). The columns of CSV are
 * those of stream and drain, so that both can be in one sheet; the event's system is looked up by
 * its name.
 */
void tsh_show_columns_event(struct tsh_show_printer *p, const struct tsh_show_item *item,
			    const struct tsh_show_when *when);
void tsh_show_csv_event(struct tsh_show_printer *p, const struct tsh_show_item *item);

/* Initializes p. Samples the clock, unless the format is the kernel's and needs_clock is false.
 * Borrows the instance. */
void tsh_show_printer_init(struct tsh_show_printer *p, struct tsh_session *s, bool needs_clock);
/* Prints the header, when the layout is known. */
void tsh_show_print_start(struct tsh_show_printer *p, const struct tsh_show_layout *layout);
/* Converts the time of an event to ns since 1970, with the bound of its error. Returns false
 * when that is not possible. */
bool tsh_show_wall(const struct tsh_show_printer *p, const struct tsh_show_item *item,
		   int64_t *ret_wall, uint64_t *ret_error_ns);
void tsh_show_print(struct tsh_show_printer *p, const struct tsh_show_item *item);
/* Prints {"type":"end"} in JSON, and nothing in other formats. */
void tsh_show_print_end(struct tsh_show_printer *p, const struct tsh_range *range);
void tsh_show_printer_end(struct tsh_show_printer *p);

#endif
