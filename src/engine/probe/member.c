/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "probe.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "base/suggest.h"
#include "types.h"

/*
 * Translates "path->dentry->d_name.name", which begins with a parameter of the function, to a fetch
 * argument of the kernel: +24(+8($arg1)). Kernels from 6.5 on can do this themselves, with the same
 * types; it is done here for all kernels.
 */

#define ELEMENTS_MAX 64		/* limit of the kernel for arrays (MAX_ARRAY_LEN) */
#define BIG_ENDIAN_HOST (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__)

struct walk {
	struct tsh_btf *btf;
	const struct tsh_value *value;
	size_t from;			/* offset of the text in the word */
	const char *text;
	struct tsh_err *err;
	/* Describe the present value: `base` itself, or with in_memory the bytes at `base` +
	 * offset. */
	char *base;
	bool in_memory;
	uint64_t offset;
	struct tsh_btf_ref type;
	uint32_t bits, bit_at;		/* size and place of a bit field; bits 0: none */
	const char *name;		/* name of the last member */
	size_t name_len;
};

static int fail(struct walk *w, const char *begin, size_t len)
{
	size_t at = w->from + (size_t)(begin - w->text);

	w->err->status = TSH_FAILED;
	w->err->span = tsh_word_span(&w->value->word, at, at + len);
	return -1;
}

static char *type_text(const struct tsh_btf *btf, struct tsh_btf_ref type)
{
	struct tsh_strbuf text = TSH_STRBUF_INIT;

	if (!tsh_btf_declare(btf, type, "", NULL, &text)) {
		tsh_strbuf_clear(&text);
		tsh_strbuf_adds(&text, "of a type without a name");
	}
	return tsh_strbuf_detach(&text);
}

/* ---- the first word: a parameter ---- */

static void offer_parameters(struct walk *w, const struct tsh_btf_type *proto)
{
	struct tsh_strbuf all = TSH_STRBUF_INIT;
	uint32_t i;

	for (i = 0; i < proto->n; i++)
		tsh_strbuf_addf(&all, "%s%s", i ? ", " : "", tsh_btf_part(w->btf, proto, i).name);
	if (all.len)
		tsh_err_hint(w->err, "it has: %s", all.buf);
	else
		tsh_err_hint(w->err, "it has none");
	tsh_strbuf_release(&all);
}

/* Says whether a parameter is passed in one register. Otherwise the registers of the following
 * parameters are not known. */
static bool fits_one_register(struct walk *w, struct tsh_btf_ref type)
{
	struct tsh_btf_type bare = tsh_btf_bare(w->btf, type, true);

	return bare.kind != TSH_BTF_STRUCT && bare.kind != TSH_BTF_UNION &&
	       bare.kind != TSH_BTF_FLOAT &&
	       tsh_btf_size(w->btf, type) <= tsh_btf_pointer_size(w->btf);
}

static int find_prototype(struct walk *w, const struct tsh_target *target, size_t len,
			  struct tsh_btf_type *ret)
{
	if (target->offset) {
		tsh_err_set(w->err, TSH_FAILED, "parameters are known only at the beginning of a function");
		tsh_err_hint(w->err, "registers can be had anywhere: name=%s", TSH_REGISTER);
		return fail(w, w->text, len);
	}
	if (target->function) {
		*ret = tsh_btf_prototype(w->btf, target->function);
		if (ret->kind == TSH_BTF_FUNC_PROTO)
			return 0;
	}
	tsh_err_set(w->err, TSH_FAILED, "the kernel's types (BTF) have no function '%s'",
		    target->function ? target->function : target->place);
	tsh_err_hint(w->err, "by number, or from a register: name=$arg1, name=%s",
		     TSH_REGISTER);
	return fail(w, w->text, len);
}

static int begin_parameter(struct walk *w, const struct tsh_target *target, const char *name,
			   size_t len)
{
	struct tsh_btf_type proto;
	uint32_t i;

	if (find_prototype(w, target, len, &proto) < 0)
		return -1;
	if (len == strlen("$retval") && !memcmp(name, "$retval", len)) {
		if (!proto.to.id) {
			tsh_err_set(w->err, TSH_FAILED, "'%s' returns nothing", target->function);
			return fail(w, name, len);
		}
		w->base = tsh_xstrdup("$retval");
		w->type = proto.to;
		return 0;
	}
	if (target->is_return) {
		tsh_err_set(w->err, TSH_FAILED, "the parameters of '%s' are gone when it returns",
			    target->function);
		tsh_err_hint(w->err, "what it returns is $retval");
		return fail(w, name, len);
	}
	for (i = 0; i < proto.n; i++) {
		struct tsh_btf_part part = tsh_btf_part(w->btf, &proto, i);

		if (strlen(part.name) == len && !memcmp(part.name, name, len)) {
			if (!fits_one_register(w, part.type))
				break;
			w->base = tsh_xasprintf("$arg%u", i + 1);
			w->type = part.type;
			return 0;
		}
		if (!fits_one_register(w, part.type))
			break;
	}
	if (i < proto.n) {
		tsh_err_set(w->err, TSH_FAILED, "the register of '%.*s' is not known: it, or a "
						"parameter before it, takes more than one", (int)len, name);
		return fail(w, name, len);
	}
	tsh_err_set(w->err, TSH_FAILED, "'%s' has no parameter '%.*s'", target->function, (int)len,
		    name);
	offer_parameters(w, &proto);
	return fail(w, name, len);
}

