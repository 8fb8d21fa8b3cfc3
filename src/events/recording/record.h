/* events/recording/record.h - recordings: raw pages, and what explains them, in a folder */
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
 * A recorded tree is a folder laid out like the tracing directory: per_cpu/cpuN/
 * trace_pipe_raw with the pages as the kernel gave them, the format files of its events,
 * the settings, and the names that the records hold only as numbers (saved_cmdlines,
 * kallsyms, memory, variables, btf), so that it is read the same on any machine. What
 * tracefs has no file for is in tracesh/info ("KEY VALUE" lines) and tracesh/clock.
 */

struct tsh_record_options {
	const struct tsh_waiter *waiter;
	const struct tsh_instance *in;	/* borrowed; events are taken out of its buffer */
	const char *path;		/* of the folder: not there yet, or empty */
	uint64_t max_bytes;		/* of pages, the newest are kept; 0: no bound */
	uint64_t max_ns;		/* 0: no limit */
	/* Events of the system task that tell names, and that nobody has asked for; NULL: none. */
	const struct tsh_strlist *hidden;
	/*
	 * Says what was asked of an instance of our own, without what keeps ourselves out; "": nothing.
	 * NULL: as the events have it.
	 */
	const char *filter;
	bool tells_names;		/* each change of a name is among the events */
	bool whole;			/* where there is no room for all that is unread, nothing is taken */
	/* Asked at every tick; true ends the recording. May be NULL. */
	bool (*done)(void *ctx);
	void *done_ctx;
};

struct tsh_record_summary {
	bool lost_clock;	/* somebody changed it meanwhile: there are no wall times */
	uint64_t events;		/* that the tree holds */
	uint64_t bytes;			/* of their pages */
	uint64_t lost;			/* nobody read them in time; or the folder was full */
	uint64_t overwritten;		/* events given up for newer ones, see max_bytes */
	uint64_t gone;			/* overwritten before it began; TSH_LOST_UNKNOWN: some */
	uint64_t ns;
};

struct tsh_recorder;

/* 0 when `path` can become a tree: not there, or an empty folder; else -1 with err. */
int tsh_record_check(const char *path, struct tsh_err *err);
/*
 * Makes the folder and writes into it what explains the pages: from here on it can be
 * read, whatever happens to us. opt is borrowed.
 */
int tsh_recorder_open(const struct tsh_record_options *opt, struct tsh_recorder **ret,
		      struct tsh_err *err);
/*
 * Moves pages from the buffers into the folder until something ends it: STOP, ABORT,
 * TIME, DONE. -1: the folder is full or the buffers are gone; what was written stays, and
 * finish is still to be called.
 */
int tsh_recorder_run(struct tsh_recorder *r, enum tsh_stream_end *ret_end, struct tsh_err *err);
/*
 * Takes what is in the buffers at this moment (tracing may go on), puts the pages into
 * order and writes down the names that they need. With `hurry` signals are not heeded.
 */
int tsh_recorder_finish(struct tsh_recorder *r, bool hurry, struct tsh_record_summary *ret,
			struct tsh_err *err);
/* Bytes of pages that were written so far. */
uint64_t tsh_recorder_bytes(const struct tsh_recorder *r);
/* The folder's path from the root on. */
const char *tsh_recorder_path(const struct tsh_recorder *r);
void tsh_recorder_free(struct tsh_recorder *r);

/* ---- reading ---- */

/* Keys of tracesh/info: events of the system task that nobody has asked for; and whether they are
 * all changes of names ("all", or "some"): names that were not changed before are in tracesh/comms. */
#define TSH_RECORD_HIDDEN "hidden"
#define TSH_RECORD_TOLD "names"

#endif
