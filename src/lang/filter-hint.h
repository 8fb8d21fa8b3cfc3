/* lang/filter-hint.h - what is wrong with a filter that the kernel refuses */
/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_LANG_FILTER_HINT_H
#define TRACESH_LANG_FILTER_HINT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "base/strbuf.h"

/* What the kernel's filters can do with a field (kernel/trace/trace_events.c,
 * filter_assign_type). */
enum tsh_filter_kind {
	TSH_FILTER_NUMBER,
	TSH_FILTER_STRING,
	TSH_FILTER_CPUS,	/* `cpu` and masks of CPUs: numbers, and CPUS{..} */
	TSH_FILTER_OTHER,	/* nobody knows: nothing is said about its values */
};

/* Strings are borrowed. */
struct tsh_filter_field {
	const char *name;
	const char *type;	/* as the format file has it: "char[16]" */
	enum tsh_filter_kind kind;
	bool is_signed;
	bool is_common;		/* every event has it: not in the list of a hint */
};

struct tsh_filter_event {
	const char *label;	/* "sched:sched_switch" */
	const struct tsh_filter_field *fields;
	size_t n;
};

struct tsh_filter_fault {
	struct tsh_span span;	/* bytes of the filter, at least one; {0, 0}: none is to blame */
	bool is_unknown_field;
	/* The span is a name where this field's number should stand; borrowed of the event. */
	const struct tsh_filter_field *value_of;
	char *hint;		/* what to type instead */
};

/*
 * Looks for the first fault by the kernel's own grammar
 * (kernel/trace/trace_events_filter.c), in its order: quotes and parentheses, then the
 * comparisons from left to right. It only explains: the kernel is the judge, and takes
 * some filters that have a fault here. False: none was found.
 */
bool tsh_filter_fault_find(const char *filter, const struct tsh_filter_event *event,
			   struct tsh_filter_fault *ret);
void tsh_filter_fault_release(struct tsh_filter_fault *fault);

/* "char prev_comm[16]", "pid_t prev_pid": a field as C declares it. */
void tsh_filter_declare(struct tsh_strbuf *out, const struct tsh_filter_field *field);

#endif