/* ---- members and elements ---- */

static char *value_of(const struct walk *w)
{
	return w->in_memory ? tsh_xasprintf("+%llu(%s)", (unsigned long long)w->offset, w->base) :
			      tsh_xstrdup(w->base);
}

/* Continues at the target of a pointer. */
static void follow_pointer(struct walk *w, const struct tsh_btf_type *pointer)
{
	char *base = value_of(w);

	free(w->base);
	w->base = base;
	w->in_memory = true;
	w->offset = 0;
	w->type = pointer->to;
}

static void offer_member(void *ctx, const struct tsh_btf_part *part)
{
	tsh_suggest_offer(ctx, part->name);
}

static void hint_member(struct walk *w, struct tsh_btf_ref type, const char *name)
{
	struct tsh_suggest near;

	tsh_suggest_init(&near, name);
	tsh_btf_members(w->btf, type, offer_member, &near);
	if (tsh_suggest_best(&near))
		tsh_err_hint(w->err, "did you mean '%s'?", tsh_suggest_best(&near));
	tsh_suggest_release(&near);
}

static int enter_member(struct walk *w, const char *begin, size_t len)
{
	struct tsh_btf_type type = tsh_btf_bare(w->btf, w->type, true);
	struct tsh_btf_part part;
	char *name = tsh_xstrndup(begin, len), *text;
	uint64_t at;
	int r = -1;

	if (type.kind == TSH_BTF_PTR) {
		follow_pointer(w, &type);
		type = tsh_btf_target(w->btf, w->type, NULL);
		w->type = type.ref;
	}
	if (w->bits || !w->in_memory ||
	    (type.kind != TSH_BTF_STRUCT && type.kind != TSH_BTF_UNION)) {
		text = type_text(w->btf, w->type);
		tsh_err_set(w->err, TSH_FAILED, "'%s' is not a member: the value before it is of "
						"type '%s', which has none",
			    name, text);
		free(text);
		fail(w, begin, len);
	} else if (!tsh_btf_member(w->btf, type.ref, name, &part, &at)) {
		text = type_text(w->btf, type.ref);
		tsh_err_set(w->err, TSH_FAILED, "%s has no member '%s'", text, name);
		free(text);
		hint_member(w, type.ref, name);
		fail(w, begin, len);
	} else {
		w->offset += at / 8;
		w->bits = part.bits;
		w->bit_at = (uint32_t)(at % 8);
		w->type = part.type;
		w->name = begin;
		w->name_len = len;
		r = 0;
	}
	free(name);
	return r;
}

static int enter_element(struct walk *w, const char *begin, uint64_t index, size_t len)
{
	struct tsh_btf_type type = tsh_btf_bare(w->btf, w->type, true);
	uint64_t size;

	if (type.kind == TSH_BTF_PTR) {
		follow_pointer(w, &type);
	} else if (type.kind == TSH_BTF_ARRAY && w->in_memory && (!type.n || index < type.n)) {
		w->type = type.to;
	} else if (type.kind == TSH_BTF_ARRAY && w->in_memory) {
		tsh_err_set(w->err, TSH_FAILED, "the array has only %u elements", type.n);
		return fail(w, begin, len);
	} else {
		tsh_err_set(w->err, TSH_FAILED, "the value before it is not an array");
		return fail(w, begin, len);
	}
	size = tsh_btf_size(w->btf, w->type);
	if (!size || index > UINT32_MAX || size > UINT32_MAX) {
		tsh_err_set(w->err, TSH_FAILED, "the size of an element is not known");
		return fail(w, begin, len);
	}
	w->offset += index * size;
	return 0;
}

/* ---- the value that is recorded ---- */

/* Says whether a type is that of a text: char, or unsigned char as in d_name. u8, a typedef, is
 * for bytes. */
static bool is_char(const struct tsh_btf *btf, struct tsh_btf_ref type, bool or_unsigned)
{
	struct tsh_btf_type bare = tsh_btf_bare(btf, type, false);

	return bare.kind == TSH_BTF_INT && bare.size == 1 &&
	       (!strcmp(bare.name, "char") ||
		(or_unsigned && !strcmp(bare.name, "unsigned char")));
}

