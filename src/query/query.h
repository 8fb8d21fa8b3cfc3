/* query/query.h - questions about events: where EXPR */
/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_QUERY_QUERY_H
#define TRACESH_QUERY_QUERY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/number.h"
#include "base/vec.h"
#include "events/clock/clock.h"
#include "events/decode/decode.h"

/*
 * Defines the language. Everything that the kernel's filter accepts (trace_events_filter.c) means
 * the same here:
 *
 *	or         := and { "||" and }
 *	and        := not { "&&" not }
 *	not        := { "!" } comparison
 *	comparison := bits [ compare bits | "~" STRING | "=~" STRING | "!~" STRING | "in" set ]
 *	compare    := "==" | "!=" | "<" | "<=" | ">" | ">="
 *	bits       := xor { "|" xor }			(a "|" only inside parentheses)
 *	xor, and bits, shifts, sums, products as in C, "^" "&" "<< >>" "+ -" "* / %"
 *	unary      := { "-" | "~" } primary
 *	primary    := NUMBER | STRING | NAME [".ustring" | ".function"] { "[" bits "]" } |
 *	              "CPUS{" LIST "}" | ADDRESS ["/" BITS] | "(" or ")"
 *	set        := "{" item { "," item } "}" | item
 *	item       := bits | bits ".." bits
 *
 * "&", "^" and "|" bind tighter than comparisons, unlike in C: the kernel's `flags & 4` is a term,
 * and so is `flags & 4 == 4`. A comparison can be a side of another one only in parentheses.
 * NUMBER: 12, 0x1f, 017; with a unit ns us ms s m h d it is a time, with K M G T a size in bytes.
 * STRING: "..", '..', without escapes, as in the kernel.
 */

enum tsh_query_kind {
	TSH_QUERY_NUMBER,	/* .number, .unit */
	TSH_QUERY_STRING,	/* .text */
	TSH_QUERY_NAME,		/* .text: a field, a task's property, an enumerator */
	TSH_QUERY_CPUS,		/* .cpus */
	TSH_QUERY_ADDRESS,	/* .address */
	TSH_QUERY_UNARY,	/* .op: NEG, COMPL or NOT of .arg[0] */
	TSH_QUERY_BINARY,	/* .op of .arg[0] and .arg[1]; OR and AND have two or more */
	TSH_QUERY_INDEX,	/* .arg[0] [ .arg[1] ] */
	TSH_QUERY_FUNCTION,	/* .arg[0], a NAME, as the address of a function */
	TSH_QUERY_USTRING,	/* .arg[0], a NAME, as a string of the process's memory */
	TSH_QUERY_RANGE,	/* .arg[0] .. .arg[1], both within it; only in an IN */
	TSH_QUERY_IN,		/* .arg[0] in the set of .arg[1] and on */
};

enum tsh_query_op {
	TSH_QUERY_OR, TSH_QUERY_AND, TSH_QUERY_NOT,
	TSH_QUERY_EQ, TSH_QUERY_NE, TSH_QUERY_LT, TSH_QUERY_LE, TSH_QUERY_GT, TSH_QUERY_GE,
	TSH_QUERY_GLOB,		/* the kernel's, on a STRING */
	TSH_QUERY_MATCH, TSH_QUERY_NO_MATCH,	/* a POSIX extended regular expression */
	TSH_QUERY_BIT_OR, TSH_QUERY_BIT_XOR, TSH_QUERY_BIT_AND, TSH_QUERY_SHL, TSH_QUERY_SHR,
	TSH_QUERY_ADD, TSH_QUERY_SUB, TSH_QUERY_MUL, TSH_QUERY_DIV, TSH_QUERY_MOD,
	TSH_QUERY_NEG, TSH_QUERY_COMPL,
};

enum tsh_query_unit { TSH_QUERY_PLAIN, TSH_QUERY_TIME, TSH_QUERY_SIZE };

/* Holds an address of a network, and how many of its bits count. */
struct tsh_query_address {
	unsigned char bytes[16];	/* in network order; IPv4 has the first four */
	unsigned char bits;		/* 32 or 128 for a single address */
	bool is_v6;
};

struct tsh_query_node {
	enum tsh_query_kind kind;
	enum tsh_query_op op;
	enum tsh_query_unit unit;
	struct tsh_span span;		/* place in the text */
	uint64_t number;		/* in ns or bytes when it has a unit */
	char *text;			/* ends in NUL, and contains no other NUL */
	struct tsh_cpuset cpus;
	struct tsh_query_address address;
	struct tsh_query_node **arg;
	size_t nargs;
	unsigned int depth;	/* depth of the tree below the node */
};

