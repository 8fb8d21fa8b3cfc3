/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "program-internal.h"

/* ---- places ---- */

/* Resolves a __data_loc or __rel_loc word. Returns false when it points out of the record. */
static bool dynamic_place(const struct run *run, const struct place *place, size_t *ret_begin,
			  size_t *ret_len)
{
	uint32_t word = load_u32(run->data + place->offset, run->p->env->layout.big_endian);

	*ret_begin = word & 0xffff;
	*ret_len = word >> 16;
	if (place->kind == PLACE_RELATIVE)
		*ret_begin += place->offset + 4;
	return *ret_begin <= run->size && *ret_len <= run->size - *ret_begin;
}

bool program_place(struct run *run, uint32_t index, const unsigned char **ret, size_t *ret_len)
{
	const struct place *place = &run->p->places[index];
	size_t begin = place->offset, len = place->size;
	uint64_t skip;

	if (place->kind == PLACE_REST)
		len = run->size - begin;
	else if (place->kind != PLACE_FIXED && !dynamic_place(run, place, &begin, &len))
		goto bad;
	if (place->skip != NO_SOURCE) {
		skip = run_source(run, place->skip);
		if (skip > len)
			goto bad;
		begin += skip;
		len -= skip;
	}
	*ret = run->data + begin;
	*ret_len = len;
	return true;
bad:
	run->is_bad = true;
	*ret = run->data;
	*ret_len = 0;
	return false;
}

/* ---- expressions ---- */

static uint64_t load(const struct run *run, const struct ins *ins, const unsigned char *at)
{
	bool big = run->p->env->layout.big_endian;

	return ins->is_signed ? (uint64_t)load_signed(at, ins->size, big) :
				load_unsigned(at, ins->size, big);
}

static uint64_t load_place(struct run *run, const struct ins *ins)
{
	const unsigned char *at;
	size_t len;

	if (!program_place(run, ins->at, &at, &len))
		return 0;
	if (len < ins->size) {
		run->is_bad = true;
		return 0;
	}
	return load(run, ins, at);
}

static uint64_t variable(const struct run *run, uint32_t name)
{
	const struct tsh_provider *provider = run->p->env->provider;
	uint64_t value;

	if (!provider->variable(provider->ctx, run->p->pool + run->p->texts[name].at, &value))
		return 0;
	return value;
}

static uint64_t zero_extend(uint64_t v, unsigned int size)
{
	return size >= 8 ? v : v & ((UINT64_C(1) << 8 * size) - 1);
}

static uint64_t sign_extend(uint64_t v, unsigned int size)
{
	unsigned int shift = 64 - 8 * size;

	return size >= 8 ? v : (uint64_t)((int64_t)(v << shift) >> shift);
}

static uint64_t swap(uint64_t v, unsigned int size)
{
	return __builtin_bswap64(v) >> (64 - 8 * size);
}

/* Divides. A division by 0 gives 0; the smallest number by -1 gives the smallest number. */
static uint64_t divide(enum ins_code code, uint64_t a, uint64_t b)
{
	if (!b)
		return 0;
	switch (code) {
	case INS_DIV:
		return a / b;
	case INS_MOD:
		return a % b;
	case INS_DIV_SIGNED:
		return b == UINT64_MAX ? -a : (uint64_t)((int64_t)a / (int64_t)b);
	default:
		return b == UINT64_MAX ? 0 : (uint64_t)((int64_t)a % (int64_t)b);
	}
}

static uint64_t binary(const struct ins *ins, uint64_t a, uint64_t b)
{
	unsigned int count = (unsigned int)b & (8U * ins->size - 1);

	switch ((enum ins_code)ins->code) {
	case INS_ADD: return a + b;
	case INS_SUB: return a - b;
	case INS_MUL: return a * b;
	case INS_AND: return a & b;
	case INS_OR: return a | b;
	case INS_XOR: return a ^ b;
	case INS_SHL: return a << count;
	case INS_SHR: return a >> count;
	case INS_SAR: return (uint64_t)((int64_t)a >> count);
	case INS_EQ: return a == b;
	case INS_NE: return a != b;
	case INS_LESS_SIGNED: return (int64_t)a < (int64_t)b;
	case INS_LESS: return a < b;
	case INS_GREATER_SIGNED: return (int64_t)a > (int64_t)b;
	case INS_GREATER: return a > b;
	default: return divide((enum ins_code)ins->code, a, b);
	}
}

uint64_t program_eval(struct run *run, uint32_t at)
{
	const struct ins *code = run->p->code, *ins;
	uint64_t stack[STACK_MAX], acc = 0;
	unsigned int depth = 0;

	for (ins = code + at; ; ins++) {
		switch ((enum ins_code)ins->code) {
		case INS_END: return acc;
		case INS_IMM: acc = ins->imm; break;
		case INS_LOAD: acc = load(run, ins, run->data + ins->at); break;
		case INS_LOAD_PLACE: acc = load_place(run, ins); break;
		case INS_VARIABLE: acc = variable(run, ins->at); break;
		case INS_PUSH: stack[depth++] = acc; break;
		case INS_ZERO_EXTEND: acc = zero_extend(acc, ins->size); break;
		case INS_SIGN_EXTEND: acc = sign_extend(acc, ins->size); break;
		case INS_BOOL: acc = acc != 0; break;
		case INS_NOT: acc = !acc; break;
		case INS_NEG: acc = -acc; break;
		case INS_COMPL: acc = ~acc; break;
		case INS_SWAP: acc = swap(acc, ins->size); break;
		/* the loop's ++ follows */
		case INS_JUMP: ins = code + ins->at - 1; break;
		case INS_JUMP_ZERO: ins = acc ? ins : code + ins->at - 1; break;
		case INS_JUMP_NONZERO: ins = acc ? code + ins->at - 1 : ins; break;
		default:
			acc = ins->has_imm ? binary(ins, acc, ins->imm) :
					     binary(ins, stack[--depth], acc);
		}
	}
}
