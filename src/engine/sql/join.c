/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sql.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "session/filters.h"

/* Makes the plan of a synthetic event from SELECT .. FROM START JOIN END ON ... */

struct joining {
	const struct sql_query *q;
	struct synth_plan *plan;
	struct tsh_err *err;
};

/*
 * Refuses ns and us in one statement: with .usecs in a trigger all its times are in us
 * (ts_in_usecs).
 */
static int check_time(const struct joining *j, const struct tsh_sql_name *name,
		      const struct sql_field *field)
{
	size_t i;

	for (i = 0; field->time && i < j->plan->fields.n; i++) {
		const struct synth_field *other = &j->plan->fields.v[i];
		unsigned int k;

		for (k = 0; k < 2; k++)
			if (other->of[k].name &&
			    !strncmp(other->of[k].name, SYNTH_TIME, strlen(SYNTH_TIME)) &&
			    strcmp(other->of[k].name, field->time) != 0)
				break;
		if (k == 2)
			continue;
		tsh_err_at(j->err, sql_span_in_line(j->q, name->span),
			   "times are all in ns or all in us: the kernel has one unit for them");
		tsh_err_hint(j->err, "TIMESTAMP and TIMESTAMP_DELTA are in ns, TIMESTAMP_USECS and "
				     "TIMESTAMP_DELTA_USECS in us");
		return -1;
	}
	return 0;
}

static int refuse_field(const struct joining *j, const struct tsh_sql_name *name,
			const struct sql_field *field, const char *why)
{
	const struct tsh_event *event = &j->q->events[field->role];

	tsh_err_at(j->err, sql_span_in_line(j->q, name->span), "'%s' %s of %s:%s", field->name, why,
		   event->system, event->name);
	j->err->status = TSH_FAILED;
	tsh_err_hint_word(j->err, "info ", event->name, " lists its fields");
	return -1;
}

/* ---- ON ---- */

static int add_key(const struct joining *j, const struct tsh_sql_name *name,
		   const struct sql_field *field, const char *names[LATENCY_ROLES], bool *ret_is_text)
{
	const struct tsh_field *from;

	if (field->time || field->is_stack)
		return tsh_err_at(j->err, sql_span_in_line(j->q, name->span),
				  "two events have no %s in common", field->time ? "time" : "stack");
	names[field->role] = synth_kernel_name(j->q->formats[field->role], field->name, &from);
	if (!names[field->role])
		return refuse_field(j, name, field, "is no field");
	*ret_is_text = from && (from->kind == TSH_FIELD_CHARS || from->kind == TSH_FIELD_STRING);
	return 0;
}

static int add_match(const struct joining *j, const struct tsh_sql_match *match)
{
	const char *names[LATENCY_ROLES];
	struct sql_field a, b;
	bool is_text[2];

	if (sql_find_field(j->q, &match->a, &a, j->err) < 0 ||
	    sql_find_field(j->q, &match->b, &b, j->err) < 0)
		return -1;
	if (a.role == b.role) {
		tsh_err_at(j->err, sql_span_in_line(j->q, match->b.span),
			   "both are of %s: one is to be of each event", j->q->events[a.role].name);
		return -1;
	}
	if (j->plan->spec.nkeys == TSH_TALLY_PARTS_MAX)
		return tsh_err_at(j->err, sql_span_in_line(j->q, match->a.span),
				  "a fourth key: there can be three");
	if (add_key(j, &match->a, &a, names, &is_text[0]) < 0 ||
	    add_key(j, &match->b, &b, names, &is_text[1]) < 0)
		return -1;
	synth_plan_add_key(j->plan, names);
	if (is_text[0] == is_text[1])
		return 0;
	tsh_err_at(j->err, sql_span_in_line(j->q, match->b.span),
		   "a number and a string: they are never equal");
	return -1;
}

/* ---- SELECT ---- */

static int add_operand(const struct joining *j, const struct tsh_sql_name *name,
		       const struct sql_field *field, bool is_alone, struct synth_operand *ret)
{
	if (field->time) {
		*ret = synth_operand_time(field->time, field->role);
		return 0;
	}
	if (field->is_stack && !is_alone)
		return refuse_field(j, name, field, "is the stack");
	if (field->is_stack) {
		*ret = synth_operand_stack(field->role);
		return 0;
	}
	switch (synth_operand_of(j->q->formats[field->role], field->name, field->role, ret)) {
	case SYNTH_UNKNOWN:
		return refuse_field(j, name, field, "is no field");
	case SYNTH_ARRAY:
		return refuse_field(j, name, field, "is an array, which no such event can have,");
	default:
		break;
	}
	return is_alone || !*ret->suffix ? 0 : refuse_field(j, name, field, "is a string");
}

/* Names the new field by its label or by the field's own name. */
static int name_field(const struct joining *j, const struct tsh_sql_item *item,
		      const struct sql_field *field, struct synth_field *to)
{
	const char *text = item->label.text ? item->label.text : field->name;
	struct tsh_span place = item->label.text ? item->label.span : item->span;
	size_t i;

	if (!item->label.text && item->kind != TSH_SQL_FIELD) {
		tsh_err_at(j->err, sql_span_in_line(j->q, item->span), "it needs a name: (..) AS NAME");
		return -1;
	}
	if (!item->label.text && field->time)
		text = field->is_delta ? "delta" : "timestamp";
	else if (!item->label.text && field->is_stack)
		text = "stack";
	for (i = 0; isalnum((unsigned char)text[i]) || text[i] == '_'; i++)
		;
	if (text[i] || isdigit((unsigned char)*text))
		return tsh_err_at(j->err, sql_span_in_line(j->q, place),
				  "'%s' cannot be a field's name: letters, digits and _", text);
	/* each row begins with the time */
	if (synth_plan_has(j->plan, text) || (!strcmp(text, "time") && !tsh_args_has(&j->q->call->args, "NAME"))) {
		tsh_err_at(j->err, sql_span_in_line(j->q, place), "there is another '%s'", text);
		tsh_err_hint(j->err, "AS gives one of them another name");
		return -1;
	}
	to->name = tsh_xstrdup(text);
	return 0;
}

