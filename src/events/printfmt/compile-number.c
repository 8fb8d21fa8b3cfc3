/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <string.h>

#include "compile-internal.h"

/* Holds numbers in the accumulator as 64 bits, extended by the sign of their type. So most
 * conversions need no code, and comparisons need no size. */

const struct ctype compile_int = { .size = 4, .is_signed = true };
const struct ctype compile_u64 = { .size = 8 };

struct ctype compile_long(const struct compiler *c, bool is_signed)
{
	return (struct ctype){ .size = (uint8_t)c->env->layout.long_size,
			       .is_signed = is_signed };
}

struct ctype compile_type(const struct expr *e)
{
	struct ctype type = e->type;

	if (e->kind == EXPR_CALL && !type.size)
		compile_call_type(e->text, &type);
	return type;
}

/* ---- instructions ---- */

struct ins *compile_ins(struct compiler *c, enum ins_code code)
{
	struct ins *ins = tsh_vec_push(&c->code);

	ins->code = (uint8_t)code;
	ins->size = 8;
	return ins;
}

static void imm(struct compiler *c, uint64_t value)
{
	compile_ins(c, INS_IMM)->imm = value;
}

void compile_binary_imm(struct compiler *c, enum ins_code code, uint64_t value)
{
	struct ins *ins = compile_ins(c, code);

	ins->has_imm = true;
	ins->imm = value;
}

static uint32_t here(const struct compiler *c)
{
	return (uint32_t)c->code.n;
}

/* ---- conversions ---- */

static bool is_signed(struct ctype type)
{
	return type.is_signed && !type.stars;
}

static void extend(struct compiler *c, struct ctype to)
{
	if (to.size < 8)
		compile_ins(c, is_signed(to) ? INS_SIGN_EXTEND : INS_ZERO_EXTEND)->size = to.size;
}

void compile_convert(struct compiler *c, struct ctype from, struct ctype to)
{
	if (to.is_bool && !to.stars) {
		if (!from.is_bool)
			compile_ins(c, INS_BOOL);
		return;
	}
	if (!to.size || (from.size == to.size && is_signed(from) == is_signed(to)))
		return;
	if (from.size && from.size < to.size && (!is_signed(from) || is_signed(to)))
		return;
	extend(c, to);
}

/* ---- operators ---- */

/* Returns the type that both operands are converted to. */
static struct ctype operand_type(const struct compiler *c, const struct expr *e,
				 struct ctype a, struct ctype b)
{
	switch (e->op) {
	case EXPR_EQ:
	case EXPR_NE:
	case EXPR_LT:
	case EXPR_LE:
	case EXPR_GT:
	case EXPR_GE:
		return ctype_common(a, b, c->env->layout.long_size);
	default:
		return e->type;
	}
}

static enum ins_code binary_code(enum expr_op op, bool has_sign)
{
	switch (op) {
	case EXPR_ADD: return INS_ADD;
	case EXPR_SUB: return INS_SUB;
	case EXPR_MUL: return INS_MUL;
	case EXPR_DIV: return has_sign ? INS_DIV_SIGNED : INS_DIV;
	case EXPR_MOD: return has_sign ? INS_MOD_SIGNED : INS_MOD;
	case EXPR_SHL: return INS_SHL;
	case EXPR_SHR: return has_sign ? INS_SAR : INS_SHR;
	case EXPR_AND: return INS_AND;
	case EXPR_OR: return INS_OR;
	case EXPR_XOR: return INS_XOR;
	case EXPR_EQ: return INS_EQ;
	case EXPR_NE: return INS_NE;
	case EXPR_LT:
	case EXPR_GE: return has_sign ? INS_LESS_SIGNED : INS_LESS;
	case EXPR_GT:
	case EXPR_LE: return has_sign ? INS_GREATER_SIGNED : INS_GREATER;
	default: return INS_END;
	}
}

/* Emits the second operand and the operation; the first one is in the accumulator. */
static bool second_operand(struct compiler *c, const struct expr *e, struct ctype to,
			   enum ins_code code, unsigned int size)
{
	struct ins *ins;

	if (e->kind == EXPR_NUMBER) {
		compile_binary_imm(c, code, to.size ? ctype_wrap(to, e->number) : e->number);
	} else {
		if (c->depth == STACK_MAX)
			return compile_fail(c, "an expression is too deep");
		c->depth++;
		compile_ins(c, INS_PUSH);
		if (!compile_number(c, e))
			return false;
		compile_convert(c, compile_type(e), to);
		compile_ins(c, code);
		c->depth--;
	}
	ins = &c->code.v[c->code.n - 1];
	ins->size = (uint8_t)size;
	return true;
}

