/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "stacks.h"

#include <stdlib.h>
#include <string.h>

#include "base/xmalloc.h"

struct stack {
	uint64_t count;
	uint64_t hash;
	size_t number;
	size_t n;
	uint64_t frames[];
};

/* Is an open hash table. Its size is a power of two, and at most half of it is used. */
struct tsh_stacks {
	struct stack **slots;
	size_t nslots;
	struct stack **numbered;	/* sorted by number; has half as many entries as slots */
	size_t n, max;
	uint64_t total, other;
};

#define SLOTS_MIN 64

struct tsh_stacks *tsh_stacks_new(size_t max)
{
	struct tsh_stacks *stacks = tsh_xcalloc(1, sizeof(*stacks));

	stacks->nslots = SLOTS_MIN;
	stacks->slots = tsh_xcalloc(stacks->nslots, sizeof(struct stack *));
	stacks->numbered = tsh_xcalloc(stacks->nslots / 2, sizeof(struct stack *));
	stacks->max = max;
	return stacks;
}

void tsh_stacks_free(struct tsh_stacks *stacks)
{
	size_t i;

	if (!stacks)
		return;
	for (i = 0; i < stacks->nslots; i++)
		free(stacks->slots[i]);
	free(stacks->slots);
	free(stacks->numbered);
	free(stacks);
}

/* Mixes a value into a hash. Addresses differ in all but their highest bits; the product moves
 * the differences up there. */
static uint64_t hash_step(uint64_t hash, uint64_t value)
{
	hash = (hash ^ value) * UINT64_C(0x9e3779b97f4a7c15);
	return hash ^ hash >> 32;
}

static bool is_stack(const struct stack *stack, uint64_t hash, const uint64_t *frames, size_t n)
{
	return stack->hash == hash && stack->n == n &&
	       !memcmp(stack->frames, frames, n * sizeof(*frames));
}

/* Returns the slot of a stack, or the free one for it. */
static struct stack **slot_of(const struct tsh_stacks *stacks, uint64_t hash,
			      const uint64_t *frames, size_t n)
{
	size_t mask = stacks->nslots - 1, i = hash & mask;

	while (stacks->slots[i] && !is_stack(stacks->slots[i], hash, frames, n))
		i = (i + 1) & mask;
	return &stacks->slots[i];
}

static void grow(struct tsh_stacks *stacks)
{
	struct stack **old = stacks->slots;
	size_t n = stacks->nslots, i;

	stacks->nslots *= 2;
	stacks->slots = tsh_xcalloc(stacks->nslots, sizeof(struct stack *));
	for (i = 0; i < n; i++)
		if (old[i])
			*slot_of(stacks, old[i]->hash, old[i]->frames, old[i]->n) = old[i];
	free(old);
	stacks->numbered = tsh_xreallocarray(stacks->numbered, stacks->nslots / 2,
					     sizeof(struct stack *));
}

size_t tsh_stacks_add(struct tsh_stacks *stacks, const uint64_t *frames, size_t n)
{
	struct stack **slot, *stack;
	uint64_t hash;
	size_t i;

	if (n > TSH_STACK_DEPTH)
		n = TSH_STACK_DEPTH;
	hash = n;
	for (i = 0; i < n; i++)
		hash = hash_step(hash, frames[i]);
	stacks->total++;
	slot = slot_of(stacks, hash, frames, n);
	if (*slot) {
		(*slot)->count++;
		return (*slot)->number;
	}
	if (stacks->n >= stacks->max) {
		stacks->other++;
		return TSH_STACKS_OTHER;
	}
	stack = tsh_xcalloc(1, sizeof(*stack) + n * sizeof(*frames));
	stack->count = 1;
	stack->hash = hash;
	stack->n = n;
	if (n)
		memcpy(stack->frames, frames, n * sizeof(*frames));
	*slot = stack;
	stack->number = stacks->n++;
	stacks->numbered[stack->number] = stack;
	/* keep the table half empty after one more stack */
	if ((stacks->n + 1) * 2 > stacks->nslots)
		grow(stacks);
	return stack->number;
}

const uint64_t *tsh_stacks_frames(const struct tsh_stacks *stacks, size_t number, size_t *ret_n)
{
	*ret_n = stacks->numbered[number]->n;
	return stacks->numbered[number]->frames;
}

