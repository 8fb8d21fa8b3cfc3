/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cmd/commands.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>

#include "base/machine.h"
#include "base/now.h"
#include "session/script.h"
#include "session/util.h"

/* Declares watch: repeats a command, on a terminal at the same place. */

#define NS_PER_MS 1000000
#define MIN_NS (100 * (uint64_t)NS_PER_MS)

/* Limits a frame; it is enough for any screen. */
#define FRAME_MAX 1048576

struct watch {
	struct tsh_session *s;
	struct tsh_out *out;
	const char *step;		/* as typed */
	uint64_t rounds;
	bool stopped;			/* by Ctrl-C, also while the command waited */
	bool redraws;
	/* only where frames replace each other: */
	struct tsh_strbuf frame;	/* what the command prints in this round, notes too */
	struct tsh_strbuf shown;	/* part of the last frame that the terminal got */
	unsigned int rows;		/* of the last frame, above the cursor */
	struct winsize size;		/* of the window, when that was drawn */
	const struct tsh_waiter *waiter;	/* the session's */
};

static ssize_t append_data(void *ctx, const char *data, size_t len)
{
	struct watch *w = ctx;

	if (w->frame.len < FRAME_MAX)
		tsh_strbuf_add(&w->frame, data, len);
	return (ssize_t)len;
}

static void append_note(void *ctx, const char *text)
{
	struct watch *w = ctx;

	tsh_strbuf_addf(&w->frame, "%s\n", text);
}

/* Moves the cursor to where the last frame begins. */
static void move_cursor_up(struct watch *w)
{
	tsh_strbuf_addc(&w->out->data, '\r');
	if (w->rows)
		tsh_strbuf_addf(&w->out->data, "\033[%uA", w->rows);
}

static enum tsh_wait_result wait_noting(void *ctx, struct pollfd *fds, unsigned int nfds,
					int timeout_ms)
{
	struct watch *w = ctx;
	enum tsh_wait_result result = tsh_wait(w->waiter, fds, nfds, timeout_ms);

	w->stopped |= result == TSH_WAIT_STOP;
	return result;
}

/* Runs the command once. Collects its output for the frame where frames are redrawn, but for what
 * goes to a program or file. */
static int run_round(struct watch *w, const struct tsh_value *command, struct tsh_err *err)
{
	const struct tsh_waiter noting = { .wait = wait_noting, .ctx = w };
	struct tsh_out *out = w->out, before = *out;
	int r;

	tsh_strbuf_clear(&w->frame);
	if (w->redraws) {
		out->write = append_data;
		out->write_ctx = w;
	}
	if (w->redraws && out->note) {
		out->note = append_note;
		out->note_ctx = w;
	}
	w->s->waiter = &noting;
	w->s->is_watched = true;
	r = w->s->ops->run_nested(w->s, command->word.span, err);
	w->s->is_watched = false;
	w->s->waiter = w->waiter;
	tsh_out_flush(out);
	out->write = before.write;
	out->write_ctx = before.write_ctx;
	out->note = before.note;
	out->note_ctx = before.note_ctx;
	if (w->frame.len && w->frame.buf[w->frame.len - 1] != '\n')
		tsh_strbuf_addc(&w->frame, '\n');
	w->rounds++;
	return r;
}

/*
 * Reads the window's size. After a change the last frame can be anywhere, so drawing begins anew.
 */
static void measure(struct watch *w)
{
	struct winsize now = { 0 };

	if (ioctl(w->out->fd, TIOCGWINSZ, &now) < 0 || !now.ws_row)
		now = (struct winsize){ .ws_row = 22, .ws_col = 80 };
	if (w->shown.len && (now.ws_row != w->size.ws_row || now.ws_col != w->size.ws_col)) {
		tsh_strbuf_adds(&w->out->data, "\033[H\033[J");
		w->rows = 0;
	}
	w->size = now;
}

/* Returns how many rows a frame can have so that its first one stays on the screen. */
static unsigned int rows_max(const struct watch *w)
{
	return w->size.ws_row > 3 ? w->size.ws_row - 2U : 1;	/* leaves room for the line below */
}

static unsigned int count_rows(const struct tsh_strbuf *text)
{
	unsigned int n = 0;
	size_t i;

	for (i = 0; i < text->len; i++)
		n += text->buf[i] == '\n';
	return n;
}

/* Adds "every 2s, 12 so far, q ends"; only the end of it where there is no room. */
static void add_last_line(struct watch *w, struct tsh_strbuf *to)
{
	const char *end = w->s->terminal ? "q ends" : "Ctrl-C ends";
	char *all = tsh_xasprintf("every %s, %llu so far, %s", w->step,
				  (unsigned long long)w->rounds, end);

	tsh_strbuf_addf(to, "\033[J%s%s%s\033[?7h\r", tsh_out_style(w->out, TSH_STYLE_DIM),
			strlen(all) < w->size.ws_col ? all : end,
			tsh_out_style(w->out, TSH_STYLE_NONE));
	free(all);
}

/* Draws the frame line over line; the terminal cuts long lines (DECAWM). */
static void redraw(struct watch *w)
{
	unsigned int n = count_rows(&w->frame), max, i;
	struct tsh_strbuf *to = &w->shown;
	const char *line = w->frame.buf;

	measure(w);
	move_cursor_up(w);
	max = rows_max(w);
	w->rows = n > max ? max : n;
	tsh_strbuf_clear(to);
	tsh_strbuf_adds(to, "\033[?7l");
	for (i = 0; i < w->rows; i++) {
		size_t len = strcspn(line, "\n");

		if (i + 1 < w->rows || n <= max)
			tsh_strbuf_add(to, line, len);
		else
			tsh_strbuf_addf(to, ".. and %u more lines", n - max + 1);
		tsh_strbuf_adds(to, "\033[K\n");
		line += len + 1;
	}
	add_last_line(w, to);
	tsh_strbuf_add(&w->out->data, to->buf, to->len);
	if (w->s->terminal)
		w->s->terminal->show_below(w->s->terminal_ctx, to, w->rows);
}

