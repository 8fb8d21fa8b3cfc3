/* kernel/tracefs/event.h - events by name and glob, their state and filters */
/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_KERNEL_TRACEFS_EVENT_H
#define TRACESH_KERNEL_TRACEFS_EVENT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "base/strbuf.h"
#include "tracefs.h"

struct tsh_event {
	char *system;
	char *name;
};

/* Events sorted by system and name, each once. Zeroed memory is an empty list. */
struct tsh_events {
	struct tsh_event *v;
	size_t n;
	size_t cap;
	char *own;	/* of all that there are: the group of this process's probes; NULL: it has none */
};
void tsh_events_release(struct tsh_events *events);
void tsh_events_add(struct tsh_events *events, const char *system, const char *name);
void tsh_events_sort(struct tsh_events *events);

/* All of available_events. 0 or -1. */
int tsh_events_available(const struct tsh_dir *dir, struct tsh_events *ret, struct tsh_err *err);
/* The events of one system, from its directory: quicker than the whole list, which is
 * what counts when there are none. */
void tsh_events_of_system(const struct tsh_dir *dir, const char *system, struct tsh_events *ret);
/* Those that are enabled in the instance (soft-disabled ones too), from set_event. */
int tsh_events_enabled(const struct tsh_instance *in, struct tsh_events *ret,
		       struct tsh_err *err);
/* Gives the events that may have a trigger: a trigger enables its event softly. */
int tsh_events_armed(const struct tsh_instance *in, struct tsh_events *ret, struct tsh_err *err);
/*
 * Of those the ones that record: not "0*", which only carry a trigger. A file is read for
 * each, so of more than `max` all are taken. Copies.
 */
void tsh_events_recording(const struct tsh_instance *in, const struct tsh_events *enabled,
			  size_t max, struct tsh_events *ret);
/* Both in one: those that record now. */
int tsh_events_on(const struct tsh_instance *in, struct tsh_events *ret, struct tsh_err *err);
/*
 * Adds to `ret` the events of `all` that a word names: "sched:sched_switch",
 * "sched/sched_switch", "sched" or "sched:" (the system), "sched_switch" or
 * ":sched_switch" (when only one has that name), any of them with globs. A word
 * that is both a system and an event is an error that shows both spellings; one
 * that matches nothing is an error with the nearest name. err has no span.
 */
int tsh_events_match(const struct tsh_events *all, const char *word, struct tsh_events *ret,
		     struct tsh_err *err);

/*
 * Whether a word that is written to set_event means this event: "SYSTEM:EVENT", where either
 * may be empty or "*", or one name, which is an event or a system; no globs
 * (__ftrace_set_clr_event_nolock in kernel/trace/trace_events.c).
 */
bool tsh_event_word_means(const char *word, const char *system, const char *name);

/* "events/SYSTEM/NAME/FILE"; the caller frees it. */
char *tsh_event_path(const struct tsh_event *event, const char *file);
/* Gives "S:E" of "events/S/E/enable"; NULL of another path. The caller frees it. */
char *tsh_enabled_event(const char *path);
/* The event's filter, NULL when it has none; the caller frees it. */
char *tsh_event_filter(const struct tsh_instance *in, const struct tsh_event *event);

/*
 * What the kernel thinks of a filter, without touching the event: perf's
 * SET_FILTER on the tracepoint, disabled; where perf cannot be had, the same event
 * in a scratch instance. 0: accepted. -1: err->message is the kernel's own and
 * err->span the bytes of the filter that it blames ({0, 0}: none).
 */
int tsh_filter_judge(struct tsh_dir *dir, const struct tsh_event *event, const char *filter,
		     struct tsh_err *err);
/* The same of one filter for all of the events, however many; *ret_refused is the first that
 * refuses it. */
int tsh_filter_judge_all(struct tsh_dir *dir, const struct tsh_events *events,
			 const char *filter, size_t *ret_refused, struct tsh_err *err);

#endif
