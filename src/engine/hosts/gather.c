/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "gather.h"

#include <stdlib.h>
#include <string.h>

#include "base/now.h"
#include "base/number.h"
#include "base/strbuf.h"
#include "base/xmalloc.h"
#include "events/source/stream.h"
#include "internal.h"
#include "queue.h"

/* Counts lines between two checks of signals and pipes; each read counts as so many lines. */
#define LOOK_EVERY 256
/* Limits the descriptors of one wait; more of them are checked in turn, each TURN_MS. */
#define POLL_FDS 60
#define TURN_MS 50

struct tsh_gather {
	struct tsh_gather_options opt;
	TSH_VEC(struct input *) inputs;
	struct hosts hosts;
	struct queue queue;
	size_t nblocked;		/* inputs from which an earlier line can come */
	size_t nstreams;
	unsigned int lines;		/* since the last check of signals and pipes */
	bool has_last;
	int64_t last;			/* the latest wall time of a line that was printed */
	/* Hold the two hosts with the latest events so far, and the end of the time in which these
	 * can lie. */
	struct {
		const struct tsh_host *host;
		int64_t end;
	} latest[2];
	TSH_VEC(struct pollfd) fds;
	TSH_VEC(struct input *) polled;
	enum tsh_gather_end end;
	bool is_over;			/* `end` says why */
};

struct tsh_gather *tsh_gather_new(const struct tsh_gather_options *opt)
{
	struct tsh_gather *g = tsh_xcalloc(1, sizeof(*g));

	g->opt = *opt;
	return g;
}

void tsh_gather_free(struct tsh_gather *g)
{
	size_t i;

	for (i = 0; i < g->inputs.n; i++)
		input_free(g->inputs.v[i]);
	tsh_vec_release(&g->inputs);
	queue_release(&g->queue);
	hosts_release(&g->hosts);
	tsh_vec_release(&g->fds);
	tsh_vec_release(&g->polled);
	free(g);
}

/* ---- inputs that block ---- */

/* Says whether a line that is earlier than those held can still come from the input. */
static bool is_blocking(const struct input *in)
{
	const struct stream *stream = in->current;

	if (in->at_end && in->begin == in->end && !in->skips)
		return false;
	/* Blocks where a line of any host can be next. */
	if (in->report.has_mix || !stream)
		return true;
	/* Does not wait for a pipe behind an end line. */
	return !stream->first && (stream->is_open || !in->is_live || !stream->has_lines);
}

static void update_blocking(struct tsh_gather *g, struct input *in)
{
	bool is = is_blocking(in);

	g->nblocked += is;
	g->nblocked -= in->is_blocked;
	in->is_blocked = is;
}

void tsh_gather_add(struct tsh_gather *g, const char *name, int fd)
{
	struct input *in = input_new(name, fd);

	*tsh_vec_push(&g->inputs) = in;
	update_blocking(g, in);
}

/* ---- a line's stream ---- */

static struct stream *new_stream(struct tsh_gather *g, struct input *in,
				 const struct tsh_json_text *label)
{
	struct stream *stream;

	if (g->nstreams == TSH_HOSTS_MAX)
		return NULL;
	stream = tsh_xcalloc(1, sizeof(*stream));
	stream->in = in;
	stream->label = tsh_xstrndup(label->len ? label->text : "", label->len);
	stream->number = g->nstreams++;
	stream->key = INT64_MIN;
	*tsh_vec_push(&in->streams) = stream;
	return stream;
}

static bool has_label(const struct stream *stream, const struct tsh_json_text *label)
{
	return !strncmp(stream->label, label->len ? label->text : "", label->len) &&
	       !stream->label[label->len];
}

/* Finds the input's stream of that label, or makes it. NULL: there are too many. */
static struct stream *find_stream(struct tsh_gather *g, struct input *in,
				  const struct tsh_json_text *label)
{
	size_t i;

	if (in->current && has_label(in->current, label))
		return in->current;
	for (i = 0; i < in->streams.n; i++)
		if (has_label(in->streams.v[i], label))
			return in->streams.v[i];
	return new_stream(g, in, label);
}

