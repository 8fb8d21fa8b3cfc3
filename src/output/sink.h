/* output/sink.h - events into lines: text, JSON, CSV, the kernel's own */
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

/* What the header of a stream says. Strings are borrowed. */
struct tsh_stream_info {
	const char *instance;		/* "top" or a name */
	const char *host;
	const char *boot_id;
	const char *kernel;
	const char *zone;		/* of the times; NULL: the machine's */
	const char *names_of;		/* the time that the tasks' names are of; NULL: of each event */
	bool with_migrate;		/* five flag letters, see tsh_decoder_flags */
	bool with_tgid;			/* the instance's record-tgid option */
	bool live;			/* false: a recorded tree */
	bool takes;			/* what is not printed nobody can read again: tsh_out_event */
	bool is_graph;			/* lines as function_graph makes them */
	bool has_older;			/* events from before the first look at its clock */
	bool has_hashed;		/* the kernel's own text has hashed pointers here */
	bool hides_pointers;		/* tsh_decoder_hide_pointers was called */
	const struct tsh_provider *provider;
};

/*
 * A sink owns no record: each call is printed into out at once. Everything that
 * the kernel sent is sanitized; clock and decoder are borrowed.
 */
struct tsh_graph;
struct sink_context;
struct repeats;
struct sink_column;

/* What stands in one place of a table of chosen fields. */
enum tsh_cell_kind {
	TSH_CELL_NONE,			/* the event has no such thing */
	TSH_CELL_TEXT,
	TSH_CELL_NUMBER,		/* .number, and the same as .text */
	TSH_CELL_TIME,			/* of the event: the sink writes it; .number: ns since 1970 */
};
struct tsh_cell {
	enum tsh_cell_kind kind;
	bool is_signed;
	uint64_t number;
	struct tsh_strbuf *text;	/* empty; the kernel's bytes as they are */
};
struct tsh_rows {
	const char *const *names;	/* of the columns */
	size_t n;
	void (*cell)(void *ctx, const struct tsh_record *rec, size_t i, struct tsh_cell *ret);
	void *ctx;
};

struct tsh_sink {
	struct tsh_consumer consumer;	/* for tsh_stream_run; the first member */
	struct tsh_out *out;
	struct tsh_decoder *decoder;
	const struct tsh_clock *clock;
	struct tsh_stream_info info;
	struct tsh_time_text time;
	struct tsh_line_columns columns;
	const struct tsh_rows *rows;	/* in place of the events' texts; or NULL */
	struct sink_column *row_columns;
	struct tsh_strbuf row;		/* its cells before they are aligned */
	bool titles_done;
	bool header_done;
	bool keeps_nothing;		/* see tsh_sink_keep_nothing */
	char flags[TSH_FLAGS_ROOM];			/* of the event that is printed */
	struct sink_context *contexts;	/* beginnings of lines, ready to be copied */
	struct repeats *repeats;	/* texts that came before */
	const unsigned int *names_version;
	struct tsh_graph *graph;	/* function_graph's lines; NULL: ordinary ones */
	bool shows_error;		/* see tsh_sink_show_error */
	bool has_plain_times;		/* wall-clock times, and nothing behind them */
	uint64_t error_ns;		/* that error_text is of */
	struct tsh_strbuf error_text;	/* " +-180ns" */
	bool raw;			/* the kernel's bytes as they are */
	uint64_t refreshed;		/* when names were asked for anew, in the trace clock */
	struct tsh_strbuf scratch;	/* kernel text that is not sanitized yet */
	struct tsh_strbuf cell;		/* of a CSV row, before it is quoted */
};

void tsh_sink_init(struct tsh_sink *sink, struct tsh_out *out, struct tsh_decoder *decoder,
		   const struct tsh_clock *clock, const struct tsh_stream_info *info,
		   enum tsh_time_style style, bool ns);
void tsh_sink_release(struct tsh_sink *sink);
/*
 * From now on a wall-clock time in text is followed by the bound of its error, with what
 * the rounding to microseconds adds. JSON and CSV have error_ns, the kernel's format none.
 */
void tsh_sink_show_error(struct tsh_sink *sink);
/* From now on lines of text have these columns; what function_graph draws has its own. */
void tsh_sink_set_columns(struct tsh_sink *sink, const struct tsh_line_columns *columns);
/* Each event is a row of these from now on: of a table; in JSON they are its fields. Borrowed.
 * Before anything is printed. */
void tsh_sink_set_rows(struct tsh_sink *sink, const struct tsh_rows *rows);
/* From now on the output is stuck as soon as it does not take all: no event is printed that
 * would then wait. */
void tsh_sink_keep_nothing(struct tsh_sink *sink);
/* The style of the times from now on, in text; with a since, as that of the first line. */
void tsh_sink_set_time(struct tsh_sink *sink, enum tsh_time_style style);
/* The header line or {"type":"start"}, once; whatever is printed first calls it. */
void tsh_sink_start(struct tsh_sink *sink);
/* One event. `late`: it comes after a younger one was printed. */
void tsh_sink_event(struct tsh_sink *sink, const struct tsh_record *rec, bool late);
/* "# cpu 1: 21005 events lost", at the place where they are missing. stamp is of the
 * next event of that CPU; count may be TSH_LOST_UNKNOWN. */
void tsh_sink_lost(struct tsh_sink *sink, int cpu, uint64_t count, uint64_t stamp);
/* "# 21,005 events skipped, the output is too slow": those up to stamp that were left out. */
void tsh_sink_skipped(struct tsh_sink *sink, uint64_t count, int cpu, uint64_t stamp);
/* A line of our own between events: "# ...", {"type":"note"}. Under CSV and kernel,
 * where only events may stand, it is a note of out. */
void tsh_sink_note(struct tsh_sink *sink, const char *text);
/* The last line of events in JSON, whoever prints them. */
void tsh_json_end_line(struct tsh_strbuf *out, const struct tsh_stream_summary *summary);
/* {"type":"end"}; in text nothing (the command's note says it). */
void tsh_sink_end(struct tsh_sink *sink, const struct tsh_stream_summary *summary);

#endif
