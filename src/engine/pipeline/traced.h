/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_ENGINE_PIPELINE_TRACED_H
#define TRACESH_ENGINE_PIPELINE_TRACED_H

#include "base/vec.h"
#include "events/decode/decode.h"
#include "kernel/tracefs/tracefs.h"
#include "task-names.h"

/*
 * Knows which tasks an instance records: those that set_event_pid lists, with their children if the
 * kernel adds these (option event-fork), without those that set_event_notrace_pid lists. A
 * sched_switch, sched_waking or sched_wakeup is recorded when either of its two tasks is such a
 * task (kernel/trace/trace_events.c, event_filter_pid_sched_switch_probe_pre). So a task that is
 * not listed can have some of its events recorded, but not all.
 */

/* Holds a set of pids, one bit each. */
struct traced_set {
	TSH_VEC(uint8_t) bytes;
	bool any;
};

struct tsh_traced {
	struct tsh_stage stage;		/* must be the first member */
	const struct tsh_task_names *task_names;
	/* Counts events that were dropped because their tasks are not listed. */
	uint64_t others;
	struct traced_set listed, left_out;
	TSH_VEC(uint8_t) kinds;		/* enum event_kind of each event, by its id */
	/* Says that events of tasks that are not listed are dropped and counted. */
	bool drops;
	bool follows;			/* the kernel adds children of listed tasks to the list */
	/* Says that every added child is seen in an event, or that the kernel adds no children. */
	bool shows_children;
	bool is_live;
	bool is_stale;			/* the kernel's list may have tasks that `listed` has not */
	int64_t read_at;		/* last reading of the list, CLOCK_MONOTONIC, ns */
};

/*
 * Returns a stage that tells the decoder for which tasks all events are recorded
 * (tsh_decoder_is_whole). The stage must get all events of the stream. Borrows task_names. drops:
 * see struct tsh_traced.
 */
struct tsh_stage *tsh_traced_stage(struct tsh_traced *t, const struct tsh_task_names *task_names, bool drops);
/* Returns the file by which the instance does not record some tasks: TSH_TRACED_ONLY, or
 * set_event_notrace_pid; NULL: it records all tasks. */
#define TSH_TRACED_ONLY "set_event_pid"
const char *tsh_traced_list(const struct tsh_instance *in);
/* Returns a warning that it may not be known whether a task was recorded; NULL: it is known. */
const char *tsh_traced_warning(const struct tsh_traced *t);

#endif
