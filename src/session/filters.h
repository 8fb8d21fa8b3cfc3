/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_SESSION_FILTERS_H
#define TRACESH_SESSION_FILTERS_H

#include "session.h"
#include "query/query.h"

/* Returns the kernel's filter of a call: the argument behind `if`, or that of the command filter.
 * Returns NULL when there is none, or when it is "clear" or "0". */
const struct tsh_value *tsh_filters_value(const struct tsh_call *call);
/* Prints a note for each of these events that already has a filter in the current instance: the
 * filter stays in effect. Prints no note for more than 32 events. */
void tsh_filters_note_kept(struct tsh_session *s, const struct tsh_events *events);
/* Returns a text that says why no event came, for the end of the summary: the filter or the where
 * of the call may be the reason. Returns "" when the call has neither. */
const char *tsh_filters_why_none(const struct tsh_call *call, const struct tsh_query *where);
/* Asks the kernel, before anything is written, whether each event of the call takes the call's
 * filter. Returns 0, or -1 with an error that lists the events which do not. */
int tsh_filters_check(struct tsh_session *s, const struct tsh_call *call, struct tsh_err *err);
/* Checks a filter that is typed while a command runs. The error's span is in bytes of `text`.
 * Returns 0, or -1 with err. */
int tsh_filters_check_text(struct tsh_session *s, const struct tsh_events *events,
			   const char *text, struct tsh_err *err);
/* Asks the kernel whether one event takes a filter, which is a word of the command or a part of
 * one. Returns 0, or -1 with err. */
int tsh_filters_judge(struct tsh_session *s, const struct tsh_event *event,
		      const struct tsh_word *filter, struct tsh_err *err);

/* Appends the events that have a filter, disabled ones too, and the filters in the same order. */
void tsh_filters_list(struct tsh_session *s, const struct tsh_instance *in, struct tsh_events *ret,
		      struct tsh_strlist *ret_texts);

#endif
