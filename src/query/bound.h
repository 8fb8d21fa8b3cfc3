/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_QUERY_BOUND_H
#define TRACESH_QUERY_BOUND_H

#include "base/vec.h"
#include "events/decode/decode.h"
#include "events/decode/field-text.h"
#include "query.h"
#include "regex.h"

/*
 * An expression bound to one event: every name is a place in its record, or a value, or
 * unknown. bind*.c make it, eval.c runs it.
 */

/* A C number: the value is kept extended to 64 bits by its sign. */
struct query_type {
	uint8_t size;			/* 4 or 8, after C's promotion */
	bool is_signed;
};

enum bound_code {
	/* ---- truths ---- */
	BOUND_CONST,			/* .truth */
	BOUND_AND, BOUND_OR,		/* of all arg */
	BOUND_NOT,			/* of arg[0] */
	BOUND_NONZERO,			/* the number arg[0] */
	BOUND_FIELD,			/* the integer field .load compared by .op with .number */
	BOUND_COMPARE,			/* the numbers arg[0] and arg[1] by .op in .type */
	BOUND_EQUAL_TEXT,		/* the strings arg[0] and arg[1] */
	BOUND_GLOB,			/* the string arg[0] matches .text as the kernel has it */
	BOUND_MATCH,			/* the string arg[0] matches .regex */
	BOUND_IN_NETWORK,		/* the bytes arg[0] are of .address */
	BOUND_IN_CPUS,			/* the number arg[0] is in .cpus */
	BOUND_CPUMASK,			/* the mask .field compared by .op with .cpus */
	/* ---- numbers ---- */
	BOUND_NUMBER,			/* .number */
	BOUND_LOAD,			/* the integer at .load */
	BOUND_ELEMENT,			/* element arg[0] of the array .field */
	BOUND_CPU, BOUND_PID, BOUND_TGID,
	BOUND_TIME,			/* ns since 1970 */
	BOUND_DELTA,			/* ns since the event before of the same task */
	BOUND_UNARY,			/* .op of arg[0] in .type */
	BOUND_BINARY,			/* .op of arg[0] and arg[1] in .type */
	BOUND_TRUTH,			/* arg[0], a truth, as 0 or 1 */
	/* ---- strings and bytes ---- */
	BOUND_TEXT,			/* .text */
	BOUND_BYTES,			/* of the field .field; a string ends at its NUL */
	BOUND_RAW,			/* .number bytes at .load.offset */
	BOUND_COMM,
	BOUND_SHOWN,			/* the field .field as the event's text has it, by .shown */
};

enum query_truth { QUERY_NO, QUERY_YES, QUERY_UNKNOWN };

/* An integer of the record. */
struct bound_load {
	uint32_t offset;
	uint8_t size;			/* 1, 2, 4, 8 */
	bool is_signed;
	bool is_network;		/* big-endian, whatever the machine is */
};

struct bound {
	enum bound_code code;
	enum tsh_query_op op;
	enum query_truth truth;
	struct query_type type;
	struct bound_load load;
	uint64_t number;
	const struct tsh_field *field;	/* the format's */
	char *text;
	struct query_regex *regex;
	struct tsh_query_address address;
	const struct tsh_cpuset *cpus;	/* the expression's */
	struct tsh_field_text *shown;
	struct tsh_strbuf shown_text;	/* the last one */
	struct bound **arg;
	size_t nargs;
};

void query_bound_free(struct bound *b);

/* An expression that is a value, bound to one event. */
struct bound_value {
	struct bound *bound;		/* NULL: unknown */
	const struct tsh_field *field;	/* when it is nothing but that */
	bool is_number;			/* else a text */
	bool is_signed;
	bool is_time;
	enum tsh_query_jiffies jiffies;
};

/* What an expression is bound to. */
struct query_binding {
	const struct tsh_event_format *format;
	struct tsh_decoder *decoder;	/* knows the kernel's symbols */
	unsigned int long_size;		/* of the kernel that wrote it */
	struct tsh_strlist *unknown;	/* names that mean nothing here are added, each once */
	const struct tsh_strlist *fields;	/* strings of other events: no task is meant by such a name; or NULL */
	struct tsh_err *err;
};

/* The tree of a truth, which borrows the format's fields; NULL with err: what stands there
 * cannot be compared so. The caller frees it. */
struct bound *query_bind(const struct tsh_query_node *node, const struct query_binding *to);

/* Adds to *ret what of it the kernel's filter can answer; b is the node bound to the event. */
void query_split(const struct tsh_query_node *node, const struct bound *b,
		 struct tsh_query_split *ret);

/* The terms of b about the task's name that query_split gives to the kernel are true from now on:
 * it has answered them with the name that the task had then. Takes over b. *ret_comm, NULL before:
 * that name, where it can be only one; the caller frees it. */
struct bound *query_believe_comm(struct bound *b, char **ret_comm);

/* What evaluating needs beside the record. */
struct query_run {
	struct tsh_decoder *decoder;
	const struct tsh_record *rec;
	int pid;
	bool big_endian;
	bool has_delta;
	uint64_t delta;			/* of the record's task, ns */
	tsh_query_wall *wall;		/* may be NULL */
	void *wall_ctx;
	uint64_t divisions;		/* by zero, counted up */
};

/* As query_bind, of an expression that need not be a truth. */
struct bound_value *query_bind_value(const struct tsh_query_node *node,
				     const struct query_binding *to);
/* NULL is fine. */
void query_value_free(struct bound_value *v);
void query_eval_value(const struct bound_value *v, struct query_run *run,
		      struct tsh_query_value *ret);
/* False: it is not known. */
bool query_eval_number(const struct bound *b, struct query_run *run, uint64_t *ret);
/* The same; borrowed from the record, the expression or the decoder. */
bool query_eval_text(const struct bound *b, struct query_run *run, const char **ret,
		     size_t *ret_len);

enum query_truth query_eval(const struct bound *b, struct query_run *run);

/* ---- numbers ---- */

struct query_type query_type_common(struct query_type a, struct query_type b);
/* Cut to the type's size, and extended by its sign. */
uint64_t query_type_wrap(struct query_type type, uint64_t value);
/* The kernel's match of a filter's pattern (kernel/trace/trace_events_filter.c, the regex_match
 * functions; lib/glob.c): len is that of the string, without its NUL. */
bool query_kernel_match(const char *pattern, const char *text, size_t len);

#endif
