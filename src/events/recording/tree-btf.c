/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tree.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "events/symbols/btf.h"

/*
 * Extracts, from the kernel's BTF of some megabytes (Documentation/bpf/btf.rst), the enumerations
 * that print formats name, and the prototypes of functions whose arguments were recorded: a BTF
 * with only these.
 */

#define BTF_MAGIC 0xeb9f
#define BTF_MAX (64u << 20)
#define VLEN 0xffffffu
#define INT_SIGNED (1u << 24)

enum { KIND_INT = 1, KIND_PTR, KIND_ARRAY, KIND_STRUCT, KIND_UNION, KIND_ENUM, KIND_FWD,
       KIND_TYPEDEF, KIND_VOLATILE, KIND_CONST, KIND_RESTRICT, KIND_FUNC, KIND_FUNC_PROTO,
       KIND_VAR, KIND_DATASEC, KIND_FLOAT, KIND_DECL_TAG, KIND_TYPE_TAG, KIND_ENUM64, KIND_N };

/* Says what follows a struct btf_type of each kind: bytes, and bytes for each of its members. */
static const struct {
	unsigned char fixed, each;
} sizes[KIND_N] = {
	[KIND_INT] = { 4, 0 }, [KIND_ARRAY] = { 12, 0 }, [KIND_STRUCT] = { 0, 12 },
	[KIND_UNION] = { 0, 12 }, [KIND_ENUM] = { 0, 8 }, [KIND_FUNC_PROTO] = { 0, 8 },
	[KIND_VAR] = { 4, 0 }, [KIND_DATASEC] = { 0, 12 }, [KIND_DECL_TAG] = { 4, 0 },
	[KIND_ENUM64] = { 0, 12 },
};

struct header {
	uint16_t magic;
	uint8_t version, flags;
	uint32_t header_len, type_offset, type_len, string_offset, string_len;
};

struct type {
	uint32_t name, info, size;
};

/* Holds names; those of a module are numbered after the kernel's. */
struct strings {
	const char *text;
	uint32_t len;
};

struct marked_type {
	struct tsh_btf_ref ref;		/* the type in the kernel's BTF; {0} for all pointers */
	uint32_t id;			/* its new id */
};

struct extract {
	const struct tsh_strlist *names;
	/* for each name: the kernel's BTF has it; false for names of a module */
	bool *found;
	bool in_module;
	bool has_signed;		/* the kernel's BTF marks signed enumerations as signed */
	struct strings base, own;
	struct tsh_strbuf types, new_strings;
	uint32_t ntypes;
	TSH_VEC(struct marked_type) kept;	/* types of parameters */
};

static int by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Returns a string; NULL when it lies beyond the strings, which end in a NUL. */
static const char *string_at(const struct extract *x, uint32_t offset)
{
	if (offset < x->base.len)
		return x->base.text + offset;
	offset -= x->base.len;
	return offset < x->own.len ? x->own.text + offset : NULL;
}

/* Says whether an enumerator is wanted. */
static bool is_wanted(struct extract *x, const char *name)
{
	char *const *place;

	place = name ? tsh_vec_find(x->names, &name, by_name) : NULL;
	if (!place || (x->in_module && x->found[place - x->names->v]))
		return false;
	if (!x->in_module)
		x->found[place - x->names->v] = true;
	return true;
}

static uint32_t add_string(struct extract *x, const char *text)
{
	uint32_t at = (uint32_t)x->new_strings.len;

	tsh_strbuf_add(&x->new_strings, text, strlen(text) + 1);
	return at;
}

/* Adds the wanted enumerators of an enumeration; a member has `each` bytes, of which the first four
 * are the name. */
static void read_enum(struct extract *x, struct type type, const char *members, uint32_t n,
		      uint32_t each)
{
	size_t head = x->types.len;
	uint32_t i, offset, taken = 0;
	const char *name;

	for (i = 0; i < n; i++, members += each) {
		memcpy(&offset, members, sizeof(offset));
		name = string_at(x, offset);
		if (!is_wanted(x, name))
			continue;
		if (!taken++)
			tsh_strbuf_add(&x->types, &type, sizeof(type));
		offset = add_string(x, name);
		tsh_strbuf_add(&x->types, &offset, sizeof(offset));
		tsh_strbuf_add(&x->types, members + sizeof(offset), each - sizeof(offset));
	}
	if (!taken)
		return;
	name = string_at(x, type.name);
	type.name = name && *name ? add_string(x, name) : 0;
	type.info = (type.info & ~VLEN) | taken;
	memcpy(x->types.buf + head, &type, sizeof(type));
	x->ntypes++;
}

