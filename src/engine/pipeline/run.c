/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "run.h"

#include <assert.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/machine.h"
#include "base/now.h"
#include "base/number.h"
#include "crew.h"
#include "events/recording/record.h"
#include "keys.h"
#include "output/sink.h"
#include "session/event-format.h"
#include "session/filters.h"
#include "session/filter-fault.h"
#include "session/util.h"
#include "traced.h"

/* Holds the parts of a stream while it runs. */
struct stream_run {
	struct utsname machine;
	char boot_id[40];
	char *clock_name;
	struct tsh_clock clock;
	struct tsh_live_provider *provider;
	struct tsh_decoder *decoder;
	/* the instance, for the programs that decode events */
	struct tsh_own_place place;
	struct tsh_decoding *decoding;	/* NULL: no decoder program is used */
	struct tsh_sink sink;
	bool has_sink;			/* sink must be released */
	struct tsh_open_stream stream;
	struct tsh_traced traced;
	struct tsh_task_names *task_names;	/* member of the spec, or .found */
	struct tsh_task_names found;
	struct tsh_stages stages;	/* all stages of the stream */
	char *recorded[4];		/* instance, host, kernel, boot_id of a recording */
};

static bool has_graph_lines(const struct tsh_instance *in)
{
	char *tracer = tsh_file_text(in, "current_tracer");
	bool is_graph = tracer && !strcmp(tracer, "function_graph");

	free(tracer);
	return is_graph;
}

/*
 * Reads the trace clock's present time, in ns if the clock counts them. Clocks that no system call
 * reads are in the stats file, in microseconds (kernel/trace/trace.c, tracing_stats_read). Returns
 * false when it cannot be read.
 */
static bool present_stamp(const struct tsh_instance *in, const struct tsh_clock_kind *kind,
			  uint64_t *ret)
{
	static const char key[] = "\nnow ts: ";
	uint64_t seconds = 0, usecs = 0;
	const char *p;
	bool found;
	char *stats;

	if (tsh_clock_now(kind, ret))
		return true;
	if (!kind->in_ns)
		return false;
	stats = tsh_file_text(in, "per_cpu/cpu0/stats");
	p = stats ? strstr(stats, key) : NULL;
	if (p)
		p += strlen(key);
	/* the format is "%5llu.%06lu" (kernel/trace/trace.c) */
	while (p && *p == ' ')
		p++;
	found = p && tsh_parse_u64_prefix(&p, &seconds) && *p++ == '.' && tsh_parse_u64_prefix(&p, &usecs);
	free(stats);
	*ret = seconds * 1000000000 + usecs * 1000;
	return found;
}

static void describe_machine(struct stream_run *run, const struct tsh_instance *in,
			     struct tsh_stream_info *info)
{
	uname(&run->machine);
	tsh_boot_id(run->boot_id, sizeof(run->boot_id));
	info->instance = in->own ? "own" : tsh_instance_label(in);
	info->host = run->machine.nodename;
	info->kernel = run->machine.release;
	info->boot_id = run->boot_id;
}

/* Sets the instance, host, kernel and boot id of a recording. Sets NULL for what the recording does
 * not have. */
static void describe_tree(struct stream_run *run, const struct tsh_instance *in,
			  struct tsh_stream_info *info)
{
	static const char *const keys[] = { "instance", "host", "kernel", "boot_id" };
	size_t i;

