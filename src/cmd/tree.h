/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_CMD_TREE_H
#define TRACESH_CMD_TREE_H

#include "range.h"
#include "tracesh/cmd.h"
#include "tracesh/consumer.h"

/*
 * The events of a recorded tree that has not the kernel's own text: all, or (last not
 * NULL) the last so many, of those in the range.
 */
int tsh_tree_show(struct tsh_session *s, const uint64_t *last, struct tsh_range *range,
		  struct tsh_err *err);

#endif
