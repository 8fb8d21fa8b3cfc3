/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "btf-func.h"
#include "special-internal.h"
#include "tracesh/symbols.h"

/* The arguments as they were in registers, or on the stack: FTRACE_REGS_MAX_ARGS of them. */
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

/* A structure or the like takes as many longs as it needs. False: they are not there. */
static bool add_large(const struct tsh_decoder *d, const struct btf_param *param,
		      uint64_t value, const struct tsh_record *rec, struct args *args,
		      struct tsh_strbuf *out)
{
	uint32_t done;

	tsh_strbuf_addc(out, '(');
	tsh_strbuf_adds(out, param->kind_name);
	tsh_strbuf_adds(out, ")[");
	add_plain_hex(value, out);
	for (done = d->layout.long_size; done < param->size; done += d->layout.long_size) {
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

static bool add_arg(struct tsh_decoder *d, const struct btf_param *param, uint64_t value,
		    const struct tsh_record *rec, struct args *args, struct tsh_strbuf *out)
{
	const char *name;

	tsh_strbuf_adds(out, param->name);
	tsh_strbuf_addc(out, '=');
	switch (param->kind) {
	case BTF_UNKNOWN:
		tsh_strbuf_addc(out, '?');
		add_plain_hex(value, out);
		return true;
	case BTF_PTR:
		add_plain_hex(value, out);
		return true;
	case BTF_INT:
		if (param->is_signed)
			add_long(d, value, out);
		else
			add_plain_hex(value, out);
		return true;
	case BTF_ENUM:
		add_long(d, value, out);
		name = special_is_since(d, 7, 0) ?
			btf_enumerator(special_funcs(d), param, (uint32_t)value) : NULL;
		if (name)
			tsh_strbuf_addf(out, " [%s]", name);
		return true;
	default:
		return add_large(d, param, value, rec, args, out);
	}
}

void special_add_args(struct tsh_decoder *d, uint64_t function, const struct tsh_record *rec,
		      uint32_t offset, struct tsh_strbuf *out)
{
	struct args args = { { offset, (uint8_t)d->layout.long_size, false },
			     (rec->size - offset) / d->layout.long_size };
	struct tsh_symbol symbol;
	struct btf_param param;
	struct btf_func func;
	size_t begin = out->len;
	uint64_t value;
	uint32_t i;

	tsh_strbuf_addc(out, '(');
	if (!d->symbols || !tsh_symbols_find(d->symbols, function, &symbol) ||
	    !btf_funcs_find(special_funcs(d), symbol.name, &func))
		func.nparams = 0;
	for (i = 0; i < func.nparams; i++) {
		if (i)
			tsh_strbuf_adds(out, ", ");
		if (out->len - begin > SPECIAL_TEXT_MAX || !next_arg(d, rec, &args, &value)) {
			tsh_strbuf_adds(out, "...");
			break;
		}
		btf_func_param(special_funcs(d), &func, i, &param);
		if (!add_arg(d, &param, value, rec, &args, out))
			break;
	}
	tsh_strbuf_addc(out, ')');
}
