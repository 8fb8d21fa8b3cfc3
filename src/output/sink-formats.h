/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_OUTPUT_SINK_FORMATS_H
#define TRACESH_OUTPUT_SINK_FORMATS_H

#include "base/json.h"
#include "event-line.h"
#include "sink.h"

#define SINK_CONTEXTS 256		/* a power of 2 */
#define SINK_CONTEXT_TEXT 80

/* What every format needs of a record; strings are borrowed and not sanitized. */
struct sink_event {
	const struct tsh_record *rec;
	const struct tsh_event_format *format;	/* NULL: nobody knows the id */
	struct tsh_common common;
	bool damaged;				/* shorter than the common fields */
	bool late;
	int tgid;				/* -1 unknown; 0 was not asked for */
	bool has_wall;
	int64_t wall;
	uint64_t error_ns;		/* where it is printed: see tsh_sink_show_error */
	bool ambiguous;			/* struct tsh_wall */
};

/*
 * "comm-pid [cpu] flags " of an event, which is that of one before more often than not:
 * a table by pid, see sink-text.c.
 */
struct sink_context {
	uint64_t key;			/* pid, flags, depth of preemption, CPU */
	unsigned char lazy, migrate;	/* see struct tsh_common */
	unsigned int version;		/* of the task's name */
	unsigned char len;		/* 0: free */
	char text[SINK_CONTEXT_TEXT];
};

/* The flag letters of an event, until the next one. */
const char *sink_flags(struct tsh_sink *sink, const struct sink_event *ev);
/* Appends the event's text as the kernel has it, not sanitized. */
void sink_add_text(struct tsh_sink *sink, const struct sink_event *ev, struct tsh_strbuf *out);
/* The same, alone in sink->scratch, without the newline at its end. */
void sink_make_text(struct tsh_sink *sink, const struct sink_event *ev);
/* The label of an event whose label varies: sanitized, since it is a symbol, and that of a
 * recorded tree can be anything. Uses sink->scratch. */
void sink_add_label(struct tsh_sink *sink, const struct sink_event *ev, struct tsh_strbuf *out);
/* "sched:sched_switch", or "unknown:1234"; the same. */
void sink_add_event_name(const struct sink_event *ev, struct tsh_strbuf *out);

/* The cells of an event, but for the task's name, which is empty. */
void sink_event_line(struct tsh_sink *sink, const struct sink_event *ev, struct tsh_event_line *ret);

void sink_text_start(struct tsh_sink *sink);
void sink_text_event(struct tsh_sink *sink, const struct sink_event *ev);
void sink_text_lost(struct tsh_sink *sink, int cpu, uint64_t count);
void sink_text_note(struct tsh_sink *sink, const char *text);
/* The same of events that are missing. */
void sink_text_gap(struct tsh_sink *sink, const char *text);
/* The time with its marks and its error; the event's text and the end of its line. */
void sink_text_time(struct tsh_sink *sink, const struct sink_event *ev, struct tsh_strbuf *out);
void sink_text_body(struct tsh_sink *sink, const struct sink_event *ev, struct tsh_strbuf *out);
/* A line of chosen columns. */
void sink_columns_event(struct tsh_sink *sink, const struct sink_event *ev);

/* Chosen fields: see tsh_sink_set_rows. */
void sink_rows_csv_start(struct tsh_sink *sink);
void sink_rows_text(struct tsh_sink *sink, const struct sink_event *ev);
void sink_rows_csv(struct tsh_sink *sink, const struct sink_event *ev);
void sink_rows_json(struct tsh_sink *sink, const struct sink_event *ev, struct tsh_json *js);

/* wall NULL: the time is not known */
void sink_json_start(struct tsh_sink *sink);
void sink_json_event(struct tsh_sink *sink, const struct sink_event *ev);
void sink_json_lost(struct tsh_sink *sink, int cpu, uint64_t count, const int64_t *wall);
void sink_json_skipped(struct tsh_sink *sink, uint64_t count, const int64_t *wall);
void sink_json_note(struct tsh_sink *sink, const char *text);

void sink_csv_start(struct tsh_sink *sink);
void sink_csv_event(struct tsh_sink *sink, const struct sink_event *ev);
/* event: "lost", or "skipped", of all CPUs and the last of them on `cpu` */
void sink_csv_missing(struct tsh_sink *sink, const char *event, int cpu, uint64_t count, uint64_t stamp,
		      const int64_t *wall);

#endif
