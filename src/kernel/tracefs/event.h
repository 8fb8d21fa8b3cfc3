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

/* Holds events, sorted by system and name, each once. Zeroed memory is an empty list. */
struct tsh_events {
	struct tsh_event *v;
	size_t n;
	size_t cap;
	char *own;	/* tsh_events_available: the group of our probes; or NULL */
};
void tsh_events_release(struct tsh_events *events);
/* Appends an event; the strings are copied. tsh_events_sort is needed afterwards. */
void tsh_events_add(struct tsh_events *events, const char *system, const char *name);
/* Sorts the list, and removes duplicates. */
void tsh_events_sort(struct tsh_events *events);

/* Reads all of available_events. Returns 0, or -1 with err. */
int tsh_events_available(const struct tsh_dir *dir, struct tsh_events *ret, struct tsh_err *err);
/* Reads the events of one system from its directory. That is faster than reading the whole list,
 * also for a system that does not exist. */
void tsh_events_of_system(const struct tsh_dir *dir, const char *system, struct tsh_events *ret);
/* Reads the enabled events of the instance, soft-disabled ones included, from set_event. Returns 0,
 * or -1 with err. */
int tsh_events_enabled(const struct tsh_instance *in, struct tsh_events *ret,
		       struct tsh_err *err);
/* Reads the events that may have a trigger: those in set_event, since a trigger soft-enables its
 * event. Returns 0, or -1 with err. */
int tsh_events_armed(const struct tsh_instance *in, struct tsh_events *ret, struct tsh_err *err);
/* Adds copies of those events of `enabled` that record; an event whose file reads "0*" only has a
 * trigger. This reads a file for each event, so when there are more than `max` of them, all but
 * those of the system ftrace are added unchecked. */
void tsh_events_add_recording(const struct tsh_instance *in, const struct tsh_events *enabled,
			      size_t max, struct tsh_events *ret);
/* Reads the events that record now. Returns 0, or -1 with err. */
int tsh_events_read_recording(const struct tsh_instance *in, struct tsh_events *ret, struct tsh_err *err);
/*
 * Adds the events of `all` that a word names to `ret`. The word is "sched:sched_switch" or
 * "sched/sched_switch", "sched" or "sched:" (a system), "sched_switch" or ":sched_switch" (when
 * only one event has that name), and may contain globs; "all" names every event. A bare name of a
 * probe of this session names that probe, also when other sessions have probes of that name.
 * Returns 0, or -1 with err: when the word is both a system and an event (the hint shows both
 * spellings), or when nothing matches (the hint has the nearest name). err has no span.
 */
int tsh_events_match(const struct tsh_events *all, const char *word, struct tsh_events *ret,
		     struct tsh_err *err);

/*
 * Says whether a word that is written to set_event selects this event. The word is "SYSTEM:EVENT",
 * of which either part may be empty or "*", or one name of an event or a system; it has no other
 * globs (__ftrace_set_clr_event_nolock in kernel/trace/trace_events.c).
 */
bool tsh_event_word_selects(const char *word, const char *system, const char *name);

/* Returns "events/SYSTEM/NAME/FILE"; the caller frees it. */
char *tsh_event_path(const struct tsh_event *event, const char *file);
/* Returns "S:E" for the path "events/S/E/enable", or NULL for another path. The caller frees it. */
char *tsh_enabled_event(const char *path);
/* Returns the event's filter, or NULL when it has none. The caller frees it. */
char *tsh_event_filter(const struct tsh_instance *in, const struct tsh_event *event);
/*
 * Adds the events that may have a filter, which tsh_event_filter then returns: those that show_event_filters lists (since
 * 7.0), or those whose file does not say "none". A recording has no such list: all its events are added. Ends early when
 * is_aborted returns true. Returns 0, or -1 with err.
 */
int tsh_events_filtered(const struct tsh_instance *in, struct tsh_events *ret, bool (*is_aborted)(void *ctx),
			void *ctx, struct tsh_err *err);

/*
 * Asks the kernel whether a filter is valid, without changing the event. First tries it by perf's
 * SET_FILTER on the disabled tracepoint. When perf refuses it or cannot be used, writes it to the
 * same event in a temporary instance, whose log has the kernel's message. When nothing may be
 * written (--read-only, a dry run) only perf is asked, and a filter that perf cannot check counts
 * as accepted. Returns 0 when the filter is accepted. Returns -1 with the kernel's message in err,
 * and in err->span the bytes of the filter that it blames ({0, 0}: none).
 */
int tsh_filter_judge(struct tsh_dir *dir, const struct tsh_event *event, const char *filter,
		     struct tsh_err *err);
/* Does the same with one filter for all events. Sets *ret_refused to the index of the first event
 * that refuses it. */
int tsh_filter_judge_all(struct tsh_dir *dir, const struct tsh_events *events,
			 const char *filter, size_t *ret_refused, struct tsh_err *err);

#endif
