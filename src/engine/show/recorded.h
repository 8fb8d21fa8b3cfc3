/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_ENGINE_SHOW_RECORDED_H
#define TRACESH_ENGINE_SHOW_RECORDED_H

#include "engine/pipeline/range.h"
#include "events/decode/consumer.h"
#include "session/session.h"

/*
 * The events of a recorded tree that has not the kernel's own text: all, or (last not
 * NULL) the last so many, of those in the range.
 */
int tsh_tree_show(struct tsh_session *s, const uint64_t *last, struct tsh_range *range,
		  struct tsh_err *err);

#endif
