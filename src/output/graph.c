/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "graph.h"

#include <stdlib.h>
#include <string.h>

#include "base/xmalloc.h"
#include "graph-lines.h"

/* as TRACE_GRAPH_INDENT */
#define INDENT 2
#define CPU_MAX 65536
/* IS_ERR_VALUE: the last page of addresses holds errors */
#define ERRNO_MAX 4095

/* ---- the layout ---- */

static unsigned int cpu_width(const struct tsh_provider *options)
{
	unsigned int width = 1;
	uint64_t cpus, last;

	if (!options || !options->variable ||
	    !options->variable(options->ctx, "nr_cpu_ids", &cpus) || cpus > CPU_MAX)
		return width;
	for (last = cpus ? cpus - 1 : 0; last > 9; last /= 10)
		width++;
	return width;
}

struct tsh_graph *tsh_graph_new(struct tsh_decoder *decoder, const struct tsh_provider *options)
{
	struct tsh_graph *g = tsh_xcalloc(1, sizeof(*g));

	g->decoder = decoder;
	g->with_migrate = true;
	g->long_size = 8;
	g->cpu_width = cpu_width(options);
	graph_options_read(&g->opt, options);
	return g;
}

void tsh_graph_free(struct tsh_graph *g)
{
	size_t i;

	if (!g)
		return;
	for (i = 0; i < g->ncpus; i++)
		free(g->cpus[i]);
	free(g->cpus);
	tsh_strbuf_release(&g->scratch);
	free(g);
}

void tsh_graph_set_migrate(struct tsh_graph *g, bool with_migrate)
{
	g->with_migrate = with_migrate;
}

void tsh_graph_set_raw(struct tsh_graph *g, bool raw)
{
	g->raw = raw;
}

static struct graph_cpu *cpu_of(struct tsh_graph *g, int cpu)
{
	size_t i = (size_t)cpu, ncpus;

	if (cpu < 0 || cpu >= CPU_MAX)
		return NULL;
	if (i >= g->ncpus) {
		ncpus = (i | 15) + 1;
		g->cpus = tsh_xreallocarray(g->cpus, ncpus, sizeof(*g->cpus));
		memset(g->cpus + g->ncpus, 0, (ncpus - g->ncpus) * sizeof(*g->cpus));
		g->ncpus = ncpus;
	}
	if (!g->cpus[i]) {
		g->cpus[i] = tsh_xcalloc(1, sizeof(*g->cpus[i]));
		g->cpus[i]->last_pid = -1;
		g->cpus[i]->depth_irq = -1;
	}
	return g->cpus[i];
}

/* ---- the beginning of a line ---- */

static void add_prologue(struct graph_line *line)
{
	int from, to = line->common->pid;

	if (line->cpu && line->cpu->last_pid != to) {
		from = line->cpu->last_pid;
		line->cpu->last_pid = to;
		if (from != -1)
			graph_add_switch(line, from);
	}
}

static void add_indent(struct graph_line *line, int depth)
{
	if (depth > 0)
		tsh_strbuf_addn(line->out, ' ', (size_t)depth * INDENT);
}

/* ---- return values and addresses ---- */

/* Says whether a value can be an error, also when it was returned as an int. */
static bool error_of(const struct tsh_graph *g, uint64_t value, int64_t *ret)
{
	if (g->long_size == 4)
		*ret = (int32_t)(uint32_t)value;
	else if (value >> 32 == 0 && value & UINT64_C(0x80000000))
		*ret = (int32_t)(uint32_t)value;
	else
		*ret = (int64_t)value;
	return *ret < 0 && *ret >= -ERRNO_MAX;
}

static void add_retval(struct graph_line *line, uint64_t value)
{
	const struct graph_options *opt = &line->g->opt;
	int64_t error;

	tsh_strbuf_adds(line->out, opt->names_retval ? " ret=" : " = ");
	if (!opt->retval_hex && error_of(line->g, value, &error))
		tsh_strbuf_addf(line->out, "%lld", (long long)error);
	else
		tsh_strbuf_addf(line->out, "0x%llx", (unsigned long long)value);
}

static void add_retaddr(struct graph_line *line, uint64_t address)
{
	size_t begin;

	tsh_strbuf_adds(line->out, " <-");
	begin = line->out->len;
	tsh_decoder_symbol_offset(line->g->decoder, address, line->out);
	graph_sanitize(line, begin, false);
}

/* ---- calls ---- */

