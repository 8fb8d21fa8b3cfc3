/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_QUERY_LEX_H
#define TRACESH_QUERY_LEX_H

#include "query.h"

/* Reads the words of an expression. Whether a text is a number or an address depends on its
 * place: `10.0.0.1` is an address, `1..5` a range. */

enum query_token {
	QUERY_END,
	QUERY_OPERAND,		/* .kind and its value: NUMBER, STRING, CPUS, ADDRESS, NAME */
	QUERY_OPERATOR,		/* .op; a NEG comes as SUB, a COMPL as GLOB */
	QUERY_IN,
	QUERY_OPEN, QUERY_CLOSE,	/* ( ) */
	QUERY_OPEN_SET, QUERY_CLOSE_SET, QUERY_COMMA, QUERY_DOTS,	/* { } , .. */
	QUERY_OPEN_INDEX, QUERY_CLOSE_INDEX,	/* [ ] */
	QUERY_SUFFIX,		/* .text: the word behind the point of NAME.function */
};

struct query_lexer {
	const char *text;
	size_t len;
	size_t pos;		/* behind the present token */
	struct tsh_err *err;
	/* The present token: */
	enum query_token token;
	struct tsh_span span;
	enum tsh_query_op op;
	struct tsh_query_node value;	/* value of an OPERAND; the lexer owns text and cpus until they are taken */
};

/* Prepares a lexer, which borrows text and err. */
void query_lexer_init(struct query_lexer *lx, const char *text, size_t len, struct tsh_err *err);
void query_lexer_release(struct query_lexer *lx);
/* Reads the next token. wants_operand: a value may stand here, so that `~` and `-` belong to it,
 * and a digit may begin an address. Returns -1 with err when there is no token. */
int query_lexer_next(struct query_lexer *lx, bool wants_operand);

#endif
