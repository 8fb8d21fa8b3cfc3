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

/* Counts from where events come: each is recorded with its stack. */

#define STACKS_MAX 65536	/* different ones that are counted each */
/* Takes the events of the stream, each with its stack. */
struct taker {
	struct tsh_consumer consumer;	/* the first member */
	struct tsh_open_stream stream;
	struct tsh_session *session;
	struct tsh_stacks *stacks;
	struct stacks_users *users;	/* of the programs' functions; NULL: of the kernel's */
	struct tsh_where_stage where;	/* its query may be NULL; gives on to the taker */
	struct tsh_traced traced;	/* gives on to these */
	struct tsh_event_stacks stacked;	/* gives on to that */
	uint64_t alone;			/* stacks whose event is not known */
};

/* ---- taking ---- */

/* The frames of a record, with the numbers of users' functions in place of addresses. */
static size_t frames_of(struct taker *taker, uint64_t *frames)
{
	const struct tsh_event_format *format = taker->stacked.format;
	const struct tsh_record *stack = taker->stacked.stack;
	uint64_t addresses[TSH_STACK_DEPTH];
	size_t naddresses, i, n = 0;
	int tgid;

	if (!taker->users)
		return tsh_event_stacks_frames(&taker->stacked, frames, TSH_STACK_DEPTH);
	naddresses = tsh_decoder_user_stack(taker->stream.decoder, format, stack, &tgid, addresses, TSH_STACK_DEPTH);
	if (naddresses && stacks_users_are(taker->users, tgid))
		return 0;
	for (i = 0; i < naddresses && n < TSH_STACK_DEPTH; i++)
		/* what calls is before the place that it returns to */
		n += stacks_users_look(taker->users, tgid, stack->stamp, addresses[i] - (i > 0), frames + n,
				       TSH_STACK_DEPTH - n);
	return n;
}

static void add_stack(struct taker *taker)
{
	uint64_t frames[TSH_STACK_DEPTH];
	size_t n = frames_of(taker, frames);

	if (n)
		tsh_stacks_add(taker->stacks, frames, n);
}

static bool take(struct tsh_consumer *to, const struct tsh_record *rec, bool late)
{
	struct taker *taker = (struct taker *)to;

	(void)rec;
	(void)late;
	if (taker->stacked.stack)
		add_stack(taker);
	return true;
}

/* Of what is not known nobody knows whether it matches. */
static void take_alone(void *ctx)
{
	struct taker *taker = ctx;

	taker->alone++;
	if (!taker->where.query && !taker->traced.drops)
		add_stack(taker);
}

/* The losses are in the stream's own sum. */
static void lose(struct tsh_consumer *to, int cpu, uint64_t count, uint64_t stamp)
{
	(void)to;
	(void)cpu;
	(void)count;
	(void)stamp;
}

static void note(struct tsh_consumer *to, const char *text)
{
	tsh_out_note(((struct taker *)to)->session->out, "%s", text);
}

static int flush(struct tsh_consumer *to, struct tsh_err *err)
{
	(void)to;
	(void)err;
	return 0;
}

static void name_frame(void *ctx, uint64_t address, struct tsh_strbuf *out)
{
	const struct taker *taker = ctx;
	struct tsh_strbuf name = TSH_STRBUF_INIT;

	if (taker->users) {
		tsh_strbuf_adds(out, stacks_users_name(taker->users, address));
		return;
	}
	if (address == TSH_STACK_TRAMPOLINE)
		tsh_strbuf_adds(&name, "[FTRACE TRAMPOLINE]");
	else
		tsh_decoder_symbol_name(taker->stream.decoder, address, &name);
	tsh_sanitize(out, name.buf, name.len);
	tsh_strbuf_release(&name);
}

/* ---- running ---- */

/* "1,204 stacks of 1,210 events, 17 different, 0 lost, 2 s" */
static void summarize(struct tsh_session *s, const struct tsh_call *call, const struct taker *taker,
		      const struct tsh_stream_summary *sum)
{
	uint64_t total = tsh_stacks_total(taker->stacks);
	struct tsh_strbuf text = TSH_STRBUF_INIT;

	tsh_format_count(total, &text);
	tsh_strbuf_addf(&text, " stack%s of ", tsh_plural(total));
	tsh_format_count(sum->events, &text);
	tsh_strbuf_addf(&text, " event%s, ", tsh_plural(sum->events));
	if (taker->where.unmatched) {
		tsh_format_count(taker->where.unmatched, &text);
		tsh_strbuf_adds(&text, " not matching, ");
	}
	taker->traced.stage.kind->append_clause(&taker->traced.stage, &text);
	if (tsh_stacks_other(taker->stacks)) {
		tsh_format_count(tsh_stacks_other(taker->stacks), &text);
		tsh_strbuf_adds(&text, " not counted each (more than 65,536 different ones), ");
	}
	if (taker->alone) {
		tsh_format_count(taker->alone, &text);
		tsh_strbuf_adds(&text, taker->where.query || taker->traced.drops ? " not counted, as their events are lost, " :
							    " of events that are lost, ");
	}
	if (sum->lost_unknown)
		tsh_strbuf_adds(&text, "at least ");
	tsh_format_count(sum->lost, &text);
	tsh_strbuf_adds(&text, " lost");
	tsh_task_names_append_lost(sum->lost_hidden, &text);
	tsh_strbuf_adds(&text, ", ");
	tsh_format_ns(sum->ns, &text);
	if (!sum->events && !taker->where.unmatched && !sum->lost)
		tsh_strbuf_adds(&text, tsh_filters_nothing(call, taker->where.query));
	if (sum->lost || sum->lost_unknown)
		tsh_strbuf_adds(&text, " (more room: --buffer 8M)");
	tsh_out_note(s->out, "%s", text.buf);
	tsh_strbuf_release(&text);
	/* arm takes the option, and records none */
	if (taker->users && sum->events && !total && !taker->alone)
		tsh_out_warn(s->out, "the kernel has recorded no stack of a program: it needs "
			     "CONFIG_USER_STACKTRACE_SUPPORT, which not all machines have");
}

