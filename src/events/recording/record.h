/* events/recording/record.h - recordings: raw pages, and the files that explain them, in a folder */
/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_EVENTS_RECORDING_RECORD_H
#define TRACESH_EVENTS_RECORDING_RECORD_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/wait.h"
#include "events/source/recorded.h"
#include "events/source/stream.h"
#include "kernel/tracefs/tracefs.h"

/*
 * Makes a recorded tree: a folder laid out like the tracing directory, with per_cpu/cpuN/trace_pipe_raw (the pages as
 * the kernel gave them), the format files of its events, the settings, and the names for numbers in the records
 * (saved_cmdlines, kallsyms, memory, variables, btf), so that it reads the same on any machine. tracesh/info ("KEY
 * VALUE" lines) and tracesh/clock hold what tracefs has no file for.
 */

struct tsh_record_options {
	const struct tsh_waiter *waiter;
	const struct tsh_instance *in;	/* borrowed; events are removed from its buffer */
	const char *path;		/* path of the folder, which must be missing or empty */
	uint64_t max_bytes;		/* limit of the pages; the newest are kept; 0: none */
	uint64_t max_ns;		/* 0: no limit */
	/* Names events of the system task that were added for names, and that the user did not ask for; NULL: none. */
	const struct tsh_strlist *hidden;
	/*
	 * The filter that the user gave for an own instance, without our additions to leave ourselves out; "": none.
	 * NULL: that of the events.
	 */
	const char *filter;
	bool tells_names;		/* all changes of names are among the events */
	bool whole;			/* takes nothing when there is no room for everything that is unread */
	/* Is asked at every tick; true ends the recording. May be NULL. */
	bool (*done)(void *ctx);
	void *done_ctx;
};

struct tsh_record_summary {
	bool lost_clock;	/* somebody changed the clock meanwhile: there are no wall times */
	uint64_t events;		/* events in the tree */
	uint64_t bytes;			/* bytes of their pages */
	uint64_t lost;			/* events that were not read in time, or for which the folder was full */
	uint64_t overwritten;		/* events that were replaced by newer ones, see max_bytes */
	uint64_t gone;			/* events overwritten before the recording; TSH_LOST_UNKNOWN: some */
	uint64_t ns;
};

struct tsh_recorder;

/* Checks that `path` can become a tree: it is missing, or an empty folder. Returns 0, or -1 with err. */
int tsh_record_check(const char *path, struct tsh_err *err);
/*
 * Makes the folder, and writes the files that explain the pages: from then on it can be read, whatever happens to us.
 * Borrows opt. Returns 0, or -1 with err.
 */
int tsh_recorder_open(const struct tsh_record_options *opt, struct tsh_recorder **ret,
		      struct tsh_err *err);
/*
 * Moves pages from the buffers into the folder until something ends it: STOP, ABORT, TIME or DONE. Returns 0; -1 with
 * err when the folder is full, or the buffers are gone. What was written stays; call tsh_recorder_finish in any case.
 */
int tsh_recorder_run(struct tsh_recorder *r, enum tsh_stream_end *ret_end, struct tsh_err *err);
/*
 * Takes what the buffers hold at this moment (tracing may go on), puts the pages in order, and writes the names that
 * they need. With `hurry`, ignores signals. Returns 0, or -1 with err.
 */
int tsh_recorder_finish(struct tsh_recorder *r, bool hurry, struct tsh_record_summary *ret,
			struct tsh_err *err);
/* Returns how many bytes of pages were written so far. */
uint64_t tsh_recorder_bytes(const struct tsh_recorder *r);
/* Returns the absolute path of the folder. */
const char *tsh_recorder_path(const struct tsh_recorder *r);
void tsh_recorder_free(struct tsh_recorder *r);

/* ---- reading ---- */

/* Are keys of tracesh/info: events that the user did not ask for; and whether they are all changes of names ("all",
 * or "some"). Names from before the first change are in tracesh/comms. */
#define TSH_RECORD_HIDDEN "hidden"
#define TSH_RECORD_TOLD "names"

#endif
