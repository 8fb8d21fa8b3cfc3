/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_QUERY_BIND_H
#define TRACESH_QUERY_BIND_H

#include "bound.h"

/* Between bind.c (what can be compared) and bind-truth.c (comparisons and logic). */

/* What a part of an expression is. */
enum operand_kind {
	OPERAND_UNKNOWN,		/* nobody knows: a field that the event lacks */
	OPERAND_NUMBER,
	OPERAND_TEXT,
	OPERAND_ADDRESS,		/* of the expression; .node has it */
	OPERAND_CPUS,			/* the same */
	OPERAND_WORD,			/* a name that only the other side can explain */
};

struct operand {
	enum operand_kind kind;
	const struct tsh_query_node *node;
	const struct tsh_field *field;	/* when it is nothing but that */
	struct query_type type;		/* of a NUMBER */
	bool is_literal;		/* a NUMBER of the expression */
	bool is_code;			/* FIELD.function */
	struct bound *bound;		/* of a NUMBER and a TEXT; owned */
};

struct bound *bound_new(enum bound_code code);
/* Takes over arg. */
void bound_add(struct bound *b, struct bound *arg);
/* Takes over a and, unless it is NULL, b. */
struct bound *bound_of(enum bound_code code, struct bound *a, struct bound *b);
struct bound *bound_constant(enum query_truth truth);
struct bound *bound_text(const char *text);
/* What a system call was given: only the kernel reads the program's memory, at that moment. */
bool query_is_user_string(const struct query_binding *to, const struct operand *o);
/* Makes of a field that is no string what the event's own text has for it, which a string can be
 * compared with: "8,0" of a device. What stands there as a bare number stays one. */
void query_bind_shown(const struct query_binding *to, struct operand *o);
/* Always -1, with the error. */
int query_refuse(const struct query_binding *to, struct tsh_span span, const char *message);

/* *ret is zeroed; -1 with err, and nothing to free. */
int query_bind_operand(const struct tsh_query_node *node, const struct query_binding *to,
		       struct operand *ret);
/* The same of one that must be a number; it may be unknown. */
int query_bind_numeric(const struct tsh_query_node *node, const struct query_binding *to,
		       struct operand *ret);
/* A number of the expression. */
void query_bind_number(uint64_t n, struct operand *ret);
/* A word that nothing explains is unknown, and is told. */
void query_forget_word(const struct query_binding *to, struct operand *o);

/* Whether a number counts the kernel's ticks: a moment less a moment is a span, and one with a
 * span a moment. */
enum tsh_query_jiffies query_jiffies_of(const struct bound *b,
					const struct tsh_event_format *format);
/* Whether a field can hold the address of a function. */
bool query_may_be_code(const struct tsh_field *field, const struct query_binding *to);
/* Whether it is VALUE & CPUS{LIST}, which is a truth. */
bool query_has_cpus(const struct tsh_query_node *node);
/* Whether it is a comparison or made of such. */
bool query_is_truth(const struct tsh_query_node *node);
/* As query_bind, of a part. */
struct bound *query_bind_truth(const struct tsh_query_node *node, const struct query_binding *to);

#endif
