/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_ENGINE_HOSTS_PRINT_H
#define TRACESH_ENGINE_HOSTS_PRINT_H

/* How the lines of several hosts are printed. */

#include "events/clock/clock.h"
#include "gather.h"
#include "output/event-line.h"
#include "session/session.h"

struct tsh_merge_printer {
	struct tsh_out *out;
	struct tsh_line_columns columns;
	bool shows_error;
	struct tsh_time_text time;
	/* delta-cpu and delta-task: CPUs and tasks are those of a host; by its number */
	bool by_host;
	TSH_VEC(struct tsh_time_text) times;
	enum tsh_time_style style;
	bool in_ns;
	size_t host_width;		/* of the widest name so far */
	struct tsh_strbuf raw, cell;	/* of a string, of a column */
	struct tsh_strbuf comm, flags;
};

/* Prints the header; by how much the clocks of the hosts may differ was said to be skew_ns. */
void tsh_merge_print_begin(struct tsh_merge_printer *p, struct tsh_session *s, uint64_t skew_ns);
void tsh_merge_print(struct tsh_merge_printer *p, const struct tsh_host_line *line,
		     const struct tsh_host *host);
void tsh_merge_print_end(struct tsh_merge_printer *p);

/* ---- of text.c ---- */

/* Appends the text of a string of JSON, sanitized. */
void tsh_merge_add_string(struct tsh_merge_printer *p, const struct tsh_json_text *text,
			  struct tsh_strbuf *out);
/* The text of an event: "prev_comm=a prev_pid=1"; sanitized. */
void tsh_merge_add_body(struct tsh_merge_printer *p, const struct tsh_host_line *line,
			struct tsh_strbuf *out);
/* The cells of a line, until the next one; without a time where it has none in the style of the settings. */
void tsh_merge_event_line(struct tsh_merge_printer *p, const struct tsh_host_line *line, const struct tsh_host *host,
			  struct tsh_event_line *ret);
void tsh_merge_text(struct tsh_merge_printer *p, const struct tsh_host_line *line,
		    const struct tsh_host *host);
/* The line with its host, and the marks that it has here. */
void tsh_merge_json(struct tsh_merge_printer *p, const struct tsh_host_line *line,
		    const struct tsh_host *host);

#endif
