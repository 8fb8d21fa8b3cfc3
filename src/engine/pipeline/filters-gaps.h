/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_ENGINE_PIPELINE_FILTERS_GAPS_H
#define TRACESH_ENGINE_PIPELINE_FILTERS_GAPS_H

#include "session/session.h"

/* Warns of filters that exclude events on which the results of a call depend. */

/*
 * Warns of filters, set before the call, that change the result: delta and pairs skip the events
 * that a filter leaves out. For other counts of a recording, notes which events were recorded with
 * a filter.
 */
void tsh_filters_note_gaps(struct tsh_session *s, const struct tsh_call *call);
/* Returns the present filter of an event, which the caller frees. Returns NULL when there is no
 * filter, or when the call sets a new one. */
char *tsh_filters_read(struct tsh_session *s, const struct tsh_call *call, const struct tsh_event *event);
/* Warns that a filter leaves events out now, or has left them out of a recording. what: the
 * consequence, the end of the sentence. */
void tsh_filters_warn_gap(struct tsh_session *s, const struct tsh_event *event, const char *filter, const char *what);

#endif
