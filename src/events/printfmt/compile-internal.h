/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_EVENTS_PRINTFMT_COMPILE_INTERNAL_H
#define TRACESH_EVENTS_PRINTFMT_COMPILE_INTERNAL_H

#include "base/vec.h"
#include "expr.h"
#include "program-internal.h"

/* Compiles trees into a program. Functions that return bool return false on a failure, with the
 * reason in `why`; then the program cannot be used. */
struct compiler {
	const struct program_env *env;
	const struct tsh_event_format *format;
	TSH_VEC(struct op) ops;
	TSH_VEC(struct ins) code;
	TSH_VEC(struct source) sources;
	TSH_VEC(struct place) places;
	TSH_VEC(struct conversion) conversions;
	TSH_VEC(struct text_ref) texts;
	TSH_VEC(struct table) tables;
	TSH_VEC(struct hex_dump) dumps;
	struct tsh_strbuf pool;
	struct tsh_strbuf literal;	/* literal text that the next op begins with */
	size_t room;
	uint32_t need;
	unsigned int depth;		/* depth of the stack at this point of the code */
	char *why;
};

/* Holds the lengths of all parts of a program, to return to them. */
struct compiler_mark {
	size_t ops, code, sources, places, conversions, texts, tables, dumps, pool, room;
};

/* ---- compile-emit.c ---- */

struct compiler_mark compile_mark(const struct compiler *c);
/* Removes all parts that were added since the mark. */
void compile_rollback(struct compiler *c, const struct compiler_mark *mark);
bool compile_fail(struct compiler *c, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Appends an op that makes at most `room` bytes. The pending literal becomes part of the op. */
struct op *compile_op(struct compiler *c, enum op_code code, size_t room);
/* Returns the number of the next op, as a target of jumps. */
uint32_t compile_label(struct compiler *c);
/* Adds a text to the pool. */
struct text_ref compile_pool(struct compiler *c, const char *text, size_t len);
uint32_t compile_text(struct compiler *c, const char *text, size_t len);
/* Notes that the program reads the record up to `end`. */
void compile_need(struct compiler *c, size_t end);

/* ---- compile-number.c ---- */

/* Returns the type of a number; a call of a known function has that of its result. */
struct ctype compile_type(const struct expr *e);
/* Emits code that leaves the value in the accumulator, extended by the sign of its type. */
bool compile_number(struct compiler *c, const struct expr *e);
/* Adds a source (program-internal.h) that gives the expression's value, converted to `type`. */
bool compile_source(struct compiler *c, const struct expr *e, struct ctype type,
		    uint32_t *ret_source);
struct ins *compile_ins(struct compiler *c, enum ins_code code);
void compile_binary_imm(struct compiler *c, enum ins_code code, uint64_t imm);
/* Emits the conversion from one type to another. */
void compile_convert(struct compiler *c, struct ctype from, struct ctype to);
extern const struct ctype compile_int, compile_u64;
struct ctype compile_long(const struct compiler *c, bool is_signed);

/* ---- compile-place.c ---- */

/* Says whether an expression is a pointer into the record. */
bool compile_is_place(const struct expr *e);
bool compile_place(struct compiler *c, const struct expr *e, uint32_t *ret_place);
/* Emits the load of an element (INDEX, DEREF). */
bool compile_element(struct compiler *c, const struct expr *e);
/* Returns the place of a whole field: for a dynamic field, the memory that its word refers to. */
struct place compile_field_place(const struct tsh_field *field);

/* ---- compile-call.c ---- */

/* Emits a call whose value is a number. Fails for an unknown function. */
bool compile_call(struct compiler *c, const struct expr *e);
/* Finds the type of a function's result. Returns false when the function is not known. */
bool compile_call_type(const char *name, struct ctype *ret);

/* ---- compile-string.c ---- */

/* Emits ops that append the argument of a %s, without padding. */
bool compile_string(struct compiler *c, const struct expr *e);

/* ---- compile-tabulate.c ---- */

/* Emits a %s's argument as a single op with a text for each value, when that is possible; otherwise
 * as compile_string. */
bool compile_tabulated(struct compiler *c, const struct expr *e);

/* ---- compile-table.c ---- */

bool compile_symbolic(struct compiler *c, const struct expr *call);
bool compile_flags(struct compiler *c, const struct expr *call);
/* Emits a call of a kernel function that names numbers. Fails for an unknown function. */
bool compile_named(struct compiler *c, const struct expr *call);
/* Says whether a function names numbers. */
bool compile_has_names(const char *function);

#endif
