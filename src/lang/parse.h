/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_LANG_PARSE_H
#define TRACESH_LANG_PARSE_H

/* Shared by the parser of arguments and the readers of values. */

#include "grammar.h"

struct tsh_strbuf;

/* Holds the state of one command that is being parsed. */
struct tsh_parse {
	struct tsh_lexer *lx;
	const char *command;
	const struct tsh_arg *table;
	const struct tsh_arg *common;	/* or NULL */
	bool in_try;
	struct tsh_args *args;
	struct tsh_err *err;
	const struct tsh_arg *next;	/* positional argument to fill next, or the table's end */
	const struct tsh_arg *clause;	/* the last one that was read, or NULL */
	/* words that end an expression: the options, the clauses, `else` in a try */
	const char **stops;
	const char *const *clause_stops;	/* without the options */
	const char *const *else_stops;		/* only `else` in a try */
};

/* Appends how usage calls the argument: its name, or its choices. */
void tsh_usage_name(struct tsh_strbuf *out, const struct tsh_arg *arg);
/* Sets the usage as the hint of the error; returns -1. */
int tsh_parse_usage(struct tsh_parse *p);
/* Sets the error "missing NAME" or "missing PREFIX NAME" with the usage; returns -1. */
int tsh_parse_missing(struct tsh_parse *p, struct tsh_span blame, const char *prefix,
		      const struct tsh_arg *arg);
/* Says whether the command ends here, also before a pipe, or before the `else` of a `try`. */
bool tsh_parse_at_end(struct tsh_parse *p);
/* Returns the bytes from pos up to a '=' or to the end of the word. */
struct tsh_span tsh_parse_name_at(const struct tsh_lexer *lx, size_t pos);

/* Says whether a text may be a mistyped choice of arg. */
bool tsh_parse_is_near_choice(const struct tsh_arg *arg, const char *text);
/* Refuses a word that is no choice of arg, and lists the choices; returns -1. */
int tsh_parse_refuse_choice(struct tsh_parse *p, const struct tsh_arg *arg,
			    const struct tsh_value *value);
/* Adds `word`, which it takes over, as a value of arg. */
int tsh_parse_value(struct tsh_parse *p, const struct tsh_arg *arg, struct tsh_word *word);
/* Adds bytes of the source, as they are, as a value of arg. */
int tsh_parse_literal(struct tsh_parse *p, const struct tsh_arg *arg, struct tsh_span span);
/* Reads the next word as a value of arg. The caller has checked that there is one. */
int tsh_parse_word(struct tsh_parse *p, const struct tsh_arg *arg);
/* Reads an EXPRESSION, a TEXT or a STATEMENT. Blames the span `blame` when it is empty. */
int tsh_parse_rest(struct tsh_parse *p, const struct tsh_arg *arg, const char *const *stops,
		   struct tsh_span blame);
/* Reads NAME = VALUE. */
int tsh_parse_assignment(struct tsh_parse *p, const struct tsh_arg *arg);

#endif
