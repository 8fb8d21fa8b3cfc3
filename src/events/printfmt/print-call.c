/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <string.h>

#include "print-parser.h"

/* Parses calls. The compiler's builtins and small functions are resolved here; calls of the
 * kernel's functions stay in the tree, with their tables. */

/* ---- what functions return ---- */

enum result {
	RESULT_CHARS,			/* const char * */
	RESULT_FIELD_CHARS,		/* char *, of a field */
	RESULT_FIELD,			/* a pointer to a field's elements */
	RESULT_FIELD_LEN,
	RESULT_FIELD_STRUCT,		/* a pointer to a structure in a field */
	RESULT_FIELD_TEXT,		/* const char *, made of a field */
	RESULT_UINT, RESULT_LONG, RESULT_U64, RESULT_S64,
};

struct function {
	const char *name;
	enum result result;
};

/* Lists functions of include/trace/stages/stage3_trace_output.h and
 * include/linux/{jiffies,ktime,swab}.h. */
static const struct function functions[] = {
	{ "__get_str", RESULT_FIELD_CHARS },
	{ "__get_rel_str", RESULT_FIELD_CHARS },
	{ "__get_dynamic_array", RESULT_FIELD },
	{ "__get_rel_dynamic_array", RESULT_FIELD },
	{ "__get_dynamic_array_len", RESULT_FIELD_LEN },
	{ "__get_rel_dynamic_array_len", RESULT_FIELD_LEN },
	{ "__get_sockaddr", RESULT_FIELD_STRUCT },
	{ "__get_rel_sockaddr", RESULT_FIELD_STRUCT },
	{ "__get_bitmask", RESULT_FIELD_TEXT },
	{ "__get_rel_bitmask", RESULT_FIELD_TEXT },
	{ "__get_cpumask", RESULT_FIELD_TEXT },
	{ "__get_rel_cpumask", RESULT_FIELD_TEXT },
	{ "__get_stacktrace", RESULT_FIELD_TEXT },
	{ "__get_rel_stacktrace", RESULT_FIELD_TEXT },
	{ "__print_dynamic_array", RESULT_FIELD_TEXT },
	{ "__print_flags", RESULT_CHARS },
	{ "__print_flags_u64", RESULT_CHARS },
	{ "__print_symbolic", RESULT_CHARS },
	{ "__print_symbolic_u64", RESULT_CHARS },
	{ "__print_hex", RESULT_CHARS },
	{ "__print_hex_str", RESULT_CHARS },
	{ "__print_hex_dump", RESULT_CHARS },
	{ "__print_array", RESULT_CHARS },
	{ "__print_bitmask", RESULT_CHARS },
	{ "__print_ns_to_secs", RESULT_U64 },
	{ "__print_ns_without_secs", RESULT_UINT },
	{ "blk_op_str", RESULT_CHARS },
	{ "mc_event_error_type", RESULT_CHARS },
	{ "xen_hypercall_name", RESULT_CHARS },
	{ "scsi_trace_parse_cdb", RESULT_CHARS },
	{ "trace_seq_buffer_ptr", RESULT_CHARS },
	{ "jiffies_to_msecs", RESULT_UINT },
	{ "jiffies_to_usecs", RESULT_UINT },
	{ "jiffies_to_clock_t", RESULT_LONG },
	{ "ktime_to_ns", RESULT_S64 },
	{ "ktime_to_us", RESULT_S64 },
	{ "ktime_to_ms", RESULT_S64 },
	{ "div_u64", RESULT_U64 },
	{ "div_s64", RESULT_S64 },
	{ "div64_u64", RESULT_U64 },
	{ "hweight32", RESULT_UINT },
	{ "hweight_long", RESULT_LONG },
};

static const struct function *find_function(const char *name)
{
	size_t i;

	for (i = 0; i < sizeof(functions) / sizeof(functions[0]); i++)
		if (!strcmp(functions[i].name, name))
			return &functions[i];
	return NULL;
}

static bool wants_field(enum result result)
{
	return result >= RESULT_FIELD_CHARS && result <= RESULT_FIELD_TEXT;
}

