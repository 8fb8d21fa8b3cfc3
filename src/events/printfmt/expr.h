/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_EVENTS_PRINTFMT_EXPR_H
#define TRACESH_EVENTS_PRINTFMT_EXPR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "format.h"

/*
 * Parses the C of print formats: the text behind "print fmt:" is a format string and its arguments,
 * as the preprocessor left them (include/trace/stages/stage4_event_fields.h,
 * kernel/trace/trace_events.c). The result is trees, whose nodes all have a type.
 */

/* Describes a C type of the kernel that wrote the format (its long may have 4 bytes). */
struct ctype {
	uint8_t size;			/* of the value: 1, 2, 4, 8; 0: void, a structure */
	bool is_signed;
	bool is_bool;
	uint8_t stars;			/* 0: a number; 1: T *; 2: T ** */
	uint8_t target_size;		/* size of T; 0: void, or an unknown structure */
	bool target_signed;
	bool target_is_char;		/* T is char of either sign: %s can print it */
	bool target_is_struct;		/* T cannot be loaded as a value */
	bool target_is_page;		/* T is struct page, whose size differs between kernels */
};

enum expr_kind {
	EXPR_NUMBER,			/* .number */
	EXPR_STRING,			/* .text, .len: without escapes, adjacent strings joined */
	EXPR_FIELD,			/* .field: REC->name; an array is its address */
	EXPR_NAME,			/* .text: an identifier that was not resolved (jiffies) */
	EXPR_UNARY,			/* .op - + ! ~ on arg[0] */
	/* .op on arg[0], arg[1], which have their own types. ADD and SUB of a pointer and a number
	 * count elements (target_size; for void bytes); so does pointer - pointer. */
	EXPR_BINARY,
	EXPR_COND,			/* arg[0] ? arg[1] : arg[2] */
	EXPR_CAST,			/* arg[0] as .type */
	EXPR_INDEX,			/* arg[0][arg[1]] */
	EXPR_DEREF,			/* *arg[0] */
	EXPR_ADDRESS,			/* &arg[0], a FIELD, an INDEX or a DEREF */
	EXPR_CALL,			/* .text(arg..): __get_str, __print_flags, never sizeof */
	/* Pairs { value, "text" }: arg[2 * i], arg[2 * i + 1]. It is the last argument of its CALL,
	 * and ends before a pair whose text is NULL, as in the kernel. */
	EXPR_TABLE,
};

enum expr_op {
	EXPR_ADD, EXPR_SUB, EXPR_MUL, EXPR_DIV, EXPR_MOD, EXPR_SHL, EXPR_SHR, EXPR_AND,
	EXPR_OR, EXPR_XOR, EXPR_EQ, EXPR_NE, EXPR_LT, EXPR_LE, EXPR_GT, EXPR_GE,
	EXPR_LOGICAL_AND, EXPR_LOGICAL_OR, EXPR_NEG, EXPR_PLUS, EXPR_NOT, EXPR_COMPL,
};

struct expr {
	enum expr_kind kind;
	enum expr_op op;
	/*
	 * Type of the value, after C's promotions and conversions. A STRING is const char *. A CALL
	 * has the type of the kernel's macro: __get_str char *, __get_dynamic_array a pointer to
	 * the field's elements, __get_dynamic_array_len unsigned int, __get_bitmask and the
	 * __print_ family const char *, jiffies_to_msecs unsigned int; an unknown function has size
	 * 0.
	 */
	struct ctype type;
	uint64_t number;		/* sign- or zero-extended from its type */
	char *text;			/* ends in a NUL that len does not count */
	size_t len;
	/* Borrowed. For a CALL: its first argument, when that is only a field's name; arg then
	 * begins with the second one. */
	const struct tsh_field *field;
	struct expr **arg;
	size_t nargs;
};

/* Finds the value of an identifier that is no field: an enumerator. Returns false when it is
 * unknown. */
typedef bool expr_resolve(void *ctx, const char *name, int64_t *ret);

/*
 * Holds a parsed print format. Constant subtrees are folded into a NUMBER with C's types, also
 * `0 ? a : b`. sizeof is resolved while parsing, and so are statement expressions such as
 * `({ int x = a; int y = b; x < y ? x : y; })`. Subtrees may be shared; a walk of the tree meets at
 * most 100,000 nodes, 400 deep.
 */
struct print_fmt {
	char *format;			/* without escapes; the directives are as written */
	size_t format_len;
	struct expr **arg;
	size_t nargs;
	void *memory;			/* owns all nodes and texts */
};

/*
 * Parses the print format of an event, which must outlive the trees. Hostile text is bounded
 * (nesting, number of nodes), and never crashes. resolve may be NULL. Returns 0; or -EINVAL, with
 * what could not be parsed, and where, in *ret_why (malloc'd, the caller frees it).
 */
int print_fmt_parse(const struct tsh_event_format *format, unsigned int long_size,
		    expr_resolve *resolve, void *resolve_ctx, struct print_fmt *ret,
		    char **ret_why);
void print_fmt_release(struct print_fmt *fmt);
/*
 * Reduces a print format to one field: the first directive that prints the field, and those that
 * directly follow. Returns false when no directive prints it. The caller releases fmt in any case.
 */
bool print_fmt_narrow(struct print_fmt *fmt, const struct tsh_field *field,
		      unsigned int long_size);

/* ---- types ---- */

/* Parses the words of a type: "unsigned int", "u64", "const char *", "gfp_t", "enum foo",
 * "struct page *". Returns false for an unknown typedef. */
bool ctype_parse(const char *words, size_t len, unsigned int long_size, struct ctype *ret);
/* Classifies the words of a type. */
enum ctype_word {
	CTYPE_OTHER,			/* may be a typedef */
	CTYPE_QUALIFIER,		/* const, static */
	CTYPE_SPECIFIER,		/* unsigned, int */
	CTYPE_TAG,			/* struct, union, enum */
};
enum ctype_word ctype_word(const char *word, size_t len);
/* Returns the type of a field; for an array it is a pointer to its elements. */
struct ctype ctype_of_field(const struct tsh_field *field, unsigned int long_size);
/* Do C's integer promotion, and the usual arithmetic conversions. */
struct ctype ctype_promote(struct ctype type);
struct ctype ctype_common(struct ctype a, struct ctype b, unsigned int long_size);
/* Cuts a value to the type's size, and extends it to 64 bits by its sign. */
uint64_t ctype_wrap(struct ctype type, uint64_t value);
/* Computes one operation in `type` as C does. The caller has converted the operands to it (except
 * for shifts); comparisons give 0 or 1. Returns false for a division by zero. */
bool ctype_apply(enum expr_op op, struct ctype type, uint64_t a, uint64_t b, uint64_t *ret);

#endif
