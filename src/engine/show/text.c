/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "show.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/now.h"
#include "events/source/stream.h"
#include "graph.h"
#include "print.h"
#include "session/util.h"

/* Prints the kernel's text of a buffer, which is not consumed. */

struct piece {
	char *text;			/* not NUL-terminated: the option bin prints NULs */
	size_t len;
};

struct show {
	struct tsh_session *s;
	const char *file;		/* trace or snapshot */
	struct tsh_show_printer printer;
	struct tsh_show_reader rd;
	int fd;				/* -1: everything is in memory */
	int error;			/* of reading */
	uint64_t present;		/* events in the buffer before the file was opened */
	int64_t opened;			/* wall time of opening, ns */
	bool stopped;			/* by a signal, or as the reader of the output is gone */
	unsigned int items;

	bool limited;			/* -n */
	uint64_t limit;
	TSH_VEC(struct piece) last;	/* a ring of events, each with the lines before it */
	size_t oldest;			/* in the ring, once it is full */
	struct tsh_strbuf before;	/* lines before the next event */
	struct tsh_range *range;
	bool has_gap;			/* a line in `before` says that events are missing */
};

/* ---- reading ---- */

static bool interrupted(struct show *show)
{
	const struct tsh_waiter *waiter = show->s->waiter;
	enum tsh_wait_result r = waiter ? tsh_wait(waiter, NULL, 0, 0) : TSH_WAIT_TIMEOUT;

	if (r == TSH_WAIT_ABORT)
		show->s->aborted = true;
	if (r == TSH_WAIT_ABORT || r == TSH_WAIT_STOP || show->s->out->closed ||
	    show->s->out->error)
		show->stopped = true;
	return show->stopped;
}

/* Says whether to stop; checks for signals at each 256th item only, as that costs a system call. */
static bool is_over(struct show *show)
{
	if (show->stopped || ++show->items % 256)
		return show->stopped;
	return interrupted(show);
}

static bool fill(void *ctx, struct tsh_strbuf *buf)
{
	struct show *show = ctx;
	ssize_t n;

	if (interrupted(show))
		return false;
	tsh_strbuf_grow(buf, 65536);
	do {
		n = read(show->fd, buf->buf + buf->len, buf->cap - buf->len - 1);
	} while (n < 0 && errno == EINTR);
	if (n < 0)
		show->error = errno;
	if (n <= 0)
		return false;
	buf->len += (size_t)n;
	buf->buf[buf->len] = '\0';
	return true;
}

/* Reads the file into memory, up to the lines that the present events can have (8 for each, and
 * 64): events that are traced meanwhile, also those of this reading, could go on for ever. */
static int read_present(struct show *show)
{
	struct tsh_strbuf *buf = &show->rd.buf;
	uint64_t lines = 0, most = show->present > UINT64_MAX / 16 ? UINT64_MAX :
								     show->present * 8 + 64;
	size_t i = 0;

	show->fd = tsh_file_open(show->s->in, show->file, 0);
	if (show->fd < 0)
		return show->fd;
	while (lines < most && fill(show, buf))
		for (; i < buf->len; i++)
			lines += buf->buf[i] == '\n';
	close(show->fd);
	show->fd = -1;
	return -show->error;
}

/* Says whether recording stops while the file is open: before Linux 5.7 always, later with the
 * option pause-on-trace. */
static bool pauses(const struct tsh_session *s, const char *file)
{
	return strcmp(file, "snapshot") != 0 && s->dir->kind != TSH_DIR_TREE &&
	       tsh_file_number(s->in, "options/pause-on-trace", 1) &&
	       tsh_file_number(s->in, "tracing_on", 0);
}

/* Opens the file, or reads it into memory where it must not stay open: output that waits in a pager
 * would stop the recording, or leave options changed. */
