/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_ENGINE_SHOW_SHOW_H
#define TRACESH_ENGINE_SHOW_SHOW_H

#include "session/session.h"

/*
 * When the newest event of a CPU's buffer was, from the last line of its text: to
 * the microsecond, in ns for a clock in ns. False when there is none, the layout of
 * the lines is not known, or reading would stop the recording. Reads all of the text.
 */
bool tsh_show_newest(struct tsh_session *s, unsigned int cpu, uint64_t *ret_stamp);

/* As `show`, of the instance's snapshot; the arguments of call are those of show. */
int tsh_show_snapshot(struct tsh_session *s, const struct tsh_call *call, struct tsh_err *err);

#endif
