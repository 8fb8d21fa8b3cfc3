/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "plan.h"

#include <stdlib.h>
#include <string.h>

#include "session/filters.h"

/*
 * Makes the plan of a synthetic event from the words of latency or synth; its first field is lat,
 * in ns.
 */

#define LATENCY_FIELD "lat"

struct planning {
	const struct tsh_call *call;
	struct tsh_event_format *formats[LATENCY_ROLES];
	struct synth_plan *plan;
};

static void release_operand(struct synth_operand *of)
{
	free(of->name);
	free(of->type);
	free(of->suffix);
}

void synth_plan_release(struct synth_plan *plan)
{
	unsigned int role;
	size_t i;

	for (i = 0; i < plan->fields.n; i++) {
		free(plan->fields.v[i].name);
		release_operand(&plan->fields.v[i].of[0]);
		release_operand(&plan->fields.v[i].of[1]);
	}
	tsh_vec_release(&plan->fields);
	pair_spec_release(&plan->spec);
	for (role = 0; role < LATENCY_ROLES; role++)
		free(plan->filters[role]);
	*plan = (struct synth_plan){ 0 };
}

bool synth_plan_has(const struct synth_plan *plan, const char *field)
{
	size_t i;

	for (i = 0; i < plan->fields.n; i++)
		if (!strcmp(plan->fields.v[i].name, field))
			return true;
	return false;
}

/*
 * Says whether trace_events_synth.c knows the size of a type; other integers are named by their
 * size.
 */
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

