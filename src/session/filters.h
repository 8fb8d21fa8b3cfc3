/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_SESSION_FILTERS_H
#define TRACESH_SESSION_FILTERS_H

#include "session.h"
#include "query/query.h"

/* The kernel's filter among the arguments (after `if`, or of the command filter);
 * NULL when there is none or it is "clear" or "0". */
const struct tsh_value *tsh_filters_value(const struct tsh_call *call);
/* Says of events that are enabled in the current instance which filters they have from before: else that surprises. */
void tsh_filters_note_kept(struct tsh_session *s, const struct tsh_events *events);
/*
 * Says of the events that are there already, or of those that come to others as well, which of them are filtered, where
 * that matters: pairs, and delta, are then of events between which there may have been others.
 */
void tsh_filters_note_gaps(struct tsh_session *s, const struct tsh_call *call);
/* Gives the filter that an event has now, which the caller frees; NULL: none, or the call's own, which is no news. */
char *tsh_filters_old(struct tsh_session *s, const struct tsh_call *call, const struct tsh_event *event);
/* Warns that a filter leaves events out, or has left them out of the recording, and what comes of that. */
void tsh_filters_warn_gap(struct tsh_session *s, const struct tsh_event *event, const char *filter, const char *what);
/* Why nothing came, behind the sum of nothing: the call's filter or its question, perhaps; "": it has neither. */
const char *tsh_filters_nothing(const struct tsh_call *call, const struct tsh_query *where);
/* Asks the kernel about that filter for each event of the call, before anything is
 * written. The error lists the events that cannot take it. */
int tsh_filters_check(struct tsh_session *s, const struct tsh_call *call, struct tsh_err *err);
/* The same of a filter that is typed while a command runs; the span is bytes of `text`. */
int tsh_filters_check_text(struct tsh_session *s, const struct tsh_events *events,
			   const char *text, struct tsh_err *err);
/* The same for one event and a filter that is a word of any argument. */
int tsh_filters_judge(struct tsh_session *s, const struct tsh_event *event,
		      const struct tsh_word *filter, struct tsh_err *err);

/* Gives the events that have a filter, those that are off too, and the filters in the same order. */
void tsh_filters_list(struct tsh_session *s, const struct tsh_instance *in, struct tsh_events *ret,
			struct tsh_strlist *ret_texts);

#endif
