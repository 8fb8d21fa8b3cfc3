/* kernel/tracefs/trigger.h - the lines of an event's trigger file */
/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_KERNEL_TRACEFS_TRIGGER_H
#define TRACESH_KERNEL_TRACEFS_TRIGGER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "event.h"

/* Holds a trigger, parsed from a line that the kernel lists or that a user writes. */
struct tsh_trigger {
	char *command;		/* "traceoff", "enable_event:S:E"; for hist all up to the filter */
	char *filter;		/* without `if`; NULL: none */
	int64_t left;		/* how often it can still fire; -1: unlimited */
	bool is_hist;
	bool is_paused;		/* for hist only */
};

struct tsh_triggers {
	struct tsh_trigger *v;
	size_t n, cap;
};

/* Parses "traceoff:count=3 if prev_pid == 1", "traceoff:3", "hist:keys=.. [active]". Returns 0, or
 * -EINVAL when the line is not a trigger. The caller releases *ret in either case. */
int tsh_trigger_parse(const char *line, struct tsh_trigger *ret);
void tsh_trigger_release(struct tsh_trigger *trigger);
/* Return the text that adds the trigger, "traceoff:3 if prev_pid == 1", and the text that removes
 * it, "!traceoff": to remove a trigger the kernel compares only its kind, but all of a hist
 * trigger. The caller frees them. */
char *tsh_trigger_text(const struct tsh_trigger *trigger);
char *tsh_trigger_removal(const struct tsh_trigger *trigger);
/* Returns the text that pauses the same histogram in the kernel when .is_paused is set, and
 * continues it when not. The caller frees it. */
char *tsh_trigger_pausing(const struct tsh_trigger *trigger);
/* Says whether two triggers are the same, ignoring the count, which the kernel decreases. */
bool tsh_trigger_same(const struct tsh_trigger *a, const struct tsh_trigger *b);
/* Returns the kind of a trigger: the kernel's type, with the event on which it acts. The caller
 * frees it. */
char *tsh_trigger_kind(const struct tsh_trigger *trigger);
/* Says whether two triggers are of one kind: the kernel allows only one of a kind for an event.
 * traceon and traceoff are one kind, and so are enable_event and disable_event for one event. */
bool tsh_trigger_collides(const struct tsh_trigger *a, const struct tsh_trigger *b);

/* Limits the triggers that a command lists; no kernel has nearly as many, but a recorded tree
 * may. */
#define TSH_TRIGGERS_MAX 65536

/* Reads the triggers of a trigger file's text, newest first as the kernel lists them. */
void tsh_triggers_parse(const char *text, struct tsh_triggers *ret);
/* Reads the triggers of an event. Returns 0 or -errno. */
int tsh_triggers_read(const struct tsh_instance *in, const struct tsh_event *event,
		      struct tsh_triggers *ret);
/* Return the trigger that is the same as `wanted`, or of its kind; NULL when there is none. */
const struct tsh_trigger *tsh_triggers_find(const struct tsh_triggers *triggers,
					    const struct tsh_trigger *wanted);
const struct tsh_trigger *tsh_triggers_find_same_kind(const struct tsh_triggers *triggers,
						      const struct tsh_trigger *wanted);
void tsh_triggers_release(struct tsh_triggers *triggers);

/* Returns how many rows are lost when a text ("hist:..:clear") is written to an event's trigger
 * file, and in *ret_histograms how many histograms are cleared (hist-rows.c). Returns 0 when
 * nothing is written to the kernel. */
uint64_t tsh_hist_rows_emptied(const struct tsh_instance *in, const char *path, const char *text,
			       size_t *ret_histograms);

/* Returns "S:E" for "events/S/E/trigger". The caller frees it. */
char *tsh_trigger_event(const char *path);

/*
 * Returns the file that a trigger or a function's command changes when it fires, and in *ret_to the
 * value: an event's enable file, its trigger file for enable_hist and disable_hist, or tracing_on
 * for traceon. Returns NULL when there is none, also for traceoff. The caller frees it.
 */
char *tsh_switched_file(const char *text, const char **ret_to);

#endif
