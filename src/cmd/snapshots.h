/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_CMD_SNAPSHOTS_H
#define TRACESH_CMD_SNAPSHOTS_H

#include "tracesh/cmd.h"

enum tsh_snapshot_state {
	TSH_SNAPSHOT_NONE,	/* this kernel has none */
	TSH_SNAPSHOT_FREE,
	TSH_SNAPSHOT_EMPTY,	/* memory, without events */
	TSH_SNAPSHOT_FULL,
};
/* From the beginning of the file, however long it is. */
enum tsh_snapshot_state tsh_snapshot_state(const struct tsh_instance *in);
/* What it takes: as much as the instance's buffer, in bytes. */
uint64_t tsh_snapshot_size(const struct tsh_instance *in);
/* -1 when memory for it is yet to be had and does not fit; blames `word`. */
int tsh_snapshot_check_memory(struct tsh_session *s, const struct tsh_value *word,
			      struct tsh_err *err);

#endif
