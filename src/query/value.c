/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "base/xmalloc.h"
#include "bind.h"

/* Binds expressions for their value, such as `expires - now`. */

/* ---- ticks ---- */

/* Compares with the fields of include/trace/events/timer.h that hold jiffies. */
bool tsh_query_holds_jiffies(const struct tsh_event_format *format, uint32_t offset)
{
	static const char *const names[] = { "expires", "now", "baseclk", "bucket_expiry" };
	size_t i;

	if (strcmp(format->system, "timer") ||
	    (strcmp(format->name, "timer_start") && strcmp(format->name, "timer_expire_entry")))
		return false;
	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		const struct tsh_field *field = tsh_event_format_field(format, names[i]);

		if (field && field->offset == offset)
			return true;
	}
	return false;
}

enum tsh_query_jiffies query_jiffies_of(const struct bound *b,
					const struct tsh_event_format *format)
{
	enum tsh_query_jiffies x, y;

	if (b->code == BOUND_LOAD)
		return tsh_query_holds_jiffies(format, b->load.offset) ? TSH_QUERY_JIFFIES_MOMENT :
							       TSH_QUERY_NO_JIFFIES;
	if (b->code != BOUND_BINARY || (b->op != TSH_QUERY_SUB && b->op != TSH_QUERY_ADD))
		return TSH_QUERY_NO_JIFFIES;
	x = query_jiffies_of(b->arg[0], format);
	y = query_jiffies_of(b->arg[1], format);
	if (!x || !y)
		return TSH_QUERY_NO_JIFFIES;
	if (x == y && (x == TSH_QUERY_JIFFIES_SPAN || b->op == TSH_QUERY_SUB))
		return TSH_QUERY_JIFFIES_SPAN;
	return x != y ? TSH_QUERY_JIFFIES_MOMENT : TSH_QUERY_NO_JIFFIES;
}

/* ---- values ---- */

struct bound_value *query_bind_value(const struct tsh_query_node *node,
				     const struct query_binding *to)
{
	struct bound_value *v;
	struct operand o = { 0 };

	if (query_bind_operand(node, to, &o) < 0)
		return NULL;
	query_note_unknown_word(to, &o);
	if (o.kind == OPERAND_ADDRESS || o.kind == OPERAND_CPUS) {
		query_refuse(to, node->span, "this is no value of an event");
		return NULL;
	}
	v = tsh_xcalloc(1, sizeof(*v));
	v->bound = o.bound;
	v->field = o.field;
	v->is_number = o.kind == OPERAND_NUMBER;
	v->is_signed = o.type.is_signed;
	v->is_time = o.bound && o.bound->code == BOUND_TIME;
	if (v->is_number && o.bound)
		v->jiffies = query_jiffies_of(o.bound, to->format);
	return v;
}

void query_value_free(struct bound_value *v)
{
	if (v)
		query_bound_free(v->bound);
	free(v);
}

void query_eval_value(const struct bound_value *v, struct query_run *run,
		      struct tsh_query_value *ret)
{
	*ret = (struct tsh_query_value){ .field = v->field, .is_signed = v->is_signed,
					 .jiffies = v->jiffies };
	if (v->bound && v->is_number && query_eval_number(v->bound, run, &ret->number))
		ret->kind = v->is_time ? TSH_QUERY_VALUE_TIME : TSH_QUERY_VALUE_NUMBER;
	else if (v->bound && !v->is_number && query_eval_text(v->bound, run, &ret->bytes, &ret->len))
		ret->kind = TSH_QUERY_VALUE_TEXT;
	ret->is_array = ret->kind == TSH_QUERY_VALUE_TEXT && v->field &&
			v->field->kind != TSH_FIELD_CHARS && v->field->kind != TSH_FIELD_STRING;
}