	for (i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		run->recorded[i] = tsh_tree_info(in, keys[i]);
	info->instance = run->recorded[0] ? run->recorded[0] : tsh_instance_label(in);
	info->host = run->recorded[1];
	info->kernel = run->recorded[2];
	info->boot_id = run->recorded[3];
}

/* Warns of options that change the kernel's lines but not those of tracesh. */
static void warn_of_options(struct tsh_session *s, const struct tsh_instance *in)
{
	static const struct {
		const char *path;
		uint64_t usual;
	} options[] = {
		{ "options/context-info", 1 }, { "options/irq-info", 1 },
		{ "options/fields", 0 },       { "options/raw", 0 },
		{ "options/hex", 0 },	       { "options/bin", 0 },
		{ "options/latency-format", 0 },
	};
	size_t i;

	for (i = 0; i < sizeof(options) / sizeof(options[0]); i++)
		if (tsh_file_number(in, options[i].path, options[i].usual) != options[i].usual)
			tsh_out_warn(s->out, "with the option '%s' %s 'cat trace' has other lines "
				     "than these", strchr(options[i].path, '/') + 1,
				     options[i].usual ? "off" : "on");
}

/* Orders all stages: first those that need raw events, then those that learn about tasks from
 * them, then the others of the stream. */
static void order_stages(const struct tsh_stream_spec *f, struct stream_run *run)
{
	const struct tsh_stage_kind *sink = f->sink ? f->sink->kind : NULL;
	size_t i;

	assert(!sink || (sink->needs_names && sink->show));
	for (i = 0; i < f->stages.n; i++)
		if (f->stages.v[i]->kind->is_raw)
			tsh_stages_push(&run->stages, f->stages.v[i]);
	tsh_stages_push(&run->stages, tsh_traced_stage(&run->traced, run->task_names,
							 sink && sink->is_of_tasks && sink->is_of_tasks(f->sink)));
	tsh_stages_push(&run->stages, &run->task_names->stage);
	for (i = 0; i < f->stages.n; i++)
		if (!f->stages.v[i]->kind->is_raw)
			tsh_stages_push(&run->stages, f->stages.v[i]);
	tsh_stages_push(&run->stages, f->sink);
	run->task_names->learns_ahead &= !sink || tsh_stages_ask_for_names(&run->stages) || sink->needs_names(f->sink);
}

/* Says whether each event is printed with its task. */
static bool shows_tasks(const struct tsh_stream_spec *f, const struct stream_run *run)
{
	return !f->sink && !run->stream.rows;
}

static int open_stream(struct tsh_session *s, const struct tsh_stream_spec *f, struct stream_run *run,
		      struct tsh_err *err)
{
	bool live = tsh_source_is_live(f->source);
	struct tsh_stream_info info = { .live = live, .is_read_once = live && !f->in->own };
	struct tsh_line_columns columns;

