/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_ENGINE_SHOW_RECORDED_H
#define TRACESH_ENGINE_SHOW_RECORDED_H

#include "engine/pipeline/range.h"
#include "events/decode/consumer.h"
#include "session/session.h"

/* Prints the events of a recording that has no text of the kernel itself: those of the range, or
 * (last is not NULL) only the last *last of them. Returns 0, or -1 with err. */
int tsh_tree_show(struct tsh_session *s, const uint64_t *last, struct tsh_range *range,
		  struct tsh_err *err);

#endif
