/* kernel/tracefs/trigger.h - the lines of an event's trigger file */
/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_KERNEL_TRACEFS_TRIGGER_H
#define TRACESH_KERNEL_TRACEFS_TRIGGER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "event.h"

/* One trigger: a line as the kernel reads it back, or as one writes it. */
struct tsh_trigger {
	char *command;		/* "traceoff", "enable_event:S:E"; of hist all up to the filter */
	char *filter;		/* without `if`; NULL: none */
	int64_t left;		/* how often yet; -1: unlimited */
	bool is_hist;
	bool is_paused;		/* of hist */
};

struct tsh_triggers {
	struct tsh_trigger *v;
	size_t n, cap;
};

/* "traceoff:count=3 if prev_pid == 1", "traceoff:3", "hist:keys=.. [active]". -EINVAL: no
 * trigger. ret is to be released in any case. */
int tsh_trigger_parse(const char *line, struct tsh_trigger *ret);
void tsh_trigger_release(struct tsh_trigger *trigger);
/* As one writes it, "traceoff:3 if prev_pid == 1"; and what takes it away, "!traceoff":
 * the kernel looks at the kind only, but at all of a hist trigger. The caller frees it. */
char *tsh_trigger_text(const struct tsh_trigger *trigger);
char *tsh_trigger_removal(const struct tsh_trigger *trigger);
/* Gives what pauses a histogram that is there, or lets it go on, to be as this one. The caller frees it. */
char *tsh_trigger_pausing(const struct tsh_trigger *trigger);
/* The same but for the count, which the kernel lets go down. */
bool tsh_trigger_same(const struct tsh_trigger *a, const struct tsh_trigger *b);
/* What the kernel calls its type, with the event that it is about. The caller frees it. */
char *tsh_trigger_kind(const struct tsh_trigger *trigger);
/* Of one kind: an event takes only one of them. traceon and traceoff are one kind, so
 * are enable_event and disable_event of one event. */
bool tsh_trigger_collides(const struct tsh_trigger *a, const struct tsh_trigger *b);

/* No kernel has more of them by far; a tree is somebody's. */
#define TSH_TRIGGERS_MAX 65536

/* Those of a trigger file's text, newest first as the kernel lists them. */
void tsh_triggers_parse(const char *text, struct tsh_triggers *ret);
/* Those of an event. -errno. */
int tsh_triggers_read(const struct tsh_instance *in, const struct tsh_event *event,
		      struct tsh_triggers *ret);
/* The one among them that is the same, or of the same kind; NULL. */
const struct tsh_trigger *tsh_triggers_find(const struct tsh_triggers *triggers,
					    const struct tsh_trigger *wanted);
const struct tsh_trigger *tsh_triggers_rival(const struct tsh_triggers *triggers,
					     const struct tsh_trigger *wanted);
void tsh_triggers_release(struct tsh_triggers *triggers);

/* Gives how many rows the histograms have that a text, written to an event's trigger file, empties ("hist:..:clear"), and
 * in *ret_histograms how many they are (hist-rows.c). 0 where nothing is written to the kernel. */
uint64_t tsh_hist_rows_emptied(const struct tsh_instance *in, const char *path, const char *text,
			       size_t *ret_histograms);

/* Gives "S:E" of "events/S/E/trigger". The caller frees it. */
char *tsh_trigger_event(const char *path);

/* Gives the file that a trigger, or a function's command, switches, and to what: an event's, of histograms
 * its triggers, or tracing_on by traceon; what traceoff has stopped stays so. NULL: none. The caller frees it. */
char *tsh_switched_file(const char *text, const char **ret_to);

#endif
