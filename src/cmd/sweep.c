/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sweep.h"

#include <stdlib.h>
#include <string.h>

#include "tracesh/machine.h"
#include "tracesh/probe.h"
#include "tracesh/process.h"

/* Removes what sessions that are gone have left without a journal. */

/* Instances without a journal, where none could be written. */
static unsigned int sweep_instances(struct tsh_session *s)
{
	struct tsh_strlist names = { 0 };
	struct tsh_err ignored = { 0 };
	unsigned int swept = 0;
	size_t i;

	if (tsh_sees_all_processes())
		tsh_instance_list(s->dir, &names);
	for (i = 0; i < names.n; i++) {
		pid_t pid = tsh_instance_owner(names.v[i]);

		if (!pid || tsh_instance_is_held(s->dir, names.v[i]) || tsh_process_has_number(pid))
			continue;
		if (tsh_instance_delete(s->dir, names.v[i], &ignored) == 0) {
			tsh_out_note(s->out, "instance '%s' of a process that is gone is removed",
				     names.v[i]);
			swept++;
		}
		tsh_err_release(&ignored);
	}
	tsh_strlist_release(&names);
	return swept;
}

/* Looks whether a probe may be swept; one whose number lives is left without --all, and named: another
 * pid namespace has the same numbers. *named counts those. */
static bool may_sweep(struct tsh_session *s, const struct tsh_probe *probe, bool all,
		      unsigned int *named)
{
	if (!probe->owner || probe->is_ours)
		return false;
	if (tsh_probe_is_left(s->dir, probe->group, probe->owner))
		return true;
	if (!tsh_probe_is_nobodys(s->dir, probe->group))
		return false;
	if (!all) {
		tsh_out_note(s->out, "probe '%s:%s' seems to be left: no tracesh holds it, though a "
			     "process %d lives: tracesh recover --all removes it", probe->group,
			     probe->name, (int)probe->owner);
		++*named;
	}
	return all;
}

/* Probes without a journal. Gives how many it has removed or named. */
static unsigned int sweep_probes(struct tsh_session *s, bool all)
{
	struct tsh_probes probes = { 0 };
	unsigned int swept = 0, named = 0;
	size_t i;

	if (!s->dir->read_only)
		tsh_probes_read(s->dir, &probes);
	/* A later one may use an earlier one. */
	for (i = probes.n; i-- > 0;) {
		const struct tsh_probe *probe = &probes.v[i];

		if (!may_sweep(s, probe, all, &named) || tsh_probe_sweep(s->dir, probe) < 0)
			continue;
		tsh_out_note(s->out, "probe '%s:%s' of a process that is gone is removed",
			     probe->group, probe->name);
		swept++;
	}
	tsh_probes_release(&probes);
	return swept + named;
}

/* Name synthetic events without a journal. Whose triggers make them is not known, so they stay. Gives how many. */
static unsigned int name_synthetic(struct tsh_session *s)
{
	const struct tsh_instance top = { .dir = s->dir, .fd = s->dir->fd };
	char *text = tsh_file_text(&top, "synthetic_events"), *name, *group;
	struct tsh_strlist lines = { 0 };
	unsigned int named = 0;
	pid_t pid;
	size_t i;

	tsh_strlist_split_lines(&lines, text ? text : "");
	for (i = 0; i < lines.n; i++) {
		name = lines.v[i];
		name[strcspn(name, " \t;")] = '\0';
		pid = strncmp(name, "tracesh_", strlen("tracesh_")) ? 0 : tsh_probe_group_owner(name);
		group = tsh_xasprintf("synthetic/%s", name);
		if (pid && tsh_probe_is_left(s->dir, group, pid)) {
			tsh_out_note(s->out, "synthetic event '%s' of a process that is gone is left: "
				     "tracesh synth delete %s", name, name);
			named++;
		}
		free(group);
	}
	tsh_strlist_release(&lines);
	free(text);
	return named;
}

bool tsh_sweep(struct tsh_session *s, bool all)
{
	unsigned int instances = sweep_instances(s);

	return sweep_probes(s, all) + name_synthetic(s) + instances;
}