static void read_enums(struct extract *x, const char *types, uint32_t len)
{
	struct type type;
	uint32_t at = 0, kind, members;
	uint64_t size;

	while (len - at >= sizeof(type)) {
		memcpy(&type, types + at, sizeof(type));
		at += sizeof(type);
		kind = type.info >> 24 & 0x7f;
		members = type.info & VLEN;
		/* stops: the length of an unknown kind is not known */
		if (!kind || kind >= KIND_N)
			return;
		size = sizes[kind].fixed + (uint64_t)sizes[kind].each * members;
		if (size > len - at)
			return;
		x->has_signed |= kind == KIND_ENUM64 || (kind == KIND_ENUM && type.info >> 31);
		if (kind == KIND_ENUM || kind == KIND_ENUM64)
			read_enum(x, type, types + at, members, sizes[kind].each);
		at += (uint32_t)size;
	}
}

static bool is_sane(const struct header *h, size_t len)
{
	return h->magic == BTF_MAGIC && h->version == 1 && h->header_len >= sizeof(*h) &&
	       h->header_len <= len && h->type_offset <= len - h->header_len &&
	       h->type_len <= len - h->header_len - h->type_offset &&
	       h->string_offset <= len - h->header_len && h->string_len &&
	       h->string_len <= len - h->header_len - h->string_offset;
}

/* Reads the strings and enumerations of a whole BTF. Returns false when it is not a BTF. */
static bool read_btf(struct extract *x, const struct tsh_strbuf *whole, struct strings *strings)
{
	struct header h;

	if (whole->len < sizeof(h))
		return false;
	memcpy(&h, whole->buf, sizeof(h));
	if (!is_sane(&h, whole->len))
		return false;
	strings->text = whole->buf + h.header_len + h.string_offset;
	strings->len = h.string_len;
	if (strings->text[strings->len - 1]) {
		strings->len = 0;
		return false;
	}
	read_enums(x, whole->buf + h.header_len + h.type_offset, h.type_len);
	return true;
}

/* Reads the enumerations of the modules, for names that the kernel's BTF does not have. */
static void read_modules(struct extract *x, const struct tsh_provider *provider)
{
	struct tsh_strbuf whole = TSH_STRBUF_INIT;
	unsigned int i;
	int fd;

	x->in_module = true;
	for (i = 0; provider->module_btf && i < UINT16_MAX; i++) {
		fd = provider->module_btf(provider->ctx, i);
		if (fd < 0)
			break;
		tsh_strbuf_clear(&whole);
		(void)tsh_strbuf_read(&whole, fd, BTF_MAX);
		close(fd);
		read_btf(x, &whole, &x->own);
		x->own = (struct strings){ 0 };
	}
	tsh_strbuf_release(&whole);
}

/* ---- functions ---- */

static void add_word(struct extract *x, uint32_t word)
{
	tsh_strbuf_add(&x->types, &word, sizeof(word));
}

/* Adds a type; returns its number. */
static uint32_t add_type(struct extract *x, const char *name, uint32_t info, uint32_t size)
{
	const struct type type = { *name ? add_string(x, name) : 0, info, size };

	tsh_strbuf_add(&x->types, &type, sizeof(type));
	return ++x->ntypes;
}

/* Lists the kinds that a parameter can have. */
#define PASSED (TSH_BTF_AGGREGATES | TSH_BTF_ENUMS | TSH_BTF_BIT(TSH_BTF_INT) | TSH_BTF_BIT(TSH_BTF_PTR) | \
		TSH_BTF_BIT(TSH_BTF_FLOAT))

/* Adds a type without names, with only what is printed of its values: kind, size and sign, and
 * enumerators. */
static uint32_t add_bare(struct extract *x, const struct tsh_btf *btf, const struct tsh_btf_type *type)
{
	uint32_t i, id, n = type->kind == TSH_BTF_ENUM ? type->n : 0;

	id = add_type(x, "", (uint32_t)type->kind << 24 | n | (type->flag && n ? 1u << 31 : 0), type->size);
	if (type->kind == TSH_BTF_INT)
		add_word(x, (type->is_signed ? INT_SIGNED : 0) | (type->size & 0xff) * 8);
	for (i = 0; i < n; i++) {
		struct tsh_btf_part part = tsh_btf_part(btf, type, i);

		add_word(x, add_string(x, part.name));
		add_word(x, (uint32_t)part.value);
	}
	return id;
}

