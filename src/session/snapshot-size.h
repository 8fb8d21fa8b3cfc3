/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_SESSION_SNAPSHOT_SIZE_H
#define TRACESH_SESSION_SNAPSHOT_SIZE_H

#include "session.h"

/* What it takes: as much as the instance's buffer, in bytes. */
uint64_t tsh_snapshot_size(const struct tsh_instance *in);
/* -1 when memory for it is yet to be had and does not fit; blames `word`. */
int tsh_snapshot_check_memory(struct tsh_session *s, const struct tsh_value *word,
			      struct tsh_err *err);

#endif
