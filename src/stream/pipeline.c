/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "source.h"

/* Pages of one CPU in one go, so that a signal is heard in between. */
#define BUDGET 64
#define TICK_MIN_MS 2
#define TICK_MAX_MS 20
/*
 * An event has its time before it is committed, and what interrupts the writer
 * adds to that. Writers cannot be preempted meanwhile, so this is generous.
 */
#define SLOP_NS 2000000
/* However the clocks behave, what was read is printed after this. */
#define DELAY_NS 20000000
/* Clocks that clock_gettime does not know. */
#define RESAMPLE_NS UINT64_C(10000000000)

struct run {
	struct tsh_source *src;
	struct tsh_consumer *to;
	const struct tsh_stream_options *opt;
	struct tsh_stream_summary *sum;
	bool posix;			/* the trace clock can be read */
	uint64_t start;			/* CLOCK_MONOTONIC, like all that ends in _ns */
	uint64_t sampled_ns;
	int64_t offset;			/* of the wall clock, to tell by how much it was set */

	/* What round n had read may go out when round n + 1 has read all. */
	uint64_t round_ns;
	uint64_t round_newest;
	uint64_t allowed;

	bool ending;			/* only what was there at the mark is printed now */
	uint64_t mark;
	enum tsh_stream_end end;

	bool said_before;
	bool said_now;
	unsigned int tick_ms;
	bool was_ready;
	bool poll_lies;			/* poll(2) said ready and there was nothing */
	struct pollfd *fds;
	size_t nfds;
};

/* ---- the wall clock ---- */

static int64_t wall_minus(uint64_t stamp)
{
	struct timespec ts;

	clock_gettime(CLOCK_REALTIME, &ts);
	return (int64_t)ts.tv_sec * 1000000000 + ts.tv_nsec - (int64_t)stamp;
}

static void say_clock_set(struct run *run, bool has_step, int64_t step)
{
	struct tsh_strbuf text = TSH_STRBUF_INIT;

	tsh_strbuf_adds(&text, "the clock was set");
	if (has_step && step) {
		tsh_strbuf_adds(&text, step < 0 ? ": back by " : ": forward by ");
		tsh_format_ns(step < 0 ? 0 - (uint64_t)step : (uint64_t)step, &text);
	} else {
		tsh_strbuf_adds(&text, ": times above and below cannot be compared");
	}
	run->to->note(run->to, text.buf);
	tsh_strbuf_release(&text);
}

/* Looks at the clock again. 0, or -1. */
static int resample(struct run *run, uint64_t now_ns, uint64_t stamp, struct tsh_err *err)
{
	const struct tsh_stream_options *opt = run->opt;
	int64_t offset = 0;
	int r;

	if (!tsh_source_is_live(run->src) || !opt->clock || !opt->in)
		return 0;
	if (!run->posix && now_ns - run->sampled_ns < RESAMPLE_NS)
		return 0;
	run->sampled_ns = now_ns;
	r = tsh_clock_sample_instance(opt->clock, opt->in, run->posix ? 1 : 8, err);
	if (r < 0)
		return -1;
	if (run->posix)
		offset = wall_minus(stamp);
	if (r)
		say_clock_set(run, run->posix && run->offset, offset - run->offset);
	run->offset = offset;
	return r;
}

/* ---- giving events out ---- */

static void say_place(struct run *run, uint64_t stamp)
{
	if (!run->opt->has_before || run->said_now)
		return;
	if (stamp <= run->opt->before_stamp) {
		if (!run->said_before)
			run->to->note(run->to, "events from before this command:");
		run->said_before = true;
		return;
	}
	if (run->said_before)
		run->to->note(run->to, "events from now on:");
	run->said_now = true;
}

static void give_lost(struct run *run, const struct tsh_record *rec, uint64_t lost)
{
	if (lost == TSH_LOST_UNKNOWN)
		run->sum->lost_unknown = true;
	else
		run->sum->lost += lost;
	run->to->lost(run->to, rec->cpu, lost, rec->stamp);
}

/* True when the limit is reached: the next event stays where it is. */
static bool give(struct run *run, uint64_t watermark)
{
	struct tsh_record rec;
	uint64_t lost;
	bool late;

	for (;;) {
		if (run->opt->max_events && run->sum->events >= run->opt->max_events)
			return true;
		switch (tsh_source_next(run->src, watermark, &rec, &lost, &late)) {
		case TSH_ITEM_NONE:
			return false;
		case TSH_ITEM_LOST:
			give_lost(run, &rec, lost);
			break;
		case TSH_ITEM_EVENT:
			say_place(run, rec.stamp);
			run->to->event(run->to, &rec, late);
			run->sum->events++;
			run->sum->late += late;
			break;
		}
	}
}