static struct ctype result_type(const struct parser *p, enum result result,
				const struct tsh_field *field)
{
	struct ctype type = { .size = (uint8_t)p->tree.long_size, .stars = 1 };

	switch (result) {
	case RESULT_FIELD:
		return ctype_of_field(field, p->tree.long_size);
	case RESULT_FIELD_STRUCT:
		type.target_is_struct = true;
		return type;
	case RESULT_UINT:
	case RESULT_FIELD_LEN:
		return (struct ctype){ .size = 4 };
	case RESULT_U64:
		return (struct ctype){ .size = 8 };
	case RESULT_S64:
		return (struct ctype){ .size = 8, .is_signed = true };
	case RESULT_LONG:
		type.stars = 0;
		type.is_signed = true;
		return type;
	case RESULT_CHARS:
	case RESULT_FIELD_CHARS:
	case RESULT_FIELD_TEXT:
		break;
	}
	type.target_size = 1;
	type.target_is_char = true;
	type.target_signed = result == RESULT_FIELD_CHARS && field->is_signed;
	return type;
}

/* ---- tables ---- */

/* Parses `{ value, "name" }` at the brace. *ended: a pair had no name, where the kernel stops. */
static void parse_pair(struct parser *p, struct expr ***list, size_t *n, bool *ended)
{
	struct expr *value, *name = NULL;

	parser_expect(p, '{');
	if (parser_accept(p, '}'))
		return;
	value = parse_cond(p);
	if (parser_accept(p, ',') && !parser_is(p, '}'))
		name = parse_cond(p);
	parser_accept(p, ',');
	parser_expect(p, '}');
	if (!name || tree_is_null(name))
		*ended = true;
	if (*ended)
		return;
	tree_push(&p->tree, list, n, value);
	tree_push(&p->tree, list, n, name);
}

static struct expr *parse_table(struct parser *p)
{
	struct expr **list = NULL;
	bool ended = false;
	size_t n = 0;

	while (parser_is(p, '{')) {
		parse_pair(p, &list, &n, &ended);
		if (!parser_accept(p, ','))
			break;
	}
	return tree_table(&p->tree, list, n);
}

/* ---- calls ---- */

/* Parses the first argument when it is just the name of a field of the record. */
static const struct tsh_field *read_field(struct parser *p)
{
	struct parser_mark mark = parser_mark(p);
	const struct tsh_field *field;

	if (p->token.kind != TOKEN_NAME || parser_local(p, &p->token))
		return NULL;
	field = parser_field(p, p->token.text, p->token.len);
	parser_next(p);
	if (field && (parser_is(p, ')') || parser_accept(p, ',')))
		return field;
	parser_back(p, mark);
	return NULL;
}

static struct expr *parse_function(struct parser *p, char *name)
{
	const struct function *function = find_function(name);
	const struct tsh_field *field = read_field(p);
	struct ctype type = { 0 };
	struct expr **arg = NULL;
	size_t n = 0;

	if (function && wants_field(function->result) && !field) {
		tree_fail(&p->tree, "%s() of no field", name);
		return tree_int(&p->tree, 0);
	}
	if (function)
		type = result_type(p, function->result, field);
	while (!p->tree.fault && !parser_is(p, ')')) {
		tree_push(&p->tree, &arg, &n,
			  parser_is(p, '{') ? parse_table(p) : parse_cond(p));
		if (!parser_accept(p, ','))
			break;
	}
	parser_expect(p, ')');
	return tree_call(&p->tree, name, type, field, arg, n);
}

/* ---- builtins ---- */

/* Declares a function that the parser replaces by other expressions, and constants for `parse`. */
struct builtin {
	const char *name;
	struct expr *(*parse)(struct parser *p, const struct builtin *builtin);
	unsigned int size;
	const char *yes, *no;
};

static struct expr *parse_expect(struct parser *p, const struct builtin *builtin)
{
	struct ctype type = { .size = (uint8_t)p->tree.long_size, .is_signed = true };
	struct expr *e = parse_cond(p);

	(void)builtin;
	parser_expect(p, ',');
	parse_cond(p);
	return tree_cast(&p->tree, type, e);
}

static struct expr *parse_constant_p(struct parser *p, const struct builtin *builtin)
{
	struct expr *e = parse_expr(p);

	(void)builtin;
	return tree_int(&p->tree, e->kind == EXPR_NUMBER || e->kind == EXPR_STRING);
}

/* Parses logarithms of constants, which sizeof(struct page) has on arm64 (include/linux/log2.h):
 * the number of the highest bit, or with a size how many bits are above it. */
static struct expr *parse_highest_bit(struct parser *p, const struct builtin *builtin)
{
	struct expr *e = parse_cond(p);
	uint64_t value;
	int bit = 0;