/* Reads the return of a call, and skips it in the stream, when it is the next event of the CPU. */
static bool read_leaf(struct graph_line *line, uint64_t func, struct graph_call *ret)
{
	struct tsh_decoder *decoder = line->g->decoder;
	const struct tsh_ahead *ahead = line->ahead;
	const struct tsh_event_format *format;
	struct tsh_common common;
	struct tsh_record next;

	if (!ahead || !ahead->peek(ahead->ctx, line->rec->cpu, &next) ||
	    !tsh_decoder_common(decoder, &next, &common) || common.pid != line->common->pid)
		return false;
	format = tsh_decoder_format(decoder, common.id);
	if (!format || graph_kind(line->g, format) != GRAPH_EXIT ||
	    !graph_read(line->g, format, &next, ret) || ret->func != func)
		return false;
	ahead->skip(ahead->ctx, line->rec->cpu);
	line->events++;
	return true;
}

static void remember(struct graph_line *line, int at, uint64_t func)
{
	if (line->cpu && at >= 0 && at < GRAPH_DEPTH)
		line->cpu->entered[at] = func;
}

static void set_depth(struct graph_line *line, int depth)
{
	if (line->cpu)
		line->cpu->depth = depth;
}

/* Adds "vfs_read()", with arguments if they were recorded. */
static void add_call(struct graph_line *line, const struct graph_call *call)
{
	size_t begin = line->out->len;

	graph_add_function(line, call->func);
	if (!call->args) {
		tsh_strbuf_adds(line->out, "()");
		return;
	}
	tsh_decoder_arguments(line->g->decoder, call->func, line->rec, call->args, line->out);
	graph_sanitize(line, begin, false);
}

static void print_leaf(struct graph_line *line, const struct graph_call *call,
		       const struct graph_call *leaf)
{
	const struct graph_options *opt = &line->g->opt;
	bool retaddr = opt->retaddr && call->has_retaddr;

	set_depth(line, call->depth - 1);
	remember(line, call->depth, 0);
	graph_add_duration(line, leaf->duration);
	add_indent(line, call->depth);
	add_call(line, call);
	tsh_strbuf_addc(line->out, ';');
	if (retaddr || opt->retval) {
		tsh_strbuf_adds(line->out, " /*");
		if (retaddr)
			add_retaddr(line, call->retaddr);
		if (opt->retval)
			add_retval(line, leaf->retval);
		tsh_strbuf_adds(line->out, " */");
	}
	tsh_strbuf_addc(line->out, '\n');
	graph_add_irq(line, leaf->func, false);
}

static void print_nested(struct graph_line *line, const struct graph_call *call)
{
	set_depth(line, call->depth);
	remember(line, call->depth, call->func);
	graph_add_no_duration(line);
	add_indent(line, call->depth);
	add_call(line, call);
	tsh_strbuf_adds(line->out, " {");
	if (line->g->opt.retaddr && call->has_retaddr) {
		tsh_strbuf_adds(line->out, " /*");
		add_retaddr(line, call->retaddr);
		tsh_strbuf_adds(line->out, " */");
	}
	tsh_strbuf_addc(line->out, '\n');
}

/* Says whether an entry is inside an interrupt that is hidden, or begins it. */
static bool is_hidden_entry(struct graph_line *line, const struct graph_call *call)
{
	if (line->g->opt.irqs || !line->cpu)
		return false;
	if (line->cpu->depth_irq >= 0)
		return true;
	if (!graph_is_irq(line->g, call->func))
		return false;
	line->cpu->depth_irq = call->depth;
	return true;
}

static void print_entry(struct graph_line *line, const struct graph_call *call)
{
	struct graph_call leaf;

	if (is_hidden_entry(line, call))
		return;
	add_prologue(line);
	graph_add_irq(line, call->func, true);
	graph_add_head(line);
	if (read_leaf(line, call->func, &leaf))
		print_leaf(line, call, &leaf);
	else
		print_nested(line, call);
}

/* ---- returns ---- */

/* Says whether a return is inside an interrupt that is hidden, or ends it: the return that is
 * not deeper than the entry of the interrupt. */
static bool is_hidden_exit(struct graph_line *line, const struct graph_call *call)
{
	if (line->g->opt.irqs || !line->cpu || line->cpu->depth_irq == -1)
		return false;
	if (line->cpu->depth_irq >= call->depth)
		line->cpu->depth_irq = -1;
	return true;
}

/* Says whether the entry of this return was printed, and forgets that. */
static bool was_entered(struct graph_line *line, const struct graph_call *call)
{
	bool same;

	if (!line->cpu || call->depth < 0 || call->depth >= GRAPH_DEPTH)
		return true;
	same = line->cpu->entered[call->depth] == call->func;
	line->cpu->entered[call->depth] = 0;
	return same;
}

