/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "struct.h"

#include <stdlib.h>
#include <string.h>

/*
 * Prints types as C (--lang c). Members whose type is not printed become bytes with its size and
 * alignment; pointers to them point to structures that are only declared. A structure is packed if
 * a compiler would place its members elsewhere, and gaps become members.
 */

struct c_writer {
	struct tsh_btf *btf;
	struct tsh_strbuf declared;	/* "\nstruct page;\n": each once, the printed type first */
	struct tsh_strbuf text;
	unsigned int unnamed;		/* members without a name of their own */
};

/* ---- types without members ---- */

/* Says whether each word of a type is one of C: "long unsigned int". */
static bool is_c_integer(const char *name)
{
	static const char *const words[] = { "long", "unsigned", "signed", "int", "char", "short",
					     "_Bool", "__int128" };
	size_t i, len;

	for (; *name; name += len, name += *name == ' ') {
		len = strcspn(name, " ");
		for (i = 0; i < sizeof(words) / sizeof(words[0]); i++)
			if (strlen(words[i]) == len && !memcmp(words[i], name, len))
				break;
		if (i == sizeof(words) / sizeof(words[0]))
			return false;
	}
	return true;
}

static bool append_integer(uint32_t size, bool is_signed, struct tsh_strbuf *out)
{
	static const char *const names[] = { [1] = "char", [2] = "short", [4] = "int",
					     [8] = "long long", [16] = "__int128" };

	if (size > 16 || !names[size])
		return false;
	tsh_strbuf_addf(out, "%s %s", is_signed ? "signed" : "unsigned", names[size]);
	return true;
}

/* Declares a structure before its use: if a parameter were the first to name it, it would be
 * local to that function. Returns false when the name is in use for another kind of type. */
static bool add_declaration(struct c_writer *w, const char *word, const char *name)
{
	static const char *const words[] = { "struct", "union", "enum" };
	bool is_good = true, is_there = false;
	size_t i;

	for (i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		char *line = tsh_xasprintf("\n%s %s;\n", words[i], name);

		if (strstr(w->declared.buf, line)) {
			is_there = true;
			is_good = !strcmp(word, words[i]);
		}
		free(line);
	}
	if (!is_there)
		tsh_strbuf_addf(&w->declared, "%s %s;\n", word, name);
	return is_good;
}

static bool append_declared(struct c_writer *w, const struct tsh_btf_type *type,
			    struct tsh_strbuf *out)
{
	bool is_union = type->kind == TSH_BTF_UNION || (type->kind == TSH_BTF_FWD && type->flag);

	if (!tsh_struct_is_name(type->name) ||
	    !add_declaration(w, is_union ? "union" : "struct", type->name))
		return false;
	tsh_btf_base(type, out);
	return true;
}

static bool append_base(void *ctx, const struct tsh_btf_type *type, struct tsh_strbuf *out)
{
	switch (type->kind) {
	case TSH_BTF_VOID:
		tsh_strbuf_adds(out, "void");
		return true;
	case TSH_BTF_INT:
		if (*type->name && is_c_integer(type->name)) {
			tsh_strbuf_adds(out, type->name);
			return true;
		}
		return append_integer(type->size, type->is_signed, out);
	case TSH_BTF_FLOAT:
		tsh_strbuf_adds(out, type->size == 4 ? "float" : "double");
		return type->size == 4 || type->size == 8;
	case TSH_BTF_ENUM:
	case TSH_BTF_ENUM64:
		return append_integer(type->size, type->flag, out);
	case TSH_BTF_STRUCT:
	case TSH_BTF_UNION:
	case TSH_BTF_FWD:
		return append_declared(ctx, type, out);
	default:
		return false;
	}
}

/* Returns the type of the innermost elements of an array; does not follow pointers. */
static struct tsh_btf_type element_of(const struct tsh_btf *btf, struct tsh_btf_ref ref)
{
	struct tsh_btf_type type = tsh_btf_bare(btf, ref, true);
	unsigned int i;

	for (i = 0; i < 32 && type.kind == TSH_BTF_ARRAY; i++)
		type = tsh_btf_bare(btf, type.to, true);
	return type;
}

static bool is_opaque(const struct tsh_btf_type *element)
{
	return element->kind == TSH_BTF_STRUCT || element->kind == TSH_BTF_UNION ||
	       element->kind == TSH_BTF_FWD || element->kind == TSH_BTF_NONE;
}

/* ---- members ---- */

