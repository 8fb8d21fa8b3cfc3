/* engine/tally/stacks.h - counts distinct call chains */
/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_ENGINE_TALLY_STACKS_H
#define TRACESH_ENGINE_TALLY_STACKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/strbuf.h"

/* Holds call chains (return addresses, innermost frame first) and a count of each. */
struct tsh_stacks;

/* Makes a table that counts at most `max` distinct call chains. Further ones are counted
 * together, as one sum. */
struct tsh_stacks *tsh_stacks_new(size_t max);
void tsh_stacks_free(struct tsh_stacks *stacks);
/* Limits the frames of a call chain; of a deeper one the outermost frames are cut. A call chain
 * can also have no frames. */
#define TSH_STACK_DEPTH 256
#define TSH_STACKS_OTHER SIZE_MAX
/* Adds a call chain. Returns its number, counted from 0 in the order of their first occurrence;
 * TSH_STACKS_OTHER: it is beyond `max`. */
size_t tsh_stacks_add(struct tsh_stacks *stacks, const uint64_t *frames, size_t n);
/* Returns the frames of a number, borrowed until the next call of tsh_stacks_add. */
const uint64_t *tsh_stacks_frames(const struct tsh_stacks *stacks, size_t number, size_t *ret_n);
/* Return how many call chains were added, and how many of them were beyond `max`. */
uint64_t tsh_stacks_total(const struct tsh_stacks *stacks);
uint64_t tsh_stacks_other(const struct tsh_stacks *stacks);

/*
 * Holds the same counts as a tree of names: addresses with the same name are one node. Node 0 is
 * the root, which has no frame. The children of a node are consecutive, the most frequent first,
 * equal ones by name.
 */
struct tsh_stack_node {
	const char *name;		/* function's name; NULL: root */
	uint64_t count;			/* call chains through this node */
	uint64_t ends;			/* call chains that end here */
	size_t parent;
	size_t first, n;		/* children are nodes first to first + n - 1 */
	unsigned int depth;		/* 0 for the root */
};

struct tsh_stack_tree {
	struct tsh_stack_node *nodes;
	size_t n;
	char **names;			/* owned; each name once */
	size_t nnames;
};

/* Appends the name of an address. */
typedef void tsh_stack_name(void *ctx, uint64_t address, struct tsh_strbuf *out);
/* Makes the tree. outermost_first: the root's children are the outermost frames; otherwise the
 * innermost. Does not contain call chains beyond `max`. */
void tsh_stacks_tree(const struct tsh_stacks *stacks, bool outermost_first, tsh_stack_name *name,
		     void *ctx, struct tsh_stack_tree *ret);
void tsh_stack_tree_release(struct tsh_stack_tree *tree);

#endif
