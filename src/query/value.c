/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdlib.h>

#include "bind.h"
#include "tracesh/xmalloc.h"

/* What an expression is for an event, where no truth is asked of it: `expires - now`. */

struct bound_value *query_bind_value(const struct tsh_query_node *node,
				     const struct query_binding *to)
{
	struct bound_value *v;
	struct operand o = { 0 };

	if (query_bind_operand(node, to, &o) < 0)
		return NULL;
	query_forget_word(to, &o);
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
	*ret = (struct tsh_query_value){ .field = v->field, .is_signed = v->is_signed };
	if (v->bound && v->is_number && query_eval_number(v->bound, run, &ret->number))
		ret->kind = v->is_time ? TSH_QUERY_VALUE_TIME : TSH_QUERY_VALUE_NUMBER;
	else if (v->bound && !v->is_number && query_eval_text(v->bound, run, &ret->bytes, &ret->len))
		ret->kind = TSH_QUERY_VALUE_TEXT;
}
