/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_SESSION_READ_AHEAD_H
#define TRACESH_SESSION_READ_AHEAD_H

/* Reads pages of a live buffer, which removes them from there. The session holds the events that
 * were read and not printed, for the next stream or drain of that instance. */

#include "base/number.h"
#include "session.h"
#include "events/source/stream.h"

/*
 * Stores in *ret the reader of the current instance: the one that the session has, or a new one.
 * cpus: reads only these CPUs, or all for NULL; each such list has its own reader. The session owns
 * it until tsh_reader_drop or its end. Returns 0, or -1 with err.
 */
int tsh_reader_open(struct tsh_session *s, const struct tsh_value *cpus,
		    struct tsh_reader **ret, struct tsh_err *err);
/* Drops what was read ahead of an instance (NULL: the top-level one), after its buffer was
 * erased. */
void tsh_reader_drop(struct tsh_session *s, const char *instance);
/*
 * Claims the current instance's buffer, because two readers would each get only a part of its
 * events. Returns a descriptor that holds the claim, -2 when there is none to hold, or -1 with err
 * when another process reads the events. The caller ends the claim with tsh_reader_release_claim.
 */
int tsh_reader_claim(struct tsh_session *s, struct tsh_err *err);
void tsh_reader_release_claim(struct tsh_session *s, int claim);

/* Claims the current instance's buffer, calls `work`, and ends the claim. Returns the result of
 * `work`, or -1 with err. */
int tsh_with_claim(struct tsh_session *s, int (*work)(void *ctx, struct tsh_err *err), void *ctx, struct tsh_err *err);
/* Does what tsh_with_claim does for a command with --here, and then takes back what `work` has
 * written. */
int tsh_with_here(struct tsh_session *s, int (*work)(void *ctx, struct tsh_err *err), void *ctx, struct tsh_err *err);

#endif
