/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "clock-watch.h"
#include "lag.h"
#include "source.h"

/* Limit the events between two checks of the output, and the time between two checks for
 * signals. */
#define PORTION 64
#define LOOK_NS 100000000
/* Limits the pages of one CPU that are read in one go, so that signals are noticed. */
#define BUDGET 64
#define TICK_MIN_MS 2
#define TICK_MAX_MS 20
/* Is the longest time from an event's stamp to its commit, with interrupts in between. Writers
 * cannot be preempted then, so this is generous. */
#define SLOP_NS 2000000
/* Limits the delay of printing, even if the trace clock is wrong or cannot be read. */
#define DELAY_NS 20000000
/* Limits the time after Ctrl-C in which waiting events are printed. */
#define STOP_NS 1000000000

struct run {
	struct tsh_source *src;
	struct tsh_consumer *to;
	const struct tsh_stream_options *opt;
	struct tsh_stream_summary *sum;
	bool posix;			/* the trace clock can be read */
	uint64_t start;			/* in ns of CLOCK_MONOTONIC, like all names in _ns */
	uint64_t limited;		/* time from which max_ns counts */
	bool working;			/* opt->work has more to do */
	struct clock_watch watch;
	struct lag lag;

	/*
	 * Let events be printed even if the trace clock is wrong or cannot be read. An event waits
	 * for a round, in which all CPUs are read and older events of others come. round_ns: when
	 * the present round began. round_newest: the latest stamp that was read by then. allowed:
	 * the latest stamp that was read when the round before it began; events up to that one are
	 * printed.
	 */
	uint64_t round_ns;
	uint64_t round_newest;
	uint64_t allowed;

	bool ending;			/* only events from before tsh_source_mark are printed */
	uint64_t mark;
	enum tsh_stream_end end;
	uint64_t stopped_ns;		/* when Ctrl-C came */
	uint64_t ended_ns;		/* later events do not count; 0: all count */

	bool reported_before;
	bool reported_now;
	unsigned int tick_ms;
	bool was_ready;
	bool poll_lies;			/* poll(2) reported data when there was none */
	int stuck;			/* descriptor of a blocked output; -1: it accepts events */
	bool paused;			/* the user has paused it */
	/* result of the last check for signals between two events; TSH_WAIT_TIMEOUT: no signal */
	enum tsh_wait_result heard;
	uint64_t looked_ns;		/* when signals were last checked */
	struct tsh_ahead ahead;
	struct pollfd *fds;
	size_t nfds;
};

/* ---- giving events out ---- */

static void report_place(struct run *run, uint64_t stamp)
{
	if (stamp <= run->opt->before_stamp) {
		if (!run->reported_before)
			run->to->note(run->to, "events from before this command:");
		run->reported_before = true;
		return;
	}
	if (run->reported_before)
		run->to->note(run->to, "events from now on:");
	run->reported_now = true;
}

static bool peek(void *ctx, int cpu, struct tsh_record *ret)
{
	struct run *run = ctx;

	return tsh_source_peek(run->src, cpu, ret);
}

static void skip(void *ctx, int cpu)
{
	struct run *run = ctx;

	tsh_source_skip(run->src, cpu);
	run->sum->events++;
}

static bool is_stuck(struct run *run)
{
	run->stuck = run->to->stuck ? run->to->stuck(run->to) : -1;
	return run->stuck >= 0;
}

static void pass_event(void *ctx, const struct tsh_record *rec, bool late)
{
	struct run *run = ctx;

	if (run->opt->has_before && !run->reported_now)
		report_place(run, rec->stamp);
	if (run->to->event(run->to, rec, late)) {
		run->sum->events++;
		run->sum->late += late;
	}
}

/* Returns how many events may be passed on before the limit. */
static uint64_t events_left(const struct run *run)
{
	if (!run->opt->max_events)
		return UINT64_MAX;
	return run->opt->max_events > run->sum->events ? run->opt->max_events - run->sum->events : 0;
}

/* Returns how many events may be passed on before the output is checked again. */
static uint64_t portion(const struct run *run)
{
	uint64_t left = events_left(run), most = run->lag.limit ? lag_portion(&run->lag) : PORTION;

	return left < most ? left : most;
}

