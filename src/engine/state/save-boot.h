/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_ENGINE_STATE_SAVE_BOOT_H
#define TRACESH_ENGINE_STATE_SAVE_BOOT_H

#include "state.h"

/*
 * A state as kernel parameters, one a line; what has none is a comment. `instance` (NULL:
 * top) is whose state it is: trace_instance= knows little more than events. `all` are the events of that kernel: a system of
 * which all are on is one word. Returns how many
 * settings have no parameter.
 */
size_t tsh_save_boot(const struct tsh_state *state, const char *instance, const struct tsh_events *all,
		     struct tsh_strbuf *out);

#endif