	if (e->kind != EXPR_NUMBER) {
		tree_fail(&p->tree, "a logarithm that is not constant");
		return e;
	}
	for (value = e->number; value >>= 1;)
		bit++;
	return tree_int(&p->tree, builtin->size ? (int)builtin->size * 8 - 1 - bit : bit);
}

/* Parses the logarithm of the next power of two. */
static struct expr *parse_order(struct parser *p, const struct builtin *builtin)
{
	struct expr *e = parse_cond(p);
	int order = 0;

	(void)builtin;
	if (e->kind != EXPR_NUMBER) {
		tree_fail(&p->tree, "a logarithm that is not constant");
		return e;
	}
	while (order < 63 && UINT64_C(1) << order < e->number)
		order++;
	return tree_int(&p->tree, order);
}

/* Parses a constant choice, and returns the chosen arm with its own type. */
static struct expr *parse_choose(struct parser *p, const struct builtin *builtin)
{
	struct expr *cond = parse_cond(p), *a, *b;

	(void)builtin;
	parser_expect(p, ',');
	a = parse_cond(p);
	parser_expect(p, ',');
	b = parse_cond(p);
	if (cond->kind != EXPR_NUMBER)
		tree_fail(&p->tree, "a choice that is not constant");
	return cond->number ? a : b;
}

static struct expr *parse_compatible(struct parser *p, const struct builtin *builtin)
{
	struct ctype a, b;

	(void)builtin;
	if (!parse_type(p, &a) || !parser_accept(p, ',') || !parse_type(p, &b)) {
		tree_fail(&p->tree, "types are missing");
		return tree_int(&p->tree, 0);
	}
	return tree_int(&p->tree, a.size == b.size && a.is_signed == b.is_signed &&
					  a.stars == b.stars && a.target_size == b.target_size);
}

/* Swaps the bytes with plain operators. */
static struct expr *parse_swap(struct parser *p, const struct builtin *builtin)
{
	struct tree *t = &p->tree;
	struct ctype type = { .size = (uint8_t)builtin->size };
	struct expr *e = tree_cast(t, type, parse_cond(p)), *sum = NULL, *byte;
	int i, last = (int)builtin->size - 1;

	for (i = 0; i <= last && !t->fault; i++) {
		byte = tree_binary(t, EXPR_SHR, i ? tree_share(t, e) : e, tree_int(t, 8 * i));
		byte = tree_binary(t, EXPR_AND, byte, tree_int(t, 255));
		byte = tree_binary(t, EXPR_SHL, byte, tree_int(t, 8 * (last - i)));
		sum = sum ? tree_binary(t, EXPR_OR, sum, byte) : byte;
	}
	return sum ? tree_cast(t, type, sum) : e;
}

/* Parses native_pte_val(REC->pte), which returns the long that the structure wraps. */
static struct expr *parse_wrapped_long(struct parser *p, const struct builtin *builtin)
{
	(void)builtin;
	return tree_cast(&p->tree, tree_type_size_t(&p->tree), parse_cond(p));
}

static struct expr *constant_string(struct parser *p, const char *text)
{
	size_t len = strlen(text);

	return tree_string(&p->tree, tree_strdup(&p->tree, text, len), len);
}

/* Parses the choices of include/linux/string_choices.h. */
static struct expr *parse_string_choice(struct parser *p, const struct builtin *builtin)
{
	struct expr *e = parse_cond(p);

	return tree_cond(&p->tree, e, constant_string(p, builtin->yes),
			 constant_string(p, builtin->no));
}

static struct expr *parse_plural(struct parser *p, const struct builtin *builtin)
{
	struct expr *e = tree_cast(&p->tree, tree_type_size_t(&p->tree), parse_cond(p));

	(void)builtin;
	e = tree_binary(&p->tree, EXPR_EQ, e, tree_int(&p->tree, 1));
	return tree_cond(&p->tree, e, constant_string(p, ""), constant_string(p, "s"));
}

/* Parses the sizes of include/drm/drm_rect.h. */
static struct expr *parse_rect_size(struct parser *p, const struct builtin *builtin)
{
	struct expr *e = parse_cond(p);
	struct expr *far = parse_member_of(p, e, builtin->yes);
	struct expr *near = parse_member_of(p, tree_share(&p->tree, e), builtin->no);

	return tree_binary(&p->tree, EXPR_SUB, far, near);
}

