/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "struct.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "session/util.h"

/* Prints the layout of the kernel's structures, as text and as rows of a table. */

enum { OFFSET, BIT, BITS, SIZE, TYPE, NAME, DEPTH, VALUE };

static const struct tsh_column columns[] = {
	{ "offset", TSH_COLUMN_NUMBER }, { "bit", TSH_COLUMN_NUMBER },
	{ "bits", TSH_COLUMN_NUMBER }, { "size", TSH_COLUMN_NUMBER },
	{ "type", TSH_COLUMN_TEXT }, { "name", TSH_COLUMN_TEXT }, { "depth", TSH_COLUMN_NUMBER },
	{ "value", TSH_COLUMN_TEXT }, { 0 }
};

bool tsh_struct_is_aggregate(const struct tsh_btf_type *type)
{
	return type->kind == TSH_BTF_STRUCT || type->kind == TSH_BTF_UNION;
}

bool tsh_struct_is_enum(const struct tsh_btf_type *type)
{
	return type->kind == TSH_BTF_ENUM || type->kind == TSH_BTF_ENUM64;
}

static void declare(const struct tsh_btf *btf, struct tsh_btf_ref type, const char *name,
		    struct tsh_strbuf *out)
{
	size_t before = out->len;

	if (tsh_btf_declare(btf, type, name, NULL, out))
		return;
	tsh_strbuf_truncate(out, before);
	tsh_strbuf_addf(out, "? %s", name);
}

/* ---- text ---- */

/* Prints a line: " 0 16 TEXT". */
static void print_line(struct tsh_out *out, const char *offset, const char *size,
		       unsigned int depth, const char *text)
{
	tsh_out_line(out, "%8s %6s  %*s%s", offset, size, (int)(4 * depth), "", text);
}

/* Prints the beginning of a member that is a structure: "struct {". print_end prints "}
 * NAME[4];". */
static void print_begin(struct tsh_out *out, const struct tsh_btf_row *row)
{
	char *offset = tsh_xasprintf("%llu", (unsigned long long)row->at / 8);
	char *size = tsh_xasprintf("%llu", (unsigned long long)row->size);

	print_line(out, offset, size, row->depth + 1,
		   row->inner.kind == TSH_BTF_UNION ? "union {" : "struct {");
	free(offset);
	free(size);
}

static bool append_bracket(void *ctx, const struct tsh_btf_type *type, struct tsh_strbuf *out)
{
	(void)ctx;
	(void)type;
	tsh_strbuf_addc(out, '}');
	return true;
}

static void print_end(struct tsh_out *out, const struct tsh_btf *btf,
		      const struct tsh_btf_row *row)
{
	const struct tsh_btf_style style = { .base = append_bracket };
	struct tsh_strbuf text = TSH_STRBUF_INIT;

	if (!tsh_btf_declare(btf, row->type, row->name, &style, &text)) {
		tsh_strbuf_clear(&text);
		tsh_strbuf_addc(&text, '}');
	}
	tsh_strbuf_addc(&text, ';');
	print_line(out, "", "", row->depth + 1, text.buf);
	tsh_strbuf_release(&text);
}

static void print_hole(struct tsh_out *out, const struct tsh_btf_row *row)
{
	const char *what = row->kind == TSH_BTF_HOLE ? "hole" : "padding";
	bool in_bytes = row->at % 8 == 0 && row->bits % 8 == 0;
	unsigned long long n = in_bytes ? row->bits / 8 : row->bits;
	struct tsh_strbuf offset = TSH_STRBUF_INIT, size = TSH_STRBUF_INIT, text = TSH_STRBUF_INIT;

	tsh_strbuf_addf(&offset, "%llu", (unsigned long long)row->at / 8);
	if (in_bytes)
		tsh_strbuf_addu(&size, n);
	else
		tsh_strbuf_addf(&offset, ":%u", (unsigned int)(row->at % 8));
	tsh_strbuf_addf(&text, "/* %llu %s%s %s */", n, in_bytes ? "byte" : "bit", tsh_plural(n),
			what);
	print_line(out, offset.buf, size.buf, row->depth + 1, text.buf);
	tsh_strbuf_release(&offset);
	tsh_strbuf_release(&size);
	tsh_strbuf_release(&text);
}

