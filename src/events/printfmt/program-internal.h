/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_EVENTS_PRINTFMT_PROGRAM_INTERNAL_H
#define TRACESH_EVENTS_PRINTFMT_PROGRAM_INTERNAL_H

#include "base/load.h"
#include "program.h"

/*
 * Describes a program: a list of ops. Each op appends a text: first its literal, then the text of
 * its code. Ops refer by index to sources, which are numbers, and to places, which are memory of
 * the record. compile*.c make programs, program*.c run them.
 */
enum op_code {
	OP_END,
	OP_LITERAL,			/* only its literal */
	OP_TEXT,			/* text .a */
	/* ---- fields in this machine's byte order, at offset .a ---- */
	OP_FIELD_DEC_S4,
	OP_FIELD_DEC_U4,
	OP_FIELD_DEC_U8,
	OP_FIELD_HEX_U4,
	OP_FIELD_HEX_U8,
	OP_FIELD_VALUE_U4,		/* %x, with 0x before 10 and more */
	OP_FIELD_VALUE_U8,
	OP_FIELD_CHARS_16,		/* char[16] */
	OP_FIELD_CHARS,			/* char[.b] */
	/* ---- numbers of source .a ---- */
	OP_SIGNED,
	OP_UNSIGNED,
	OP_HEX,
	OP_HEX_WIDE,			/* at least .b digits */
	OP_DEC_WIDE,			/* conversion .b, at least .c digits */
	OP_CHAR,
	OP_CHOICE,			/* text .b; when source .a is 0, text .c */
	OP_INDEXED,			/* the text with the index .b + the number */
	OP_POINTER,			/* plain %p: conversion .b, .c digits */
	OP_SYMBOL,			/* %ps and the like: conversion .b, style .c */
	OP_SYMBOLIC,			/* from table .b */
	OP_FLAGS,			/* from table .b */
	/* ---- control ---- */
	OP_BRANCH,			/* to op .b when source .a is 0 */
	OP_JUMP,			/* to op .b */
	OP_STRING,			/* the string at place .a, up to NUL */
	/* ---- what is long or rare: program-print.c ---- */
	OP_RARE,			/* ops from here on are rare */
	OP_NUMBER = OP_RARE,		/* source .a, printed by conversion .b */
	OP_ODD_CHAR,			/* source .a, conversion .b */
	OP_MARK,			/* begin of a padded string */
	OP_PAD,				/* end of a padded string: conversion .b */
	OP_KERNEL_STRING,		/* the string at the address in source .a */
	OP_ADDRESS,			/* %p of source .a: conversion .b */
	OP_MEMORY,			/* %p of place .a: conversion .b */
	OP_BITMASK,			/* place .a */
	/* place .a, source .b is the length; .c: blanks between the bytes */
	OP_HEX_BYTES,
	/* place .a, source .b is how many elements, source .c their size */
	OP_ARRAY,
	OP_HEX_DUMP,			/* dump .b of place .a */
	OP_STACK,			/* place .a */
};

#define LITERAL_MAX 16
/* Is the length up to which a string has its place in the program's room. */
#define STRING_SHORT 16

struct op {
	uint8_t code;
	uint8_t literal_len;
	uint32_t a, b, c;
	char literal[LITERAL_MAX];
};

/* Says how a source's field is loaded, in this machine's byte order. */
enum load {
	LOAD_U1, LOAD_U2, LOAD_U4, LOAD_U8, LOAD_S1, LOAD_S2, LOAD_S4,
	LOAD_CODE,			/* no field: the code at .at computes the number */
};

/* Describes a number: (field >> shift) & mask. */
struct source {
	uint8_t load;
	uint8_t shift;
	uint32_t at;
	uint64_t mask;
};
#define NO_SOURCE UINT32_MAX

/* Lists the instructions of a machine with an accumulator and a stack, which computes expressions
 * that are no simple source. */
enum ins_code {
	INS_END,
	INS_IMM,			/* acc = imm */
	INS_LOAD,			/* acc = .size bytes of the record at .at */
	INS_LOAD_PLACE,			/* acc = .size bytes of place .at */
	INS_VARIABLE,			/* acc = the kernel's variable, whose name is text .at */
	INS_PUSH,
	INS_ZERO_EXTEND,		/* acc = its low .size bytes */
	INS_SIGN_EXTEND,
	INS_BOOL,			/* acc = acc != 0 */
	INS_NOT,
	INS_NEG,
	INS_COMPL,
	INS_SWAP,			/* acc = its low .size bytes, swapped */
	INS_JUMP,			/* to .at */
	INS_JUMP_ZERO,
	INS_JUMP_NONZERO,
	/* acc = popped op acc; with .has_imm: acc = acc op imm */
	INS_BINARY,			/* binary operators from here on */
	INS_ADD = INS_BINARY, INS_SUB, INS_MUL, INS_DIV_SIGNED, INS_DIV, INS_MOD_SIGNED, INS_MOD,
	INS_AND, INS_OR, INS_XOR,
	INS_SHL, INS_SHR, INS_SAR,	/* shifts by the count modulo the bits of .size bytes */
	INS_EQ, INS_NE, INS_LESS_SIGNED, INS_LESS, INS_GREATER_SIGNED, INS_GREATER,
};

