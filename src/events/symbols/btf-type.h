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

/* Finds the unnamed structure or union that a member is, or is an array of. Returns false when it is none. */
bool btf_unnamed(const struct tsh_btf *btf, struct tsh_btf_ref type, struct tsh_btf_type *ret);

#endif
