/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "btf-type.h"

/* Limits the members that one call visits: structures that are nested a thousandfold on several
 * levels would take for ever. */
#define STEPS_MAX 20000

static bool is_aggregate(const struct tsh_btf_type *type)
{
	return type->kind == TSH_BTF_STRUCT || type->kind == TSH_BTF_UNION;
}

bool btf_unnamed(const struct tsh_btf *btf, struct tsh_btf_ref type, struct tsh_btf_type *ret)
{
	unsigned int i;

	*ret = tsh_btf_bare(btf, type, false);
	for (i = 0; i < BTF_CHAIN_MAX && ret->kind == TSH_BTF_ARRAY; i++)
		*ret = tsh_btf_bare(btf, ret->to, false);
	return is_aggregate(ret) && !*ret->name;
}

/* ---- alignment ---- */

static uint32_t align_of(const struct tsh_btf *btf, struct tsh_btf_ref ref, unsigned int depth);

static uint32_t align_of_members(const struct tsh_btf *btf, const struct tsh_btf_type *type,
				 unsigned int depth)
{
	uint32_t i, align = 1;

	for (i = 0; i < type->n; i++) {
		struct tsh_btf_part part = tsh_btf_part(btf, type, i);
		uint32_t its = align_of(btf, part.type, depth);

		if (!part.bits && part.at % (8 * (uint64_t)its))
			return 1;
		align = its > align ? its : align;
	}
	return type->size % align ? 1 : align;
}

/* Returns the alignment of a structure, and computes it only once. Meanwhile the structure counts
 * as 1, so that one that contains itself comes to an end. */
static uint32_t align_of_aggregate(const struct tsh_btf *btf, const struct tsh_btf_type *type,
				   unsigned int depth)
{
	uint8_t *known = &type->ref.file->aligns[type->ref.id - type->ref.file->first_id];

	if (*known || depth >= BTF_DEPTH_MAX)
		return *known ? *known : 1;
	*known = 1;
	*known = (uint8_t)align_of_members(btf, type, depth + 1);
	return *known;
}

static uint32_t align_of(const struct tsh_btf *btf, struct tsh_btf_ref ref, unsigned int depth)
{
	struct tsh_btf_type type = tsh_btf_bare(btf, ref, true);
	unsigned int i;

	for (i = 0; i < BTF_CHAIN_MAX && type.kind == TSH_BTF_ARRAY; i++)
		type = tsh_btf_bare(btf, type.to, true);
	if (is_aggregate(&type))
		return align_of_aggregate(btf, &type, depth);
	if (type.kind == TSH_BTF_PTR)
		return btf->pointer_size;
	/* an integer is aligned to its size, when that is a power of two */
	return type.size && type.size <= 16 && !(type.size & (type.size - 1)) ? type.size : 1;
}

uint32_t tsh_btf_align(const struct tsh_btf *btf, struct tsh_btf_ref ref)
{
	return align_of(btf, ref, 0);
}

/* ---- a member ---- */

static bool find_member(const struct tsh_btf *btf, const struct tsh_btf_type *type,
			const char *name, unsigned int depth, unsigned int *steps,
			struct tsh_btf_part *ret, uint64_t *ret_at)
{
	uint32_t i;

	for (i = 0; i < type->n && ++*steps <= STEPS_MAX; i++) {
		struct tsh_btf_part part = tsh_btf_part(btf, type, i);
		struct tsh_btf_type inner;

		if (!strcmp(part.name, name) && *name) {
			*ret = part;
			*ret_at += part.at;
			return true;
		}
		if (*part.name || depth >= BTF_DEPTH_MAX)
			continue;
		inner = tsh_btf_bare(btf, part.type, false);
		if (is_aggregate(&inner) &&
		    find_member(btf, &inner, name, depth + 1, steps, ret, ret_at)) {
			*ret_at += part.at;
			return true;
		}
	}
	return false;
}

bool tsh_btf_member(const struct tsh_btf *btf, struct tsh_btf_ref ref, const char *name,
		    struct tsh_btf_part *ret, uint64_t *ret_at)
{
	struct tsh_btf_type type = tsh_btf_bare(btf, ref, true);
	unsigned int steps = 0;

	*ret_at = 0;
	return is_aggregate(&type) && find_member(btf, &type, name, 0, &steps, ret, ret_at);
}

