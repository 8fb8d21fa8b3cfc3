/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cmd/commands.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/utf8.h"
#include "base/new-file.h"
#include "engine/export/trace-dat.h"
#include "engine/pipeline/enable.h"
#include "engine/pipeline/events.h"
#include "engine/pipeline/task-names.h"
#include "events/recording/record.h"
#include "session/detach.h"
#include "session/filters.h"
#include "session/flood-check.h"
#include "session/own-instance.h"
#include "session/program.h"
#include "session/read-ahead.h"
#include "session/script.h"
#include "session/util.h"

/* Declares record: writes events into a folder as the kernel has them; drain and show read it. */

/* Sets the buffer size of each CPU in an instance of our own: events at full speed fill it in some
 * 150 ms. */
#define BUFFER_BYTES (UINT64_C(16) << 20)
/* Sets the bytes from which on a note is printed before the names of a recording are collected: to
 * read through more takes some seconds. */
#define NOTED_BYTES (UINT64_C(256) << 20)

/* Ends the name of the folder that is recorded into until it becomes a file. */
#define PART ".part"

struct job {
	char *folder;			/* that is recorded into */
	bool is_file;			/* it becomes the file DIR */
	struct tsh_session *s;
	const struct tsh_call *call;
	struct tsh_instance *in;
	struct tsh_program *program;	/* NULL: none */
	struct tsh_detached *detached;	/* NULL: in the foreground */
	bool only_present;		/* no new event will come */
	struct tsh_task_names task_names;	/* of the command's own instance; or zeroed */
	struct tsh_record_threads *threads;
};

static int check_arguments(const struct tsh_call *call, struct tsh_err *err)
{
	const struct tsh_value *dir = tsh_args_get(&call->args, "DIR");
	const struct tsh_value *detach = tsh_args_get(&call->args, "detach");
	char *word;

	if (detach && tsh_args_has(&call->args, "PROGRAM")) {
		tsh_err_at(err, detach->word.span, "a program is waited for: it cannot be recorded "
			   "in the background");
		word = tsh_typed_word(dir->word.text);
		tsh_err_hint(err, "nohup tracesh record %s EVENT.. -- PROGRAM &", word);
		free(word);
		return -1;
	}
	if (!strcmp(dir->word.text, "-")) {
		tsh_err_at(err, dir->word.span, "a recording is a folder, which cannot go to a pipe");
		tsh_err_hint(err, "stream prints the events; ./- is a folder of that name");
		return -1;
	}
	return 0;
}

/* Finds out where to record: in DIR itself, or beside the file that it will be. */
static int check_place(struct job *job, struct tsh_err *err)
{
	const struct tsh_value *dir = tsh_args_get(&job->call->args, "DIR");
	struct tsh_new_file file;
	int r = 0;

	job->is_file = tsh_export_is_dat(dir->word.text);
	job->folder = tsh_xasprintf("%s%s", dir->word.text, job->is_file ? PART : "");
	if (job->is_file) {
		/* finds out whether it can be made */
		r = tsh_new_file_open(&file, dir->word.text, false, err);
		if (!r)
			tsh_new_file_drop(&file);
	}
	if (!r)
		r = tsh_record_check(job->folder, err);
	if (r < 0)
		tsh_err_blame(err, dir->word.span);
	if (r < 0 && err->number == EEXIST)
		tsh_err_hint(err, "record replaces nothing: give another name");
	return r;
}

/* Makes the recording a file. What was recorded stays in the folder, whose path may be another
 * one by now, when that fails. */
static int make_file(struct job *job, const char *folder, struct tsh_err *err)
{
	const struct tsh_value *dir = tsh_args_get(&job->call->args, "DIR");
	char *path = tsh_xstrndup(folder, strlen(folder) - strlen(PART));
	int r = tsh_export_folder(folder, path, job->s->waiter, err);

	free(path);
	if (r > 0)
		tsh_err_set(err, TSH_FAILED, "a signal came before '%s' was written", dir->word.text);
	if (!r)
		return 0;
	tsh_err_blame(err, dir->word.span);
	tsh_err_hint_word(err, "what was recorded is there: tracesh --tracefs ", folder, " drain");
	return -1;
}

/* ---- one recording ---- */

/* Adds how many events are lost, and an option with which fewer are. */
static void add_lost(const struct job *job, uint64_t lost, bool failed, struct tsh_strbuf *text)
{
	tsh_format_count(lost, text);
	tsh_strbuf_adds(text, " lost");
	tsh_task_names_append_lost(lost && tsh_task_names_are_hidden(&job->task_names), text);
	if (lost && !failed)
		tsh_strbuf_adds(text, job->in->own ? " (a filter or fewer events lose less)" : " (more room: buffer 16M)");
}

