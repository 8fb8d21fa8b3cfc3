/* tracesh/sink.h - events into lines: text, JSON, CSV, the kernel's own (src/output) */
/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_SINK_H
#define TRACESH_SINK_H

#include <stdbool.h>
#include <stdint.h>

#include "tracesh/clock.h"
#include "tracesh/consumer.h"
#include "tracesh/decode.h"
#include "tracesh/output.h"

/* What the header of a stream says. Strings are borrowed. */
struct tsh_stream_info {
	const char *instance;		/* "top" or a name */
	const char *host;
	const char *boot_id;
	const char *kernel;
	bool with_migrate;		/* five flag letters, see tsh_common_flags */
	bool with_tgid;			/* the instance's record-tgid option */
	bool live;			/* false: a recorded tree */
};

/*
 * A sink owns no record: each call is printed into out at once. Everything that
 * the kernel sent is sanitized; clock and decoder are borrowed.
 */
struct tsh_sink {
	struct tsh_consumer consumer;	/* for tsh_stream_run; the first member */
	struct tsh_out *out;
	struct tsh_decoder *decoder;
	const struct tsh_clock *clock;
	struct tsh_stream_info info;
	struct tsh_time_text time;
	bool header_done;
	struct tsh_strbuf scratch;	/* kernel text that is not sanitized yet */
	struct tsh_strbuf cell;		/* of a CSV row, before it is quoted */
};

void tsh_sink_init(struct tsh_sink *sink, struct tsh_out *out, struct tsh_decoder *decoder,
		   const struct tsh_clock *clock, const struct tsh_stream_info *info,
		   enum tsh_time_style style, bool ns);
void tsh_sink_release(struct tsh_sink *sink);
/* The header line or {"type":"start"}, once; whatever is printed first calls it. */
void tsh_sink_start(struct tsh_sink *sink);
/* One event. `late`: it comes after a younger one was printed. */
void tsh_sink_event(struct tsh_sink *sink, const struct tsh_record *rec, bool late);
/* "# cpu 1: 21005 events lost", at the place where they are missing. stamp is of the
 * next event of that CPU; count may be TSH_LOST_UNKNOWN. */
void tsh_sink_lost(struct tsh_sink *sink, int cpu, uint64_t count, uint64_t stamp);
/* A line of our own between events: "# ...", {"type":"note"}. Under CSV and kernel,
 * where only events may stand, it is a note of out. */
void tsh_sink_note(struct tsh_sink *sink, const char *text);
/* {"type":"end"}; in text nothing (the command's note says it). */
void tsh_sink_end(struct tsh_sink *sink, const struct tsh_stream_summary *summary);

#endif