static void call_members(const struct tsh_btf *btf, const struct tsh_btf_type *type,
			 unsigned int depth, unsigned int *steps, tsh_btf_member_fn fn, void *ctx)
{
	uint32_t i;

	for (i = 0; i < type->n && ++*steps <= STEPS_MAX; i++) {
		struct tsh_btf_part part = tsh_btf_part(btf, type, i);
		struct tsh_btf_type inner;

		if (*part.name) {
			fn(ctx, &part);
			continue;
		}
		inner = tsh_btf_bare(btf, part.type, false);
		if (is_aggregate(&inner) && depth < BTF_DEPTH_MAX)
			call_members(btf, &inner, depth + 1, steps, fn, ctx);
	}
}

void tsh_btf_members(const struct tsh_btf *btf, struct tsh_btf_ref ref, tsh_btf_member_fn fn,
		     void *ctx)
{
	struct tsh_btf_type type = tsh_btf_bare(btf, ref, true);
	unsigned int steps = 0;

	if (is_aggregate(&type))
		call_members(btf, &type, 0, &steps, fn, ctx);
}

/* ---- rows ---- */

static struct tsh_btf_row *add_row(struct tsh_btf_layout *l, enum tsh_btf_row_kind kind,
				   unsigned int depth, uint64_t at)
{
	struct tsh_btf_row *row = tsh_vec_push(l);

	row->kind = kind;
	row->depth = depth;
	row->at = at;
	row->name = "";
	return row;
}

/* Adds rows for a hole: one for the bits up to a byte's end, one for whole bytes, one for the bits
 * behind them. */
static void add_hole(struct tsh_btf_layout *l, enum tsh_btf_row_kind kind, unsigned int depth,
		     uint64_t from, uint64_t to)
{
	while (from < to) {
		uint64_t next = from % 8 || to - from < 8 ? (from / 8 + 1) * 8 : to / 8 * 8;

		next = next < to ? next : to;
		add_row(l, kind, depth, from)->bits = next - from;
		from = next;
	}
}

static void add_members(const struct tsh_btf *btf, const struct tsh_btf_type *type,
			unsigned int depth, uint64_t base, struct tsh_btf_layout *l);

static void add_member(const struct tsh_btf *btf, const struct tsh_btf_part *part,
		       unsigned int depth, uint64_t base, struct tsh_btf_layout *l)
{
	struct tsh_btf_row row = { .kind = TSH_BTF_MEMBER, .depth = depth,
				   .at = base + part->at, .bits = part->bits,
				   .size = tsh_btf_size(btf, part->type),
				   .name = part->name, .type = part->type };

	if (!btf_unnamed(btf, part->type, &row.inner) || depth >= BTF_DEPTH_MAX) {
		*(struct tsh_btf_row *)tsh_vec_push(l) = row;
		return;
	}
	row.kind = TSH_BTF_BEGIN;
	*(struct tsh_btf_row *)tsh_vec_push(l) = row;
	add_members(btf, &row.inner, depth + 1, row.at, l);
	row.kind = TSH_BTF_END;
	*(struct tsh_btf_row *)tsh_vec_push(l) = row;
}

/* Adds rows for the members, in the order of their declaration. A hole begins at the furthest end
 * of the members before it. */
static void add_members(const struct tsh_btf *btf, const struct tsh_btf_type *type,
			unsigned int depth, uint64_t base, struct tsh_btf_layout *l)
{
	uint64_t end = base, its_end, size = 8 * (uint64_t)type->size;
	uint32_t i;

	for (i = 0; i < type->n; i++) {
		struct tsh_btf_part part = tsh_btf_part(btf, type, i);

		if (l->n >= STEPS_MAX) {
			l->is_cut = true;
			return;
		}
		if (type->kind == TSH_BTF_STRUCT)
			add_hole(l, TSH_BTF_HOLE, depth, end, base + part.at);
		add_member(btf, &part, depth, base, l);
		its_end = base + part.at +
			  (part.bits ? part.bits : 8 * tsh_btf_size(btf, part.type));
		end = its_end > end ? its_end : end;
	}
	/* the content of a type without members is unknown, not padding */
	if (type->n)
		add_hole(l, TSH_BTF_PADDING, depth, end, base + size);
}

void tsh_btf_layout(const struct tsh_btf *btf, struct tsh_btf_ref ref,
		    struct tsh_btf_layout *ret)
{
	struct tsh_btf_type type = tsh_btf_bare(btf, ref, true);

	if (is_aggregate(&type))
		add_members(btf, &type, 0, 0, ret);
}

void tsh_btf_layout_release(struct tsh_btf_layout *layout)
{
	tsh_vec_release(layout);
	layout->is_cut = false;
}
