/* events/symbols/btf.h - the kernel's own types, from its BTF */
/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_EVENTS_SYMBOLS_BTF_H
#define TRACESH_EVENTS_SYMBOLS_BTF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/strbuf.h"
#include "provider.h"

/*
 * The types of the kernel and its modules (Documentation/bpf/btf.rst). All of a BTF is in
 * memory, some 5 MB, from the first question to the end. It may be damaged, or made to
 * harm: every answer is bounded, and names are whatever bytes they are.
 */
struct tsh_btf;
struct btf_file;

/* provider->btf and ->module_btf may be NULL. */
struct tsh_btf *tsh_btf_new(const struct tsh_provider *provider);
void tsh_btf_free(struct tsh_btf *btf);
/* Forgets the provider, and the modules' types: they come and go. False: of the kernel's nothing was read, there is nothing
 * to keep. Of one that is kept nothing may be asked until it has a provider again, of the same kernel. */
bool tsh_btf_rest(struct tsh_btf *btf);
void tsh_btf_resume(struct tsh_btf *btf, const struct tsh_provider *provider);
enum tsh_btf_state { TSH_BTF_THERE, TSH_BTF_ABSENT, TSH_BTF_DAMAGED };
/* Of the kernel's; it is read now. */
enum tsh_btf_state tsh_btf_state(struct tsh_btf *btf);
/* 4 or 8: of the kernel that it describes. */
uint32_t tsh_btf_pointer_size(struct tsh_btf *btf);

enum tsh_btf_kind {
	TSH_BTF_VOID, TSH_BTF_INT, TSH_BTF_PTR, TSH_BTF_ARRAY, TSH_BTF_STRUCT, TSH_BTF_UNION,
	TSH_BTF_ENUM, TSH_BTF_FWD, TSH_BTF_TYPEDEF, TSH_BTF_VOLATILE, TSH_BTF_CONST,
	TSH_BTF_RESTRICT, TSH_BTF_FUNC, TSH_BTF_FUNC_PROTO, TSH_BTF_VAR, TSH_BTF_DATASEC,
	TSH_BTF_FLOAT, TSH_BTF_DECL_TAG, TSH_BTF_TYPE_TAG, TSH_BTF_ENUM64,
	TSH_BTF_NONE		/* an id of no type */
};
#define TSH_BTF_BIT(kind) (UINT32_C(1) << (kind))
/* What tsh_btf_find finds, and tsh_btf_names lists. */
#define TSH_BTF_AGGREGATES (TSH_BTF_BIT(TSH_BTF_STRUCT) | TSH_BTF_BIT(TSH_BTF_UNION))
#define TSH_BTF_ENUMS (TSH_BTF_BIT(TSH_BTF_ENUM) | TSH_BTF_BIT(TSH_BTF_ENUM64))
#define TSH_BTF_TYPEDEFS TSH_BTF_BIT(TSH_BTF_TYPEDEF)
#define TSH_BTF_FUNCS TSH_BTF_BIT(TSH_BTF_FUNC)

/* A type's number, in the file that counts so. */
struct tsh_btf_ref {
	const struct btf_file *file;
	uint32_t id;			/* 0: void */
};

struct tsh_btf_type {
	struct tsh_btf_ref ref;
	enum tsh_btf_kind kind;
	const char *name;		/* "" when it has none */
	uint32_t size;			/* INT, FLOAT, ENUM, ENUM64, STRUCT, UNION: bytes */
	uint32_t n;			/* members, enumerators, parameters; elements of an ARRAY */
	struct tsh_btf_ref to;		/* what it points to, names, returns, has elements of */
	bool flag;			/* ENUM: signed; FWD: a union */
	bool is_signed, is_bool;	/* INT */
	uint8_t bits, bit_offset;	/* INT: of an old bit field */
	uint32_t place;			/* ours */
};

/* A member, enumerator or parameter, by its index below type->n. */
struct tsh_btf_part {
	const char *name;
	struct tsh_btf_ref type;	/* not of an enumerator */
	uint32_t at;			/* of a member: in bits */
	uint32_t bits;			/* of a bit field; 0: it is none */
	uint64_t value;			/* of an enumerator; signed when the type is */
};

struct tsh_btf_type tsh_btf_type(const struct tsh_btf *btf, struct tsh_btf_ref ref);
struct tsh_btf_part tsh_btf_part(const struct tsh_btf *btf, const struct tsh_btf_type *type,
				 uint32_t i);
/* Without const and the like; with_typedefs: without typedefs, too. NONE at the end of a
 * chain that is too long. */
struct tsh_btf_type tsh_btf_bare(const struct tsh_btf *btf, struct tsh_btf_ref ref,
				 bool with_typedefs);
