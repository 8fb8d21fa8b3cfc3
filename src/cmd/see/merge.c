/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cmd/commands.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/json.h"
#include "base/number.h"
#include "base/safe-file.h"
#include "base/utf8.h"
#include "engine/hosts/print.h"
#include "engine/pipeline/range.h"
#include "session/script.h"
#include "session/util.h"

/* merge: the JSON streams of several hosts, by the wall clock. */

#define DELAY_NS UINT64_C(1000000000)
#define ROOM (64 << 20)

/* One of those that are read to their end. */
struct file {
	dev_t device;
	ino_t number;
	const char *path;
};

struct merge {
	struct tsh_session *s;
	TSH_VEC(struct file) files;
	struct tsh_merge_printer printer;
	struct tsh_gather *gather;
	struct tsh_range range;
	bool limited;			/* -n */
	uint64_t left;
	uint64_t printed;		/* events */
};

/* ---- lines ---- */

static bool is_in_range(struct merge *m, const struct tsh_host_line *line)
{
	if (!m->range.is_on || !line->has_wall)
		return true;
	if (line->kind == TSH_HOST_LOST)
		return tsh_range_has_gap(&m->range, -1, line->wall, line->error_ns);
	return line->kind != TSH_HOST_EVENT ||
	       tsh_range_has(&m->range, -1, line->wall, line->error_ns);
}

