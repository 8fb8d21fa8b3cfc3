/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_ENGINE_PIPELINE_TASK_NAMES_H
#define TRACESH_ENGINE_PIPELINE_TASK_NAMES_H

#include "session/session.h"
#include "stage.h"

/*
 * Events that nobody has asked for, in an instance of a command's own: a task begins, a task gets
 * another name (include/trace/events/task.h). From them the decoder learns the names of tasks, and
 * they go no further. Else a task would keep the name that it had before its exec, or, where its
 * number is used again, that of another one in saved_cmdlines.
 */
#define TSH_NAME_EVENTS 2
struct tsh_task_names {
	struct tsh_stage stage;		/* the first member */
	struct tsh_source *source;	/* which shows its events; NULL: it does not */
	unsigned int ids[TSH_NAME_EVENTS];	/* 0: it is not recorded */
	bool hides[TSH_NAME_EVENTS];		/* nobody has asked for it */
	const struct tsh_cpuset *cpus;	/* what is asked for; NULL: all. A name changes on any CPU */
	bool are_all;			/* each is recorded, also where it was asked for */
	bool has_births;		/* each task_newtask is there */
	bool foresees;			/* names that tasks had before must be looked for */
};

/* Enables those that are not among the events of the call, where the kernel has them, and names are shown or the call
 * asks for them; *ret is for the stream of that instance. */
void tsh_task_names_enable(struct tsh_instance *in, const struct tsh_call *call, struct tsh_task_names *ret);
/* Behind a number of lost events: that such ones are among them, how many nobody knows. */
void tsh_task_names_append_lost(bool hidden, struct tsh_strbuf *text);
/* Says which CPUs to read for those that are asked for: all, where names change there. Keeps the set, which is borrowed. */
const struct tsh_cpuset *tsh_task_names_cpus(struct tsh_task_names *task_names, const struct tsh_instance *in,
					  const struct tsh_value *cpus);
/* Whether there are any, and whether nobody has asked for one of them. */
bool tsh_task_names_are_told(const struct tsh_task_names *task_names);
bool tsh_task_names_are_hidden(const struct tsh_task_names *task_names);
/* Those that nobody has asked for, in the system task. */
void tsh_task_names_hidden(const struct tsh_task_names *task_names, struct tsh_strlist *ret);
/* Those of any other stream; of a recording it is known which of its events nobody has asked for. */
void tsh_task_names_find(const struct tsh_instance *in, struct tsh_task_names *ret);
/*
 * Before the first event is given out, when they are recorded and the stage has begun: what tasks are called now, and
 * what they were called before the changes that are there already.
 */
void tsh_task_names_begin(struct tsh_task_names *task_names);
/* Gives the time that the names are of, where no event tells those that the tasks had then; or NULL. */
const char *tsh_task_names_time(const struct tsh_task_names *task_names, const struct tsh_instance *in);
/* Says that the names are not those that the tasks had then, where no event tells them. */
void tsh_task_names_note(const struct tsh_task_names *task_names, const struct tsh_instance *in, struct tsh_out *out);
/* The source outlives the decoder. */
void tsh_task_names_end(struct tsh_task_names *task_names);

#endif
