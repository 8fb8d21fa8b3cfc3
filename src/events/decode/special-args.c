/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "events/symbols/btf-file.h"
#include "events/symbols/btf.h"
#include "events/symbols/symbols.h"
#include "special-internal.h"

/* Limits the enumerators; the kernel's largest enumeration has some 200. */
#define ENUMERATORS_MAX 4096

/* Reads the arguments as they were in registers, or on the stack: FTRACE_REGS_MAX_ARGS of them. */
struct args {
	struct special_number place;
	uint32_t n;			/* how many are left */
};

static bool next_arg(const struct tsh_decoder *d, const struct tsh_record *rec,
		     struct args *args, uint64_t *ret)
{
	if (!args->n || !special_load(d, &args->place, rec, ret))
		return false;
	args->place.offset += args->place.size;
	args->n--;
	return true;
}

static void add_long(const struct tsh_decoder *d, uint64_t value, struct tsh_strbuf *out)
{
	tsh_strbuf_addf(out, "%lld", d->layout.long_size == 4 ? (long long)(int32_t)value :
			(long long)value);
}

static void add_plain_hex(uint64_t value, struct tsh_strbuf *out)
{
	tsh_strbuf_add(out, "0x", 2);
	special_add_hex(out, value);
}

/* Adds a structure or another large type, which has as many longs as it needs. Returns false when
 * the record does not have them all. */
static bool add_large(const struct tsh_decoder *d, const struct tsh_btf_type *type,
		      uint64_t value, const struct tsh_record *rec, struct args *args,
		      struct tsh_strbuf *out)
{
	uint32_t done;

	tsh_strbuf_addc(out, '(');
	tsh_strbuf_adds(out, btf_kind_name(type->kind));
	tsh_strbuf_adds(out, ")[");
	add_plain_hex(value, out);
	for (done = d->layout.long_size; done < type->size; done += d->layout.long_size) {
		tsh_strbuf_addc(out, ':');
		if (!next_arg(d, rec, args, &value)) {
			tsh_strbuf_adds(out, "...]");
			return false;
		}
		add_plain_hex(value, out);
	}
	tsh_strbuf_addc(out, ']');
	return true;
}

/* Adds the name of an enumeration's value, if it has one. */
static void add_enumerator(const struct tsh_btf *btf, const struct tsh_btf_type *type, uint32_t value,
			   struct tsh_strbuf *out)
{
	uint32_t i;

	for (i = 0; i < type->n && i < ENUMERATORS_MAX; i++) {
		struct tsh_btf_part part = tsh_btf_part(btf, type, i);

		if ((uint32_t)part.value == value) {
			tsh_strbuf_addf(out, " [%s]", part.name);
			return;
		}
	}
}

static bool add_arg(struct tsh_decoder *d, const struct tsh_btf_part *param, uint64_t value,
		    const struct tsh_record *rec, struct args *args, struct tsh_strbuf *out)
{
	struct tsh_btf *btf = special_btf(d);
	struct tsh_btf_type type = tsh_btf_bare(btf, param->type, true);

	tsh_strbuf_adds(out, param->name);
	tsh_strbuf_addc(out, '=');
	switch (type.kind) {
	case TSH_BTF_VOID:
	case TSH_BTF_NONE:
		tsh_strbuf_addc(out, '?');
		add_plain_hex(value, out);
		return true;
	case TSH_BTF_PTR:
		add_plain_hex(value, out);
		return true;
	case TSH_BTF_INT:
		if (type.is_signed)
			add_long(d, value, out);
		else
			add_plain_hex(value, out);
		return true;
	case TSH_BTF_ENUM:
		add_long(d, value, out);
		if (special_is_since(d, 7, 0))
			add_enumerator(btf, &type, (uint32_t)value, out);
		return true;
	default:
		return add_large(d, &type, value, rec, args, out);
	}
}

/* Returns the parameters of the function at an address; none when it is not known. */
static struct tsh_btf_type find_prototype(struct tsh_decoder *d, uint64_t function)
{
	struct tsh_btf_type none = { .kind = TSH_BTF_NONE };
	struct tsh_symbol symbol;

	if (!d->symbols || !tsh_symbols_find(d->symbols, function, &symbol))
		return none;
	return tsh_btf_prototype(special_btf(d), symbol.name);
}

void special_add_args(struct tsh_decoder *d, uint64_t function, const struct tsh_record *rec,
		      uint32_t offset, struct tsh_strbuf *out)
{
	struct args args = { { offset, (uint8_t)d->layout.long_size, false },
			     (rec->size - offset) / d->layout.long_size };
	struct tsh_btf_type proto = find_prototype(d, function);
	struct tsh_btf_part param;
	size_t begin = out->len;
	uint64_t value;
	uint32_t i;

	tsh_strbuf_addc(out, '(');
	for (i = 0; i < proto.n; i++) {
		if (i)
			tsh_strbuf_adds(out, ", ");
		if (out->len - begin > SPECIAL_TEXT_MAX || !next_arg(d, rec, &args, &value)) {
			tsh_strbuf_adds(out, "...");
			break;
		}
		param = tsh_btf_part(special_btf(d), &proto, i);
		if (!add_arg(d, &param, value, rec, &args, out))
			break;
	}
	tsh_strbuf_addc(out, ')');
}
