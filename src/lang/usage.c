/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/strbuf.h"
#include "base/vec.h"
#include "parse.h"

/* Limits how many choices usage shows; more are shown by the name that stands for them. */
#define CHOICES_MAX 5

void tsh_usage_name(struct tsh_strbuf *out, const struct tsh_arg *arg)
{
	const char *const *choices = arg->type == TSH_ARG_CHOICE ? arg->choices : NULL;
	size_t i, n = 0;

	while (choices && choices[n])
		n++;
	if (!n || n > CHOICES_MAX)
		tsh_strbuf_adds(out, arg->name);
	else
		for (i = 0; i < n; i++)
			tsh_strbuf_addf(out, i ? "|%s" : "%s", choices[i]);
}

static void add_name(struct tsh_strbuf *out, const struct tsh_arg *arg)
{
	tsh_usage_name(out, arg);
	if (arg->type == TSH_ARG_ARGV)
		tsh_strbuf_adds(out, " [ARG]..");
	else if (arg->type == TSH_ARG_ASSIGNMENT)
		tsh_strbuf_adds(out, " = VALUE");
	else if (arg->flags & TSH_ARG_MANY)
		tsh_strbuf_adds(out, "..");
}

static void add_option(struct tsh_strbuf *out, const struct tsh_arg *arg)
{
	tsh_strbuf_addf(out, " [%s", arg->option);
	if (arg->type != TSH_ARG_FLAG) {
		tsh_strbuf_addc(out, ' ');
		add_name(out, arg);
	}
	tsh_strbuf_addc(out, ']');
}

static void add_clause(struct tsh_strbuf *out, const struct tsh_arg *arg)
{
	bool optional = arg->flags & TSH_ARG_OPTIONAL;

	tsh_strbuf_addf(out, optional ? " [%s" : " %s", arg->clause);
	if (arg->type != TSH_ARG_FLAG) {
		tsh_strbuf_addc(out, ' ');
		add_name(out, arg);
	}
	if (optional)
		tsh_strbuf_addc(out, ']');
}

/*
 * Appends the positional arguments. One that can only follow an optional one stands inside its
 * brackets: [NAME [on|off]]. An optional choice is different, because it can be skipped.
 */
static void add_positionals(struct tsh_strbuf *out, const struct tsh_arg *table, bool given)
{
	const struct tsh_arg *arg;
	size_t open = 0;

	for (arg = table; arg->name; arg++, given = false) {
		if (arg->option || arg->clause)
			continue;
		tsh_strbuf_addc(out, ' ');
		if (given || (arg->flags & TSH_ARG_OPTIONAL))
			tsh_strbuf_addc(out, '[');
		add_name(out, arg);
		if (!given && !(arg->flags & TSH_ARG_OPTIONAL))
			continue;
		if (arg->type == TSH_ARG_CHOICE)
			tsh_strbuf_addc(out, ']');
		else
			open++;
	}
	tsh_strbuf_addn(out, ']', open);
}

void tsh_grammar_usage(struct tsh_strbuf *out, const char *command, const struct tsh_arg *table)
{
	const struct tsh_arg *arg;

	tsh_strbuf_adds(out, command);
	for (arg = table; arg->name; arg++) {
		if (arg->option)
			add_option(out, arg);
	}
	add_positionals(out, table, false);
	for (arg = table; arg->name; arg++) {
		if (arg->clause)
			add_clause(out, arg);
	}
}

void tsh_grammar_rest(struct tsh_strbuf *out, const struct tsh_arg *table,
		      const struct tsh_grammar_progress *progress)
{
	const struct tsh_arg *arg;

	if (!progress->clause) {
		add_positionals(out, progress->slot, progress->in_slot);
		for (arg = table; arg->name; arg++)
			if (arg->option && (!progress->options || (arg->flags & TSH_ARG_MANY) ||
					    !tsh_strlist_has(progress->options, arg->option)))
				add_option(out, arg);
	}
	for (arg = progress->clause ? progress->clause + 1 : table; arg->name; arg++)
		if (arg->clause)
			add_clause(out, arg);
}

void tsh_grammar_name(struct tsh_strbuf *out, const struct tsh_arg *arg)
{
	if (arg->type != TSH_ARG_FLAG)
		add_name(out, arg);
}
