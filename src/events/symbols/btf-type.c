/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "btf-type.h"

#include <stdlib.h>
#include <string.h>

#include "base/xmalloc.h"

/* include/uapi/linux/btf.h: bits of the word behind an INT */
#define INT_SIGNED 1
#define INT_BOOL 4

#define NAMED (TSH_BTF_AGGREGATES | TSH_BTF_ENUMS | TSH_BTF_TYPEDEFS | TSH_BTF_FUNCS)
#define NAME_LIMIT 256

struct tsh_btf *tsh_btf_new(const struct tsh_provider *provider)
{
	struct tsh_btf *btf = tsh_xcalloc(1, sizeof(*btf));

	btf->set.provider = provider;
	btf->set.hashed = NAMED;
	return btf;
}

void tsh_btf_free(struct tsh_btf *btf)
{
	if (!btf)
		return;
	btf_set_release(&btf->set);
	free(btf);
}

bool tsh_btf_suspend(struct tsh_btf *btf)
{
	btf->set.provider = NULL;
	btf_set_forget_modules(&btf->set);
	return btf->set.files.n;
}

void tsh_btf_resume(struct tsh_btf *btf, const struct tsh_provider *provider)
{
	btf->set.provider = provider;
}

/* Finds the size of a pointer, which is that of a long in every kernel. */
static void find_pointer_size(struct tsh_btf *btf)
{
	const struct btf_file *file = btf->set.files.v[0];
	uint32_t i;

	btf->pointer_size = 8;
	for (i = 1; i <= file->types.n; i++) {
		struct tsh_btf_type type = tsh_btf_type(btf, (struct tsh_btf_ref){ file, i });

		if (type.kind == TSH_BTF_INT && (!strcmp(type.name, "long unsigned int") ||
						 !strcmp(type.name, "unsigned long"))) {
			btf->pointer_size = type.size == 4 ? 4 : 8;
			return;
		}
	}
}

enum tsh_btf_state tsh_btf_state(struct tsh_btf *btf)
{
	btf_set_load_kernel(&btf->set);
	if (btf->set.files.n && !btf->pointer_size)
		find_pointer_size(btf);
	return btf->set.files.n ? TSH_BTF_PRESENT :
	       btf->set.is_bad ? TSH_BTF_DAMAGED : TSH_BTF_ABSENT;
}

uint32_t tsh_btf_pointer_size(struct tsh_btf *btf)
{
	return tsh_btf_state(btf) == TSH_BTF_PRESENT ? btf->pointer_size : 8;
}

/* ---- a type ---- */

/* Returns a name, or "" for one that no compiler makes. */
static const char *name_at(const struct tsh_btf *btf, const struct btf_file *file,
			   uint32_t offset)
{
	const char *name = btf_string_at(&btf->set, file, offset);

	return strnlen(name, NAME_LIMIT) < NAME_LIMIT ? name : "";
}

static void read_kind(const struct btf_file *file, uint32_t place, struct tsh_btf_type *ret)
{
	uint32_t word = btf_word(file, place + 8);

	switch (ret->kind) {
	case TSH_BTF_INT:
		ret->size = word;
		word = btf_word(file, place + BTF_TYPE_SIZE);
		ret->is_signed = word >> 24 & INT_SIGNED;
		ret->is_bool = word >> 24 & INT_BOOL;
		ret->bit_offset = word >> 16 & 0xff;
		ret->bits = word & 0xff;
		break;
	case TSH_BTF_ARRAY:
		ret->to.id = btf_word(file, place + BTF_TYPE_SIZE);
		ret->n = btf_word(file, place + BTF_TYPE_SIZE + 8);
		break;
	case TSH_BTF_STRUCT:
	case TSH_BTF_UNION:
	case TSH_BTF_ENUM:
	case TSH_BTF_ENUM64:
		ret->n = btf_parts_at(file, place);
		ret->size = word;
		break;
	case TSH_BTF_FLOAT:
		ret->size = word;
		break;
	case TSH_BTF_FUNC_PROTO:
		ret->n = btf_parts_at(file, place);
		ret->to.id = word;
		break;
	default:
		ret->to.id = word;
	}
}