static void indent(struct c_writer *w, unsigned int depth)
{
	tsh_strbuf_addn(&w->text, '\t', depth + 1);
}

static char *member_name(struct c_writer *w, const char *name)
{
	return tsh_struct_is_name(name) ? tsh_xstrdup(name) :
	       tsh_xasprintf("__member%u", w->unnamed++);
}

/* Appends the kernel's type as a comment, when another one is printed. */
static void append_comment(struct c_writer *w, const struct tsh_btf_row *row)
{
	struct tsh_strbuf text = TSH_STRBUF_INIT;

	if (tsh_btf_declare(w->btf, row->type, "", NULL, &text) && !strstr(text.buf, "*/"))
		tsh_strbuf_addf(&w->text, "\t/* %s */", text.buf);
	tsh_strbuf_release(&text);
}

static void append_bytes(struct c_writer *w, const struct tsh_btf_row *row, const char *name,
			 bool packed)
{
	uint32_t align = packed ? 1 : tsh_btf_align(w->btf, row->type);

	tsh_strbuf_addf(&w->text, "unsigned char %s[%llu]", name, (unsigned long long)row->size);
	if (align > 1)
		tsh_strbuf_addf(&w->text, " __attribute__((aligned(%u)))", align);
	tsh_strbuf_addc(&w->text, ';');
	append_comment(w, row);
}

static void append_member(struct c_writer *w, const struct tsh_btf_row *row, bool packed)
{
	const struct tsh_btf_style style = { .no_typedefs = true, .is_source = true,
					     .base = append_base, .ctx = w };
	struct tsh_btf_type element = element_of(w->btf, row->type);
	/* A bit field may be unnamed; another member without a name gets one. */
	char *name = row->bits && !*row->name ? tsh_xstrdup("") : member_name(w, row->name);
	size_t before = w->text.len, declared = w->declared.len;

	indent(w, row->depth);
	if (is_opaque(&element)) {
		append_bytes(w, row, name, packed);
	} else if (tsh_btf_declare(w->btf, row->type, name, &style, &w->text)) {
		if (row->bits)
			tsh_strbuf_addf(&w->text, " : %llu", (unsigned long long)row->bits);
		tsh_strbuf_addc(&w->text, ';');
		if (element.kind == TSH_BTF_ENUM || element.kind == TSH_BTF_ENUM64)
			append_comment(w, row);
	} else {
		tsh_strbuf_truncate(&w->text, before);
		tsh_strbuf_truncate(&w->declared, declared);
		indent(w, row->depth);
		if (element.kind == TSH_BTF_PTR && row->size == tsh_btf_pointer_size(w->btf)) {
			tsh_strbuf_addf(&w->text, "void *%s;", name);
			append_comment(w, row);
		} else {
			append_bytes(w, row, name, packed);
		}
	}
	tsh_strbuf_addc(&w->text, '\n');
	free(name);
}

/* Prints unused bits from `from` to `to` as members without alignment. */
static void append_gap(struct c_writer *w, unsigned int depth, uint64_t from, uint64_t to)
{
	while (from < to) {
		uint64_t end = from % 8 || to - from < 8 ? (from / 8 + 1) * 8 : to / 8 * 8;

		end = end < to ? end : to;
		indent(w, depth);
		if (from % 8 || end % 8)
			tsh_strbuf_addf(&w->text, "unsigned char : %u;\n",
					(unsigned int)(end - from));
		else
			tsh_strbuf_addf(&w->text, "unsigned char __pad%u[%llu];\n", w->unnamed++,
					(unsigned long long)(end - from) / 8);
		from = end;
	}
}

/* ---- placement by a compiler ---- */

/* Describes the rows of a structure, from `first` up to `end`, including those of inner
 * structures. */
struct c_block {
	const struct tsh_btf_layout *layout;
	size_t first, end;
	unsigned int depth;
	uint64_t base;			/* offset of the structure, in bits */
	struct tsh_btf_type type;
};

static size_t end_of(const struct tsh_btf_layout *layout, size_t begin)
{
	size_t i = begin + 1;

	while (i < layout->n && (layout->v[i].kind != TSH_BTF_END ||
				 layout->v[i].depth != layout->v[begin].depth))
		i++;
	return i;
}

/* Returns the bit at which a compiler places a member when `at` is the first free one. */
static uint64_t place_of(const struct tsh_btf *btf, const struct tsh_btf_row *row, uint64_t at)
{
	uint64_t unit = 8 * (uint64_t)tsh_btf_align(btf, row->type);

	if (row->bits && at / unit == (at + row->bits - 1) / unit)
		return at;
	return (at + unit - 1) / unit * unit;
}

