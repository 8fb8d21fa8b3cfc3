/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_QUERY_BOUND_H
#define TRACESH_QUERY_BOUND_H

#include "base/vec.h"
#include "events/decode/decode.h"
#include "events/decode/field-text.h"
#include "query.h"
#include "regex.h"

/*
 * Describes an expression that is bound to one event: each name is a place in its record, a value,
 * or unknown. An expression has a truth (yes, no or unknown), a number, or a text. bind*.c makes
 * it, eval.c runs it.
 */

/* Describes a C number. Its value is kept in 64 bits, extended by its sign. */
struct query_type {
	uint8_t size;			/* 4 or 8, after C's promotion */
	bool is_signed;
};

enum bound_code {
	/* ---- truths ---- */
	BOUND_CONST,			/* .truth */
	BOUND_AND, BOUND_OR,		/* of all arguments */
	BOUND_NOT,			/* of arg[0] */
	BOUND_NONZERO,			/* the number arg[0] */
	BOUND_FIELD,			/* the integer field .load compared by .op with .number */
	BOUND_COMPARE,			/* the numbers arg[0] and arg[1] by .op in .type */
	BOUND_EQUAL_TEXT,		/* the strings arg[0] and arg[1] */
	BOUND_GLOB,			/* the string arg[0] matches .text as in the kernel's filter */
	BOUND_MATCH,			/* the string arg[0] matches .regex */
	BOUND_IN_NETWORK,		/* the address in the bytes arg[0] lies in .address */
	BOUND_IN_CPUS,			/* the number arg[0] is in .cpus */
	BOUND_CPUMASK,			/* the mask .field compared by .op with .cpus */
	/* ---- numbers ---- */
	BOUND_NUMBER,			/* .number */
	BOUND_LOAD,			/* the integer at .load */
	BOUND_ELEMENT,			/* element arg[0] of the array .field */
	BOUND_CPU, BOUND_PID, BOUND_TGID,
	BOUND_TIME,			/* ns since 1970 */
	BOUND_DELTA,			/* ns since the previous event of the same task */
	BOUND_UNARY,			/* .op of arg[0] in .type */
	BOUND_BINARY,			/* .op of arg[0] and arg[1] in .type */
	BOUND_TRUTH,			/* arg[0], a truth, as 0 or 1 */
	/* ---- strings and bytes ---- */
	BOUND_TEXT,			/* .text */
	BOUND_BYTES,			/* bytes of the field .field; a string ends at its NUL */
	BOUND_RAW,			/* .number bytes at .load.offset */
	BOUND_COMM,
	BOUND_SHOWN,			/* the text that the event shows for the field .field, made by .shown */
};

enum query_truth { QUERY_NO, QUERY_YES, QUERY_UNKNOWN };

/* Describes an integer of the record. */
struct bound_load {
	uint32_t offset;
	uint8_t size;			/* 1, 2, 4, 8 */
	bool is_signed;
	bool is_network;		/* big-endian on every machine */
};

struct bound {
	enum bound_code code;
	enum tsh_query_op op;
	enum query_truth truth;
	struct query_type type;
	struct bound_load load;
	uint64_t number;
	const struct tsh_field *field;	/* borrowed from the format */
	char *text;
	struct query_regex *regex;
	struct tsh_query_address address;
	const struct tsh_cpuset *cpus;	/* borrowed from the expression */
	struct tsh_field_text *shown;
	struct tsh_strbuf shown_text;	/* the text that was made last */
	struct bound **arg;
	size_t nargs;
};

void query_bound_free(struct bound *b);

/* Holds an expression that gives a value, bound to one event. */
struct bound_value {
	struct bound *bound;		/* NULL: unknown */
	const struct tsh_field *field;	/* set when the expression is just this field */
	bool is_number;			/* otherwise it is a text */
	bool is_signed;
	bool is_time;
	enum tsh_query_jiffies jiffies;
};

/* Says what an expression is bound to. */
struct query_binding {
	const struct tsh_event_format *format;
	struct tsh_decoder *decoder;	/* finds the kernel's symbols */
	unsigned int long_size;		/* of the kernel that wrote the record */
	struct tsh_strlist *unknown;	/* gets each name that has no meaning here, once */
	/* names of string fields of other events, which are no names of tasks; or NULL */
	const struct tsh_strlist *fields;
	struct tsh_err *err;
};

/* Binds an expression as a truth. The result borrows the fields of the format; the caller frees
 * it. Returns NULL with err when something cannot be compared this way. */
struct bound *query_bind(const struct tsh_query_node *node, const struct query_binding *to);

/* Adds to *ret each term of `node` (all terms have to be true), and the filter for those that
 * the kernel can answer. b is `node`, bound to the event. */
void query_split(const struct tsh_query_node *node, const struct bound *b,
		 struct tsh_query_split *ret);

/*
 * Replaces by "true" each term on the task's name that is in the kernel's filter (query_split): the
 * kernel has compared it with the name that the task had at that moment. Takes over b. *ret_comm is
 * NULL before; it becomes the name in a term comm == NAME, and the caller frees it.
 */
struct bound *query_replace_comm(struct bound *b, char **ret_comm);

/* Holds what the evaluation of one record needs. */
struct query_run {
	struct tsh_decoder *decoder;
	const struct tsh_record *rec;
	int pid;
	bool big_endian;
	bool has_delta;
	uint64_t delta;			/* ns since the previous event of the record's task */
	const struct tsh_clock *clock;	/* NULL: not known */
	uint64_t divisions;		/* counts the divisions by zero */
};

/* Returns in *ret the wall time of the present record, in ns since 1970. Returns false when it
 * has none. */
bool query_wall(const struct query_run *run, int64_t *ret);

/* Binds as query_bind does, but the expression may also have a number or a text. */
struct bound_value *query_bind_value(const struct tsh_query_node *node,
				     const struct query_binding *to);
/* Frees a value; may be NULL. */
void query_value_free(struct bound_value *v);
/* Evaluates a value of any kind. Texts in *ret are valid until the next call. */
void query_eval_value(const struct bound_value *v, struct query_run *run,
		      struct tsh_query_value *ret);
/* Evaluates a number. Returns false when it is unknown. */
bool query_eval_number(const struct bound *b, struct query_run *run, uint64_t *ret);
/* Evaluates a text, which is borrowed from the record, the expression or the decoder. Returns
 * false when it is unknown. */
bool query_eval_text(const struct bound *b, struct query_run *run, const char **ret,
		     size_t *ret_len);

/* Evaluates a truth. Returns QUERY_UNKNOWN when it depends on a value that is unknown. */
enum query_truth query_eval(const struct bound *b, struct query_run *run);

/* ---- numbers ---- */

/* Returns the type to which C converts two operands of arithmetic. */
struct query_type query_type_common(struct query_type a, struct query_type b);
/* Cuts a value to the type's size, and extends it by its sign. */
uint64_t query_type_wrap(struct query_type type, uint64_t value);
/* Matches a pattern as the kernel's filter does (kernel/trace/trace_events_filter.c, the
 * regex_match functions; lib/glob.c). len is the length of the text, without its NUL. */
bool query_kernel_match(const char *pattern, const char *text, size_t len);

#endif
