/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_SESSION_READ_AHEAD_H
#define TRACESH_SESSION_READ_AHEAD_H

/*
 * Who reads a live buffer takes pages out of it. What was read and not printed stays
 * with the session, for the next stream or drain of that instance.
 */

#include "base/number.h"
#include "session.h"
#include "events/source/stream.h"

/*
 * The source of the current instance: the one that was kept, or a new one. `cpus`
 * (text of the list, NULL: all) is part of what it is. It belongs to the session
 * until tsh_reader_drop or the end.
 */
int tsh_reader_get(struct tsh_session *s, const struct tsh_value *cpus,
		   struct tsh_reader **ret, struct tsh_err *err);
/* Forgets what was read ahead of an instance (NULL: top): its buffer was erased. */
void tsh_reader_drop(struct tsh_session *s, const char *instance);
/*
 * Claims the current instance's buffer for reading: refuses when somebody else
 * consumes it (their events would be ours). Returns a descriptor that holds the
 * claim and is closed to end it, -1 with err; -2 when there is nothing to hold.
 */
int tsh_reader_claim(struct tsh_session *s, struct tsh_err *err);
void tsh_reader_release_claim(struct tsh_session *s, int claim);

/*
 * Claims the current instance's buffer, does the work, and ends the claim. Returns what the work does, or -1 with err.
 */
int tsh_with_claim(struct tsh_session *s, int (*work)(void *ctx, struct tsh_err *err), void *ctx, struct tsh_err *err);
/* The same of a command with --here: what it has written in the instance is then taken back. */
int tsh_with_here(struct tsh_session *s, int (*work)(void *ctx, struct tsh_err *err), void *ctx, struct tsh_err *err);

#endif
