/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/xmalloc.h"
#include "print-tree.h"

#define NODES_MAX	100000
#define DEPTH_MAX	400		/* limit of a tree's depth, because walks are recursive */
#define BLOCK_SIZE	4096

/* ---- memory ---- */

struct tree_block {
	struct tree_block *next;
	size_t used;
	size_t size;
	_Alignas(max_align_t) char data[];
};

void tree_free(struct tree_block *blocks)
{
	struct tree_block *next;

	for (; blocks; blocks = next) {
		next = blocks->next;
		free(blocks);
	}
}

void *tree_alloc(struct tree *t, size_t size)
{
	struct tree_block *block = t->blocks;
	size_t block_size;
	void *p;

	size = (size + _Alignof(max_align_t) - 1) & ~(_Alignof(max_align_t) - 1);
	if (!block || block->size - block->used < size) {
		block_size = size > BLOCK_SIZE ? size : BLOCK_SIZE;
		block = tsh_xcalloc(1, sizeof(*block) + block_size);
		block->size = block_size;
		block->next = t->blocks;
		t->blocks = block;
	}
	p = block->data + block->used;
	block->used += size;
	return p;
}

char *tree_strdup(struct tree *t, const char *text, size_t len)
{
	char *copy = tree_alloc(t, len + 1);

	memcpy(copy, text, len);
	return copy;
}

/* Grows the array to powers of two, at least 4. */
void tree_push(struct tree *t, struct expr ***list, size_t *n, struct expr *e)
{
	struct expr **bigger;

	if (!*n || (*n >= 4 && !(*n & (*n - 1)))) {
		bigger = tree_alloc(t, (*n ? 2 * *n : 4) * sizeof(e));
		if (*n)
			memcpy(bigger, *list, *n * sizeof(e));
		*list = bigger;
	}
	(*list)[(*n)++] = e;
}

void tree_fail(struct tree *t, const char *fmt, ...)
{
	char text[160];
	va_list ap;

	if (t->fault)
		return;
	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	t->fault = tree_strdup(t, text, strlen(text));
	t->fault_at = t->at;
}

/* ---- nodes ---- */

/* Holds a node, with the number of nodes in its subtree (shared ones count each time) and its
 * depth. */
struct node {
	struct expr expr;
	unsigned int weight;
	unsigned int depth;
};

static const struct node *node_of(const struct expr *e)
{
	return (const struct node *)(const void *)e;
}

static void count_nodes(struct tree *t, size_t more)
{
	t->nodes += more;
	if (t->nodes > NODES_MAX)
		tree_fail(t, "too many expressions");
}

static struct expr *new_node(struct tree *t, enum expr_kind kind, struct ctype type,
			     struct expr **arg, size_t nargs)
{
	struct node *node = tree_alloc(t, sizeof(*node));
	size_t i;

	node->expr = (struct expr){ .kind = kind, .type = type, .arg = arg, .nargs = nargs };
	node->weight = 1;
	for (i = 0; i < nargs; i++) {
		const struct node *sub = node_of(arg[i]);

		node->weight += sub->weight;
		if (sub->depth >= node->depth)
			node->depth = sub->depth + 1;
	}
	/* drops the children of a node that is too deep or too large; the tree is bad anyway */
	if (node->depth > DEPTH_MAX || node->weight > NODES_MAX) {
		tree_fail(t, "an expression too deep");
		node->weight = node->depth = 1;
		node->expr.nargs = 0;
	}
	count_nodes(t, 1);
	return &node->expr;
}

static struct expr *new_operation(struct tree *t, enum expr_kind kind, enum expr_op op,
				  struct ctype type, struct expr *a, struct expr *b)
{
	struct expr **arg = tree_alloc(t, 2 * sizeof(*arg));
	struct expr *e;

	arg[0] = a;
	arg[1] = b;
	e = new_node(t, kind, type, arg, b ? 2 : 1);
	e->op = op;
	return e;
}

struct expr *tree_share(struct tree *t, struct expr *e)
{
	count_nodes(t, node_of(e)->weight);
	return e;
}

