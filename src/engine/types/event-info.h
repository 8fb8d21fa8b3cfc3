/* engine/types/event-info.h - prints the fields, print format and settings of events */
/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_ENGINE_TYPES_EVENT_INFO_H
#define TRACESH_ENGINE_TYPES_EVENT_INFO_H

#include "session/session.h"

/* Prints the events in the format of the output, in CSV a row for each field. plain: prints in text
 * only the names and C types of the fields. Returns 0, or -1: with err when an event's format
 * cannot be read, without err when a signal has ended it. */
int tsh_event_info_print(struct tsh_session *s, const struct tsh_events *events, bool plain, struct tsh_err *err);

#endif
