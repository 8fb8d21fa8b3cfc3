/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "others.h"

#include <stdlib.h>
#include <string.h>

#include "base/machine.h"
#include "kernel/tracefs/probe-lines.h"

/* Finds instances and probes that no running session has in its journal: an ended session has left
 * them. */

bool tsh_instance_is_unused(struct tsh_dir *dir, const char *name)
{
	const struct tsh_others *others;
	size_t i;

	if (!tsh_instance_owner(name) || !tsh_is_initial_pid_namespace() || tsh_instance_is_held(dir, name))
		return false;
	others = tsh_others_read(dir, dir->journal);
	for (i = 0; i < others->n; i++)
		if (tsh_journal_makes_instance(others->v[i].journal, name) && tsh_other_is_alive(&others->v[i]))
			return false;
	return !tsh_journal_makes_instance(dir->journal, name);
}

bool tsh_journal_has_probe(const struct tsh_journal *j, const char *group)
{
	size_t i, len = strlen(group);
	bool stands = false;

	for (i = 0; !stands && i < j->entries.n; i++) {
		const char *text = j->entries.v[i].text;
		char *folder = text ? tsh_probe_folder(text) : NULL;
		const char *name = folder ? folder + strlen("events/") : "";

		stands = !strncmp(name, group, len) && name[len] == '/';
		free(folder);
	}
	return stands;
}

bool tsh_probe_is_unused(struct tsh_dir *dir, const char *group)
{
	const struct tsh_others *others;
	size_t i;

	if (!tsh_is_initial_pid_namespace() || tsh_probe_is_held(dir, group))
		return false;
	others = tsh_others_read(dir, dir->journal);
	for (i = 0; i < others->n; i++)
		if (tsh_journal_has_probe(others->v[i].journal, group) && tsh_other_is_alive(&others->v[i]))
			return false;
	return true;
}