static bool take_line(void *ctx, const struct tsh_host_line *line, struct tsh_host *host)
{
	struct merge *m = ctx;
	const struct tsh_out *out = m->s->out;

	if (line->kind == TSH_HOST_START && line->format > 1)
		tsh_out_warn(m->s->out, "'%s' writes format %" PRIu64 ", this tracesh knows format 1: "
			     "a newer one may be needed", host->name, line->format);
	if (!is_in_range(m, line))
		return true;
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
	struct tsh_out *out = ((struct merge *)ctx)->s->out;

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

/* The events of one that is named twice, by links too, would be counted twice. */
static int take_file(struct merge *m, const struct stat *st, const char *path, struct tsh_err *err)
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

static int add_input(struct merge *m, const struct tsh_value *file, struct tsh_err *err)
{
	const char *path = file->word.text;
	bool is_stdin = !strcmp(path, "-");
	char *word;
	struct stat st;
	int fd;

	if (is_stdin && m->s->interactive)
		return tsh_err_at(err, file->word.span, "the input of the prompt is the terminal");
	fd = is_stdin ? STDIN_FILENO :
			tsh_open_linked(path, O_RDONLY | O_NONBLOCK);
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
	if (S_ISREG(st.st_mode) && take_file(m, &st, path, err) < 0)
		return refuse(fd, file, err);
	tsh_gather_add(m->gather, is_stdin ? "stdin" : path, fd);
	return 0;
}

static int add_inputs(struct merge *m, const struct tsh_call *call, struct tsh_err *err)
{
	const struct tsh_value *file = NULL;
	bool has_stdin = false;

	while ((file = tsh_args_next(&call->args, "FILE", file))) {
		if (!strcmp(file->word.text, "-") && has_stdin)
			return tsh_err_at(err, file->word.span, "the input can be read once only");
		has_stdin |= !strcmp(file->word.text, "-");
		if (add_input(m, file, err) < 0)
			return -1;
	}
	return 0;
}

/* ---- what is said at the end ---- */

/* "boards.json: 3 lines are none of tracesh's JSON, the first is line 17" */
static void report_input(struct merge *m, const struct tsh_gather_input *in,
			 enum tsh_gather_end end)
{
	struct tsh_out *out = m->s->out;

	if (!in->lines && end == TSH_GATHER_EMPTY)
		tsh_out_warn(out, "'%s' is empty", in->name);
	if (in->bad == 1 && in->is_cut)
		tsh_out_warn(out, "the last line of '%s' (%" PRIu64 ") is cut off", in->name,
			     in->first_bad);
	else if (in->bad)
		tsh_out_warn(out, "%" PRIu64 " line%s of '%s' %s none of tracesh's JSON: %s%" PRIu64
			     "%s", in->bad, tsh_plural(in->bad), in->name, in->bad == 1 ? "is" : "are",
			     in->bad == 1 ? "line " : "the first is line ", in->first_bad,
			     in->is_cut ? "; the last one is cut off" : "");
	if (in->crowded)
		tsh_out_warn(out, "%" PRIu64 " line%s of '%s' left out: of hosts, or of streams of "
			     "theirs, beyond %d", in->crowded, tsh_plural(in->crowded), in->name,
			     TSH_HOSTS_MAX);
	if (in->is_doubtful)
		tsh_out_warn(out, "'%s' has lines of several hosts, and nothing says whose: with the "
			     "host's name before each, as of parallel --tag or mosquitto_sub -F "
			     "'%%t %%p', they can be told apart", in->name);
}

static void add_lost(uint64_t lost, bool unknown, struct tsh_strbuf *text)
{
	tsh_strbuf_adds(text, unknown ? ", at least " : ", ");
	tsh_format_count(lost, text);
	tsh_strbuf_adds(text, " lost");
}

static void add_marks(uint64_t unordered, uint64_t late, struct tsh_strbuf *text)
{
	if (unordered) {
		tsh_strbuf_adds(text, ", ");
		tsh_format_count(unordered, text);
		tsh_strbuf_adds(text, " not ordered for sure");
	}
	if (late) {
		tsh_strbuf_adds(text, ", ");
		tsh_format_count(late, text);
		tsh_strbuf_adds(text, " late");
	}
}

/* "board1: 1,204 events, 0 lost, 2 s" */
static void report_host(struct merge *m, const struct tsh_host *host)
{
	struct tsh_strbuf text = TSH_STRBUF_INIT;

	tsh_format_count(host->events, &text);
	tsh_strbuf_addf(&text, " event%s", tsh_plural(host->events));
	add_lost(host->lost, host->lost_unknown, &text);
	if (host->late)
		add_marks(0, host->late, &text);
	if (host->untimed)
		tsh_strbuf_addf(&text, ", %" PRIu64 " without a wall-clock time", host->untimed);
	tsh_strbuf_adds(&text, ", ");
	tsh_format_ns(host->ns || !host->has_wall ? host->ns :
		      (uint64_t)host->last - (uint64_t)host->first, &text);
	if (host->cut == 1)
		tsh_strbuf_adds(&text, "; its stream has no end line: it was cut off");
	else if (host->cut)
		tsh_strbuf_addf(&text, "; %" PRIu64 " of its streams have no end line: they were cut "
				"off", host->cut);
	tsh_out_note(m->s->out, "%s: %s", host->name, text.buf);
	tsh_strbuf_release(&text);
}

/* Hosts that say they are one machine, by labels that do not. */
static void report_twins(struct merge *m)
{
	const struct tsh_host *host, *twin, *first = NULL, *of_first = NULL;
	uint64_t n = 0;
	size_t i;

	for (i = 0; (host = tsh_gather_host(m->gather, i)); i++) {
		twin = tsh_gather_twin(m->gather, host);
		n += twin != NULL;
		if (twin && !first) {
			first = host;
			of_first = twin;
		}
	}
	if (!first)
		return;
	tsh_out_warn(m->s->out, "'%s' and '%s' both call themselves '%s', and say that they are one "
		     "machine: they came by two names, and are told apart", of_first->name, first->name,
		     first->called);
	if (n > 1)
		tsh_out_warn(m->s->out, "so it is with %" PRIu64 " more host%s", n - 1,
			     tsh_plural(n - 1));
}

/* All hosts together; its number. */
static size_t add_up(const struct merge *m, struct tsh_host *sum)
{
	const struct tsh_host *host;
	size_t n = 0;

	for (; (host = tsh_gather_host(m->gather, n)); n++) {
		sum->events += host->events;
		sum->lost = tsh_saturating_sum(sum->lost, host->lost);
		sum->lost_unknown |= host->lost_unknown;
		sum->late += host->late;
		sum->unordered += host->unordered;
		sum->cut += host->cut;
	}
	return n;
}

/* Says whether a signal has kept merge from something that was there: of pipes nobody knows. */
static bool is_unread(const struct merge *m, enum tsh_gather_end end)
{
	const struct tsh_gather_input *in;
	bool unread = false;
	size_t i;

	for (i = 0; (in = tsh_gather_input(m->gather, i)); i++)
		unread |= in->is_unread;
	return end == TSH_GATHER_ABORT || (end == TSH_GATHER_STOP && unread);
}

/* "801 events of 2 hosts, 0 lost" */
static void report(struct merge *m, enum tsh_gather_end end)
{
	struct tsh_strbuf text = TSH_STRBUF_INIT;
	const struct tsh_gather_input *in;
	const struct tsh_host *host;
	struct tsh_host sum = { 0 };
	size_t n = add_up(m, &sum), i;
	bool is_mixed = false;

	for (i = 0; (in = tsh_gather_input(m->gather, i)); i++) {
		report_input(m, in, end);
		is_mixed |= in->has_mix;
	}
	report_twins(m);
	for (i = 0; (host = tsh_gather_host(m->gather, i)); i++)
		report_host(m, host);
	tsh_format_count(sum.events, &text);
	tsh_strbuf_addf(&text, " event%s of %zu host%s", tsh_plural(sum.events), n, tsh_plural(n));
	if (m->range.outside) {
		tsh_strbuf_adds(&text, ", ");
		tsh_format_count(m->range.outside, &text);
		tsh_strbuf_adds(&text, " outside of the range not printed");
		if (!m->printed)
			tsh_range_outside(&m->range, &text);
	}
	add_lost(sum.lost, sum.lost_unknown, &text);
	add_marks(sum.unordered, sum.late, &text);
	if (sum.late && is_mixed)
		tsh_strbuf_adds(&text, " (a file for each host, or a larger --buffer or --delay, has "
				"fewer)");
	if (end == TSH_GATHER_ABORT)
		tsh_strbuf_adds(&text, "; ended by a signal, what was held or not read by then is not here");
	else if (is_unread(m, end))
		tsh_strbuf_adds(&text, "; not all that was there at Ctrl-C was read");
	tsh_out_note(m->s->out, "%s", text.buf);
	tsh_strbuf_release(&text);
}

static void add_json_host(struct tsh_json *js, const struct tsh_host *host)
{
	tsh_json_object(js);
	tsh_json_kstr(js, "host", host->name);
	tsh_json_ku64(js, "events", host->events);
	tsh_json_ku64(js, "lost", host->lost);
	if (host->lost_unknown)
		tsh_json_kbool(js, "lost_unknown", true);
	tsh_json_ku64(js, "unordered", host->unordered);
	tsh_json_ku64(js, "late", host->late);
	tsh_json_ku64(js, "cut", host->cut);
	tsh_json_key(js, "seconds");
	tsh_json_seconds(js, host->ns);
	tsh_json_object_end(js);
}

/* {"type":"merged",..}: what the notes say in text. */
static void print_json_end(struct merge *m, enum tsh_gather_end end)
{
	const struct tsh_gather_input *in;
	const struct tsh_host *host;
	struct tsh_host sum = { 0 };
	struct tsh_json js;
	uint64_t bad = 0;
	size_t i;

	(void)add_up(m, &sum);
	for (i = 0; (in = tsh_gather_input(m->gather, i)); i++)
		bad += in->bad;
	tsh_json_line(&js, &m->s->out->data, "merged");
	tsh_json_ku64(&js, "events", sum.events);
	tsh_json_ku64(&js, "lost", sum.lost);
	if (sum.lost_unknown)
		tsh_json_kbool(&js, "lost_unknown", true);
	tsh_json_ku64(&js, "unordered", sum.unordered);
	tsh_json_ku64(&js, "late", sum.late);
	if (m->range.is_on)
		tsh_json_ku64(&js, "outside", m->range.outside);
	tsh_json_ku64(&js, "cut", sum.cut);
	tsh_json_ku64(&js, "bad_lines", bad);
	if (is_unread(m, end))
		tsh_json_kbool(&js, "unread", true);
	tsh_json_key(&js, "hosts");
	tsh_json_array(&js);
	for (i = 0; (host = tsh_gather_host(m->gather, i)); i++)
		add_json_host(&js, host);
	tsh_json_array_end(&js);
	tsh_json_line_end(&js);
}

/* Nothing of all that was given is ours: a wrong file, or another format. */
static int check_found(struct merge *m, const struct tsh_call *call, struct tsh_err *err)
{
	const struct tsh_gather_input *in;
	uint64_t bad = 0;
	size_t i;

	for (i = 0; (in = tsh_gather_input(m->gather, i)); i++)
		bad += in->bad;
	if (tsh_gather_host(m->gather, 0) || !bad)
		return 0;
	tsh_err_at(err, tsh_args_get(&call->args, "FILE")->word.span,
		   "no line is one of tracesh's JSON");
	err->status = TSH_FAILED;
	tsh_err_hint(err, "on each host: tracesh --json stream EVENT.. > HOST.json");
	return -1;
}

/* ---- the command ---- */

static int run(struct merge *m, const struct tsh_call *call, uint64_t skew_ns,
	       struct tsh_err *err)
{
	enum tsh_gather_end end;
	int r;

	tsh_range_init(&m->range, m->s, call);
	tsh_merge_print_begin(&m->printer, m->s, skew_ns);
	r = tsh_gather_run(m->gather, &end, err);
	if (!r && !is_unread(m, end))
		r = check_found(m, call, err);
	if (!r && m->s->out->format == TSH_FORMAT_JSON)
		print_json_end(m, end);
	m->s->aborted = !r && end == TSH_GATHER_ABORT;
	/* Who closes the pipe has what he wanted. */
	if (!r && end != TSH_GATHER_CLOSED && !m->s->out->closed)
		report(m, end);
	tsh_merge_print_end(&m->printer);
	tsh_range_release(&m->range);
	return r < 0 || m->s->aborted ? -1 : 0;
}

static uint64_t number_or(const struct tsh_call *call, const char *name, uint64_t otherwise)
{
	const struct tsh_value *value = tsh_args_get(&call->args, name);

	return value ? value->number : otherwise;
}

static int merge_run(struct tsh_session *s, const struct tsh_call *call, struct tsh_err *err)
{
	struct merge m = { .s = s, .limited = tsh_args_has(&call->args, "N"),
			   .left = number_or(call, "N", 0) };
	const struct tsh_gather_options opt = {
		.waiter = s->waiter, .out_fd = s->out->fd, .line = take_line, .flush = flush,
		.ctx = &m, .delay_ns = number_or(call, "DELAY", DELAY_NS),
		.skew_ns = number_or(call, "SKEW", 0), .room = number_or(call, "SIZE", ROOM),
	};
	int r;

	if (s->out->format == TSH_FORMAT_KERNEL) {
		tsh_err_at(err, call->args.command, "JSON lines do not have the kernel's own text");
		tsh_err_hint(err, "--format text, json or csv");
		return -1;
	}
	m.gather = tsh_gather_new(&opt);
	r = add_inputs(&m, call, err);
	if (!r)
		r = run(&m, call, opt.skew_ns, err);
	tsh_vec_release(&m.files);
	tsh_gather_free(m.gather);
	return r;
}

static const struct tsh_arg merge_args[] = {
	{ .name = "N", .option = "-n", .type = TSH_ARG_NUMBER, .flags = TSH_ARG_OPTIONAL | TSH_ARG_NOT_ZERO,
	  .help = "stop after that many events" },
	TSH_RANGE_SINCE,
	TSH_RANGE_UNTIL,
	{ .name = "SKEW", .option = "--skew", .type = TSH_ARG_TIME, .flags = TSH_ARG_OPTIONAL,
	  .help = "by how much the hosts' clocks may differ, as chronyc tracking tells; else 0" },
	{ .name = "DELAY", .option = "--delay", .type = TSH_ARG_TIME, .flags = TSH_ARG_OPTIONAL,
	  .help = "how long lines wait for a pipe that is silent; else 1s" },
	{ .name = "SIZE", .option = "--buffer", .type = TSH_ARG_SIZE, .flags = TSH_ARG_OPTIONAL | TSH_ARG_NOT_ZERO,
	  .help = "the most that is held of inputs that mix hosts, and of pipes; else 64M" },
	{ .name = "FILE", .type = TSH_ARG_FILE, .flags = TSH_ARG_MANY,
	  .help = "what tracesh --json has written; a pipe, or - for stdin" },
	{ 0 }
};

static const struct tsh_example merge_examples[] = {
	{ "try merge board1.json board2.json", "two hosts in one view" },
	{ "try merge --skew 2ms board1.json board2.json",
	  "their clocks are within 2 ms of each other" },
	{ 0 }
};

const struct tsh_cmd tsh_cmd_merge = {
	.name = "merge", .group = TSH_GROUP_SEE,
	.summary = "merge the JSON streams of several hosts by the wall clock",
	.description =
		"Each FILE is what tracesh --json stream, drain or run wrote on one host, or lines of "
		"several hosts with the host's name before each: as parallel --tag, pdsh, or "
		"mosquitto_sub -F '%t %p' have them. In text the host stands in the first column "
		"and the event as its fields, in JSON each line has a \"host\", and a last one of type "
		"merged the summary (\"unread\":true: a signal has left something out).\n"
		"The times are each host's own wall clock, with the error that its stream states; by "
		"how much the clocks differ from each other only their own service knows (chronyc "
		"tracking): --skew tells merge. Before a time stands ~ (\"unordered\":true) where the "
		"errors let the event also be before one of another host above it, and ! "
		"(\"late\":true) where it is older than what was printed already.\n"
		"Lines wait for a pipe that is silent, a second at most (--delay), and those of a pipe "
		"that mixes hosts always do; files are read to their ends. Of a mix up to 64 MB are "
		"held (--buffer): one file for each host needs next to nothing. A stream without an "
		"end line was cut off, which the summary says; lines that are no JSON are counted.",
	.see = "hosts stream drain",
	.args = merge_args, .examples = merge_examples,
	.flags = TSH_CMD_PRINTS | TSH_CMD_JOB,
	.run = merge_run, .script = tsh_script_none,
};
