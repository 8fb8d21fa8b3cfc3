/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_ENGINE_PIPELINE_TRACED_H
#define TRACESH_ENGINE_PIPELINE_TRACED_H

#include "base/vec.h"
#include "events/decode/decode.h"
#include "kernel/tracefs/tracefs.h"
#include "task-names.h"

/*
 * Which tasks an instance records: those that it lists (set_event_pid), with their children where the kernel follows
 * them, without those that it leaves out (set_event_notrace_pid). A sched_switch, sched_waking or sched_wakeup comes
 * through when either of its two tasks is one (kernel/trace/trace_events.c, event_filter_pid_sched_switch_probe_pre):
 * of the other one it is a part of what happened, of which the rest is missing.
 */

/* A set of pids: a bit each. */
struct traced_set {
	TSH_VEC(uint8_t) bytes;
	bool any;
};

struct tsh_traced {
	struct tsh_stage stage;		/* the first member */
	const struct tsh_task_names *task_names;
	uint64_t others;		/* events of other tasks: halves of what is asked for */
	struct traced_set listed, left_out;
	TSH_VEC(uint8_t) kinds;		/* of events, by their ids */
	bool drops;			/* what is of other tasks is not given on, but counted */
	bool follows;			/* children are listed with their parents */
	bool told;			/* the listed tasks' children are among the events, or none are followed */
	bool is_live;
	bool is_stale;			/* the kernel's list may have more than ours */
	int64_t looked;			/* when it was read, CLOCK_MONOTONIC */
};

/*
 * Gives the stage that says of the tasks of a stream which are recorded, to whom asks the decoder
 * (tsh_decoder_is_whole). Whoever gives to it has to give all events. The task_names are borrowed. drops: see struct
 * tsh_traced.
 */
struct tsh_stage *tsh_traced_stage(struct tsh_traced *t, const struct tsh_task_names *task_names, bool drops);
/* The file by which the instance does not record some tasks: TSH_TRACED_ONLY, or the one that leaves tasks out; NULL: it
 * records all. */
#define TSH_TRACED_ONLY "set_event_pid"
const char *tsh_traced_list(const struct tsh_instance *in);
/* Why it may not be known of a task whether it was recorded; NULL: it is. */
const char *tsh_traced_doubt(const struct tsh_traced *t);

#endif
