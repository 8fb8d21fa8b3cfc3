/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_SESSION_SWEEP_H
#define TRACESH_SESSION_SWEEP_H

#include "session.h"
#include "kernel/journal/journal.h"

/* Instances, probes and synthetic events that sessions which are gone have left, where no journal knows of them. */

/* Lists them, but what stands in the journals of the orphans, as rows of recover's table. */
void tsh_list_left(struct tsh_session *s, const struct tsh_orphans *orphans, struct tsh_table *table);
/* Says whether a process, by its number, has left some. */
bool tsh_has_left(struct tsh_session *s, uint64_t pid);
/* Remove the instances and probes of a process, 0: of all, and name synthetic events, which stay; `all`: also
 * those that no session holds, though a process of their number lives. Each is said. False: there are none. */
bool tsh_sweep(struct tsh_session *s, bool all, uint64_t pid);
/* Appends when a session began (ns since 1970), as "2026-01-02 10:00:00". */
void tsh_orphans_add_began(struct tsh_strbuf *out, int64_t wall);
/* Returns how many of them have left something that is still as they set it. */
size_t tsh_orphans_with_something(struct tsh_session *s, const struct tsh_orphans *orphans);

#endif
