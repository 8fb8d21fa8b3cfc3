/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "merge.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/safe-file.h"
#include "base/utf8.h"
#include "print.h"
#include "report.h"
#include "session/util.h"

/* Merges inputs, and prints what comes in order. */

/* Identifies a regular file that is merged. */
struct file {
	dev_t device;
	ino_t number;
	const char *path;
};

struct tsh_merge {
	struct tsh_session *s;
	TSH_VEC(struct file) files;
	const struct tsh_value *first;	/* of the inputs */
	bool has_stdin;
	struct tsh_merge_printer printer;
	struct tsh_gather *gather;
	struct tsh_range *range;
	uint64_t skew_ns;
	bool limited;
	uint64_t left;			/* events to print, where they are limited */
	uint64_t printed;		/* events */
};

/* ---- lines ---- */

static bool is_in_range(void *ctx, const struct tsh_host_line *line)
{
	struct tsh_merge *m = ctx;

	if (!m->range->is_on || !line->has_wall)
		return true;
	if (line->kind == TSH_HOST_LOST)
		return tsh_range_has_gap(m->range, -1, line->wall, line->error_ns);
	return line->kind != TSH_HOST_EVENT ||
	       tsh_range_has(m->range, -1, line->wall, line->error_ns);
}

static bool print_line(void *ctx, const struct tsh_host_line *line, struct tsh_host *host)
{
	struct tsh_merge *m = ctx;
	const struct tsh_out *out = m->s->out;

	if (line->kind == TSH_HOST_START && line->format > 1)
		tsh_out_warn(m->s->out, "'%s' writes format %" PRIu64 ", this tracesh knows format 1: "
			     "a newer one may be needed", host->name, line->format);
	if (line->kind == TSH_HOST_EVENT) {
		if (m->limited && !m->left)
			return false;
		m->printed++;
		m->left -= m->limited;
	}
	tsh_merge_print(&m->printer, line, host);
	return !out->closed && !out->error && !(m->limited && !m->left);
}

static bool flush(void *ctx)
{
	struct tsh_out *out = ((struct tsh_merge *)ctx)->s->out;

	tsh_out_flush(out);
	return !out->closed && !out->error;
}

/* ---- inputs ---- */

static int refuse(int fd, const struct tsh_value *file, struct tsh_err *err)
{
	if (fd > STDIN_FILENO)
		close(fd);
	tsh_err_blame(err, file->word.span);
	err->status = TSH_FAILED;
	return -1;
}

/* Refuses a file that is named twice, also by links: its events would be counted twice. */
static int note_file(struct tsh_merge *m, const struct stat *st, const char *path, struct tsh_err *err)
{
	size_t i;

	for (i = 0; i < m->files.n; i++)
		if (m->files.v[i].device == st->st_dev && m->files.v[i].number == st->st_ino) {
			tsh_err_set(err, TSH_FAILED, "'%s' is there already%s%s%s", path,
				    strcmp(path, m->files.v[i].path) != 0 ? ", as '" : "",
				    strcmp(path, m->files.v[i].path) != 0 ? m->files.v[i].path : "",
				    strcmp(path, m->files.v[i].path) != 0 ? "'" : "");
			tsh_err_hint(err, "each file once: its events would count twice");
			return -1;
		}
	*tsh_vec_push(&m->files) = (struct file){ st->st_dev, st->st_ino, path };
	return 0;
}