static int check_units(const struct joining *j, const struct tsh_sql_item *item,
		       const struct sql_field *a, const struct sql_field *b)
{
	if (!a->time == !b->time && (!a->time || !strcmp(a->time, b->time)))
		return 0;
	tsh_err_at(j->err, sql_span_in_line(j->q, item->span), "the two have different units");
	tsh_err_hint(j->err, "TIMESTAMP is in ns, TIMESTAMP_USECS in us");
	return -1;
}

static int find_both(const struct joining *j, const struct tsh_sql_item *item, struct sql_field *a,
		     struct sql_field *b)
{
	if (sql_find_field(j->q, &item->a, a, j->err) < 0 || check_time(j, &item->a, a) < 0)
		return -1;
	if (!item->b.text)
		return 0;
	if (sql_find_field(j->q, &item->b, b, j->err) < 0 || check_units(j, item, a, b) < 0)
		return -1;
	if (a->is_delta || b->is_delta)
		return tsh_err_at(j->err, sql_span_in_line(j->q, item->span),
				  "TIMESTAMP_DELTA is a difference already");
	return 0;
}

static int fill_in(const struct joining *j, const struct tsh_sql_item *item,
		   const struct sql_field *a, const struct sql_field *b, struct synth_field *to)
{
	if (a->is_delta) {
		to->op = '-';
		to->of[0] = synth_operand_time(a->time, LATENCY_END);
		to->of[1] = synth_operand_time(a->time, LATENCY_BEGIN);
		return 0;
	}
	if (add_operand(j, &item->a, a, !item->b.text, &to->of[0]) < 0)
		return -1;
	if (!item->b.text)
		return 0;
	to->op = item->kind == TSH_SQL_ADD ? '+' : '-';
	return add_operand(j, &item->b, b, false, &to->of[1]);
}

/* Adds a field to the plan, which frees it, also after an error. */
static int add_field(const struct joining *j, const struct tsh_sql_item *item)
{
	struct synth_field field = { 0 };
	struct sql_field a, b;

	if (find_both(j, item, &a, &b) < 0 || name_field(j, item, &a, &field) < 0)
		return -1;
	*tsh_vec_push(&j->plan->fields) = field;
	return fill_in(j, item, &a, &b, &j->plan->fields.v[j->plan->fields.n - 1]);
}

static int add_item(const struct joining *j, const struct tsh_sql_item *item)
{
	static const char *const why[] = {
		[TSH_SQL_CAST] = "a CAST is of one event",
		[TSH_SQL_VALUE] = "what is summed up is of one event",
		[TSH_SQL_COUNT] = "what is counted is of one event",
		[TSH_SQL_ALL] = "of two events the fields are named",
	};

	if (item->kind < sizeof(why) / sizeof(why[0]) && why[item->kind]) {
		tsh_err_at(j->err, sql_span_in_line(j->q, item->span), "%s", why[item->kind]);
		tsh_err_hint(j->err, "%s",
			     sql_has_events(j->q->session) ?
				     "sql --as NAME makes an event of the two; then sql 'SELECT .. "
				     "FROM NAME', or hist NAME, counts it" :
				     "latency START END on A=B by KEY counts pairs, with how long they "
				     "took");
		return -1;
	}
	return add_field(j, item);
}

/* ---- the plan ---- */

static int add_filters(const struct joining *j)
{
	struct tsh_word filters[LATENCY_ROLES];
	unsigned int role;
	int r = sql_filters(j->q, filters, j->err);

	for (role = 0; role < LATENCY_ROLES; role++) {
		if (!r && filters[role].text)
			r = tsh_filters_judge(j->q->session, &j->q->events[role], &filters[role],
					      j->err);
		if (!r && filters[role].text)
			j->plan->filters[role] = tsh_xstrdup(filters[role].text);
		tsh_word_release(&filters[role]);
	}
	return r;
}

int sql_plan(const struct sql_query *q, const char *name, struct synth_plan *ret,
	     struct tsh_err *err)
{
	struct joining j = { .q = q, .plan = ret, .err = err };
	size_t i;

	*ret = (struct synth_plan){ .name = name, .spec = { .events = q->events,
							       .is_one = latency_is_same_event(q->events) } };
	if (q->sql.group.n) {
		tsh_err_at(err, sql_span_in_line(q, q->sql.group.v[0].span),
			   "GROUP BY is of one event: each pair is a row");
		return -1;
	}
	for (i = 0; i < q->sql.on.n; i++)
		if (add_match(&j, &q->sql.on.v[i]) < 0)
			return -1;
	for (i = 0; i < q->sql.items.n; i++)
		if (add_item(&j, &q->sql.items.v[i]) < 0)
			return -1;
	return add_filters(&j);
}

bool sql_has_events(struct tsh_session *s)
{
	struct tsh_err ignored = { 0 };
	bool has = !synth_check_file(s, (struct tsh_span){ 0 }, &ignored);

	tsh_err_release(&ignored);
	return has;
}