struct tsh_btf_type tsh_btf_type(const struct tsh_btf *btf, struct tsh_btf_ref ref)
{
	struct tsh_btf_type type = { .ref = ref, .name = "" };
	uint32_t place;

	if (!ref.id || !ref.file)
		return type;
	if (!btf_type_at(&btf->set, &type.ref.file, ref.id, &place)) {
		type.kind = TSH_BTF_NONE;
		return type;
	}
	type.kind = btf_kind_at(type.ref.file, place);
	if (type.kind == TSH_BTF_VOID) {
		type.kind = TSH_BTF_NONE;
		return type;
	}
	type.name = name_at(btf, type.ref.file, btf_word(type.ref.file, place));
	type.flag = btf_word(type.ref.file, place + 4) >> 31;
	type.place = place;
	type.to.file = type.ref.file;
	read_kind(type.ref.file, place, &type);
	return type;
}

/* Finds the width of a bit field in old BTF, which has an integer type of that width for
 * the field. */
static void read_old_bits(const struct tsh_btf *btf, struct tsh_btf_part *part)
{
	struct tsh_btf_type type = tsh_btf_bare(btf, part->type, true);

	if (type.kind != TSH_BTF_INT || type.size > 16 ||
	    (type.bits == type.size * 8 && !type.bit_offset))
		return;
	part->bits = type.bits;
	part->at += type.bit_offset;
}

struct tsh_btf_part tsh_btf_part(const struct tsh_btf *btf, const struct tsh_btf_type *type,
				 uint32_t i)
{
	const struct btf_file *file = type->ref.file;
	uint32_t each = type->kind == TSH_BTF_ENUM || type->kind == TSH_BTF_FUNC_PROTO ? 8 : 12;
	uint32_t place = type->place + BTF_TYPE_SIZE + each * i, word;
	struct tsh_btf_part part = { .name = name_at(btf, file, btf_word(file, place)) };

	word = btf_word(file, place + 4);
	part.type = (struct tsh_btf_ref){ file, word };
	if (type->kind == TSH_BTF_ENUM) {
		part.value = type->flag ? (uint64_t)(int32_t)word : word;
	} else if (type->kind == TSH_BTF_ENUM64) {
		part.value = (uint64_t)btf_word(file, place + 8) << 32 | word;
	} else if (type->kind != TSH_BTF_FUNC_PROTO) {
		part.at = btf_word(file, place + 8);
		if (type->flag) {
			part.bits = part.at >> 24;
			part.at &= 0xffffff;
		} else {
			read_old_bits(btf, &part);
		}
	}
	return part;
}

static bool is_skipped(enum tsh_btf_kind kind, bool with_typedefs)
{
	return kind == TSH_BTF_CONST || kind == TSH_BTF_VOLATILE || kind == TSH_BTF_RESTRICT ||
	       kind == TSH_BTF_TYPE_TAG || (with_typedefs && kind == TSH_BTF_TYPEDEF);
}

struct tsh_btf_type tsh_btf_bare(const struct tsh_btf *btf, struct tsh_btf_ref ref,
				 bool with_typedefs)
{
	struct tsh_btf_type type = tsh_btf_type(btf, ref);
	unsigned int i;

	for (i = 0; i < BTF_CHAIN_MAX && is_skipped(type.kind, with_typedefs); i++)
		type = tsh_btf_type(btf, type.to);
	if (is_skipped(type.kind, with_typedefs))
		return (struct tsh_btf_type){ .ref = ref, .kind = TSH_BTF_NONE, .name = "" };
	return type;
}

uint64_t tsh_btf_size(const struct tsh_btf *btf, struct tsh_btf_ref ref)
{
	struct tsh_btf_type type = tsh_btf_bare(btf, ref, true);
	uint64_t n = 1;
	unsigned int i;

	for (i = 0; i < BTF_CHAIN_MAX && type.kind == TSH_BTF_ARRAY; i++) {
		if (__builtin_mul_overflow(n, (uint64_t)type.n, &n))
			return 0;
		type = tsh_btf_bare(btf, type.to, true);
	}
	if (type.kind == TSH_BTF_PTR)
		type.size = btf->pointer_size;
	/* refuses a size that no machine has, so that the size in bits is an uint64 too */
	return __builtin_mul_overflow(n, (uint64_t)type.size, &n) || n >> 48 ? 0 : n;
}