static void print_member(struct tsh_out *out, const struct tsh_btf *btf,
			 const struct tsh_btf_row *row)
{
	struct tsh_strbuf offset = TSH_STRBUF_INIT, text = TSH_STRBUF_INIT;
	char *size = tsh_xasprintf("%llu", (unsigned long long)row->size);

	tsh_strbuf_addf(&offset, "%llu", (unsigned long long)row->at / 8);
	if (row->bits)
		tsh_strbuf_addf(&offset, ":%u", (unsigned int)(row->at % 8));
	declare(btf, row->type, row->name, &text);
	if (row->bits)
		tsh_strbuf_addf(&text, ":%llu", (unsigned long long)row->bits);
	tsh_strbuf_addc(&text, ';');
	print_line(out, offset.buf, size, row->depth + 1, text.buf);
	tsh_strbuf_release(&offset);
	tsh_strbuf_release(&text);
	free(size);
}

static void print_row(struct tsh_out *out, const struct tsh_btf *btf,
		      const struct tsh_btf_row *row)
{
	switch (row->kind) {
	case TSH_BTF_MEMBER:
		print_member(out, btf, row);
		break;
	case TSH_BTF_BEGIN:
		print_begin(out, row);
		break;
	case TSH_BTF_END:
		print_end(out, btf, row);
		break;
	default:
		print_hole(out, row);
	}
}

/* Appends a summary: "40 bytes, 4 members, 1 hole: 4 bytes, 4 bytes padding". */
static void add_sum(const struct tsh_btf_type *type, const struct tsh_btf_layout *layout,
		    struct tsh_strbuf *out)
{
	uint64_t holes = 0, bits = 0, padding = 0;
	size_t i;

	for (i = 0; i < layout->n; i++) {
		const struct tsh_btf_row *row = &layout->v[i];

		holes += row->kind == TSH_BTF_HOLE;
		bits += row->kind == TSH_BTF_HOLE ? row->bits : 0;
		if (row->kind == TSH_BTF_PADDING && !row->depth)
			padding += row->bits;
	}
	tsh_strbuf_addf(out, "%u byte%s, %u member%s", type->size, tsh_plural(type->size),
			type->n, tsh_plural(type->n));
	if (holes)
		tsh_strbuf_addf(out, ", %llu hole%s: %llu %s", (unsigned long long)holes,
				tsh_plural(holes),
				(unsigned long long)(bits % 8 ? bits : bits / 8),
				bits % 8 ? "bits" : bits == 8 ? "byte" : "bytes");
	if (padding >= 8)
		tsh_strbuf_addf(out, ", %llu byte%s padding", (unsigned long long)padding / 8,
				tsh_plural(padding / 8));
}

static void print_aggregate(struct tsh_out *out, const struct tsh_btf *btf,
			    const struct tsh_btf_type *type, const char *name)
{
	struct tsh_strbuf text = TSH_STRBUF_INIT, sum = TSH_STRBUF_INIT;
	const char *word = type->kind == TSH_BTF_UNION ? "union" : "struct";
	struct tsh_btf_layout layout = { 0 };
	size_t i;

	tsh_btf_layout(btf, type->ref, &layout);
	if (*type->name)
		tsh_strbuf_addf(&text, "%s %s {", word, type->name);
	else
		tsh_strbuf_addf(&text, "%s%s {", name ? "typedef " : "", word);
	print_line(out, "OFFSET", "SIZE", 0, text.buf);
	for (i = 0; i < layout.n && !out->closed; i++)
		print_row(out, btf, &layout.v[i]);
	if (layout.is_cut)
		print_line(out, "", "", 1, "/* and more */");
	add_sum(type, &layout, &sum);
	tsh_strbuf_clear(&text);
	tsh_strbuf_addf(&text, "}%s%s;  /* %s */", !*type->name && name ? " " : "",
			!*type->name && name ? name : "", sum.buf);
	print_line(out, "", "", 0, text.buf);
	tsh_btf_layout_release(&layout);
	tsh_strbuf_release(&text);
	tsh_strbuf_release(&sum);
}

static void print_enum(struct tsh_out *out, const struct tsh_btf *btf,
		       const struct tsh_btf_type *type, const char *name)
{
	uint32_t i;

	tsh_out_line(out, "%senum %s%s{", !*type->name && name ? "typedef " : "", type->name,
		     *type->name ? " " : "");
	for (i = 0; i < type->n && !out->closed; i++) {
		struct tsh_btf_part part = tsh_btf_part(btf, type, i);
		struct tsh_strbuf value = TSH_STRBUF_INIT;

		tsh_struct_enumerator(type, &part, &value);
		tsh_out_line(out, "    %s = %s,", part.name, value.buf);
		tsh_strbuf_release(&value);
	}
	tsh_out_line(out, "}%s%s;  /* %u byte%s */", !*type->name && name ? " " : "",
		     !*type->name && name ? name : "", type->size, tsh_plural(type->size));
}

