/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_QUERY_BIND_H
#define TRACESH_QUERY_BIND_H

#include "bound.h"

/* Shared by bind.c (operands) and bind-truth.c (comparisons and logic). */

/* Says what a part of an expression is. */
enum operand_kind {
	OPERAND_UNKNOWN,		/* unknown: a field that the event lacks */
	OPERAND_NUMBER,
	OPERAND_TEXT,
	OPERAND_ADDRESS,	/* a network address that stands in the expression, in .node */
	OPERAND_CPUS,			/* CPUS{..} in the expression; .node has it */
	OPERAND_WORD,			/* a name whose meaning depends on the other side */
};

struct operand {
	enum operand_kind kind;
	const struct tsh_query_node *node;
	const struct tsh_field *field;	/* set when the operand is just this field */
	struct query_type type;		/* type of a NUMBER */
	bool is_literal;		/* a NUMBER that the expression has as a literal */
	bool is_code;			/* FIELD.function */
	struct bound *bound;		/* of a NUMBER and a TEXT; owned */
};

/* Makes a node. */
struct bound *bound_new(enum bound_code code);
/* Appends an argument, which b then owns. */
void bound_add(struct bound *b, struct bound *arg);
/* Makes a node of a and, unless it is NULL, b; takes over both. */
struct bound *bound_of(enum bound_code code, struct bound *a, struct bound *b);
/* Makes a node that has this truth for every record. */
struct bound *bound_constant(enum query_truth truth);
/* Makes a node for a text, which it copies. */
struct bound *bound_text(const char *text);
/* Says whether an operand is a string of a program's memory, such as an argument of a system
 * call. Only the kernel can read it, at that moment. */
bool query_is_user_string(const struct query_binding *to, const struct operand *o);
/*
 * Binds a field that is no string to the text that the event shows for it, such as "8,0" for a
 * device, so that it can be compared with a string. A field that is shown as a plain number stays a
 * number.
 */
void query_bind_shown(const struct query_binding *to, struct operand *o);
/* Sets an error about a span of the expression; always returns -1. */
int query_refuse(const struct query_binding *to, struct tsh_span span, const char *message);

/* Binds an operand; *ret must be zeroed. Returns -1 with err, and then leaves nothing to free. */
int query_bind_operand(const struct tsh_query_node *node, const struct query_binding *to,
		       struct operand *ret);
/* Does the same for an operand that must be a number; it may be unknown. */
int query_bind_numeric(const struct tsh_query_node *node, const struct query_binding *to,
		       struct operand *ret);
/* Makes a literal number. */
void query_bind_number(uint64_t n, struct operand *ret);
/* Notes a word that has no meaning in this event: it becomes unknown, and is added to the
 * unknown names. */
void query_note_unknown_word(const struct query_binding *to, struct operand *o);

/* Says whether a number counts the kernel's ticks. A moment minus a moment is a span; a moment
 * plus or minus a span is a moment. */
enum tsh_query_jiffies query_jiffies_of(const struct bound *b,
					const struct tsh_event_format *format);
/* Says whether a field can hold the address of a function. */
bool query_may_be_code(const struct tsh_field *field, const struct query_binding *to);
/* Says whether an expression is VALUE & CPUS{LIST}, which has a truth. */
bool query_has_cpus(const struct tsh_query_node *node);
/* Says whether an expression is a comparison, or made of comparisons. */
bool query_is_truth(const struct tsh_query_node *node);
/* Binds a part of an expression as query_bind does. */
struct bound *query_bind_truth(const struct tsh_query_node *node, const struct query_binding *to);

#endif