	if (!f->task_names)
		tsh_task_names_find(f->in, &run->found);
	order_stages(f, run);
	run->clock_name = tsh_clock_name(f->in);
	tsh_clock_init(&run->clock,
		       tsh_clock_kind(run->clock_name ? run->clock_name : "unknown"));
	if (tsh_clock_sample_instance(&run->clock, f->in, TSH_CLOCK_ROUNDS, err) < 0)
		return -1;
	tsh_source_use_kernel_stamps(f->source, s->out->format == TSH_FORMAT_KERNEL);
	run->provider = tsh_live_provider_new(f->in);
	run->decoder = tsh_decoder_new(tsh_live_provider(run->provider),
					 tsh_source_layout(f->source));
	run->stream.provider = tsh_live_provider(run->provider);
	run->stream.decoder = run->decoder;
	if (tsh_stages_prepare(&run->stages, &run->stream, err) < 0)
		return -1;
	if (s->out->format == TSH_FORMAT_KERNEL)
		warn_of_options(s, f->in);
	if (live)
		describe_machine(run, f->in, &info);
	else
		describe_tree(run, f->in, &info);
	info.with_migrate = tsh_has_migrate_depth(f->in);
	info.with_tgid = tsh_file_number(f->in, "options/record-tgid", 0) == 1;
	/* a recording can have events older than itself, unless it used an instance of its own */
	info.has_older = live ? !f->in->own :
			 info.instance && strcmp(info.instance, "own") != 0;
	info.is_graph = has_graph_lines(f->in);
	/* Kernels without the option (5.10) print hashed pointers only. */
	info.has_hashed_pointers = live && tsh_file_number(f->in, "options/hash-ptr", 1) == 1;
	info.hides_pointers = s->settings.pointers_hidden;
	if (shows_tasks(f, run))
		info.names_time = tsh_task_names_time(run->task_names, f->in);
	info.zone = s->settings.tz;
	info.provider = run->stream.provider;
	if (tsh_settings_pool(&s->settings)) {
		tsh_source_bound(f->source, tsh_settings_pool(&s->settings));
		tsh_decoder_bound(run->decoder, tsh_settings_pool(&s->settings));
	}
	if (s->settings.pointers_hidden)
		tsh_decoder_hide_pointers(run->decoder);
	run->place = (struct tsh_own_place){ s, f->in };
	s->out->begun = tsh_own_exclude;
	s->out->begun_ctx = &run->place;
	run->decoding = tsh_attach_decoders(&run->place, run->decoder);
	tsh_sink_init(&run->sink, s->out, run->decoder, &run->clock, &info,
		      s->settings.time, s->settings.precision_ns);
	if (s->settings.columns && !tsh_line_columns_parse(&columns, s->settings.columns, err))
		tsh_sink_set_columns(&run->sink, &columns);
	if (s->settings.show_error)
		tsh_sink_show_error(&run->sink);
	if (run->stream.rows)
		tsh_sink_set_rows(&run->sink, run->stream.rows);
	run->has_sink = true;
	return 0;
}

static void close_stream(struct stream_run *run)
{
	size_t i;

	run->stream.out->begun = NULL;
	tsh_stages_forget(&run->stages);
	if (run->has_sink)
		tsh_sink_release(&run->sink);
	if (run->decoder) {
		tsh_decoder_free(run->decoder);
		tsh_live_provider_free(run->provider);
	}
	for (i = 0; i < sizeof(run->recorded) / sizeof(run->recorded[0]); i++)
		free(run->recorded[i]);
	tsh_clock_release(&run->clock);
	free(run->clock_name);
}

/* Limits how long the output waits for a slow reader after Ctrl-C, in ns. */
#define PATIENCE_NS UINT64_C(1000000000)

static int ms_until(uint64_t then)
{
	uint64_t now = tsh_now_ns(CLOCK_MONOTONIC);

	return now < then ? (int)((then - now) / 1000000 + 1) : 0;
}

/*
 * Writes the output that a slow reader has not taken yet. A signal ends the wait. After Ctrl-C the
 * wait lasts one second at most, and no time when the stream has used up that second (sum->unread).
 * Returns how many lines were dropped.
 */
static uint64_t finish_output(struct tsh_session *s, const struct tsh_waiter *waiter,
			      const struct tsh_stream_summary *sum, enum tsh_stream_end end)
{
	uint64_t lines = 0, then = tsh_now_ns(CLOCK_MONOTONIC) + (sum->unread ? 0 : PATIENCE_NS);
	bool ends = end == TSH_STREAM_STOP;
	size_t i;

	while (tsh_out_write_some(s->out)) {
		struct pollfd fd = { .fd = tsh_out_poll_fd(s->out), .events = POLLOUT };
		enum tsh_wait_result result = tsh_wait(waiter, &fd, 1, ends ? ms_until(then) : -1);

		if (result != TSH_WAIT_STOP && result != TSH_WAIT_ABORT &&
		    (!ends || ms_until(then)))
			continue;
		for (i = 0; i < s->out->data.len; i++)
			lines += s->out->data.buf[i] == '\n';
		tsh_out_drop_buffered(s->out);
		break;
	}
	tsh_out_end_live(s->out);
	return lines;
}

/* Says whether no event came: none was printed, and none was lost or left out. */
static bool is_empty(const struct tsh_stream_summary *sum)
{
	uint64_t n = sum->events + sum->lost + sum->lost_unknown + sum->skipped + sum->held_back;
	size_t i;

	for (i = 0; i < sum->nleft_out; i++)
		n += sum->left_out[i].n;
	return !n;
}

static const char *empty_hint(const struct tsh_stream_spec *f, const struct tsh_stream_summary *sum)
{
	const char *nothing;

	if (!is_empty(sum))
		return "";
	if (!tsh_source_is_live(f->source))
		return " (status says what was set)";
	nothing = tsh_filters_why_none(f->filtered, f->where);
	return !f->in->own && !*nothing ? " (doctor says why)" : nothing;
}

/* Prints the summary: "1,204 events, 21 lost (more room: buffer 8M), 2 s". */
static void summarize(struct tsh_session *s, const struct tsh_stream_spec *f, const struct stream_run *run,
		      const struct tsh_stream_summary *sum, enum tsh_stream_end end,
		      uint64_t given_up)
{
	struct tsh_strbuf text = TSH_STRBUF_INIT;
	int task;

	tsh_format_count(sum->events, &text);
	tsh_strbuf_addf(&text, " event%s, ", tsh_plural(sum->events));
	tsh_stages_append_clauses(&run->stages, &text);
	if (sum->lost_unknown)
		tsh_strbuf_adds(&text, "at least ");
	tsh_format_count(sum->lost, &text);
	tsh_strbuf_adds(&text, " lost");
	tsh_task_names_append_lost(sum->lost_hidden, &text);
	if (sum->skipped) {
		tsh_strbuf_adds(&text, ", ");
		tsh_format_count(sum->skipped, &text);
		tsh_strbuf_adds(&text, " skipped (slow output)");
	}
	if (sum->late)
		tsh_strbuf_addf(&text, ", %llu late", (unsigned long long)sum->late);
	tsh_strbuf_adds(&text, ", ");
	tsh_format_ns(sum->ns, &text);
	tsh_strbuf_adds(&text, empty_hint(f, sum));
	task = is_empty(sum) && tsh_source_is_live(f->source) ? tsh_find_task_without_calls(f->in) : 0;
	if (task)
		tsh_strbuf_addf(&text, "; %d " TSH_LACKS_CALLS, task);
	if ((sum->lost || sum->lost_unknown) && tsh_source_is_live(f->source))
		tsh_strbuf_adds(&text, f->in->own ?
					       " (more room: --buffer 8M; a filter or -o FILE lose less)" :
					       " (more room: buffer 8M)");
	if (end == TSH_STREAM_ABORT)
		tsh_strbuf_adds(&text, "; ended by a signal: events that were not read by then are missing");
	else if (sum->unread)
		tsh_strbuf_adds(&text, "; some events that were in the buffer at Ctrl-C were not read");
	if (given_up)
		tsh_strbuf_addf(&text, "; nobody read the last %llu line%s",
				(unsigned long long)given_up, tsh_plural(given_up));
	tsh_out_note(s->out, "%s", text.buf);
	tsh_strbuf_release(&text);
}

/* Notes events of a recording whose formats are missing. A recording of `record` has all
 * formats. */
static void hint_formats(struct tsh_session *s, const struct tsh_stream_spec *f,
			 const struct stream_run *run)
{
	unsigned int id, first = 0;
	size_t n = 0;

	if (tsh_source_is_live(f->source) || tsh_file_exists(f->in, "tracesh/clock"))
		return;
	for (id = 0; id <= UINT16_MAX; id++)
		if (tsh_live_provider_lacks(run->provider, id) &&
		    !tsh_decoder_format(run->decoder, id) && !n++)
			first = id;
	if (n)
		tsh_out_note(s->out, "the recording has no format of %zu event%s (unknown:%u%s): "
			     "collect.sh -a takes the formats of all", n, tsh_plural(n), first,
			     n > 1 ? ", .." : "");
}

/* Says whether to note at the end to which time the names belong; text output says so at its
 * start. */
static bool notes_names(const struct tsh_stream_spec *f, const struct stream_run *run,
			const struct tsh_stream_summary *sum)
{
	bool is_data = run->stream.out->format == TSH_FORMAT_JSON || run->stream.out->format == TSH_FORMAT_CSV;

	return (sum->events || tsh_summary_left_out(sum, TSH_UNMATCHED)) &&
	       (tsh_stages_ask_for_names(&run->stages) || (is_data && shows_tasks(f, run)));
}

/* Makes the threads that print the stream; NULL: one thread does. */
static struct tsh_stream_crew *gather_crew(const struct tsh_session *s, struct stream_run *run,
					   const struct tsh_stream_spec *f)
{
	struct tsh_crew_settings settings = {
		.threads = tsh_settings_threads(&s->settings), .is_eager = s->settings.threads,
		.begun = tsh_own_exclude, .begun_ctx = &run->place, .pool = tsh_settings_pool(&s->settings),
	};
	struct tsh_stream_crew *crew;

	if (f->sink || f->max_events || run->stream.options->lag_ns || s->settings.decoders == TSH_DECODERS_ALL)
		return NULL;
	crew = tsh_stream_crew_new(&run->stream, &run->stages, run->task_names, &run->sink, &settings);
	if (crew && !settings.pool)
		tsh_source_share(f->source);
	return crew;
}

static int run_stream(struct tsh_session *s, struct stream_run *run, const struct tsh_stream_spec *f,
		      struct tsh_stream_options *opt, struct tsh_stream_summary *sum, enum tsh_stream_end *end,
		      struct tsh_err *err)
{
	struct tsh_consumer *to = f->sink ? NULL : &run->sink.consumer;
	struct tsh_stream_crew *crew;
	int r = tsh_stages_begin(&run->stages, &run->stream, &to, err);

