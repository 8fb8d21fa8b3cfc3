/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "base/xmalloc.h"
#include "events/symbols/directive.h"
#include "special-internal.h"

/*
 * Prints probes of dynamic_events (kernel/trace/trace_kprobe.c, trace_uprobe.c, trace_eprobe.c,
 * trace_fprobe.c): "(WHERE) name=value name=value". The print format only has addresses for WHERE,
 * and cannot express strings that could not be read.
 */

#define FAULT "(fault)"

enum where {
	WHERE_KERNEL,			/* (vfs_read+0x0/0x3a0) */
	WHERE_KERNEL_RETURN,		/* (ksys_read+0x6f/0xf0 <- vfs_read) */
	WHERE_USER,			/* (0x55d3a1c0) */
	WHERE_USER_RETURN,		/* (0x55d3a1c0 <- 0x55d3a000) */
	WHERE_EVENT,			/* (sched.sched_switch) */
};

struct probe_arg {
	char *label;			/* " name=" */
	char *before, *after;		/* text around a value: "0x", "'", "\"" */
	struct directive directive;
	uint32_t offset;
	uint32_t size;			/* size of an element */
	uint32_t count;
	bool is_array;
	bool is_signed;
};

struct probe {
	enum where where;
	struct special_number func, ip;	/* ip: of the probe, or where the function returns to */
	char *event;			/* "sched.sched_switch" */
	TSH_VEC(struct probe_arg) args;
};

static void free_probe(void *state)
{
	struct probe *probe = state;
	size_t i;

	for (i = 0; i < probe->args.n; i++) {
		free(probe->args.v[i].label);
		free(probe->args.v[i].before);
		free(probe->args.v[i].after);
	}
	tsh_vec_release(&probe->args);
	free(probe->event);
	free(probe);
}

/* ---- printing ---- */

static void add_where(struct tsh_decoder *d, const struct probe *probe,
		      const struct tsh_record *rec, struct tsh_strbuf *out)
{
	uint64_t ip, func;

	special_load(d, &probe->ip, rec, &ip);
	special_load(d, &probe->func, rec, &func);
	switch (probe->where) {
	case WHERE_KERNEL:
		special_add_ip(d, ip, true, out);
		break;
	case WHERE_KERNEL_RETURN:
		special_add_ip(d, ip, true, out);
		tsh_strbuf_adds(out, " <- ");
		special_add_ip(d, func, false, out);
		break;
	case WHERE_USER:
		tsh_strbuf_adds(out, "0x");
		special_add_hex(out, ip);
		break;
	case WHERE_USER_RETURN:
		tsh_strbuf_adds(out, "0x");
		special_add_hex(out, ip);
		tsh_strbuf_adds(out, " <- 0x");
		special_add_hex(out, func);
		break;
	case WHERE_EVENT:
		tsh_strbuf_adds(out, probe->event);
		break;
	}
}

/* Adds a string by its word of length and offset. Length 0: the memory could not be read. */
static void add_string(const struct tsh_decoder *d, const struct probe_arg *arg, uint32_t word,
		       const struct tsh_record *rec, struct tsh_strbuf *out)
{
	uint32_t begin = word & 0xffff;
	const char *text;

	(void)d;
	if (!(word >> 16)) {
		tsh_strbuf_adds(out, FAULT);
		return;
	}
	if (begin > rec->size)
		begin = rec->size;
	text = (const char *)rec->data + begin;
	tsh_strbuf_adds(out, arg->before);
	directive_string(out, &arg->directive, text, strnlen(text, rec->size - begin));
	tsh_strbuf_adds(out, arg->after);
}

static void add_element(struct tsh_decoder *d, const struct probe_arg *arg, uint64_t value,
			const struct tsh_record *rec, struct tsh_strbuf *out)
{
	if (arg->directive.kind == DIRECTIVE_STRING) {
		add_string(d, arg, (uint32_t)value, rec, out);
		return;
	}
	tsh_strbuf_adds(out, arg->before);
	if (arg->directive.kind == DIRECTIVE_POINTER)
		directive_pointer(out, &arg->directive, &d->env.pointer, value, NULL, 0);
	else if (arg->directive.kind == DIRECTIVE_CHAR)
		directive_char(out, &arg->directive, (unsigned char)value);
	else if (arg->directive.kind == DIRECTIVE_NUMBER)
		directive_number(out, &arg->directive, value);
	tsh_strbuf_adds(out, arg->after);
}