static bool known_variable(const struct compiler *c, const char *name, uint64_t *ret)
{
	const struct tsh_provider *provider = c->env->provider;

	return provider->variable && provider->variable(provider->ctx, name, ret);
}

/* Says whether an expression has a variable of the kernel whose value is not known. */
static bool has_unknown(const struct compiler *c, const struct expr *e)
{
	uint64_t ignored;
	size_t i;

	if (e->kind == EXPR_NAME)
		return !known_variable(c, e->text, &ignored);
	for (i = 0; i < e->nargs; i++)
		if (has_unknown(c, e->arg[i]))
			return true;
	return false;
}

/* Returns the bytes that a pointer moves by for each step. On 32 bits the size of struct page
 * differs between kernels. */
static uint64_t pointer_step(const struct compiler *c, struct ctype type)
{
	uint64_t size;

	if (type.stars > 1)
		return c->env->layout.long_size;
	if (type.target_is_page && c->env->layout.long_size == 4 &&
	    known_variable(c, "sizeof(struct page)", &size) && size)
		return size;
	return type.target_size ? type.target_size : 1;
}

/*
 * Emits pointer + number as an address of a struct page, where the pointer has a variable of the
 * kernel that is not known. Kernels write the beginning of their array of struct page in many ways:
 *
 *	(struct page *)vmemmap_base + pfn			x86
 *	vmemmap + pfn						s390
 *	(struct page *)CONSTANT - (memstart_addr >> 12) + pfn	arm64
 *	mem_map + (pfn - __pv_phys_pfn_offset)			arm
 *
 * The provider has the address of struct page 0 as vmemmap_base, to which only the pfn is added.
 * Sets *ret_done when the address was emitted in this way. Returns false on a failure.
 */
static bool page_of_number(struct compiler *c, const struct expr *pointer,
			   const struct expr *number, bool *ret_done)
{
	uint64_t base;

	*ret_done = false;
	if (!pointer->type.target_is_page || !has_unknown(c, pointer) ||
	    !known_variable(c, "vmemmap_base", &base))
		return true;
	if (number->kind == EXPR_BINARY && number->op == EXPR_SUB && has_unknown(c, number->arg[1]))
		number = number->arg[0];
	if (!compile_number(c, number))
		return false;
	compile_binary_imm(c, INS_MUL, pointer_step(c, pointer->type));
	compile_binary_imm(c, INS_ADD, base);
	*ret_done = true;
	return true;
}

/* Emits pointer + n, where n counts elements, and pointer - pointer. */
static bool pointer_arithmetic(struct compiler *c, const struct expr *e)
{
	const struct expr *a = e->arg[0], *b = e->arg[1];
	const struct expr *pointer = a->type.stars ? a : b;
	uint64_t step = pointer_step(c, pointer->type);
	const struct ctype any = { 0 };
	bool is_done = false;

	if (a->type.stars && b->type.stars) {
		if (!compile_number(c, a) || !second_operand(c, b, any, INS_SUB, 8))
			return false;
		compile_convert(c, any, e->type);
		compile_binary_imm(c, INS_DIV_SIGNED, step);
		return true;
	}
	if (e->op == EXPR_ADD && !page_of_number(c, pointer, pointer == a ? b : a, &is_done))
		return false;
	if (is_done) {
		compile_convert(c, any, e->type);
		return true;
	}
	/* Computes the number first, because it is multiplied. */
	if (!compile_number(c, pointer == a ? b : a))
		return false;
	compile_binary_imm(c, INS_MUL, step);
	if (e->op == EXPR_SUB)
		compile_ins(c, INS_NEG);
	if (!second_operand(c, pointer, any, INS_ADD, 8))
		return false;
	compile_convert(c, any, e->type);
	return true;
}

/* Emits && and ||: the second operand may be skipped. */
static bool logical(struct compiler *c, const struct expr *e)
{
	uint32_t jump;

	if (!compile_number(c, e->arg[0]))
		return false;
	compile_ins(c, INS_BOOL);
	jump = here(c);
	compile_ins(c, e->op == EXPR_LOGICAL_AND ? INS_JUMP_ZERO : INS_JUMP_NONZERO);
	if (!compile_number(c, e->arg[1]))
		return false;
	compile_ins(c, INS_BOOL);
	c->code.v[jump].at = here(c);
	return true;
}

