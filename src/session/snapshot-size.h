/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_SESSION_SNAPSHOT_SIZE_H
#define TRACESH_SESSION_SNAPSHOT_SIZE_H

#include "session.h"

/* Returns the memory of a snapshot in bytes: as much as the instance's buffer has. */
uint64_t tsh_snapshot_size(const struct tsh_instance *in);
/* Checks that the memory of a snapshot fits, if the snapshot has none yet. Returns 0, or -1 with
 * err, which blames `word`. */
int tsh_snapshot_check_memory(struct tsh_session *s, const struct tsh_value *word,
			      struct tsh_err *err);

#endif