/* Says how much was recorded. failed: writing has ended before all events were written. */
static void summarize(const struct job *job, const struct tsh_record_summary *sum, enum tsh_stream_end end, bool failed)
{
	struct tsh_strbuf text = TSH_STRBUF_INIT;
	char *dir = tsh_typed_word(tsh_args_text(&job->call->args, "DIR"));
	uint64_t left;

	tsh_format_count(sum->events, &text);
	tsh_strbuf_addf(&text, " event%s, ", tsh_plural(sum->events));
	/* counts bytes only with events: else they are those of task names */
	if (sum->bytes && sum->events) {
		tsh_format_size(sum->bytes, &text);
		tsh_strbuf_adds(&text, ", ");
	}
	add_lost(job, sum->lost, failed, &text);
	if (sum->gone) {
		tsh_strbuf_adds(&text, ", ");
		if (sum->gone != TSH_LOST_UNKNOWN)
			tsh_format_count(sum->gone, &text);
		tsh_strbuf_addf(&text, "%s overwritten before it began", sum->gone == TSH_LOST_UNKNOWN ? "older ones" : "");
	}
	if (sum->overwritten) {
		tsh_strbuf_adds(&text, ", ");
		tsh_format_count(sum->overwritten, &text);
		tsh_strbuf_adds(&text, " older ones given up (--max)");
		tsh_task_names_append_lost(tsh_task_names_are_hidden(&job->task_names), &text);
	}
	if (failed && !job->in->own && tsh_cmd_count_entries(job->in, &left) && left) {
		tsh_strbuf_adds(&text, ", ");
		tsh_format_count(left, &text);
		tsh_strbuf_adds(&text, " left in the buffer");
	}
	tsh_strbuf_adds(&text, ", ");
	tsh_format_ns(sum->ns, &text);
	if (!sum->events && !sum->lost && !sum->overwritten && !sum->gone)
		tsh_strbuf_adds(&text, job->in->own ? tsh_filters_why_none(job->call, NULL) : " (doctor says why)");
	if (end == TSH_STREAM_ABORT)
		tsh_strbuf_adds(&text, "; ended by a signal");
	tsh_out_note(job->s->out, "%s; read it with: tracesh --tracefs %s drain", text.buf, dir);
	free(dir);
	if (sum->lost_clock)
		tsh_out_warn(job->s->out, "somebody changed the trace clock meanwhile: the recording "
			     "has no wall-clock times, and what was in the buffer then is gone");
	tsh_strbuf_release(&text);
}

/* Switches tracing on, or starts the program, which does so; lets tsh_detach return, or prints how
 * the recording ends. */
static int begin(struct job *job, const struct tsh_recorder *r, struct tsh_err *err)
{
	if (job->program && tsh_program_exec(job->program, err) < 0)
		return -1;
	if (!job->program && job->in->own &&
	    tsh_file_write(job->in, "tracing_on", TSH_WRITE_SET, "1", err) < 0)
		return -1;
	if (job->detached)
		tsh_detach_ready(job->detached);
	else if (!job->program && !job->only_present && !tsh_args_number(&job->call->args, "TIME"))
		tsh_out_note(job->s->out, "recording into %s; Ctrl-C ends it",
			     tsh_recorder_path(r));
	return 0;
}

static int record_to_end(struct job *job, struct tsh_recorder *r, struct tsh_err *err)
{
	enum tsh_stream_end end = TSH_STREAM_EMPTY;
	struct tsh_record_summary sum;
	struct tsh_err second = { 0 };
	int result = begin(job, r, err);

	if (!result && !job->only_present)
		result = tsh_recorder_run(r, &end, err);
	if (job->in->own && tsh_file_write(job->in, "tracing_on", TSH_WRITE_SET, "0", &second) < 0)
		tsh_err_release(&second);
	if (tsh_recorder_bytes(r) > NOTED_BYTES && end != TSH_STREAM_ABORT)
		tsh_out_note(job->s->out, "writing down the names that the events need; Ctrl-C "
			     "leaves the rest of them out");
	if (tsh_recorder_finish(r, end == TSH_STREAM_ABORT, &sum, result ? &second : err) < 0)
		result = -1;
	tsh_err_release(&second);
	summarize(job, &sum, end, result < 0);
	/* Counts a signal as the normal end in the background. */
	job->s->aborted = end == TSH_STREAM_ABORT && !job->detached;
	return job->s->aborted ? -1 : result;
}