static bool is_member_row(const struct tsh_btf_row *row)
{
	return row->kind == TSH_BTF_MEMBER || row->kind == TSH_BTF_BEGIN;
}

/* Says whether a compiler places the members of a block as the kernel did; otherwise it must be
 * packed. *ret_end: the end of the last member, in bits from the block's beginning. */
static bool is_natural(const struct tsh_btf *btf, const struct c_block *b, uint64_t *ret_end)
{
	uint64_t at = 0, its, align = 1, its_align;
	bool is_union = b->type.kind == TSH_BTF_UNION;
	size_t i;

	*ret_end = 0;
	for (i = b->first; i < b->end; i++) {
		const struct tsh_btf_row *row = &b->layout->v[i];

		if (!is_member_row(row))
			continue;
		its = row->at - b->base;
		if (its < at || place_of(btf, row, at) > its || place_of(btf, row, its) != its)
			return false;
		at = its + (row->bits ? row->bits : 8 * row->size);
		*ret_end = at > *ret_end ? at : *ret_end;
		at = is_union ? 0 : at;
		its_align = tsh_btf_align(btf, row->type);
		align = its_align > align ? its_align : align;
		if (row->kind == TSH_BTF_BEGIN)
			i = end_of(b->layout, i);
	}
	return b->type.size % align == 0;
}

static void append_members(struct c_writer *w, const struct c_block *b, bool packed);

/* Prints the end of a block: "} __attribute__((packed))". */
static void append_attribute(struct c_writer *w, const struct c_block *b, bool packed,
			     bool is_outer_packed)
{
	uint32_t align = is_outer_packed ? 1 : tsh_btf_align(w->btf, b->type.ref);

	tsh_strbuf_addc(&w->text, '}');
	if (packed && align > 1)
		tsh_strbuf_addf(&w->text, " __attribute__((packed, aligned(%u)))", align);
	else if (packed)
		tsh_strbuf_adds(&w->text, " __attribute__((packed))");
}

/* Prints an unnamed structure inside of another one. */
static void append_inner(struct c_writer *w, const struct c_block *outer, size_t begin, size_t end,
			 bool packed)
{
	const struct tsh_btf_row *row = &outer->layout->v[begin];
	struct c_block b = { outer->layout, begin + 1, end, row->depth + 1, row->at, row->inner };
	bool its_packed, is_array = tsh_btf_bare(w->btf, row->type, false).kind == TSH_BTF_ARRAY;
	uint64_t ignored;
	char *name;

	its_packed = packed || !is_natural(w->btf, &b, &ignored);
	indent(w, row->depth);
	/* elements would need a type with a name, and C has no empty structures */
	if (is_array || begin + 1 >= end) {
		name = member_name(w, row->name);
		append_bytes(w, row, name, packed);
		free(name);
	} else {
		tsh_strbuf_adds(&w->text, row->inner.kind == TSH_BTF_UNION ? "union {\n" :
				"struct {\n");
		append_members(w, &b, its_packed);
		indent(w, row->depth);
		append_attribute(w, &b, its_packed, packed);
		tsh_strbuf_addf(&w->text, "%s%s;", tsh_struct_is_name(row->name) ? " " : "",
				tsh_struct_is_name(row->name) ? row->name : "");
	}
	tsh_strbuf_addc(&w->text, '\n');
}

/* Prints the unused bytes at the end of a block that a compiler would not add. */
static void append_rest(struct c_writer *w, const struct c_block *b, bool packed, uint64_t at)
{
	uint64_t unit = packed ? 8 : 8 * (uint64_t)tsh_btf_align(w->btf, b->type.ref);
	uint64_t size = 8 * (uint64_t)b->type.size;

	if ((at + unit - 1) / unit * unit < size)
		append_gap(w, b->depth, b->type.kind == TSH_BTF_UNION ? 0 : at, size);
}

