/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "commands.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "load.h"
#include "own.h"
#include "script.h"
#include "tracesh/json.h"
#include "tracesh/number.h"
#include "tracesh/stacks.h"
#include "tracesh/stream.h"
#include "tracesh/utf8.h"
#include "util.h"

/* stacks: from where events come, each with the kernel's stack, counted. */

#define STACKS_MAX 65536	/* different ones that are counted each */
#define BRANCHES 20		/* stacks that are printed, unless --top says otherwise */
/* Interrupts may come between an event and its stack, with events and stacks of their own. */
#define NESTED 8

/* Events of a CPU that wait for their stacks. */
struct waiting {
	struct tsh_common events[NESTED];
	size_t n;
};

/* Takes the events of the stream, each followed by its stack (kernel/trace/trace.c,
 * trace_buffer_unlock_commit_regs). */
struct taker {
	struct tsh_consumer consumer;	/* the first member */
	struct tsh_session *session;
	struct tsh_decoder *decoder;
	struct tsh_stacks *stacks;
	TSH_VEC(struct waiting) cpus;
	uint64_t events;
	uint64_t alone;			/* stacks whose event is not known */
};

/* ---- taking ---- */

static struct waiting *waiting_of(struct taker *taker, int cpu)
{
	while (cpu >= 0 && (size_t)cpu >= taker->cpus.n)
		tsh_vec_push(&taker->cpus);
	return cpu >= 0 ? &taker->cpus.v[cpu] : NULL;
}

static void wait_for_stack(struct waiting *waiting, const struct tsh_common *common)
{
	/* the oldest will not get one any more */
	if (waiting->n == NESTED)
		memmove(waiting->events, waiting->events + 1,
			--waiting->n * sizeof(*waiting->events));
	waiting->events[waiting->n++] = *common;
}

/* The kernel stamps a stack with the context of its event. */
static bool has_event(struct waiting *waiting, const struct tsh_common *stack)
{
	while (waiting->n) {
		const struct tsh_common *event = &waiting->events[--waiting->n];

		if (event->pid == stack->pid && event->flags == stack->flags &&
		    event->preempt == stack->preempt)
			return true;
	}
	return false;
}

static void take(struct tsh_consumer *to, const struct tsh_record *rec, bool late)
{
	struct taker *taker = (struct taker *)to;
	struct waiting *waiting = waiting_of(taker, rec->cpu);
	uint64_t frames[TSH_STACK_DEPTH];
	const struct tsh_event_format *format;
	struct tsh_common common;
	bool damaged;
	size_t n;

	(void)late;
	format = tsh_decoder_look(taker->decoder, rec, &common, &damaged);
	if (!format || !waiting)
		return;
	if (strcmp(format->system, "ftrace") != 0) {
		taker->events++;
		wait_for_stack(waiting, &common);
		return;
	}
	n = tsh_decoder_stack(taker->decoder, format, rec, frames, TSH_STACK_DEPTH);
	if (!n)
		return;
	taker->alone += !has_event(waiting, &common);
	tsh_stacks_add(taker->stacks, frames, n);
}

static void lose(struct tsh_consumer *to, int cpu, uint64_t count, uint64_t stamp)
{
	struct waiting *waiting = waiting_of((struct taker *)to, cpu);

	(void)count;
	(void)stamp;
	if (waiting)
		waiting->n = 0;
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
	struct tsh_strbuf name = TSH_STRBUF_INIT;

	if (address == TSH_STACK_TRAMPOLINE)
		tsh_strbuf_adds(&name, "[FTRACE TRAMPOLINE]");
	else
		tsh_decoder_symbol_name(ctx, address, &name);
	tsh_sanitize(out, name.buf, name.len);
	tsh_strbuf_release(&name);
}

/* ---- printing ---- */

struct printer {
	struct tsh_out *out;
	const struct tsh_stack_tree *tree;
	uint64_t total;
	uint64_t least;			/* branches of fewer are not printed */
	uint64_t hidden;		/* stacks in them */
	bool outermost_first;
};

/* " 60.1%  724  " or blanks of that width */
static void add_share(const struct printer *p, const struct tsh_stack_node *node,
		      struct tsh_strbuf *line)
{
	uint64_t permille = node->count * 1000 / p->total;
	struct tsh_strbuf count = TSH_STRBUF_INIT;

	tsh_format_count(node->count, &count);
	tsh_strbuf_addf(line, "%3" PRIu64 ".%" PRIu64 "%%  %10s  ", permille / 10, permille % 10,
			count.buf);
	tsh_strbuf_release(&count);
}

#define SHARE_WIDTH 20
/* A line of a branch stands so far to the right of the one that it leaves. */
#define INDENT 2