/* Limits nodes and depth, because a text may be hostile. */
#define TSH_QUERY_NODES_MAX 10000
#define TSH_QUERY_DEPTH_MAX 200

/* Parses a text. The caller frees the tree with tsh_query_node_free. Returns NULL with err,
 * whose span is bytes of the text. */
struct tsh_query_node *tsh_query_parse(const char *text, size_t len, struct tsh_err *err);
/* Frees a tree; may be NULL. */
void tsh_query_node_free(struct tsh_query_node *node);

/* ---- a question that is asked of records ---- */

/*
 * Is a question that is asked of records. A term on a field that an event lacks is unknown, as in
 * SQL: not unknown is unknown, unknown or true is true; a record for which all is unknown does not
 * match. A division by zero, an index beyond an array and a field beyond the record's end are
 * unknown too. FIELD OP NUMBER cuts the number to the field's size, as the kernel's filter does;
 * other arithmetic is C's.
 */
struct tsh_query;

/* Makes a question. Returns NULL with err, whose span is bytes of the text. */
struct tsh_query *tsh_query_new(const char *text, size_t len, struct tsh_err *err);
/*
 * Makes a copy of a question, which asks the same of records of another decoder. Borrows what was
 * parsed, so that the question must live longer. Returns NULL when answers depend on earlier
 * records, or set names of tasks. tsh_query_join adds the account of the copy to that of the
 * question, and lets the copy count anew.
 */
struct tsh_query *tsh_query_fork(const struct tsh_query *q);
void tsh_query_join(struct tsh_query *q, struct tsh_query *copy);
/* Frees a question; may be NULL. */
void tsh_query_free(struct tsh_query *q);
/*
 * Checks that the question can be asked of an event. Returns -1 with err when it compares a field
 * with something impossible, such as a string with a number. Names that the event does not have are
 * no error: they are added to words, each once. The decoder resolves names of functions.
 */
int tsh_query_check(const struct tsh_query *q, struct tsh_decoder *decoder,
		    const struct tsh_event_format *format, unsigned int long_size,
		    struct tsh_strlist *words, struct tsh_err *err);
/* Says whether a name without quotes is compared with comm: it can be a task's name (comm ==
 * bash) or a field (comm != prev_comm). */
bool tsh_query_names_tasks(const struct tsh_query *q);
/* Notes the names of the string fields of an event that may come. In other events such a name,
 * without quotes beside comm, is not the name of a task. To be called before the first record. */
void tsh_query_note_fields(struct tsh_query *q, const struct tsh_event_format *format);
/* Holds a name of an event or a system that is asked for: event == NAME, system in {NAME, ..}. */
struct tsh_query_event_name {
	const char *text;		/* borrowed */
	bool is_system;
	struct tsh_span span;
};
/* Calls check for each such name in the question, until a call returns false. Returns false
 * then, otherwise true. */
bool tsh_query_each_event_name(const struct tsh_query *q,
			       bool (*check)(void *ctx, const struct tsh_query_event_name *name),
			       void *ctx);
/* Finds the first place of a name. *ret_beside: the name that it is compared with, or NULL.
 * Returns false when the name occurs nowhere. */
bool tsh_query_name_at(const struct tsh_query *q, const char *name, struct tsh_span *ret,
		       const char **ret_beside);
/* Sets the clock of the records' stamps, before the first question: `time` needs it, and so does
 * `delta` unless the stamps are in ns. It is borrowed. */
void tsh_query_set_clock(struct tsh_query *q, const struct tsh_clock *clock);
/* Says whether the answer for a record depends on earlier records, so that tsh_query_match or
 * tsh_query_observe has to get each of them. */
bool tsh_query_needs_all(const struct tsh_query *q);
/* Says whether the question has `comm`, which is the task's name in events without a field comm. */
bool tsh_query_needs_names(const struct tsh_query *q);
/* Holds a term of a question; all terms have to be true. */
struct tsh_query_part {
	struct tsh_span span;		/* in its text */
	const char *why;		/* why the kernel cannot answer it; NULL when it can */
};

/* Holds what the kernel's own filter can answer of a question for an event. */
struct tsh_query_split {
	struct tsh_strbuf filter;	/* in the kernel's grammar; empty when there is nothing */
	TSH_VEC(struct tsh_query_part) parts;
};
/*
 * Finds the filter that answers a question for an event, as far as the kernel can. A record that
 * the filter lets pass still has to be matched; one that it holds back does not match. *ret must be
 * zeroed. Returns -1 with err as tsh_query_check does, and then leaves nothing to release. Some
 * kernels may still refuse the filter.
 */
