/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_ENGINE_PIPELINE_EVENTS_H
#define TRACESH_ENGINE_PIPELINE_EVENTS_H

/* The events of a call, from wherever it takes them. */

#include "session/session.h"

/*
 * The events of a call as stream takes them: its own in an instance of their own, or with
 * --here in the current one; without EVENT, or with drain, what is in the current buffer, drain:
 * and nothing that comes later. They are printed, or counted where the call has a `by`.
 */
int tsh_stream_call(struct tsh_session *s, const struct tsh_call *call, bool drain,
		    struct tsh_err *err);
/* Prints what is in the current buffer, and takes it out; drain: and nothing that comes later. */
int tsh_stream_current(struct tsh_session *s, const struct tsh_call *call, bool drain, struct tsh_err *err);
/* Warns why nothing new will come in the instance, at once and not after an hour of waiting. */
void tsh_stream_explain_silence(struct tsh_session *s, const struct tsh_instance *in);

#endif
