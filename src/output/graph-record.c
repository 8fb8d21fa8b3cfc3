/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <string.h>

#include "graph-lines.h"

/* Is a lower limit of FTRACE_REGS_MAX_ARGS. */
#define ARGS_MIN 6

/* ---- options ---- */

static bool option(const struct tsh_provider *options, const char *name, bool otherwise)
{
	int value = options && options->option ? options->option(options->ctx, name) : -1;

	return value < 0 ? otherwise : value > 0;
}

static bool has_option(const struct tsh_provider *options, const char *name)
{
	return options && options->option && options->option(options->ctx, name) >= 0;
}

void graph_options_read(struct graph_options *opt, const struct tsh_provider *options)
{
	opt->context_info = option(options, "context-info", true);
	opt->latency_format = option(options, "latency-format", false);
	opt->abstime = option(options, "funcgraph-abstime", false);
	opt->cpu = option(options, "funcgraph-cpu", true);
	opt->proc = option(options, "funcgraph-proc", false);
	opt->duration = option(options, "funcgraph-duration", true);
	opt->overhead = option(options, "funcgraph-overhead", true);
	opt->irqs = option(options, "funcgraph-irqs", true);
	opt->overrun = option(options, "funcgraph-overrun", false);
	opt->tail = option(options, "funcgraph-tail", false);
	opt->retval = option(options, "funcgraph-retval", false);
	opt->retval_hex = option(options, "funcgraph-retval-hex", false);
	opt->retaddr = option(options, "funcgraph-retaddr", false);
	/* kernels print "ret=" since they have these options; fields_of() knows kernels
	 * that are built without them */
	opt->names_retval = has_option(options, "funcgraph-retaddr") ||
			    has_option(options, "funcgraph-args");
}

/* ---- records ---- */

static bool is_known(const struct graph_fields *fields, const struct tsh_event_format *format)
{
	return fields->known && fields->id == format->id;
}

enum graph_kind graph_kind(const struct tsh_graph *g, const struct tsh_event_format *format)
{
	static const struct {
		const char *name;
		enum graph_kind kind;
	} own[] = {
		{ "funcgraph_entry", GRAPH_ENTRY },
		{ "funcgraph_exit", GRAPH_EXIT },
		{ "fgraph_retaddr_entry", GRAPH_ENTRY },
		{ "function", GRAPH_ORDINARY },
		{ "kernel_stack", GRAPH_ORDINARY },
	};
	size_t i;

	if (is_known(&g->exit, format))
		return GRAPH_EXIT;
	if (is_known(&g->entry, format) || is_known(&g->retaddr_entry, format))
		return GRAPH_ENTRY;
	if (strcmp(format->system, "ftrace"))
		return GRAPH_COMMENT;
	for (i = 0; i < sizeof(own) / sizeof(own[0]); i++)
		if (!strcmp(format->name, own[i].name))
			return own[i].kind;
	return GRAPH_COMMENT;
}

static void find_field(const struct tsh_event_format *format, const char *name, struct tsh_field *ret)
{
	const struct tsh_field *field = tsh_event_format_field(format, name);

	memset(ret, 0, sizeof(*ret));
	if (!field || field->kind != TSH_FIELD_INT)
		return;
	/* Copies the field, because its strings belong to the format, which may be forgotten
	 * earlier. */
	*ret = *field;
	ret->type = NULL;
	ret->name = NULL;
}

/* Returns the fields of an event. Finds them once: the kernel does not change them while it
 * runs. */
static const struct graph_fields *fields_of(struct tsh_graph *g,
					    const struct tsh_event_format *format)
{
	const struct tsh_field *args;
	struct graph_fields *fields;

	if (is_known(&g->entry, format))
		return &g->entry;
	if (is_known(&g->exit, format))
		return &g->exit;
	if (is_known(&g->retaddr_entry, format))
		return &g->retaddr_entry;
	fields = !strcmp(format->name, "funcgraph_exit") ? &g->exit :
		 !strcmp(format->name, "funcgraph_entry") ? &g->entry : &g->retaddr_entry;
	fields->known = true;
	fields->id = format->id;
	find_field(format, "func", &fields->func);
	find_field(format, "depth", &fields->depth);
	find_field(format, "retaddr", &fields->retaddr);
	find_field(format, "overrun", &fields->overrun);
	find_field(format, "calltime", &fields->calltime);
	find_field(format, "rettime", &fields->rettime);
	find_field(format, "retval", &fields->retval);
	if (fields->func.size)
		g->long_size = fields->func.size;
	args = tsh_event_format_field(format, "args");
	fields->args = args ? args->offset : 0;
	/* only kernels since 6.15 or 6.16 have args, or an unsigned depth beside retval: these
	 * print "ret=", however they are built */
	if (args || (fields->retval.size && !fields->depth.is_signed))
		g->opt.names_retval = true;
	return fields;
}

/* Reads a field. Returns false, and sets *ret to 0, when the event lacks the field, or the
 * record ends before it. */
static bool read_field(const struct tsh_graph *g, const struct tsh_field *field,
		       const struct tsh_record *rec, uint64_t *ret)
{
	struct tsh_field_value value;

	*ret = 0;
	if (!field->size)
		return false;
	tsh_decoder_value(g->decoder, field, rec, &value);
	if (value.kind == TSH_VALUE_MISSING)
		return false;
	*ret = value.u;
	return true;
}

bool graph_read(struct tsh_graph *g, const struct tsh_event_format *format,
		const struct tsh_record *rec, struct graph_call *ret)
{
	const struct graph_fields *fields = fields_of(g, format);
	uint64_t depth, calltime, rettime;
	int32_t signed_depth;

	if (!read_field(g, &fields->func, rec, &ret->func))
		return false;
	/* some kernels call it signed and some unsigned, but it is always an int */
	read_field(g, &fields->depth, rec, &depth);
	signed_depth = (int32_t)(uint32_t)depth;
	ret->depth = signed_depth < -1 ? -1 :
		signed_depth > GRAPH_DEPTH_MAX ? GRAPH_DEPTH_MAX : signed_depth;
	ret->has_retaddr = read_field(g, &fields->retaddr, rec, &ret->retaddr);
	ret->args = fields->args && rec->size > fields->args &&
		    rec->size - fields->args >= ARGS_MIN * g->long_size ? fields->args : 0;
	read_field(g, &fields->calltime, rec, &calltime);
	read_field(g, &fields->rettime, rec, &rettime);
	ret->duration = rettime - calltime;
	read_field(g, &fields->overrun, rec, &ret->overrun);
	read_field(g, &fields->retval, rec, &ret->retval);
	return true;
}
