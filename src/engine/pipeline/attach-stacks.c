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

/* With its stack, or NULL; the others keep their turn, and its memory goes to the end. */
static void give_on(struct tsh_event_stacks *st, struct event_stacks_cpu *cpu, size_t at,
		    const struct tsh_record *stack)
{
	const struct event_stacks_event event = cpu->events[at];

	st->stack = stack;
	tsh_stage_give_kept(&st->stage, &event.rec, event.late);
	memmove(&cpu->events[at], &cpu->events[at + 1], (--cpu->n - at) * sizeof(event));
	cpu->events[cpu->n] = event;
}

/* Those from there on will not get a stack any more. */
static void give_up(struct tsh_event_stacks *st, struct event_stacks_cpu *cpu, size_t at)
{
	while (cpu->n > at)
		give_on(st, cpu, at, NULL);
}

static void keep(struct tsh_event_stacks *st, const struct tsh_record *rec,
		 const struct tsh_common *common, bool late)
{
	struct event_stacks_cpu *cpu = cpu_of(st, rec->cpu);
	struct event_stacks_event *event;

	if (!cpu)
		return;
	/* the oldest will not get one any more */
	if (cpu->n == TSH_EVENT_STACKS_NESTED)
		give_on(st, cpu, 0, NULL);
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

/* The kernel stamps a stack with the context of its event. False: that is lost. */
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

static void take_stack(struct tsh_event_stacks *st, const struct tsh_record *rec,
		       const struct tsh_event_format *format, const struct tsh_common *common)
{
	struct event_stacks_cpu *cpu = cpu_of(st, rec->cpu);
	size_t at;

	st->format = format;
	if (cpu && find_event(cpu, common, &at)) {
		give_on(st, cpu, at, rec);
		/* what came between was nested in it */
		give_up(st, cpu, at);
	} else if (st->alone) {
		st->stack = rec;
		st->alone(st->ctx);
	}
}

static bool stacks_event(struct tsh_consumer *consumer, const struct tsh_record *rec, bool late)
{
	struct tsh_event_stacks *st = (struct tsh_event_stacks *)consumer;
	const struct tsh_event_format *format;
	struct tsh_common common = { 0 };
	bool damaged;

	format = tsh_decoder_look(st->stage.stream->decoder, rec, &common, &damaged);
	if (format && !strcmp(format->system, "ftrace") &&
	    (!strcmp(format->name, "kernel_stack") || !strcmp(format->name, "user_stack")))
		take_stack(st, rec, format, &common);
	else
		keep(st, rec, &common, late);
	/* It counts when it is given on: what waits is none of -n's. */
	return false;
}

static void stacks_lost(struct tsh_consumer *consumer, int cpu, uint64_t count, uint64_t stamp)
{
	struct tsh_event_stacks *st = (struct tsh_event_stacks *)consumer;

	struct event_stacks_cpu *of = cpu_of(st, cpu);

	if (of)
		give_up(st, of, 0);
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

/* The stream is over: gives on those that wait. */
static void stacks_last(struct tsh_stage *stage)
{
	struct tsh_event_stacks *st = (struct tsh_event_stacks *)stage;
	size_t i, j;

	for (i = 0; i < st->cpus.n; i++) {
		give_up(st, &st->cpus.v[i], 0);
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
