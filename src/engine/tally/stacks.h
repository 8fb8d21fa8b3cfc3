/* engine/tally/stacks.h - how often each stack was seen */
/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_ENGINE_TALLY_STACKS_H
#define TRACESH_ENGINE_TALLY_STACKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/strbuf.h"

/* Stacks of return addresses, the innermost frame first, each with how often it came. */
struct tsh_stacks;

/* Of at most `max` different ones each is counted; what comes then and is none of them is
 * counted as one sum. */
struct tsh_stacks *tsh_stacks_new(size_t max);
void tsh_stacks_free(struct tsh_stacks *stacks);
/* A stack of no frames is one, too. Of deeper ones than TSH_STACK_DEPTH the outermost frames are
 * left out. */
#define TSH_STACK_DEPTH 256
#define TSH_STACKS_OTHER SIZE_MAX
/* Its number, from 0 on in the order in which they came; TSH_STACKS_OTHER: there is no room. */
size_t tsh_stacks_add(struct tsh_stacks *stacks, const uint64_t *frames, size_t n);
/* The frames of a number, borrowed until the next is added. */
const uint64_t *tsh_stacks_frames(const struct tsh_stacks *stacks, size_t number, size_t *ret_n);
/* All that were added, and those of them that there was no room for. */
uint64_t tsh_stacks_total(const struct tsh_stacks *stacks);
uint64_t tsh_stacks_other(const struct tsh_stacks *stacks);

/*
 * The same as a tree by the names of the frames: stacks that differ in offsets only are one.
 * Nodes are numbered, 0 is the root, which has no frame; the children of a node lie side by
 * side, the most frequent first, of equal ones by name.
 */
struct tsh_stack_node {
	const char *name;		/* of the frame; NULL: the root */
	uint64_t count;			/* stacks that have this frame after those above it */
	uint64_t ends;			/* those of them that have no further one */
	size_t parent;
	size_t first, n;		/* its children are nodes first to first + n - 1 */
	unsigned int depth;		/* the root has 0 */
};

struct tsh_stack_tree {
	struct tsh_stack_node *nodes;
	size_t n;
	char **names;			/* owned, each once */
	size_t nnames;
};

/* Appends the name of an address. */
typedef void tsh_stack_name(void *ctx, uint64_t address, struct tsh_strbuf *out);
/* outermost_first: from where the kernel was entered; else from the innermost frame outwards.
 * The sum of those without room is not in it. */
void tsh_stacks_tree(const struct tsh_stacks *stacks, bool outermost_first, tsh_stack_name *name,
		     void *ctx, struct tsh_stack_tree *ret);
void tsh_stack_tree_release(struct tsh_stack_tree *tree);

#endif