static void add_arg(struct tsh_decoder *d, const struct probe_arg *arg,
		    const struct tsh_record *rec, struct tsh_strbuf *out)
{
	struct special_number number = { arg->offset, (uint8_t)arg->size, arg->is_signed };
	size_t begin = out->len;
	uint64_t value;
	uint32_t i;

	tsh_strbuf_adds(out, arg->label);
	if (arg->is_array)
		tsh_strbuf_addc(out, '{');
	for (i = 0; i < arg->count; i++, number.offset += arg->size) {
		if (out->len - begin > SPECIAL_TEXT_MAX || !special_load(d, &number, rec, &value))
			break;
		if (i)
			tsh_strbuf_addc(out, ',');
		add_element(d, arg, value, rec, out);
	}
	if (arg->is_array)
		tsh_strbuf_addc(out, '}');
}

static void print_probe(struct tsh_decoder *d, const void *state,
			const struct tsh_event_format *format, const struct tsh_record *rec,
			struct tsh_strbuf *out)
{
	const struct probe *probe = state;
	size_t i;

	(void)format;
	tsh_strbuf_addc(out, '(');
	add_where(d, probe, rec, out);
	tsh_strbuf_addc(out, ')');
	for (i = 0; i < probe->args.n; i++)
		add_arg(d, &probe->args.v[i], rec, out);
}

/* ---- arguments, from the print format ---- */

/* Copies a piece of the print format's first string, without backslashes. */
static char *unescape(const char *begin, const char *end)
{
	char *text = tsh_xmalloc((size_t)(end - begin) + 1), *p = text;

	while (begin < end) {
		if (*begin == '\\' && begin + 1 < end)
			begin++;
		*p++ = *begin++;
	}
	*p = '\0';
	return text;
}

/* Splits "0x%x", "'%c'", "\"%s\"" into the directive and the text around it. */
static void set_value_format(struct tsh_decoder *d, struct probe_arg *arg, const char *text)
{
	const char *end = text + strlen(text), *rest;
	size_t before;

	rest = directive_next(text, end, d->layout.long_size, &before, &arg->directive);
	arg->before = tsh_xstrndup(text, before);
	arg->after = tsh_xstrndup(rest, (size_t)(end - rest));
}

/* Returns the end of the string that begins behind the quote at `p`. */
static const char *string_end(const char *p)
{
	while (*p && *p != '"')
		p += *p == '\\' && p[1] ? 2 : 1;
	return p;
}

static bool add_field(struct tsh_decoder *d, struct probe *probe, const struct tsh_field *field,
		      const char **pos, const char *end)
{
	char *label = tsh_xasprintf(" %s=", field->name);
	const char *p = memmem(*pos, (size_t)(end - *pos), label, strlen(label)), *value_end;
	struct probe_arg *arg;
	char *value;

	if (!p) {
		free(label);
		return false;
	}
	arg = tsh_vec_push(&probe->args);
	arg->label = label;
	p += strlen(label);
	arg->is_array = p < end && *p == '{';
	if (arg->is_array)
		p++;
	value_end = p;
	while (value_end < end && *value_end != ' ' &&
	       !(arg->is_array && (*value_end == ',' || *value_end == '}')))
		value_end++;
	*pos = value_end;
	value = unescape(p, value_end);
	set_value_format(d, arg, value);
	free(value);
	arg->offset = field->offset;
	arg->is_signed = field->is_signed;
	if (arg->directive.kind == DIRECTIVE_STRING)
		arg->size = 4;
	else if (arg->is_array && field->kind == TSH_FIELD_ARRAY)
		arg->size = field->element_size ? field->element_size : d->layout.long_size;
	else
		arg->size = field->size;
	arg->count = arg->is_array ? field->size / (arg->size ? arg->size : 1) : 1;
	/* refuses sizes that no probe has */
	return arg->size == 1 || arg->size == 2 || arg->size == 4 || arg->size == 8;
}

/* Finds the arguments. Returns false when the fields do not match the print format. */
static bool find_args(struct tsh_decoder *d, struct probe *probe,
		      const struct tsh_event_format *format)
{
	const char *pos = format->print_fmt, *end;
	size_t i;

	if (*pos++ != '"')
		return false;
	end = string_end(pos);
	for (i = 0; i < format->nfields; i++) {
		const struct tsh_field *field = &format->fields[i];

		if (field->is_common || !strncmp(field->name, "__probe_", 8))
			continue;
		if (!add_field(d, probe, field, &pos, end))
			return false;
	}
	return true;
}

