/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_ENGINE_PIPELINE_EVENTS_H
#define TRACESH_ENGINE_PIPELINE_EVENTS_H

/* Prints or counts the events of a call. */

#include "session/session.h"

/*
 * Prints the events of a call, or counts them when the call has a `by`. The events of the call are
 * enabled in an instance of their own, or with --here in the current one. Without events, or with
 * drain, reads the current buffer instead. drain: ends when everything that was in the buffer at
 * the start is read. Returns 0, or -1 with err.
 */
int tsh_stream_call(struct tsh_session *s, const struct tsh_call *call, bool drain,
		    struct tsh_err *err);
/* Prints the events of the current buffer, which removes them from the buffer. drain: ends when
 * everything that was in the buffer at the start is read. */
int tsh_stream_current(struct tsh_session *s, const struct tsh_call *call, bool drain, struct tsh_err *err);
/* Warns at the start when no new event can come in the instance, and says why. */
void tsh_stream_explain_silence(struct tsh_session *s, const struct tsh_instance *in);

#endif