static int open_text(struct show *show, bool is_graph, struct tsh_err *err)
{
	struct tsh_session *s = show->s;
	bool paused = pauses(s, show->file);
	struct tsh_strbuf took = TSH_STRBUF_INIT;
	struct tsh_show_graph graph = { 0 };
	unsigned int tries = 0;
	uint64_t begin;
	int r;

	show->present = UINT64_MAX;
	/* Counts the events, unless recording stops while the file is read: then the file ends by
	 * itself. */
	if (s->dir->kind != TSH_DIR_TREE && !strcmp(show->file, "trace") && !paused)
		show->present = tsh_cmd_entries(s->in);
	show->opened = tsh_now_ns(CLOCK_REALTIME);
	if (!is_graph && !paused) {
		show->fd = tsh_file_open(s->in, show->file, 0);
		show->rd.fill = fill;
		show->rd.ctx = show;
		r = show->fd;
	} else {
		if (is_graph)
			tsh_show_graph_set(s, &graph);
		begin = (uint64_t)tsh_now_ns(CLOCK_MONOTONIC);
		/* Tries again after EFBIG, with which reading a growing graph was seen to fail on
		 * 6.1. */
		do {
			tsh_strbuf_clear(&show->rd.buf);
			show->error = 0;
			r = read_present(show);
		} while (r == -EFBIG && ++tries < 5);
		tsh_format_ns((uint64_t)tsh_now_ns(CLOCK_MONOTONIC) - begin, &took);
		if (is_graph)
			tsh_show_graph_restore(s, &graph);
	}
	if (paused && r >= 0)
		tsh_out_note(s->out, "this kernel took no events while its buffer was read: %s",
			     took.buf);
	tsh_strbuf_release(&took);
	if (r >= 0)
		return 0;
	if (s->dir->kind == TSH_DIR_TREE)
		return tsh_file_blame(s->in, show->file, r, err);
	return tsh_err_errno(err, -r, "cannot read '%s' of '%s'", show->file,
			     tsh_instance_label(s->in));
}

static bool option(const struct tsh_session *s, const char *name, bool otherwise)
{
	char *path = tsh_xasprintf("options/%s", name);
	bool value = tsh_file_number(s->in, path, otherwise) != 0;

	free(path);
	return value;
}

/* Reads the options that change the lines. */
static struct tsh_show_options read_options(const struct tsh_session *s, bool is_graph)
{
	return (struct tsh_show_options){
		.context_info = option(s, "context-info", true),
		.latency_format = option(s, "latency-format", false),
		.raw = option(s, "raw", false),
		.hex = option(s, "hex", false),
		.bin = option(s, "bin", false),
		.record_tgid = option(s, "record-tgid", false),
		.irq_info = option(s, "irq-info", true),
		.funcgraph_cpu = is_graph && option(s, "funcgraph-cpu", true),
		.funcgraph_proc = is_graph,
		.funcgraph_abstime = is_graph,
	};
}

/* Finds the layout of the lines by their header, which was made when the file was opened. */
static int find_layout(struct show *show, bool is_graph, struct tsh_err *err)
{
	const struct tsh_session *s = show->s;
	const struct tsh_show_options opt = read_options(s, is_graph);
	const char *header;
	size_t len = tsh_show_header(&show->rd, &header);

	tsh_show_layout_find(&opt, header, len, &show->rd.layout);
	if (show->range->is_on && show->rd.layout.kind == TSH_SHOW_OTHER) {
		tsh_err_set(err, TSH_FAILED, "these lines have no time that --since and --until "
			    "could be compared with: %s", show->rd.layout.why);
		tsh_err_hint(err, "drain has one for each event, whatever the options are");
		return -1;
	}
	if (memmem(header, len, "FUNCTION TRACING IS CORRUPTED", 29))
		tsh_out_warn(s->out, "the kernel says that its function tracing is corrupted: "
			     "events may be missing until the next boot");
	/* Prints the kernel's own header in the format kernel, and in text when the layout is
	 * unknown. */
	if (s->out->format == TSH_FORMAT_KERNEL && !show->limited)
		tsh_out_text(s->out, header, len);
	tsh_show_print_start(&show->printer, &show->rd.layout);
	if (s->out->format == TSH_FORMAT_TEXT && show->rd.layout.kind == TSH_SHOW_OTHER)
		tsh_out_text(s->out, header, len);
	return 0;
}

/* ---- -n: the last events ---- */

static void store_last(struct show *show, const struct tsh_show_item *item)
{
	bool counts = item->kind == TSH_SHOW_EVENT ||
		      (item->kind == TSH_SHOW_TEXT && show->rd.layout.kind != TSH_SHOW_GRAPH);
	struct piece *piece;

	tsh_strbuf_add(&show->before, item->text, item->len);
	if (!counts)
		return;
	if (show->last.n < show->limit) {
		piece = tsh_vec_push(&show->last);
	} else if (show->limit) {
		piece = &show->last.v[show->oldest];
		free(piece->text);
		show->oldest = (show->oldest + 1) % show->last.n;
	} else {
		tsh_strbuf_clear(&show->before);
		return;
	}
	piece->len = show->before.len;
	piece->text = tsh_strbuf_detach(&show->before);
}

