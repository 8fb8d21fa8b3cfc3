/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_EVENTS_PRINTFMT_COMPILE_INTERNAL_H
#define TRACESH_EVENTS_PRINTFMT_COMPILE_INTERNAL_H

#include "base/vec.h"
#include "expr.h"
#include "program-internal.h"

/*
 * From trees to a program. Functions that return bool have told why in `why` when they
 * return false; nothing of the program is of use then.
 */
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
	struct tsh_strbuf literal;	/* that the next op begins with */
	size_t room;
	uint32_t need;
	unsigned int depth;		/* of the stack, at this point of the code */
	char *why;
};

/* How much of a program there is. */
struct compiler_mark {
	size_t ops, code, sources, places, conversions, texts, tables, dumps, pool, room;
};

/* ---- compile.c ---- */

struct compiler_mark compile_mark(const struct compiler *c);
/* Takes back what was made since the mark. */
void compile_rollback(struct compiler *c, const struct compiler_mark *mark);
bool compile_fail(struct compiler *c, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Appends an op that makes at most `room` bytes; what is pending becomes its literal. */
struct op *compile_op(struct compiler *c, enum op_code code, size_t room);
/* The number of the next op, to jump to. */
uint32_t compile_label(struct compiler *c);
/* A text for the pool. */
struct text_ref compile_pool(struct compiler *c, const char *text, size_t len);
uint32_t compile_text(struct compiler *c, const char *text, size_t len);
/* The program reads the record up to `end`. */
void compile_need(struct compiler *c, size_t end);

/* ---- compile-number.c ---- */

/* The type of a number; calls have those of the functions that are known here. */
struct ctype compile_type(const struct expr *e);
/* Code that leaves the value, extended by its type's sign, in the accumulator. */
bool compile_number(struct compiler *c, const struct expr *e);
/* The same as a source, converted to `type`. */
bool compile_source(struct compiler *c, const struct expr *e, struct ctype type,
		    uint32_t *ret_source);
struct ins *compile_ins(struct compiler *c, enum ins_code code);
void compile_binary_imm(struct compiler *c, enum ins_code code, uint64_t imm);
/* From one type's extension to another's. */
void compile_convert(struct compiler *c, struct ctype from, struct ctype to);
extern const struct ctype compile_int, compile_u64;
struct ctype compile_long(const struct compiler *c, bool is_signed);

/* ---- compile-place.c ---- */

/* Whether a pointer is one into the record. */
bool compile_is_place(const struct expr *e);
bool compile_place(struct compiler *c, const struct expr *e, uint32_t *ret_place);
/* An element that is read: INDEX, DEREF. */
bool compile_element(struct compiler *c, const struct expr *e);
/* Of a field as a whole, of calls like __get_str(). */
struct place compile_field_place(const struct tsh_field *field);

/* ---- compile-call.c ---- */

/* Functions that give numbers. Unknown ones fail. */
bool compile_call(struct compiler *c, const struct expr *e);
/* False: not known. */
bool compile_call_type(const char *name, struct ctype *ret);

/* ---- compile-string.c ---- */

/* Ops that append the argument of a %s, as it is. */
bool compile_string(struct compiler *c, const struct expr *e);

/* ---- compile-tabulate.c ---- */

/* The same in one op, if it can be. */
bool compile_tabulated(struct compiler *c, const struct expr *e);

/* ---- compile-table.c ---- */

bool compile_symbolic(struct compiler *c, const struct expr *call);
bool compile_flags(struct compiler *c, const struct expr *call);
/* Functions of the kernel that name numbers. Unknown ones fail. */
bool compile_named(struct compiler *c, const struct expr *call);
/* Says whether a function is one of these. */
bool compile_has_names(const char *function);

#endif
