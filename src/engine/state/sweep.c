/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sweep.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "kernel/journal/others.h"
#include "kernel/tracefs/lines.h"
#include "kernel/tracefs/probe.h"
#include "session/util.h"

enum kind { INSTANCE, PROBE, SYNTHETIC };

struct left {
	enum kind kind;
	char *name;			/* "GROUP:NAME" for a probe */
	char *group;			/* folder of the events of a probe or synthetic event */
	const char *file;		/* file of tracefs that lists the probe */
	pid_t owner;			/* process, by the number in `name` */
	/* Says that a process of that number lives, but is no tracesh that holds this. */
	bool lives;
};
struct lefts { struct left *v; size_t n, cap; };

/* ---- finding ---- */

/* Says whether an instance, probe or event is left, and sets .lives. (A process of another pid
 * namespace may have the same number.) */
static bool is_left(struct tsh_session *s, struct left *left)
{
	if (left->kind == INSTANCE)
		left->lives = !tsh_instance_is_abandoned(s->dir, left->name);
	else
		left->lives = !tsh_probe_is_abandoned(s->dir, left->group, left->owner);
	if (!left->lives)
		return true;
	/* Leaves synthetic events alone, because it is not known which triggers make them. */
	return left->kind == INSTANCE ? tsh_instance_is_unused(s->dir, left->name) :
	       left->kind == PROBE && tsh_probe_is_unused(s->dir, left->group);
}

struct search {
	struct tsh_session *s;
	const struct tsh_orphans *orphans;
	uint64_t pid;
	struct lefts *ret;
};

static bool is_in_journal(const struct tsh_orphans *orphans, const struct left *left)
{
	size_t i;

	for (i = 0; orphans && i < orphans->n; i++)
		if (left->group ? tsh_journal_has_probe(orphans->v[i].journal, left->group) :
				  tsh_journal_makes_instance(orphans->v[i].journal, left->name))
			return true;
	return false;
}

/* Adds something that is left. Takes over the name and the group. */
static void add_if_left(struct search *search, struct left left)
{
	if (left.owner && (!search->pid || (uint64_t)left.owner == search->pid) &&
	    !is_in_journal(search->orphans, &left) && is_left(search->s, &left)) {
		*(struct left *)tsh_vec_push(search->ret) = left;
		return;
	}
	free(left.name);
	free(left.group);
}

static void find_instances(struct search *search)
{
	struct tsh_strlist names = { 0 };
	size_t i;

	tsh_instance_list(search->s->dir, &names);
	for (i = 0; i < names.n; i++)
		add_if_left(search, (struct left){ .kind = INSTANCE, .name = tsh_xstrdup(names.v[i]),
						    .owner = tsh_instance_owner(names.v[i]) });
	tsh_strlist_release(&names);
}

static void find_probes(struct search *search)
{
	struct tsh_probes probes = { 0 };
	size_t i;

	tsh_probes_read(search->s->dir, &probes);
	/* Goes backwards, because a later probe may use an earlier one. */
	for (i = probes.n; i-- > 0;) {
		const struct tsh_probe *probe = &probes.v[i];

		if (!probe->is_ours)
			add_if_left(search, (struct left){
				.kind = PROBE, .group = tsh_xstrdup(probe->group), .file = probe->file,
				.name = tsh_xasprintf("%s:%s", probe->group, probe->name), .owner = probe->owner });
	}
	tsh_probes_release(&probes);
}

static void find_synthetic(struct search *search)
{
	const struct tsh_instance top = tsh_top(search->s->dir);
	char *name;
	struct tsh_strlist lines = { 0 };
	size_t i;

	tsh_file_lines(&top, "synthetic_events", &lines);
	for (i = 0; i < lines.n; i++) {
		name = lines.v[i];
		name[strcspn(name, " \t;")] = '\0';
		if (!strncmp(name, "tracesh_", strlen("tracesh_")))
			add_if_left(search, (struct left){
				.kind = SYNTHETIC, .group = tsh_xasprintf("synthetic/%s", name),
				.name = tsh_xstrdup(name), .owner = tsh_probe_group_owner(name) });
	}
	tsh_strlist_release(&lines);
}

static void release_one(struct left *left)
{
	free(left->name);
	free(left->group);
}

static void release(struct lefts *lefts)
{
	size_t i;

	for (i = 0; i < lefts->n; i++)
		release_one(&lefts->v[i]);
	tsh_vec_release(lefts);
}

/* Sets the time before a second check. A session holds its instance only a moment after creating
 * it, and no longer while the kernel removes the instance (20 to 50 ms). */
#define LOOK_AGAIN_MS 300