int tsh_query_split(const struct tsh_query *q, struct tsh_decoder *decoder,
		    const struct tsh_event_format *format, unsigned int long_size,
		    struct tsh_query_split *ret, struct tsh_err *err);
void tsh_query_split_release(struct tsh_query_split *split);
/*
 * Notes that the kernel filters the event with that id by the filter of tsh_query_split. Its terms
 * on the task's name (comm == "sh") then hold for each record: the kernel knew the name at that
 * moment, while here it may be unknown or changed by now. Holds until tsh_query_unfiltered.
 */
void tsh_query_filtered(struct tsh_query *q, unsigned int id);
/* Notes that the kernel no longer filters the event with that id. */
void tsh_query_unfiltered(struct tsh_query *q, unsigned int id);

/*
 * Says whether a record matches. `layout` and `decoder` are those of the stream. All calls need the
 * same decoder, because it learns names of tasks from every record, matching or not. A record does
 * not match when the question cannot be asked of its event (see tsh_query_account).
 */
bool tsh_query_match(struct tsh_query *q, struct tsh_decoder *decoder,
		     const struct tsh_page_layout *layout, const struct tsh_record *rec);
/* Notes a record that tsh_query_match is not called for, so that `delta` of the task's next
 * record counts from it. */
void tsh_query_observe(struct tsh_query *q, struct tsh_decoder *decoder, const struct tsh_page_layout *layout,
		       const struct tsh_record *rec);
/* Notes that the caller calls tsh_query_observe for every record, and before tsh_query_match. */
void tsh_query_set_observes_all(struct tsh_query *q);
/* Drops what was bound to formats; to be called when they are forgotten (tsh_decoder_forget). */
void tsh_query_forget(struct tsh_query *q);

/* ---- values: `fields expires wait=expires-now` ---- */

enum tsh_query_value_kind {
	TSH_QUERY_VALUE_UNKNOWN,
	TSH_QUERY_VALUE_NUMBER,		/* .number, .is_signed */
	TSH_QUERY_VALUE_TIME,		/* .number: ns since 1970 */
	TSH_QUERY_VALUE_TEXT,		/* .bytes, .len; for an array its bytes in the record */
};
/* Says how a number counts ticks of the kernel's timer. */
enum tsh_query_jiffies {
	TSH_QUERY_NO_JIFFIES,
	TSH_QUERY_JIFFIES_MOMENT,	/* a moment, counted as the kernel does, from 300 s before 2^32 on */
	TSH_QUERY_JIFFIES_SPAN,		/* between two moments; signed, of the size of a long */
};

/* Says whether the field at that offset is such a moment. */
bool tsh_query_holds_jiffies(const struct tsh_event_format *format, uint32_t offset);

struct tsh_query_value {
	enum tsh_query_value_kind kind;
	enum tsh_query_jiffies jiffies;
	bool is_signed;
	bool is_array;			/* TEXT holds the bytes of an array */
	uint64_t number;
	const char *bytes;		/* valid until the next call */
	size_t len;
	const struct tsh_field *field;	/* set when the expression is just this field; or NULL */
};
/* Makes an expression that has a value of any kind. Works with tsh_query_value and the functions
 * above, except tsh_query_match and tsh_query_split. Errors as tsh_query_new. */
struct tsh_query *tsh_query_new_value(const char *text, size_t len, struct tsh_err *err);
/* Returns the kind of the value for an event before there is a record: NUMBER, TIME, TEXT, or
 * UNKNOWN. */
enum tsh_query_value_kind tsh_query_kind_of(const struct tsh_query *q, struct tsh_decoder *decoder,
					    const struct tsh_event_format *format,
					    unsigned int long_size);
/* Returns the value for a record; the decoder as in tsh_query_match. */
void tsh_query_value(struct tsh_query *q, struct tsh_decoder *decoder,
		     const struct tsh_page_layout *layout, const struct tsh_record *rec,
		     struct tsh_query_value *ret);

/* Counts the records that tsh_query_match and tsh_query_value got, and their failures. */
struct tsh_query_account {
	uint64_t asked;
	uint64_t unknown;		/* records for which the answer was unknown */
	uint64_t divisions;		/* divisions by zero */
	struct tsh_strlist words;	/* names that some event does not have */
	char *refused;			/* why the first event could not be asked; or NULL */
};
/* Returns the account, which is valid as long as q. */
const struct tsh_query_account *tsh_query_account(struct tsh_query *q);

#endif
