/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_ENGINE_PIPELINE_ATTACH_STACKS_H
#define TRACESH_ENGINE_PIPELINE_ATTACH_STACKS_H

#include "base/vec.h"
#include "events/decode/decode.h"
#include "stage.h"

/*
 * Passes on each event when its stack has come. With the options stacktrace and userstacktrace the
 * kernel writes a stack behind each event (kernel/trace/trace.c, trace_buffer_unlock_commit_regs).
 * The stacks themselves are not passed on.
 */

/* Limits the events of a CPU that wait for their stacks at the same time: an interrupt between
 * an event and its stack has events and stacks of its own. */
#define TSH_EVENT_STACKS_NESTED 8

/* Holds an event that waits for its stack. */
struct event_stacks_event {
	struct tsh_record rec;
	struct tsh_common common;
	bool late;
	unsigned char *data; /* copy of the record's data, in a buffer of `room` bytes */
	size_t room;
};

struct event_stacks_cpu {
	struct event_stacks_event events[TSH_EVENT_STACKS_NESTED];
	size_t n;
};

/* Caches whether the function at an address belongs to the tracer. Functions that record events
 * do. */
#define TSH_EVENT_STACKS_KNOWN 64
struct event_stacks_function {
	uint64_t address;
	bool is_tracer;
};

struct tsh_event_stacks {
	struct tsh_stage stage; /* must be the first member */
	TSH_VEC(struct event_stacks_cpu) cpus;
	/* Is the stack of the event that is passed on at present; NULL: the event has none, or
	 * the stack is lost. */
	const struct tsh_record *stack;
	const struct tsh_event_format *format; /* format of the stack: kernel_stack or user_stack */
	/* Is called for each stack whose event is not known; .stack is that stack. May be NULL. */
	void (*lone_stack)(void *ctx);
	void *ctx;
	struct event_stacks_function known[TSH_EVENT_STACKS_KNOWN];
};

/* Zeroes st, and returns its stage. The caller sets .lone_stack and .ctx afterwards. */
struct tsh_stage *tsh_event_stacks_stage(struct tsh_event_stacks *st);
/*
 * Reads the kernel's stack of the event that is passed on at present: the addresses of at most
 * `max` frames, the innermost first. Removes the functions of the tracer from the beginning.
 * Returns how many addresses are left in frames.
 */
size_t tsh_event_stacks_frames(struct tsh_event_stacks *st, uint64_t *frames, size_t max);
/* Limits how many functions of the tracer are removed from a stack. */
#define TSH_EVENT_STACKS_TRACERS 8
/* Says whether a function with that name belongs to the tracer (include/trace/trace_events.h,
 * kernel/trace/trace_syscalls.c, arch/x86/kernel/kprobes/ftrace.c). */
bool tsh_event_stacks_is_tracer(const char *name);

#endif
