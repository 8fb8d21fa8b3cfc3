/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "synth.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "event-format.h"
#include "filters.h"
#include "latency.h"
#include "util.h"

/*
 * A histogram on START keeps its time, and what is to be known of it, by the keys; one on END with
 * the same keys makes the event (kernel/trace/trace_events_hist.c, trace_events_synth.c;
 * Documentation/trace/histogram.rst). Its first field is lat, in ns.
 */

#define LATENCY_FIELD "lat"

/* A field of the new event. */
struct field {
	char *name;
	char *type;			/* behind the name, "[16]", is a part of it */
	char *suffix;
	char *source;			/* as END's trigger names it */
	char *saved;			/* "v2=fd", as a trigger keeps it; NULL: source is its name */
	enum latency_role role;		/* whose trigger that is */
};

/* parse_action_params takes no shorter words. */
#define WORD_LEAST 3

struct making {
	struct tsh_session *session;
	const struct tsh_call *call;
	struct tsh_event_format *formats[LATENCY_ROLES];
	TSH_VEC(struct field) fields;
};

static void release(struct making *m)
{
	size_t i;

	for (i = 0; i < m->fields.n; i++) {
		free(m->fields.v[i].name);
		free(m->fields.v[i].type);
		free(m->fields.v[i].suffix);
		free(m->fields.v[i].source);
		free(m->fields.v[i].saved);
	}
	tsh_vec_release(&m->fields);
	tsh_event_format_free(m->formats[LATENCY_BEGIN]);
	tsh_event_format_free(m->formats[LATENCY_END]);
}