/* Fills in the type of a field. Returns false if the new event cannot have such a field. */
static bool find_type(const struct tsh_field *from, struct synth_operand *to)
{
	switch (from->kind) {
	case TSH_FIELD_INT:
	case TSH_FIELD_POINTER:
		if (from->size > 8)
			return false;
		to->type = is_known_type(from->type) ?
				   tsh_xstrdup(from->type) :
				   tsh_xasprintf("%c%u", from->is_signed ? 's' : 'u', from->size * 8);
		to->suffix = tsh_xstrdup("");
		to->size = from->size;
		to->is_signed = from->is_signed;
		return true;
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

const char *synth_kernel_name(const struct tsh_event_format *format, const char *name,
			      const struct tsh_field **ret_field)
{
	*ret_field = tsh_event_format_field(format, name);
	if (*ret_field)
		return (*ret_field)->name;
	if (!strcmp(name, "pid"))
		return "common_pid";
	if (!strcmp(name, "cpu") || !strcmp(name, "common_cpu"))
		return "common_cpu";
	return NULL;
}

void synth_plan_add_key(struct synth_plan *plan, const char *const names[LATENCY_ROLES])
{
	struct tsh_err ignored = { 0 };
	unsigned int role;

	for (role = 0; role < LATENCY_ROLES; role++) {
		struct by_item *key = &plan->spec.keys[role][plan->spec.nkeys];
		/* the name in a query, as this is no field */
		const char *name = strcmp(names[role], "common_cpu") ? names[role] : "CPU";

		*key = (struct by_item){ .title = tsh_xstrdup(names[role]), .len = strlen(names[role]),
					 .is_compared = true };
		key->value = tsh_query_new_value(name, strlen(name), &ignored);
	}
	tsh_err_release(&ignored);
	pair_spec_key_done(&plan->spec);
}

enum synth_fit synth_operand_of(const struct tsh_event_format *format, const char *name,
				enum latency_role role, struct synth_operand *ret)
{
	const struct tsh_field *from;

	name = synth_kernel_name(format, name, &from);
	if (!name)
		return SYNTH_UNKNOWN;
	if (from && !find_type(from, ret))
		return SYNTH_ARRAY;
	if (!from) {
		ret->type = tsh_xstrdup(!strcmp(name, "common_cpu") ? "unsigned int" : "int");
		ret->suffix = tsh_xstrdup("");
		ret->size = sizeof(int);
		ret->is_signed = strcmp(name, "common_cpu") != 0;
	}
	ret->role = role;
	ret->name = tsh_xstrdup(name);
	return SYNTH_FITS;
}

struct synth_operand synth_operand_time(const char *name, enum latency_role role)
{
	return (struct synth_operand){ .role = role, .name = tsh_xstrdup(name),
				       .type = tsh_xstrdup("u64"), .suffix = tsh_xstrdup(""),
				       .size = sizeof(uint64_t) };
}

struct synth_operand synth_operand_stack(enum latency_role role)
{
	return (struct synth_operand){ .role = role, .name = tsh_xstrdup(SYNTH_STACK),
				       .type = tsh_xstrdup("unsigned long"),
				       .suffix = tsh_xstrdup("[]") };
}

bool synth_plan_has_stack(const struct synth_plan *plan)
{
	size_t i;

	for (i = 0; i < plan->fields.n; i++)
		if (!strcmp(plan->fields.v[i].of[0].name, SYNTH_STACK))
			return true;
	return false;
}

/* ---- of a call ---- */

static int refuse(const struct planning *p, const struct by_item *item, enum latency_role role,
		  const char *why, struct tsh_err *err)
{
	const struct tsh_event *event = &p->call->events.v[role];

	tsh_err_at(err, item->span, "'%s' of %s:%s is %s", item->title, event->system, event->name,
		   why);
	err->status = TSH_FAILED;
	if (!latency_of(p->call)->are_events)
		tsh_err_hint(err, "without --in-kernel pairs are made here, of whatever is known here");
	else
		tsh_err_hint_word(err, "info ", event->name, " lists its fields");
	return -1;
}

/*
 * Returns the field that a key is of; NULL: it is more than a field. The caller frees it. A
 * modifier (.log2) is applied when pairs are counted.
 */
static char *name_of(const struct planning *p, const struct by_item *item)
{
	if (!item->title || (item->modifier != BY_PLAIN && latency_of(p->call)->are_events))
		return NULL;
	return item->modifier == BY_PLAIN ? tsh_xstrdup(item->title) :
					    tsh_xstrndup(item->title, item->len);
}

/* Says whether an item is comm of the pair's task. The event that the kernel makes of the pair is
 * of the same task. */
static bool is_comm_of_both(const struct planning *p, const struct by_item *item)
{
	return !latency_of(p->call)->are_events && item->title && !strcmp(item->title, "comm") &&
	       latency_is_of_task(latency_of(p->call));
}

/* Adds a field of the new event, unless the plan has one of that name: a key of both events, or an
 * item that is named twice. */
static int add_field(struct planning *p, const struct by_item *item, enum latency_role role,
		     struct tsh_err *err)
{
	char *name = name_of(p, item);
	struct synth_field field = { .name = name };
	enum synth_fit fit = name ? synth_operand_of(p->formats[role], name, role, &field.of[0]) :
				    SYNTH_UNKNOWN;

	/* comm, which every event has here, may be a field of END alone */
	if (name && fit == SYNTH_UNKNOWN && role == LATENCY_BEGIN && latency_of(p->call)->are_events)
		fit = synth_operand_of(p->formats[LATENCY_END], name, LATENCY_END, &field.of[0]);

	if (fit != SYNTH_FITS || synth_plan_has(p->plan, name)) {
		release_operand(&field.of[0]);
		free(name);
	} else {
		*tsh_vec_push(&p->plan->fields) = field;
	}
	if (fit == SYNTH_ARRAY)
		return refuse(p, item, role, "an array, which no such event can have", err);
	if (fit == SYNTH_UNKNOWN && !is_comm_of_both(p, item))
		return refuse(p, item, role, "no field of it: the kernel saves those", err);
	return 0;
}

static int add_fields(struct planning *p, struct tsh_err *err)
{
	const struct tsh_by *by = tsh_by_of(p->call);
	struct synth_field lat = { .name = tsh_xstrdup(LATENCY_FIELD), .op = '-' };
	size_t i;

	lat.of[0] = synth_operand_time(SYNTH_TIME, LATENCY_END);
	lat.of[1] = synth_operand_time(SYNTH_TIME, LATENCY_BEGIN);
	*tsh_vec_push(&p->plan->fields) = lat;
	for (i = 0; i < by->latency->spec.nkeys; i++)
		if (add_field(p, &by->latency->spec.keys[LATENCY_END][i], LATENCY_END, err) < 0)
			return -1;
	for (i = 0; i < by->spec.nkeys; i++)
		if (add_field(p, &by->spec.keys[i], by->latency->from[i], err) < 0)
			return -1;
	return 0;
}

static int add_keys(struct planning *p, struct tsh_err *err)
{
	const struct by_latency *l = latency_of(p->call);
	const struct tsh_field *field;
	const char *names[LATENCY_ROLES];
	unsigned int role;
	size_t i;

	for (i = 0; i < l->spec.nkeys; i++) {
		for (role = 0; role < LATENCY_ROLES; role++) {
			const struct by_item *item = &l->spec.keys[role][i];

			names[role] = item->modifier == BY_PLAIN && item->title ?
					      synth_kernel_name(p->formats[role], item->title, &field) : NULL;
			if (!names[role])
				return refuse(p, item, role,
					      "no field of it: the kernel compares those", err);
		}
		synth_plan_add_key(p->plan, names);
	}
	return 0;
}

/*
 * Returns the filter of an event, which leaves out the idle task if the spec has .no_zero; or NULL.
 * The caller frees it.
 */
static char *filter_of(const struct planning *p, enum latency_role role)
{
	const struct by_latency *l = latency_of(p->call);
	const struct tsh_value *filter = tsh_filters_value(p->call);
	bool no_zero = l->spec.no_zero && role == LATENCY_BEGIN;

	if (l->lacks_filter[role])
		filter = NULL;
	if (!no_zero)
		return filter ? tsh_xstrdup(filter->word.text) : NULL;
	return filter ? tsh_xasprintf("(%s) && %s != 0", filter->word.text, l->spec.keys[role][0].title) :
			tsh_xasprintf("%s != 0", l->spec.keys[role][0].title);
}

int synth_plan_of(struct tsh_session *s, const struct tsh_call *call, struct synth_plan *ret,
		  struct tsh_err *err)
{
	struct planning p = { .call = call, .plan = ret };
	unsigned int role;
	int r = 0;

	*ret = (struct synth_plan){ .name = tsh_args_text(&call->args, "NAME"),
				    .spec = { .events = call->events.v,
					      .is_one = latency_is_same_event(call->events.v) } };
	for (role = 0; !r && role < LATENCY_ROLES; role++) {
		p.formats[role] = tsh_event_format_read(s->in, &call->events.v[role]);
		if (!p.formats[role])
			r = tsh_err_set(err, TSH_FAILED, "the format of '%s:%s' cannot be read",
					call->events.v[role].system, call->events.v[role].name);
	}
	if (!r && (add_fields(&p, err) < 0 || add_keys(&p, err) < 0))
		r = -1;
	for (role = 0; role < LATENCY_ROLES; role++) {
		if (!r)
			ret->filters[role] = filter_of(&p, role);
		tsh_event_format_free(p.formats[role]);
	}
	return r;
}