/* Says whether a key was pressed. *ret_quit: the key was q. */
static bool read_keys(const struct tsh_session *s, bool *ret_quit)
{
	bool any = false;
	int key;

	for (; (key = s->terminal->keys_read(s->terminal_ctx)) >= 0; any = true)
		*ret_quit |= key == 'q' || key == 'Q';
	return any;
}

/* Waits until then, or for a key. key_fd: descriptor of the keys, or -1. Returns false to end
 * watch. */
static bool wait_with_keys(struct watch *w, int64_t then, int key_fd)
{
	struct pollfd key = { .fd = key_fd, .events = POLLIN };
	int64_t left = then - tsh_now_ns(CLOCK_MONOTONIC);
	int ms = left > 0 ? (int)((left + NS_PER_MS - 1) / NS_PER_MS) : 0;
	bool quit = false;

	switch (tsh_wait(w->waiter, &key, key_fd >= 0, ms)) {
	case TSH_WAIT_TIMEOUT:
		return true;
	case TSH_WAIT_READY:
		/* Waits without the descriptor when it is ready without a key: the terminal is
		 * gone. */
		return read_keys(w->s, &quit) ? !quit : wait_with_keys(w, then, -1);
	case TSH_WAIT_ABORT:
		w->s->aborted = true;
		return false;
	default:
		return false;
	}
}

/* Waits until then, and reads keys meanwhile: while the command runs they are not read. */
static bool wait_until(struct watch *w, int64_t then)
{
	const struct tsh_session *s = w->s;
	bool more;

	if (!s->terminal)
		return wait_with_keys(w, then, -1);
	more = wait_with_keys(w, then, s->terminal->keys_begin(s->terminal_ctx));
	s->terminal->keys_end(s->terminal_ctx);
	return more;
}

static int watch(struct watch *w, const struct tsh_call *call, struct tsh_err *err)
{
	const struct tsh_value *command = tsh_args_get(&call->args, "COMMAND");
	const struct tsh_value *count = tsh_args_get(&call->args, "N");
	uint64_t step = tsh_args_get(&call->args, "TIME")->number;
	int64_t then;
	int r;

	do {
		then = tsh_now_ns(CLOCK_MONOTONIC) + (int64_t)step;
		r = run_round(w, command, err);
		if (w->redraws)
			redraw(w);
		tsh_out_flush(w->out);
	} while (!r && (!count || w->rounds < count->number) && !w->stopped && !w->s->quit &&
		 !w->s->aborted && !w->out->closed && wait_until(w, then));
	if (w->redraws)
		tsh_strbuf_adds(&w->out->data, "\r\033[K");
	if (w->redraws && w->s->terminal)
		w->s->terminal->show_below(w->s->terminal_ctx, NULL, 0);
	return r < 0 || w->s->aborted ? -1 : 0;
}

static int watch_run(struct tsh_session *s, const struct tsh_call *call, struct tsh_err *err)
{
	const struct tsh_value *step = tsh_args_get(&call->args, "TIME");
	struct watch w = { .s = s, .out = s->out, .waiter = s->waiter, .step = step->word.text,
			   .frame = TSH_STRBUF_INIT, .shown = TSH_STRBUF_INIT };
	int r;

	if (step->number < MIN_NS || step->number > INT_MAX * (uint64_t)NS_PER_MS)
		return tsh_err_at(err, step->word.span, "'%s' is not between 100ms and 24 days",
				  step->word.text);
	if (s->check) {
		s->is_watched = true;
		r = s->ops->run_nested(s, tsh_args_get(&call->args, "COMMAND")->word.span, err);
		s->is_watched = false;
		return r;
	}
	w.redraws = s->out->is_terminal && s->out->format == TSH_FORMAT_TEXT &&
		    tsh_terminal_can_move_cursor();
	r = watch(&w, call, err);
	tsh_strbuf_release(&w.frame);
	tsh_strbuf_release(&w.shown);
	return r;
}

static const struct tsh_arg watch_args[] = {
	{ .name = "N", .option = "--count", .type = TSH_ARG_NUMBER, .flags = TSH_ARG_OPTIONAL | TSH_ARG_NOT_ZERO,
	  .help = "end after N times" },
	{ .name = "TIME", .type = TSH_ARG_TIME, .help = "how often: 500ms, 2s; 2 is seconds" },
	{ .name = "COMMAND", .type = TSH_ARG_STATEMENT, .help = "what is run" },
	{ 0 }
};

static const struct tsh_example watch_examples[] = {
	{ "watch 2s stats", "how the buffers fill" },
	{ "watch --count 2 500ms status", "twice" },
	{ 0 }
};

const struct tsh_cmd tsh_cmd_watch = {
	.name = "watch", .group = TSH_GROUP_SEE, .summary = "run a command again and again",
	.description = "On a terminal the output stays in its place, cut to the window; elsewhere "
		       "each round is printed. Ctrl-C ends it, at the prompt q too, and any other "
		       "key shows the next round at once. A command that fails ends it.",
	.see_also = "stats status",
	.args = watch_args, .examples = watch_examples,
	.flags = TSH_CMD_IN_CHECK | TSH_CMD_NESTS,
	.endless_without = "",
	.run = watch_run, .script = tsh_script_none,
};