/* What trace_events_synth.c has a size for; other names of integers are said by their size. */
static bool is_known_type(const char *type)
{
	static const char *const known[] = {
		"s64", "u64", "s32", "u32", "s16", "u16", "s8", "u8", "char", "unsigned char", "int",
		"unsigned int", "long", "unsigned long", "bool", "pid_t", "gfp_t",
	};
	size_t i;

	for (i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (!strcmp(known[i], type))
			return true;
	return false;
}

/* False: such a field cannot be one of the new event. */
static bool find_type(const struct tsh_field *from, struct field *to)
{
	switch (from->kind) {
	case TSH_FIELD_INT:
	case TSH_FIELD_POINTER:
		to->type = is_known_type(from->type) ?
				   tsh_xstrdup(from->type) :
				   tsh_xasprintf("%c%u", from->is_signed ? 's' : 'u', from->size * 8);
		to->suffix = tsh_xstrdup("");
		return from->size <= 8;
	case TSH_FIELD_CHARS:
		to->type = tsh_xstrdup("char");
		to->suffix = tsh_xasprintf("[%u]", from->size);
		return true;
	case TSH_FIELD_STRING:
		to->type = tsh_xstrdup("char");
		to->suffix = tsh_xstrdup("[]");
		return true;
	default:
		return false;
	}
}

/* A name of the call as the kernel knows it in an event: its field, or the task's, or the CPU's.
 * *ret_field NULL: it is an int of none. Borrowed; NULL: it is no name. */
static const char *kernel_name(const struct making *m, const struct by_item *item,
			       enum latency_role role, const struct tsh_field **ret_field)
{
	*ret_field = item->modifier == BY_PLAIN && item->title ?
			     tsh_event_format_field(m->formats[role], item->title) :
			     NULL;
	if (*ret_field)
		return (*ret_field)->name;
	if (item->modifier == BY_PLAIN && item->title && !strcmp(item->title, "pid"))
		return "common_pid";
	if (item->modifier == BY_PLAIN && item->title && !strcmp(item->title, "cpu"))
		return "common_cpu";
	return NULL;
}

static int refuse(const struct making *m, const struct by_item *item, enum latency_role role,
		  const char *why, struct tsh_err *err)
{
	const struct tsh_event *event = &m->call->events.v[role];

	tsh_err_at(err, item->span, "'%s' of %s:%s is %s", item->title, event->system, event->name,
		   why);
	err->status = TSH_FAILED;
	tsh_err_hint(err, "info %s lists its fields", event->name);
	return -1;
}

static bool has_field(const struct making *m, const char *name)
{
	size_t i;

	for (i = 0; i < m->fields.n; i++)
		if (!strcmp(m->fields.v[i].name, name))
			return true;
	return !strcmp(name, LATENCY_FIELD);
}

/* One that is there already is the same: a key of both, or named twice. */
static int add_field(struct making *m, const struct by_item *item, enum latency_role role,
		     struct tsh_err *err)
{
	const struct tsh_field *from;
	const char *name = kernel_name(m, item, role, &from);
	struct field *to;

	if (!name)
		return refuse(m, item, role, "no field of it: the kernel saves those", err);
	if (has_field(m, item->title))
		return 0;
	to = tsh_vec_push(&m->fields);
	to->name = tsh_xstrdup(item->title);
	to->role = role;
	if (!from) {
		to->type = tsh_xstrdup(!strcmp(name, "common_cpu") ? "unsigned int" : "int");
		to->suffix = tsh_xstrdup("");
	} else if (!find_type(from, to)) {
		return refuse(m, item, role, "an array, which no such event can have", err);
	}
	if (role == LATENCY_BEGIN || strlen(name) < WORD_LEAST) {
		to->saved = tsh_xasprintf("v%zu=%s", m->fields.n, name);
		to->source = tsh_xasprintf("$v%zu", m->fields.n);
	} else {
		to->source = tsh_xstrdup(name);
	}
	return 0;
}

/* "hist:keys=pid,prio" */
static int add_keys(struct making *m, enum latency_role role, struct tsh_strbuf *to,
		    struct tsh_err *err)
{
	const struct by_latency *l = m->call->by->latency;
	const struct tsh_field *field;
	size_t i;

	for (i = 0; i < l->non; i++) {
		const struct by_item *item = &l->on[role][i];
		const char *name = kernel_name(m, item, role, &field);

		if (!name)
			return refuse(m, item, role, "no field of it: the kernel compares those", err);
		tsh_strbuf_addf(to, "%s%s", i ? "," : "hist:keys=", name);
	}
	return 0;
}

/* " if FILTER"; of a task that is idle there is no pair. */
static void add_filter(const struct making *m, enum latency_role role, struct tsh_strbuf *to)
{
	const struct tsh_value *filter = tsh_filters_value(m->call);
	const struct by_latency *l = m->call->by->latency;
	bool no_zero = l->no_zero && role == LATENCY_BEGIN;
	bool filters = filter && !l->unfiltered[role];

	if (!filters && !no_zero)
		return;
	tsh_strbuf_adds(to, " if ");
	if (filters)
		tsh_strbuf_addf(to, no_zero ? "(%s)" : "%s", filter->word.text);
	if (no_zero)
		tsh_strbuf_addf(to, "%s%s != 0", filters ? " && " : "",
				l->on[LATENCY_BEGIN][0].title);
}

static int add_fields(struct making *m, struct tsh_err *err)
{
	const struct tsh_by *by = m->call->by;
	size_t i;

	for (i = 0; i < by->latency->non; i++)
		if (add_field(m, &by->latency->on[LATENCY_END][i], LATENCY_END, err) < 0)
			return -1;
	for (i = 0; i < by->nkeys; i++)
		if (add_field(m, &by->keys[i], by->latency->from[i], err) < 0)
			return -1;
	return 0;
}

static char *definition_of(const struct making *m)
{
	struct tsh_strbuf text = TSH_STRBUF_INIT;
	size_t i;

	tsh_strbuf_addf(&text, "%s u64 " LATENCY_FIELD, tsh_args_text(&m->call->args, "NAME"));
	for (i = 0; i < m->fields.n; i++)
		tsh_strbuf_addf(&text, "; %s %s%s", m->fields.v[i].type, m->fields.v[i].name,
				m->fields.v[i].suffix);
	return tsh_strbuf_detach(&text);
}

static void add_saved(const struct making *m, enum latency_role role, struct tsh_strbuf *to)
{
	size_t i;

	for (i = 0; i < m->fields.n; i++)
		if (m->fields.v[i].saved && m->fields.v[i].role == role)
			tsh_strbuf_addf(to, ",%s", m->fields.v[i].saved);
}

static int make_texts(struct making *m, struct synth_texts *ret, struct tsh_err *err)
{
	const struct tsh_event *begin = &m->call->events.v[LATENCY_BEGIN];
	struct tsh_strbuf text = TSH_STRBUF_INIT;
	size_t i;

	if (add_fields(m, err) < 0 || add_keys(m, LATENCY_BEGIN, &text, err) < 0) {
		tsh_strbuf_release(&text);
		return -1;
	}
	tsh_strbuf_adds(&text, ":ts0=common_timestamp");
	add_saved(m, LATENCY_BEGIN, &text);
	add_filter(m, LATENCY_BEGIN, &text);
	ret->begin = tsh_strbuf_detach(&text);
	if (add_keys(m, LATENCY_END, &text, err) < 0) {
		tsh_strbuf_release(&text);
		return -1;
	}
	tsh_strbuf_adds(&text, ":" LATENCY_FIELD "=common_timestamp-$ts0");
	add_saved(m, LATENCY_END, &text);
	tsh_strbuf_addf(&text, ":onmatch(%s.%s).trace(%s,$" LATENCY_FIELD, begin->system, begin->name,
			tsh_args_text(&m->call->args, "NAME"));
	for (i = 0; i < m->fields.n; i++)
		tsh_strbuf_addf(&text, ",%s", m->fields.v[i].source);
	tsh_strbuf_addc(&text, ')');
	add_filter(m, LATENCY_END, &text);
	ret->end = tsh_strbuf_detach(&text);
	ret->definition = definition_of(m);
	return 0;
}

int synth_texts_make(struct tsh_session *s, const struct tsh_call *call, struct synth_texts *ret,
		     struct tsh_err *err)
{
	struct making m = { .session = s, .call = call };
	unsigned int role;
	int r = 0;

	*ret = (struct synth_texts){ 0 };
	for (role = 0; !r && role < LATENCY_ROLES; role++) {
		m.formats[role] = tsh_event_format_read(s->in, &call->events.v[role]);
		if (!m.formats[role])
			r = tsh_err_set(err, TSH_FAILED, "the format of '%s:%s' cannot be read",
					call->events.v[role].system, call->events.v[role].name);
	}
	if (!r)
		r = make_texts(&m, ret, err);
	if (r < 0)
		synth_texts_release(ret);
	release(&m);
	return r;
}

void synth_texts_release(struct synth_texts *texts)
{
	free(texts->definition);
	free(texts->begin);
	free(texts->end);
	*texts = (struct synth_texts){ 0 };
}
