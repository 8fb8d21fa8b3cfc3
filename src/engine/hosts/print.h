/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_ENGINE_HOSTS_PRINT_H
#define TRACESH_ENGINE_HOSTS_PRINT_H

/* Prints the lines of several hosts. */

#include "events/clock/clock.h"
#include "gather.h"
#include "output/event-line.h"
#include "session/session.h"

struct tsh_merge_printer {
	struct tsh_out *out;
	struct tsh_line_columns columns;
	bool shows_error;
	struct tsh_time_text time;
	/* Says that each host has its own text in `times`, by its number, for the styles delta-cpu
	 * and delta-task. */
	bool by_host;
	TSH_VEC(struct tsh_time_text) times;
	enum tsh_time_style style;
	bool in_ns;
	size_t host_width;		/* of the widest name so far */
	struct tsh_strbuf raw, cell;	/* scratch: a string, a column */
	struct tsh_strbuf comm, flags;
};

/* Begins, and prints the header. skew_ns: by how much the hosts' clocks can differ, as the user
 * says. */
void tsh_merge_print_begin(struct tsh_merge_printer *p, struct tsh_session *s, uint64_t skew_ns);
void tsh_merge_print(struct tsh_merge_printer *p, const struct tsh_host_line *line,
		     const struct tsh_host *host);
void tsh_merge_print_end(struct tsh_merge_printer *p);

/* ---- of text.c ---- */

/* Appends the text of a string of JSON, sanitized. */
void tsh_merge_add_string(struct tsh_merge_printer *p, const struct tsh_json_text *text,
			  struct tsh_strbuf *out);
/* Appends the text of an event, "prev_comm=a prev_pid=1", sanitized. */
void tsh_merge_add_body(struct tsh_merge_printer *p, const struct tsh_host_line *line,
			struct tsh_strbuf *out);
/* Fills in the cells of a line, valid until the next one. Leaves `time` NULL where the line has
 * none in the style of the settings. */
void tsh_merge_event_line(struct tsh_merge_printer *p, const struct tsh_host_line *line, const struct tsh_host *host,
			  struct tsh_event_line *ret);
void tsh_merge_text(struct tsh_merge_printer *p, const struct tsh_host_line *line,
		    const struct tsh_host *host);
/* Prints the line with its host and its marks in the merged stream. */
void tsh_merge_json(struct tsh_merge_printer *p, const struct tsh_host_line *line,
		    const struct tsh_host *host);

#endif