/* Checks for signals, also while single events need much time (a pattern, a slow file). */
static bool has_signal(struct run *run)
{
	uint64_t now_ns = tsh_mono_ns();

	if (run->heard == TSH_WAIT_TIMEOUT && now_ns - run->looked_ns >= LOOK_NS) {
		run->looked_ns = now_ns;
		run->heard = tsh_wait(run->opt->waiter, NULL, 0, 0);
	}
	return run->heard != TSH_WAIT_TIMEOUT;
}

/* Passes events to the consumer, up to the watermark, in this thread. Returns true when the limit is
 * reached; the next event then stays in the source. */
static bool pass_alone(struct run *run, uint64_t watermark)
{
	struct tsh_record rec;
	uint64_t lost, n;

	while (!run->paused && !is_stuck(run) && !has_signal(run)) {
		n = portion(run);
		if (!n)
			return true;
		lag_report(&run->lag);
		switch (tsh_source_read_many(run->src, watermark, n, pass_event, run, &rec, &lost)) {
		case TSH_ITEM_NONE:
			return run->opt->max_events && run->sum->events >= run->opt->max_events;
		case TSH_ITEM_LOST:
			lag_lost(&run->lag, rec.cpu, lost, rec.stamp);
			break;
		case TSH_ITEM_EVENT:
			break;
		}
	}
	return false;
}

static bool is_halted(void *ctx)
{
	struct run *run = ctx;

	return run->paused || is_stuck(run) || has_signal(run);
}

/* Waits until a blocked output takes more. Returns false when a signal has come. */
static bool wait_for_output(void *ctx, int fd)
{
	struct pollfd out = { .fd = fd, .events = POLLOUT };
	struct run *run = ctx;
	enum tsh_wait_result result = has_signal(run) ? run->heard : tsh_wait(run->opt->waiter, &out, 1, -1);

	if (result != TSH_WAIT_READY)
		run->heard = result;
	return run->heard == TSH_WAIT_TIMEOUT;
}

/* Passes events on as pass_alone does, by several threads where that is possible. */
static bool pass_events(struct run *run, uint64_t watermark)
{
	const struct tsh_crew *crew = run->opt->crew;
	const struct tsh_crew_caller caller = { is_halted, wait_for_output, run };
	uint64_t alone = watermark;

	do {
		if (crew && !run->lag.limit && !run->opt->max_events &&
		    !(run->opt->has_before && !run->reported_now) && !is_halted(run))
			alone = crew->pass(crew->ctx, watermark, &caller);
		if (pass_alone(run, alone))
			return true;
	} while (alone < watermark && !is_halted(run));
	return false;
}

static void report_complaints(struct run *run)
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

	/* a CPU that was read to its end has no older events */
	mark = run->posix && before_pass > SLOP_NS ? before_pass - SLOP_NS : 0;
	by_clock = tsh_source_horizon(run->src, mark);
	if (!run->posix || now_ns - run->round_ns >= DELAY_NS) {
		run->allowed = run->round_newest;
		run->round_newest = tsh_source_newest(run->src);
		run->round_ns = now_ns;
	}
	/* a CPU that was not read to its end may still have older events */
	all_read = tsh_source_horizon(run->src, UINT64_MAX);
	by_round = run->allowed < all_read ? run->allowed : all_read;
	return by_clock > by_round ? by_clock : by_round;
}

/* Ends the stream: marks the present moment, and counts no event after it. */
static void begin_end(struct run *run, enum tsh_stream_end end)
{
	bool has_stamp = run->opt->clock && tsh_clock_now(run->opt->clock->kind, &run->mark);

	run->ending = true;
	run->paused = false;
	run->end = end;
	/* When the trace clock cannot be read, no stamp separates older from newer events. */
	if (has_stamp && !run->opt->drain)
		run->ended_ns = tsh_mono_ns();
	if (!has_stamp)
		run->mark = UINT64_MAX;
	tsh_source_mark(run->src, has_stamp ? &run->mark : NULL);
}

/* Drops the mark when events with stamps of the future wait, so that they are printed too: they are
 * from before the clock was set back (tai), or from an earlier boot. Returns whether it did so. */
static bool end_is_later(struct run *run)
{
	uint64_t now;

	if (!run->ending || run->mark == UINT64_MAX ||
	    !tsh_clock_now(run->opt->clock->kind, &now) || tsh_source_newest(run->src) <= now)
		return false;
	run->mark = UINT64_MAX;
	tsh_source_mark(run->src, NULL);
	return true;
}