static void append_members(struct c_writer *w, const struct c_block *b, bool packed)
{
	bool is_union = b->type.kind == TSH_BTF_UNION;
	uint64_t at = 0, end = 0, its;
	size_t i, stop;

	for (i = b->first; i < b->end; i = stop + 1) {
		const struct tsh_btf_row *row = &b->layout->v[i];

		stop = row->kind == TSH_BTF_BEGIN ? end_of(b->layout, i) : i;
		its = row->at - b->base;
		/* skip a member at an impossible place (hostile BTF) */
		if (!is_member_row(row) || its < at || (is_union && its))
			continue;
		if (!is_union && (packed ? at : place_of(w->btf, row, at)) < its)
			append_gap(w, b->depth, at, its);
		if (row->kind == TSH_BTF_BEGIN)
			append_inner(w, b, i, stop, packed);
		else
			append_member(w, row, packed);
		its += row->bits ? row->bits : 8 * row->size;
		end = its > end ? its : end;
		at = is_union ? 0 : end;
	}
	append_rest(w, b, packed, end);
}

/* ---- a whole type ---- */

static void append_enum(struct c_writer *w, const struct tsh_btf_type *type)
{
	uint32_t i;

	for (i = 0; i < type->n; i++) {
		struct tsh_btf_part part = tsh_btf_part(w->btf, type, i);

		if (!tsh_struct_is_name(part.name))
			continue;
		tsh_strbuf_addf(&w->text, "\t%s = ", part.name);
		/* C has no literal for the smallest number */
		if (type->flag && part.value == UINT64_C(1) << 63)
			tsh_strbuf_adds(&w->text, "-9223372036854775807LL - 1");
		else
			tsh_struct_enumerator(type, &part, &w->text);
		tsh_strbuf_adds(&w->text, !type->flag && part.value >> 63 ? "ULL,\n" : ",\n");
	}
	tsh_strbuf_adds(&w->text, type->size < 4 ? "} __attribute__((packed))" : "}");
}

static void append_aggregate(struct c_writer *w, const struct tsh_btf_type *type)
{
	struct tsh_btf_layout layout = { 0 };
	struct c_block b = { .layout = &layout, .type = *type };
	uint64_t ignored;
	bool packed;

	tsh_btf_layout(w->btf, type->ref, &layout);
	b.end = layout.n;
	packed = !is_natural(w->btf, &b, &ignored);
	append_members(w, &b, packed);
	append_attribute(w, &b, packed, false);
	tsh_btf_layout_release(&layout);
}

static void append_head(struct c_writer *w, const char *word, const char *tag)
{
	if (tag)
		tsh_strbuf_addf(&w->text, "%s %s {\n", word, tag);
	else
		tsh_strbuf_addf(&w->text, "typedef %s {\n", word);
}

static void append_tail(struct c_writer *w, const char *word, const char *tag, const char *name,
			uint32_t size)
{
	if (!tag)
		tsh_strbuf_addf(&w->text, " %s;\n", name);
	else
		tsh_strbuf_adds(&w->text, ";\n");
	if (tag && name && strcmp(tag, name))
		tsh_strbuf_addf(&w->text, "typedef %s %s %s;\n", word, tag, name);
	tsh_strbuf_addf(&w->text, "_Static_assert(sizeof(%s%s%s) == %u, \"%u bytes\");\n",
			tag ? word : "", tag ? " " : "", tag ? tag : name, size, size);
}

void tsh_struct_print_c(struct tsh_out *out, struct tsh_btf *btf, const struct tsh_btf_type *type,
			const char *name)
{
	struct c_writer w = { .btf = btf, .declared = TSH_STRBUF_INIT, .text = TSH_STRBUF_INIT };
	bool is_enum = type->kind == TSH_BTF_ENUM || type->kind == TSH_BTF_ENUM64;
	const char *tag = tsh_struct_is_name(type->name) ? type->name : NULL;
	const char *word = is_enum ? "enum" : type->kind == TSH_BTF_UNION ? "union" : "struct";
	size_t own;

	if (name && !tsh_struct_is_name(name))
		name = NULL;
	if (!tag && !name)
		name = "unnamed";
	tsh_strbuf_addc(&w.declared, '\n');
	if (tag)
		tsh_strbuf_addf(&w.declared, "%s %s;\n", word, tag);
	own = w.declared.len;
	append_head(&w, word, tag);
	if (is_enum)
		append_enum(&w, type);
	else
		append_aggregate(&w, type);
	append_tail(&w, word, tag, name, type->size);
	if (w.declared.len > own) {
		tsh_strbuf_remove(&w.declared, own);
		tsh_strbuf_addc(&w.declared, '\n');
		tsh_out_text(out, w.declared.buf, w.declared.len);
	}
	tsh_out_text(out, w.text.buf, w.text.len);
	tsh_strbuf_release(&w.declared);
	tsh_strbuf_release(&w.text);
}