/* Says whether a result can leave the range of its type: sums, products and shifts to the left. */
static bool can_overflow(enum expr_op op)
{
	return op == EXPR_ADD || op == EXPR_SUB || op == EXPR_MUL || op == EXPR_SHL ||
	       op == EXPR_DIV;
}

static bool binary(struct compiler *c, const struct expr *e)
{
	struct ctype a = compile_type(e->arg[0]), b = compile_type(e->arg[1]);
	struct ctype type = operand_type(c, e, a, b);
	bool is_shift = e->op == EXPR_SHL || e->op == EXPR_SHR;

	if (e->op == EXPR_LOGICAL_AND || e->op == EXPR_LOGICAL_OR)
		return logical(c, e);
	if ((a.stars || b.stars) && (e->op == EXPR_ADD || e->op == EXPR_SUB))
		return pointer_arithmetic(c, e);
	if (!compile_number(c, e->arg[0]))
		return false;
	compile_convert(c, a, type);
	if (!second_operand(c, e->arg[1], is_shift ? (struct ctype){ 0 } : type,
			    binary_code(e->op, is_signed(type)), type.size < 8 ? 4 : 8))
		return false;
	if (e->op == EXPR_GE || e->op == EXPR_LE)
		compile_ins(c, INS_NOT);
	else if (can_overflow(e->op))
		extend(c, type);
	return true;
}

static bool unary(struct compiler *c, const struct expr *e)
{
	if (!compile_number(c, e->arg[0]))
		return false;
	if (e->op == EXPR_NOT) {
		compile_ins(c, INS_NOT);
	} else if (e->op != EXPR_PLUS) {
		compile_ins(c, e->op == EXPR_NEG ? INS_NEG : INS_COMPL);
		extend(c, e->type);
	}
	return true;
}

static bool cond(struct compiler *c, const struct expr *e)
{
	uint32_t jump_else, jump_end;

	if (!compile_number(c, e->arg[0]))
		return false;
	jump_else = here(c);
	compile_ins(c, INS_JUMP_ZERO);
	if (!compile_number(c, e->arg[1]))
		return false;
	compile_convert(c, compile_type(e->arg[1]), e->type);
	jump_end = here(c);
	compile_ins(c, INS_JUMP);
	c->code.v[jump_else].at = here(c);
	if (!compile_number(c, e->arg[2]))
		return false;
	compile_convert(c, compile_type(e->arg[2]), e->type);
	c->code.v[jump_end].at = here(c);
	return true;
}

/* ---- leaves ---- */

static bool field(struct compiler *c, const struct tsh_field *f)
{
	struct ins *ins;

	if (f->size != 1 && f->size != 2 && f->size != 4 && f->size != 8)
		return compile_fail(c, "the field '%s' is no number", f->name);
	ins = compile_ins(c, INS_LOAD);
	ins->size = (uint8_t)f->size;
	ins->is_signed = f->is_signed && f->kind == TSH_FIELD_INT;
	ins->at = f->offset;
	compile_need(c, (size_t)f->offset + f->size);
	return true;
}

/* Emits a variable of the kernel. jiffies is read for each record; all others keep their present
 * value. */
static bool name(struct compiler *c, const struct expr *e)
{
	const struct tsh_provider *provider = c->env->provider;
	uint64_t value;

	if (!provider->variable || !provider->variable(provider->ctx, e->text, &value))
		return compile_fail(c, "'%s' is not known", e->text);
	if (!strcmp(e->text, "jiffies")) {
		uint32_t text = compile_text(c, e->text, e->len + 1);

		compile_ins(c, INS_VARIABLE)->at = text;
		extend(c, e->type);
	} else {
		imm(c, ctype_wrap(e->type, value));
	}
	return true;
}

