/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "values.h"

#include "engine/pair/pair.h"

/* Completes the two events of latency. */

/* Adds the system calls that have events. */
static void add_syscalls(const struct tsh_cursor *at)
{
	static const char enter[] = "sys_enter_";
	struct tsh_events all = { 0 };
	struct tsh_err ignored = { 0 };
	size_t i;

	if (!at->s->dir || tsh_events_available(at->s->dir, &all, &ignored) < 0)
		tsh_err_release(&ignored);
	for (i = 0; i < all.n; i++)
		if (!strcmp(all.v[i].system, "syscalls") && tsh_begins_with(all.v[i].name, enter))
			tsh_candidate_add(at, all.v[i].name + strlen(enter), "a system call",
					  false);
	tsh_events_release(&all);
}

void tsh_candidates_pairs(const struct tsh_cursor *at)
{
	const char *first = at->events->n ? at->events->v[0] : NULL;
	const struct latency_known *known;

	if (first && !strcmp(first, LATENCY_SYSCALL)) {
		add_syscalls(at);
		return;
	}
	for (known = latency_known; first && known->begin; known++)
		if (known->name && !strcmp(known->name, first))
			return;
	tsh_candidates_events(at);
	for (known = latency_known; !first && known->begin; known++)
		if (known->name)
			tsh_candidate_add(at, known->name, known->help, false);
	if (!first)
		tsh_candidate_add(at, LATENCY_SYSCALL, "a system call, by its name; or all of them",
				  false);
}
