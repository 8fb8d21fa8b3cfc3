/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "stacks.h"

#include <stdlib.h>

#include "base/machine.h"
#include "base/number.h"
#include "base/utf8.h"
#include "engine/pipeline/attach-stacks.h"
#include "engine/pipeline/enable.h"
#include "engine/pipeline/own-stream.h"
#include "engine/pipeline/traced.h"
#include "engine/pipeline/where.h"
#include "engine/probe/probe.h"
#include "events/source/stream.h"
#include "internal.h"
#include "output/sink.h"
#include "session/filters.h"
#include "session/flood-check.h"
#include "session/util.h"

/* Counts the call chains of events: each event is recorded with its stack. */

#define STACKS_MAX 65536	/* distinct stacks that are counted */
/* Is the last consumer of the stream: gets each event with its stack. */
struct counter {
	struct tsh_consumer consumer;	/* must be the first member */
	struct tsh_open_stream stream;
	struct tsh_session *session;
	struct tsh_stacks *stacks;
	/* Finds functions of programs; NULL: stacks of the kernel are counted. */
	struct stacks_users *users;
	struct tsh_where_stage where;	/* passes events to the counter; its query may be NULL */
	struct tsh_traced traced;	/* passes events to the stages of names and of where */
	struct tsh_event_stacks stacked;	/* passes events to traced */
	uint64_t alone;			/* stacks whose event is not known */
};

/* ---- counting ---- */

/* Reads the frames of a stack: addresses of the kernel, or numbers of functions of programs. */
static size_t frames_of(struct counter *counter, uint64_t *frames)
{
	const struct tsh_event_format *format = counter->stacked.format;
	const struct tsh_record *stack = counter->stacked.stack;
	uint64_t addresses[TSH_STACK_DEPTH];
	size_t naddresses, i, n = 0;
	int tgid;

	if (!counter->users)
		return tsh_event_stacks_frames(&counter->stacked, frames, TSH_STACK_DEPTH);
	naddresses = tsh_decoder_user_stack(counter->stream.decoder, format, stack, &tgid, addresses, TSH_STACK_DEPTH);
	if (naddresses && stacks_users_is_reader(counter->users, tgid))
		return 0;
	for (i = 0; i < naddresses && n < TSH_STACK_DEPTH; i++)
		/* the call is before the address to which it returns */
		n += stacks_users_find(counter->users, tgid, stack->stamp, addresses[i] - (i > 0), frames + n,
				       TSH_STACK_DEPTH - n);
	return n;
}

static void add_stack(struct counter *counter)
{
	uint64_t frames[TSH_STACK_DEPTH];
	size_t n = frames_of(counter, frames);

	if (n)
		tsh_stacks_add(counter->stacks, frames, n);
}

static bool handle_event(struct tsh_consumer *to, const struct tsh_record *rec, bool late)
{
	struct counter *counter = (struct counter *)to;

	(void)rec;
	(void)late;
	if (counter->stacked.stack)
		add_stack(counter);
	return true;
}

/* Counts a stack whose event is lost. Adds it only when all events are counted, because it may
 * not belong to a selected one. */
static void handle_lone_stack(void *ctx)
{
	struct counter *counter = ctx;

	counter->alone++;
	if (!counter->where.query && !counter->traced.drops)
		add_stack(counter);
}

/* Does nothing: the stream's summary counts lost events. */
static void handle_loss(struct tsh_consumer *to, int cpu, uint64_t count, uint64_t stamp)
{
	(void)to;
	(void)cpu;
	(void)count;
	(void)stamp;
}

static void note(struct tsh_consumer *to, const char *text)
{
	tsh_out_note(((struct counter *)to)->session->out, "%s", text);
}

static int flush(struct tsh_consumer *to, struct tsh_err *err)
{
	(void)to;
	(void)err;
	return 0;
}

static void name_frame(void *ctx, uint64_t address, struct tsh_strbuf *out)
{
	const struct counter *counter = ctx;
	struct tsh_strbuf name = TSH_STRBUF_INIT;

	if (counter->users) {
		tsh_strbuf_adds(out, stacks_users_name(counter->users, address));
		return;
	}
	if (address == TSH_STACK_TRAMPOLINE)
		tsh_strbuf_adds(&name, "[FTRACE TRAMPOLINE]");
	else
		tsh_decoder_symbol_name(counter->stream.decoder, address, &name);
	tsh_sanitize(out, name.buf, name.len);
	tsh_strbuf_release(&name);
}

/* ---- running ---- */

