/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_SESSION_NOTE_LEFT_H
#define TRACESH_SESSION_NOTE_LEFT_H

#include "kernel/journal/journal.h"
#include "session.h"

/* Appends the time when a session began (ns since 1970) as "2026-01-02 10:00:00". */
void tsh_orphans_append_start(struct tsh_strbuf *out, int64_t wall);
/* Counts the orphans (journals of sessions that were killed) with settings or instances that are
 * still as the session has left them. */
size_t tsh_orphans_count_unrestored(struct tsh_session *s, const struct tsh_orphans *orphans);

#endif