/* Returns the new number of a parameter's type; 0: it is unknown. */
static uint32_t mark_type(struct extract *x, const struct tsh_btf *btf, struct tsh_btf_ref ref)
{
	struct tsh_btf_type type = tsh_btf_bare(btf, ref, true);
	struct marked_type *kept;
	size_t i;

	if (!(PASSED >> type.kind & 1))
		return 0;
	if (type.kind == TSH_BTF_PTR)
		type.ref = (struct tsh_btf_ref){ 0 };
	for (i = 0; i < x->kept.n; i++)
		if (x->kept.v[i].ref.file == type.ref.file && x->kept.v[i].ref.id == type.ref.id)
			return x->kept.v[i].id;
	kept = tsh_vec_push(&x->kept);
	kept->ref = type.ref;
	kept->id = add_bare(x, btf, &type);
	return kept->id;
}

static void mark_function(struct extract *x, struct tsh_btf *btf, const char *name)
{
	struct tsh_btf_type proto = tsh_btf_prototype(btf, name);
	uint32_t i, id;

	if (proto.kind != TSH_BTF_FUNC_PROTO)
		return;
	/* Types of parameters get their numbers before the prototype. */
	for (i = 0; i < proto.n; i++)
		mark_type(x, btf, tsh_btf_part(btf, &proto, i).type);
	id = add_type(x, "", KIND_FUNC_PROTO << 24 | proto.n, 0);
	for (i = 0; i < proto.n; i++) {
		struct tsh_btf_part part = tsh_btf_part(btf, &proto, i);

		add_word(x, *part.name ? add_string(x, part.name) : 0);
		add_word(x, mark_type(x, btf, part.type));
	}
	add_type(x, name, KIND_FUNC << 24, id);
}

static void mark_functions(struct extract *x, const struct tsh_provider *provider,
			   const struct tsh_strlist *functions)
{
	struct tsh_btf *btf = tsh_btf_new(provider);
	size_t i;

	for (i = 0; i < functions->n; i++)
		if (!i || strcmp(functions->v[i], functions->v[i - 1]))
			mark_function(x, btf, functions->v[i]);
	tsh_btf_free(btf);
}

static void write_btf(struct extract *x, struct tsh_strbuf *out)
{
	/* An enumeration marked as signed. Without any such mark, readers take all enumerators for
	 * signed. */
	const struct type is_signed = { .info = 1u << 31 | KIND_ENUM << 24, .size = 4 };
	struct header h = { .magic = BTF_MAGIC, .version = 1, .header_len = sizeof(h) };

	if (x->has_signed)
		tsh_strbuf_add(&x->types, &is_signed, sizeof(is_signed));
	h.type_len = h.string_offset = (uint32_t)x->types.len;
	h.string_len = (uint32_t)x->new_strings.len;
	tsh_strbuf_add(out, &h, sizeof(h));
	tsh_strbuf_add(out, x->types.buf, x->types.len);
	tsh_strbuf_add(out, x->new_strings.buf, x->new_strings.len);
}

/* Adds the enumerations of the kernel and its modules. */
static void mark_enums(struct extract *x, const struct tsh_provider *provider)
{
	int fd = provider->btf(provider->ctx);
	struct tsh_strbuf whole = TSH_STRBUF_INIT;

	if (fd < 0)
		return;
	(void)tsh_strbuf_read(&whole, fd, BTF_MAX);
	close(fd);
	x->found = tsh_xcalloc(x->names->n, sizeof(*x->found));
	if (read_btf(x, &whole, &x->base))
		read_modules(x, provider);
	free(x->found);
	tsh_strbuf_release(&whole);
}

void tsh_btf_extract(const struct tsh_provider *provider, const struct tsh_strlist *names,
		     const struct tsh_strlist *functions, struct tsh_strbuf *out)
{
	struct extract x = { .names = names };

	/* offset 0 means that there is no name */
	tsh_strbuf_addc(&x.new_strings, '\0');
	if (provider->btf && names->n)
		mark_enums(&x, provider);
	if (functions->n)
		mark_functions(&x, provider, functions);
	if (x.types.len)
		write_btf(&x, out);
	tsh_vec_release(&x.kept);
	tsh_strbuf_release(&x.types);
	tsh_strbuf_release(&x.new_strings);
}
