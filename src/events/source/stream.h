/* events/source/stream.h - events of all CPUs in the order of time */
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
 * A source reads the raw pages of every CPU of an instance, or of a recorded tree,
 * and gives the events out in the order of time. Pages that were read and not
 * given out stay in it: whoever stops early keeps the source and goes on later.
 */
struct tsh_source;

/* cpus NULL: all. For a live instance the raw files are opened non-blocking. The
 * instance is borrowed. */
int tsh_source_open(const struct tsh_instance *in, const struct tsh_cpuset *cpus,
		    struct tsh_source **ret, struct tsh_err *err);
void tsh_source_close(struct tsh_source *src);
/* The memory for pages that were read and not given out: so many bytes instead of 8 MB (of a
 * tree 1), but two pages of each CPU at least. */
void tsh_source_bound(struct tsh_source *src, size_t bytes);
/*
 * Between two streams: closes the raw files of a live instance, since an open one
 * keeps others (and us) from changing the tracer. What was read stays; the next
 * fill opens them again.
 */
void tsh_source_rest(struct tsh_source *src);
/*
 * What `from`, another source of the same live instance, has read ahead of the CPUs of `to`
 * goes over to it: the kernel gives a page once.
 */
void tsh_source_adopt(struct tsh_source *to, struct tsh_source *from);
const struct tsh_page_layout *tsh_source_layout(const struct tsh_source *src);
bool tsh_source_is_live(const struct tsh_source *src);
/* What was wrong with the pages since the last call, a sentence ("cpu 1: ..."), or
 * false. Once per CPU and fault. */
bool tsh_source_complaint(struct tsh_source *src, struct tsh_strbuf *out);
/*
 * From here on: stamps as the kernel's own text has them, which differ from the
 * true ones where an event was discarded; see struct tsh_page_walk.
 */
void tsh_source_use_kernel_stamps(struct tsh_source *src, bool use);
/* The clock was set back (tai), or is another one: order starts anew. */
void tsh_source_restart_order(struct tsh_source *src);
/* Events that were read and not given out yet. */
uint64_t tsh_source_pending(const struct tsh_source *src);
/* Losses that no page shows, of all CPUs since boot: commit overrun + dropped. What
 * the pages show is overrun alone. 0 for a tree. */
uint64_t tsh_source_kernel_losses(const struct tsh_source *src);

/*
 * Reads up to `budget` pages of each CPU. Returns how many were read, -errno when
 * the buffers are gone. *ret_drained: every CPU was read to its end.
 */
int tsh_source_fill(struct tsh_source *src, unsigned int budget, bool *ret_drained);

/*
 * Everything that waits, and all that is read from now on, is shown before it is given out:
 * each CPU's in its order. NULL: no more.
 */
typedef void tsh_source_see(void *ctx, const struct tsh_record *rec);
void tsh_source_show(struct tsh_source *src, tsh_source_see *see, void *ctx);

/* What comes next out of the merge. */
enum tsh_source_item { TSH_ITEM_NONE, TSH_ITEM_EVENT, TSH_ITEM_LOST };
/*
 * The oldest item that is not younger than `watermark`. For LOST: *ret_lost events
 * (or TSH_LOST_UNKNOWN) of rec->cpu are missing before rec->stamp. *ret_late: an
 * event older than one that was given out before. rec is valid until the next fill.
 */
enum tsh_source_item tsh_source_next(struct tsh_source *src, uint64_t watermark,
				     struct tsh_record *ret_rec, uint64_t *ret_lost,
				     bool *ret_late);
typedef void tsh_source_take(void *ctx, const struct tsh_record *rec, bool late);
/*
 * The same for many: gives `max` events at most. EVENT: so many were given, and more are
 * there; LOST: it came to a gap.
 */
enum tsh_source_item tsh_source_give(struct tsh_source *src, uint64_t watermark, uint64_t max,
				     tsh_source_take *take, void *ctx,
				     struct tsh_record *ret_rec, uint64_t *ret_lost);

/* ---- the clock of a source ---- */

/*
 * Feeds `clock` with `rounds` looks: at REALTIME and the trace clock's base, and, of a clock
 * that clock_gettime does not know, at `now ts` of per_cpu/cpuN/stats, pinned to N where
 * CPUs may differ (the first time twice, 10 ms apart, for its rate). For a recorded tree the
 * calibration that it carries; a tree without one, and a clock that has no time, stay
 * without wall time. Writes nothing, clears nothing. Returns what happened to the clocks
 * since the look before, TSH_CLOCK_*, or -1.
 */
int tsh_clock_sample_instance(struct tsh_clock *clock, const struct tsh_instance *in,
			      unsigned int rounds, struct tsh_err *err);