static bool time_is_up(const struct run *run, uint64_t now_ns)
{
	return run->opt->max_ns && !run->working && now_ns - run->limited >= run->opt->max_ns;
}

static void check_end(struct run *run, uint64_t now_ns)
{
	if (run->ending || !tsh_source_is_live(run->src))
		return;
	if (run->opt->done && run->opt->done(run->opt->done_ctx))
		begin_end(run, TSH_STREAM_DONE);
	else if (time_is_up(run, now_ns))
		begin_end(run, TSH_STREAM_TIME);
}

/* Passes all waiting events to the consumer, then lets stamps begin anew. */
static void restart_order(struct run *run)
{
	pass_events(run, run->ending ? run->mark : UINT64_MAX);
	if (!tsh_source_has_pending(run->src))
		tsh_source_restart_order(run->src);
}

static bool reads_clock(const struct run *run)
{
	uint64_t stamp;

	return tsh_source_is_live(run->src) && run->opt->clock && tsh_clock_now(run->opt->clock->kind, &stamp);
}

/* Samples the clocks, after reading. Returns 0 or -1. */
static int sample_clocks(struct run *run, struct tsh_err *err)
{
	int news;

	if (clock_watch_check(&run->watch)) {
		restart_order(run);
		if (clock_watch_renew(&run->watch, err) < 0)
			return -1;
		run->posix = reads_clock(run);
	}
	news = clock_watch_sample(&run->watch, err);
	if (news > 0 && run->opt->clock->kind->steps_with_realtime)
		restart_order(run);
	return news < 0 ? -1 : 0;
}

/* Does one tick: reads, passes on the events that are old enough, flushes. Returns 1 when the
 * stream has ended (run->end), 0 to go on, -1 with err. */
static int pass(struct run *run, int *ret_read, struct tsh_err *err)
{
	bool live = tsh_source_is_live(run->src), drained, finished;
	uint64_t stamp = 0, level, now_ns = tsh_mono_ns();
	int r;

	check_end(run, now_ns);
	/* writes what waited in the output's buffer */
	if (run->stuck >= 0) {
		r = run->to->flush(run->to, err);
		if (r > 0)
			run->end = TSH_STREAM_CLOSED;
		if (r)
			return r;
	}
	if (run->posix)
		tsh_clock_now(run->opt->clock->kind, &stamp);
	/* A clock that was set back changes the order of its events. */
	if (live && run->opt->clock && run->opt->clock->kind->steps_with_realtime &&
	    sample_clocks(run, err) < 0)
		return -1;
	tsh_source_set_overflow(run->src, !run->ending &&
				(run->paused || (run->stuck >= 0 && !run->lag.limit)));
	tsh_source_limit_events(run->src, run->opt->leaves_rest ? events_left(run) : UINT64_MAX);
	*ret_read = run->opt->crew ? run->opt->crew->fill(run->opt->crew->ctx, BUDGET, &drained) :
				     tsh_source_fill(run->src, BUDGET, &drained);
	if (*ret_read < 0)
		return tsh_err_errno(err, -*ret_read, "cannot read the buffers of instance '%s'",
				     run->opt->in ? tsh_instance_label(run->opt->in) : "top");
	if (sample_clocks(run, err) < 0)
		return -1;
	report_complaints(run);
	level = live ? watermark(run, now_ns, stamp) :
		       tsh_source_horizon(run->src, drained ? UINT64_MAX : 0);
	finished = run->ending ? tsh_source_mark_reached(run->src) : !live && drained;
	if (finished && end_is_later(run))
		finished = false;
	if (finished)
		level = UINT64_MAX;
	if (run->ending && level > run->mark)
		level = run->mark;
	if (!run->paused)
		lag_skip_waiting(&run->lag, level, run->ending, now_ns);
	if (pass_events(run, level)) {
		run->end = TSH_STREAM_LIMIT;
		finished = true;
	} else if (finished && run->stuck < 0 && run->heard == TSH_WAIT_TIMEOUT) {
		run->sum->lost += tsh_source_count_missing(run->src);
	}
	report_complaints(run);
	lag_note_output(&run->lag, run->stuck >= 0 && !run->paused, now_ns);
	r = run->to->flush(run->to, err);
	if (r > 0)
		run->end = TSH_STREAM_CLOSED;
	/* Goes on while data waits for the blocked output, or while a signal waits to be
	 * handled. */
	if ((run->stuck >= 0 || run->heard != TSH_WAIT_TIMEOUT) && run->end != TSH_STREAM_LIMIT)
		finished = false;
	return r ? r : finished;
}