/* Checks instances again, and drops those that only seemed to be left. */
static void check_again(struct tsh_session *s, struct lefts *lefts)
{
	size_t i, n = lefts->n;
	bool waited = false;

	for (i = lefts->n = 0; i < n; i++) {
		struct left left = lefts->v[i];

		if (left.kind == INSTANCE && left.lives) {
			if (!waited)
				tsh_wait(s->waiter, NULL, 0, LOOK_AGAIN_MS);
			waited = true;
			if (!tsh_instance_exists(s->dir, left.name) || !is_left(s, &left)) {
				release_one(&left);
				continue;
			}
		}
		lefts->v[lefts->n++] = left;
	}
}

/* Finds what a process (0: any) has left, except what is in the journals of the orphans (may be
 * NULL). */
static void find(struct tsh_session *s, const struct tsh_orphans *orphans, uint64_t pid, struct lefts *ret)
{
	struct search search = { s, orphans, pid, ret };

	find_instances(&search);
	find_probes(&search);
	find_synthetic(&search);
	check_again(s, ret);
}

bool tsh_sweep_has_left(struct tsh_session *s, uint64_t pid)
{
	struct lefts lefts = { 0 };
	bool any;

	find(s, NULL, pid, &lefts);
	any = lefts.n;
	release(&lefts);
	return any;
}

/* Returns "instance 'NAME'", which the caller frees. */
static char *label_of(const struct left *left)
{
	static const char *const kinds[] = {
		[INSTANCE] = "instance", [PROBE] = "probe", [SYNTHETIC] = "synthetic event",
	};

	return tsh_xasprintf("%s '%s'", kinds[left->kind], left->name);
}

static void list_one(const struct left *left, struct tsh_table *table)
{
	char *label = label_of(left), *does;

	does = left->kind == SYNTHETIC ? tsh_xasprintf("leaves it: tracesh synth delete %s", left->name) :
	       tsh_xstrdup(left->lives ? "removes it with --all" : "removes it");
	tsh_table_row(table);
	tsh_table_number(table, (uint64_t)left->owner);
	tsh_table_text(table, NULL);
	tsh_table_number(table, 0);
	tsh_table_number(table, left->kind != INSTANCE);
	tsh_table_number(table, left->kind == INSTANCE);
	tsh_table_number(table, 0);
	tsh_table_text(table, label);
	tsh_table_text(table, does);
	free(does);
	free(label);
}

void tsh_sweep_add_rows(struct tsh_session *s, const struct tsh_orphans *orphans, struct tsh_table *table)
{
	struct lefts lefts = { 0 };
	size_t i;

	find(s, orphans, 0, &lefts);
	for (i = 0; i < lefts.n; i++)
		list_one(&lefts.v[i], table);
	release(&lefts);
}

/* ---- removing ---- */

static int remove_left(struct tsh_session *s, const struct left *left, struct tsh_err *err)
{
	struct tsh_probe probe = { .group = left->group, .file = left->file };
	int r;

	if (left->kind == INSTANCE)
		return tsh_instance_sweep(s->dir, left->name, err);
	probe.name = left->name + strlen(left->group) + 1;
	r = tsh_probe_sweep(s->dir, &probe);
	return r < 0 ? tsh_err_errno(err, -r, "it cannot be removed") : 0;
}

/* Says, after a failed removal, whether there still is something: another recover may have removed
 * it. */
static bool is_there(struct tsh_session *s, const struct left *left, const struct tsh_err *err)
{
	return left->kind == INSTANCE ? tsh_instance_exists(s->dir, left->name) : err->number != ENOENT;
}

static void sweep_one(struct tsh_session *s, struct left *left, bool all)
{
	char *label = label_of(left);
	struct tsh_err err = { 0 };

	if (left->kind == SYNTHETIC)
		tsh_out_note(s->out, "%s of a process that is gone is left: tracesh synth delete %s", label, left->name);
	else if (left->lives && !all)
		tsh_out_note(s->out, "%s seems to be left: no tracesh uses it, but there is a process %d; tracesh "
			     "recover --all removes it", label, (int)left->owner);
	else if (!is_left(s, left) || (left->lives && !all))
		tsh_out_note(s->out, "%s is in use by now, and stays", label);
	else if (remove_left(s, left, &err) < 0 && !is_there(s, left, &err))
		tsh_out_note(s->out, "%s is gone already", label);
	else if (err.message)
		tsh_out_warn(s->out, "%s is left: %s%s%s", label, err.message, err.hint ? ": " : "", err.hint ? err.hint : "");
	else
		tsh_out_note(s->out, "%s %s is removed", label, left->lives ? "that no tracesh holds" :
			     "of a process that is gone");
	tsh_err_release(&err);
	free(label);
}

bool tsh_sweep(struct tsh_session *s, bool all, uint64_t pid)
{
	struct lefts lefts = { 0 };
	bool any;
	size_t i;

	find(s, NULL, pid, &lefts);
	for (i = 0; i < lefts.n; i++)
		sweep_one(s, &lefts.v[i], all);
	any = lefts.n;
	release(&lefts);
	return any;
}
