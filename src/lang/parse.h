/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_LANG_PARSE_H
#define TRACESH_LANG_PARSE_H

/* What the parser of arguments and the readers of values share. */

#include "grammar.h"

struct tsh_strbuf;

/* One command being parsed. */
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
	/* What ends an expression: the options' words, those of the clauses, `else` in a try. */
	const char **stops;
	const char *const *clause_stops;	/* without the options */
	const char *const *else_stops;		/* only `else` in a try */
};

/* What usage calls the argument: its name, or the choices that there are. */
void tsh_usage_name(struct tsh_strbuf *out, const struct tsh_arg *arg);
/* Gives the error the usage as its hint; returns -1. */
int tsh_parse_usage(struct tsh_parse *p);
/* "missing NAME" or "missing PREFIX NAME", and the usage; returns -1. */
int tsh_parse_missing(struct tsh_parse *p, struct tsh_span blame, const char *prefix,
		      const struct tsh_arg *arg);
/* Whether the command ends here: also before a pipe, and before a `try`'s `else`. */
bool tsh_parse_at_end(struct tsh_parse *p);
/* The bytes at pos up to a '=' or to the end of the word. */
struct tsh_span tsh_parse_name_at(const struct tsh_lexer *lx, size_t pos);

/* Whether text may be meant as one of the choices of arg, mistyped. */
bool tsh_parse_is_near_choice(const struct tsh_arg *arg, const char *text);
/* Says that a word is none of the choices of arg, and which there are; returns -1. */
int tsh_parse_refuse_choice(struct tsh_parse *p, const struct tsh_arg *arg,
			    const struct tsh_value *value);
/* Takes over `word` as a value of arg. */
int tsh_parse_value(struct tsh_parse *p, const struct tsh_arg *arg, struct tsh_word *word);
/* The same with bytes of the source as they are. */
int tsh_parse_literal(struct tsh_parse *p, const struct tsh_arg *arg, struct tsh_span span);
/* Reads a word that is there. */
int tsh_parse_word(struct tsh_parse *p, const struct tsh_arg *arg);
/* Reads an EXPRESSION, a TEXT or a STATEMENT; `blame` is the word that asks for it. */
int tsh_parse_rest(struct tsh_parse *p, const struct tsh_arg *arg, const char *const *stops,
		   struct tsh_span blame);
/* Reads NAME = VALUE. */
int tsh_parse_assignment(struct tsh_parse *p, const struct tsh_arg *arg);

#endif