/* ---- kinds ---- */

/* Returns the text behind "GROUP/NAME " in a line of `text`, up to the next blank (malloc'd), and
 * the first letter of the line. Returns NULL when there is no such line. */
static char *find_line(const char *text, const char *name, char *ret_kind)
{
	const char *line, *next;
	size_t len = strlen(name);

	for (line = text; *line; line = next) {
		const char *colon;

		next = strchrnul(line, '\n');
		colon = memchr(line, ':', (size_t)(next - line));
		if (colon && !strncmp(colon + 1, name, len)) {
			colon += 1 + len;
			*ret_kind = *line;
			return tsh_xstrndup(colon, strcspn(colon, " \n"));
		}
		next += *next == '\n';
	}
	return NULL;
}

/* Returns the line of dynamic_events that defines an event; the caller frees it. Reads the file
 * again when the line is missing, because the event may have been made after the first read. */
static char *find_definition(struct tsh_decoder *d, const struct tsh_event_format *format,
			     char *ret_kind)
{
	char *name = tsh_xasprintf("%s/%s ", format->system, format->name);
	char *definition = find_line(special_dynamic_events(d, false), name, ret_kind);

	if (!definition)
		definition = find_line(special_dynamic_events(d, true), name, ret_kind);
	free(name);
	return definition;
}

/* Says whether a probe that is no longer listed is in user space, which is the lower half of the
 * addresses. */
static bool is_user_record(const struct tsh_decoder *d, uint64_t address)
{
	return d->layout.long_size == 8 && !(address >> 63);
}

static void print_unlisted(struct tsh_decoder *d, const void *state,
			   const struct tsh_event_format *format, const struct tsh_record *rec,
			   struct tsh_strbuf *out)
{
	struct probe probe = *(const struct probe *)state;
	uint64_t ip;

	special_load(d, &probe.ip, rec, &ip);
	if (is_user_record(d, ip))
		probe.where = probe.func.size ? WHERE_USER_RETURN : WHERE_USER;
	print_probe(d, &probe, format, rec, out);
}

static tsh_special_print *find_address_kind(struct tsh_decoder *d, struct probe *probe,
					    const struct tsh_event_format *format)
{
	char kind = 0;
	char *definition = find_definition(d, format, &kind);
	bool is_user = definition && (kind == 'p' || kind == 'r') && definition[0] == '/';

	if (probe->func.size)
		probe->where = is_user ? WHERE_USER_RETURN : WHERE_KERNEL_RETURN;
	else
		probe->where = is_user ? WHERE_USER : WHERE_KERNEL;
	free(definition);
	return definition ? print_probe : print_unlisted;
}

/* Says whether an event may be an event probe, which has no fields of its own, and no text before
 * its arguments in the print format. */
static bool may_be_eprobe(const struct tsh_event_format *format)
{
	return !strncmp(format->print_fmt, "\" ", 2) || !strncmp(format->print_fmt, "\"\"", 2);
}

static bool find_kind(struct tsh_decoder *d, struct probe *probe,
		      const struct tsh_event_format *format, tsh_special_print **ret_print)
{
	char kind = 0;

	probe->func = special_number(format, "__probe_func");
	probe->ip = special_number(format, probe->func.size ? "__probe_ret_ip" : "__probe_ip");
	*ret_print = print_probe;
	if (probe->ip.size) {
		*ret_print = find_address_kind(d, probe, format);
		return true;
	}
	if (!may_be_eprobe(format))
		return false;
	probe->where = WHERE_EVENT;
	probe->event = find_definition(d, format, &kind);
	return probe->event && kind == 'e';
}

bool special_find_probe(struct tsh_decoder *d, const struct tsh_event_format *format,
			struct tsh_special *ret)
{
	struct probe *probe = tsh_xcalloc(1, sizeof(*probe));

	if (!find_kind(d, probe, format, &ret->print) || !find_args(d, probe, format)) {
		free_probe(probe);
		ret->print = NULL;
		return false;
	}
	ret->state = probe;
	ret->free_state = free_probe;
	return true;
}
