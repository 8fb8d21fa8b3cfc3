/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "special-bprint.h"

#include <string.h>

#include "events/symbols/printk-formats.h"
#include "special-internal.h"

/* Reads the arguments that vbin_printf() has packed. */
struct arguments {
	const unsigned char *bytes;
	size_t len;
	size_t pos;
	bool big_endian;
	bool small_is_int;
};

struct argument {
	uint64_t value;
	const char *text;		/* text of a string, without its NUL */
	size_t len;
};

/* Reads a number. Numbers are aligned to their size; those of 8 bytes to 4. */
static bool read_number(struct arguments *args, size_t size, uint64_t *ret)
{
	size_t align = size < 4 ? size : 4;
	size_t pos = (args->pos + align - 1) & ~(align - 1);

	if (pos > args->len || size > args->len - pos)
		return false;
	*ret = load_unsigned(args->bytes + pos, (uint32_t)size, args->big_endian);
	args->pos = pos + size;
	return true;
}

static bool read_text(struct arguments *args, struct argument *ret)
{
	ret->text = (const char *)args->bytes + args->pos;
	ret->len = strnlen(ret->text, args->len - args->pos);
	if (ret->len == args->len - args->pos)
		return false;
	args->pos += ret->len + 1;
	return true;
}

/* Says whether the record has the address of a pointer. For other extensions it has the text, which
 * the kernel made when it recorded the event. */
static bool is_stored_pointer(const struct directive *d)
{
	return !d->extension[0] || strchr("SsxKe", d->extension[0]);
}

static bool read_stars(struct arguments *args, struct directive *d)
{
	uint64_t value;

	if (d->width_is_arg) {
		if (!read_number(args, 4, &value))
			return false;
		directive_set_width(d, (int)(uint32_t)value);
	}
	if (d->precision_is_arg) {
		if (!read_number(args, 4, &value))
			return false;
		directive_set_precision(d, (int)(uint32_t)value);
	}
	return true;
}

/* Reads the argument of a directive, and the values of its `*`. Returns false when there are no
 * more. */
static bool read_argument(struct arguments *args, struct directive *d, struct argument *ret)
{
	if (!read_stars(args, d))
		return false;
	ret->text = NULL;
	switch (d->kind) {
	case DIRECTIVE_NUMBER:
		return read_number(args, d->size < 4 && args->small_is_int ? 4 : d->size,
				   &ret->value);
	case DIRECTIVE_CHAR:
		return read_number(args, 1, &ret->value);
	case DIRECTIVE_STRING:
		return read_text(args, ret);
	case DIRECTIVE_POINTER:
		if (is_stored_pointer(d))
			return read_number(args, d->size, &ret->value);
		return read_text(args, ret);
	default:
		return true;
	}
}

static void print_argument(struct tsh_strbuf *out, const struct directive *d,
			   const struct pointer_env *env, const struct argument *arg)
{
	switch (d->kind) {
	case DIRECTIVE_NUMBER:
		directive_number(out, d, arg->value);
		return;
	case DIRECTIVE_CHAR:
		directive_char(out, d, (unsigned char)arg->value);
		return;
	case DIRECTIVE_STRING:
		directive_string(out, d, arg->text, arg->len);
		return;
	case DIRECTIVE_POINTER:
		if (arg->text)
			tsh_strbuf_add(out, arg->text, arg->len);
		else
			directive_pointer(out, d, env, arg->value, NULL, 0);
		return;
	default:
		return;
	}
}

/* Returns how many bytes are left when the arguments are read as `args` says; SIZE_MAX: there are
 * too few. */
static size_t left_over(const struct printk_text *text, struct arguments args)
{
	struct argument arg;
	size_t i;

	for (i = 0; i < text->nparts; i++) {
		struct directive d = text->parts[i].directive;

		if (!read_argument(&args, &d, &arg))
			return SIZE_MAX;
	}
	return args.len - args.pos;
}

/* Finds out how this kernel stores small numbers: the right way leaves fewer bytes over. */
static bool small_is_int(struct printk_formats *formats, const struct printk_text *text,
			 const struct arguments *args)
{
	struct arguments as_int = *args;
	size_t left, left_int;

	if (!text->has_small || formats->small != PRINTK_SMALL_UNKNOWN)
		return formats->small == PRINTK_SMALL_INT;
	as_int.small_is_int = true;
	left = left_over(text, *args) / 4;
	left_int = left_over(text, as_int) / 4;
	if (left != left_int)
		formats->small = left_int < left ? PRINTK_SMALL_INT : PRINTK_SMALL_PACKED;
	return left_int <= left;
}

static void print_text(struct tsh_strbuf *out, const struct printk_text *text,
		       const struct pointer_env *env, struct arguments *args)
{
	size_t i, begin = out->len;
	struct argument arg;

	for (i = 0; i < text->nparts && out->len - begin <= SPECIAL_TEXT_MAX; i++) {
		struct directive d = text->parts[i].directive;

		tsh_strbuf_add(out, text->parts[i].literal, text->parts[i].literal_len);
		if (!read_argument(args, &d, &arg))
			return;
		print_argument(out, &d, env, &arg);
	}
}

static void print_unknown(struct tsh_strbuf *out, const struct pointer_env *env,
			  uint64_t address, const struct arguments *args)
{
	size_t i;

	if (env->hidden) {
		tsh_strbuf_addf(out, "ptr-%llu (%zu words)", (unsigned long long)
				hidden_pointers_number(env->hidden, address), args->len / 4);
		return;
	}
	tsh_strbuf_addf(out, "0x%llx", (unsigned long long)address);
	for (i = 0; i + 4 <= args->len; i += 4)
		tsh_strbuf_addf(out, " %08x", load_u32(args->bytes + i, args->big_endian));
}

void special_print_bprint(struct tsh_decoder *d, const struct tsh_event_format *format,
			  const struct tsh_record *rec, struct tsh_strbuf *out)
{
	const struct pointer_env *env = &d->env.pointer;
	const struct tsh_field *field = tsh_event_format_field(format, "buf");
	uint64_t address = special_field(d, format, "fmt", rec);
	struct arguments args = { .big_endian = d->layout.big_endian };
	const struct printk_text *text;
	struct tsh_field_value buf;

	if (!field)
		return;
	tsh_decoder_value(d, field, rec, &buf);
	if (buf.kind != TSH_VALUE_ARRAY)
		return;
	args.bytes = (const unsigned char *)buf.bytes;
	args.len = buf.len;
	special_add_ip(d, special_field(d, format, "ip", rec), special_options(d)->sym_offset,
		       out);
	tsh_strbuf_adds(out, ": ");
	text = printk_formats_parts(d->printk, d->layout.long_size, address);
	if (!text) {
		print_unknown(out, env, address, &args);
		return;
	}
	args.small_is_int = small_is_int(d->printk, text, &args);
	print_text(out, text, env, &args);
}
