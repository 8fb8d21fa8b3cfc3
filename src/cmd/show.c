/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "commands.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "show-print.h"
#include "show.h"
#include "tracesh/journal.h"
#include "tracesh/stream.h"
#include "util.h"

/* show: the text of the buffer, nothing consumed. */

struct piece {
	char *text;			/* not NUL-terminated: the option bin prints NULs */
	size_t len;
};

struct show {
	struct tsh_session *s;
	struct tsh_show_printer printer;
	struct tsh_show_reader rd;
	int fd;				/* -1: everything is in memory */
	int error;			/* of reading */
	uint64_t present;		/* events that were there before it was opened */
	bool stopped;			/* by a signal, or nobody reads us any more */
	unsigned int items;

	bool limited;			/* -n */
	uint64_t limit;
	TSH_VEC(struct piece) last;	/* a ring of events, each with the lines before it */
	size_t oldest;			/* in the ring, once it is full */
	struct tsh_strbuf before;	/* lines before the next event */
};

/* ---- the options of function_graph, set for the moment of reading ---- */

#define GRAPH_OPTIONS 2

static const char *const graph_options[GRAPH_OPTIONS] = {
	"options/funcgraph-abstime", "options/funcgraph-proc"
};

struct graph {
	size_t entries;			/* of the journal, before */
	bool set[GRAPH_OPTIONS];
};

static void set_graph_options(struct tsh_session *s, struct graph *g)
{
	struct tsh_err err = { 0 };
	size_t i;

	g->entries = s->dir->journal->entries.n;
	for (i = 0; i < GRAPH_OPTIONS; i++) {
		g->set[i] = false;
		if (tsh_file_number(s->in, graph_options[i], 1))
			continue;
		g->set[i] = tsh_file_write(s->in, graph_options[i], TSH_WRITE_SET, "1",
					   &err) > 0;
		/* --read-only, a recorded tree: the layout is then another one */
		tsh_err_release(&err);
	}
}

static void restore_graph_options(struct tsh_session *s, const struct graph *g)
{
	struct tsh_err err = { 0 };
	bool restored = true;
	size_t i;

	for (i = GRAPH_OPTIONS; i-- > 0;) {
		if (!g->set[i] || tsh_file_write(s->in, graph_options[i], TSH_WRITE_SET, "0",
						 &err) >= 0)
			continue;
		restored = false;
		tsh_out_warn(s->out, "%s was left on: %s", graph_options[i], err.message);
		tsh_err_release(&err);
	}
	/* There and back: nothing that undo could take back. */
	while (restored && s->dir->journal->entries.n > g->entries)
		tsh_journal_drop_last(s->dir->journal);
}

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

/* The same for every item: a look at the signals costs a system call. */
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

static uint64_t now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000 + (uint64_t)ts.tv_nsec;
}

/*
 * Into memory, until the end; but what is traced meanwhile, the reading itself above
 * all, is no end of it: an event has few lines, and a graph some between its tasks.
 */
static int read_present(struct show *show)
{
	struct tsh_strbuf *buf = &show->rd.buf;
	uint64_t lines = 0, most = show->present > UINT64_MAX / 16 ? UINT64_MAX :
								     show->present * 8 + 64;
	size_t i = 0;

	show->fd = tsh_file_open(show->s->in, "trace", 0);
	if (show->fd < 0)
		return show->fd;
	while (lines < most && fill(show, buf))
		for (; i < buf->len; i++)
			lines += buf->buf[i] == '\n';
	close(show->fd);
	show->fd = -1;
	return -show->error;
}

/* Kernels before 5.7 stop recording while the file is open; later ones when asked to. */
static bool pauses(const struct tsh_session *s)
{
	return s->dir->kind != TSH_DIR_TREE &&
	       tsh_file_number(s->in, "options/pause-on-trace", 1) &&
	       tsh_file_number(s->in, "tracing_on", 0);
}

/*
 * Opens the file, or reads it into memory where it must not stay open: a pager that
 * nobody turns would stop the recording, or keep other people's options changed.
 */
static int open_text(struct show *show, bool is_graph, struct tsh_err *err)
{
	struct tsh_session *s = show->s;
	bool paused = pauses(s);
	struct tsh_strbuf took = TSH_STRBUF_INIT;
	struct graph graph = { 0 };
	unsigned int tries = 0;
	uint64_t begin;
	int r;

	show->present = s->dir->kind == TSH_DIR_TREE ? UINT64_MAX : tsh_cmd_entries(s->in);
	if (!is_graph && !paused) {
		show->fd = tsh_file_open(s->in, "trace", 0);
		show->rd.fill = fill;
		show->rd.ctx = show;
		r = show->fd;
	} else {
		if (is_graph)
			set_graph_options(s, &graph);
		begin = now_ns();
		/* A graph that grows under a busy reader was seen to fail with EFBIG on 6.1;
		 * the next try reads it. */
		do {
			tsh_strbuf_clear(&show->rd.buf);
			show->error = 0;
			r = read_present(show);
		} while (r == -EFBIG && ++tries < 5);
		tsh_format_ns(now_ns() - begin, &took);
		if (is_graph)
			restore_graph_options(s, &graph);
	}
	if (paused && r >= 0)
		tsh_out_note(s->out, "this kernel took no events while its buffer was read: %s",
			     took.buf);
	tsh_strbuf_release(&took);
	if (r >= 0)
		return 0;
	tsh_err_errno(err, -r, "cannot read 'trace' of '%s'", tsh_instance_label(s->in));
	if (r == -ENOENT && s->dir->kind == TSH_DIR_TREE)
		tsh_err_hint(err, "the recording holds pages, not text: stream");
	return -1;
}

