/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_ENGINE_TYPES_STRUCT_H
#define TRACESH_ENGINE_TYPES_STRUCT_H

#include "engine/probe/types.h"

/* Print a structure, union or enumeration as source that compiles by itself, with the same
 * layout. name: of a typedef whose type has no other name; or NULL. */
void tsh_struct_print_c(struct tsh_out *out, struct tsh_btf *btf, const struct tsh_btf_type *type,
			const char *name);
void tsh_struct_print_rust(struct tsh_out *out, struct tsh_btf *btf,
			   const struct tsh_btf_type *type, const char *name);

/* Prints the layout of a type, and first a line about `word` when that is a member or a typedef
 * (layout.c). */
void tsh_struct_print(struct tsh_out *out, const struct tsh_btf *btf, const char *word,
		      const struct tsh_type_place *place, const struct tsh_btf_type *type);
/* Begin a table of members, and add rows for the type and each of its members. */
struct tsh_table *tsh_struct_table(struct tsh_out *out);
void tsh_struct_add_rows(struct tsh_table *table, const struct tsh_btf *btf, const char *word,
			 const struct tsh_type_place *place, const struct tsh_btf_type *type);
/* Say whether a type is a structure or union, and whether it is an enumeration. */
bool tsh_struct_is_aggregate(const struct tsh_btf_type *type);
bool tsh_struct_is_enum(const struct tsh_btf_type *type);

/* Appends the value of an enumerator: "-1", "4294967295". */
void tsh_struct_enumerator(const struct tsh_btf_type *type, const struct tsh_btf_part *part,
			   struct tsh_strbuf *out);
/* Says whether a name is valid in C; others are not printed. */
bool tsh_struct_is_name(const char *name);

#endif
