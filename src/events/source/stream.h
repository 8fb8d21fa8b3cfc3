/* events/source/stream.h - reads the events of all CPUs in the order of time */
/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_EVENTS_SOURCE_STREAM_H
#define TRACESH_EVENTS_SOURCE_STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/number.h"
#include "base/wait.h"
#include "events/clock/clock.h"
#include "events/decode/consumer.h"
#include "events/decode/decode.h"
#include "kernel/tracefs/tracefs.h"

/*
 * Reads the raw pages of every CPU of an instance or a recording, and passes the events on in the
 * order of time. A recording is a folder that has files as in tracefs; the code calls it a tree.
 * Pages that were read stay in the source until their events are passed on: a caller that stops
 * early can keep the source and go on later.
 */
struct tsh_source;

/* Opens a source; cpus NULL: all. Opens the raw files of a live instance non-blocking. Borrows the
 * instance. */
int tsh_source_open(const struct tsh_instance *in, const struct tsh_cpuset *cpus,
		    struct tsh_source **ret, struct tsh_err *err);
void tsh_source_close(struct tsh_source *src);
/* Limits the memory of waiting pages to `bytes`, but at least two pages for each CPU. Without a
 * call the limit is 8 MB, or 512 KB for a recording. */
void tsh_source_bound(struct tsh_source *src, size_t bytes);
/* Lets more pages of a recording wait, up to 8 MB, so that there is work for several threads. */
void tsh_source_share(struct tsh_source *src);
/* Closes the raw files of a live instance between two streams, because nobody can change the tracer
 * while one is open. What was read stays; the next fill opens the files again. */
void tsh_source_close_files(struct tsh_source *src);
/*
 * Moves the waiting pages and events of `from`, another source of the same live instance, into
 * `to`, for the CPUs on which `to` has none waiting. The kernel returns each page to one reader
 * only, so `to` could not read them.
 */
void tsh_source_adopt(struct tsh_source *to, struct tsh_source *from);
const struct tsh_page_layout *tsh_source_layout(const struct tsh_source *src);
/* Says whether the source is a live instance, not a recording. */
bool tsh_source_is_live(const struct tsh_source *src);
/* Returns a sentence about pages that were bad since the last call ("cpu 1: ..."), once for each
 * CPU and fault; false: there is none. */
bool tsh_source_complaint(struct tsh_source *src, struct tsh_strbuf *out);
/* Sets whether stamps are made as the kernel's own text has them. Those are wrong behind discarded
 * events; see struct tsh_page_walk. */
void tsh_source_use_kernel_stamps(struct tsh_source *src, bool use);
/* Lets stamps begin anew, because the clock was set back (tai), or the instance has
 * another clock. */
void tsh_source_restart_order(struct tsh_source *src);
/* Returns how many events were read and not passed on yet. */
uint64_t tsh_source_pending(const struct tsh_source *src);
/* Returns the losses since boot that no page shows, of all CPUs: commit overrun + dropped. Pages
 * only show overrun. Returns 0 for a recording. */
uint64_t tsh_source_kernel_losses(const struct tsh_source *src);

/* Reads up to `budget` pages of each CPU. Returns how many were read; -errno when the buffers are
 * gone. *ret_drained: every CPU was read to its end. */
int tsh_source_fill(struct tsh_source *src, unsigned int budget, bool *ret_drained);

/* Calls `preview` for every page with waiting events, and for every page that a fill reads from now
 * on, CPU by CPU, before the consumer gets its events: these are `first`, unless it is NULL, and
 * those of the walk. NULL: ends that. */
typedef void tsh_source_preview(void *ctx, int cpu, const struct tsh_page_event *first,
				const struct tsh_page_walk *walk);
void tsh_source_set_preview(struct tsh_source *src, tsh_source_preview *preview, void *ctx);
/* Drops all waiting pages, uncounted: for a source that is read only to show its events. */
void tsh_source_drop_waiting(struct tsh_source *src);

/* Names the kinds of items that a stream has. */
enum tsh_source_item { TSH_ITEM_NONE, TSH_ITEM_EVENT, TSH_ITEM_LOST };
/*
 * Returns the oldest item that is not later than `watermark`. For LOST: *ret_lost events (or
 * TSH_LOST_UNKNOWN) of rec->cpu are missing before rec->stamp. *ret_late: the event is older than
 * one that was returned before. rec is valid until the next fill.
 */