bool compile_number(struct compiler *c, const struct expr *e)
{
	/* Compiles a pointer into the record as 1. Its value is not known, but in a condition it is
	 * not 0. */
	if (compile_is_place(e) || e->kind == EXPR_STRING) {
		imm(c, 1);
		return true;
	}
	switch (e->kind) {
	case EXPR_NUMBER:
		imm(c, e->number);
		return true;
	case EXPR_FIELD:
		return field(c, e->field);
	case EXPR_NAME:
		return name(c, e);
	case EXPR_UNARY:
		return unary(c, e);
	case EXPR_BINARY:
		return binary(c, e);
	case EXPR_COND:
		return cond(c, e);
	case EXPR_CAST:
		if (compile_is_place(e->arg[0]))
			return compile_fail(c, "an address in the record that is used as a number");
		if (!compile_number(c, e->arg[0]))
			return false;
		compile_convert(c, compile_type(e->arg[0]), e->type);
		return true;
	case EXPR_INDEX:
	case EXPR_DEREF:
		return compile_element(c, e);
	case EXPR_CALL:
		return compile_call(c, e);
	default:
		return compile_fail(c, "a value that is not a number");
	}
}

/* ---- sources ---- */

static enum load load_of(unsigned int size, bool has_sign)
{
	switch (size) {
	case 1: return has_sign ? LOAD_S1 : LOAD_U1;
	case 2: return has_sign ? LOAD_S2 : LOAD_U2;
	case 4: return has_sign ? LOAD_S4 : LOAD_U4;
	default: return LOAD_U8;
	}
}

static unsigned int load_size(const struct source *source)
{
	static const uint8_t sizes[] = { 1, 2, 4, 8, 1, 2, 4 };

	return sizes[source->load];
}

/* Returns all bits that a source can have set. */
static uint64_t source_bits(const struct source *source)
{
	uint64_t bits = UINT64_MAX;

	if (source->load < LOAD_U8)
		bits >>= 64 - 8 * load_size(source);
	return bits >> source->shift & source->mask;
}

/* Merges a shift into a source. A shift with sign is the same as one without when the value is
 * never negative. */
static bool apply_shift(struct source *source, const struct ins *ins)
{
	unsigned int count = (unsigned int)ins->imm & (8U * ins->size - 1);

	if (!ins->has_imm || source->shift + count > 63 ||
	    (ins->code == INS_SAR && source_bits(source) > INT64_MAX))
		return false;
	source->shift = (uint8_t)(source->shift + count);
	source->mask >>= count;
	return true;
}

/* Merges an extension of the low bytes into a source: as a shorter load, or as a mask, or by
 * dropping it when the value is already in the range. */
static bool apply_extension(struct source *source, const struct ins *ins)
{
	bool has_sign = ins->code == INS_SIGN_EXTEND;
	uint64_t range = UINT64_MAX >> (64 - 8 * ins->size + has_sign);
	unsigned int size = load_size(source);

	if (source_bits(source) <= range)
		return true;
	if (!source->shift && source->mask == UINT64_MAX && ins->size <= size) {
		source->load = (uint8_t)load_of(ins->size, has_sign);
		source->at += TSH_HOST_BIG_ENDIAN ? size - ins->size : 0;
		return true;
	}
	if (!has_sign)
		source->mask &= range;
	return !has_sign;
}

/* Turns code into a source without code, when it is a load with a shift and a mask. */
static bool simplify(const struct compiler *c, size_t begin, struct source *ret)
{
	bool is_swapped = c->env->layout.big_endian != TSH_HOST_BIG_ENDIAN;
	const struct ins *ins = &c->code.v[begin], *end = c->code.v + c->code.n;
	bool is_simple = ins->code == INS_LOAD && (!is_swapped || ins->size == 1);

	*ret = (struct source){ .load = (uint8_t)load_of(ins->size, ins->is_signed),
				.at = ins->at, .mask = UINT64_MAX };
	for (ins++; ins < end && is_simple; ins++) {
		if (ins->code == INS_SHR || ins->code == INS_SAR)
			is_simple = apply_shift(ret, ins);
		else if (ins->code == INS_ZERO_EXTEND || ins->code == INS_SIGN_EXTEND)
			is_simple = apply_extension(ret, ins);
		else if (ins->code == INS_AND && ins->has_imm)
			ret->mask &= ins->imm;
		else
			is_simple = false;
	}
	return is_simple;
}

bool compile_source(struct compiler *c, const struct expr *e, struct ctype type,
		    uint32_t *ret_source)
{
	size_t begin = c->code.n;
	struct source source;

	if (!compile_number(c, e))
		return false;
	compile_convert(c, compile_type(e), type);
	if (simplify(c, begin, &source)) {
		c->code.n = begin;
	} else {
		compile_ins(c, INS_END);
		source = (struct source){ .load = LOAD_CODE, .at = (uint32_t)begin };
	}
	*ret_source = (uint32_t)c->sources.n;
	*tsh_vec_push(&c->sources) = source;
	return true;
}
