/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "attach-stacks.h"

#include <stdlib.h>
#include <string.h>

#include "base/xmalloc.h"

static struct event_stacks_cpu *cpu_of(struct tsh_event_stacks *st, int cpu)
{
	while (cpu >= 0 && (size_t)cpu >= st->cpus.n)
		tsh_vec_push(&st->cpus);
	return cpu >= 0 ? &st->cpus.v[cpu] : NULL;
}

/* Passes on event number `at` with its stack (may be NULL), and removes it from the array. Moves
 * the event's buffer to the end of the array, where it will be used again. */
static void pass_on(struct tsh_event_stacks *st, struct event_stacks_cpu *cpu, size_t at,
		    const struct tsh_record *stack)
{
	const struct event_stacks_event event = cpu->events[at];

	st->stack = stack;
	tsh_stage_pass_held(&st->stage, &event.rec, event.late);
	memmove(&cpu->events[at], &cpu->events[at + 1], (--cpu->n - at) * sizeof(event));
	cpu->events[cpu->n] = event;
}

/* Passes on the events from number `at` on without stacks: none will come for them any more. */
static void pass_rest(struct tsh_event_stacks *st, struct event_stacks_cpu *cpu, size_t at)
{
	while (cpu->n > at)
		pass_on(st, cpu, at, NULL);
}

static void append_event(struct tsh_event_stacks *st, const struct tsh_record *rec,
			 const struct tsh_common *common, bool late)
{
	struct event_stacks_cpu *cpu = cpu_of(st, rec->cpu);
	struct event_stacks_event *event;

	if (!cpu)
		return;
	/* the array is full: no stack will come for the oldest event */
	if (cpu->n == TSH_EVENT_STACKS_NESTED)
		pass_on(st, cpu, 0, NULL);
	event = &cpu->events[cpu->n++];
	if (event->room < rec->size) {
		event->data = tsh_xreallocarray(event->data, rec->size, 1);
		event->room = rec->size;
	}
	if (rec->size)
		memcpy(event->data, rec->data, rec->size);
	event->rec = *rec;
	event->rec.data = event->data;
	event->common = *common;
	event->late = late;
}

/* Finds the event of a stack: the kernel writes both with the same common fields. Returns false
 * when that event is lost. */
static bool find_event(struct event_stacks_cpu *cpu, const struct tsh_common *stack, size_t *ret)
{
	size_t i = cpu->n;

	while (i--) {
		const struct tsh_common *event = &cpu->events[i].common;

		if (event->pid == stack->pid && event->flags == stack->flags &&
		    event->preempt == stack->preempt) {
			*ret = i;
			return true;
		}
	}
	return false;
}

static void attach_stack(struct tsh_event_stacks *st, const struct tsh_record *rec,
			 const struct tsh_event_format *format, const struct tsh_common *common)
{
	struct event_stacks_cpu *cpu = cpu_of(st, rec->cpu);
	size_t at;

	st->format = format;
	if (cpu && find_event(cpu, common, &at)) {
		pass_on(st, cpu, at, rec);
		/* the events after it were nested in it, and their stacks are lost */
		pass_rest(st, cpu, at);
	} else if (st->lone_stack) {
		st->stack = rec;
		st->lone_stack(st->ctx);
	}
}

static bool stacks_event(struct tsh_consumer *consumer, const struct tsh_record *rec, bool late)
{
	struct tsh_event_stacks *st = (struct tsh_event_stacks *)consumer;
	const struct tsh_event_format *format;
	struct tsh_common common = { 0 };
	bool damaged;

	format = tsh_decoder_begin_record(st->stage.stream->decoder, rec, &common, &damaged);
	if (format && !strcmp(format->system, "ftrace") &&
	    (!strcmp(format->name, "kernel_stack") || !strcmp(format->name, "user_stack")))
		attach_stack(st, rec, format, &common);
	else
		append_event(st, rec, &common, late);
	/* An event counts when it is passed on: events that wait do not count for -n. */
	return false;
}

static void stacks_lost(struct tsh_consumer *consumer, int cpu, uint64_t count, uint64_t stamp)
{
	struct tsh_event_stacks *st = (struct tsh_event_stacks *)consumer;

	struct event_stacks_cpu *of = cpu_of(st, cpu);

	if (of)
		pass_rest(st, of, 0);
	st->stage.next->lost(st->stage.next, cpu, count, stamp);
}

bool tsh_event_stacks_is_tracer(const char *name)
{
	static const char *const begins[] = { "trace_event_raw_event_", "__traceiter_",
					      "ftrace_syscall_enter", "ftrace_syscall_exit",
					      "kprobe_ftrace_handler" };
	size_t i;

	for (i = 0; i < sizeof(begins) / sizeof(begins[0]); i++)
		if (!strncmp(name, begins[i], strlen(begins[i])))
			return true;
	return false;
}

static bool is_tracer(struct tsh_event_stacks *st, uint64_t address)
{
	struct event_stacks_function *known = &st->known[(address ^ address >> 6) % TSH_EVENT_STACKS_KNOWN];
	struct tsh_strbuf name = TSH_STRBUF_INIT;

	if (known->address != address) {
		tsh_decoder_symbol_name(st->stage.stream->decoder, address, &name);
		known->address = address;
		known->is_tracer = tsh_event_stacks_is_tracer(name.buf);
		tsh_strbuf_release(&name);
	}
	return known->is_tracer;
}

size_t tsh_event_stacks_frames(struct tsh_event_stacks *st, uint64_t *frames, size_t max)
{
	size_t n = tsh_decoder_stack(st->stage.stream->decoder, st->format, st->stack, frames, max), first = 0;

	while (first + 1 < n && first < TSH_EVENT_STACKS_TRACERS && is_tracer(st, frames[first]))
		first++;
	memmove(frames, frames + first, (n - first) * sizeof(*frames));
	return n - first;
}

/* Passes on all events that wait, when the stream has ended. */
static void stacks_last(struct tsh_stage *stage)
{
	struct tsh_event_stacks *st = (struct tsh_event_stacks *)stage;
	size_t i, j;

	for (i = 0; i < st->cpus.n; i++) {
		pass_rest(st, &st->cpus.v[i], 0);
		for (j = 0; j < TSH_EVENT_STACKS_NESTED; j++)
			free(st->cpus.v[i].events[j].data);
	}
	tsh_vec_release(&st->cpus);
}

static const struct tsh_stage_kind kind = {
	.name = "attach stacks", .is_raw = true, .event = stacks_event, .lost = stacks_lost, .last = stacks_last,
};

struct tsh_stage *tsh_event_stacks_stage(struct tsh_event_stacks *st)
{
	*st = (struct tsh_event_stacks){ .stage.kind = &kind };
	return &st->stage;
}
