/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_ENGINE_TYPES_STRUCT_H
#define TRACESH_ENGINE_TYPES_STRUCT_H

#include "engine/probe/types.h"

/* Print a structure, union or enumeration (`name`: of a typedef without another name; or
 * NULL) as source that compiles by itself and has its layout. */
void tsh_struct_as_c(struct tsh_out *out, struct tsh_btf *btf, const struct tsh_btf_type *type,
		     const char *name);
void tsh_struct_as_rust(struct tsh_out *out, struct tsh_btf *btf,
			const struct tsh_btf_type *type, const char *name);

/* "-1", "4294967295" of an enumerator. */
void tsh_struct_enumerator(const struct tsh_btf_type *type, const struct tsh_btf_part *part,
			   struct tsh_strbuf *out);
/* Whether it can be a name in C: what is none is not printed as one. */
bool tsh_struct_is_name(const char *name);

#endif
