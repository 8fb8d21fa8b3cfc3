/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_LANG_PARSE_H
#define TRACESH_LANG_PARSE_H

/* What the parser of arguments and the readers of values share. */

#include "tracesh/grammar.h"

/* One command being parsed. */
struct tsh_parse {
	struct tsh_lexer *lx;
	const char *command;
	const struct tsh_arg *table;
	const struct tsh_arg *common;	/* or NULL */
	bool in_try;
	struct tsh_args *args;
	struct tsh_err *err;
	const struct tsh_arg *next;	/* the positional argument to fill next, or the table's end */
	const struct tsh_arg *clause;	/* the last one that was read, or NULL */
	/* What ends an expression: the options' words, then those of the clauses. */
	const char **stops;
	const char *const *clause_stops;	/* the latter alone */
};

/* tsh_err_hint with the usage of the command; returns -1. */
int tsh_parse_usage(struct tsh_parse *p);
/* Whether the command ends here: also before a pipe, and before a `try`'s `else`. */
bool tsh_parse_at_end(struct tsh_parse *p);
/* Types that take the rest of the command, blanks and all. */
bool tsh_arg_takes_rest(const struct tsh_arg *arg);
bool tsh_arg_is_positional(const struct tsh_arg *arg);
/* The table's argument with that clause word, or NULL. */
const struct tsh_arg *tsh_parse_clause_at(struct tsh_parse *p);
/*
 * The option whose word begins the text; NULL when there is none. *ret_len is the
 * length of its name in the text ("--for=2s": 5).
 */
const struct tsh_arg *tsh_parse_option(const struct tsh_parse *p, const char *text,
				       size_t *ret_len);

/* Takes over `word` as a value of arg, of which `skip` bytes are not part. */
int tsh_parse_value(struct tsh_parse *p, const struct tsh_arg *arg, struct tsh_word *word,
		    size_t skip);
/* Reads an EXPRESSION, a TEXT or a STATEMENT. `blame` is the word that asks for it. */
int tsh_parse_rest(struct tsh_parse *p, const struct tsh_arg *arg, const char *const *stops,
		   struct tsh_span blame);
/* Reads NAME = VALUE. */
int tsh_parse_assignment(struct tsh_parse *p, const struct tsh_arg *arg);

#endif