/* Says whether several streams of an input are open, so that a line without a name cannot be
 * assigned. */
static bool is_doubtful(const struct input *in)
{
	size_t i, open = 0;

	for (i = 0; i < in->streams.n; i++)
		open += in->streams.v[i]->is_open;
	return open > 1;
}

/* Finds the stream of a line by the name before it, or by the host that merge has added to it. A
 * start line has a host of its own, and lines without any that follow belong to it. */
static struct stream *stream_of(struct tsh_gather *g, struct input *in,
				const struct tsh_json_text *name, const struct tsh_host_line *line)
{
	static const struct tsh_json_text none;
	bool is_start = line->kind == TSH_HOST_START;

	if (name->len) {
		in->report.has_mix = in->has_labels = true;
		return find_stream(g, in, name);
	}
	if (line->host.len && !is_start)
		in->report.has_mix = true;
	if (line->host.len)
		return find_stream(g, in, &line->host);
	if (in->current && !is_start) {
		if (!in->report.is_doubtful)
			in->report.is_doubtful = is_doubtful(in);
		return in->current;
	}
	return find_stream(g, in, &none);
}

/* ---- a line into its queue ---- */

static void note_start(struct tsh_gather *g, struct stream *stream,
		       const struct tsh_json_text *name, const struct tsh_host_line *line)
{
	const struct tsh_json_text *host = line->host.len ? &line->host : name;

	if (stream->host)
		stream->host->cut += stream->is_open;
	stream->is_open = false;
	stream->host = hosts_find(&g->hosts, host, &line->boot_id, stream->host, stream);
	if (!stream->host)
		return;
	stream->is_open = true;
	stream->has_timed = false;
	free(stream->host->clock);
	stream->host->clock = line->clock.is_plain ?
				      tsh_xstrndup(line->clock.text, line->clock.len) : NULL;
}

/* Says whether a line has a place among those of other hosts. An event without a wall time has the
 * place of the event before it; where there is none, the event is counted and left out. */
static bool has_place(struct stream *stream, const struct tsh_host_line *line)
{
	if (line->kind != TSH_HOST_EVENT)
		return true;
	stream->has_timed |= line->has_wall;
	if (!stream->has_timed)
		input_note_untimed(stream->in);
	return stream->has_timed;
}

static void find_host(struct tsh_gather *g, struct stream *stream,
		      const struct tsh_json_text *name, const struct tsh_host_line *line)
{
	if (line->kind == TSH_HOST_START)
		note_start(g, stream, name, line);
	else if (!stream->host)
		stream->host = hosts_find(&g->hosts, line->host.len ? &line->host : name,
					  &line->boot_id, NULL, stream);
}

static void enqueue(struct tsh_gather *g, struct input *in, const struct tsh_json_text *name,
		    struct held *held)
{
	struct tsh_host_line *line = &held->line;
	struct stream *stream = stream_of(g, in, name, line);

	if (stream) {
		in->current = stream;
		in->report.is_cut = false;
		find_host(g, stream, name, line);
	}
	if (!stream || !stream->host)
		in->report.crowded++;
	if (!stream || !stream->host || !has_place(stream, line)) {
		queue_free_line(&g->queue, held);
		return;
	}
	if (line->kind == TSH_HOST_END)
		stream->is_open = false;
	held->host = stream->host;
	if (line->has_wall)
		stream->key = line->wall;
	held->key = stream->key;
	held->arrival = in->arrival;
	stream->has_lines = true;
	queue_push(&g->queue, stream, held);
}