struct expr *tree_number(struct tree *t, struct ctype type, uint64_t value)
{
	struct expr *e = new_node(t, EXPR_NUMBER, type, NULL, 0);

	e->number = ctype_wrap(type, value);
	return e;
}

static const struct ctype int_type = { .size = 4, .is_signed = true };

struct expr *tree_int(struct tree *t, int value)
{
	return tree_number(t, int_type, (uint64_t)(int64_t)value);
}

static struct ctype char_pointer(const struct tree *t)
{
	return (struct ctype){ .size = (uint8_t)t->long_size, .stars = 1, .target_size = 1,
			       .target_is_char = true };
}

struct expr *tree_string(struct tree *t, char *text, size_t len)
{
	struct expr *e = new_node(t, EXPR_STRING, char_pointer(t), NULL, 0);

	e->text = text;
	e->len = len;
	return e;
}

struct expr *tree_name(struct tree *t, char *name, struct ctype type)
{
	struct expr *e = new_node(t, EXPR_NAME, type, NULL, 0);

	e->text = name;
	e->len = strlen(name);
	return e;
}

struct expr *tree_field(struct tree *t, const struct tsh_field *field)
{
	struct expr *e = new_node(t, EXPR_FIELD, ctype_of_field(field, t->long_size), NULL, 0);

	e->field = field;
	return e;
}

struct expr *tree_table(struct tree *t, struct expr **arg, size_t nargs)
{
	return new_node(t, EXPR_TABLE, (struct ctype){ 0 }, arg, nargs);
}

struct expr *tree_call(struct tree *t, char *name, struct ctype type,
		       const struct tsh_field *field, struct expr **arg, size_t nargs)
{
	struct expr *e = new_node(t, EXPR_CALL, type, arg, nargs);

	e->text = name;
	e->len = strlen(name);
	e->field = field;
	return e;
}

/* ---- types ---- */

bool tree_is_null(const struct expr *e)
{
	return e->kind == EXPR_NUMBER && !e->number &&
	       (!e->type.stars || (e->type.stars == 1 && !e->type.target_size &&
				   !e->type.target_is_struct));
}

struct ctype tree_type_size_t(const struct tree *t)
{
	return (struct ctype){ .size = (uint8_t)t->long_size };
}

struct ctype tree_target(struct ctype pointer, unsigned int long_size)
{
	struct ctype type = { 0 };

	if (pointer.stars > 1) {
		type = pointer;
		type.stars--;
		type.size = (uint8_t)long_size;
	} else if (pointer.target_is_struct) {
		type.target_size = pointer.target_size;
		type.target_is_struct = true;
	} else {
		type.size = pointer.target_size;
		type.is_signed = pointer.target_signed;
	}
	return type;
}

static bool is_number(const struct expr *e)
{
	return e->kind == EXPR_NUMBER;
}

/* Checks for a void, the result of a cast to it or of *(void *). The result of an unknown function
 * has no size either, but is accepted. */
static bool has_value(struct tree *t, const struct expr *e)
{
	if (e->type.size || (e->kind != EXPR_TABLE && e->kind != EXPR_CAST &&
			     e->kind != EXPR_DEREF))
		return true;
	tree_fail(t, "an expression without a value");
	return false;
}

/* ---- casts ---- */

static bool same_type(struct ctype a, struct ctype b)
{
	return a.size == b.size && a.is_signed == b.is_signed && a.is_bool == b.is_bool &&
	       a.stars == b.stars && a.target_size == b.target_size &&
	       a.target_signed == b.target_signed && a.target_is_char == b.target_is_char &&
	       a.target_is_struct == b.target_is_struct;
}

struct expr *tree_cast(struct tree *t, struct ctype type, struct expr *a)
{
	if (!type.size)			/* (void)x */
		return new_operation(t, EXPR_CAST, EXPR_ADD, type, a, NULL);
	if (!has_value(t, a))
		return a;
	/* of several casts between pointers only the last counts */
	while (type.stars && a->kind == EXPR_CAST && a->type.stars && a->arg[0]->type.stars)
		a = a->arg[0];
	if (same_type(type, a->type))
		return a;
	if (is_number(a))
		return tree_number(t, type, a->number);
	return new_operation(t, EXPR_CAST, EXPR_ADD, type, a, NULL);
}