uint64_t tsh_stacks_total(const struct tsh_stacks *stacks)
{
	return stacks->total;
}

uint64_t tsh_stacks_other(const struct tsh_stacks *stacks)
{
	return stacks->other;
}

/* ---- names: one for each address, equal ones stored once ---- */

struct named {
	uint64_t address;
	char *name;
};

struct names {
	struct named *v;		/* sorted by address */
	size_t n;
};

static int compare_addresses(const void *a, const void *b)
{
	uint64_t x = ((const struct named *)a)->address, y = ((const struct named *)b)->address;

	return x < y ? -1 : x > y;
}

static int compare_names(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static void collect_addresses(const struct tsh_stacks *stacks, struct names *ret)
{
	size_t i, j, n = 0, kept = 0;

	for (i = 0; i < stacks->nslots; i++)
		n += stacks->slots[i] ? stacks->slots[i]->n : 0;
	ret->v = tsh_xcalloc(n + 1, sizeof(*ret->v));
	for (i = 0; i < stacks->nslots; i++)
		for (j = 0; stacks->slots[i] && j < stacks->slots[i]->n; j++)
			ret->v[ret->n++].address = stacks->slots[i]->frames[j];
	qsort(ret->v, ret->n, sizeof(*ret->v), compare_addresses);
	for (i = 0; i < ret->n; i++)
		if (!i || ret->v[i].address != ret->v[kept - 1].address)
			ret->v[kept++] = ret->v[i];
	ret->n = kept;
}

/* Names all addresses. Moves the names to the tree, equal ones only once. */
static void name_addresses(struct names *names, tsh_stack_name *name, void *ctx,
			   struct tsh_stack_tree *tree)
{
	struct tsh_strbuf text = TSH_STRBUF_INIT;
	size_t i, kept = 0;

	tree->names = tsh_xcalloc(names->n + 1, sizeof(char *));
	for (i = 0; i < names->n; i++) {
		tsh_strbuf_clear(&text);
		name(ctx, names->v[i].address, &text);
		tree->names[i] = tsh_xstrdup(text.buf);
	}
	tsh_strbuf_release(&text);
	for (i = 0; i < names->n; i++)
		names->v[i].name = tree->names[i];
	qsort(tree->names, names->n, sizeof(char *), compare_names);
	for (i = 0; i < names->n; i++) {
		char **same = bsearch(&names->v[i].name, tree->names, names->n, sizeof(char *),
				      compare_names);

		/* the first of the equal names */
		while (same > tree->names && !strcmp(same[-1], *same))
			same--;
		names->v[i].name = *same;
	}
	for (i = 0; i < names->n; i++) {
		if (kept && !strcmp(tree->names[kept - 1], tree->names[i]))
			free(tree->names[i]);
		else
			tree->names[kept++] = tree->names[i];
	}
	tree->nnames = kept;
}

static const char *name_of(const struct names *names, uint64_t address)
{
	const struct named key = { .address = address };
	const struct named *found =
		bsearch(&key, names->v, names->n, sizeof(key), compare_addresses);

	return found->name;
}

/* ---- the tree ---- */

/* Holds nodes while stacks are added, in a hash table by parent and name. */
struct growing {
	struct tsh_stack_node *nodes;
	size_t n, cap;
	size_t *slots;			/* index of a node + 1; 0: free */
	size_t nslots;
};

static size_t *child_slot(const struct growing *g, size_t parent, const char *name)
{
	size_t mask = g->nslots - 1, i;

	i = hash_step(hash_step(parent, (uintptr_t)name), 0) & mask;
	while (g->slots[i] && (g->nodes[g->slots[i] - 1].parent != parent ||
			       g->nodes[g->slots[i] - 1].name != name))
		i = (i + 1) & mask;
	return &g->slots[i];
}

static void grow_tree(struct growing *g)
{
	size_t i;

	free(g->slots);
	g->nslots = g->nslots ? g->nslots * 2 : SLOTS_MIN;
	g->slots = tsh_xcalloc(g->nslots, sizeof(*g->slots));
	for (i = 1; i < g->n; i++)
		*child_slot(g, g->nodes[i].parent, g->nodes[i].name) = i + 1;
}

static size_t new_node(struct growing *g, size_t parent, const char *name)
{
	if (g->n == g->cap) {
		g->cap = g->cap ? g->cap * 2 : SLOTS_MIN;
		g->nodes = tsh_xreallocarray(g->nodes, g->cap, sizeof(*g->nodes));
	}
	g->nodes[g->n] = (struct tsh_stack_node){
		.name = name, .parent = parent, .depth = name ? g->nodes[parent].depth + 1 : 0,
	};
	return g->n++;
}

static size_t child(struct growing *g, size_t parent, const char *name)
{
	size_t *slot;

	if (g->n * 2 >= g->nslots)
		grow_tree(g);
	slot = child_slot(g, parent, name);
	if (!*slot)
		*slot = new_node(g, parent, name) + 1;
	return *slot - 1;
}

static void add_stack(struct growing *g, const struct stack *stack, const struct names *names,
		      bool outermost_first)
{
	size_t i, node = 0;

	g->nodes[0].count += stack->count;
	for (i = 0; i < stack->n; i++) {
		size_t at = outermost_first ? stack->n - 1 - i : i;

		node = child(g, node, name_of(names, stack->frames[at]));
		g->nodes[node].count += stack->count;
	}
	g->nodes[node].ends += stack->count;
}

/* Describes the new place of a node. */
struct place {
	const struct growing *g;
	size_t node;			/* index in `growing` */
	size_t parent;			/* index in the finished tree */
};

/* Orders nodes of the same depth by the new index of their parent, so that children of a parent
 * are neighbours. */
static int compare_places(const void *a, const void *b)
{
	const struct place *p = a, *q = b;
	const struct tsh_stack_node *x = &p->g->nodes[p->node], *y = &q->g->nodes[q->node];

	if (p->parent != q->parent)
		return p->parent < q->parent ? -1 : 1;
	if (x->count != y->count)
		return x->count > y->count ? -1 : 1;
	return strcmp(x->name ? x->name : "", y->name ? y->name : "");
}

/* Copies the nodes to the tree, one depth after the other, because their order depends on the
 * new indexes of their parents. */
static void sort_nodes(const struct growing *g, struct tsh_stack_tree *tree)
{
	struct place *level = tsh_xcalloc(g->n, sizeof(*level));
	size_t *now_at = tsh_xcalloc(g->n, sizeof(*now_at));
	size_t i, n;
	unsigned int depth;

	tree->nodes = tsh_xcalloc(g->n, sizeof(*tree->nodes));
	for (depth = 0; tree->n < g->n; depth++) {
		for (i = n = 0; i < g->n; i++)
			if (g->nodes[i].depth == depth)
				level[n++] = (struct place){
					.g = g, .node = i, .parent = now_at[g->nodes[i].parent],
				};
		qsort(level, n, sizeof(*level), compare_places);
		for (i = 0; i < n; i++) {
			struct tsh_stack_node *node = &tree->nodes[tree->n];

			*node = g->nodes[level[i].node];
			node->parent = level[i].parent;
			now_at[level[i].node] = tree->n;
			if (depth && !tree->nodes[node->parent].n++)
				tree->nodes[node->parent].first = tree->n;
			tree->n++;
		}
	}
	free(level);
	free(now_at);
}

void tsh_stacks_tree(const struct tsh_stacks *stacks, bool outermost_first, tsh_stack_name *name,
		     void *ctx, struct tsh_stack_tree *ret)
{
	struct growing g = { 0 };
	struct names names = { 0 };
	size_t i;

	memset(ret, 0, sizeof(*ret));
	collect_addresses(stacks, &names);
	name_addresses(&names, name, ctx, ret);
	new_node(&g, 0, NULL);
	for (i = 0; i < stacks->nslots; i++)
		if (stacks->slots[i])
			add_stack(&g, stacks->slots[i], &names, outermost_first);
	sort_nodes(&g, ret);
	free(names.v);
	free(g.nodes);
	free(g.slots);
}

void tsh_stack_tree_release(struct tsh_stack_tree *tree)
{
	size_t i;

	for (i = 0; i < tree->nnames; i++)
		free(tree->names[i]);
	free(tree->names);
	free(tree->nodes);
	memset(tree, 0, sizeof(*tree));
}
