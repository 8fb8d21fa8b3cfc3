/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_EVENTS_PRINTFMT_PRINT_TREE_H
#define TRACESH_EVENTS_PRINTFMT_PRINT_TREE_H

#include "expr.h"

/*
 * Builds the trees of a print format. Every function types its node, and folds it when its operands
 * are constant. Code that C or tracesh does not allow sets tree->fault, and returns some node,
 * never NULL. Callers check the fault at their end.
 */
struct tree {
	struct tree_block *blocks;	/* all memory; becomes print_fmt.memory */
	size_t nodes;			/* number of nodes; shared ones count each time */
	unsigned int long_size;
	const char *at;			/* the text that is being read */
	const char *fault;		/* the first fault */
	const char *fault_at;
};

void tree_free(struct tree_block *blocks);
/* Returns zeroed memory. */
void *tree_alloc(struct tree *t, size_t size);
char *tree_strdup(struct tree *t, const char *text, size_t len);
/* Appends to an array of the tree; the array may move. */
void tree_push(struct tree *t, struct expr ***list, size_t *n, struct expr *e);
/* Sets the fault, unless there is one. */
void tree_fail(struct tree *t, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Make leaves. The texts are owned by the tree, or constant. */
struct expr *tree_number(struct tree *t, struct ctype type, uint64_t value);
struct expr *tree_int(struct tree *t, int value);
struct expr *tree_string(struct tree *t, char *text, size_t len);
struct expr *tree_name(struct tree *t, char *name, struct ctype type);
struct expr *tree_field(struct tree *t, const struct tsh_field *field);
struct expr *tree_table(struct tree *t, struct expr **arg, size_t nargs);
struct expr *tree_call(struct tree *t, char *name, struct ctype type,
		       const struct tsh_field *field, struct expr **arg, size_t nargs);

struct expr *tree_unary(struct tree *t, enum expr_op op, struct expr *a);
struct expr *tree_binary(struct tree *t, enum expr_op op, struct expr *a, struct expr *b);
struct expr *tree_cond(struct tree *t, struct expr *cond, struct expr *a, struct expr *b);
/* Makes a cast; one that changes nothing is the operand itself. */
struct expr *tree_cast(struct tree *t, struct ctype type, struct expr *a);
struct expr *tree_index(struct tree *t, struct expr *a, struct expr *i);
struct expr *tree_deref(struct tree *t, struct expr *a);
struct expr *tree_address(struct tree *t, struct expr *a);
/* Counts a tree that is used once more against the limit of nodes. */
struct expr *tree_share(struct tree *t, struct expr *e);

bool tree_is_null(const struct expr *e);
struct ctype tree_type_size_t(const struct tree *t);
/* Returns the type that a pointer points to; size 0 for void and structures. */
struct ctype tree_target(struct ctype pointer, unsigned int long_size);

#endif