enum tsh_source_item tsh_source_next(struct tsh_source *src, uint64_t watermark,
				     struct tsh_record *ret_rec, uint64_t *ret_lost,
				     bool *ret_late);
typedef void tsh_source_event_fn(void *ctx, const struct tsh_record *rec, bool late);
/* Passes up to `max` events to `handle`. Returns EVENT when `max` events were passed and there are
 * more; LOST at a gap. */
enum tsh_source_item tsh_source_read_many(struct tsh_source *src, uint64_t watermark, uint64_t max,
					  tsh_source_event_fn *handle, void *ctx,
					  struct tsh_record *ret_rec, uint64_t *ret_lost);

/* ---- the clock of a source ---- */

/*
 * Takes `rounds` samples for `clock`: of REALTIME with the trace clock's base, and, for a clock
 * that clock_gettime(2) cannot read, of `now ts` in per_cpu/cpuN/stats. The latter are taken on CPU
 * N when CPUs may differ, and the first time twice, 10 ms apart, for the clock's rate. For a
 * recording, loads its calibration. A recording without one, and a clock without time, get no wall
 * time. Writes and clears nothing in tracefs. Returns what has happened to the clocks since the
 * last sample, TSH_CLOCK_*, or -1 with err.
 */
int tsh_clock_sample_instance(struct tsh_clock *clock, const struct tsh_instance *in,
			      unsigned int rounds, struct tsh_err *err);
/* Sets the number of samples for a first calibration. */
#define TSH_CLOCK_ROUNDS 32
/* Takes a sample of REALTIME only, which takes some hundred ns. Returns TSH_CLOCK_*. */
int tsh_clock_sample_wall(struct tsh_clock *clock, const struct tsh_instance *in);
/* Returns the number of our thread that takes samples on CPUs, so that a tracing filter can exclude
 * it. Starts the thread if necessary. Returns 0 when there cannot be one. */
int tsh_clock_sample_tid(void);
/* Reads the machine's clocksource ("tsc"); "" when it cannot be read. */
void tsh_clocksource(char *buf, size_t size);
/* Returns the name of the instance's clock ("boot"), which the caller frees; NULL on failure. */
char *tsh_clock_name(const struct tsh_instance *in);

/* Returns the present time of a trace clock that clock_gettime(2) can read (boot, mono, mono_raw,
 * tai), without the offset of a time namespace. Returns false for others. */
bool tsh_clock_now(const struct tsh_clock_kind *kind, uint64_t *ret_stamp);

/* ---- the provider of a live instance or a recording, for the decoder ---- */
/*
 * Provides formats, names and symbols for a decoder. A recording describes its kernel by files in
 * its top folder, which may all be missing: `kallsyms`, `btf` and `btf-modules/NAME` as the kernel
 * has them; `memory`, lines "ADDRESS HEXBYTES"; `variables`, lines "NAME 0xVALUE" ("HZ",
 * "vmemmap_base", "LINUX_VERSION_CODE"). For a live instance, asking for vmemmap_base may make
 * another instance for a moment.
 */
struct tsh_live_provider;
/* Makes a provider; borrows `in`. NULL: there is no tracefs; then the provider only has symbols,
 * BTF and memory, and cannot be used for a decoder. */
struct tsh_live_provider *tsh_live_provider_new(const struct tsh_instance *in);
const struct tsh_provider *tsh_live_provider(const struct tsh_live_provider *p);
void tsh_live_provider_free(struct tsh_live_provider *p);
/* Sets the id of an event, so that the provider need not search for it. */
void tsh_live_provider_add_event(struct tsh_live_provider *p, const char *system, const char *name, unsigned int id);
/* Says whether the format of an id was searched for in a recording and not found. */
bool tsh_live_provider_lacks(const struct tsh_live_provider *p, unsigned int id);

/*
 * Lets decoders of several threads use one provider, which is borrowed: they wait for each other.
 * Formats and other texts of a recording are read once. Its owner calls the provider itself only
 * while it holds the lock, or while no other thread is at work.
 */