/* ---- waiting ---- */

/* Returns how long to sleep: the busier the stream, the shorter. */
static int choose_wait(struct run *run, int pages, bool *ret_poll)
{
	uint64_t left, spent = tsh_mono_ns() - run->limited;
	unsigned int ms;

	*ret_poll = false;
	/* goes on reading from the kernel */
	if (run->stuck >= 0)
		return tsh_source_is_behind(run->src) && !run->ending ? 0 : TICK_MAX_MS;
	if (!tsh_source_is_live(run->src) || tsh_source_is_behind(run->src) || run->ending ||
	    run->working)
		return 0;
	/* does not hurry for events that wait because of a pause */
	if (tsh_source_has_pending(run->src) && !run->paused) {
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

/* Counts the descriptors that are always polled: those of the wall clock and of the keyboard. */
#define ALWAYS 2
static void collect_fds(struct run *run)
{
	struct pollfd *rings;
	size_t n = tsh_source_pollfds(run->src, &rings);

	run->fds = tsh_xcalloc(n + ALWAYS, sizeof(*run->fds));
	run->fds[0] = (struct pollfd){ .fd = run->watch.set_fd, .events = POLLIN };
	run->fds[1] = (struct pollfd){ .fd = run->opt->request ? run->opt->request_fd : -1,
				       .events = POLLIN };
	memcpy(run->fds + ALWAYS, rings, n * sizeof(*rings));
	run->nfds = n + ALWAYS;
	free(rings);
}

/*
 * Waits for the next tick. Polling the buffers only makes the first event after a silence come
 * sooner. poll(2) may not report it (another instance's buffer_percent), and may always report data
 * (the option `block`).
 */
static enum tsh_wait_result wait_tick(struct run *run, int pages)
{
	enum tsh_wait_result result;
	bool poll_them;
	int ms;

	run->looked_ns = tsh_mono_ns();
	if (run->heard != TSH_WAIT_TIMEOUT) {
		result = run->heard;
		run->heard = TSH_WAIT_TIMEOUT;
		return result;
	}
	if (run->was_ready && !pages)
		run->poll_lies = true;
	ms = choose_wait(run, pages, &poll_them);
	if (run->stuck >= 0) {
		struct pollfd out = { .fd = run->stuck, .events = POLLOUT };

		run->was_ready = false;
		result = tsh_wait(run->opt->waiter, &out, 1, ms);
		return result == TSH_WAIT_READY ? TSH_WAIT_TIMEOUT : result;
	}
	if (!run->fds)
		collect_fds(run);
	result = tsh_wait(run->opt->waiter, run->fds, poll_them ? (unsigned int)run->nfds : ALWAYS, ms);
	if ((clock_watch_was_set(&run->watch) || run->fds[1].revents) && result == TSH_WAIT_READY)
		result = TSH_WAIT_TIMEOUT;
	run->was_ready = poll_them && result == TSH_WAIT_READY;
	return result;
}

/* Handles a key that the user has pressed: pause, go on or stop. Returns true when the stream ends
 * as by Ctrl-C. */
static bool handle_request(struct run *run)
{
	enum tsh_stream_request request = TSH_REQUEST_NONE;

	if (run->opt->request)
		request = run->opt->request(run->opt->request_ctx);
	if (request != TSH_REQUEST_NONE)
		run->paused = request == TSH_REQUEST_PAUSE;
	return request == TSH_REQUEST_STOP;
}

/* Calls the caller's work function once. Returns 0, or -1 with err. */
static int work_on(struct run *run, struct tsh_err *err)
{
	int r = run->opt->work(run->opt->work_ctx, err);

	if (r > 0)
		return 0;
	run->working = false;
	run->limited = tsh_mono_ns();
	return r;
}

/* Handles Ctrl-C: only what has been written up to now is still printed. Returns false when the
 * stream ends at once. */
static bool finish_after_stop(struct run *run)
{
	if (run->ending || !tsh_source_is_live(run->src))
		return false;
	begin_end(run, TSH_STREAM_STOP);
	run->stopped_ns = tsh_mono_ns();
	run->working = false;
	return true;
}

/* Says whether printing goes on for more than STOP_NS after Ctrl-C: the output is slow, or too many
 * events wait. */
static bool stops_too_long(const struct run *run)
{
	return run->stopped_ns && tsh_mono_ns() - run->stopped_ns > STOP_NS;
}

static int loop(struct run *run, struct tsh_err *err)
{
	enum tsh_wait_result result;
	int r, pages = 0;

	for (;;) {
		r = pass(run, &pages, err);
		if (r)
			return r < 0 ? -1 : 0;
		if (run->working && work_on(run, err) < 0)
			return -1;
		result = wait_tick(run, pages);
		if (handle_request(run) && result != TSH_WAIT_ABORT)
			result = TSH_WAIT_STOP;
		if (result == TSH_WAIT_STOP && finish_after_stop(run))
			continue;
		if (result != TSH_WAIT_STOP && result != TSH_WAIT_ABORT && stops_too_long(run) &&
		    lag_skip_all(&run->lag)) {
			run->stopped_ns = tsh_mono_ns();
			continue;
		}
		if (result == TSH_WAIT_STOP || result == TSH_WAIT_ABORT || stops_too_long(run)) {
			/* Events stay unread after Ctrl-C, and in a recording, which had all
			 * its events from the beginning. */
			run->sum->unread = run->stopped_ns || !tsh_source_is_live(run->src);
			run->end = result == TSH_WAIT_ABORT ? TSH_STREAM_ABORT : TSH_STREAM_STOP;
			return 0;
		}
	}
}

/* Adds losses that the kernel counts and no page shows. */
static void add_kernel_losses(struct run *run, uint64_t losses, uint64_t overruns)
{
	uint64_t now = tsh_source_kernel_losses(run->src);

	/* A page that is full to its last byte has no room for a count of losses; but the kernel's
	 * overruns are the least that was lost. */
	if (run->sum->lost_unknown) {
		uint64_t overruns_now = tsh_source_overruns(run->src);

		/* Clearing the buffer resets the counters. */
		if (overruns_now > overruns && overruns_now - overruns > run->sum->lost)
			run->sum->lost = overruns_now - overruns;
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
		.tick_ms = TICK_MIN_MS, .end = TSH_STREAM_EMPTY, .stuck = -1,
		.heard = TSH_WAIT_TIMEOUT, .looked_ns = tsh_mono_ns(),
		.working = opt->work != NULL,
	};
	uint64_t losses, overruns;
	int r;

	memset(ret_summary, 0, sizeof(*ret_summary));
	ret_summary->overwritten = src->overwritten;
	ret_summary->lost_unknown = src->is_cut;
	run.start = run.limited = run.round_ns = tsh_mono_ns();
	run.posix = reads_clock(&run);
	clock_watch_begin(&run.watch, tsh_source_is_live(src) ? opt->clock : NULL, opt->in, to);
	/* The command's own instance begins with counters of 0; another instance may have lost
	 * events before. */
	losses = opt->in && opt->in->own ? 0 : tsh_source_kernel_losses(src);
	overruns = opt->in && opt->in->own ? 0 : tsh_source_overruns(src);
	run.ahead = (struct tsh_ahead){ .peek = peek, .skip = skip, .ctx = &run };
	to->ahead = &run.ahead;
	lag_begin(&run.lag, src, to, ret_summary, opt->drain ? 0 : opt->lag_ns);
	if (opt->drain && tsh_source_is_live(src))
		begin_end(&run, TSH_STREAM_EMPTY);
	r = loop(&run, err);
	lag_end(&run.lag);
	to->ahead = NULL;
	tsh_source_unmark(src);
	tsh_source_set_overflow(src, false);
	if (run.end == TSH_STREAM_STOP || run.end == TSH_STREAM_ABORT) {
		if (!r)
			r = to->flush(to, err) < 0 ? -1 : 0;
	}
	add_kernel_losses(&run, losses, overruns);
	ret_summary->ns = (run.ended_ns ? run.ended_ns : tsh_mono_ns()) - run.start;
	*ret_end = run.end;
	clock_watch_end(&run.watch);
	free(run.fds);
	return r;
}