/* In bytes; 0: it has none, or none that can be. */
uint64_t tsh_btf_size(const struct tsh_btf *btf, struct tsh_btf_ref ref);
/* As a compiler would align it in memory, at least 1. A packed structure: 1. */
uint32_t tsh_btf_align(const struct tsh_btf *btf, struct tsh_btf_ref ref);

/* The first type of one of the kinds with that name: of the kernel, then of its modules. */
bool tsh_btf_find(struct tsh_btf *btf, const char *name, uint32_t kinds,
		  struct tsh_btf_ref *ret);
/* The prototype of a function; of another kind than TSH_BTF_FUNC_PROTO, and without parts, where it is not known. */
struct tsh_btf_type tsh_btf_prototype(struct tsh_btf *btf, const char *function);
/* A structure, a union, an enumeration or a typedef, in this order. */
bool tsh_btf_find_type(struct tsh_btf *btf, const char *name, struct tsh_btf_ref *ret);
/* Calls back with every type of the kinds that has a name, those of the modules too. */
void tsh_btf_names(struct tsh_btf *btf, uint32_t kinds,
		   void (*name)(void *ctx, const struct tsh_btf_type *type), void *ctx);
/*
 * A member by its name, also of unnamed structures inside, with the bits before it in the
 * outer one. False: there is none such.
 */
bool tsh_btf_member(const struct tsh_btf *btf, struct tsh_btf_ref type, const char *name,
		    struct tsh_btf_part *ret, uint64_t *ret_at);

/* Calls back with all that tsh_btf_member finds. */
typedef void (*tsh_btf_member_fn)(void *ctx, const struct tsh_btf_part *part);
void tsh_btf_members(const struct tsh_btf *btf, struct tsh_btf_ref type, tsh_btf_member_fn fn,
		     void *ctx);
/*
 * What a type is about when pointers are followed: the structure, union, enumeration or other
 * type at the end of typedefs, pointers (*ret_pointers of them; may be NULL) and arrays. A
 * structure that is only declared there is looked for by its name.
 */
struct tsh_btf_type tsh_btf_target(struct tsh_btf *btf, struct tsh_btf_ref type,
				   unsigned int *ret_pointers);

/* How a declaration is written; all may be zero. */
struct tsh_btf_style {
	bool no_typedefs;		/* what they stand for in their place */
	/* For source that stands alone: parameters have no names, and what points to an array,
	 * whose elements would have to be known, cannot be written. */
	bool is_source;
	/* Writes the type at the begin ("struct page", "u32"). False: it cannot. NULL: as C
	 * has it; unnamed structures are "struct {..}". */
	bool (*base)(void *ctx, const struct tsh_btf_type *type, struct tsh_strbuf *out);
	void *ctx;
};

/* Adds a declaration in C: "void (*function)(struct timer_list *)". name may be "". False:
 * it could not be written, and what was added is to be thrown away. */
bool tsh_btf_declare(const struct tsh_btf *btf, struct tsh_btf_ref type, const char *name,
		     const struct tsh_btf_style *style, struct tsh_strbuf *out);
/* "struct NAME", "union {..}", "u32": a type that is no pointer, array or function. */
void tsh_btf_base(const struct tsh_btf_type *type, struct tsh_strbuf *out);
/* The parameters of a FUNC_PROTO with commas between, without parentheses, from `first` on. */
bool tsh_btf_parameters(const struct tsh_btf *btf, const struct tsh_btf_type *proto,
			uint32_t first, const struct tsh_btf_style *style,
			struct tsh_strbuf *out);

/* ---- the layout of a structure ---- */

enum tsh_btf_row_kind {
	TSH_BTF_MEMBER,
	TSH_BTF_BEGIN,			/* of an unnamed structure or union inside: its members follow */
	TSH_BTF_END,			/* of it; has its name, if the member has one */
	TSH_BTF_HOLE,			/* `bits` that nothing uses */
	TSH_BTF_PADDING,		/* the same at the end */
};

struct tsh_btf_row {
	enum tsh_btf_row_kind kind;
	unsigned int depth;		/* 0: a member of the structure itself */
	uint64_t at;			/* in bits from its begin */
	uint64_t size;			/* in bytes, of the member's type */
	uint64_t bits;			/* of a bit field, a hole */
	const char *name;		/* "" when it has none */
	struct tsh_btf_ref type;
	struct tsh_btf_type inner;	/* BEGIN, END: the structure */
};

struct tsh_btf_layout {
	struct tsh_btf_row *v;
	size_t n, cap;
	bool is_cut;			/* there are more, which are not in it */
};

/* Of a structure or union. Zeroed memory is an empty layout. */
void tsh_btf_layout(const struct tsh_btf *btf, struct tsh_btf_ref type,
		    struct tsh_btf_layout *ret);
void tsh_btf_layout_release(struct tsh_btf_layout *layout);

#endif