/* ---- operators ---- */

static bool is_comparison(enum expr_op op)
{
	return op >= EXPR_EQ && op <= EXPR_GE;
}

static bool is_logical(enum expr_op op)
{
	return op == EXPR_LOGICAL_AND || op == EXPR_LOGICAL_OR;
}

struct expr *tree_unary(struct tree *t, enum expr_op op, struct expr *a)
{
	struct ctype type = op == EXPR_NOT ? int_type : ctype_promote(a->type);
	uint64_t r;

	if (!has_value(t, a))
		return a;
	if (!type.size)
		type = int_type;
	if (op != EXPR_NOT && type.stars) {
		tree_fail(t, "a sign before a pointer");
		return a;
	}
	if (op == EXPR_NOT && a->kind == EXPR_STRING)
		return tree_int(t, 0);
	if (is_number(a) && ctype_apply(op, type, a->number, 0, &r))
		return tree_number(t, type, r);
	return new_operation(t, EXPR_UNARY, op, type, a, NULL);
}

/* Returns the bytes of one step of a pointer; 0 and a fault when they are not known. */
static uint64_t step_of(struct tree *t, struct ctype pointer)
{
	if (pointer.stars > 1)
		return t->long_size;
	if (pointer.target_size)
		return pointer.target_size;
	if (pointer.target_is_struct) {
		tree_fail(t, "a structure whose size is not known");
		return 0;
	}
	return 1;
}

/* Builds pointer + number, number + pointer, pointer - number, pointer - pointer. */
static struct expr *pointer_arithmetic(struct tree *t, enum expr_op op, struct expr *a,
				       struct expr *b)
{
	struct ctype type = a->type.stars ? a->type : b->type;
	bool is_difference = a->type.stars && b->type.stars;
	uint64_t step = step_of(t, type), r;

	if ((is_difference || !a->type.stars) && op != (is_difference ? EXPR_SUB : EXPR_ADD))
		tree_fail(t, "arithmetic with pointers");
	if (is_difference)
		type = (struct ctype){ .size = (uint8_t)t->long_size, .is_signed = true };
	if (!is_number(a) || !is_number(b) || !step)
		return new_operation(t, EXPR_BINARY, op, type, a, b);
	if (is_difference)
		r = (uint64_t)((int64_t)(a->number - b->number) / (int64_t)step);
	else if (a->type.stars)
		r = op == EXPR_ADD ? a->number + b->number * step : a->number - b->number * step;
	else
		r = b->number + a->number * step;
	return tree_number(t, type, r);
}

/* Folds `0 && x` and `1 || x`. Returns NULL when a alone does not decide. */
static struct expr *fold_logical(struct tree *t, enum expr_op op, struct expr *a)
{
	bool value = is_number(a) && a->number;

	if (a->kind == EXPR_STRING)
		value = true;
	else if (!is_number(a))
		return NULL;
	return value == (op == EXPR_LOGICAL_OR) ? tree_int(t, value) : NULL;
}

/* Folds an operation on two numbers, computed in `common`. Returns NULL for a division by zero. */
static struct expr *fold_numbers(struct tree *t, enum expr_op op, struct ctype common,
				 struct ctype type, uint64_t a, uint64_t b)
{
	uint64_t r;

	a = ctype_wrap(common, a);
	if (op != EXPR_SHL && op != EXPR_SHR)
		b = ctype_wrap(common, b);
	return ctype_apply(op, common, a, b, &r) ? tree_number(t, type, r) : NULL;
}

struct expr *tree_binary(struct tree *t, enum expr_op op, struct expr *a, struct expr *b)
{
	bool has_pointer = a->type.stars || b->type.stars;
	struct ctype common, type;
	struct expr *folded = NULL;