static void give_complaints(struct run *run)
{
	struct tsh_strbuf text = TSH_STRBUF_INIT;

	while (tsh_source_complaint(run->src, &text)) {
		run->to->note(run->to, text.buf);
		tsh_strbuf_clear(&text);
	}
	tsh_strbuf_release(&text);
}

/* ---- how far it is safe to print ---- */

static uint64_t watermark(struct run *run, uint64_t now_ns, uint64_t before_pass)
{
	uint64_t mark, by_clock, by_round, all_read;

	/* Nothing older than this can come from a CPU that was read to its end. */
	mark = run->posix && before_pass > SLOP_NS ? before_pass - SLOP_NS : 0;
	by_clock = tsh_source_horizon(run->src, mark);
	if (!run->posix || now_ns - run->round_ns >= DELAY_NS) {
		run->allowed = run->round_newest;
		run->round_newest = tsh_source_newest(run->src);
		run->round_ns = now_ns;
	}
	/* But not beyond a CPU that has older events still to be read. */
	all_read = tsh_source_horizon(run->src, UINT64_MAX);
	by_round = run->allowed < all_read ? run->allowed : all_read;
	return by_clock > by_round ? by_clock : by_round;
}

/* From here on nothing new counts. */
static void begin_end(struct run *run, enum tsh_stream_end end)
{
	bool has_stamp = run->opt->clock && tsh_clock_now(run->opt->clock->kind, &run->mark);

	run->ending = true;
	run->end = end;
	if (!has_stamp)
		run->mark = UINT64_MAX;
	tsh_source_mark(run->src, has_stamp ? &run->mark : NULL);
}

static bool time_is_up(const struct run *run, uint64_t now_ns)
{
	return run->opt->max_ns && now_ns - run->start >= run->opt->max_ns;
}

static void look_for_end(struct run *run, uint64_t now_ns)
{
	if (run->ending || !tsh_source_is_live(run->src))
		return;
	if (run->opt->done && run->opt->done(run->opt->done_ctx))
		begin_end(run, TSH_STREAM_DONE);
	else if (time_is_up(run, now_ns))
		begin_end(run, TSH_STREAM_TIME);
}

/*
 * One tick: read, print what is old enough, flush. 1: the stream has ended, see
 * run->end; 0: go on; -1: err.
 */
static int pass(struct run *run, int *ret_read, struct tsh_err *err)
{
	bool live = tsh_source_is_live(run->src), drained, finished;
	uint64_t stamp = 0, level, now_ns = tsh_mono_ns();
	int r;

	look_for_end(run, now_ns);
	if (run->posix)
		tsh_clock_now(run->opt->clock->kind, &stamp);
	r = resample(run, now_ns, stamp, err);
	if (r < 0)
		return -1;
	if (r && run->opt->clock->kind->steps_with_realtime) {
		give(run, run->ending ? run->mark : UINT64_MAX);
		if (!tsh_source_pending(run->src))
			tsh_source_restart_order(run->src);
	}
	*ret_read = tsh_source_fill(run->src, BUDGET, &drained);
	if (*ret_read < 0)
		return tsh_err_errno(err, -*ret_read, "cannot read the buffers of instance '%s'",
				     run->opt->in ? tsh_instance_label(run->opt->in) : "top");
	give_complaints(run);
	level = live ? watermark(run, now_ns, stamp) :
		       tsh_source_horizon(run->src, drained ? UINT64_MAX : 0);
	finished = run->ending ? tsh_source_mark_reached(run->src) : !live && drained;
	if (finished)
		level = UINT64_MAX;
	if (run->ending && level > run->mark)
		level = run->mark;
	if (give(run, level)) {
		run->end = TSH_STREAM_LIMIT;
		finished = true;
	}
	r = run->to->flush(run->to, err);
	if (r > 0)
		run->end = TSH_STREAM_CLOSED;
	return r ? r : finished;
}

/* ---- waiting ---- */