static const struct builtin builtins[] = {
	{ "__builtin_expect", parse_expect, 0, NULL, NULL },
	{ "__builtin_constant_p", parse_constant_p, 0, NULL, NULL },
	{ "__builtin_choose_expr", parse_choose, 0, NULL, NULL },
	{ "__builtin_types_compatible_p", parse_compatible, 0, NULL, NULL },
	{ "__builtin_clz", parse_highest_bit, 4, NULL, NULL },
	{ "__builtin_clzll", parse_highest_bit, 8, NULL, NULL },
	{ "__ilog2_u32", parse_highest_bit, 0, NULL, NULL },
	{ "__ilog2_u64", parse_highest_bit, 0, NULL, NULL },
	{ "__order_base_2", parse_order, 0, NULL, NULL },
	{ "__builtin_bswap16", parse_swap, 2, NULL, NULL },
	{ "__builtin_bswap32", parse_swap, 4, NULL, NULL },
	{ "__builtin_bswap64", parse_swap, 8, NULL, NULL },
	{ "__fswab16", parse_swap, 2, NULL, NULL },
	{ "__fswab32", parse_swap, 4, NULL, NULL },
	{ "__fswab64", parse_swap, 8, NULL, NULL },
	{ "pte_val", parse_wrapped_long, 0, NULL, NULL },
	{ "native_pte_val", parse_wrapped_long, 0, NULL, NULL },
	{ "native_make_pte", parse_wrapped_long, 0, NULL, NULL },
	{ "pmd_val", parse_wrapped_long, 0, NULL, NULL },
	{ "native_pmd_val", parse_wrapped_long, 0, NULL, NULL },
	{ "native_make_pmd", parse_wrapped_long, 0, NULL, NULL },
	{ "pud_val", parse_wrapped_long, 0, NULL, NULL },
	{ "native_pud_val", parse_wrapped_long, 0, NULL, NULL },
	{ "native_make_pud", parse_wrapped_long, 0, NULL, NULL },
	{ "p4d_val", parse_wrapped_long, 0, NULL, NULL },
	{ "native_p4d_val", parse_wrapped_long, 0, NULL, NULL },
	{ "native_make_p4d", parse_wrapped_long, 0, NULL, NULL },
	{ "pgd_val", parse_wrapped_long, 0, NULL, NULL },
	{ "native_pgd_val", parse_wrapped_long, 0, NULL, NULL },
	{ "native_make_pgd", parse_wrapped_long, 0, NULL, NULL },
	{ "yesno", parse_string_choice, 0, "yes", "no" },
	{ "onoff", parse_string_choice, 0, "on", "off" },
	{ "enableddisabled", parse_string_choice, 0, "enabled", "disabled" },
	{ "str_yes_no", parse_string_choice, 0, "yes", "no" },
	{ "str_on_off", parse_string_choice, 0, "on", "off" },
	{ "str_true_false", parse_string_choice, 0, "true", "false" },
	{ "str_false_true", parse_string_choice, 0, "false", "true" },
	{ "str_enabled_disabled", parse_string_choice, 0, "enabled", "disabled" },
	{ "str_enable_disable", parse_string_choice, 0, "enable", "disable" },
	{ "str_high_low", parse_string_choice, 0, "high", "low" },
	{ "str_low_high", parse_string_choice, 0, "low", "high" },
	{ "str_hi_lo", parse_string_choice, 0, "hi", "lo" },
	{ "str_lo_hi", parse_string_choice, 0, "lo", "hi" },
	{ "str_read_write", parse_string_choice, 0, "read", "write" },
	{ "str_write_read", parse_string_choice, 0, "write", "read" },
	{ "str_up_down", parse_string_choice, 0, "up", "down" },
	{ "str_down_up", parse_string_choice, 0, "down", "up" },
	{ "str_plural", parse_plural, 0, NULL, NULL },
	{ "drm_rect_width", parse_rect_size, 0, "x2", "x1" },
	{ "drm_rect_height", parse_rect_size, 0, "y2", "y1" },
};

/* Parses the arguments of a builtin. Returns NULL, and reads nothing, when no builtin has that
 * name. */
static struct expr *parse_builtin(struct parser *p, const char *name)
{
	size_t i;

	for (i = 0; i < sizeof(builtins) / sizeof(builtins[0]); i++)
		if (!strcmp(name, builtins[i].name))
			return builtins[i].parse(p, &builtins[i]);
	return NULL;
}

struct expr *parse_call(struct parser *p, char *name)
{
	struct expr *e;

	parser_expect(p, '(');
	e = parse_builtin(p, name);
	if (!e)
		return parse_function(p, name);
	parser_expect(p, ')');
	return e;
}
