/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_ENGINE_AGGREGATE_AGGREGATE_H
#define TRACESH_ENGINE_AGGREGATE_AGGREGATE_H

/* Counts events by keys instead of printing them: by KEYS, sum FIELD, avg, min and max. */

#include "engine/pipeline/counter.h"
#include "engine/pipeline/where.h"
#include "engine/probe/call.h"
#include "session/session.h"
#include "session/own-instance.h"

/* Declare the clauses and options, for the argument tables of commands. */
#define TSH_BY_CLAUSE \
	{ .name = "KEYS", .clause = "by", .type = TSH_ARG_TEXT, .completes = TSH_COMPLETES_STACK, \
	  .flags = TSH_ARG_OPTIONAL, \
	  .help = "up to three: a field, comm, pid, cpu, stack, an expression, .log2 and others behind it" }
#define TSH_BY_VALUE(what, text) \
	{ .name = "FIELD", .clause = what, .type = TSH_ARG_TEXT, .flags = TSH_ARG_OPTIONAL, \
	  .help = text }
#define TSH_BY_OPTIONS \
	{ .name = "TOP", .option = "--top", .type = TSH_ARG_NUMBER, \
	  .flags = TSH_ARG_OPTIONAL | TSH_ARG_LATE, .help = "show the first so many only" }, \
	{ .name = "EVERY", .option = "--every", .type = TSH_ARG_TIME, \
	  .flags = TSH_ARG_OPTIONAL | TSH_ARG_LATE, \
	  .help = "show it that often: 500ms, 1s; at a terminal always in its place" }, \
	{ .name = "TIME", .option = "--for", .type = TSH_ARG_TIME, \
	  .flags = TSH_ARG_OPTIONAL | TSH_ARG_LATE | TSH_ARG_NOT_ZERO, \
	  .help = "stop after this time: 500ms, 2s, 1m" }, \
	{ .name = "KEYS-MAX", .option = "--size", .type = TSH_ARG_SIZE, \
	  .flags = TSH_ARG_OPTIONAL | TSH_ARG_LATE, \
	  .help = "at most so many keys (64K); the rest is counted as one, other" }

#define TSH_BY_HEAT \
	{ .name = "heat", .option = "--heat", .type = TSH_ARG_FLAG, \
	  .flags = TSH_ARG_OPTIONAL | TSH_ARG_LATE, \
	  .help = "draw the buckets of each second, or --every, as a line of shades" }

#define TSH_BY_KERNEL \
	{ .name = "in-kernel", .option = "--in-kernel", .type = TSH_ARG_FLAG, \
	  .flags = TSH_ARG_OPTIONAL | TSH_ARG_LATE, .help = "by a histogram of the kernel's own" }

/* Declares --drain; the text of help says that events are taken out of the buffer. */
#define TSH_BY_DRAIN(text) \
	{ .name = "drain", .option = "--drain", .type = TSH_ARG_FLAG, \
	  .flags = TSH_ARG_OPTIONAL | TSH_ARG_LATE, .help = text }

#define TSH_BY_EVENTS \
	TSH_OWN_CPUS, TSH_OWN_TASK, TSH_OWN_BUFFER, TSH_OWN_PROBE, TSH_OWN_HERE, \
	TSH_BY_DRAIN("those in the current buffer, which are taken out; without EVENT"), \
	TSH_WHERE_NO_PUSHDOWN, TSH_OWN_EVENTS

struct tsh_by;

/*
 * Returns the name of modifier i of a key ("log2"), its help text, and whether a number in brackets
 * follows it; NULL after the last.
 */
const char *tsh_by_modifier(size_t i, const char **ret_help, bool *ret_is_of_number);

/* Parses the clauses of a call of hist or count, and checks that its events have the fields.
 * Returns 0, or -1 with err, which blames a place in the call. */
int tsh_by_resolve(struct tsh_session *s, struct tsh_call *call, struct tsh_err *err);
/* Returns the struct that counts the events of a call; NULL: the events are printed. */
static inline struct tsh_by *tsh_by_of(const struct tsh_call *call)
{
	return (struct tsh_by *)tsh_counter_of(call);	/* the counter is the first member */
}

/* Pushes the counting stage to the end of a stream, in place of the output, so that events are
 * counted instead of printed. */
void tsh_by_push(struct tsh_by *by, struct tsh_stream_spec *spec);

#endif
