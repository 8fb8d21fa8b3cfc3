/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_EVENTS_PRINTFMT_PRINT_PARSER_H
#define TRACESH_EVENTS_PRINTFMT_PRINT_PARSER_H

#include "print-lex.h"
#include "print-tree.h"

/* What the parts of the parser share. */

/* A variable of a statement expression; each use of it stands for its value. */
struct print_local {
	struct print_local *outer;
	const char *name;
	size_t len;
	struct ctype type;
	struct expr *value;		/* of that type; NULL: none yet */
};

struct parser {
	struct tree tree;
	const struct tsh_event_format *format;
	expr_resolve *resolve;
	void *resolve_ctx;
	const char *next;		/* behind the token */
	const char *end;
	struct token token;		/* the one to look at; TOKEN_END after a fault */
	struct print_local *locals;
	unsigned int nlocals;		/* that were declared */
	unsigned int depth;
};

/* Where the parser is, to come back to. */
struct parser_mark {
	const char *next;
	struct token token;
};

void parser_next(struct parser *p);
struct parser_mark parser_mark(const struct parser *p);
void parser_back(struct parser *p, struct parser_mark mark);
bool parser_is(const struct parser *p, unsigned int punct);
/* Takes the token if it is this one. */
bool parser_take(struct parser *p, unsigned int punct);
bool parser_take_name(struct parser *p, const char *name);
/* A fault when it is another. */
void parser_expect(struct parser *p, unsigned int punct);
char *parser_dup_name(struct parser *p);
struct print_local *parser_local(const struct parser *p, const struct token *name);
const struct tsh_field *parser_field(const struct parser *p, const char *name, size_t len);

/* With commas; and up to one. */
struct expr *parse_expr(struct parser *p);
struct expr *parse_cond(struct parser *p);
struct expr *parse_unary(struct parser *p);
/* Strings next to each other. */
struct expr *parse_string(struct parser *p);

/* print-type.c: false, and nothing taken, when no type begins here. */
bool parse_type(struct parser *p, struct ctype *ret);
/* Behind `sizeof`. */
struct expr *parse_sizeof(struct parser *p);

/* print-call.c: at the parenthesis behind a function's name. */
struct expr *parse_call(struct parser *p, char *name);

/* print-builtin.c: behind the parenthesis, up to the other; NULL when it is none. */
struct expr *parse_builtin(struct parser *p, const char *name);

/* print-member.c: what stands behind e's point or arrow; or a fault. */
struct expr *parse_member_of(struct parser *p, struct expr *e, const char *name);

/* print-block.c: `({ .. })`, at the brace. Takes the closing parenthesis too. */
struct expr *parse_block(struct parser *p);

#endif