static void print_node(struct printer *p, const struct tsh_stack_node *node, unsigned int indent,
		       bool begins)
{
	struct tsh_strbuf line = TSH_STRBUF_INIT;

	if (begins)
		add_share(p, node, &line);
	else
		tsh_strbuf_addn(&line, ' ', SHARE_WIDTH);
	tsh_strbuf_addn(&line, ' ', (size_t)indent * INDENT);
	tsh_strbuf_adds(&line, node->name);
	tsh_out_line(p->out, "%s", line.buf);
	tsh_strbuf_release(&line);
}

/*
 * A frame under its caller is a line of the same branch as long as all stacks go on with it;
 * where they part, each way is a branch with its share.
 */
static void print_branches(struct printer *p, const struct tsh_stack_node *parent,
			   unsigned int indent)
{
	size_t i;

	for (i = 0; i < parent->n; i++) {
		const struct tsh_stack_node *node = &p->tree->nodes[parent->first + i];

		if (node->count < p->least) {
			p->hidden += node->count;
			continue;
		}
		print_node(p, node, indent, true);
		while (node->n == 1 && !node->ends) {
			node = &p->tree->nodes[node->first];
			print_node(p, node, indent, false);
		}
		print_branches(p, node, indent + 1);
	}
}

/* The frames of the stack that ends at a node, joined, from the root on or back to it. */
static void add_frames(const struct tsh_stack_tree *tree, size_t node, bool from_root,
		       void (*add)(void *ctx, const char *name), void *ctx)
{
	const char **names = tsh_xcalloc(tree->nodes[node].depth + 1, sizeof(*names));
	unsigned int n = tree->nodes[node].depth, i;

	for (i = n; i; i--, node = tree->nodes[node].parent)
		names[i - 1] = tree->nodes[node].name;
	for (i = 0; i < n; i++)
		add(ctx, names[from_root ? i : n - 1 - i]);
	free(names);
}

/* A node at which stacks end. */
struct end {
	size_t node;
	uint64_t count;
};

static int compare_ends(const void *a, const void *b)
{
	const struct end *x = a, *y = b;

	if (x->count != y->count)
		return x->count > y->count ? -1 : 1;
	return x->node < y->node ? -1 : x->node > y->node;
}

/* The most frequent first. */
static struct end *find_ends(const struct tsh_stack_tree *tree, size_t *ret_n)
{
	struct end *ends = tsh_xcalloc(tree->n + 1, sizeof(*ends));
	size_t i, n = 0;

	for (i = 0; i < tree->n; i++)
		if (tree->nodes[i].ends)
			ends[n++] = (struct end){ .node = i, .count = tree->nodes[i].ends };
	qsort(ends, n, sizeof(*ends), compare_ends);
	*ret_n = n;
	return ends;
}

static void add_json_frame(void *ctx, const char *name)
{
	tsh_json_string(ctx, name, strlen(name));
}

static void add_folded_frame(void *ctx, const char *name)
{
	struct tsh_strbuf *line = ctx;

	if (line->len)
		tsh_strbuf_addc(line, ';');
	tsh_strbuf_adds(line, name);
}

static void print_json(struct printer *p, const struct end *end)
{
	struct tsh_json js;

	tsh_json_init(&js, &p->out->data);
	tsh_json_object(&js);
	tsh_json_kstr(&js, "type", "stack");
	tsh_json_ku64(&js, "count", end->count);
	tsh_json_key(&js, "frames");
	tsh_json_array(&js);
	add_frames(p->tree, end->node, !p->outermost_first, add_json_frame, &js);
	tsh_json_array_end(&js);
	tsh_json_object_end(&js);
	tsh_strbuf_addc(&p->out->data, '\n');
}

/* "entry_SYSCALL_64;do_syscall_64;schedule 724", what flame graphs are made of */
static void print_folded(struct printer *p, const struct end *end)
{
	struct tsh_strbuf line = TSH_STRBUF_INIT;

	add_frames(p->tree, end->node, p->outermost_first, add_folded_frame, &line);
	tsh_out_line(p->out, "%s %" PRIu64, line.buf, end->count);
	tsh_strbuf_release(&line);
}

static void print_csv(struct printer *p, struct tsh_table *table, const struct end *end)
{
	struct tsh_strbuf frames = TSH_STRBUF_INIT;

	add_frames(p->tree, end->node, p->outermost_first, add_folded_frame, &frames);
	tsh_table_row(table);
	tsh_table_number(table, end->count);
	tsh_table_text(table, frames.buf);
	tsh_strbuf_release(&frames);
}

