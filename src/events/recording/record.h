/* events/recording/record.h - records raw pages, and files that explain them, into a folder */
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
 * Makes a recording: a folder laid out like the tracing directory, with per_cpu/cpuN/trace_pipe_raw
 * (the pages as the kernel returned them), the format files of its events, the settings, and the
 * names for numbers in the records (saved_cmdlines, kallsyms, memory, variables, btf). So it reads
 * alike on any machine. tracesh/info ("KEY VALUE" lines) and tracesh/clock hold what tracefs has no
 * file for. The code calls such a folder a tree.
 */

struct tsh_record_options {
	const struct tsh_waiter *waiter;
	const struct tsh_instance *in;	/* borrowed; events are removed from its buffer */
	const char *path;		/* path of the folder, which must be missing or empty */
	/* limit of the pages, in bytes; newer pages replace older ones; 0: none */
	uint64_t max_bytes;
	uint64_t max_ns;		/* 0: no limit */
	/* Lists the events that the caller has enabled for names of tasks only, and that the user
	 * did not ask for ("task:task_rename"); NULL: none. */
	const struct tsh_strlist *hidden;
	/* Is the filter that the user gave for an own instance, without the part that excludes
	 * tracesh itself; "": none. NULL: each event's own filter is recorded. */
	const char *filter;
	bool records_names;		/* events record all changes of task names */
	/* all or nothing: needs room for everything that is unread */
	bool whole;
	/* Returns true to end the recording. Is called at every tick. May be NULL. */
	bool (*done)(void *ctx);
	void *done_ctx;
	struct tsh_record_threads *threads;	/* borrowed; NULL: the caller's thread moves all pages */
};

struct tsh_record_summary {
	bool lost_clock;	/* the trace clock was changed meanwhile: there are no wall times */
	uint64_t events;		/* events in the recording */
	uint64_t bytes;			/* bytes of their pages */
	/* events that were not read in time, or for which the folder was full */
	uint64_t lost;
	uint64_t overwritten;		/* events that were replaced by newer ones, see max_bytes */
	/* events overwritten before the recording; or TSH_LOST_UNKNOWN */
	uint64_t gone;
	uint64_t ns;
};

struct tsh_recorder;

/*
 * Starts threads that move pages besides the caller's; they sleep until tsh_recorder_run needs them.
 * Is called before the instance is made that leaves the tasks of tracesh out of its events: it knows
 * those that run by then. `threads`: how many threads move pages at most, the caller's among them,
 * and no more than TSH_RECORD_THREADS_MAX. Returns NULL when there is nothing to start, or when no thread can be started.
 */
struct tsh_record_threads *tsh_record_threads_start(unsigned int threads);
/* Ends the threads, and frees. NULL will do. */
void tsh_record_threads_end(struct tsh_record_threads *threads);
#define TSH_RECORD_THREADS_MAX 8

/* Checks that `path` can become a recording: it is missing, or an empty folder. Returns 0, or -1
 * with err. */
int tsh_record_check(const char *path, struct tsh_err *err);
/* Makes the folder, and writes the files that explain the pages. From then on the recording can be
 * read, even if tracesh is killed. Borrows opt. Returns 0, or -1 with err. */
int tsh_recorder_open(const struct tsh_record_options *opt, struct tsh_recorder **ret,
		      struct tsh_err *err);
/*
 * Moves pages from the buffers into the folder until something ends it: STOP, ABORT, TIME or DONE.
 * Returns 0; -1 with err when the folder is full, or the buffers are gone. What was written stays;
 * call tsh_recorder_finish in any case.
 */
int tsh_recorder_run(struct tsh_recorder *r, enum tsh_stream_end *ret_end, struct tsh_err *err);
/* Moves the rest of the buffers' present contents (tracing may go on), puts the pages in order, and
 * writes the names that they need. `hurry`: signals are ignored. Returns 0, or -1 with err. */
int tsh_recorder_finish(struct tsh_recorder *r, bool hurry, struct tsh_record_summary *ret,
			struct tsh_err *err);
/* Returns how many bytes of pages were written so far. */
uint64_t tsh_recorder_bytes(const struct tsh_recorder *r);
/* Returns the absolute path of the folder. */
const char *tsh_recorder_path(const struct tsh_recorder *r);
void tsh_recorder_free(struct tsh_recorder *r);

/* ---- reading ---- */

/*
 * Name two keys of tracesh/info. "hidden" lists the events that the user did not ask for. "names"
 * says whether the events record all changes of task names ("all", or "some"); tracesh/comms has
 * the names from before the first change.
 */
#define TSH_RECORD_HIDDEN "hidden"
#define TSH_RECORD_NAMES "names"

#endif