	if (!has_value(t, a) || !has_value(t, b))
		return a;
	if (is_logical(op) && (folded = fold_logical(t, op, a)))
		return folded;
	if (has_pointer && (op == EXPR_ADD || op == EXPR_SUB))
		return pointer_arithmetic(t, op, a, b);
	if (has_pointer && !is_comparison(op) && !is_logical(op)) {
		tree_fail(t, "arithmetic with pointers");
		return a;
	}
	if (op == EXPR_SHL || op == EXPR_SHR)
		common = ctype_promote(a->type);
	else
		common = ctype_common(a->type, b->type, t->long_size);
	if (!common.size)
		common = int_type;
	type = is_comparison(op) || is_logical(op) ? int_type : common;
	if (is_number(a) && is_number(b)) {
		if (is_logical(op))
			return tree_int(t, op == EXPR_LOGICAL_AND ? a->number && b->number :
						a->number || b->number);
		folded = fold_numbers(t, op, common, type, a->number, b->number);
	}
	return folded ? folded : new_operation(t, EXPR_BINARY, op, type, a, b);
}

/* Returns the type of `x ? a : b` (C11 6.5.15). */
static struct ctype cond_type(const struct tree *t, const struct expr *a, const struct expr *b)
{
	if (!a->type.stars && !b->type.stars)
		return ctype_common(a->type, b->type, t->long_size);
	if (tree_is_null(a) || !a->type.stars)
		return b->type.stars ? b->type : a->type;
	if (tree_is_null(b) || !b->type.stars)
		return a->type;
	return a->type.stars == 1 && !a->type.target_size && !a->type.target_is_struct ?
		a->type : b->type;
}

struct expr *tree_cond(struct tree *t, struct expr *cond, struct expr *a, struct expr *b)
{
	struct ctype type = cond_type(t, a, b);
	struct expr **arg;

	if (!has_value(t, cond) || !has_value(t, a) || !has_value(t, b))
		return a;
	if (is_number(cond))
		return tree_cast(t, type, cond->number ? a : b);
	if (cond->kind == EXPR_STRING)
		return tree_cast(t, type, a);
	arg = tree_alloc(t, 3 * sizeof(*arg));
	arg[0] = cond;
	arg[1] = a;
	arg[2] = b;
	return new_node(t, EXPR_COND, type, arg, 3);
}

/* ---- memory ---- */

struct expr *tree_index(struct tree *t, struct expr *a, struct expr *i)
{
	struct ctype type = tree_target(a->type, t->long_size);

	if (!a->type.stars || i->type.stars || !type.size || !has_value(t, i)) {
		tree_fail(t, "an index into a value that is not an array");
		return a;
	}
	return new_operation(t, EXPR_INDEX, EXPR_ADD, type, a, i);
}

struct expr *tree_deref(struct tree *t, struct expr *a)
{
	if (!a->type.stars) {
		tree_fail(t, "a '*' before a value that is not a pointer");
		return a;
	}
	if (a->kind == EXPR_ADDRESS)
		return a->arg[0];
	return new_operation(t, EXPR_DEREF, EXPR_ADD, tree_target(a->type, t->long_size), a, NULL);
}

struct expr *tree_address(struct tree *t, struct expr *a)
{
	struct ctype type = { .size = (uint8_t)t->long_size, .stars = 1 };

	if (a->kind == EXPR_DEREF)
		return a->arg[0];
	if (a->kind != EXPR_FIELD && a->kind != EXPR_INDEX) {
		tree_fail(t, "the address of a value that is not a field");
		return a;
	}
	if (a->kind == EXPR_FIELD && a->field->kind != TSH_FIELD_INT &&
	    a->field->kind != TSH_FIELD_POINTER) {
		type = a->type;
	} else if (a->type.stars) {
		type = a->type;
		type.stars++;
		type.size = (uint8_t)t->long_size;
		type.target_is_char = false;
	} else {
		type.target_size = a->type.size;
		type.target_signed = a->type.is_signed;
	}
	return new_operation(t, EXPR_ADDRESS, EXPR_ADD, type, a, NULL);
}
