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
#include "events/decode/decode.h"

/*
 * The language. What the kernel's filter takes (trace_events_filter.c) means the same here:
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
 * "&", "^" and "|" bind tighter than comparisons, not as in C: the kernel's `flags & 4` is a
 * term, and so is `flags & 4 == 4`. A comparison has no other comparison as its side, but in
 * parentheses. NUMBER: 12, 0x1f, 017 and, with a unit behind it, ns us ms s m h d (then it is
 * a time) or K M G T (a size in bytes). STRING: "..", '..', without escapes, as the kernel.
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

/* An address of a network with how many of its bits count. */
struct tsh_query_address {
	unsigned char bytes[16];	/* in the order of the network; IPv4: the first four */
	unsigned char bits;		/* 32 or 128 for a single one */
	bool is_v6;
};

struct tsh_query_node {
	enum tsh_query_kind kind;
	enum tsh_query_op op;
	enum tsh_query_unit unit;
	struct tsh_span span;		/* in the text */
	uint64_t number;		/* ns or bytes where it has a unit */
	char *text;			/* ends in NUL; no byte of it is one */
	struct tsh_cpuset cpus;
	struct tsh_query_address address;
	struct tsh_query_node **arg;
	size_t nargs;
	unsigned int depth;	/* of the tree below it */
};

/* At most so many nodes, so deep: a text may come from anywhere. */
#define TSH_QUERY_NODES_MAX 10000
#define TSH_QUERY_DEPTH_MAX 200

/* The tree of a text; NULL with err, whose span counts in the text. The caller frees it with
 * tsh_query_node_free. */
struct tsh_query_node *tsh_query_parse(const char *text, size_t len, struct tsh_err *err);
/* NULL is fine. */
void tsh_query_node_free(struct tsh_query_node *node);

/* ---- a question that is asked of records ---- */

/*
 * A term on a field that an event lacks is unknown, as in SQL: not unknown is unknown,
 * unknown or true is true; and what is unknown in the end does not match. So is a division
 * by zero, an index beyond an array, a record that ends before the field. FIELD OP NUMBER
 * cuts the number to the field's size, as the kernel's filter does; other sums are C's.
 */
struct tsh_query;

/* NULL with err, whose span counts in the text. */
struct tsh_query *tsh_query_new(const char *text, size_t len, struct tsh_err *err);
/* NULL is fine. */
void tsh_query_free(struct tsh_query *q);
/*
 * Whether the question can be asked of an event: -1 with err when a field of it is compared
 * with what it cannot be, as a string with a number. Names that mean nothing in it are no
 * error: they are added to words, each once. The decoder is for the names of functions.
 */
int tsh_query_check(const struct tsh_query *q, struct tsh_decoder *decoder,
		    const struct tsh_event_format *format, unsigned int long_size,
		    struct tsh_strlist *words, struct tsh_err *err);
/* Whether a name without quotes stands beside comm: a task's (comm == bash), or a field (comm != prev_comm). */
bool tsh_query_names_tasks(const struct tsh_query *q);
/* Takes note of an event that may come: a name that is a string of it is no task's in the others. Before the first record. */
void tsh_query_see_fields(struct tsh_query *q, const struct tsh_event_format *format);
/* A name of an event or a system that is asked for: event == NAME, system in {NAME, ..}. */
struct tsh_query_event_name {
	const char *text;		/* borrowed */
	bool is_system;
	struct tsh_span span;
};
/* Calls check for each until one returns false, which is returned. */
bool tsh_query_each_event_name(const struct tsh_query *q,
			       bool (*check)(void *ctx, const struct tsh_query_event_name *name),
			       void *ctx);
/* Where a name stands first. *ret_beside: the name that it is compared with, or NULL. False: it
 * stands nowhere. */
bool tsh_query_name_at(const struct tsh_query *q, const char *name, struct tsh_span *ret,
		       const char **ret_beside);
/* Tells the wall time (ns since 1970) of a record, where it has one. For `time`, which is
 * unknown without, and for `delta` unless the stamps are ns; set before the first question. */
typedef bool tsh_query_wall(void *ctx, const struct tsh_record *rec, int64_t *ret);
void tsh_query_set_wall(struct tsh_query *q, tsh_query_wall *wall, void *ctx,
			bool stamps_are_ns);
/* Whether its answer for a record depends on the records before: every one has to be asked. */
bool tsh_query_needs_all(const struct tsh_query *q);
/* Whether it asks for comm where no field is called so. */
bool tsh_query_needs_names(const struct tsh_query *q);
/* A term of a question; all of them have to be true. */
struct tsh_query_part {
	struct tsh_span span;		/* in its text */
	const char *why;		/* the kernel cannot answer it; NULL: it can */
};