/* Parses a kept piece again and prints it: it can begin with lost events. */
static void print_piece(struct show *show, const char *text, size_t len)
{
	struct tsh_show_reader rd = { .layout = show->rd.layout, .eof = true };
	struct tsh_show_item item;

	tsh_strbuf_add(&rd.buf, text, len);
	while (!is_over(show) && tsh_show_next(&rd, &item))
		tsh_show_print(&show->printer, &item);
	tsh_show_reader_release(&rd);
}

static void print_kept(struct show *show)
{
	size_t i;

	for (i = 0; i < show->last.n; i++) {
		const struct piece *piece = &show->last.v[(show->oldest + i) % show->last.n];

		print_piece(show, piece->text, piece->len);
	}
	if (show->limit)
		print_piece(show, show->before.buf, show->before.len);
}

/* ---- --since and --until ---- */

static void print_before(struct show *show)
{
	print_piece(show, show->before.buf, show->before.len);
	tsh_strbuf_clear(&show->before);
	show->has_gap = false;
}

/* Drops an event outside of the range, but prints a gap before it that can lie inside. */
static void skip_event(struct show *show, bool may_gap)
{
	if (show->has_gap && may_gap && !show->limited)
		print_before(show);
	tsh_strbuf_clear(&show->before);
	show->has_gap = false;
}

/* Holds the lines before an event until it is known whether the event is printed. */
static void store_in_range(struct show *show, const struct tsh_show_item *item)
{
	uint64_t error;
	int64_t wall;
	bool may_gap;

	if (item->kind != TSH_SHOW_EVENT) {
		show->has_gap |= item->kind == TSH_SHOW_LOST;
		tsh_strbuf_add(&show->before, item->text, item->len);
		return;
	}
	if (tsh_show_wall(&show->printer, item, &wall, &error)) {
		may_gap = tsh_range_has_gap(show->range, item->cpu, wall, error);
		if (!tsh_range_has(show->range, item->cpu, wall, error)) {
			skip_event(show, may_gap);
			return;
		}
	}
	if (show->limited) {
		store_last(show, item);
		return;
	}
	tsh_strbuf_add(&show->before, item->text, item->len);
	print_before(show);
}

/* Notes how many events were outside of the range; when none was inside, also their times. */
static void note_outside(struct show *show)
{
	struct tsh_strbuf text = TSH_STRBUF_INIT;

	if (show->stopped || !show->range->outside || (show->limited && !show->limit))
		return;
	tsh_format_count(show->range->outside, &text);
	if (show->printer.sum.events) {
		tsh_out_note(show->s->out, "%s outside of the range not printed", text.buf);
	} else {
		/* says more, as this is a mistake more often than a result */
		tsh_strbuf_addf(&text, " %s outside of it",
				show->range->outside == 1 ? "is" : "are");
		tsh_range_outside(show->range, &text);
		tsh_out_note(show->s->out, "no event is in the range; %s", text.buf);
	}
	tsh_strbuf_release(&text);
}

/* ---- the command ---- */

/* Says whether all events have been printed that were there when the file was opened; a busy writer
 * adds more and more. The number of lines is not enough, since an event's text can have lines that
 * look like events: a later time decides. Without wall-clock times the number of lines decides. */
static bool is_past(const struct show *show, uint64_t left, const struct tsh_show_item *item)
{
	uint64_t error;
	int64_t wall;

	if (left)
		return false;
	if (show->rd.layout.kind == TSH_SHOW_OTHER || !tsh_clock_is_ready(&show->printer.clock))
		return true;
	return item->kind == TSH_SHOW_EVENT &&
	       tsh_show_wall(&show->printer, item, &wall, &error) &&
	       wall - (int64_t)error > show->opened &&
	       wall - (int64_t)error <= tsh_now_ns(CLOCK_REALTIME);
}