static void print_each(struct printer *p, const struct end *ends, size_t n, bool folded)
{
	static const struct tsh_column columns[] = {
		{ "count", TSH_COLUMN_NUMBER }, { "stack", TSH_COLUMN_TEXT }, { 0 }
	};
	struct tsh_table *table = NULL;
	size_t i;

	if (p->out->format == TSH_FORMAT_CSV)
		table = tsh_table_begin(p->out, "stack", columns);
	for (i = 0; i < n; i++) {
		if (table)
			print_csv(p, table, &ends[i]);
		else if (folded)
			print_folded(p, &ends[i]);
		else
			print_json(p, &ends[i]);
		if (tsh_out_flush_if_full(p->out) || p->out->closed)
			break;
	}
	if (table)
		tsh_table_end(table);
}

static void print_stacks(struct tsh_session *s, const struct tsh_call *call, struct taker *taker)
{
	const struct tsh_value *top = tsh_args_get(&call->args, "N");
	bool folded = tsh_args_has(&call->args, "folded");
	struct tsh_stack_tree tree;
	struct printer p = {
		.out = s->out, .tree = &tree, .total = tsh_stacks_total(taker->stacks),
		.outermost_first = tsh_args_has(&call->args, "from-entry"),
	};
	struct end *ends;
	size_t n;

	tsh_stacks_tree(taker->stacks, p.outermost_first, name_frame, taker->decoder, &tree);
	ends = find_ends(&tree, &n);
	if (folded || s->out->format == TSH_FORMAT_JSON || s->out->format == TSH_FORMAT_CSV) {
		print_each(&p, ends, top && top->number < n ? top->number : n, folded);
	} else if (n) {
		uint64_t most = top ? top->number : BRANCHES;

		p.least = n > most ? ends[most - 1].count : 1;
		print_branches(&p, &tree.nodes[0], 0);
	}
	if (p.hidden)
		tsh_out_note(s->out, "%" PRIu64 " stacks of rarer branches are not printed: --top "
			     "%zu prints all", p.hidden, n);
	free(ends);
	tsh_stack_tree_release(&tree);
}

/* ---- running ---- */

/* "1,204 stacks of 1,210 events, 17 different, 0 lost, 2 s" */
static void summarize(struct tsh_session *s, const struct taker *taker,
		      const struct tsh_stream_summary *sum)
{
	uint64_t total = tsh_stacks_total(taker->stacks);
	struct tsh_strbuf text = TSH_STRBUF_INIT;

	tsh_format_count(total, &text);
	tsh_strbuf_addf(&text, " stack%s of ", tsh_plural(total));
	tsh_format_count(taker->events, &text);
	tsh_strbuf_addf(&text, " event%s, ", tsh_plural(taker->events));
	if (tsh_stacks_other(taker->stacks)) {
		tsh_format_count(tsh_stacks_other(taker->stacks), &text);
		tsh_strbuf_adds(&text, " not counted each (more than 65,536 different ones), ");
	}
	if (taker->alone) {
		tsh_format_count(taker->alone, &text);
		tsh_strbuf_adds(&text, " of events that are lost, ");
	}
	if (sum->lost_unknown)
		tsh_strbuf_adds(&text, "at least ");
	tsh_format_count(sum->lost, &text);
	tsh_strbuf_adds(&text, " lost, ");
	tsh_format_ns(sum->ns, &text);
	if (sum->lost || sum->lost_unknown)
		tsh_strbuf_adds(&text, " (more room: --buffer 8M)");
	tsh_out_note(s->out, "%s", text.buf);
	tsh_strbuf_release(&text);
}

static int watch_source(struct tsh_session *s, const struct tsh_call *call,
			struct tsh_instance *in, struct tsh_source *source, struct tsh_err *err)
{
	char *clock_name = tsh_clock_name(in);
	struct tsh_live_provider *provider = tsh_live_provider_new(in);
	struct taker taker = {
		.consumer = { .event = take, .lost = lose, .note = note, .flush = flush },
		.session = s, .stacks = tsh_stacks_new(STACKS_MAX),
		.decoder = tsh_decoder_new(tsh_live_provider(provider), tsh_source_layout(source)),
	};
	struct tsh_stream_options opt = {
		.waiter = s->waiter, .in = in, .max_ns = tsh_args_number(&call->args, "TIME"),
	};
	struct tsh_stream_summary sum = { 0 };
	enum tsh_stream_end end;
	struct tsh_clock clock;
	int r;

