/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_SESSION_SWEEP_H
#define TRACESH_SESSION_SWEEP_H

#include "session.h"
#include "kernel/journal/journal.h"

/* Finds instances, probes and synthetic events that sessions have left which are gone, and that no
 * journal knows. */

/* Adds rows to recover's table, except for what is in the journals of the orphans. */
void tsh_list_left(struct tsh_session *s, const struct tsh_orphans *orphans, struct tsh_table *table);
/* Says whether the process of this number has left some. */
bool tsh_has_left(struct tsh_session *s, uint64_t pid);
/*
 * Removes the instances and probes that a process (0: any) has left. Leaves synthetic events, but
 * names them. all: also removes those that no session holds although a process of their number
 * lives. Prints a note for each. Returns false when the process has left none.
 */
bool tsh_sweep(struct tsh_session *s, bool all, uint64_t pid);
/* Appends the time when a session began (ns since 1970) as "2026-01-02 10:00:00". */
void tsh_orphans_add_began(struct tsh_strbuf *out, int64_t wall);
/* Returns how many orphans have left something that is still as they set it. */
size_t tsh_orphans_with_something(struct tsh_session *s, const struct tsh_orphans *orphans);

#endif