/* Reads one line, and holds it in the queue of its stream. */
static void accept_line(struct tsh_gather *g, struct input *in, const char *text, size_t len)
{
	struct tsh_json_text name = { text, 0, false };
	size_t begin = tsh_host_line_find(text, len, &name.len);
	struct held *held;

	if (begin == SIZE_MAX) {
		if (len)
			input_note_bad(in);
		return;
	}
	held = queue_new_line(&g->queue, text + begin, len - begin);
	if (tsh_host_line_read(held->text, len - begin, &held->line)) {
		enqueue(g, in, &name, held);
		return;
	}
	input_note_bad(in);
	queue_free_line(&g->queue, held);
}

/* ---- reading ---- */

static int read_more(struct input *in, struct tsh_err *err)
{
	int r = input_fill(in);

	if (r < 0)
		return tsh_err_errno(err, -r, "cannot read '%s'", in->report.name);
	return 0;
}

static bool has_room(const struct tsh_gather *g)
{
	return g->queue.bytes < g->opt.room;
}

/* Reads a pipe that has data or is at its end. */
static int feed_pipe(struct tsh_gather *g, struct input *in, struct tsh_err *err)
{
	const char *text;
	size_t len;
	int r = read_more(in, err);

	while (!r && input_line(in, &text, &len))
		accept_line(g, in, text, len);
	update_blocking(g, in);
	return r;
}

/* ---- waiting ---- */

static void end_with(struct tsh_gather *g, enum tsh_gather_end end)
{
	g->end = end;
	g->is_over = true;
}

/* Lists the pipes that are not at their end, and the output, for poll. */
static void list_pipes(struct tsh_gather *g)
{
	size_t i;

	g->fds.n = g->polled.n = 0;
	if (g->opt.out_fd >= 0)
		*tsh_vec_push(&g->fds) = (struct pollfd){ .fd = g->opt.out_fd };
	for (i = 0; i < g->inputs.n && has_room(g); i++) {
		struct input *in = g->inputs.v[i];

		if (!in->is_live || in->at_end)
			continue;
		*tsh_vec_push(&g->fds) = (struct pollfd){ .fd = in->fd, .events = POLLIN };
		*tsh_vec_push(&g->polled) = in;
	}
}

static enum tsh_wait_result wait_for(struct tsh_gather *g, int timeout_ms)
{
	unsigned int n = g->fds.n > POLL_FDS ? POLL_FDS : (unsigned int)g->fds.n;
	enum tsh_wait_result result = TSH_WAIT_READY;

	if (g->fds.n > POLL_FDS && (timeout_ms < 0 || timeout_ms > TURN_MS))
		timeout_ms = TURN_MS;
	if (g->opt.waiter)
		result = tsh_wait(g->opt.waiter, g->fds.v, n, timeout_ms);
	/* Polls all of them: the wait was for POLL_FDS at most, and can leave other results. */
	(void)poll(g->fds.v, g->fds.n, g->opt.waiter ? 0 : timeout_ms);
	return result;
}

/* Waits, and reads what has come. timeout_ms: 0: not at all, -1: for ever. */
static int poll_inputs(struct tsh_gather *g, int timeout_ms, struct tsh_err *err)
{
	enum tsh_wait_result result;
	size_t i, first;

	g->lines = 0;
	list_pipes(g);
	result = wait_for(g, timeout_ms);
	first = g->fds.n - g->polled.n;
	if (result == TSH_WAIT_STOP || result == TSH_WAIT_ABORT)
		end_with(g, result == TSH_WAIT_STOP ? TSH_GATHER_STOP : TSH_GATHER_ABORT);
	else if (first && (g->fds.v[0].revents & (POLLERR | POLLHUP)))
		end_with(g, TSH_GATHER_CLOSED);
	for (i = 0; i < g->polled.n && !g->is_over; i++)
		if (g->fds.v[first + i].revents && feed_pipe(g, g->polled.v[i], err) < 0)
			return -1;
	return 0;
}

