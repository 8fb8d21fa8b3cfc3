/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_ENGINE_PIPELINE_TASK_NAMES_H
#define TRACESH_ENGINE_PIPELINE_TASK_NAMES_H

#include "session/session.h"
#include "stage.h"

/*
 * Records task_newtask and task_rename (include/trace/events/task.h) in an instance of a command's
 * own, even if the user has not asked for these events. The decoder learns the names of tasks from
 * them; those that the user has not asked for are not passed on. If they were not recorded, a task
 * would keep the name that it had before its exec, or get the name of an older task with the same
 * number from saved_cmdlines.
 */
#define TSH_NAME_EVENTS 2
struct tsh_task_names {
	struct tsh_stage stage;		/* must be the first member */
	/* Is the source that shows its records to the decoder in advance; NULL: there is none. */
	struct tsh_source *source;
	unsigned int ids[TSH_NAME_EVENTS];	/* 0: the event is not recorded */
	bool hides[TSH_NAME_EVENTS];		/* the user has not asked for this event */
	/* Holds the CPUs that the user asked for; NULL: all. Names are read from every CPU. */
	const struct tsh_cpuset *cpus;
	bool are_all;			/* every change of a name is recorded */
	bool has_births;		/* every task_newtask is recorded */
	/* Says that records are shown in advance, so that the decoder knows the names before a
	 * change. */
	bool learns_ahead;
};

/*
 * Enables the events of struct tsh_task_names that are not among the events of the call, when the
 * kernel has them and the call needs names of tasks. *ret is for the stream of that instance.
 */
void tsh_task_names_enable(struct tsh_instance *in, const struct tsh_call *call, struct tsh_task_names *ret);
/* Appends, behind a number of lost events, that some of them may be events for names that the
 * user has not asked for. Appends nothing when `hidden` is false: such events were not recorded. */
void tsh_task_names_append_lost(bool hidden, struct tsh_strbuf *text);
/* Returns the CPUs to read when the user has asked for `cpus` (may be NULL); NULL: all CPUs,
 * because names change on every CPU. Borrows the set of `cpus`. */
const struct tsh_cpuset *tsh_task_names_cpus(struct tsh_task_names *task_names, const struct tsh_instance *in,
					  const struct tsh_value *cpus);
/* Says whether names change when events are missing, so that one thread has to pass on the events
 * around the gap. */
bool tsh_task_names_need_losses(const struct tsh_task_names *task_names);
/* Say whether any of these events is recorded, and whether one is recorded that the user has not
 * asked for. */
bool tsh_task_names_are_extra(const struct tsh_task_names *task_names);
bool tsh_task_names_are_hidden(const struct tsh_task_names *task_names);
/* Appends the names of the recorded events that the user has not asked for; their system is
 * task. */
void tsh_task_names_hidden(const struct tsh_task_names *task_names, struct tsh_strlist *ret);
/* Finds task_newtask and task_rename in an instance that tsh_task_names_enable has not set up,
 * or in a recording, which says which of its events the user has not asked for. */
void tsh_task_names_find(const struct tsh_instance *in, struct tsh_task_names *ret);
/* Passes to the decoder the present names of tasks, and their older names from the records that
 * exist already. To be called before the first event is passed on, after the stage has begun. */
void tsh_task_names_begin(struct tsh_task_names *task_names);
/* Returns the time to which the names belong, when the instance does not record their changes,
 * as words for the user; NULL: each name is that of the event's time. */
const char *tsh_task_names_time(const struct tsh_task_names *task_names, const struct tsh_instance *in);
/* Prints a note when the names are not those of the events' times. */
void tsh_task_names_note(const struct tsh_task_names *task_names, const struct tsh_instance *in, struct tsh_out *out);
/* Stops showing records to the decoder. To be called before the decoder is freed. */
void tsh_task_names_end(struct tsh_task_names *task_names);

#endif
