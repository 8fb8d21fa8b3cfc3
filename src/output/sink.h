/* output/sink.h - prints events as lines: text, JSON, CSV, the kernel's format */
/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_OUTPUT_SINK_H
#define TRACESH_OUTPUT_SINK_H

#include <stdbool.h>
#include <stdint.h>

#include "columns.h"
#include "events/clock/clock.h"
#include "events/decode/consumer.h"
#include "events/decode/decode.h"
#include "output.h"

/* Describes a stream for its header; strings are borrowed. */
struct tsh_stream_info {
	const char *instance;		/* "top" or a name */
	const char *host;
	const char *boot_id;
	const char *kernel;
	const char *zone;		/* zone of the times; NULL: the machine's */
	const char *names_time;		/* time to which the tasks' names belong; NULL: that of each event */
	bool with_migrate;		/* five flag letters, see tsh_decoder_flags */
	bool with_tgid;			/* the option record-tgid of the instance */
	bool live;			/* false: a recorded tree */
	/* Reading removes the events from a buffer of the user. So tsh_out_add_event counts those
	 * that the output could not print. */
	bool is_read_once;
	bool is_graph;			/* lines are those of function_graph */
	bool has_older;			/* it has events from before the first sample of its clock */
	bool has_hashed_pointers;	/* the kernel's own text would have hashed pointers */
	bool hides_pointers;		/* tsh_decoder_hide_pointers was called */
	const struct tsh_provider *provider;
};

struct tsh_graph;
struct sink_heads;
struct repeats;
struct sink_parts;
struct sink_column;

/* Says what a cell of chosen fields holds. */
enum tsh_cell_kind {
	TSH_CELL_NONE,			/* nothing: the event has no such field */
	TSH_CELL_TEXT,
	TSH_CELL_NUMBER,		/* .number, also as .text */
	TSH_CELL_TIME,			/* time of the event, which the sink writes; .number: ns since 1970 */
};
struct tsh_cell {
	enum tsh_cell_kind kind;
	bool is_signed;
	uint64_t number;
	/* the kernel's bytes, unsanitized; empty when `cell` is called */
	struct tsh_strbuf *text;
};
struct tsh_rows {
	const char *const *names;	/* names of the columns */
	size_t n;
	void (*cell)(void *ctx, const struct tsh_record *rec, size_t i, struct tsh_cell *ret);
	void *ctx;
};

/* Prints events. Keeps no record: each one is printed to out at once. Everything from the kernel is
 * sanitized. Borrows clock and decoder. */
struct tsh_sink {
	struct tsh_consumer consumer;	/* for tsh_stream_run; must be the first member */
	struct tsh_out *out;
	struct tsh_decoder *decoder;
	const struct tsh_clock *clock;
	struct tsh_stream_info info;
	struct tsh_time_text time;
	struct tsh_line_columns columns;
	const struct tsh_rows *rows;	/* printed instead of the events' texts; or NULL */
	struct sink_column *row_columns;
	struct tsh_strbuf row_keys;	/* the names of the columns as keys of JSON */
	struct tsh_strbuf row;		/* the cells of a row before they are aligned */
	bool titles_done;
	bool header_done;
	bool is_unbuffered;		/* set by tsh_sink_set_unbuffered */
	char flags[TSH_FLAGS_ROOM];			/* letters of the present event */
	struct sink_heads *heads;	/* parts of the beginnings of lines, to be copied */
	struct tsh_task_columns *tasks;	/* belongs to the decoder */
	struct repeats *repeats;	/* texts that came before */
	struct sink_parts *parts;	/* parts of lines, for JSON and CSV; otherwise NULL */
	const unsigned int *names_version;
	struct tsh_graph *graph;	/* for lines of function_graph; NULL: ordinary lines */
	bool shows_error;		/* set by tsh_sink_show_error */
	bool has_plain_times;		/* wall-clock times without an error behind them */
	bool is_plain;			/* events are printed by sink_text_plain, if they can be */
	uint64_t error_ns;		/* error to which error_text belongs */
	struct tsh_strbuf error_text;	/* " +-180ns" */
	bool raw;			/* the kernel's bytes are not sanitized */
	uint64_t refreshed;	/* when names of tasks were read again, in the trace clock */
	struct tsh_strbuf scratch;	/* text of the kernel that is not sanitized yet */
	struct tsh_strbuf cell;		/* a CSV cell before it is quoted */
};

/*
 * Makes a copy of a sink for another thread, which prints to an output and by a decoder of its own:
 * the same lines, without a header. The line of an event must then only depend on the event:
 * tsh_sink_can_fork. rows: see tsh_sink_set_rows; or NULL.
 */
void tsh_sink_fork(struct tsh_sink *ret, const struct tsh_sink *sink, struct tsh_out *out, struct tsh_decoder *decoder,
		   const struct tsh_rows *rows);
bool tsh_sink_can_fork(const struct tsh_sink *sink);
/* Prepares a sink; borrows out, decoder and clock. */
void tsh_sink_init(struct tsh_sink *sink, struct tsh_out *out, struct tsh_decoder *decoder,
		   const struct tsh_clock *clock, const struct tsh_stream_info *info,
		   enum tsh_time_style style, bool ns);
void tsh_sink_release(struct tsh_sink *sink);
/*
 * Prints, from now on, the error bound behind each wall-clock time in text, including the rounding
 * to microseconds. JSON and CSV always have error_ns, the kernel's format never.
 */
void tsh_sink_show_error(struct tsh_sink *sink);
/* Sets the columns of lines in text; does not apply to what function_graph draws. */
void tsh_sink_set_columns(struct tsh_sink *sink, const struct tsh_line_columns *columns);
/* Makes each event a row of these fields, in JSON an object with them. Borrows rows. To be
 * called before anything is printed. */
void tsh_sink_set_rows(struct tsh_sink *sink, const struct tsh_rows *rows);
/* Makes the consumer's `stuck` report an output as blocked when any byte waits, so that no event
 * is printed that would have to wait. */
void tsh_sink_set_unbuffered(struct tsh_sink *sink);
/* Sets the style of times in text. TSH_TIME_REL then counts from the next line. */
void tsh_sink_set_time(struct tsh_sink *sink, enum tsh_time_style style);
/* Prints the header line or {"type":"start"}, once; whatever is printed first calls it. */
void tsh_sink_start(struct tsh_sink *sink);
/* Prints one event. `late`: a younger one was printed before. */
void tsh_sink_event(struct tsh_sink *sink, const struct tsh_record *rec, bool late);
/* Prints "# cpu 1: 21005 events lost" where events are missing. stamp is that of the next event
 * of that CPU; count may be TSH_LOST_UNKNOWN. */
void tsh_sink_lost(struct tsh_sink *sink, int cpu, uint64_t count, uint64_t stamp);
/* Prints "# 21,005 events skipped, the output is too slow", for events up to stamp that were
 * left out. */
void tsh_sink_skipped(struct tsh_sink *sink, uint64_t count, int cpu, uint64_t stamp);
/* Prints a line of our own between events: "# ..." or {"type":"note"}. CSV and the kernel's
 * format only have events; there it is printed by tsh_out_note. */
void tsh_sink_note(struct tsh_sink *sink, const char *text);
/* Appends the last line of events in JSON, also for other printers. */
void tsh_json_end_line(struct tsh_strbuf *out, const struct tsh_stream_summary *summary);
/* Prints {"type":"end"}; nothing in text, where the command prints a note. */
void tsh_sink_end(struct tsh_sink *sink, const struct tsh_stream_summary *summary);

#endif
