/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef DECODE_BTF_FUNC_H
#define DECODE_BTF_FUNC_H

#include <stdbool.h>
#include <stdint.h>

#include "tracesh/decode.h"

/*
 * The parameters of the kernel's functions, from its BTF and those of its modules
 * (Documentation/bpf/btf.rst): for the arguments that function traces record. All of a
 * BTF is kept, some 5 MB, from the first question on.
 */
struct btf_funcs;

/* provider->btf and ->module_btf may be NULL. */
struct btf_funcs *btf_funcs_new(const struct tsh_provider *provider);
void btf_funcs_free(struct btf_funcs *funcs);

/* A function's prototype, valid as long as btf_funcs is. */
struct btf_func {
	const struct btf_file *file;
	uint32_t params;		/* where they are in the file */
	uint32_t nparams;
};

/* By its name; of several the first. False: there is none. */
bool btf_funcs_find(struct btf_funcs *funcs, const char *name, struct btf_func *ret);

enum btf_kind { BTF_UNKNOWN, BTF_INT, BTF_PTR, BTF_ENUM = 6 };	/* and others */

struct btf_param {
	const char *name;		/* "" when it has none */
	uint32_t kind;			/* of its type without const, typedef and the like */
	const char *kind_name;		/* "STRUCT": what messages of the kernel call it */
	bool is_signed;			/* BTF_INT */
	uint32_t size;			/* of the type, where it has one */
	/* BTF_ENUM: its enumerators; btf_enumerator finds one */
	const struct btf_file *file;
	uint32_t enumerators, nenumerators;
};

/* i is below func->nparams. */
void btf_func_param(const struct btf_funcs *funcs, const struct btf_func *func, uint32_t i,
		    struct btf_param *ret);
/* The name of a value of 32 bits; NULL: it has none. */
const char *btf_enumerator(const struct btf_funcs *funcs, const struct btf_param *param,
			   uint32_t value);

#endif
