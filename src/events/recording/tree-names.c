/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tree.h"

#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "base/xmalloc.h"
#include "events/symbols/saved-comms.h"

/* Collects the newest name of each task: saved_cmdlines only has the last 128 tasks, so a long
 * recording reads it again and again. */

#define SLOTS (1u << 16)
#define NAMES_MAX (SLOTS / 2)

struct tsh_tree_names {
	/* pid 0: a free slot; empty comm: two uncertain names differ */
	struct tsh_saved_comm *slots;
	size_t n;
};

struct tsh_tree_names *tsh_tree_names_new(void)
{
	struct tsh_tree_names *names = tsh_xcalloc(1, sizeof(*names));

	names->slots = tsh_xcalloc(SLOTS, sizeof(*names->slots));
	return names;
}

void tsh_tree_names_free(struct tsh_tree_names *names)
{
	if (!names)
		return;
	free(names->slots);
	free(names);
}

static void add(struct tsh_tree_names *names, const struct tsh_saved_comm *comm)
{
	size_t i = (uint32_t)comm->pid * 0x9e3779b1u >> 16;
	struct tsh_saved_comm *slot;

	while (names->slots[i].pid && names->slots[i].pid != comm->pid)
		i = (i + 1) % SLOTS;
	slot = &names->slots[i];
	if (!slot->pid) {
		if (names->n++ < NAMES_MAX)
			*slot = *comm;
	} else if (!comm->doubtful) {
		*slot = *comm;
	} else if (slot->doubtful && strcmp(slot->comm, comm->comm) != 0) {
		/* One of the two names may be the second line of another task's name. */
		memset(slot->comm, 0, sizeof(slot->comm));
	}
}

void tsh_tree_names_read(struct tsh_tree_names *names, const struct tsh_instance *top)
{
	char *text = tsh_file_text(top, "saved_cmdlines");
	struct tsh_saved_comms comms = { 0 };
	size_t i;

	if (text)
		tsh_saved_comms_parse(&comms, text);
	for (i = 0; i < comms.n; i++)
		add(names, &comms.v[i]);
	tsh_vec_release(&comms);
	free(text);
}

void tsh_tree_names_text(const struct tsh_tree_names *names, struct tsh_strbuf *out)
{
	size_t i;

	for (i = 0; i < SLOTS; i++)
		if (names->slots[i].pid && *names->slots[i].comm)
			tsh_saved_comms_write(out, names->slots[i].pid, names->slots[i].comm);
}
