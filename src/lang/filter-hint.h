/* lang/filter-hint.h - what is wrong with a filter that the kernel refuses */
/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_LANG_FILTER_HINT_H
#define TRACESH_LANG_FILTER_HINT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "base/strbuf.h"

/* Says what the kernel's filters can do with a field (kernel/trace/trace_events_filter.c,
 * filter_assign_type). */
enum tsh_filter_kind {
	TSH_FILTER_NUMBER,
	TSH_FILTER_STRING,
	TSH_FILTER_CPUS,	/* `cpu` and masks of CPUs: numbers, and CPUS{..} */
	TSH_FILTER_OTHER,	/* anything else: its values are not checked */
};

/* Describes a field; the strings are borrowed. */
struct tsh_filter_field {
	const char *name;
	const char *type;	/* as the format file has it: "char[16]" */
	enum tsh_filter_kind kind;
	bool is_signed;
	bool is_common;		/* every event has this field, so that hints do not list it */
};

struct tsh_filter_event {
	const char *label;	/* "sched:sched_switch" */
	const struct tsh_filter_field *fields;
	size_t n;
};

struct tsh_filter_fault {
	struct tsh_span span;	/* bytes of the filter, at least one; {0, 0} when none is to blame */
	bool is_unknown_field;
	/* Names the field of a comparison that has a name in place of a number, at the span;
	 * NULL for other faults. Borrowed from the event. */
	const struct tsh_filter_field *value_of;
	char *hint;		/* what to type instead */
};

/*
 * Finds the first fault by the kernel's own grammar (kernel/trace/trace_events_filter.c), in its
 * order: quotes and parentheses, then the comparisons from left to right. It only explains a
 * refusal: the kernel accepts some filters that have a fault here. Returns false when none was
 * found.
 */
bool tsh_filter_fault_find(const char *filter, const struct tsh_filter_event *event,
			   struct tsh_filter_fault *ret);
/* Says whether the filter ends where a comparison has to follow: with "&&" or "||", or with a '!'
 * behind one. The kernel does not refuse that (kernel/trace/trace_events_filter.c,
 * predicate_parse). *ret: the bytes of the operator. */
bool tsh_filter_is_unfinished(const char *filter, struct tsh_span *ret);
void tsh_filter_fault_release(struct tsh_filter_fault *fault);

/* Appends a field as C declares it: "char prev_comm[16]", "pid_t prev_pid". */
void tsh_filter_declare(struct tsh_strbuf *out, const struct tsh_filter_field *field);

#endif
