/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdlib.h>

#include "base/xmalloc.h"
#include "events/symbols/directive.h"

/*
 * Numbers of pointers in the order of their appearance: an open hash table without
 * removal, at most half full. A stream with more pointers than LIMIT begins anew with
 * higher numbers: a number never stands for two pointers, an old pointer may get a second.
 */

#define FIRST_SIZE	256u
#define LIMIT		65536u

struct hidden_slot {
	uint64_t pointer;		/* 0: free */
	uint64_t number;
};

struct hidden_pointers {
	struct hidden_slot *slots;
	size_t size;			/* a power of two */
	size_t used;
	uint64_t last;
};

struct hidden_pointers *hidden_pointers_new(void)
{
	struct hidden_pointers *hidden = tsh_xcalloc(1, sizeof(*hidden));

	hidden->size = FIRST_SIZE;
	hidden->slots = tsh_xcalloc(hidden->size, sizeof(*hidden->slots));
	return hidden;
}

void hidden_pointers_free(struct hidden_pointers *hidden)
{
	if (!hidden)
		return;
	free(hidden->slots);
	free(hidden);
}

/* Where a pointer is, or would be. */
static struct hidden_slot *find(struct hidden_slot *slots, size_t size, uint64_t pointer)
{
	size_t i = (size_t)((pointer * UINT64_C(0x9e3779b97f4a7c15)) >> 32) & (size - 1);

	while (slots[i].pointer && slots[i].pointer != pointer)
		i = (i + 1) & (size - 1);
	return &slots[i];
}

static void grow(struct hidden_pointers *hidden)
{
	size_t i, size = hidden->used < LIMIT ? 2 * hidden->size : FIRST_SIZE;
	struct hidden_slot *slots = tsh_xcalloc(size, sizeof(*slots));

	if (size == FIRST_SIZE)
		hidden->used = 0;
	else
		for (i = 0; i < hidden->size; i++)
			if (hidden->slots[i].pointer)
				*find(slots, size, hidden->slots[i].pointer) = hidden->slots[i];
	free(hidden->slots);
	hidden->slots = slots;
	hidden->size = size;
}

uint64_t hidden_pointers_number(struct hidden_pointers *hidden, uint64_t pointer)
{
	struct hidden_slot *slot;

	if (!pointer)
		return 0;
	slot = find(hidden->slots, hidden->size, pointer);
	if (slot->pointer)
		return slot->number;
	if (2 * hidden->used >= hidden->size) {
		grow(hidden);
		slot = find(hidden->slots, hidden->size, pointer);
	}
	hidden->used++;
	slot->pointer = pointer;
	slot->number = ++hidden->last;
	return slot->number;
}
