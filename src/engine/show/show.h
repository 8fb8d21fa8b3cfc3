/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_ENGINE_SHOW_SHOW_H
#define TRACESH_ENGINE_SHOW_SHOW_H

#include "session/session.h"

/*
 * Reads the time of the newest event of a CPU's buffer from the last line of its text: in ns,
 * rounded to microseconds, or in units of the clock. Returns false when there is none, the layout
 * is unknown, or reading would stop the recording. Reads all of the text.
 */
bool tsh_show_newest(struct tsh_session *s, unsigned int cpu, uint64_t *ret_stamp);

/* Does the same as `show`, for the instance's snapshot; call has the arguments of show. Returns
 * 0, or -1 with err. */
int tsh_show_snapshot(struct tsh_session *s, const struct tsh_call *call, struct tsh_err *err);

#endif