/* Enough of them to begin with. */
#define TSH_CLOCK_ROUNDS 32
/* A look at REALTIME alone, some hundred ns. Returns TSH_CLOCK_*. */
int tsh_clock_sample_wall(struct tsh_clock *clock, const struct tsh_instance *in);
/* The thread of ours that looks at clocks which may differ by CPU, begun if it is not there: for
 * who leaves us out of a trace. 0: there cannot be one. */
int tsh_clock_sample_tid(void);
/* The machine's clocksource ("tsc"); "" when it cannot be read. */
void tsh_clocksource(char *buf, size_t size);
/* The name of the instance's clock ("boot"); the caller frees it, NULL on failure. */
char *tsh_clock_name(const struct tsh_instance *in);

/*
 * The present time of the trace clock, for clocks that clock_gettime reads (boot,
 * mono, mono_raw, tai), time namespaces taken into account. False for the others.
 */
bool tsh_clock_now(const struct tsh_clock_kind *kind, uint64_t *ret_stamp);

/* ---- the provider of a live instance or a tree, for the decoder ---- */
/*
 * What a tree knows of its kernel stands in files of its top folder, all of them optional:
 * `kallsyms`, `btf` and `btf-modules/NAME` as the kernel has them; `memory`, lines "ADDRESS
 * HEXBYTES"; `variables`, lines "NAME 0xVALUE" ("HZ", "vmemmap_base", "LINUX_VERSION_CODE").
 * A live one may make an instance for a moment when it is asked for vmemmap_base.
 */
struct tsh_live_provider;
/* in is borrowed. NULL: there is no tracefs; the provider gives symbols, BTF and memory alone,
 * and is for no decoder. */
struct tsh_live_provider *tsh_live_provider_new(const struct tsh_instance *in);
const struct tsh_provider *tsh_live_provider(const struct tsh_live_provider *p);
void tsh_live_provider_free(struct tsh_live_provider *p);
/* Tells which event has an id, so that it need not be searched for among all. */
void tsh_live_provider_tell(struct tsh_live_provider *p, const char *system, const char *name, unsigned int id);
/* Says whether a recorded tree was asked for the format of that id, and has none. */
bool tsh_live_provider_lacks(const struct tsh_live_provider *p, unsigned int id);

/* ---- the pipeline: read, merge, print, until something ends it ---- */

enum tsh_stream_end {
	TSH_STREAM_LIMIT,	/* max_events printed */
	TSH_STREAM_TIME,	/* max_ns passed */
	TSH_STREAM_STOP,	/* Ctrl-C */
	TSH_STREAM_ABORT,	/* SIGTERM, second Ctrl-C */
	TSH_STREAM_EMPTY,	/* drain: everything that was there is printed */
	TSH_STREAM_CLOSED,	/* the reader of our output went away */
	TSH_STREAM_DONE,	/* .done said so (the program of `run` has ended) */
};

/* What somebody who sits there wants. */
enum tsh_stream_wish {
	TSH_WISH_NONE,
	TSH_WISH_STOP,		/* as Ctrl-C */
	TSH_WISH_PAUSE,		/* print nothing; what comes is kept, and the oldest of too much
				 * is dropped and counted where it is missing */
	TSH_WISH_GO_ON,
};

struct tsh_stream_options {
	const struct tsh_waiter *waiter;
	const struct tsh_instance *in;	/* to calibrate anew */
	struct tsh_clock *clock;
	bool drain;			/* stop at what was there when it started */
	uint64_t max_events;		/* 0: no limit */
	/* What comes after max_events stays in the kernel, but for an event or two of each
	 * CPU. Not for a consumer that looks ahead. */
	bool leaves_rest;
	uint64_t max_ns;		/* 0: no limit */
	/* What waits longer than that for a slow output is left out and counted, of a live
	 * instance. 0: all is printed, and what there is no room for is lost. */
	uint64_t lag_ns;
	bool has_before;		/* events up to before_stamp were there already */
	uint64_t before_stamp;
	/* Asked at every tick; true ends the stream after all that was written by then
	 * is printed. May be NULL. */
	bool (*done)(void *ctx);
	void *done_ctx;
	/*
	 * Called between the ticks, which follow each other at once then, until it returns 0
	 * (1: there is more to do; -1 ends the stream with err). max_ns counts from there.
	 * May be NULL.
	 */
	int (*work)(void *ctx, struct tsh_err *err);
	void *work_ctx;
	/* Asked at every tick, and when wish_fd (-1: none) is readable. May be NULL. */
	enum tsh_stream_wish (*wish)(void *ctx);
	void *wish_ctx;
	int wish_fd;
};

/*
 * What was read and not given to the consumer stays in the source. Time limit, done,
 * drain and Ctrl-C end after what was written until that moment; another Ctrl-C, or one on
 * a tree, at once.
 * For a sink: &sink->consumer.
 */
int tsh_stream_run(struct tsh_source *src, struct tsh_consumer *to,
		   const struct tsh_stream_options *opt, struct tsh_stream_summary *ret_summary,
		   enum tsh_stream_end *ret_end, struct tsh_err *err);

#endif