static char *number_type(const struct tsh_btf_type *type, const char *array)
{
	bool is_signed = type->kind == TSH_BTF_INT ? type->is_signed && !type->is_bool : type->flag;

	return tsh_xasprintf("%c%u%s", is_signed ? 's' : 'u', type->size * 8, array);
}

/*
 * Returns the kernel's type of a bit field; the caller frees it. Counts bits from the lowest bit of
 * the smallest word that contains them all; *ret_offset: that word's offset. NULL: there is none.
 */
static char *bit_type(const struct walk *w, uint64_t *ret_offset)
{
	uint64_t at = w->offset * 8 + w->bit_at;
	unsigned int size;

	for (size = 8; size <= 64; size *= 2) {
		if (at % size + w->bits > size)
			continue;
		*ret_offset = at / size * (size / 8);
		return tsh_xasprintf("b%u@%u/%u", w->bits, (unsigned int)(at % size), size);
	}
	return NULL;
}

static char *fetch_bits(struct walk *w)
{
	char *type, *fetch;
	uint64_t offset = 0;

	type = BIG_ENDIAN_HOST ? NULL : bit_type(w, &offset);
	if (!type) {
		tsh_err_set(w->err, TSH_FAILED, "the kernel cannot fetch this bit field");
		return NULL;
	}
	fetch = tsh_xasprintf("+%llu(%s):%s", (unsigned long long)offset, w->base, type);
	free(type);
	return fetch;
}

static char *fetch_aggregate(struct walk *w, const struct tsh_btf_type *type)
{
	char *text = type_text(w->btf, w->type);

	tsh_err_set(w->err, TSH_FAILED, "%s%s cannot be recorded as a whole", text,
		    type->kind == TSH_BTF_STRUCT || type->kind == TSH_BTF_UNION ? "" : " (its type)");
	if (type->kind == TSH_BTF_STRUCT || type->kind == TSH_BTF_UNION)
		tsh_err_hint(w->err, "name a member: %s.%s", w->text, type->n ?
			     tsh_btf_part(w->btf, type, 0).name : "MEMBER");
	free(text);
	return NULL;
}

static char *fetch_array(struct walk *w, const struct tsh_btf_type *array)
{
	struct tsh_btf_type element = tsh_btf_bare(w->btf, array->to, true);
	char *value, *text, *type, *fetch;

	if (is_char(w->btf, array->to, false)) {
		value = value_of(w);
		fetch = tsh_xasprintf("%s:string", value);
		free(value);
		return fetch;
	}
	if (element.kind != TSH_BTF_INT || !element.size || element.size > 8 || !array->n ||
	    array->n > ELEMENTS_MAX) {
		tsh_err_set(w->err, TSH_FAILED, "an array of %u elements of this type cannot be "
			    "recorded as a whole", array->n);
		tsh_err_hint(w->err, "name one: %s[0]", w->text);
		return NULL;
	}
	text = tsh_xasprintf("[%u]", array->n);
	type = number_type(&element, text);
	value = value_of(w);
	fetch = tsh_xasprintf("%s:%s", value, type);
	free(value);
	free(type);
	free(text);
	return fetch;
}

static char *fetch_value(struct walk *w)
{
	struct tsh_btf_type type = tsh_btf_bare(w->btf, w->type, true);
	char *value, *number, *fetch;

	if (w->bits)
		return fetch_bits(w);
	if (type.kind == TSH_BTF_ARRAY && w->in_memory)
		return fetch_array(w, &type);
	value = value_of(w);
	if (type.kind == TSH_BTF_PTR && is_char(w->btf, type.to, true)) {
		fetch = tsh_xasprintf("+0(%s):string", value);
	} else if (type.kind == TSH_BTF_PTR) {
		fetch = tsh_xasprintf("%s:x%u", value, tsh_btf_pointer_size(w->btf) * 8);
	} else if ((type.kind == TSH_BTF_INT || type.kind == TSH_BTF_ENUM ||
		    type.kind == TSH_BTF_ENUM64) && type.size && type.size <= 8 &&
		   !(type.size & (type.size - 1))) {
		number = number_type(&type, "");
		fetch = tsh_xasprintf("%s:%s", value, number);
		free(number);
	} else {
		fetch = fetch_aggregate(w, &type);
	}
	free(value);
	return fetch;
}

/* Returns a suffix for the name of a number in network byte order, "_be16" for __be16, because
 * the kernel has no such type for probes (src/events/printfmt/format.c uses the suffix). */
