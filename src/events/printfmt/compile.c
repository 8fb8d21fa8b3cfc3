/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "compile-internal.h"
#include "events/symbols/btf-internal.h"
#include "events/symbols/digits.h"

#define OPS_MAX		100000
#define ROOM_MAX	(1 << 20)
/* A text of fewer ops is made as quickly as it is found among those that came before. */
#define REPEATABLE_OPS	6

/* ---- directives ---- */

/* Holds the arguments that are left. */
struct args {
	struct expr **arg;
	size_t n;
};

static const struct expr *next_arg(struct compiler *c, struct args *args)
{
	if (!args->n) {
		compile_fail(c, "the print format has too few arguments");
		return NULL;
	}
	args->n--;
	return *args->arg++;
}

static bool star(struct compiler *c, struct args *args, bool is_arg, uint32_t *ret_source)
{
	const struct expr *e;

	*ret_source = NO_SOURCE;
	if (!is_arg)
		return true;
	e = next_arg(c, args);
	return e && compile_source(c, e, compile_int, ret_source);
}

static uint32_t add_conversion(struct compiler *c, const struct conversion *conversion)
{
	*tsh_vec_push(&c->conversions) = *conversion;
	return (uint32_t)c->conversions.n - 1;
}

static struct op *source_op(struct compiler *c, enum op_code code, size_t room, uint32_t source)
{
	struct op *op = compile_op(c, code, room);

	op->a = source;
	return op;
}

/* Emits the op that prints a plain field, when there is one for it. */
static bool field_op(struct compiler *c, bool is_hex, bool is_signed, uint32_t index)
{
	const struct source source = c->sources.v[index];
	enum op_code code;

	if (source.shift || source.mask != UINT64_MAX)
		return false;
	if (source.load == LOAD_S4 && !is_hex)
		code = OP_FIELD_DEC_S4;
	else if (source.load == LOAD_U4)
		code = is_hex ? OP_FIELD_HEX_U4 : OP_FIELD_DEC_U4;
	else if (source.load == LOAD_U8 && (is_hex || !is_signed))
		code = is_hex ? OP_FIELD_HEX_U8 : OP_FIELD_DEC_U8;
	else
		return false;
	source_op(c, code, DIGITS_ROOM, source.at);
	c->sources.n--;
	return true;
}

/* Says whether a directive has an op of its own; *ret_digits is the width of %08x and %03d. */
static bool is_plain(const struct directive *d, uint32_t *ret_digits)
{
	bool is_hex = d->base == 16 && !d->is_upper;
	int prefix = is_hex && d->special ? 2 : 0;

	*ret_digits = 1;
	if (d->width_is_arg || d->precision_is_arg || d->precision >= 0 || d->plus || d->space ||
	    (d->base != 10 && !is_hex))
		return false;
	if (d->width <= 1)
		return true;
	if (!d->zero || d->left || d->width > (is_hex ? 16 : 8))
		return false;
	*ret_digits = d->width > prefix ? (uint32_t)(d->width - prefix) : 1;
	return true;
}

static bool compile_integer(struct compiler *c, const struct conversion *conversion,
			    const struct expr *e)
{
	const struct directive *d = &conversion->d;
	struct ctype type = { .size = d->size, .is_signed = d->is_signed };
	bool is_hex = d->base == 16;
	uint32_t source, digits;

	if (compile_is_place(e) || e->kind == EXPR_STRING)
		return compile_fail(c, "a string that is printed as a number");
	if (!compile_source(c, e, type, &source))
		return false;
	if (!is_plain(d, &digits)) {
		source_op(c, OP_NUMBER, 0, source)->b = add_conversion(c, conversion);
		return true;
	}
	if (is_hex && d->special)
		tsh_strbuf_adds(&c->literal, "0x");
	if (digits > 1 && is_hex) {
		source_op(c, OP_HEX_WIDE, DIGITS_ROOM, source)->b = digits;
	} else if (digits > 1) {
		struct op *op = source_op(c, OP_DEC_WIDE, DIGITS_ROOM, source);

		op->b = add_conversion(c, conversion);
		op->c = digits;
	} else if (!field_op(c, is_hex, d->is_signed, source)) {
		source_op(c, is_hex ? OP_HEX : d->is_signed ? OP_SIGNED : OP_UNSIGNED,
			  DIGITS_ROOM, source);
	}
	return true;
}

