/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "value-names.h"

#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "base/xmalloc.h"
#include "decoder.h"
#include "events/printfmt/expr.h"
#include "events/symbols/btf-internal.h"

/* Finds names of numbers in the tables of an event's print format. */

struct search {
	const struct tsh_field *field;
	struct tsh_value_names *ret;
	const char *none;		/* text for a value without any flag; or NULL */
};

/* Returns the field of an operand, ignoring casts and a mask; NULL: it is no field. */
static const struct tsh_field *plain_field(const struct expr *e)
{
	while (e->kind == EXPR_CAST ||
	       (e->kind == EXPR_BINARY && e->op == EXPR_AND && e->arg[1]->kind == EXPR_NUMBER))
		e = e->arg[0];
	return e->kind == EXPR_FIELD ? e->field : NULL;
}

static void add(struct search *s, uint64_t value, const char *name, bool is_flag)
{
	struct tsh_value_name *v;
	size_t i;

	for (i = 0; i < s->ret->n; i++)
		if (s->ret->v[i].value == value)
			return;
	v = tsh_vec_push(s->ret);
	*v = (struct tsh_value_name){ .value = value, .name = tsh_xstrdup(name),
				      .is_flag = is_flag };
}

static bool is_call(const struct expr *e, const char *name)
{
	return e->kind == EXPR_CALL && !strncmp(e->text, name, strlen(name));
}

static void add_table(struct search *s, const struct expr *call)
{
	const struct expr *table = call->nargs ? call->arg[call->nargs - 1] : NULL;
	size_t i;

	if (!table || table->kind != EXPR_TABLE || plain_field(call->arg[0]) != s->field)
		return;
	for (i = 0; i + 1 < table->nargs; i += 2)
		if (table->arg[i]->kind == EXPR_NUMBER && table->arg[i + 1]->kind == EXPR_STRING)
			add(s, table->arg[i]->number, table->arg[i + 1]->text,
			    is_call(call, "__print_flags"));
}

/* Handles `REC->state & 255 ? __print_flags(..) : "R"`: "R" stands for no flag. */
static void add_none(struct search *s, const struct expr *e)
{
	if (plain_field(e->arg[0]) != s->field || !is_call(e->arg[1], "__print_flags") ||
	    e->arg[2]->kind != EXPR_STRING || !*e->arg[2]->text)
		return;
	s->none = e->arg[2]->text;
	add(s, 0, s->none, false);
}

/* Handles `REC->state & 256 ? "+" : ""` behind that: "+" is the text of that flag alone. */
static void add_suffix(struct search *s, const struct expr *e)
{
	const struct expr *of = e->arg[0];
	char *name;

	while (of->kind == EXPR_CAST)
		of = of->arg[0];
	if (!s->none || plain_field(of) != s->field || of->kind != EXPR_BINARY ||
	    e->arg[1]->kind != EXPR_STRING || !*e->arg[1]->text ||
	    e->arg[2]->kind != EXPR_STRING || *e->arg[2]->text)
		return;
	name = tsh_xasprintf("%s%s", s->none, e->arg[1]->text);
	add(s, of->arg[1]->number, name, false);
	free(name);
}

static void walk(struct search *s, const struct expr *e)
{
	size_t i;

	if (is_call(e, "__print_symbolic") || is_call(e, "__print_flags"))
		add_table(s, e);
	if (e->kind == EXPR_COND) {
		add_none(s, e);
		add_suffix(s, e);
	}
	for (i = 0; i < e->nargs; i++)
		walk(s, e->arg[i]);
}

/* Adds names for a bool. Most kernels print a bool as a choice between two words, some
 * as a number. */
static void add_truth(struct search *s)
{
	if (strcmp(s->field->type, "bool") != 0 && strcmp(s->field->type, "_Bool") != 0)
		return;
	add(s, 0, "false", false);
	add(s, 1, "true", false);
}

static bool resolve_enum(void *ctx, const char *name, int64_t *ret)
{
	return tsh_enums_value(ctx, name, ret);
}

void tsh_value_names_of(const struct tsh_decoder *decoder, const struct tsh_event_format *format,
			const struct tsh_field *field, struct tsh_value_names *ret)
{
	struct tsh_enums *enums = decoder ? decoder->env.enums : NULL;
	struct search s = { .field = field, .ret = ret };
	struct print_fmt fmt;
	char *why = NULL;
	size_t i;

	/* The print format's table has the numbers in the machine's byte order, the field in
	 * network order. */
	if (field->is_network)
		return;
	/* most print formats have no names */
	if (!strstr(format->print_fmt, "__print_symbolic") &&
	    !strstr(format->print_fmt, "__print_flags")) {
		add_truth(&s);
		return;
	}
	if (print_fmt_parse(format, decoder ? decoder->layout.long_size : sizeof(long),
			    enums ? resolve_enum : NULL, enums, &fmt, &why) < 0) {
		free(why);
		return;
	}
	for (i = 0; i < fmt.nargs; i++)
		walk(&s, fmt.arg[i]);
	print_fmt_release(&fmt);
	add_truth(&s);
}

void tsh_value_names_release(struct tsh_value_names *names)
{
	size_t i;

	for (i = 0; i < names->n; i++)
		free(names->v[i].name);
	tsh_vec_release(names);
}
