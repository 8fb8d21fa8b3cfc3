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
 * Holds the types of the kernel and its modules (Documentation/bpf/btf.rst). The whole BTF, some 5
 * MB, is in memory from the first call that needs it until tsh_btf_free. It may be damaged or
 * hostile: the work of every call is bounded, and names may have any bytes.
 */
struct tsh_btf;
struct btf_file;

/* provider->btf and ->module_btf may be NULL. */
struct tsh_btf *tsh_btf_new(const struct tsh_provider *provider);
void tsh_btf_free(struct tsh_btf *btf);
/*
 * Drops the provider, and the modules' types, because modules come and go. Returns whether the
 * kernel's BTF is in memory; otherwise the caller should free it. The next call must be
 * tsh_btf_resume or tsh_btf_free.
 */
bool tsh_btf_suspend(struct tsh_btf *btf);
/* Sets a provider of the same kernel, after tsh_btf_suspend. */
void tsh_btf_resume(struct tsh_btf *btf, const struct tsh_provider *provider);
enum tsh_btf_state { TSH_BTF_PRESENT, TSH_BTF_ABSENT, TSH_BTF_DAMAGED };
/* Reads the kernel's BTF, unless it was read. Returns whether it is there, missing or damaged. */
enum tsh_btf_state tsh_btf_state(struct tsh_btf *btf);
/* Returns the bytes of a pointer of the BTF's kernel: 4 or 8; 8 without a BTF. */
uint32_t tsh_btf_pointer_size(struct tsh_btf *btf);

enum tsh_btf_kind {
	TSH_BTF_VOID, TSH_BTF_INT, TSH_BTF_PTR, TSH_BTF_ARRAY, TSH_BTF_STRUCT, TSH_BTF_UNION,
	TSH_BTF_ENUM, TSH_BTF_FWD, TSH_BTF_TYPEDEF, TSH_BTF_VOLATILE, TSH_BTF_CONST,
	TSH_BTF_RESTRICT, TSH_BTF_FUNC, TSH_BTF_FUNC_PROTO, TSH_BTF_VAR, TSH_BTF_DATASEC,
	TSH_BTF_FLOAT, TSH_BTF_DECL_TAG, TSH_BTF_TYPE_TAG, TSH_BTF_ENUM64,
	TSH_BTF_NONE		/* there is no type with that id */
};
#define TSH_BTF_BIT(kind) (UINT32_C(1) << (kind))
/* Name the kinds that tsh_btf_find finds, and tsh_btf_names lists. */
#define TSH_BTF_AGGREGATES (TSH_BTF_BIT(TSH_BTF_STRUCT) | TSH_BTF_BIT(TSH_BTF_UNION))
#define TSH_BTF_ENUMS (TSH_BTF_BIT(TSH_BTF_ENUM) | TSH_BTF_BIT(TSH_BTF_ENUM64))
#define TSH_BTF_TYPEDEFS TSH_BTF_BIT(TSH_BTF_TYPEDEF)
#define TSH_BTF_FUNCS TSH_BTF_BIT(TSH_BTF_FUNC)

/* Refers to a type by its number in a file. */
struct tsh_btf_ref {
	const struct btf_file *file;
	uint32_t id;			/* 0: void */
};

struct tsh_btf_type {
	struct tsh_btf_ref ref;
	enum tsh_btf_kind kind;
	const char *name;		/* "" when it has none */
	uint32_t size;			/* in bytes; for INT, FLOAT, ENUM, ENUM64, STRUCT, UNION */
	/* how many members, enumerators or parameters; elements of an ARRAY */
	uint32_t n;
	/* type that is pointed to, named, returned, or of the elements */
	struct tsh_btf_ref to;
	bool flag;			/* for ENUM: signed; for FWD: a union */
	bool is_signed, is_bool;	/* for INT */
	uint8_t bits, bit_offset;	/* for INT in old bit fields */
	uint32_t place;			/* offset in the file's data; only for btf-*.c */
};

/* Describes a member, enumerator or parameter, by its index below type->n. */
struct tsh_btf_part {
	const char *name;
	struct tsh_btf_ref type;	/* not set for an enumerator */
	uint32_t at;			/* place of a member, in bits */
	uint32_t bits;			/* bits of a bit field; 0: it is none */
	uint64_t value;			/* value of an enumerator; signed when the type is */
};

/* Return a type, and one of its parts; the kind is NONE when there is no such type. */
struct tsh_btf_type tsh_btf_type(const struct tsh_btf *btf, struct tsh_btf_ref ref);
struct tsh_btf_part tsh_btf_part(const struct tsh_btf *btf, const struct tsh_btf_type *type,
				 uint32_t i);
/* Returns a type without qualifiers (const, volatile, restrict, type tags). with_typedefs: without
 * typedefs too. The kind is NONE when the chain of types is too long. */
struct tsh_btf_type tsh_btf_bare(const struct tsh_btf *btf, struct tsh_btf_ref ref,
				 bool with_typedefs);