/* Prints the summary: "1,204 stacks of 1,210 events, 17 different, 0 lost, 2 s". */
static void summarize(struct tsh_session *s, const struct tsh_call *call, const struct counter *counter,
		      const struct tsh_stream_summary *sum)
{
	uint64_t total = tsh_stacks_total(counter->stacks);
	struct tsh_strbuf text = TSH_STRBUF_INIT;

	tsh_format_count(total, &text);
	tsh_strbuf_addf(&text, " stack%s of ", tsh_plural(total));
	tsh_format_count(sum->events, &text);
	tsh_strbuf_addf(&text, " event%s, ", tsh_plural(sum->events));
	if (counter->where.unmatched) {
		tsh_format_count(counter->where.unmatched, &text);
		tsh_strbuf_adds(&text, " not matching, ");
	}
	counter->traced.stage.kind->append_clause(&counter->traced.stage, &text);
	if (tsh_stacks_other(counter->stacks)) {
		tsh_format_count(tsh_stacks_other(counter->stacks), &text);
		tsh_strbuf_adds(&text, " counted together (more than 65,536 different stacks), ");
	}
	if (counter->alone) {
		tsh_format_count(counter->alone, &text);
		tsh_strbuf_adds(&text, counter->where.query || counter->traced.drops ?
				" not counted, as their events are lost, " : " of events that are lost, ");
	}
	if (sum->lost_unknown)
		tsh_strbuf_adds(&text, "at least ");
	tsh_format_count(sum->lost, &text);
	tsh_strbuf_adds(&text, " lost");
	tsh_task_names_append_lost(sum->lost_hidden, &text);
	tsh_strbuf_adds(&text, ", ");
	tsh_format_ns(sum->ns, &text);
	if (!sum->events && !counter->where.unmatched && !sum->lost)
		tsh_strbuf_adds(&text, tsh_filters_why_none(call, counter->where.query));
	if (sum->lost || sum->lost_unknown)
		tsh_strbuf_adds(&text, " (more room: --buffer 8M)");
	tsh_out_note(s->out, "%s", text.buf);
	tsh_strbuf_release(&text);
	/* arm has the option, but records no such stacks */
	if (counter->users && sum->events && !total && !counter->alone)
		tsh_out_warn(s->out, "the kernel has recorded no stack of a program: it needs "
			     "CONFIG_USER_STACKTRACE_SUPPORT, which not all machines have");
}

/* Warns of frames without names, of debug information that was not read, and of limits. */
static void warn_left_out(struct tsh_session *s, const struct stacks_users *users)
{
	struct tsh_strbuf text = TSH_STRBUF_INIT;
	uint64_t unknown;

	if (!users)
		return;
	unknown = stacks_users_unknown(users);
	if (unknown) {
		tsh_format_count(unknown, &text);
		tsh_out_note(s->out, "%s frame%s %s [unknown]: the program had ended, or executed another one, before its "
			     "mappings were read", text.buf, tsh_plural(unknown), unknown == 1 ? "is" : "are");
		tsh_strbuf_clear(&text);
	}
	stacks_users_append_failed_debug(users, &text);
	if (text.len)
		tsh_out_warn(s->out, "inlined functions may be missing: debug information was not read of %s", text.buf);
	tsh_strbuf_clear(&text);
	stacks_users_left_out(users, &text);
	if (text.len)
		tsh_out_warn(s->out, "functions may be missing because of limits: %s", text.buf);
	tsh_strbuf_release(&text);
}

/* Says whether a probe of the call is at the beginning of a program's function, where the
 * function has no frame yet. */
static bool is_at_begin(const struct tsh_call *call)
{
	size_t i;

	for (i = 0; i < call->args.n; i++) {
		const struct tsh_value *value = &call->args.v[i];
		const char *place = *value->word.text == '/' ? strchr(value->word.text, ':') : NULL;
		unsigned int at_once;

		if (!strcmp(value->arg->name, "PROBE") && place && !tsh_target_return(value->word.text, &at_once) &&
		    place[strcspn(place, "+ ")] != '+')
			return true;
	}
	return false;
}

/* Inserts the stages before the counter. *to becomes the consumer for the source. */
static int order_stages(struct counter *counter, const struct tsh_call *call, struct tsh_task_names *task_names,
			struct tsh_stages *stages, struct tsh_consumer **to, struct tsh_err *err)
{
	*to = &counter->consumer;
	tsh_stages_push(stages, tsh_event_stacks_stage(&counter->stacked));
	counter->stacked.lone_stack = handle_lone_stack;
	counter->stacked.ctx = counter;
	tsh_stages_push(stages, tsh_traced_stage(&counter->traced, task_names, true));
	tsh_stages_push(stages, &task_names->stage);
	tsh_stages_push(stages, tsh_where_stage(&counter->where, tsh_where_query(call)));
	return tsh_stages_begin(stages, &counter->stream, to, err);
}