static int record_instance(struct job *job, struct tsh_instance *in, struct tsh_err *err)
{
	const struct tsh_value *dir = tsh_args_get(&job->call->args, "DIR");
	const struct tsh_value *max = tsh_args_get(&job->call->args, "SIZE");
	const struct tsh_value *filter = tsh_filters_value(job->call);
	struct tsh_record_options opt = {
		.waiter = job->program ? &job->program->waiter : job->s->waiter, .in = in,
		.path = job->folder, .max_bytes = max ? max->number : 0,
		.max_ns = tsh_args_number(&job->call->args, "TIME"),
		.done = job->program ? tsh_program_has_ended : NULL, .done_ctx = job->program,
		.threads = job->threads,
	};
	struct tsh_strlist hidden = { 0 };
	struct tsh_recorder *r;
	char *folder;
	int result;

	job->in = in;
	tsh_task_names_hidden(&job->task_names, &hidden);
	opt.hidden = &hidden;
	opt.records_names = job->task_names.are_all;
	if (in->own)
		opt.filter = filter ? filter->word.text : "";
	if (tsh_recorder_open(&opt, &r, err) < 0) {
		tsh_err_blame(err, err->status == TSH_USAGE && max ? max->word.span :
								     dir->word.span);
		tsh_strlist_release(&hidden);
		return -1;
	}
	result = record_to_end(job, r, err);
	folder = tsh_xstrdup(tsh_recorder_path(r));
	tsh_recorder_free(r);
	if (!result && job->is_file)
		result = make_file(job, folder, err);
	free(folder);
	tsh_strlist_release(&hidden);
	return result;
}

/* ---- which instance ---- */

/* Sets a larger buffer where there is memory for it; that delays nothing, as its pages are not
 * printed. */
static void enlarge_buffer(struct tsh_instance *in)
{
	uint64_t most = tsh_cmd_memory_available() / 16, now;
	struct tsh_err ignored = { 0 };
	unsigned int *cpus;
	size_t n = tsh_cpus_present(in, &cpus);
	char text[32];

	free(cpus);
	most = n ? most / n : 0;
	if (most > BUFFER_BYTES)
		most = BUFFER_BYTES;
	now = tsh_file_number(in, "buffer_size_kb", 1408) * 1024;
	if (most <= now)
		return;
	snprintf(text, sizeof(text), "%llu", (unsigned long long)(most / 1024));
	if (tsh_file_write(in, "buffer_size_kb", TSH_WRITE_SET, text, &ignored) < 0)
		tsh_err_release(&ignored);
}

static int record_own(void *ctx, struct tsh_instance *in, struct tsh_err *err)
{
	struct job *job = ctx;
	int r;

	enlarge_buffer(in);
	tsh_task_names_enable(in, job->call, &job->task_names);
	r = job->program ? tsh_program_begin(job->program, in, err) :
			   tsh_own_enable(job->s, in, job->call, err);
	if (!r)
		r = record_instance(job, in, err);
	if (job->program)
		r = tsh_program_end(job->program, r, err);
	return r;
}

/* Says how many events a stream has taken out of the buffer and not printed yet. */
static void note_read_ahead(struct tsh_session *s)
{
	uint64_t pending = tsh_cmd_session_pending(s);

	if (pending)
		tsh_out_note(s->out, "%llu event%s read ahead of these and will not be recorded: "
			     "drain prints them", (unsigned long long)pending,
			     pending == 1 ? " was" : "s were");
}

/* Records the current instance with its events, clock and filters. Reading takes the pages out. */
static int record_current(void *ctx, struct tsh_err *err)
{
	struct job *job = ctx;
	struct tsh_session *s = job->s;

	note_read_ahead(s);
	job->only_present = !job->detached && !tsh_args_number(&job->call->args, "TIME") &&
			    !tsh_file_number(s->in, "tracing_on", 1);
	if (job->only_present)
		tsh_out_note(s->out, "tracing is off in '%s': what is in the buffer is recorded, "
			     "and no more", tsh_instance_label(s->in));
	else
		tsh_stream_explain_silence(s, s->in);
	return record_instance(job, s->in, err);
}

static int record_somewhere(struct job *job, struct tsh_err *err)
{
	struct tsh_program program;
	int r;

	if (!tsh_args_has(&job->call->args, "PROGRAM"))
		return job->call->events.n ? tsh_with_own(job->s, false, record_own, job, err) :
					     tsh_with_claim(job->s, record_current, job, err);
	if (tsh_program_init(&program, job->s, job->call, err) < 0)
		return -1;
	program.enable = tsh_own_enable;
	job->program = &program;
	r = tsh_with_own(job->s, false, record_own, job, err);
	tsh_program_release(&program);
	return r;
}

static int record(struct job *job, struct tsh_err *err)
{
	int r;

	job->threads = tsh_record_threads_start(tsh_settings_threads(&job->s->settings));
	r = record_somewhere(job, err);
	tsh_record_threads_end(job->threads);
	return r;
}

