/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_SESSION_FILTER_FAULT_H
#define TRACESH_SESSION_FILTER_FAULT_H

#include "session.h"

/*
 * Says why a filter that the kernel accepts, or a where, matches no event of the running kernel:
 * "matches nothing: 'pid < 0' is never true". Also says when the kernel would compare with another
 * number than the one in the text. Returns text that the caller frees, or NULL when no fault was
 * found.
 */
char *tsh_filter_fault_text(struct tsh_session *s, const struct tsh_event *event, const char *filter, bool is_where);
/* Prints one warning before the command runs, about the first event for which there is such a
 * fault. */
void tsh_filter_note_fault(struct tsh_session *s, const struct tsh_events *events, const char *filter, bool is_where);
/* Says whether `events` has system calls that the task `tid` has no events for: a 32-bit program
 * has none on a 64-bit kernel. */
bool tsh_task_lacks_calls(const struct tsh_events *events, int tid);
/* Returns the id of a traced task of an instance (set_event_pid) that tsh_task_lacks_calls is true
 * for, with the enabled events; 0: there is none. */
int tsh_find_task_without_calls(const struct tsh_instance *in);
/* Ends a message about a task that tsh_task_lacks_calls is true for, behind its name or id. */
#define TSH_LACKS_CALLS "is a 32-bit program, and syscalls:* has no event for its calls (raw_syscalls:sys_enter has)"
/* Reads the CPUs that an instance traces. Returns false when they are not known. */
bool tsh_read_traced_cpus(const struct tsh_instance *in, struct tsh_cpuset *ret);

#endif