	if (r < 0)
		return -1;
	crew = gather_crew(s, run, f);
	opt->crew = tsh_stream_crew(crew);
	tsh_task_names_begin(run->task_names);
	r = tsh_stream_run(f->source, to, opt, sum, end, err);
	opt->crew = NULL;
	tsh_stream_crew_free(crew);
	tsh_task_names_end(run->task_names);
	tsh_stages_finish(&run->stages);
	if (notes_names(f, run, sum))
		tsh_task_names_note(run->task_names, f->in, run->stream.out);
	run->sink.consumer.ahead = NULL;
	tsh_stages_end(&run->stages);
	return r;
}

/* Limits the lag at a terminal, where the user wants to see the present. */
#define TERMINAL_LAG_NS UINT64_C(1000000000)

/* Returns how many ns late events may be printed before some are skipped; 0: no limit. */
static uint64_t lag_of(const struct tsh_session *s, const struct tsh_stream_spec *f)
{
	if (!f->can_lag || f->drain || f->lag == TSH_NO_LIMIT)
		return 0;
	if (f->lag)
		return f->lag;
	/* A stream with an end, -n or --stop-when, has no limit: all of its events are wanted. */
	return s->out->is_terminal && !f->max_events && !tsh_stages_can_end(&f->stages) ? TERMINAL_LAG_NS : 0;
}

static bool is_done(void *ctx)
{
	return tsh_stages_are_done(ctx);
}

/* Checks --expect: -n events, or the event of --stop-when, or any event. Sets the status for
 * `try` too. */
static int check_expected(struct tsh_session *s, const struct tsh_stream_spec *f, const struct tsh_stream_summary *sum,
			  enum tsh_stream_end end, struct tsh_err *err)
{
	uint64_t wanted = f->max_events ? f->max_events : 1;
	bool stops = tsh_stages_can_end(&f->stages);