/* Records in the background process. Opens the current instance again, because a lock on a
 * descriptor that the parent shares would be the parent's, too. */
static int record_detached(void *ctx, struct tsh_detached *detached, struct tsh_err *err)
{
	struct job *job = ctx;
	struct tsh_instance *in;

	job->detached = detached;
	tsh_cmd_session_release(job->s);
	if (tsh_instance_open(job->s->dir, job->s->in->name, &in, err) < 0)
		return -1;
	job->s->in = in;
	return record(job, err);
}

static int record_run(struct tsh_session *s, const struct tsh_call *call, struct tsh_err *err)
{
	const char *dir = tsh_args_text(&call->args, "DIR");
	struct job job = { .s = s, .call = call };
	int r, pid = 0;

	r = check_arguments(call, err) < 0 || check_place(&job, err) < 0 || tsh_flood_check_events(s, NULL, call, err) < 0;
	if (!r && tsh_args_has(&call->args, "detach"))
		pid = tsh_detach(s, record_detached, &job, err);
	else if (!r)
		r = record(&job, err);
	free(job.folder);
	if (r || pid <= 0)
		return r || pid < 0 ? -1 : 0;
	tsh_out_note(s->out, "recording into %s as process %d, also after you log out; it ends "
		     "with: kill %d", dir, pid, pid);
	return 0;
}

static const struct tsh_arg record_args[] = {
	{ .name = "SIZE", .option = "--max", .type = TSH_ARG_SIZE, .flags = TSH_ARG_OPTIONAL | TSH_ARG_NOT_ZERO,
	  .help = "keep the newest pages, so many bytes: 100M" },
	{ .name = "TIME", .option = "--for", .type = TSH_ARG_TIME, .flags = TSH_ARG_OPTIONAL | TSH_ARG_NOT_ZERO,
	  .help = "stop after this time: 500ms, 2s, 1m" },
	{ .name = "detach", .option = "--detach", .type = TSH_ARG_FLAG,
	  .flags = TSH_ARG_OPTIONAL, .help = "go on in the background, also after logging out" },
	{ .name = "USER", .option = "--user", .type = TSH_ARG_USER, .flags = TSH_ARG_OPTIONAL,
	  .help = "run the program as this user" },
	{ .name = "all", .option = "--all", .type = TSH_ARG_FLAG, .flags = TSH_ARG_OPTIONAL,
	  .help = "the events of all tasks while the program runs" },
	{ .name = "DIR", .type = TSH_ARG_FILE, .help = "the folder to make; an empty one of your own will do. NAME.dat: a trace.dat" },
	TSH_OWN_EVENTS,
	TSH_OWN_FILTER,
	{ .name = "PROGRAM", .clause = "--", .type = TSH_ARG_ARGV, .flags = TSH_ARG_OPTIONAL,
	  .help = "record while it runs, as run does" },
	{ 0 }
};

static const struct tsh_example record_examples[] = {
	{ "record --for 200ms /tmp/trace sched", "all that the scheduler does for a while" },
	{ "record --max 16M --for 100ms /tmp/last sched_switch", "the newest 16 MB of it" },
	{ "record /tmp/true sched:sched_process_exec -- true", "a program" },
	{ "record --for 100ms /tmp/trace.dat sched_switch", "a file for trace-cmd and KernelShark, too" },
	{ 0 }
};

const struct tsh_cmd tsh_cmd_record = {
	.name = "record", .group = TSH_GROUP_SEE, .summary = "record events into a folder",
	.description =
		"The raw pages, with all that is needed to print them anywhere: tracesh --tracefs "
		"DIR drain, stream, show, info, events and status read it, on other machines too, "
		"without root.\n"
		"With EVENT: in an instance of its own, which is removed at the end. Without: the "
		"current instance as it is; its pages are taken out of its buffer, and where "
		"tracing is off that is all. What was set, filters and lists too, is in DIR. Ctrl-C ends it. In an instance of its own "
		"task:task_newtask and task:task_rename are recorded besides: they tell what tasks "
		"are called, and are neither counted nor printed.\n"
		"With --max the newest pages are kept, and the events that were given up for them "
		"are counted. In the background (--detach) kill PID ends it, or --for.\n"
		"While it records it has the nice value -10, if it may and had a greater one: what is traced must not "
		"keep it from reading. Where one thread comes too late, others take over a part of the CPUs, in all at most "
		"one for two CPUs.",
	.see_also = "drain save boards",
	.args = record_args, .examples = record_examples,
	.flags = TSH_CMD_WRITES | TSH_CMD_NEEDS_TRACEFS | TSH_CMD_LIVE | TSH_CMD_JOB,
	.run = record_run, .script = tsh_script_none,
};