static bool compile_char(struct compiler *c, const struct conversion *conversion,
			 const struct expr *e)
{
	const struct directive *d = &conversion->d;
	struct ctype type = { .size = 1 };
	uint32_t source;

	if (compile_is_place(e))
		return compile_fail(c, "a string that is printed as a character");
	if (!compile_source(c, e, type, &source))
		return false;
	if (d->width <= 1 && !d->width_is_arg)
		source_op(c, OP_CHAR, 1, source);
	else
		source_op(c, OP_ODD_CHAR, 0, source)->b = add_conversion(c, conversion);
	return true;
}

/* Says whether a text depends on conditions or loops. */
static bool is_branchy(const struct expr *e)
{
	if (e->kind == EXPR_CALL)
		return !strncmp(e->text, "__print_flags", strlen("__print_flags"));
	return e->kind == EXPR_COND &&
	       (e->arg[1]->kind != EXPR_STRING || e->arg[2]->kind != EXPR_STRING);
}

static bool compile_padded(struct compiler *c, const struct conversion *conversion,
			   const struct expr *e)
{
	const struct directive *d = &conversion->d;
	bool is_bare = d->width <= 0 && d->precision < 0 && !d->width_is_arg &&
		       !d->precision_is_arg;

	if (is_bare)
		return is_branchy(e) ? compile_tabulated(c, e) : compile_string(c, e);
	compile_op(c, OP_MARK, 0);
	if (!compile_string(c, e))
		return false;
	compile_op(c, OP_PAD, 0)->b = add_conversion(c, conversion);
	return true;
}

static bool is_bare_pointer(const struct directive *d)
{
	return d->width < 0 && d->precision < 0 && !d->width_is_arg && !d->precision_is_arg &&
	       !d->left && !d->special;
}

/* Emits an address; the usual forms have quick ops. */
static struct op *compile_address(struct compiler *c, const struct directive *d)
{
	unsigned int digits = 2 * c->env->layout.long_size;
	enum tsh_symbol_style style;
	struct op *op;

	if (!d->extension[0]) {
		op = compile_op(c, OP_POINTER, DIGITS_ROOM);
		op->c = digits;
	} else if (directive_symbol_style(d, &style)) {
		op = compile_op(c, OP_SYMBOL, 0);
		op->c = style;
	} else {
		op = compile_op(c, OP_ADDRESS, 0);
	}
	return op;
}

static bool compile_pointer(struct compiler *c, const struct conversion *conversion,
			    const struct expr *e)
{
	bool is_address = directive_prints_address(&conversion->d);
	bool is_place = compile_is_place(e);
	struct op *op;
	uint32_t index;

	if (is_place && is_address)
		return compile_fail(c, "the address of the record");
	if (!(is_place ? compile_place(c, e, &index) :
			 compile_source(c, e, compile_long(c, false), &index)))
		return false;
	if (is_place)
		op = compile_op(c, OP_MEMORY, 0);
	else if (!is_bare_pointer(&conversion->d))
		op = compile_op(c, OP_ADDRESS, 0);
	else
		op = compile_address(c, &conversion->d);
	op->a = index;
	op->b = add_conversion(c, conversion);
	return true;
}

static bool compile_directive(struct compiler *c, const struct directive *d, struct args *args)
{
	struct conversion conversion = { .d = *d };
	const struct expr *e;

	if (!star(c, args, d->width_is_arg, &conversion.width) ||
	    !star(c, args, d->precision_is_arg, &conversion.precision))
		return false;
	if (d->kind == DIRECTIVE_NONE)
		return true;
	e = next_arg(c, args);
	if (!e)
		return false;
	switch (d->kind) {
	case DIRECTIVE_NUMBER:
		return compile_integer(c, &conversion, e);
	case DIRECTIVE_CHAR:
		return compile_char(c, &conversion, e);
	case DIRECTIVE_STRING:
		return compile_padded(c, &conversion, e);
	default:
		return compile_pointer(c, &conversion, e);
	}
}