	if (stops ? end == TSH_STREAM_DONE : sum->events >= wanted)
		return 0;
	s->run_status = TSH_FAILED;
	return tsh_err_set(err, TSH_FAILED, stops ? "no event came for which --stop-when is true" :
			   "%llu of the %llu events that were expected came", (unsigned long long)sum->events,
			   (unsigned long long)wanted);
}

int tsh_print_stream(struct tsh_session *s, const struct tsh_stream_spec *f, struct tsh_err *err)
{
	struct tsh_stream_options opt = {
		.waiter = f->waiter ? f->waiter : s->waiter, .in = f->in, .drain = f->drain,
		.max_events = f->max_events, .max_ns = f->max_ns, .lag_ns = lag_of(s, f),
		.done = f->done, .done_ctx = f->done_ctx, .work = f->work, .work_ctx = f->work_ctx,
	};
	struct tsh_stream_summary sum = { 0 };
	struct stream_run run = {
		.stream = { .in = f->in, .source = f->source, .layout = tsh_source_layout(f->source), .out = s->out,
			    .clock = &run.clock, .options = &opt, .sum = &sum },
		.task_names = f->task_names ? f->task_names : &run.found,
	};
	struct tsh_stream_keys keys;
	uint64_t given_up = 0;
	enum tsh_stream_end end = TSH_STREAM_EMPTY;
	int r = open_stream(s, f, &run, err);

	if (tsh_stages_can_end(&run.stages)) {
		opt.done = is_done;
		opt.done_ctx = &run.stages;
	}
	if (!r) {
		opt.clock = &run.clock;
		/* A stream that waits for an event reads all events before it. */
		opt.leaves_rest = !f->in->own && !run.sink.graph && !tsh_stages_can_end(&f->stages);
		opt.has_before = f->mark_before &&
				 present_stamp(f->in, run.clock.kind, &opt.before_stamp);
		if (!f->sink)
			tsh_sink_start(&run.sink);
		/* Show the reader of a pipe at once that output will follow. */
		tsh_out_flush(s->out);
		if (f->started)
			r = f->started(f->started_ctx, err);
	}
	if (!r) {
		if (tsh_source_is_live(f->source))
			tsh_out_begin_nonblocking(s->out);
		if (opt.lag_ns)
			tsh_sink_set_unbuffered(&run.sink);
		tsh_stream_keys_begin(&keys, s, f, &run.sink, &opt);
		r = run_stream(s, &run, f, &opt, &sum, &end, err);
		tsh_stream_keys_end(&keys);
		if (!r && f->sink)
			f->sink->kind->show(f->sink);
		else if (!r)
			tsh_sink_end(&run.sink, &sum);
		given_up = finish_output(s, opt.waiter, &sum, end);
	}
	if (!r) {
		s->aborted = end == TSH_STREAM_ABORT;
		/* A reader that closes the pipe (| head) has all that it wanted: no summary, as
		 * with psql and trace-cmd. */
		if (end != TSH_STREAM_CLOSED) {
			hint_formats(s, f, &run);
			tsh_warn_of_decoders(s, run.decoding);
			if (f->sink && tsh_traced_warning(&run.traced))
				tsh_out_warn(s->out, "%s", tsh_traced_warning(&run.traced));
			summarize(s, f, &run, &sum, end, given_up);
		}
	}
	if (!r && f->expects && !s->aborted)
		r = check_expected(s, f, &sum, end, err);
	close_stream(&run);
	return r < 0 || s->aborted ? -1 : 0;
}