static void print_all(struct show *show)
{
	bool by_line = show->rd.layout.kind == TSH_SHOW_OTHER;
	uint64_t left = show->present;
	struct tsh_show_item item;
	bool any = false, is_buffer = !strcmp(show->file, "trace");
	bool is_tree = show->s->dir->kind == TSH_DIR_TREE;

	/* Allows 64 lines an event where the layout is unknown. */
	if (by_line)
		left = left > UINT64_MAX / 64 ? UINT64_MAX : left * 64;
	while (!is_over(show) && tsh_show_next(&show->rd, &item) && !is_past(show, left, &item)) {
		any = true;
		if (left && (by_line || item.kind == TSH_SHOW_EVENT))
			left--;
		if (show->range->is_on)
			store_in_range(show, &item);
		else if (show->limited)
			store_last(show, &item);
		else
			tsh_show_print(&show->printer, &item);
	}
	if (show->limited)
		print_kept(show);
	if (!any && !show->stopped && !show->error)
		tsh_out_note(show->s->out, "the %s of '%s' is empty%s", is_buffer ? "buffer" : "snapshot",
			     tsh_instance_label(show->s->in),
			     !is_buffer ? "" : is_tree ? " (status says what was set)" : " (doctor says why)");
	note_outside(show);
}

void tsh_show_note_read_ahead(const struct tsh_session *s)
{
	const char *label = tsh_instance_label(s->in);
	uint64_t pending = 0;
	size_t i;

	for (i = 0; i < s->readers.n; i++) {
		const struct tsh_reader *reader = &s->readers.v[i];

		if (!strcmp(tsh_instance_word(reader->instance), label))
			pending += tsh_source_pending(reader->source);
	}
	if (pending)
		tsh_out_note(s->out, "%llu event%s before these %s read ahead: drain prints them",
			     (unsigned long long)pending, tsh_plural(pending),
			     pending == 1 ? "was" : "were");
}

static void release(struct show *show)
{
	size_t i;

	if (show->fd >= 0)
		close(show->fd);
	tsh_show_printer_end(&show->printer);
	tsh_show_reader_release(&show->rd);
	for (i = 0; i < show->last.n; i++)
		free(show->last.v[i].text);
	tsh_vec_release(&show->last);
	tsh_strbuf_release(&show->before);
}

bool tsh_show_read_newest(struct tsh_session *s, unsigned int cpu, uint64_t *ret_stamp)
{
	const struct tsh_show_options opt = read_options(s, false);
	struct show show = { .s = s, .fd = -1 };
	uint64_t left = tsh_cmd_entries(s->in);
	struct tsh_show_item item;
	const char *header;
	bool found = false;
	size_t len;
	char *path;

	if (pauses(s, "trace"))
		return false;
	path = tsh_xasprintf("per_cpu/cpu%u/trace", cpu);
	show.fd = tsh_file_open(s->in, path, 0);
	free(path);
	if (show.fd < 0)
		return false;
	show.rd.fill = fill;
	show.rd.ctx = &show;
	len = tsh_show_header(&show.rd, &header);
	tsh_show_layout_find(&opt, header, len, &show.rd.layout);
	/* Reads no more events than there were, as a busy writer adds more and more. */
	while (show.rd.layout.kind == TSH_SHOW_STANDARD && left &&
	       tsh_show_next(&show.rd, &item)) {
		if (item.kind != TSH_SHOW_EVENT)
			continue;
		*ret_stamp = item.stamp;
		found = true;
		left--;
	}
	close(show.fd);
	tsh_show_reader_release(&show.rd);
	return found;
}

int tsh_show_text(struct tsh_session *s, const char *file, const uint64_t *last, struct tsh_range *range,
		  struct tsh_err *err)
{
	struct show show = { .s = s, .file = file, .fd = -1, .limited = last, .limit = last ? *last : 0,
			     .range = range };
	char *tracer = tsh_file_text(s->in, "current_tracer");
	bool is_graph = tracer && !strcmp(tracer, "function_graph");
	int r;

	free(tracer);
	tsh_show_printer_init(&show.printer, s, range->is_on);
	if (range->is_on && tsh_range_check_time(&show.printer.clock, err) < 0)
		r = -1;
	else
		r = open_text(&show, is_graph && s->out->format != TSH_FORMAT_KERNEL, err);
	if (!r)
		r = find_layout(&show, is_graph, err);
	if (!r) {
		print_all(&show);
		tsh_show_print_end(&show.printer, range);
		if (show.error)
			r = tsh_err_errno(err, show.error, "cannot read '%s' of '%s'", file,
					  tsh_instance_label(s->in));
	}
	release(&show);
	return r;
}
