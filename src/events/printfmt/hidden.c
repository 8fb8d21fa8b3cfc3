/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdlib.h>

#include "base/xmalloc.h"
#include "events/symbols/directive.h"

/*
 * Numbers pointers in the order of their appearance, in an open-addressed hash table that is at
 * most half full. When there are more pointers than LIMIT, empties the table and goes on with
 * higher numbers. So no number means two pointers, but an old pointer may get a second number.
 */

#define FIRST_SIZE	256u
#define LIMIT		65536u

struct hidden_slot {
	uint64_t pointer;		/* 0: the slot is free */
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

/* Returns the slot of a pointer, or the free slot where it belongs. */
static struct hidden_slot *find_slot(struct hidden_slot *slots, size_t size, uint64_t pointer)
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
				*find_slot(slots, size, hidden->slots[i].pointer) = hidden->slots[i];
	free(hidden->slots);
	hidden->slots = slots;
	hidden->size = size;
}

uint64_t hidden_pointers_number(struct hidden_pointers *hidden, uint64_t pointer)
{
	struct hidden_slot *slot;

	if (!pointer)
		return 0;
	slot = find_slot(hidden->slots, hidden->size, pointer);
	if (slot->pointer)
		return slot->number;
	if (2 * hidden->used >= hidden->size) {
		grow(hidden);
		slot = find_slot(hidden->slots, hidden->size, pointer);
	}
	hidden->used++;
	slot->pointer = pointer;
	slot->number = ++hidden->last;
	return slot->number;
}
