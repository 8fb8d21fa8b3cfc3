/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_EVENTS_PRINTFMT_EXPR_H
#define TRACESH_EVENTS_PRINTFMT_EXPR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "format.h"


/*
 * The C of print formats: the text behind "print fmt:" is a format string and its
 * arguments, as the preprocessor left them (include/trace/stages/stage4_event_fields.h,
 * kernel/trace/trace_events.c). Parsed into trees whose every node has a type.
 */

/* A C type, as the kernel that wrote the format has it (its long may be 4 bytes). */
struct ctype {
	uint8_t size;			/* of the value: 1, 2, 4, 8; 0: void, a structure */
	bool is_signed;
	bool is_bool;
	uint8_t stars;			/* 0: a number; 1: T *; 2: T ** */
	uint8_t target_size;		/* of T; 0: void, or a structure that nobody knows */
	bool target_signed;
	bool target_is_char;		/* T is char, of whatever sign: %s can print it */
	bool target_is_struct;		/* T has no value that could be loaded */
	bool target_is_page;		/* T is struct page, whose size is not every kernel's */
};

enum expr_kind {
	EXPR_NUMBER,			/* .number */
	EXPR_STRING,			/* .text, .len: escapes and pieces put together */
	EXPR_FIELD,			/* .field: REC->name. An array is its address */
	EXPR_NAME,			/* .text: an identifier nobody resolved (jiffies) */
	EXPR_UNARY,			/* .op - + ! ~ on arg[0] */
	/*
	 * .op on arg[0], arg[1]; operands have their own types. ADD and SUB of a pointer and
	 * a number count in elements (target_size; void: bytes); so does pointer - pointer.
	 */
	EXPR_BINARY,
	EXPR_COND,			/* arg[0] ? arg[1] : arg[2] */
	EXPR_CAST,			/* arg[0] as .type */
	EXPR_INDEX,			/* arg[0][arg[1]] */
	EXPR_DEREF,			/* *arg[0] */
	EXPR_ADDRESS,			/* &arg[0], a FIELD, an INDEX or a DEREF */
	EXPR_CALL,			/* .text(arg..): __get_str, __print_flags, never sizeof */
	/* { value, "text" } pairs: arg[2 * i], arg[2 * i + 1]. The last argument of its CALL;
	 * ends before a pair whose text is NULL, as the kernel does. */
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
	 * Of the value, after C's promotions and conversions. STRING: const char *.
	 * CALL: of what the kernel's macro gives: __get_str char *, __get_dynamic_array
	 * a pointer to the field's elements, __get_dynamic_array_len unsigned int,
	 * __get_bitmask and the __print_ family const char *, jiffies_to_msecs unsigned
	 * int; an unknown function: size 0.
	 */
	struct ctype type;
	uint64_t number;		/* sign- or zero-extended from type */
	char *text;			/* ends in NUL, which len does not count */
	size_t len;
	/* Borrowed. Also of a CALL whose first argument is a bare field name: arg begins
	 * with the second then. */
	const struct tsh_field *field;
	struct expr **arg;
	size_t nargs;
};

/* The value of an identifier that is no field: an enumerator. False: unknown. */
typedef bool expr_resolve(void *ctx, const char *name, int64_t *ret);

/*
 * Constant subtrees are folded into NUMBER with C's types; `0 ? a : b` and the like are
 * folded too. sizeof and statement expressions `({ int x = a; int y = b; x < y ? x : y; })`
 * are resolved while parsing. Subtrees may be shared; walked as a tree there are never more
 * than 100,000 nodes, 400 deep.
 */
struct print_fmt {
	char *format;			/* escapes resolved; directives as they are */
	size_t format_len;
	struct expr **arg;
	size_t nargs;
	void *memory;			/* owns all nodes and texts */
};

/*
 * 0; or -EINVAL, and *ret_why (malloc'd, the caller frees it) says what at which place is
 * beyond the parser: hostile text is bounded (nesting, number of nodes), never a crash.
 * `format` must outlive the trees. resolve may be NULL.
 */
int print_fmt_parse(const struct tsh_event_format *format, unsigned int long_size,
		    expr_resolve *resolve, void *resolve_ctx, struct print_fmt *ret,
		    char **ret_why);
void print_fmt_release(struct print_fmt *fmt);
/* Cuts it down to what it says of one field alone: its first directive of that kind, and those
 * that follow at once. False: there is none; fmt has to be released all the same. */
bool print_fmt_narrow(struct print_fmt *fmt, const struct tsh_field *field,
		      unsigned int long_size);

/* ---- types ---- */

/*
 * The type that words name: "unsigned int", "u64", "const char *", "gfp_t", "enum foo",
 * "struct page *". False: a typedef that nobody knows.
 */
bool ctype_parse(const char *words, size_t len, unsigned int long_size, struct ctype *ret);
/* What a word tells about the type it begins. */
enum ctype_word {
	CTYPE_OTHER,			/* a typedef, if anything */
	CTYPE_QUALIFIER,		/* const, static */
	CTYPE_SPECIFIER,		/* unsigned, int */
	CTYPE_TAG,			/* struct, union, enum */
};
enum ctype_word ctype_word(const char *word, size_t len);
/* A field's: an array's is a pointer to its elements. */
struct ctype ctype_of_field(const struct tsh_field *field, unsigned int long_size);
/* C's integer promotion, and the usual arithmetic conversions. */
struct ctype ctype_promote(struct ctype type);
struct ctype ctype_common(struct ctype a, struct ctype b, unsigned int long_size);
/* A value cut to the type's size, and extended to 64 bits by its sign. */
uint64_t ctype_wrap(struct ctype type, uint64_t value);
/* One operation with C's semantics in `type` (operands converted by the caller to it, but
 * for shifts; comparisons give 0 or 1). False: division by zero. */
bool ctype_apply(enum expr_op op, struct ctype type, uint64_t a, uint64_t b, uint64_t *ret);

#endif