	tsh_clock_init(&clock, tsh_clock_kind(clock_name ? clock_name : "unknown"));
	opt.clock = &clock;
	r = tsh_clock_sample_instance(&clock, in, TSH_CLOCK_ROUNDS, err);
	if (r >= 0)
		r = tsh_file_write(in, "tracing_on", TSH_WRITE_SET, "1", err);
	if (r >= 0)
		r = tsh_stream_run(source, &taker.consumer, &opt, &sum, &end, err);
	if (r >= 0) {
		s->aborted = end == TSH_STREAM_ABORT;
		print_stacks(s, call, &taker);
		summarize(s, &taker, &sum);
	}
	tsh_vec_release(&taker.cpus);
	tsh_stacks_free(taker.stacks);
	tsh_decoder_free(taker.decoder);
	tsh_live_provider_free(provider);
	tsh_clock_release(&clock);
	free(clock_name);
	return r < 0 || s->aborted ? -1 : 0;
}

static int stacks_run(struct tsh_session *s, const struct tsh_call *call, struct tsh_err *err)
{
	static const char *const limits[] = { "N", "TIME", NULL };
	const struct tsh_value *cpus = tsh_args_get(&call->args, "LIST");
	struct tsh_source *source;
	struct tsh_instance *in;
	int r;

	if (tsh_cmd_check_limits(call, limits, err) < 0 ||
	    (!tsh_args_has(&call->args, "TIME") && tsh_cmd_refuse_watched(s, call, err) < 0) ||
	    tsh_load_check_events(s, NULL, call, err) < 0 || tsh_own_open(s, &in, err) < 0)
		return -1;
	r = tsh_own_settings(s, in, call, err);
	if (!r)
		r = tsh_file_write(in, "options/stacktrace", TSH_WRITE_SET, "1", err);
	if (r >= 0)
		r = tsh_own_enable(s, in, call, err);
	if (r >= 0)
		r = tsh_source_open(in, cpus ? &cpus->cpus : NULL, &source, err);
	if (r >= 0) {
		r = watch_source(s, call, in, source, err);
		tsh_source_close(source);
	}
	tsh_own_close(s, in);
	return r < 0 ? -1 : 0;
}

static const struct tsh_arg stacks_args[] = {
	{ .name = "TIME", .option = "--for", .type = TSH_ARG_TIME, .flags = TSH_ARG_OPTIONAL,
	  .help = "stop after this time: 500ms, 2s, 1m; else Ctrl-C does" },
	{ .name = "N", .option = "--top", .type = TSH_ARG_NUMBER, .flags = TSH_ARG_OPTIONAL,
	  .help = "what is rarer than the N most frequent stacks is left out; in text else 20" },
	TSH_OWN_CPUS,
	TSH_OWN_TASK,
	TSH_OWN_BUFFER,
	{ .name = "from-entry", .option = "--from-entry", .type = TSH_ARG_FLAG,
	  .flags = TSH_ARG_OPTIONAL,
	  .help = "the tree begins where the kernel was entered, not at the event" },
	{ .name = "folded", .option = "--folded", .type = TSH_ARG_FLAG, .flags = TSH_ARG_OPTIONAL,
	  .help = "a stack a line, its frames joined by ';': what flame graphs are made of" },
	{ .name = "EVENT", .type = TSH_ARG_EVENT, .flags = TSH_ARG_MANY,
	  .help = "system:name, a system, a unique name, or a glob" },
	TSH_OWN_FILTER,
	{ 0 }
};

static const struct tsh_example stacks_examples[] = {
	{ "stacks --for 1s sched_switch if prev_state != 0", "where tasks begin to wait" },
	{ "stacks --for 500ms --from-entry sched_waking", "by which way the kernel came there" },
	{ "stacks --for 500ms --folded -o /tmp/stacks sched_switch", "for a flame graph" },
	{ 0 }
};

const struct tsh_cmd tsh_cmd_stacks = {
	.name = "stacks", .group = TSH_GROUP_ANALYSE, .summary = "count from where in the kernel events come",
	.description = "A tree of the functions that led to the events, with how many of all came "
		       "that way: under a function stand those that called it, and where ways part "
		       "each is a branch with its share. --from-entry turns it round.\n"
		       "The events are recorded in an instance of its own, each with its stack as the "
		       "kernel tells it (the option stacktrace); tracesh and the processes above it are "
		       "not traced.\n"
		       "JSON has an object of each stack, CSV a row: frames from the event outwards, in "
		       "CSV joined by ';' and, as flame graphs want them, from the entry on.",
	.see = "stream trigger functions",
	.args = stacks_args, .examples = stacks_examples,
	.flags = TSH_CMD_WRITES | TSH_CMD_NEEDS_TRACEFS | TSH_CMD_PRINTS | TSH_CMD_LIVE,
	.run = stacks_run, .script = tsh_script_none,
};