/* Checks signals and pipes when enough lines were read since the last check. */
static int poll_sometimes(struct tsh_gather *g, unsigned int lines, struct tsh_err *err)
{
	g->lines += lines;
	return g->lines < LOOK_EVERY ? 0 : poll_inputs(g, 0, err);
}

/* Reads a file until its next line is known. */
static int feed_file(struct tsh_gather *g, struct input *in, struct tsh_err *err)
{
	const char *text;
	size_t len;
	int r = 0;

	while (!r && !g->is_over && is_blocking(in) && has_room(g)) {
		bool is_line = input_line(in, &text, &len);

		if (!is_line && in->at_end)
			break;
		if (is_line)
			accept_line(g, in, text, len);
		else
			r = read_more(in, err);
		if (!r)
			r = poll_sometimes(g, is_line ? 1 : LOOK_EVERY, err);
	}
	update_blocking(g, in);
	return r;
}

static int feed_files(struct tsh_gather *g, struct tsh_err *err)
{
	size_t i;

	for (i = 0; g->nblocked && i < g->inputs.n; i++) {
		struct input *in = g->inputs.v[i];

		if (in->is_blocked && !in->is_live && feed_file(g, in, err) < 0)
			return -1;
	}
	return 0;
}

/* Returns how long the line that waits the longest can still be held, in ms; -1: for ever. */
static int ms_left(const struct tsh_gather *g)
{
	int64_t oldest = queue_oldest(&g->queue), until, ns;

	if (oldest == INT64_MAX)
		return -1;
	until = tsh_saturating_add(oldest, g->opt.delay_ns);
	ns = until - tsh_now_ns(CLOCK_MONOTONIC);
	if (ns <= 0)
		return 0;
	return ns / 1000000 >= 3600000 ? 3600000 : (int)(ns / 1000000) + 1;
}

/* ---- passing lines on ---- */

/* Returns the latest time at which an event of another host can have been. */
static int64_t latest_of_others(const struct tsh_gather *g, const struct tsh_host *host)
{
	size_t i = g->latest[0].host == host;

	return g->latest[i].host ? g->latest[i].end : INT64_MIN;
}

static void note_latest(struct tsh_gather *g, const struct tsh_host *host, int64_t end)
{
	if (g->latest[0].host == host) {
		if (end > g->latest[0].end)
			g->latest[0].end = end;
		return;
	}
	if (!g->latest[0].host || end > g->latest[0].end) {
		g->latest[1] = g->latest[0];
		g->latest[0].host = host;
		g->latest[0].end = end;
	} else if (!g->latest[1].host || end > g->latest[1].end) {
		g->latest[1].host = host;
		g->latest[1].end = end;
	}
}

/* Marks an event that is late or unordered in the merged stream. */
static void mark_event(struct tsh_gather *g, struct tsh_host_line *line, struct tsh_host *host)
{
	int64_t begin = tsh_saturating_sub(tsh_saturating_sub(line->wall, line->error_ns),
					   g->opt.skew_ns);

	line->unordered = false;
	if (!line->has_wall)
		return;
	if (g->has_last && line->wall < g->last)
		line->late = true;
	else
		g->last = line->wall;
	g->has_last = true;
	line->unordered = !line->late && begin <= latest_of_others(g, host);
	note_latest(g, host, tsh_saturating_add(line->wall, line->error_ns));
}

static void account(const struct tsh_host_line *line, struct tsh_host *host)
{
	switch (line->kind) {
	case TSH_HOST_EVENT:
		host->events++;
		host->late += line->late;
		host->unordered += line->unordered;
		host->untimed += !line->has_wall;
		if (!line->has_wall)
			break;
		if (!host->has_wall || line->wall < host->first)
			host->first = line->wall;
		if (!host->has_wall || line->wall > host->last)
			host->last = line->wall;
		host->has_wall = true;
		break;
	case TSH_HOST_LOST:
		host->lost = tsh_saturating_sum(host->lost, line->count);
		host->lost_unknown |= !line->has_count;
		break;
	case TSH_HOST_END:
		host->ns = tsh_saturating_sum(host->ns, line->ns);
		host->lost_unknown |= line->lost_unknown;
		break;
	default:
		break;
	}
}

