/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_EVENTS_PRINTFMT_PRINT_PARSER_H
#define TRACESH_EVENTS_PRINTFMT_PRINT_PARSER_H

#include "print-lex.h"
#include "print-tree.h"

/* Declares what the files of the parser share. */

/* Holds a variable of a statement expression; each use is replaced by its value. */
struct print_local {
	struct print_local *outer;
	const char *name;
	size_t len;
	struct ctype type;
	struct expr *value;		/* a value of .type; NULL: not set yet */
};

struct parser {
	struct tree tree;
	const struct tsh_event_format *format;
	expr_resolve *resolve;
	void *resolve_ctx;
	const char *next;		/* behind the present token */
	const char *end;
	struct token token;		/* the present token; TOKEN_END after a fault */
	struct print_local *locals;
	unsigned int nlocals;		/* how many were declared */
	unsigned int depth;
};

/* Holds a position of the parser, to return to. */
struct parser_mark {
	const char *next;
	struct token token;
};

/* Reads the next token. */
void parser_next(struct parser *p);
/* Return the present position, and go back to one. */
struct parser_mark parser_mark(const struct parser *p);
void parser_back(struct parser *p, struct parser_mark mark);
bool parser_is(const struct parser *p, unsigned int punct);
/* Read the next token when the present one is `punct`, or the name. Return whether it was. */
bool parser_accept(struct parser *p, unsigned int punct);
bool parser_accept_name(struct parser *p, const char *name);
/* Reads the next token when the present one is `punct`; otherwise sets a fault. */
void parser_expect(struct parser *p, unsigned int punct);
/* Returns a copy of a token that has to be a name, and reads the next. */
char *parser_dup_name(struct parser *p);
/* Return the local variable, or the field of the record, that has a name; NULL: there is none. */
struct print_local *parser_local(const struct parser *p, const struct token *name);
const struct tsh_field *parser_field(const struct parser *p, const char *name, size_t len);

/* Parse an expression, with or without commas. */
struct expr *parse_expr(struct parser *p);
struct expr *parse_cond(struct parser *p);
struct expr *parse_unary(struct parser *p);
/* Parses adjacent strings. */
struct expr *parse_string(struct parser *p);

/* Parses a type (print-type.c). Returns false, and reads nothing, when no type begins here. */
bool parse_type(struct parser *p, struct ctype *ret);
/* Parses the operand of `sizeof`. */
struct expr *parse_sizeof(struct parser *p);

/* Parses a call (print-call.c), at the parenthesis behind the function's name. */
struct expr *parse_call(struct parser *p, char *name);

/* Parses a member behind e's point or arrow (print-member.c); may set a fault. */
struct expr *parse_member_of(struct parser *p, struct expr *e, const char *name);

/* Parses `({ .. })` at the brace, also the closing parenthesis (print-block.c). */
struct expr *parse_block(struct parser *p);

#endif