static const char *name_suffix(const struct walk *w)
{
	static const char *const suffixes[] = { "_be16", "_be32", "_be64" };
	struct tsh_btf_type type = tsh_btf_type(w->btf, w->type);
	size_t i;

	for (; type.kind == TSH_BTF_TYPEDEF || type.kind == TSH_BTF_CONST || type.kind == TSH_BTF_VOLATILE;
	     type = tsh_btf_type(w->btf, type.to))
		for (i = 0; i < sizeof(suffixes) / sizeof(suffixes[0]); i++)
			if (type.name[0] == '_' && !strcmp(type.name + 1, suffixes[i]))
				return suffixes[i];
	return "";
}

/* ---- the whole expression ---- */

static size_t word_length(const char *p)
{
	size_t n = *p == '$';

	while (isalnum((unsigned char)p[n]) || p[n] == '_')
		n++;
	return n;
}

/* Parses "->NAME", ".NAME" or "[NUMBER]", and continues there. *ret points behind it. */
static int parse_step(struct walk *w, const char *p, const char **ret)
{
	const char *begin;
	uint64_t index;
	char *number;
	size_t len;
	int r;

	if (*p == '[') {
		len = strcspn(p, "]");
		number = tsh_xstrndup(p + 1, len - 1);
		*ret = p + len + 1;
		r = p[len] ? tsh_parse_u64(number, &index) : -1;
		free(number);
		if (!r)
			return enter_element(w, p, index, len + 1);
		tsh_err_set(w->err, TSH_FAILED, "in the brackets there is no number");
		tsh_err_hint(w->err, "as in %.*s[0]", (int)(p - w->text), w->text);
		return fail(w, p, len);
	}
	begin = p + (*p == '-' ? 2 : 1);
	len = word_length(begin);
	*ret = begin + len;
	if (len && *begin != '$' && (*p == '.' || (*p == '-' && p[1] == '>')))
		return enter_member(w, begin, len);
	tsh_err_set(w->err, TSH_FAILED, "there is no member's name here");
	return fail(w, p, strlen(p));
}

static int resolve(struct walk *w, const struct tsh_target *target, const char *colon)
{
	const char *p = w->text, *end = colon ? colon : p + strlen(p);
	size_t stars = strspn(p, "*"), len;

	p += stars;
	len = word_length(p);
	w->name = *p == '$' ? "ret" : p;
	w->name_len = *p == '$' ? 3 : len;
	if (!len) {
		tsh_err_set(w->err, TSH_FAILED, "'%s' begins with no parameter's name", w->text);
		return fail(w, w->text, strlen(w->text));
	}
	if (begin_parameter(w, target, p, len) < 0)
		return -1;
	for (p += len; p < end;)
		if (parse_step(w, p, &p) < 0)
			return -1;
	for (; stars; stars--)
		if (enter_element(w, w->text, 0, 1) < 0)
			return -1;
	return 0;
}

int tsh_probe_member(struct tsh_types *types, const struct tsh_target *target,
		     const struct tsh_value *value, size_t from, const char *text,
		     char **ret_fetch, char **ret_name, struct tsh_err *err)
{
	struct walk w = { .btf = types->btf, .value = value, .from = from, .text = text,
			  .err = err };
	const char *colon = strchr(text, ':');
	char *address, *fetch = NULL;

	*ret_fetch = *ret_name = NULL;
	if (resolve(&w, target, colon) < 0) {
		free(w.base);
		return -1;
	}
	if (colon) {
		/* a string is at the target of a pointer, but an array is the string */
		bool leads = strstr(colon, "string") &&
			     tsh_btf_bare(w.btf, w.type, true).kind == TSH_BTF_PTR;

		address = value_of(&w);
		fetch = leads ? tsh_xasprintf("+0(%s)%s", address, colon) :
				tsh_xasprintf("%s%s", address, colon);
		free(address);
	} else {
		fetch = fetch_value(&w);
	}
	free(w.base);
	if (!fetch) {
		fail(&w, text, strlen(text));
		return -1;
	}
	*ret_fetch = fetch;
	*ret_name = tsh_xasprintf("%.*s%s", (int)w.name_len, w.name, colon ? "" : name_suffix(&w));
	return 0;
}

bool tsh_probe_member_type(struct tsh_types *types, const struct tsh_target *target,
			   const char *text, struct tsh_btf_ref *ret)
{
	const struct tsh_value none = { 0 };
	struct tsh_err ignored = { 0 };
	struct walk w = { .btf = types->btf, .value = &none, .text = text, .err = &ignored };
	bool found = resolve(&w, target, NULL) == 0;

	if (found)
		*ret = tsh_btf_target(w.btf, w.type, NULL).ref;
	tsh_err_release(&ignored);
	free(w.base);
	return found;
}