/* Says which frames have no name, what of programs could not be read, and what was too large. */
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
	stacks_users_unused(users, &text);
	if (text.len)
		tsh_out_warn(s->out, "inlined functions may be missing: debug information was not read of %s", text.buf);
	tsh_strbuf_clear(&text);
	stacks_users_left_out(users, &text);
	if (text.len)
		tsh_out_warn(s->out, "functions may be missing: beyond the limits are %s", text.buf);
	tsh_strbuf_release(&text);
}

/* Says whether a probe of the call is at the begin of a program's function, where the frame is not there yet. */
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

/* Puts the stages before the taker; *to becomes the one that the source gives to. */
static int line_up(struct taker *taker, const struct tsh_call *call, struct tsh_task_names *task_names,
		   struct tsh_stages *stages, struct tsh_consumer **to, struct tsh_err *err)
{
	*to = &taker->consumer;
	tsh_stages_push(stages, tsh_event_stacks_stage(&taker->stacked));
	taker->stacked.alone = take_alone;
	taker->stacked.ctx = taker;
	tsh_stages_push(stages, tsh_traced_stage(&taker->traced, task_names, true));
	tsh_stages_push(stages, &task_names->stage);
	tsh_stages_push(stages, tsh_where_stage(&taker->where, tsh_where_query(call)));
	return tsh_stages_begin(stages, &taker->stream, to, err);
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
	struct taker taker = {
		.consumer = { .event = take, .lost = lose, .note = note, .flush = flush },
		.session = s, .stacks = tsh_stacks_new(STACKS_MAX),
		.users = tsh_args_has(&call->args, "user") ? stacks_users_new(s, in, max_ns) : NULL,
		.stream = { .in = in, .source = source, .provider = tsh_live_provider(provider),
			    .decoder = tsh_decoder_new(tsh_live_provider(provider), tsh_source_layout(source)),
			    .layout = tsh_source_layout(source), .clock = &clock, .out = s->out, .sum = &sum },
	};
	struct tsh_stream_options opt = {
		.waiter = taker.users ? stacks_users_waiter(taker.users) : s->waiter,
		.in = in, .max_ns = max_ns, .clock = &clock,
	};
	struct tsh_stages stages = { 0 };
	struct tsh_consumer *to;
	enum tsh_stream_end end;
	int r;

	(void)ctx;
	taker.stream.options = &opt;
	tsh_clock_init(&clock, tsh_clock_kind(clock_name ? clock_name : "unknown"));
	r = line_up(&taker, call, task_names, &stages, &to, err);
	if (!r)
		r = tsh_clock_sample_instance(&clock, in, TSH_CLOCK_ROUNDS, err);
	if (r >= 0)
		r = tsh_file_write(in, "tracing_on", TSH_WRITE_SET, "1", err);
	if (r >= 0) {
		tsh_task_names_begin(task_names);
		r = tsh_stream_run(source, to, &opt, &sum, &end, err);
	}
	tsh_stages_finish(&stages);
	if (r >= 0) {
		s->aborted = end == TSH_STREAM_ABORT;
		stacks_print(s, call, taker.stacks, name_frame, &taker);
		if (s->out->format == TSH_FORMAT_JSON && !stacks_are_folded(call))
			tsh_json_end_line(&s->out->data, &sum);
		summarize(s, call, &taker, &sum);
		if (taker.users && sum.events && is_at_begin(call))
			tsh_out_note(s->out, "who called a probed function is missing: at its begin there is no frame yet, and the "
				     "next one above is its caller's caller");
		warn_left_out(s, taker.users);
	}
	tsh_stacks_free(taker.stacks);
	stacks_users_free(taker.users);
	tsh_stages_forget(&stages);
	tsh_decoder_free(taker.stream.decoder);
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
	    tsh_load_check_events(s, NULL, call, err) < 0)
		return -1;
	return tsh_own_stream_run(&own, err) < 0 ? -1 : 0;
}
