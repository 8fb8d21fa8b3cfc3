/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_ENGINE_PIPELINE_ATTACH_STACKS_H
#define TRACESH_ENGINE_PIPELINE_ATTACH_STACKS_H

#include "base/vec.h"
#include "events/decode/decode.h"
#include "stage.h"

/*
 * A stage that gives on each event when its stack has come: with the options stacktrace and
 * userstacktrace the kernel writes one behind each event (kernel/trace/trace.c,
 * trace_buffer_unlock_commit_regs). Stacks are no events of their own, then.
 */

/* Interrupts may come between an event and its stack, with events and stacks of their own. */
#define TSH_EVENT_STACKS_NESTED 8

/* An event that waits for its stack. */
struct event_stacks_event {
	struct tsh_record rec;
	struct tsh_common common;
	bool late;
	unsigned char *data; /* of rec: a copy, which has room for `room` */
	size_t room;
};

struct event_stacks_cpu {
	struct event_stacks_event events[TSH_EVENT_STACKS_NESTED];
	size_t n;
};

/* Whether a function is the tracer's, which an event calls in order to be recorded. */
#define TSH_EVENT_STACKS_KNOWN 64
struct event_stacks_function {
	uint64_t address;
	bool is_tracer;
};

struct tsh_event_stacks {
	struct tsh_stage stage; /* the first member */
	TSH_VEC(struct event_stacks_cpu) cpus;
	/* That of the event which is given on just now; NULL: it has none, or that is lost. */
	const struct tsh_record *stack;
	const struct tsh_event_format *format; /* of a stack: kernel_stack or user_stack */
	/* Is told of each stack whose event is not known. May be NULL. */
	void (*alone)(void *ctx);
	void *ctx;
	struct event_stacks_function known[TSH_EVENT_STACKS_KNOWN];
};

/* Gives the stage that does it. */
struct tsh_stage *tsh_event_stacks_stage(struct tsh_event_stacks *st);
/*
 * The frames of the kernel's stack of the event that is given on just now, the innermost first,
 * without the functions of the tracer that would stand before them; at most `max` are read.
 */
size_t tsh_event_stacks_frames(struct tsh_event_stacks *st, uint64_t *frames, size_t max);
/* So many of the tracer's there can be. */
#define TSH_EVENT_STACKS_TRACERS 8
/* Whether that is the name of one (include/trace/trace_events.h, kernel/trace/trace_syscalls.c,
 * arch/x86/kernel/kprobes/ftrace.c). */
bool tsh_event_stacks_is_tracer(const char *name);

#endif