static bool compile_format(struct compiler *c, const struct print_fmt *fmt)
{
	/* Ends at a NUL, as a string of the kernel does. */
	const char *text = fmt->format, *end = text + strnlen(text, fmt->format_len);
	struct args args = { fmt->arg, fmt->nargs };
	struct directive d;
	size_t literal_len;

	while (text < end) {
		const char *next = directive_next(text, end, c->env->layout.long_size,
						  &literal_len, &d);

		tsh_strbuf_add(&c->literal, text, literal_len);
		/* Stops at an unknown directive, as the kernel does. */
		if (d.kind == DIRECTIVE_BAD)
			break;
		if (!compile_directive(c, &d, &args))
			return false;
		if (c->ops.n > OPS_MAX || c->code.n > OPS_MAX || c->room > ROOM_MAX)
			return compile_fail(c, "the print format is too long");
		text = next;
	}
	compile_op(c, OP_END, 0);
	return true;
}

/* ---- the program ---- */

/* Says whether an op prints only numbers of the record, and strings that a run checks. */
static bool op_is_checked(const struct op *op)
{
	switch ((enum op_code)op->code) {
	case OP_CHAR:
	case OP_ODD_CHAR:
	case OP_KERNEL_STRING:
	case OP_SYMBOL:
	case OP_ADDRESS:
	case OP_MEMORY:
	case OP_HEX_DUMP:
	case OP_STACK:
		return false;
	default:
		return tsh_is_clean(op->literal, op->literal_len);
	}
}

static bool is_checked(const struct compiler *c)
{
	size_t i;

	for (i = 0; i < c->ops.n; i++)
		if (!op_is_checked(&c->ops.v[i]))
			return false;
	return tsh_is_clean(c->pool.buf, c->pool.len);
}

static bool has_strings(const struct compiler *c)
{
	size_t i;

	for (i = 0; i < c->ops.n; i++) {
		enum op_code code = (enum op_code)c->ops.v[i].code;

		if (code == OP_FIELD_CHARS_16 || code == OP_FIELD_CHARS || code == OP_STRING)
			return true;
	}
	return false;
}

/* Says whether an op prints the same text for the same bytes behind the common fields. */
static bool op_is_repeatable(const struct op *op)
{
	switch ((enum op_code)op->code) {
	case OP_KERNEL_STRING:
		return false;
	case OP_FIELD_DEC_S4:
	case OP_FIELD_DEC_U4:
	case OP_FIELD_DEC_U8:
	case OP_FIELD_HEX_U4:
	case OP_FIELD_HEX_U8:
	case OP_FIELD_VALUE_U4:
	case OP_FIELD_VALUE_U8:
	case OP_FIELD_CHARS_16:
	case OP_FIELD_CHARS:
		return op->a >= TSH_COMMON_SIZE;
	default:
		return true;
	}
}

static bool is_repeatable(const struct compiler *c)
{
	size_t i;

	if (c->ops.n < REPEATABLE_OPS)
		return false;
	for (i = 0; i < c->ops.n; i++)
		if (!op_is_repeatable(&c->ops.v[i]))
			return false;
	for (i = 0; i < c->sources.n; i++)
		if (c->sources.v[i].load != LOAD_CODE && c->sources.v[i].at < TSH_COMMON_SIZE)
			return false;
	for (i = 0; i < c->places.n; i++)
		if (c->places.v[i].offset < TSH_COMMON_SIZE)
			return false;
	for (i = 0; i < c->code.n; i++)
		if (c->code.v[i].code == INS_VARIABLE ||
		    (c->code.v[i].code == INS_LOAD && c->code.v[i].at < TSH_COMMON_SIZE))
			return false;
	return true;
}

static struct program *finish(struct compiler *c)
{
	static const char overread[TEXT_OVERREAD];
	struct program *p = tsh_xcalloc(1, sizeof(*p));
	bool checked = is_checked(c), clean = checked && !has_strings(c), repeatable = is_repeatable(c);

	tsh_strbuf_add(&c->pool, overread, sizeof(overread));
	*p = (struct program){
		.env = c->env, .need = c->need, .room = c->room + ROOM_MARGIN,
		.ops = c->ops.v, .code = c->code.v, .sources = c->sources.v,
		.places = c->places.v, .conversions = c->conversions.v, .texts = c->texts.v,
		.tables = c->tables.v, .ntables = c->tables.n, .dumps = c->dumps.v,
		.pool = tsh_strbuf_detach(&c->pool), .is_clean = clean,
		.is_checked = checked, .is_repeatable = repeatable,
	};
	return p;
}

