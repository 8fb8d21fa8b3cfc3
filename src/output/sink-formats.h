/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_OUTPUT_SINK_FORMATS_H
#define TRACESH_OUTPUT_SINK_FORMATS_H

#include "base/json.h"
#include "event-line.h"
#include "events/symbols/digits.h"
#include "events/symbols/saved-comms.h"
#include "sink.h"


/* Holds what every format needs of a record; strings are borrowed and not sanitized. */
struct sink_event {
	const struct tsh_record *rec;
	const struct tsh_event_format *format;	/* NULL: the id is unknown */
	struct tsh_common common;
	bool damaged;				/* the record is shorter than the common fields */
	bool late;
	int tgid;	/* -1: unknown; 0: not read, because it is not printed */
	bool has_wall;
	int64_t wall;
	uint64_t error_ns;		/* set when it is printed: see tsh_sink_show_error */
	bool ambiguous;			/* see struct tsh_wall */
};

/* Holds parts of the beginnings of lines that were made before, ready to be copied; see
 * sink-text.c. */
#define SINK_CPUS 1000
#define SINK_FLAGS 256			/* a power of 2 */
struct sink_heads {
	char cpu[SINK_CPUS][8];		/* "[012] "; empty: it was not made yet */
	struct sink_flags {
		char text[13];		/* "d..2. " */
		unsigned char len;	/* 0: the slot is free */
		uint16_t key;		/* flags and depth of preemption */
	} flags[SINK_FLAGS];
};

/* Is what a format has around the parts of a line that come again. */
struct sink_words {
	/* writes the error with what is around it, up to the number of the CPU; returns the end */
	char *(*write_error)(struct tsh_sink *sink, char *p, uint64_t error_ns);
	/* adds the task with what is around it, from behind the CPU up to the flags */
	void (*add_task)(int pid, int tgid, const char *comm, struct tsh_strbuf *out);
	const char *behind_flags;
};
extern const struct sink_words sink_json_words, sink_csv_words;

/* Set the sizes of copies, which are quicker than those of the exact size. */
#define SINK_STAMP_COPY 16
#define SINK_CPU_COPY 32
#define SINK_PART_TASK_COPY 64
#define SINK_PART_CPUS 64
#define SINK_TASKS 256
#define SINK_LETTERS 16

/* Holds parts of lines, to be copied. len 0 or key 0: the slot is free. */
struct sink_parts {
	const struct sink_words *words;
	uint64_t stamp;			/* the stamp whose digits but the last eight are in stamp_text */
	size_t stamp_len;
	char stamp_text[DIGITS_ROOM];
	struct sink_cpu {
		uint64_t error_ns;
		int cpu;
		size_t len;
		char text[2 * SINK_CPU_COPY + DIGITS_ROOM];
	} cpus[SINK_PART_CPUS];		/* by CPU */
	struct sink_task {
		int pid, tgid;
		unsigned int version;	/* version of the tasks' names */
		char comm[TSH_COMM_SIZE];
		size_t len;
		char text[160];		/* has room for a name of which each byte is escaped */
	} tasks[SINK_TASKS];		/* by pid */
	struct sink_letters {
		uint64_t key;		/* flags and depths */
		size_t len;
		char text[16];
	} letters[SINK_LETTERS];
};
/* Is the room for a time, all parts, and what is copied too much. */
#define SINK_PARTS_ROOM 512

struct sink_parts *sink_parts_new(enum tsh_format format);
/* Writes the parts of a line from the stamp to the flags; returns their end. ev->format must be
 * known, because the first one shows where the flags are. */
char *sink_write_parts(struct tsh_sink *sink, char *p, const struct sink_event *ev);

/* Returns the flag letters of an event, valid until the next one. */
const char *sink_flags(struct tsh_sink *sink, const struct sink_event *ev);
/* Appends the event's text as the kernel has it, unsanitized. Returns whether it is known to be
 * printable ASCII. */
bool sink_add_text(struct tsh_sink *sink, const struct sink_event *ev, struct tsh_strbuf *out);
/* Makes the same text in sink->scratch, without the newline at its end. */
void sink_make_text(struct tsh_sink *sink, const struct sink_event *ev);
/* Appends the label of an event whose label varies. Sanitizes it: it is a symbol, and a recorded
 * tree may have any bytes in that. Uses sink->scratch. */
void sink_add_label(struct tsh_sink *sink, const struct sink_event *ev, struct tsh_strbuf *out);
/* Appends "sched:sched_switch", or "unknown:1234", sanitized. */
void sink_add_event_name(const struct sink_event *ev, struct tsh_strbuf *out);

/* Fills in the cells of an event. Leaves the task's name empty. */
void sink_event_line(struct tsh_sink *sink, const struct sink_event *ev, struct tsh_event_line *ret);

/* Write lines of text: the header, an event, a loss, a note. */
void sink_text_start(struct tsh_sink *sink);
void sink_text_event(struct tsh_sink *sink, const struct sink_event *ev);
/* Decides whether events are printed by sink_text_plain: sets sink->is_plain. */
void sink_text_choose(struct tsh_sink *sink);
/* Writes an event's line when it is like most: wall-clock time, no colours, no chosen columns. Returns
 * false, and writes nothing, when it is not. Needs sink->is_plain. */
bool sink_text_plain(struct tsh_sink *sink, const struct tsh_record *rec);
void sink_text_lost(struct tsh_sink *sink, int cpu, uint64_t count);
void sink_text_note(struct tsh_sink *sink, const char *text);
/* Writes a line about missing events. */
void sink_text_gap(struct tsh_sink *sink, const char *text);
/* Append the time with its mark and error; and the event's text with the end of the line. */
void sink_text_time(struct tsh_sink *sink, const struct sink_event *ev, struct tsh_strbuf *out);
void sink_text_body(struct tsh_sink *sink, const struct sink_event *ev, struct tsh_strbuf *out);
/* Writes a line of chosen columns. */
void sink_columns_event(struct tsh_sink *sink, const struct sink_event *ev);

/* Write chosen fields: see tsh_sink_set_rows. */
void sink_rows_csv_start(struct tsh_sink *sink);
void sink_rows_text(struct tsh_sink *sink, const struct sink_event *ev);
void sink_rows_csv(struct tsh_sink *sink, const struct sink_event *ev);
void sink_rows_json(struct tsh_sink *sink, const struct sink_event *ev, struct tsh_json *js);

/* Write JSON; wall NULL: the time is unknown. */
void sink_json_start(struct tsh_sink *sink);
void sink_json_event(struct tsh_sink *sink, const struct sink_event *ev);
void sink_json_lost(struct tsh_sink *sink, int cpu, uint64_t count, const int64_t *wall);
void sink_json_skipped(struct tsh_sink *sink, uint64_t count, const int64_t *wall);
void sink_json_note(struct tsh_sink *sink, const char *text);

/* Write CSV: the header, an event, a loss. */
void sink_csv_start(struct tsh_sink *sink);
void sink_csv_event(struct tsh_sink *sink, const struct sink_event *ev);
/* Writes a line for missing events. event: "lost" for events of `cpu`, or "skipped" for events
 * of all CPUs; then cpu is the CPU of the last one. */
void sink_csv_missing(struct tsh_sink *sink, const char *event, int cpu, uint64_t count, uint64_t stamp,
		      const int64_t *wall);

#endif