/* What of a question the kernel's own filter can answer for an event. */
struct tsh_query_split {
	struct tsh_strbuf filter;	/* in the kernel's grammar; empty: nothing */
	TSH_VEC(struct tsh_query_part) parts;
};
/*
 * Splits a question: a record that the filter lets pass has still to be asked, one that it
 * holds back does not match. *ret is zeroed; -1 with err as tsh_query_check, and nothing to
 * release. Whether this kernel takes the filter is for it to say.
 */
int tsh_query_split(const struct tsh_query *q, struct tsh_decoder *decoder,
		    const struct tsh_event_format *format, unsigned int long_size,
		    struct tsh_query_split *ret, struct tsh_err *err);
void tsh_query_split_release(struct tsh_query_split *split);
/*
 * Every record of the event with that id has passed the filter of the split. What it says of the
 * task's name (comm == "sh") is known, then: the kernel knew the name that the task had at that
 * moment, here it may be unknown by now, or another one. Until it is unfiltered again.
 */
void tsh_query_filtered(struct tsh_query *q, unsigned int id);
void tsh_query_unfiltered(struct tsh_query *q, unsigned int id);

/*
 * Whether a record matches. The decoder is that of the stream, with which layout belongs: one
 * for all calls. It learns names of tasks from every record, matching or not. Records of an
 * event that cannot be asked do not match, see tsh_query_account.
 */
bool tsh_query_match(struct tsh_query *q, struct tsh_decoder *decoder,
		     const struct tsh_page_layout *layout, const struct tsh_record *rec);
/* Takes note of a record that nobody asks about: delta of the next one of its task counts from it. */
void tsh_query_see(struct tsh_query *q, struct tsh_decoder *decoder, const struct tsh_page_layout *layout,
		   const struct tsh_record *rec);
/* From now on it sees every record in that way, those that are asked about, too, before they are. */
void tsh_query_see_all(struct tsh_query *q);
/* The formats have been forgotten (tsh_decoder_forget): so is what was bound to them. */
void tsh_query_forget(struct tsh_query *q);

/* ---- values: `fields expires wait=expires-now` ---- */

enum tsh_query_value_kind {
	TSH_QUERY_VALUE_UNKNOWN,
	TSH_QUERY_VALUE_NUMBER,		/* .number, .is_signed */
	TSH_QUERY_VALUE_TIME,		/* .number: ns since 1970 */
	TSH_QUERY_VALUE_TEXT,		/* .bytes, .len; of an array what the record has */
};
/* A number of ticks of the kernel's timer. */
enum tsh_query_jiffies {
	TSH_QUERY_NO_JIFFIES,
	TSH_QUERY_JIFFIES_MOMENT,	/* as the kernel counts them, from 300 s before 2^32 on */
	TSH_QUERY_JIFFIES_SPAN,		/* between two of these; of long's size, signed */
};

/* Whether the field at that offset is such a moment. */
bool tsh_query_holds_jiffies(const struct tsh_event_format *format, uint32_t offset);

struct tsh_query_value {
	enum tsh_query_value_kind kind;
	enum tsh_query_jiffies jiffies;
	bool is_signed;
	bool is_array;			/* TEXT is the bytes of an array */
	uint64_t number;
	const char *bytes;		/* borrowed until the next call */
	size_t len;
	const struct tsh_field *field;	/* the expression is this and nothing else; or NULL */
};
/* As tsh_query_new, of an expression whose value is wanted: it may be any. It answers
 * tsh_query_value, and the functions above but match and split. */
struct tsh_query *tsh_query_new_value(const char *text, size_t len, struct tsh_err *err);
/* What it is for an event, before there is a record: NUMBER, TIME, TEXT, or UNKNOWN. */
enum tsh_query_value_kind tsh_query_kind_of(const struct tsh_query *q, struct tsh_decoder *decoder,
					    const struct tsh_event_format *format,
					    unsigned int long_size);
/* Its value for a record, as tsh_query_match. */
void tsh_query_value(struct tsh_query *q, struct tsh_decoder *decoder,
		     const struct tsh_page_layout *layout, const struct tsh_record *rec,
		     struct tsh_query_value *ret);

/* What became of the records that were asked. */
struct tsh_query_account {
	uint64_t asked;
	uint64_t unknown;		/* neither yes nor no */
	uint64_t divisions;		/* by zero */
	struct tsh_strlist words;	/* names that meant nothing in some event */
	char *refused;			/* why an event could not be asked, the first; or NULL */
};
/* Borrowed, as long as q. */
const struct tsh_query_account *tsh_query_account(struct tsh_query *q);

#endif