static int watch_source(void *ctx, struct tsh_own_stream *own, struct tsh_err *err)
{
	struct tsh_session *s = own->session;
	const struct tsh_call *call = own->call;
	struct tsh_instance *in = own->in;
	struct tsh_source *source = own->source;
	struct tsh_task_names *task_names = &own->task_names;
	char *clock_name = tsh_clock_name(in);
	uint64_t max_ns = tsh_args_number(&call->args, "TIME");
	struct tsh_live_provider *provider = tsh_live_provider_new(in);
	struct tsh_stream_summary sum = { 0 };
	struct tsh_clock clock;
	struct counter counter = {
		.consumer = { .event = handle_event, .lost = handle_loss, .note = note, .flush = flush },
		.session = s, .stacks = tsh_stacks_new(STACKS_MAX),
		.users = tsh_args_has(&call->args, "user") ? stacks_users_new(s, in, max_ns) : NULL,
		.stream = { .in = in, .source = source, .provider = tsh_live_provider(provider),
			    .decoder = tsh_decoder_new(tsh_live_provider(provider), tsh_source_layout(source)),
			    .layout = tsh_source_layout(source), .clock = &clock, .out = s->out, .sum = &sum },
	};
	struct tsh_stream_options opt = {
		.waiter = counter.users ? stacks_users_waiter(counter.users) : s->waiter,
		.in = in, .max_ns = max_ns, .clock = &clock,
	};
	struct tsh_stages stages = { 0 };
	struct tsh_consumer *to;
	enum tsh_stream_end end;
	int r;

	(void)ctx;
	counter.stream.options = &opt;
	tsh_clock_init(&clock, tsh_clock_kind(clock_name ? clock_name : "unknown"));
	r = order_stages(&counter, call, task_names, &stages, &to, err);
	if (!r)
		r = tsh_clock_sample_instance(&clock, in, TSH_CLOCK_ROUNDS, err);
	if (r >= 0)
		r = tsh_file_write(in, "tracing_on", TSH_WRITE_SET, "1", err);
	if (r >= 0) {
		tsh_task_names_begin(task_names);
		r = tsh_stream_run(source, to, &opt, &sum, &end, err);
		tsh_task_names_end(task_names);
	}
	tsh_stages_finish(&stages);
	if (r >= 0) {
		s->aborted = end == TSH_STREAM_ABORT;
		stacks_print(s, call, counter.stacks, name_frame, &counter);
		if (s->out->format == TSH_FORMAT_JSON && !stacks_are_folded(call))
			tsh_json_end_line(&s->out->data, &sum);
		summarize(s, call, &counter, &sum);
		if (counter.users && sum.events && is_at_begin(call))
			tsh_out_note(s->out, "the caller of a probed function is missing, its "
					     "caller's caller is there: at its begin a function has "
					     "no frame yet");
		warn_left_out(s, counter.users);
	}
	tsh_stacks_free(counter.stacks);
	stacks_users_free(counter.users);
	tsh_stages_forget(&stages);
	tsh_decoder_free(counter.stream.decoder);
	tsh_live_provider_free(provider);
	tsh_clock_release(&clock);
	free(clock_name);
	return r < 0 || s->aborted ? -1 : 0;
}

static int record_stacks(void *ctx, struct tsh_own_stream *own, struct tsh_err *err)
{
	static const char kernels[] = "options/stacktrace", users[] = "options/userstacktrace";
	bool of_users = tsh_args_has(&own->call->args, "user");

	(void)ctx;
	if (of_users && !tsh_file_exists(own->in, users)) {
		tsh_err_set(err, TSH_ENVIRONMENT, "this kernel records no stacks of programs");
		tsh_err_hint(err, "it needs CONFIG_USER_STACKTRACE_SUPPORT; without --user it is "
				  "the kernel's stack");
		return -1;
	}
	if (tsh_file_write(own->in, of_users ? users : kernels, TSH_WRITE_SET, "1", err) < 0)
		return -1;
	return tsh_own_enable(own->session, own->in, own->call, err);
}

int tsh_stacks_run(struct tsh_session *s, const struct tsh_call *call, struct tsh_err *err)
{
	struct tsh_own_stream own = {
		.session = s, .call = call, .cpus = tsh_args_get(&call->args, "LIST"),
		.prepare = record_stacks, .run = watch_source,
	};

	if ((tsh_args_has(&call->args, "user") && tsh_check_proc(err) < 0) ||
	    tsh_flood_check_events(s, NULL, call, err) < 0)
		return -1;
	return tsh_own_stream_run(&own, err) < 0 ? -1 : 0;
}
