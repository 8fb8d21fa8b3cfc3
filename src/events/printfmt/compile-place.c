/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <string.h>

#include "compile-internal.h"

/* Holds a pointer into the record: a place, and a distance from the place's beginning, in bytes. */
struct target {
	struct place base;
	int64_t skip;
	/* NULL: there is none; otherwise skip grows by index * step */
	struct expr *index;
	uint64_t step;
};

struct place compile_field_place(const struct tsh_field *field)
{
	struct place place = { .kind = PLACE_FIXED, .offset = field->offset, .size = field->size,
			       .skip = NO_SOURCE };

	if (field->kind == TSH_FIELD_STRING || field->kind == TSH_FIELD_DYNAMIC) {
		place.kind = field->is_relative ? PLACE_RELATIVE : PLACE_DYNAMIC;
		place.size = 4;
	} else if (!field->size) {
		place.kind = PLACE_REST;
	}
	return place;
}

static bool is_place_call(const struct expr *e)
{
	static const char *const names[] = {
		"__get_str", "__get_rel_str", "__get_dynamic_array", "__get_rel_dynamic_array",
		"__get_sockaddr", "__get_rel_sockaddr", "__get_bitmask", "__get_rel_bitmask",
		"__get_cpumask", "__get_rel_cpumask", "__get_stacktrace", "__get_rel_stacktrace",
	};
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!strcmp(e->text, names[i]))
			return e->field != NULL;
	return false;
}

/* Returns the bytes of one step of a pointer. */
static uint64_t step_of(struct ctype pointer)
{
	if (pointer.stars > 1)
		return pointer.size;
	return pointer.target_size ? pointer.target_size : 1;
}

/* Moves the target by n steps. Returns false for a second move whose number is only known when a
 * record is printed, and for such a move back. */
static bool move_target(struct target *target, struct expr *n, uint64_t step, bool is_back)
{
	int64_t bytes;

	if (n->kind != EXPR_NUMBER) {
		if (target->index || is_back)
			return false;
		target->index = n;
		target->step = step;
		return true;
	}
	if (__builtin_mul_overflow((int64_t)n->number, (int64_t)step, &bytes))
		return false;
	return !(is_back ? __builtin_sub_overflow(target->skip, bytes, &target->skip) :
			   __builtin_add_overflow(target->skip, bytes, &target->skip));
}

static bool find_target(const struct expr *e, struct target *ret);

/* Finds the target of &field or &pointer[i]. */
static bool find_address(const struct expr *e, struct target *ret)
{
	if (e->kind == EXPR_FIELD) {
		*ret = (struct target){ .base = compile_field_place(e->field) };
		return true;
	}
	return e->kind == EXPR_INDEX && find_target(e->arg[0], ret) &&
	       move_target(ret, e->arg[1], step_of(e->arg[0]->type), false);
}

static bool find_target(const struct expr *e, struct target *ret)
{
	switch (e->kind) {
	case EXPR_FIELD:
		*ret = (struct target){ .base = compile_field_place(e->field) };
		return e->field->kind != TSH_FIELD_INT && e->field->kind != TSH_FIELD_POINTER;
	case EXPR_CALL:
		if (!is_place_call(e))
			return false;
		*ret = (struct target){ .base = compile_field_place(e->field) };
		return true;
	case EXPR_CAST:
		return e->type.stars && find_target(e->arg[0], ret);
	case EXPR_ADDRESS:
		return find_address(e->arg[0], ret);
	case EXPR_BINARY:
		if (!e->type.stars || (e->op != EXPR_ADD && e->op != EXPR_SUB))
			return false;
		if (find_target(e->arg[0], ret))
			return move_target(ret, e->arg[1], step_of(e->arg[0]->type), e->op == EXPR_SUB);
		return e->op == EXPR_ADD && find_target(e->arg[1], ret) &&
		       move_target(ret, e->arg[0], step_of(e->arg[1]->type), false);
	default:
		return false;
	}
}

bool compile_is_place(const struct expr *e)
{
	struct target target;

	return find_target(e, &target);
}

/* Adds a place to the program. A distance that depends on the record becomes a source with code of
 * its own. That code may stand within the code of another source, which jumps over it. */
static bool add_place(struct compiler *c, const struct target *target, uint32_t *ret_place)
{
	struct place place = target->base;
	unsigned int depth = c->depth;
	struct ctype u64 = compile_u64;
	struct expr skip = { .kind = EXPR_NUMBER, .type = u64, .number = (uint64_t)target->skip };
	struct expr step = { .kind = EXPR_NUMBER, .type = u64, .number = target->step };
	struct expr *product_args[2] = { target->index, &step };
	struct expr product = { .kind = EXPR_BINARY, .op = EXPR_MUL, .type = u64,
				.arg = product_args, .nargs = 2 };
	struct expr *sum_args[2] = { &product, &skip };
	struct expr sum = { .kind = EXPR_BINARY, .op = EXPR_ADD, .type = u64, .arg = sum_args,
			    .nargs = 2 };
	size_t jump = c->code.n;

	if (target->index || target->skip) {
		compile_ins(c, INS_JUMP);
		c->depth = 0;
		if (!compile_source(c, target->index ? &sum : &skip, u64, &place.skip))
			return false;
		c->depth = depth;
		c->code.v[jump].at = (uint32_t)c->code.n;
		if (c->code.n == jump + 1)
			c->code.n = jump;
	}
	*ret_place = (uint32_t)c->places.n;
	*tsh_vec_push(&c->places) = place;
	return true;
}

/* Adds a known distance to a place of fixed length, which then needs no source. Fails when the
 * distance is beyond the field. */
static bool add_known_distance(struct compiler *c, struct target *target)
{
	struct place *place = &target->base;

	if (place->kind == PLACE_FIXED && !target->index) {
		if (target->skip < 0 || target->skip > place->size)
			return compile_fail(c, "an offset beyond its field");
		place->offset += (uint32_t)target->skip;
		place->size -= (uint32_t)target->skip;
		target->skip = 0;
	}
	compile_need(c, (size_t)place->offset + (place->kind == PLACE_REST ? 0 : place->size));
	return true;
}

bool compile_place(struct compiler *c, const struct expr *e, uint32_t *ret_place)
{
	struct target target;

	if (!find_target(e, &target))
		return compile_fail(c, "memory that is not in the record");
	return add_known_distance(c, &target) && add_place(c, &target, ret_place);
}

bool compile_element(struct compiler *c, const struct expr *e)
{
	const struct expr *pointer = e->arg[0];
	unsigned int size = e->type.size;
	struct target target;
	struct ins *ins;
	uint32_t place = 0;
	bool is_fixed;

	if (!find_target(pointer, &target) ||
	    (e->kind == EXPR_INDEX && !move_target(&target, e->arg[1], size, false)))
		return compile_fail(c, "memory that is not in the record");
	if (size != 1 && size != 2 && size != 4 && size != 8)
		return compile_fail(c, "a value that is not a number");
	if (!add_known_distance(c, &target))
		return false;
	is_fixed = target.base.kind == PLACE_FIXED && !target.index;
	if (is_fixed && target.base.size < size)
		return compile_fail(c, "an offset beyond its field");
	if (!is_fixed && !add_place(c, &target, &place))
		return false;
	ins = compile_ins(c, is_fixed ? INS_LOAD : INS_LOAD_PLACE);
	ins->size = (uint8_t)size;
	ins->is_signed = e->type.is_signed && !e->type.stars;
	ins->at = is_fixed ? target.base.offset : place;
	return true;
}