static void pass_line(struct tsh_gather *g)
{
	/* its first line is the next one */
	const struct stream *stream = g->queue.heap.v[0];
	struct held *held = queue_pop(&g->queue);

	if (held->line.kind == TSH_HOST_START)
		host_set_stream(held->host, stream);
	if (!g->opt.is_wanted || g->opt.is_wanted(g->opt.ctx, &held->line)) {
		if (held->line.kind == TSH_HOST_EVENT)
			mark_event(g, &held->line, held->host);
		account(&held->line, held->host);
		if (!g->opt.line(g->opt.ctx, &held->line, held->host))
			end_with(g, TSH_GATHER_DONE);
	}
	queue_free_line(&g->queue, held);
}

/* Passes the first line on, and reads more of its input where that has no other line. */
static int step(struct tsh_gather *g, struct tsh_err *err)
{
	struct stream *stream = g->queue.heap.v[0];

	pass_line(g);
	update_blocking(g, stream->in);
	if (g->is_over || feed_files(g, err) < 0)
		return g->is_over ? 0 : -1;
	return poll_sometimes(g, 1, err);
}

static bool may_step(const struct tsh_gather *g)
{
	if (!g->queue.heap.n)
		return false;
	/* Passes start lines on at once: they come before all events. */
	return !g->nblocked || !has_room(g) || g->queue.heap.v[0]->first->key == INT64_MIN ||
	       !ms_left(g);
}

static bool all_at_end(const struct tsh_gather *g)
{
	size_t i;

	for (i = 0; i < g->inputs.n; i++)
		if (!g->inputs.v[i]->at_end)
			return false;
	return !g->queue.heap.n;
}

/* Passes all lines on that were read before Ctrl-C. */
static void pass_rest(struct tsh_gather *g)
{
	while (g->queue.heap.n && g->end == TSH_GATHER_STOP)
		pass_line(g);
}

/* Notes which inputs are not read to the end, and counts streams without an end line. */
static void count_rest(struct tsh_gather *g)
{
	size_t i, j;

	for (i = 0; i < g->inputs.n; i++) {
		struct input *in = g->inputs.v[i];

		in->report.is_unread = !in->is_live && (!in->at_end || in->begin != in->end);
		for (j = 0; in->at_end && j < in->streams.n; j++)
			if (in->streams.v[j]->is_open)
				in->streams.v[j]->host->cut++;
	}
}

int tsh_gather_run(struct tsh_gather *g, enum tsh_gather_end *ret_end, struct tsh_err *err)
{
	int r = feed_files(g, err);

	while (!r && !g->is_over) {
		if (may_step(g)) {
			r = step(g, err);
		} else if (all_at_end(g)) {
			end_with(g, TSH_GATHER_EMPTY);
		} else if (g->opt.flush && !g->opt.flush(g->opt.ctx)) {
			end_with(g, TSH_GATHER_CLOSED);
		} else {
			r = poll_inputs(g, ms_left(g), err);
			if (!r && !g->is_over)
				r = feed_files(g, err);
		}
	}
	pass_rest(g);
	count_rest(g);
	*ret_end = g->end;
	return r;
}

const struct tsh_host *tsh_gather_host(const struct tsh_gather *g, size_t i)
{
	return i < g->hosts.all.n ? g->hosts.all.v[i] : NULL;
}

const struct tsh_host *tsh_gather_find_twin(const struct tsh_gather *g, const struct tsh_host *host)
{
	return hosts_find_twin(&g->hosts, host);
}

const struct tsh_gather_input *tsh_gather_input(const struct tsh_gather *g, size_t i)
{
	return i < g->inputs.n ? &g->inputs.v[i]->report : NULL;
}