/* Returns the size in bytes; 0: it has none, or an impossible one. */
uint64_t tsh_btf_size(const struct tsh_btf *btf, struct tsh_btf_ref ref);
/* Returns the alignment in memory, at least 1; 1 for a packed structure. */
uint32_t tsh_btf_align(const struct tsh_btf *btf, struct tsh_btf_ref ref);

/* Finds the first type of one of the kinds with that name, in the kernel, then in its modules. */
bool tsh_btf_find(struct tsh_btf *btf, const char *name, uint32_t kinds,
		  struct tsh_btf_ref *ret);
/* Returns the prototype of a function. When it is not known, the kind is not TSH_BTF_FUNC_PROTO and
 * there are no parts. */
struct tsh_btf_type tsh_btf_prototype(struct tsh_btf *btf, const char *function);
/* Finds a structure, a union, an enumeration or a typedef by its name, in this order. */
bool tsh_btf_find_type(struct tsh_btf *btf, const char *name, struct tsh_btf_ref *ret);
/* Calls back for every type of the kinds that has a name, in the kernel and its modules. */
void tsh_btf_names(struct tsh_btf *btf, uint32_t kinds,
		   void (*name)(void *ctx, const struct tsh_btf_type *type), void *ctx);
/* Finds a member by its name, also in unnamed structures inside; its place counts from the outer
 * structure. Returns false when there is none. */
bool tsh_btf_member(const struct tsh_btf *btf, struct tsh_btf_ref type, const char *name,
		    struct tsh_btf_part *ret, uint64_t *ret_at);

/* Gets each member that tsh_btf_member would find. */
typedef void (*tsh_btf_member_fn)(void *ctx, const struct tsh_btf_part *part);
void tsh_btf_members(const struct tsh_btf *btf, struct tsh_btf_ref type, tsh_btf_member_fn fn,
		     void *ctx);
/*
 * Returns the structure, union, enumeration or other type at the end of typedefs, pointers
 * (*ret_pointers of them; may be NULL) and arrays. Finds the definition of a structure that is only
 * declared there by its name.
 */
struct tsh_btf_type tsh_btf_target(struct tsh_btf *btf, struct tsh_btf_ref type,
				   unsigned int *ret_pointers);

/* Sets how a declaration is written. Zeroed: as in C. */
struct tsh_btf_style {
	bool no_typedefs;		/* write the types that typedefs name */
	/* Write source that needs no other declarations. Parameters have no names. A pointer to an
	 * array cannot be written, because its elements would have to be declared. */
	bool is_source;
	/* Writes the type before the name ("struct page", "u32"). Returns false when it cannot.
	 * NULL: writes C; a structure without a name is "struct {..}". */
	bool (*base)(void *ctx, const struct tsh_btf_type *type, struct tsh_strbuf *out);
	void *ctx;
};

/* Adds a declaration in C: "void (*function)(struct timer_list *)". name may be "". Returns false
 * when it cannot be written; the caller then drops what was added. */
bool tsh_btf_declare(const struct tsh_btf *btf, struct tsh_btf_ref type, const char *name,
		     const struct tsh_btf_style *style, struct tsh_strbuf *out);
/* Adds a type that is no pointer, array or function: "struct NAME", "union {..}", "u32". */
void tsh_btf_base(const struct tsh_btf_type *type, struct tsh_strbuf *out);
/* Adds the parameters of a FUNC_PROTO from `first` on, separated by commas, without parentheses. */
bool tsh_btf_parameters(const struct tsh_btf *btf, const struct tsh_btf_type *proto,
			uint32_t first, const struct tsh_btf_style *style,
			struct tsh_strbuf *out);

/* ---- the layout of a structure ---- */

enum tsh_btf_row_kind {
	TSH_BTF_MEMBER,
	/* begin of an unnamed structure or union inside; its members follow */
	TSH_BTF_BEGIN,
	TSH_BTF_END,			/* its end; has its name, if it has one */
	TSH_BTF_HOLE,			/* `bits` that are unused */
	TSH_BTF_PADDING,		/* unused bits at the end */
};

struct tsh_btf_row {
	enum tsh_btf_row_kind kind;
	unsigned int depth;		/* 0 for a member of the structure itself */
	uint64_t at;			/* in bits from the beginning of the structure */
	uint64_t size;			/* in bytes, of the member's type */
	uint64_t bits;			/* of a bit field or a hole */
	const char *name;		/* "" when it has none */
	struct tsh_btf_ref type;
	struct tsh_btf_type inner;	/* for BEGIN and END: the structure inside */
};

struct tsh_btf_layout {
	struct tsh_btf_row *v;
	size_t n, cap;
	bool is_cut;			/* some members were left out */
};

/* Describes a structure or union. Zeroed memory is an empty layout. */
void tsh_btf_layout(const struct tsh_btf *btf, struct tsh_btf_ref type,
		    struct tsh_btf_layout *ret);
void tsh_btf_layout_release(struct tsh_btf_layout *layout);

#endif
