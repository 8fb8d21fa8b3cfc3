/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef OUTPUT_SINK_FORMATS_H
#define OUTPUT_SINK_FORMATS_H

#include "tracesh/sink.h"

/* What every format needs of a record; strings are borrowed and not sanitized. */
struct sink_event {
	const struct tsh_record *rec;
	const struct tsh_event_format *format;	/* NULL: nobody knows the id */
	struct tsh_common common;
	bool damaged;				/* shorter than the common fields */
	bool late;
	const char *comm;
	int tgid;				/* -1 unknown; 0 was not asked for */
	char flags[8];
	bool has_wall;
	int64_t wall;
	uint64_t error_ns;
};

/* Puts the event's text into sink->scratch, as the kernel has it, not sanitized. */
void sink_make_text(struct tsh_sink *sink, const struct sink_event *ev);
/* "sched:sched_switch", or "unknown:1234"; the same. */
void sink_add_event_name(const struct sink_event *ev, struct tsh_strbuf *out);

void sink_text_start(struct tsh_sink *sink);
void sink_text_event(struct tsh_sink *sink, const struct sink_event *ev);
void sink_text_lost(struct tsh_sink *sink, int cpu, uint64_t count);
void sink_text_note(struct tsh_sink *sink, const char *text);

/* wall NULL: the time is not known */
void sink_json_start(struct tsh_sink *sink);
void sink_json_event(struct tsh_sink *sink, const struct sink_event *ev);
void sink_json_lost(struct tsh_sink *sink, int cpu, uint64_t count, const int64_t *wall);
void sink_json_note(struct tsh_sink *sink, const char *text);
void sink_json_end(struct tsh_sink *sink, const struct tsh_stream_summary *summary);

void sink_csv_start(struct tsh_sink *sink);
void sink_csv_event(struct tsh_sink *sink, const struct sink_event *ev);
void sink_csv_lost(struct tsh_sink *sink, int cpu, uint64_t count, uint64_t stamp,
		   const int64_t *wall);

#endif
