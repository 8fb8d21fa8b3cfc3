/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "btf-func.h"

#include <stdlib.h>
#include <string.h>

#include "btf-file.h"
#include "tracesh/xmalloc.h"

/* include/uapi/linux/btf.h */
#define INT_SIGNED 1

enum {
	KIND_TYPEDEF = 8, KIND_VOLATILE, KIND_CONST, KIND_RESTRICT, KIND_FUNC, KIND_FUNC_PROTO,
	KIND_TYPE_TAG = 18,
};

#define SKIP_MAX 32	/* const of a typedef of a const of .. */

struct btf_funcs {
	struct btf_set set;
};

struct btf_funcs *btf_funcs_new(const struct tsh_provider *provider)
{
	struct btf_funcs *funcs = tsh_xcalloc(1, sizeof(*funcs));

	funcs->set.provider = provider;
	funcs->set.hashed = 1U << KIND_FUNC;
	return funcs;
}

void btf_funcs_free(struct btf_funcs *funcs)
{
	if (!funcs)
		return;
	btf_set_release(&funcs->set);
	free(funcs);
}

static bool find_in(const struct btf_funcs *funcs, const struct btf_file *file,
		    const char *name, struct btf_func *ret)
{
	int64_t i = btf_find_in(&funcs->set, file, name, 1U << KIND_FUNC);
	uint32_t proto;

	if (i < 0)
		return false;
	ret->file = file;
	if (!btf_type_at(&funcs->set, &ret->file, btf_word(file, file->types.v[i] + 8), &proto) ||
	    btf_kind_at(ret->file, proto) != KIND_FUNC_PROTO)
		return false;
	ret->params = proto + BTF_TYPE_SIZE;
	ret->nparams = btf_parts_at(ret->file, proto);
	return true;
}

bool btf_funcs_find(struct btf_funcs *funcs, const char *name, struct btf_func *ret)
{
	size_t i;

	btf_set_load_kernel(&funcs->set);
	if (funcs->set.files.n && find_in(funcs, funcs->set.files.v[0], name, ret))
		return true;
	btf_set_load_modules(&funcs->set);
	for (i = 1; i < funcs->set.files.n; i++)
		if (find_in(funcs, funcs->set.files.v[i], name, ret))
			return true;
	return false;
}

void btf_func_param(const struct btf_funcs *funcs, const struct btf_func *func, uint32_t i,
		    struct btf_param *ret)
{
	const struct btf_file *file = func->file;
	uint32_t param = func->params + 8 * i, id = btf_word(file, param + 4), place = 0, kind = 0;
	unsigned int n;

	memset(ret, 0, sizeof(*ret));
	ret->name = btf_string_at(&funcs->set, file, btf_word(file, param));
	for (n = 0; n < SKIP_MAX; n++) {
		if (!btf_type_at(&funcs->set, &file, id, &place)) {
			kind = BTF_UNKNOWN;
			break;
		}
		kind = btf_kind_at(file, place);
		if ((kind < KIND_TYPEDEF || kind > KIND_RESTRICT) && kind != KIND_TYPE_TAG)
			break;
		id = btf_word(file, place + 8);
	}
	ret->kind = kind;
	ret->kind_name = btf_kind_name(kind);
	if (kind == BTF_UNKNOWN)
		return;
	ret->size = btf_word(file, place + 8);
	ret->is_signed = kind == BTF_INT && btf_word(file, place + BTF_TYPE_SIZE) >> 24 & INT_SIGNED;
	ret->file = file;
	ret->enumerators = place + BTF_TYPE_SIZE;
	ret->nenumerators = kind == BTF_ENUM ? btf_parts_at(file, place) : 0;
}

const char *btf_enumerator(const struct btf_funcs *funcs, const struct btf_param *param,
			   uint32_t value)
{
	uint32_t i;

	for (i = 0; i < param->nenumerators; i++)
		if (btf_word(param->file, param->enumerators + 8 * i + 4) == value)
			return btf_string_at(&funcs->set, param->file,
					 btf_word(param->file, param->enumerators + 8 * i));
	return NULL;
}
