/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <string.h>

#include "compile-internal.h"

#define POOL_MAX (4u << 20)

/* Compiles the arguments of %s (include/trace/stages/stage3_trace_output.h). */

/* Limits char[] fields with an op of their own; longer ones are copied like any string. */
#define CHARS_MAX 256

static bool place_op(struct compiler *c, enum op_code code, const struct expr *e,
		     uint32_t b, uint32_t op_c)
{
	uint32_t place;
	struct op *op;

	if (!compile_place(c, e, &place))
		return false;
	op = compile_op(c, code, 0);
	op->a = place;
	op->b = b;
	op->c = op_c;
	return true;
}

/* Emits a string in the record. */
static bool record_string(struct compiler *c, const struct expr *e)
{
	const struct place *place;
	struct op *op;
	uint32_t index;

	if (!compile_place(c, e, &index))
		return false;
	place = &c->places.v[index];
	if (place->kind != PLACE_FIXED || place->skip != NO_SOURCE || place->size > CHARS_MAX) {
		op = compile_op(c, OP_STRING, STRING_SHORT);
		op->a = index;
	} else {
		op = compile_op(c, place->size == 16 ? OP_FIELD_CHARS_16 : OP_FIELD_CHARS,
				place->size);
		op->a = place->offset;
		op->b = place->size;
	}
	return true;
}

/* ---- calls ---- */

typedef bool compile_text_call(struct compiler *c, const struct expr *call);

static bool hex_bytes(struct compiler *c, const struct expr *call)
{
	bool has_blanks = !strcmp(call->text, "__print_hex");
	uint32_t len;

	return compile_source(c, call->arg[1], compile_int, &len) &&
	       place_op(c, OP_HEX_BYTES, call->arg[0], len, has_blanks);
}

static bool array(struct compiler *c, const struct expr *call)
{
	uint32_t count, size;

	return compile_source(c, call->arg[1], compile_int, &count) &&
	       compile_source(c, call->arg[2], compile_u64, &size) &&
	       place_op(c, OP_ARRAY, call->arg[0], count, size);
}

/* Emits the print macro for a dynamic array as __print_array(field, bytes / size, size). */
static bool dynamic_array(struct compiler *c, const struct expr *call)
{
	char whole_name[] = "__get_dynamic_array", bytes_name[] = "__get_dynamic_array_len";
	struct ctype u32 = { .size = 4 };
	struct expr whole = { .kind = EXPR_CALL, .text = whole_name, .field = call->field };
	struct expr bytes = { .kind = EXPR_CALL, .text = bytes_name, .field = call->field,
			      .type = u32 };
	struct expr *division[] = { &bytes, call->arg[0] };
	struct expr count = { .kind = EXPR_BINARY, .op = EXPR_DIV, .type = compile_u64,
			      .arg = division, .nargs = 2 };
	struct expr *args[] = { &whole, &count, call->arg[0] };
	const struct expr print = { .kind = EXPR_CALL, .arg = args, .nargs = 3 };

	return array(c, &print);
}

/* Emits a hex dump of (prefix, type, row, group, buffer, length, ascii). */
static bool hex_dump(struct compiler *c, const struct expr *call)
{
	struct hex_dump dump = { 0 };
	const struct expr *prefix = call->arg[0];

	if (prefix->kind != EXPR_STRING)
		return compile_fail(c, "'%s' with a prefix that is no text", call->text);
	dump.prefix = compile_pool(c, prefix->text, prefix->len);
	if (!compile_source(c, call->arg[1], compile_int, &dump.prefix_type) ||
	    !compile_source(c, call->arg[2], compile_int, &dump.row) ||
	    !compile_source(c, call->arg[3], compile_int, &dump.group) ||
	    !compile_source(c, call->arg[5], compile_int, &dump.len) ||
	    !compile_source(c, call->arg[6], compile_int, &dump.ascii))
		return false;
	*tsh_vec_push(&c->dumps) = dump;
	return place_op(c, OP_HEX_DUMP, call->arg[4], (uint32_t)c->dumps.n - 1, 0);
}

static bool bitmask(struct compiler *c, const struct expr *call)
{
	const struct tsh_provider *provider = c->env->provider;
	bool as_list = provider->option && provider->option(provider->ctx, "bitmask-list") == 1;

	return place_op(c, OP_BITMASK, call, as_list, 0);
}

static bool stack(struct compiler *c, const struct expr *call)
{
	return place_op(c, OP_STACK, call, 0, 0);
}