static bool option(const struct tsh_session *s, const char *name, bool otherwise)
{
	char *path = tsh_xasprintf("options/%s", name);
	bool value = tsh_file_number(s->in, path, otherwise) != 0;

	free(path);
	return value;
}

/* What shapes the lines. */
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

/* After the header was read: it was made when the file was opened, and says itself
 * what it can. */
static void find_layout(struct show *show, bool is_graph)
{
	const struct tsh_session *s = show->s;
	const struct tsh_show_options opt = read_options(s, is_graph);
	const char *header;
	size_t len = tsh_show_header(&show->rd, &header);

	tsh_show_layout_find(&opt, header, len, &show->rd.layout);
	if (memmem(header, len, "FUNCTION TRACING IS CORRUPTED", 29))
		tsh_out_warn(s->out, "the kernel says that its function tracing is corrupted: "
			     "events may be missing until the next boot");
	/* Of a layout that nobody knows the kernel's own header explains the columns. */
	if (s->out->format == TSH_FORMAT_KERNEL && !show->limited)
		tsh_out_text(s->out, header, len);
	tsh_show_print_start(&show->printer, &show->rd.layout);
	if (s->out->format == TSH_FORMAT_TEXT && show->rd.layout.kind == TSH_SHOW_OTHER)
		tsh_out_text(s->out, header, len);
}

/* ---- -n: the last events ---- */

static void keep(struct show *show, const struct tsh_show_item *item)
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

/* A kept piece is taken apart once more: it may begin with lost events. */
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

/* ---- the command ---- */

static void print_all(struct show *show)
{
	bool by_line = show->rd.layout.kind == TSH_SHOW_OTHER;
	uint64_t left = show->present;
	struct tsh_show_item item;
	bool any = false;

	/* Of a layout that is not known an event's lines cannot be counted. */
	if (by_line)
		left = left > UINT64_MAX / 64 ? UINT64_MAX : left * 64;
	while (left && !is_over(show) && tsh_show_next(&show->rd, &item)) {
		any = true;
		left -= by_line || item.kind == TSH_SHOW_EVENT;
		if (show->limited)
			keep(show, &item);
		else
			tsh_show_print(&show->printer, &item);
	}
	if (show->limited)
		print_kept(show);
	if (!any && !show->stopped && !show->error)
		tsh_out_note(show->s->out, "the buffer of '%s' is empty",
			     tsh_instance_label(show->s->in));
}

/* Events that a stream took out of the buffer and did not print yet. */
static void note_read_ahead(const struct tsh_session *s)
{
	const char *label = tsh_instance_label(s->in);
	uint64_t pending = 0;
	size_t i;

	for (i = 0; i < s->readers.n; i++) {
		const struct tsh_reader *reader = &s->readers.v[i];

		if (!strcmp(reader->instance ? reader->instance : "top", label))
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

bool tsh_show_newest(struct tsh_session *s, unsigned int cpu, uint64_t *ret_stamp)
{
	const struct tsh_show_options opt = read_options(s, false);
	struct show show = { .s = s, .fd = -1 };
	uint64_t left = tsh_cmd_entries(s->in);
	struct tsh_show_item item;
	const char *header;
	bool found = false;
	size_t len;
	char *path;

	if (pauses(s))
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
	/* No further than what was there: a busy writer is never caught up with. */
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

static int show_run(struct tsh_session *s, const struct tsh_call *call, struct tsh_err *err)
{
	const struct tsh_value *n = tsh_args_get(&call->args, "N");
	struct show show = { .s = s, .fd = -1, .limited = n != NULL, .limit = n ? n->number : 0 };
	char *tracer = tsh_file_text(s->in, "current_tracer");
	bool is_graph = tracer && !strcmp(tracer, "function_graph");
	int r;

	free(tracer);
	note_read_ahead(s);
	tsh_show_printer_init(&show.printer, s);
	r = open_text(&show, is_graph && s->out->format != TSH_FORMAT_KERNEL, err);
	if (!r) {
		find_layout(&show, is_graph);
		print_all(&show);
		if (show.error)
			r = tsh_err_errno(err, show.error, "cannot read 'trace' of '%s'",
					  tsh_instance_label(s->in));
	}
	release(&show);
	return r;
}

static const struct tsh_arg show_args[] = {
	{ .name = "N", .option = "-n", .type = TSH_ARG_NUMBER, .flags = TSH_ARG_OPTIONAL,
	  .help = "only the last N events" },
	{ 0 }
};

static const struct tsh_example show_examples[] = {
	{ "show", "everything that is in the buffer" },
	{ "show -n 10", "the last ten events" },
	{ 0 }
};

const struct tsh_cmd tsh_cmd_show = {
	.name = "show", .group = TSH_GROUP_SEE, .summary = "show the text of the buffer",
	.description =
		"The kernel's own text of the current instance, with wall-clock times. Nothing is "
		"consumed: it shows the same again.\n"
		"The lines are taken apart by their columns. A marker can hold lines that look like "
		"events, and in this text nothing tells them apart; stream reads the events "
		"themselves.\n"
		"For the tracer function_graph the options funcgraph-abstime and funcgraph-proc are "
		"set for the moment of reading. Layouts without a time that can be converted "
		"(latency-format, raw, hex, bin, context-info off) are printed as they are.\n"
		"Kernels before 5.7 record nothing while this text is read.",
	.args = show_args, .examples = show_examples,
	.flags = TSH_CMD_NEEDS_TRACEFS | TSH_CMD_PRINTS,
	.run = show_run,
};