static void print_exit(struct graph_line *line, const struct graph_call *call)
{
	const struct graph_options *opt = &line->g->opt;
	bool entered;

	if (is_hidden_exit(line, call))
		return;
	set_depth(line, call->depth - 1);
	entered = was_entered(line, call);
	add_prologue(line);
	graph_add_head(line);
	graph_add_duration(line, call->duration);
	add_indent(line, call->depth);
	tsh_strbuf_addc(line->out, '}');
	if (!entered || opt->tail || opt->retval) {
		tsh_strbuf_adds(line->out, " /* ");
		graph_add_function(line, call->func);
		if (opt->retval)
			add_retval(line, call->retval);
		tsh_strbuf_adds(line->out, " */");
	}
	tsh_strbuf_addc(line->out, '\n');
	if (opt->overrun) {
		tsh_strbuf_adds(line->out, " (Overruns: ");
		tsh_strbuf_addu(line->out, call->overrun);
		tsh_strbuf_adds(line->out, ")\n");
	}
	graph_add_irq(line, call->func, false);
}

/* ---- other events ---- */

/* Cuts the "caller: " off the text of bprint and bputs. */
static void cut_caller(struct tsh_strbuf *out, size_t begin)
{
	char *text = out->buf + begin, *end = out->buf + out->len;
	char *colon = memmem(text, out->len - begin, ": ", 2);

	if (!colon)
		return;
	memmove(text, colon + 2, (size_t)(end - colon - 2));
	tsh_strbuf_truncate(out, out->len - (size_t)(colon + 2 - text));
}

static bool is_own(const struct tsh_event_format *format, const char *name)
{
	return !strcmp(format->system, "ftrace") && !strcmp(format->name, name);
}

static void print_comment(struct graph_line *line, const struct tsh_event_format *format)
{
	struct tsh_strbuf *out = line->out;
	size_t begin;

	add_prologue(line);
	graph_add_head(line);
	graph_add_no_duration(line);
	if (line->cpu && line->cpu->depth > 0)
		add_indent(line, line->cpu->depth + 1);
	tsh_strbuf_adds(out, "/* ");
	begin = out->len;
	if (!format->label_in_text && !is_own(format, "print")) {
		if (format->label_varies)
			tsh_decoder_label(line->g->decoder, format, line->rec, out);
		else
			tsh_strbuf_add(out, format->label, format->label_len);
		tsh_strbuf_adds(out, ": ");
	}
	tsh_decoder_print(line->g->decoder, format, line->rec, out);
	if (out->len > begin && out->buf[out->len - 1] == '\n')
		tsh_strbuf_truncate(out, out->len - 1);
	if (out->len > begin && (is_own(format, "bprint") || is_own(format, "bputs")))
		cut_caller(out, begin);
	graph_sanitize(line, begin, is_own(format, "user_stack"));
	tsh_strbuf_adds(out, " */\n");
}

/* ---- public functions ---- */

/* Copies the name, because other names are asked for before it is printed. */
static void set_comm(struct graph_line *line, const char *comm)
{
	size_t len = strnlen(comm, sizeof(line->comm) - 1);

	memcpy(line->comm, comm, len);
	line->comm[len] = '\0';
}

static bool print_call(struct graph_line *line, const struct tsh_event_format *format)
{
	enum graph_kind kind = graph_kind(line->g, format);
	struct graph_call call;

	if ((kind != GRAPH_ENTRY && kind != GRAPH_EXIT) ||
	    !graph_read(line->g, format, line->rec, &call))
		return false;
	if (kind == GRAPH_ENTRY)
		print_entry(line, &call);
	else
		print_exit(line, &call);
	return true;
}

unsigned int tsh_graph_print(struct tsh_graph *g, const struct tsh_record *rec,
			     const struct tsh_event_format *format, const struct tsh_common *common,
			     const char *comm, const char *time_text, const struct tsh_ahead *ahead,
			     struct tsh_strbuf *out)
{
	struct graph_line line = {
		.g = g, .cpu = cpu_of(g, rec->cpu), .rec = rec, .common = common,
		.time_text = time_text, .ahead = ahead, .out = out, .events = 1,
	};

	set_comm(&line, comm);
	if (graph_kind(g, format) == GRAPH_COMMENT) {
		print_comment(&line, format);
		return line.events;
	}
	return print_call(&line, format) ? line.events : 0;
}