/* Prints the type and the place of a member, or the type that a typedef names. */
static void print_heading(struct tsh_out *out, const struct tsh_btf *btf, const char *word,
			  const struct tsh_type_place *place)
{
	struct tsh_strbuf text = TSH_STRBUF_INIT, outer = TSH_STRBUF_INIT;
	uint64_t size = tsh_btf_size(btf, place->ref);

	if (place->is_member)
		declare(btf, place->ref, place->part.name, &text);
	else
		declare(btf, tsh_btf_type(btf, place->ref).to, word, &text);
	if (!place->is_member) {
		tsh_out_line(out, "typedef %s;  /* %llu byte%s */", text.buf,
			     (unsigned long long)size, tsh_plural(size));
	} else {
		tsh_btf_base(&place->outer, &outer);
		if (place->part.bits)
			tsh_strbuf_addf(&text, ":%u", place->part.bits);
		tsh_strbuf_addf(&text, ";  /* %s: at %llu", outer.buf,
				(unsigned long long)place->at / 8);
		if (place->part.bits)
			tsh_strbuf_addf(&text, ":%u", (unsigned int)(place->at % 8));
		tsh_out_line(out, "%s, %llu byte%s */", text.buf, (unsigned long long)size,
			     tsh_plural(size));
	}
	tsh_strbuf_release(&text);
	tsh_strbuf_release(&outer);
}

/* ---- rows ---- */

static void add_row(struct tsh_table *table, const struct tsh_btf *btf,
		    const struct tsh_btf_row *row, unsigned int depth)
{
	struct tsh_strbuf type = TSH_STRBUF_INIT;

	declare(btf, row->type, "", &type);
	tsh_table_row(table);
	tsh_table_number(table, row->at / 8);
	if (row->bits) {
		tsh_table_number(table, row->at % 8);
		tsh_table_number(table, row->bits);
	} else {
		tsh_table_text(table, NULL);
		tsh_table_text(table, NULL);
	}
	tsh_table_number(table, row->size);
	tsh_table_text(table, type.buf);
	tsh_table_text(table, *row->name ? row->name : NULL);
	tsh_table_number(table, depth);
	tsh_strbuf_release(&type);
}

static void add_enumerators(struct tsh_table *table, const struct tsh_btf *btf,
			    const struct tsh_btf_type *type)
{
	struct tsh_strbuf value = TSH_STRBUF_INIT;
	uint32_t i, column;

	for (i = 0; i < type->n; i++) {
		struct tsh_btf_part part = tsh_btf_part(btf, type, i);

		tsh_strbuf_clear(&value);
		tsh_struct_enumerator(type, &part, &value);
		tsh_table_row(table);
		for (column = OFFSET; column < NAME; column++)
			tsh_table_text(table, NULL);
		tsh_table_text(table, part.name);
		tsh_table_number(table, 1);
		tsh_table_text(table, value.buf);
	}
	tsh_strbuf_release(&value);
}

/* Adds a row of depth 0 for the type or member that the word names, then rows for its members. */
void tsh_struct_add_rows(struct tsh_table *table, const struct tsh_btf *btf, const char *word,
			 const struct tsh_type_place *place, const struct tsh_btf_type *type)
{
	struct tsh_btf_layout layout = { 0 };
	struct tsh_btf_row whole = { .type = place->ref, .name = word, .at = place->at,
				     .bits = place->part.bits,
				     .size = tsh_btf_size(btf, place->ref) };
	size_t i;

	add_row(table, btf, &whole, 0);
	if (tsh_struct_is_enum(type))
		add_enumerators(table, btf, type);
	tsh_btf_layout(btf, type->ref, &layout);
	for (i = 0; i < layout.n; i++)
		if (layout.v[i].kind == TSH_BTF_MEMBER || layout.v[i].kind == TSH_BTF_BEGIN)
			add_row(table, btf, &layout.v[i], layout.v[i].depth + 1);
	tsh_btf_layout_release(&layout);
}

void tsh_struct_print(struct tsh_out *out, const struct tsh_btf *btf, const char *word,
		      const struct tsh_type_place *place, const struct tsh_btf_type *type)
{
	struct tsh_btf_type own = tsh_btf_type(btf, place->ref);
	bool unnamed = !place->is_member && !*type->name;

	/* the name of a typedef of an unnamed structure is printed at its end */
	if (place->is_member || (own.kind == TSH_BTF_TYPEDEF && !unnamed))
		print_heading(out, btf, word, place);
	if (tsh_struct_is_aggregate(type))
		print_aggregate(out, btf, type, unnamed ? word : NULL);
	else if (tsh_struct_is_enum(type))
		print_enum(out, btf, type, unnamed ? word : NULL);
}

struct tsh_table *tsh_struct_table(struct tsh_out *out)
{
	return tsh_table_begin(out, "member", columns);
}