int tsh_merge_add(struct tsh_merge *m, const struct tsh_value *file, struct tsh_err *err)
{
	const char *path = file->word.text;
	bool is_stdin = !strcmp(path, "-");
	char *word;
	struct stat st;
	int fd;

	if (is_stdin && m->has_stdin)
		return tsh_err_at(err, file->word.span, "the input can be read once only");
	m->has_stdin |= is_stdin;
	if (!m->first)
		m->first = file;
	if (is_stdin && m->s->interactive)
		return tsh_err_at(err, file->word.span, "the input of the prompt is the terminal");
	fd = is_stdin ? STDIN_FILENO : tsh_open_linked(path, O_RDONLY | O_NONBLOCK);
	if (fd < 0 || fstat(fd, &st) < 0) {
		tsh_err_path(err, fd < 0 ? -fd : errno, "open", path);
		if (strpbrk(path, "*?["))
			tsh_err_hint(err, "the shell makes names of it: tracesh merge %s", path);
		return refuse(fd, file, err);
	}
	if (S_ISDIR(st.st_mode)) {
		tsh_err_errno(err, EISDIR, "cannot read '%s'", path);
		word = tsh_typed_word(path);
		tsh_err_hint(err, "its files: %s/*.json", word);
		free(word);
		return refuse(fd, file, err);
	}
	if (S_ISREG(st.st_mode) && note_file(m, &st, path, err) < 0)
		return refuse(fd, file, err);
	tsh_gather_add(m->gather, is_stdin ? "stdin" : path, fd);
	return 0;
}

/* ---- the whole ---- */

struct tsh_merge *tsh_merge_new(struct tsh_session *s, const struct tsh_merge_spec *spec)
{
	struct tsh_merge *m = tsh_xcalloc(1, sizeof(*m));
	const struct tsh_gather_options opt = {
		.waiter = s->waiter, .out_fd = s->out->fd, .is_wanted = is_in_range, .line = print_line,
		.flush = flush, .ctx = m,
		.delay_ns = spec->delay_ns, .skew_ns = spec->skew_ns, .room = spec->room,
	};

	m->s = s;
	m->limited = spec->limit;
	m->left = spec->limit ? *spec->limit : 0;
	m->skew_ns = spec->skew_ns;
	m->gather = tsh_gather_new(&opt);
	return m;
}

void tsh_merge_free(struct tsh_merge *m)
{
	tsh_vec_release(&m->files);
	tsh_gather_free(m->gather);
	free(m);
}

/* Refuses a merge whose every event was left out, since none has a time. */
static int check_timed(const struct tsh_merge *m, struct tsh_err *err)
{
	const struct tsh_gather_input *in;
	size_t i;

	if (m->printed || m->range->outside)
		return 0;
	for (i = 0; (in = tsh_gather_input(m->gather, i)) && !in->untimed; i++)
		;
	if (!in)
		return 0;
	tsh_err_set(err, TSH_FAILED, "no event has a wall-clock time, by which they are merged: the first is line %"
		    PRIu64 " of '%s'", in->first_untimed, in->name);
	tsh_err_hint(err, "on each host: clock boot, then record the events again");
	return -1;
}

/* Refuses a merge in which no line was tracesh's: a wrong file, or another format. */
static int check_found(const struct tsh_merge *m, struct tsh_err *err)
{
	const struct tsh_gather_input *in;
	uint64_t bad = 0;
	size_t i;

	for (i = 0; (in = tsh_gather_input(m->gather, i)); i++)
		bad += in->bad;
	if (tsh_gather_host(m->gather, 0) || !bad)
		return check_timed(m, err);
	tsh_err_at(err, m->first->word.span, "no line is one of tracesh's JSON");
	err->status = TSH_FAILED;
	tsh_err_hint(err, "on each host: tracesh --json stream EVENT.. > HOST.json");
	return -1;
}

int tsh_merge_run(struct tsh_merge *m, struct tsh_range *range, struct tsh_err *err)
{
	struct tsh_merge_report report = { .out = m->s->out, .gather = m->gather, .range = range };
	int r;

	m->range = range;
	tsh_merge_print_begin(&m->printer, m->s, m->skew_ns);
	r = tsh_gather_run(m->gather, &report.end, err);
	report.printed = m->printed;
	if (!r && !tsh_merge_is_unread(m->gather, report.end))
		r = check_found(m, err);
	if (!r && m->s->out->format == TSH_FORMAT_JSON)
		tsh_merge_report_json(&report);
	m->s->aborted = !r && report.end == TSH_GATHER_ABORT;
	/* Prints no report when the reader has closed the pipe. */
	if (!r && report.end != TSH_GATHER_CLOSED && !m->s->out->closed)
		tsh_merge_report_text(&report);
	tsh_merge_print_end(&m->printer);
	return r < 0 || m->s->aborted ? -1 : 0;
}
