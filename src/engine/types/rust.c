/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "struct.h"

#include <stdlib.h>
#include <string.h>

/* Prints types as Rust (--lang rust): numbers and pointers if they are aligned; everything else,
 * and gaps, as bytes. So repr(C) adds no padding of its own. */

struct rust_writer {
	struct tsh_btf *btf;
	struct tsh_strbuf text;
	unsigned int unnamed;
	uint64_t at;			/* end of the last field of a structure, in bytes */
	bool is_union;
};

/* Appends a name; r#type for words that are reserved in Rust. */
static void append_name(struct rust_writer *w, const char *name)
{
	static const char *const words[] = {
		"abstract", "as", "async", "await", "become", "box", "break", "const", "continue",
		"do", "dyn", "else", "enum", "extern", "false", "final", "fn", "for", "gen", "if",
		"impl", "in", "let", "loop", "macro", "match", "mod", "move", "mut", "override",
		"priv", "pub", "ref", "return", "static", "struct", "trait", "true", "try", "type",
		"typeof", "union", "unsafe", "unsized", "use", "virtual", "where", "while",
		"yield",
	};
	size_t i;

	if (!tsh_struct_is_name(name) || !strcmp(name, "_")) {
		tsh_strbuf_addf(&w->text, "_member%u", w->unnamed++);
		return;
	}
	for (i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (!strcmp(words[i], name))
			tsh_strbuf_adds(&w->text, "r#");
	tsh_strbuf_adds(&w->text, name);
	/* these words cannot be raw identifiers */
	if (!strcmp(name, "self") || !strcmp(name, "super") || !strcmp(name, "crate") ||
	    !strcmp(name, "Self"))
		tsh_strbuf_addc(&w->text, '_');
}

/* Appends a type of Rust with the same size and alignment. Returns false when there is none. */
static bool append_plain(const struct tsh_btf_type *type, struct tsh_strbuf *out)
{
	bool is_signed = type->kind == TSH_BTF_INT ? type->is_signed : type->flag;

	switch (type->kind) {
	case TSH_BTF_PTR:
		tsh_strbuf_adds(out, "*mut core::ffi::c_void");
		return true;
	case TSH_BTF_INT:
	case TSH_BTF_ENUM:
	case TSH_BTF_ENUM64:
		if (type->size != 1 && type->size != 2 && type->size != 4 && type->size != 8)
			return false;
		tsh_strbuf_addf(out, "%c%u", is_signed ? 'i' : 'u', 8 * type->size);
		return true;
	case TSH_BTF_FLOAT:
		tsh_strbuf_addf(out, "f%u", 8 * type->size);
		return type->size == 4 || type->size == 8;
	default:
		return false;
	}
}

/* Appends the type of an array, "[[u8; 4]; 2]". Returns false when its elements have no type of
 * Rust. */
static bool append_type(struct rust_writer *w, struct tsh_btf_ref ref, struct tsh_strbuf *out)
{
	struct tsh_btf_type type = tsh_btf_bare(w->btf, ref, true);
	struct tsh_strbuf behind = TSH_STRBUF_INIT, element = TSH_STRBUF_INIT;
	struct tsh_strbuf dimension = TSH_STRBUF_INIT;
	unsigned int i;
	bool is_plain;

	for (i = 0; i < 8 && type.kind == TSH_BTF_ARRAY; i++) {
		tsh_strbuf_addc(out, '[');
		/* the first dimension is the outermost */
		tsh_strbuf_clear(&dimension);
		tsh_strbuf_addf(&dimension, "; %u]%s", type.n, behind.buf);
		tsh_strbuf_clear(&behind);
		tsh_strbuf_adds(&behind, dimension.buf);
		type = tsh_btf_bare(w->btf, type.to, true);
	}
	is_plain = append_plain(&type, &element);
	tsh_strbuf_adds(out, element.buf);
	tsh_strbuf_adds(out, behind.buf);
	tsh_strbuf_release(&element);
	tsh_strbuf_release(&behind);
	tsh_strbuf_release(&dimension);
	return is_plain;
}

static void append_comment(struct rust_writer *w, const struct tsh_btf_row *row, const char *name)
{
	struct tsh_strbuf text = TSH_STRBUF_INIT;

	if (tsh_btf_declare(w->btf, row->type, name, NULL, &text) && !strchr(text.buf, '\n') &&
	    !strchr(text.buf, '\r'))
		tsh_strbuf_addf(&w->text, "// %s", text.buf);
	if (text.len && row->bits)
		tsh_strbuf_addf(&w->text, " : %llu", (unsigned long long)row->bits);
	tsh_strbuf_addc(&w->text, '\n');
	tsh_strbuf_release(&text);
}

static void append_gap(struct rust_writer *w, uint64_t to)
{
	if (w->is_union || to <= w->at)
		return;
	tsh_strbuf_addf(&w->text, "    pub _pad%u: [u8; %llu],\n", w->unnamed++,
			(unsigned long long)(to - w->at));
	w->at = to;
}

/* Prints bit fields as bytes up to the next member, with comments that describe them. */
static void append_bits(struct rust_writer *w, const struct tsh_btf_row *row)
{
	uint64_t end = (row->at + row->bits + 7) / 8;

	if (w->is_union) {
		tsh_strbuf_adds(&w->text, "    pub ");
		append_name(w, row->name);
		tsh_strbuf_addf(&w->text, ": [u8; %llu], ", (unsigned long long)end);
	} else if (end > w->at) {
		append_gap(w, row->at / 8);
		tsh_strbuf_addf(&w->text, "    pub _bits%u: [u8; %llu], ", w->unnamed++,
				(unsigned long long)(end - w->at));
		w->at = end;
	} else {
		tsh_strbuf_adds(&w->text, "    ");
	}
	append_comment(w, row, row->name);
}

static void append_member(struct rust_writer *w, const struct tsh_btf_row *row)
{
	struct tsh_strbuf type = TSH_STRBUF_INIT;
	uint64_t at = row->at / 8;
	bool is_plain = append_type(w, row->type, &type) && at % tsh_btf_align(w->btf, row->type) == 0;

	/* skip a member at an impossible place (hostile BTF) */
	if (!w->is_union && at < w->at)
		goto out;
	append_gap(w, at);
	tsh_strbuf_adds(&w->text, "    pub ");
	append_name(w, row->name);
	if (is_plain)
		tsh_strbuf_addf(&w->text, ": %s, ", type.buf);
	else
		tsh_strbuf_addf(&w->text, ": [u8; %llu], ", (unsigned long long)row->size);
	append_comment(w, row, "");
	w->at = at + row->size;
out:
	tsh_strbuf_release(&type);
}

static void append_fields(struct rust_writer *w, const struct tsh_btf_type *type)
{
	struct tsh_btf_layout layout = { 0 };
	size_t i;

	tsh_btf_layout(w->btf, type->ref, &layout);
	for (i = 0; i < layout.n; i++) {
		const struct tsh_btf_row *row = &layout.v[i];

		if (row->depth || (row->kind != TSH_BTF_MEMBER && row->kind != TSH_BTF_BEGIN))
			continue;
		if (row->bits)
			append_bits(w, row);
		else
			append_member(w, row);
	}
	append_gap(w, type->size);
	/* gives the union its size */
	if (w->is_union)
		tsh_strbuf_addf(&w->text, "    pub _bytes: [u8; %u],\n", type->size);
	tsh_btf_layout_release(&layout);
}

/* Prints a structure or a union. packed does no harm: all members are aligned at their places. */
static void append_aggregate(struct rust_writer *w, const struct tsh_btf_type *type,
			     const char *name)
{
	uint32_t align = tsh_btf_align(w->btf, type->ref);

	w->is_union = type->kind == TSH_BTF_UNION;
	if (align > 1)
		tsh_strbuf_addf(&w->text, "#[repr(C, align(%u))]\n", align);
	else
		tsh_strbuf_adds(&w->text, "#[repr(C, packed)]\n");
	tsh_strbuf_addf(&w->text, "#[derive(Clone, Copy)]\npub %s ",
			w->is_union ? "union" : "struct");
	append_name(w, name);
	tsh_strbuf_adds(&w->text, " {\n");
	append_fields(w, type);
	tsh_strbuf_adds(&w->text, "}\nconst _: () = assert!(core::mem::size_of::<");
	append_name(w, name);
	tsh_strbuf_addf(&w->text, ">() == %u);\n", type->size);
}

static void append_enum(struct rust_writer *w, const struct tsh_btf_type *type, const char *name)
{
	struct tsh_strbuf base = TSH_STRBUF_INIT;
	uint32_t i;

	if (!append_plain(type, &base)) {
		tsh_strbuf_clear(&base);
		tsh_strbuf_adds(&base, type->flag ? "i64" : "u64");
	}
	tsh_strbuf_adds(&w->text, "pub type ");
	append_name(w, name);
	tsh_strbuf_addf(&w->text, " = %s;\n", base.buf);
	for (i = 0; i < type->n; i++) {
		struct tsh_btf_part part = tsh_btf_part(w->btf, type, i);

		tsh_strbuf_adds(&w->text, "pub const ");
		append_name(w, part.name);
		tsh_strbuf_addf(&w->text, ": %s = ", base.buf);
		tsh_struct_enumerator(type, &part, &w->text);
		tsh_strbuf_adds(&w->text, ";\n");
	}
	tsh_strbuf_release(&base);
}

void tsh_struct_print_rust(struct tsh_out *out, struct tsh_btf *btf,
			   const struct tsh_btf_type *type, const char *name)
{
	struct rust_writer w = { .btf = btf, .text = TSH_STRBUF_INIT };
	const char *tag = tsh_struct_is_name(type->name) ? type->name :
			  name && tsh_struct_is_name(name) ? name : "unnamed";

	tsh_strbuf_adds(&w.text, "#[allow(non_camel_case_types, non_upper_case_globals)]\n");
	if (type->kind == TSH_BTF_ENUM || type->kind == TSH_BTF_ENUM64) {
		tsh_strbuf_clear(&w.text);
		append_enum(&w, type, tag);
	} else {
		append_aggregate(&w, type, tag);
	}
	tsh_out_text(out, w.text.buf, w.text.len);
	tsh_strbuf_release(&w.text);
}
