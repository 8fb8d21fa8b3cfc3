/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <string.h>

#include "btf-type.h"

/* Limit the nesting of functions that are parameters, the parameters of one function, and the bytes
 * of one declaration. */
#define NESTED_MAX 4
#define PARAMETERS_MAX 64
#define TEXT_MAX 16384

/* ---- the word at the beginning ---- */

static const char *word_of(const struct tsh_btf_type *type)
{
	switch (type->kind) {
	case TSH_BTF_STRUCT:
		return "struct";
	case TSH_BTF_UNION:
		return "union";
	case TSH_BTF_ENUM:
	case TSH_BTF_ENUM64:
		return "enum";
	case TSH_BTF_FWD:
		return type->flag ? "union" : "struct";
	default:
		return NULL;
	}
}

void tsh_btf_base(const struct tsh_btf_type *type, struct tsh_strbuf *out)
{
	const char *word = word_of(type);

	if (word)
		tsh_strbuf_addf(out, "%s %s", word, *type->name ? type->name : "{..}");
	else if (type->kind == TSH_BTF_VOID)
		tsh_strbuf_adds(out, "void");
	else
		tsh_strbuf_adds(out, *type->name ? type->name : "?");
}

/* ---- declarators, from the name outwards ---- */

struct declaration {
	const struct tsh_btf *btf;
	const struct tsh_btf_style *style;
	unsigned int nested;
	/* the name, with the declarators that were written around it */
	struct tsh_strbuf inner;
	bool is_const, is_volatile;	/* qualifiers that were read and are not written yet */
};

static bool declare(const struct tsh_btf *btf, struct tsh_btf_ref ref, const char *name,
		    const struct tsh_btf_style *style, unsigned int nested,
		    struct tsh_strbuf *out);

static void prepend(struct tsh_strbuf *sb, const char *text)
{
	struct tsh_strbuf whole = TSH_STRBUF_INIT;

	tsh_strbuf_adds(&whole, text);
	tsh_strbuf_add(&whole, sb->buf, sb->len);
	tsh_strbuf_release(sb);
	*sb = whole;
}

static void prepend_qualifiers(struct declaration *d, struct tsh_strbuf *out)
{
	tsh_strbuf_adds(out, d->is_const ? "const " : "");
	tsh_strbuf_adds(out, d->is_volatile ? "volatile " : "");
	d->is_const = d->is_volatile = false;
}

static void prepend_pointer(struct declaration *d)
{
	struct tsh_strbuf star = TSH_STRBUF_INIT;

	tsh_strbuf_addc(&star, '*');
	prepend_qualifiers(d, &star);
	prepend(&d->inner, star.buf);
	tsh_strbuf_release(&star);
}

/* Adds parentheses: "*name" binds less tightly than what follows it. */
static void wrap(struct declaration *d)
{
	if (!d->inner.len || d->inner.buf[0] != '*')
		return;
	prepend(&d->inner, "(");
	tsh_strbuf_addc(&d->inner, ')');
}

static bool append_parameters(const struct tsh_btf *btf, const struct tsh_btf_type *proto,
			      uint32_t first, const struct tsh_btf_style *style,
			      unsigned int nested, struct tsh_strbuf *out)
{
	uint32_t i;

	if (proto->n <= first)
		tsh_strbuf_adds(out, "void");
	for (i = first; i < proto->n; i++) {
		struct tsh_btf_part part = tsh_btf_part(btf, proto, i);

		if (i > first)
			tsh_strbuf_adds(out, ", ");
		if (i - first >= PARAMETERS_MAX) {
			tsh_strbuf_adds(out, "..");
			return false;
		}
		/* a parameter without a name and type is C's "..." */
		if (!part.type.id)
			tsh_strbuf_adds(out, "...");
		else if (!declare(btf, part.type, style && style->is_source ? "" : part.name, style,
				  nested + 1, out))
			return false;
	}
	return true;
}

static bool append_function(struct declaration *d, const struct tsh_btf_type *type)
{
	wrap(d);
	tsh_strbuf_addc(&d->inner, '(');
	if (!append_parameters(d->btf, type, 0, d->style, d->nested, &d->inner))
		return false;
	tsh_strbuf_addc(&d->inner, ')');
	return true;
}

/* Goes one step outwards. Returns 1 when there are more steps, 0 when `type` is the base, -1 when
 * it cannot be written. */
static int step(struct declaration *d, const struct tsh_btf_type *type)
{
	switch (type->kind) {
	case TSH_BTF_PTR:
		prepend_pointer(d);
		return 1;
	case TSH_BTF_ARRAY:
		if (d->style && d->style->is_source && d->inner.buf[0] == '*')
			return -1;
		wrap(d);
		tsh_strbuf_addf(&d->inner, "[%u]", type->n);
		return 1;
	case TSH_BTF_FUNC_PROTO:
		return append_function(d, type) ? 1 : -1;
	case TSH_BTF_CONST:
		d->is_const = true;
		return 1;
	case TSH_BTF_VOLATILE:
		d->is_volatile = true;
		return 1;
	case TSH_BTF_RESTRICT:
	case TSH_BTF_TYPE_TAG:
		return 1;
	case TSH_BTF_TYPEDEF:
		return d->style && d->style->no_typedefs;
	case TSH_BTF_NONE:
	case TSH_BTF_FUNC:
	case TSH_BTF_VAR:
	case TSH_BTF_DATASEC:
	case TSH_BTF_DECL_TAG:
		return -1;
	default:
		return 0;
	}
}

static bool finish(struct declaration *d, const struct tsh_btf_type *base, struct tsh_strbuf *out)
{
	prepend_qualifiers(d, out);
	if (!d->style || !d->style->base)
		tsh_btf_base(base, out);
	else if (!d->style->base(d->style->ctx, base, out))
		return false;
	if (d->inner.len && d->inner.buf[0] != '[')
		tsh_strbuf_addc(out, ' ');
	tsh_strbuf_add(out, d->inner.buf, d->inner.len);
	return out->len < TEXT_MAX;
}

static bool declare(const struct tsh_btf *btf, struct tsh_btf_ref ref, const char *name,
		    const struct tsh_btf_style *style, unsigned int nested,
		    struct tsh_strbuf *out)
{
	struct declaration d = { .btf = btf, .style = style, .nested = nested,
				 .inner = TSH_STRBUF_INIT };
	struct tsh_btf_type type = tsh_btf_type(btf, ref);
	unsigned int i;
	int more = nested < NESTED_MAX ? 1 : -1;
	bool is_good;

	tsh_strbuf_adds(&d.inner, name);
	for (i = 0; more > 0 && i < 2 * BTF_CHAIN_MAX && d.inner.len < TEXT_MAX; i++) {
		more = step(&d, &type);
		if (more > 0)
			type = tsh_btf_type(btf, type.to);
	}
	is_good = !more && finish(&d, &type, out);
	tsh_strbuf_release(&d.inner);
	return is_good;
}

bool tsh_btf_declare(const struct tsh_btf *btf, struct tsh_btf_ref type, const char *name,
		     const struct tsh_btf_style *style, struct tsh_strbuf *out)
{
	return declare(btf, type, name, style, 0, out);
}

bool tsh_btf_parameters(const struct tsh_btf *btf, const struct tsh_btf_type *proto,
			uint32_t first, const struct tsh_btf_style *style,
			struct tsh_strbuf *out)
{
	return append_parameters(btf, proto, first, style, 0, out);
}