/* How long to sleep now: the busier, the shorter. */
static int choose_wait(struct run *run, int pages, bool *ret_poll)
{
	uint64_t left, spent = tsh_mono_ns() - run->start;
	unsigned int ms;

	*ret_poll = false;
	if (!tsh_source_is_live(run->src) || tsh_source_behind(run->src) || run->ending)
		return 0;
	if (tsh_source_pending(run->src)) {
		run->tick_ms = TICK_MIN_MS;
	} else if (pages) {
		run->tick_ms = run->tick_ms / 2 < TICK_MIN_MS ? TICK_MIN_MS : run->tick_ms / 2;
	} else {
		run->tick_ms = run->tick_ms * 2 > TICK_MAX_MS ? TICK_MAX_MS : run->tick_ms * 2;
		*ret_poll = !run->poll_lies;
	}
	ms = run->tick_ms;
	if (run->opt->max_ns) {
		left = spent < run->opt->max_ns ? run->opt->max_ns - spent : 0;
		if (left / 1000000 < ms)
			ms = (unsigned int)((left + 999999) / 1000000);
	}
	return (int)ms;
}

/*
 * Waits for the next tick. Polling the buffers only makes the first event after a
 * silence come sooner: another instance's buffer_percent may keep poll silent,
 * and the option `block` makes it always ready.
 */
static enum tsh_wait_result wait_tick(struct run *run, int pages)
{
	enum tsh_wait_result result;
	bool poll_them;
	int ms;

	if (run->was_ready && !pages)
		run->poll_lies = true;
	ms = choose_wait(run, pages, &poll_them);
	if (!poll_them) {
		run->was_ready = false;
		return tsh_wait(run->opt->waiter, NULL, 0, ms);
	}
	if (!run->fds)
		run->nfds = tsh_source_pollfds(run->src, &run->fds);
	result = tsh_wait(run->opt->waiter, run->fds, (unsigned int)run->nfds, ms);
	run->was_ready = result == TSH_WAIT_READY;
	return result;
}

static int loop(struct run *run, struct tsh_err *err)
{
	enum tsh_wait_result result;
	int r, pages = 0;

	for (;;) {
		r = pass(run, &pages, err);
		if (r)
			return r < 0 ? -1 : 0;
		result = wait_tick(run, pages);
		if (result == TSH_WAIT_STOP || result == TSH_WAIT_ABORT) {
			run->end = result == TSH_WAIT_STOP ? TSH_STREAM_STOP : TSH_STREAM_ABORT;
			return 0;
		}
	}
}

/* Adds what the kernel lost and no page could show. */
static void add_kernel_losses(struct run *run, uint64_t losses, uint64_t overruns)
{
	uint64_t now = tsh_source_kernel_losses(run->src);

	/* A full page has no room for its count; the overruns are at least the sum. */
	if (run->sum->lost_unknown) {
		overruns = tsh_source_overruns(run->src) - overruns;
		if (overruns > run->sum->lost)
			run->sum->lost = overruns;
	}
	if (now > losses)
		run->sum->lost += now - losses;
}

int tsh_stream_run(struct tsh_source *src, struct tsh_consumer *to,
		   const struct tsh_stream_options *opt, struct tsh_stream_summary *ret_summary,
		   enum tsh_stream_end *ret_end, struct tsh_err *err)
{
	struct run run = {
		.src = src, .to = to, .opt = opt, .sum = ret_summary,
		.tick_ms = TICK_MIN_MS, .end = TSH_STREAM_EMPTY,
	};
	uint64_t losses, overruns, stamp;
	int r;

	memset(ret_summary, 0, sizeof(*ret_summary));
	run.start = run.round_ns = run.sampled_ns = tsh_mono_ns();
	run.posix = tsh_source_is_live(src) && opt->clock &&
		    tsh_clock_now(opt->clock->kind, &stamp);
	losses = tsh_source_kernel_losses(src);
	overruns = tsh_source_overruns(src);
	if (opt->drain && tsh_source_is_live(src))
		begin_end(&run, TSH_STREAM_EMPTY);
	r = loop(&run, err);
	tsh_source_unmark(src);
	if (run.end == TSH_STREAM_STOP || run.end == TSH_STREAM_ABORT) {
		if (!r)
			r = to->flush(to, err) < 0 ? -1 : 0;
	}
	add_kernel_losses(&run, losses, overruns);
	ret_summary->ns = tsh_mono_ns() - run.start;
	*ret_end = run.end;
	free(run.fds);
	return r;
}