static bool resolve_enum(void *ctx, const char *name, int64_t *ret)
{
	return tsh_enums_value(ctx, name, ret);
}

/* Lists the unknown functions of an expression, each once. */
static void add_unknown(const struct expr *e, struct tsh_strlist *ret)
{
	struct ctype ignored;
	size_t i;

	if (e->kind == EXPR_CALL && !e->type.size && !compile_call_type(e->text, &ignored) && !compile_has_names(e->text) &&
	    !tsh_strlist_has(ret, e->text))
		tsh_strlist_add(ret, e->text);
	for (i = 0; i < e->nargs; i++)
		add_unknown(e->arg[i], ret);
}

/* When the reason is an unknown function, and there are several of them, replaces it by a reason
 * that names all. */
static void name_unknown(struct compiler *c, const struct print_fmt *fmt)
{
	struct tsh_strbuf text = TSH_STRBUF_INIT;
	struct tsh_strlist unknown = { 0 };
	bool is_why = false;
	size_t i;

	for (i = 0; i < fmt->nargs; i++)
		add_unknown(fmt->arg[i], &unknown);
	for (i = 0; i < unknown.n; i++) {
		size_t begin = text.len;

		tsh_strbuf_addf(&text, "'%s'", unknown.v[i]);
		is_why |= c->why && !strncmp(c->why, text.buf + begin, text.len - begin);
		tsh_strbuf_adds(&text, i + 2 < unknown.n ? ", " : i + 1 < unknown.n ? " and " : " are not known");
	}
	if (is_why && unknown.n > 1) {
		free(c->why);
		c->why = tsh_strbuf_detach(&text);
	}
	tsh_strbuf_release(&text);
	tsh_strlist_release(&unknown);
}

/* Compiles a print format; with a field, only the directives that print this field. */
static struct program *compile(const struct program_env *env,
			       const struct tsh_event_format *format,
			       const struct tsh_field *field, char **ret_why)
{
	struct compiler c = { .env = env, .format = format, .pool = TSH_STRBUF_INIT,
			      .literal = TSH_STRBUF_INIT };
	struct print_fmt fmt;
	struct program *p;
	bool is_good;

	*ret_why = NULL;
	if (print_fmt_parse(format, env->layout.long_size, env->enums ? resolve_enum : NULL,
			    env->enums, &fmt, ret_why) < 0)
		return NULL;
	is_good = (!field || print_fmt_narrow(&fmt, field, env->layout.long_size)) &&
		  compile_format(&c, &fmt);
	if (!is_good)
		name_unknown(&c, &fmt);
	print_fmt_release(&fmt);
	tsh_strbuf_release(&c.literal);
	p = finish(&c);
	if (is_good)
		return p;
	*ret_why = c.why;
	program_free(p);
	return NULL;
}

struct program *program_of_values(const struct program_env *env, const struct program_value *v, size_t n,
				  const char *end)
{
	struct compiler c = { .env = env, .pool = TSH_STRBUF_INIT, .literal = TSH_STRBUF_INIT };
	struct program *p;
	size_t i;

	for (i = 0; i < n; i++) {
		bool is_wide = v[i].size == 8;
		enum op_code bare = is_wide ? OP_FIELD_HEX_U8 : OP_FIELD_HEX_U4;
		enum op_code marked = is_wide ? OP_FIELD_VALUE_U8 : OP_FIELD_VALUE_U4;

		tsh_strbuf_adds(&c.literal, v[i].text);
		compile_op(&c, v[i].is_marked ? marked : bare, DIGITS_ROOM)->a = v[i].offset;
		compile_need(&c, (size_t)v[i].offset + v[i].size);
	}
	tsh_strbuf_adds(&c.literal, end);
	compile_op(&c, OP_END, 0);
	tsh_strbuf_release(&c.literal);
	p = finish(&c);
	return p;
}

struct program *program_compile(const struct program_env *env,
				const struct tsh_event_format *format, char **ret_why)
{
	return compile(env, format, NULL, ret_why);
}

struct program *program_compile_field(const struct program_env *env,
				      const struct tsh_event_format *format,
				      const struct tsh_field *field)
{
	char *why;
	struct program *p = compile(env, format, field, &why);

	free(why);
	return p;
}