/* ---- by name ---- */

static bool find_in_files(struct tsh_btf *btf, const char *name, uint32_t kinds, size_t first,
			  struct tsh_btf_ref *ret)
{
	size_t i, end = first ? btf->set.files.n : btf->set.files.n ? 1 : 0;

	for (i = first; i < end; i++) {
		int64_t found = btf_find_in(&btf->set, btf->set.files.v[i], name, kinds);

		if (found < 0)
			continue;
		ret->file = btf->set.files.v[i];
		ret->id = (uint32_t)found + ret->file->first_id;
		return true;
	}
	return false;
}

bool tsh_btf_find(struct tsh_btf *btf, const char *name, uint32_t kinds, struct tsh_btf_ref *ret)
{
	if (tsh_btf_state(btf) != TSH_BTF_PRESENT || !*name)
		return false;
	if (find_in_files(btf, name, kinds, 0, ret))
		return true;
	btf_set_load_modules(&btf->set);
	return find_in_files(btf, name, kinds, 1, ret);
}

struct tsh_btf_type tsh_btf_prototype(struct tsh_btf *btf, const char *function)
{
	struct tsh_btf_type type = { .kind = TSH_BTF_NONE, .name = "" };
	struct tsh_btf_ref ref;

	if (tsh_btf_find(btf, function, TSH_BTF_FUNCS, &ref))
		type = tsh_btf_type(btf, tsh_btf_type(btf, ref).to);
	if (type.kind != TSH_BTF_FUNC_PROTO)
		type = (struct tsh_btf_type){ .kind = TSH_BTF_NONE, .name = "" };
	return type;
}

bool tsh_btf_find_type(struct tsh_btf *btf, const char *name, struct tsh_btf_ref *ret)
{
	static const uint32_t order[] = { TSH_BTF_BIT(TSH_BTF_STRUCT), TSH_BTF_BIT(TSH_BTF_UNION),
					  TSH_BTF_ENUMS, TSH_BTF_TYPEDEFS };
	size_t i, first;

	if (tsh_btf_state(btf) != TSH_BTF_PRESENT || !*name)
		return false;
	for (first = 0; first < 2; first++) {
		if (first)
			btf_set_load_modules(&btf->set);
		for (i = 0; i < sizeof(order) / sizeof(order[0]); i++)
			if (find_in_files(btf, name, order[i], first, ret))
				return true;
	}
	return false;
}

void tsh_btf_names(struct tsh_btf *btf, uint32_t kinds,
		   void (*name)(void *ctx, const struct tsh_btf_type *type), void *ctx)
{
	uint32_t i;
	size_t f;

	if (tsh_btf_state(btf) != TSH_BTF_PRESENT)
		return;
	btf_set_load_modules(&btf->set);
	for (f = 0; f < btf->set.files.n; f++) {
		const struct btf_file *file = btf->set.files.v[f];

		for (i = 0; i < file->types.n; i++) {
			struct tsh_btf_type type;

			if (!(kinds >> btf_kind_at(file, file->types.v[i]) & 1))
				continue;
			type = tsh_btf_type(btf, (struct tsh_btf_ref){ file, file->first_id + i });
			if (*type.name)
				name(ctx, &type);
		}
	}
}

struct tsh_btf_type tsh_btf_target(struct tsh_btf *btf, struct tsh_btf_ref ref,
				   unsigned int *ret_pointers)
{
	struct tsh_btf_type type = tsh_btf_bare(btf, ref, true);
	unsigned int i, pointers = 0;

	for (i = 0; i < BTF_CHAIN_MAX; i++) {
		if (type.kind != TSH_BTF_PTR && type.kind != TSH_BTF_ARRAY)
			break;
		pointers += type.kind == TSH_BTF_PTR;
		type = tsh_btf_bare(btf, type.to, true);
	}
	if (type.kind == TSH_BTF_FWD &&
	    tsh_btf_find(btf, type.name, TSH_BTF_BIT(type.flag ? TSH_BTF_UNION : TSH_BTF_STRUCT),
			 &ref))
		type = tsh_btf_type(btf, ref);
	if (ret_pointers)
		*ret_pointers = pointers;
	return type;
}
