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

/* Prints a type, and what it is when `word` names it by a member or a typedef (layout.c). */
void tsh_struct_print(struct tsh_out *out, const struct tsh_btf *btf, const char *word,
		      const struct tsh_type_place *place, const struct tsh_btf_type *type);
/* Begins a table of members; adds a row for the type and each member of it. */
struct tsh_table *tsh_struct_table(struct tsh_out *out);
void tsh_struct_add_rows(struct tsh_table *table, const struct tsh_btf *btf, const char *word,
			 const struct tsh_type_place *place, const struct tsh_btf_type *type);
/* Says whether a type is a structure or union; an enumeration. */
bool tsh_struct_is_aggregate(const struct tsh_btf_type *type);
bool tsh_struct_is_enum(const struct tsh_btf_type *type);

/* "-1", "4294967295" of an enumerator. */
void tsh_struct_enumerator(const struct tsh_btf_type *type, const struct tsh_btf_part *part,
			   struct tsh_strbuf *out);
/* Whether it can be a name in C: what is none is not printed as one. */
bool tsh_struct_is_name(const char *name);

#endif