static const struct text_call {
	const char *name;
	compile_text_call *compile;
	uint8_t nargs;			/* arguments beside the name of a field */
	bool has_field;
} text_calls[] = {
	{ "__get_str", record_string, 0, true },
	{ "__get_rel_str", record_string, 0, true },
	{ "__get_dynamic_array", record_string, 0, true },
	{ "__get_rel_dynamic_array", record_string, 0, true },
	{ "__get_bitmask", bitmask, 0, true },
	{ "__get_rel_bitmask", bitmask, 0, true },
	{ "__get_cpumask", bitmask, 0, true },
	{ "__get_rel_cpumask", bitmask, 0, true },
	{ "__get_stacktrace", stack, 0, true },
	{ "__get_rel_stacktrace", stack, 0, true },
	{ "__print_hex", hex_bytes, 2, false },
	{ "__print_hex_str", hex_bytes, 2, false },
	{ "__print_array", array, 3, false },
	{ "__print_dynamic_array", dynamic_array, 1, true },
	{ "__print_hex_dump", hex_dump, 7, false },
};

static bool text_call(struct compiler *c, const struct expr *call)
{
	static const char symbolic[] = "__print_symbolic", flags[] = "__print_flags";
	size_t i;

	if (!strncmp(call->text, symbolic, sizeof(symbolic) - 1))
		return compile_symbolic(c, call);
	if (!strncmp(call->text, flags, sizeof(flags) - 1))
		return compile_flags(c, call);
	for (i = 0; i < sizeof(text_calls) / sizeof(text_calls[0]); i++) {
		const struct text_call *known = &text_calls[i];

		if (strcmp(known->name, call->text) != 0)
			continue;
		if (call->nargs != known->nargs || !call->field == known->has_field)
			return compile_fail(c, "'%s' with other arguments", call->text);
		return known->compile(c, call);
	}
	return compile_named(c, call);
}

/* ---- conditions ---- */

static bool choice(struct compiler *c, const struct expr *e, uint32_t source)
{
	const struct expr *a = e->arg[1], *b = e->arg[2];
	struct op *op;

	op = compile_op(c, OP_CHOICE, a->len > b->len ? a->len : b->len);
	op->a = source;
	op->b = compile_text(c, a->text, a->len);
	op->c = compile_text(c, b->text, b->len);
	return true;
}

static bool conditional(struct compiler *c, const struct expr *e)
{
	uint32_t source, branch, jump, label;
	struct op *op;

	/* Limits the pool: a local variable's string is in it once for each use. */
	if (c->pool.len > POOL_MAX)
		return compile_fail(c, "the print format is too long");
	if (!compile_source(c, e->arg[0], compile_type(e->arg[0]), &source))
		return false;
	if (e->arg[1]->kind == EXPR_STRING && e->arg[2]->kind == EXPR_STRING)
		return choice(c, e, source);
	op = compile_op(c, OP_BRANCH, 0);
	op->a = source;
	branch = (uint32_t)c->ops.n - 1;
	if (!compile_string(c, e->arg[1]))
		return false;
	compile_op(c, OP_JUMP, 0);
	jump = (uint32_t)c->ops.n - 1;
	label = compile_label(c);
	c->ops.v[branch].b = label;
	if (!compile_string(c, e->arg[2]))
		return false;
	label = compile_label(c);
	c->ops.v[jump].b = label;
	return true;
}

/* ---- all of them ---- */

/* Emits a string that is not in the record; only its address is known. */
static bool kernel_string(struct compiler *c, const struct expr *e)
{
	struct op *op;
	uint32_t source;

	if (!compile_source(c, e, compile_long(c, false), &source))
		return false;
	op = compile_op(c, OP_KERNEL_STRING, 0);
	op->a = source;
	return true;
}

bool compile_string(struct compiler *c, const struct expr *e)
{
	switch (e->kind) {
	case EXPR_STRING:
		tsh_strbuf_add(&c->literal, e->text, strnlen(e->text, e->len));
		return true;
	case EXPR_COND:
		return conditional(c, e);
	case EXPR_CALL:
		return text_call(c, e);
	case EXPR_CAST:
		return compile_string(c, e->arg[0]);
	case EXPR_TABLE:
		return compile_fail(c, "a table that is no text");
	default:
		return compile_is_place(e) ? record_string(c, e) : kernel_string(c, e);
	}
}
