/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "clock-watch.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "source.h"

/*
 * Sets the pauses between samples of `now ts`: 8 ms, 12 ms, 18 ms, .. up to 10 s. The measured rate
 * of the trace clock has an error that grows with the time since the last sample, and shrinks with
 * the time since the first.
 */
#define LINE_PAUSE_FIRST   UINT64_C(8000000)
#define LINE_PAUSE_MAX	   UINT64_C(10000000000)
#define LINE_ROUNDS	   16

/* ---- REALTIME being set ---- */

/* Arms a timer that never expires: it is cancelled when REALTIME is set. */
static void arm(int fd)
{
	const struct itimerspec never = {
		.it_value.tv_sec = sizeof(time_t) > 4 ? (time_t)(INT64_C(1) << 40) : INT32_MAX,
	};

	if (fd >= 0)
		(void)timerfd_settime(fd, TFD_TIMER_ABSTIME | TFD_TIMER_CANCEL_ON_SET, &never,
				      NULL);
}

bool clock_watch_was_set(struct clock_watch *w)
{
	uint64_t count;

	/* ECANCELED: REALTIME was set; EAGAIN: nothing happened */
	if (w->set_fd < 0 || read(w->set_fd, &count, sizeof(count)) >= 0 || errno != ECANCELED)
		return false;
	arm(w->set_fd);
	return true;
}

/* ---- the instance's clock ---- */

static size_t read_name(const struct clock_watch *w, char *buf, size_t size)
{
	ssize_t n = w->name_fd >= 0 ? pread(w->name_fd, buf, size, 0) : -1;

	return n > 0 ? (size_t)n : 0;
}

bool clock_watch_check(struct clock_watch *w)
{
	const struct tsh_clock_kind *kind;
	char now[sizeof(w->name)];
	size_t len;

	if (!w->clock || w->name_fd < 0)
		return false;
	len = read_name(w, now, sizeof(now));
	if (!len || (len == w->name_len && !memcmp(now, w->name, len)))
		return false;
	memcpy(w->name, now, len);
	w->name_len = len;
	/* The old calibration is of no use for events that are still to come. */
	kind = w->clock->kind;
	tsh_clock_release(w->clock);
	tsh_clock_init(w->clock, kind);
	return true;
}

int clock_watch_renew(struct clock_watch *w, struct tsh_err *err)
{
	char *name = tsh_clock_name(w->in);
	char *text;

	tsh_clock_release(w->clock);
	tsh_clock_init(w->clock, tsh_clock_kind(name ? name : "unknown"));
	text = tsh_xasprintf("the trace clock was changed to %s; events around the change have no "
			     "wall-clock time",
			     name ? name : "another one");
	w->to->note(w->to, text);
	free(text);
	free(name);
	w->line_pause = LINE_PAUSE_FIRST;
	w->line_at = tsh_mono_ns() + w->line_pause;
	return tsh_clock_sample_instance(w->clock, w->in, TSH_CLOCK_ROUNDS, err) < 0 ? -1 : 0;
}

/* ---- sampling ---- */

void clock_watch_begin(struct clock_watch *w, struct tsh_clock *clock,
		       const struct tsh_instance *in, struct tsh_consumer *to)
{
	*w = (struct clock_watch){ .in = in, .to = to, .set_fd = -1, .name_fd = -1 };
	if (!clock || !in || in->dir->kind == TSH_DIR_TREE)
		return;
	w->clock = clock;
	w->line_pause = LINE_PAUSE_FIRST;
	w->line_at = tsh_mono_ns() + w->line_pause;
	w->set_fd = timerfd_create(CLOCK_REALTIME, TFD_NONBLOCK | TFD_CLOEXEC);
	arm(w->set_fd);
	w->name_fd = tsh_file_open(in, "trace_clock", 0);
	w->name_len = read_name(w, w->name, sizeof(w->name));
}

void clock_watch_end(struct clock_watch *w)
{
	if (w->set_fd >= 0)
		close(w->set_fd);
	if (w->name_fd >= 0)
		close(w->name_fd);
	w->set_fd = w->name_fd = -1;
}

static void report_moved(struct clock_watch *w, const char *what, int64_t ns)
{
	struct tsh_strbuf text = TSH_STRBUF_INIT;

	tsh_strbuf_adds(&text, what);
	tsh_format_ns(ns < 0 ? 0 - (uint64_t)ns : (uint64_t)ns, &text);
	w->to->note(w->to, text.buf);
	tsh_strbuf_release(&text);
}

static void report_changes(struct clock_watch *w, int news)
{
	const struct tsh_clock *clock = w->clock;

	if (!w->to)
		return;
	if (news & TSH_CLOCK_SLEPT)
		report_moved(w, "the machine was suspended for ", clock->slept_ns);
	if (news & TSH_CLOCK_SET)
		report_moved(w,
			     clock->jump_ns < 0 ? "the clock was set: back by " :
						  "the clock was set: forward by ",
			     clock->jump_ns);
	if (news & TSH_CLOCK_RESTARTED)
		w->to->note(w->to, "the trace clock jumped: do not compare times above this line "
				   "with times below it");
}

int clock_watch_sample(struct clock_watch *w, struct tsh_err *err)
{
	int news;

	if (!w->clock)
		return 0;
	news = tsh_clock_sample_wall(w->clock, w->in);
	/* samples the trace clock too after REALTIME was set, or a suspend */
	if (news || (w->clock->kind->posix == TSH_CLOCK_NO_POSIX && tsh_mono_ns() >= w->line_at)) {
		int more = tsh_clock_sample_instance(w->clock, w->in, LINE_ROUNDS, err);

		if (more < 0)
			return -1;
		news |= more;
		if (news)
			w->line_pause = LINE_PAUSE_FIRST;
		w->line_at = tsh_mono_ns() + w->line_pause;
		w->line_pause += w->line_pause / 2;
		if (w->line_pause > LINE_PAUSE_MAX)
			w->line_pause = LINE_PAUSE_MAX;
	}
	report_changes(w, news);
	return news;
}
