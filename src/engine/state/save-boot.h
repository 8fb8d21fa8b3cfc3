/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_ENGINE_STATE_SAVE_BOOT_H
#define TRACESH_ENGINE_STATE_SAVE_BOOT_H

#include "state.h"

/*
 * Prints a state as kernel parameters, one a line; settings without a parameter become comments.
 * instance: name of the instance that has this state, for the parameter trace_instance=, which
 * supports little more than events; NULL: the top instance. all: the events of that kernel; when
 * all events of a system are enabled, only the system is printed. Returns how many settings have no
 * parameter.
 */
size_t tsh_save_boot(const struct tsh_state *state, const char *instance, const struct tsh_events *all,
		     struct tsh_strbuf *out);

#endif