struct ins {
	uint8_t code;
	uint8_t size;
	bool is_signed;
	bool has_imm;
	uint32_t at;
	uint64_t imm;
};
#define STACK_MAX 32

enum place_kind {
	PLACE_FIXED,			/* .size bytes at .offset */
	PLACE_REST,			/* from .offset to the record's end */
	PLACE_DYNAMIC,			/* the memory that the word at .offset refers to */
	/* the memory that the word at .offset refers to, from the word's end */
	PLACE_RELATIVE,
};

struct place {
	uint8_t kind;
	uint32_t offset;
	uint32_t size;
	uint32_t skip;			/* source of an offset into the place; or NO_SOURCE */
};

/* Holds a printf directive, and the sources of its `*`, or NO_SOURCE. */
struct conversion {
	struct directive d;
	uint32_t width, precision;
};

/* Refers to a text in the program's pool. */
struct text_ref {
	uint32_t at;
	uint32_t len;
};

/* Holds a table of __print_symbolic or __print_flags. */
struct table {
	uint64_t *value;
	struct text_ref *name;
	uint32_t n;
	struct text_ref delimiter;
	struct text_ref otherwise;	/* printed for a number without a name; empty: the number */
	/* Holds numbers of entries + 1: by value - base when is_dense, otherwise hashed. */
	uint16_t *slot;
	uint64_t base;
	uint32_t nslots;		/* a power of 2 when hashed */
	bool is_dense;
	bool is_incomplete;		/* values of some entries are not known */
};

static inline uint32_t table_hash(uint64_t value)
{
	return (uint32_t)((value * UINT64_C(0x9e3779b97f4a7c15)) >> 32);
}

/* Holds the arguments of __print_hex_dump. */
struct hex_dump {
	struct text_ref prefix;
	uint32_t prefix_type;		/* indexes of sources, as row, group, len and ascii */
	uint32_t row, group, len, ascii;
};

struct program {
	const struct program_env *env;
	uint32_t need;			/* shorter records are not printed */
	/* room for all text of bounded length, and for what is written beyond it */
	size_t room;
	struct op *ops;
	struct ins *code;
	struct source *sources;
	struct place *places;
	struct conversion *conversions;
	struct text_ref *texts;
	struct table *tables;
	struct hex_dump *dumps;
	size_t ntables;
	bool is_clean;			/* see program_is_clean */
	bool is_checked;		/* it is clean when its strings are; struct run has that */
	bool is_repeatable;		/* see program_is_repeatable */
	char *pool;			/* readable for TEXT_OVERREAD bytes beyond its end */
};
/* Copies of texts are this long or longer, in bytes. */
#define TEXT_OVERREAD 16
/* Sets the room that is kept free beyond the bounded text of a program, in bytes. */
#define ROOM_MARGIN 64

/* Holds the state of one run of a program. */
struct run {
	const struct program *p;
	const unsigned char *data;
	uint32_t size;
	struct tsh_strbuf *out;
	size_t begin;			/* where the event's text begins in out */
	size_t mark;			/* where the padded string begins */
	/* something is not in the record, or the text is too long */
	bool is_bad;
	bool is_dirty;			/* a string has something else than printable ASCII */
};

/* ---- program.c ---- */

void program_table_release(struct table *table);

/* ---- program-eval.c ---- */

uint64_t program_eval(struct run *run, uint32_t at);
/* Resolves a place. Returns false, and marks the run as bad, when it is not entirely in
 * the record. */
bool program_place(struct run *run, uint32_t place, const unsigned char **ret, size_t *ret_len);

static inline uint64_t run_fetch(struct run *run, const struct source *source)
{
	const unsigned char *at = run->data + source->at;
	uint64_t v;

	switch ((enum load)source->load) {
	case LOAD_U1: v = *at; break;
	case LOAD_U2: v = load_u16(at, TSH_HOST_BIG_ENDIAN); break;
	case LOAD_U4: v = load_u32(at, TSH_HOST_BIG_ENDIAN); break;
	case LOAD_U8: v = load_u64(at, TSH_HOST_BIG_ENDIAN); break;
	case LOAD_S1: v = (uint64_t)(int64_t)*(const signed char *)at; break;
	case LOAD_S2: v = (uint64_t)load_signed(at, 2, TSH_HOST_BIG_ENDIAN); break;
	case LOAD_S4: v = (uint64_t)load_signed(at, 4, TSH_HOST_BIG_ENDIAN); break;
	default: return program_eval(run, source->at);
	}
	return (v >> source->shift) & source->mask;
}

static inline uint64_t run_source(struct run *run, uint32_t source)
{
	return run_fetch(run, &run->p->sources[source]);
}

/* ---- program-print.c ---- */

/* Runs an op from OP_RARE on; appends to run->out. */
void program_print(struct run *run, const struct op *op);

#endif
