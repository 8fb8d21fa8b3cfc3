/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_EVENTS_SYMBOLS_BTF_TYPE_H
#define TRACESH_EVENTS_SYMBOLS_BTF_TYPE_H

#include "btf-file.h"
#include "btf.h"

/* Limits chains: a const of a typedef of a const of ..; structures in structures. */
#define BTF_CHAIN_MAX 32
#define BTF_DEPTH_MAX 16

struct tsh_btf {
	struct btf_set set;
	uint32_t pointer_size;		/* 0: not known yet */
};

/* Returns in *ret the type of a member, or of the elements when the member is an array. Returns
 * whether that is a structure or a union without a name. */
bool btf_unnamed(const struct tsh_btf *btf, struct tsh_btf_ref type, struct tsh_btf_type *ret);

#endif