struct tsh_shared_provider;
struct tsh_shared_provider *tsh_shared_provider_new(const struct tsh_provider *of);
const struct tsh_provider *tsh_shared_provider(const struct tsh_shared_provider *p);
void tsh_shared_provider_lock(struct tsh_shared_provider *p);
void tsh_shared_provider_unlock(struct tsh_shared_provider *p);
/* Frees it when no decoder uses it any more; may be NULL. */
void tsh_shared_provider_free(struct tsh_shared_provider *p);

/* ---- the pipeline: reads, merges, passes on, until something ends it ---- */

enum tsh_stream_end {
	TSH_STREAM_LIMIT,	/* max_events were passed on */
	TSH_STREAM_TIME,	/* max_ns have passed */
	TSH_STREAM_STOP,	/* Ctrl-C */
	TSH_STREAM_ABORT,	/* SIGTERM, second Ctrl-C */
	TSH_STREAM_EMPTY,	/* drain: all events that were there were passed on */
	TSH_STREAM_CLOSED,	/* the reader of our output has gone away */
	TSH_STREAM_DONE,	/* .done returned true (the program of `run` has ended) */
};

/* Says what the user at the terminal wants. */
enum tsh_stream_request {
	TSH_REQUEST_NONE,
	TSH_REQUEST_STOP,	/* as by Ctrl-C */
	/* print nothing; new events wait, and when there are too many, the oldest are dropped and
	 * counted */
	TSH_REQUEST_PAUSE,
	TSH_REQUEST_CONTINUE,
};

/* Is the caller's side of a crew, while it passes on events. */
struct tsh_crew_caller {
	/* Says whether to begin no more events: the output is blocked, or a signal has come. */
	bool (*halts)(void *ctx);
	/* Waits until a blocked output takes more. Returns false when a signal has come. */
	bool (*wait)(void *ctx, int fd);
	void *ctx;
};

/* Reads and passes on events by several threads. */
struct tsh_crew {
	/* Fills the source, as tsh_source_fill does. */
	int (*fill)(void *ctx, unsigned int budget, bool *ret_drained);
	/*
	 * Passes on events up to a stamp of at most `watermark`, and counts them in the summary.
	 * Ends early when caller->halts says so. Returns the stamp up to which the caller must pass on
	 * the events that follow, before it calls `pass` again.
	 */
	uint64_t (*pass)(void *ctx, uint64_t watermark, const struct tsh_crew_caller *caller);
	void *ctx;
};

struct tsh_stream_options {
	const struct tsh_waiter *waiter;
	const struct tsh_instance *in;	/* for new samples of the clock */
	struct tsh_clock *clock;
	bool drain;			/* stop at what was there at the start */
	uint64_t max_events;		/* 0: no limit */
	/* Leaves events beyond max_events in the kernel, except for one or two of each CPU. Must be
	 * false for a consumer that peeks at later events. */
	bool leaves_rest;
	uint64_t max_ns;		/* 0: no limit */
	/* Limits how long an event of a live instance waits for a slow output; then it is left out
	 * and counted. 0: all events are printed, and those for which there is no room are lost. */
	uint64_t lag_ns;
	bool has_before;		/* events up to before_stamp are older than the command */
	uint64_t before_stamp;
	/* Ends the stream when it returns true: all events written by then are still passed on. Is
	 * called at every tick. May be NULL. */
	bool (*done)(void *ctx);
	void *done_ctx;
	/* Is called between ticks, which then follow directly, until it returns 0 (1: there is more
	 * to do; -1 ends the stream with err). max_ns counts from then on. May be NULL. */
	int (*work)(void *ctx, struct tsh_err *err);
	void *work_ctx;
	const struct tsh_crew *crew;	/* NULL: the calling thread passes on all events */
	/* Returns what the user wants. Is called at every tick, and when request_fd (-1: none) is
	 * readable. May be NULL. */
	enum tsh_stream_request (*request)(void *ctx);
	void *request_ctx;
	int request_fd;
};

/*
 * Runs a stream. Events that the consumer does not get stay in the source. The time limit, done,
 * drain and Ctrl-C end the stream after the events that had been written by that moment. A second
 * Ctrl-C, or one for a recording, ends it at once. Pass &sink->consumer for a sink. Returns 0, or
 * -1 with err.
 */
int tsh_stream_run(struct tsh_source *src, struct tsh_consumer *to,
		   const struct tsh_stream_options *opt, struct tsh_stream_summary *ret_summary,
		   enum tsh_stream_end *ret_end, struct tsh_err *err);

#endif
