/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_ENGINE_STATE_SWEEP_H
#define TRACESH_ENGINE_STATE_SWEEP_H

#include "kernel/journal/journal.h"
#include "session/session.h"

/* Finds instances, probes and synthetic events of sessions that have ended, which are in no
 * journal. */

/* Adds rows to recover's table, except for what is in the journals of the orphans. */
void tsh_sweep_add_rows(struct tsh_session *s, const struct tsh_orphans *orphans, struct tsh_table *table);
/* Says whether the process with this pid has left an instance, a probe or a synthetic event. */
bool tsh_sweep_has_left(struct tsh_session *s, uint64_t pid);
/*
 * Removes the instances and probes that a process (0: any) has left. Leaves synthetic events, but
 * names them. all: also removes those that no session holds although a process of their number
 * lives. Prints a note for each. Returns false when the process has left none.
 */
bool tsh_sweep(struct tsh_session *s, bool all, uint64_t pid);

#endif
