/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <string.h>

#include "print-parser.h"

/* Calls that the parser resolves: the compiler's builtins and small functions. */

/* What the functions below are told beside the arguments. */
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

/*
 * Logarithms of constants, which sizeof(struct page) has on arm64 (include/linux/log2.h): the
 * number of the highest bit, or with a size how many are above it.
 */
static struct expr *parse_highest_bit(struct parser *p, const struct builtin *builtin)
{
	struct expr *e = parse_cond(p);
	uint64_t value;
	int bit = 0;

	if (e->kind != EXPR_NUMBER) {
		tree_fail(&p->tree, "a logarithm that is not constant");
		return e;
	}
	for (value = e->number; value >>= 1; )
		bit++;
	return tree_int(&p->tree, builtin->size ? (int)builtin->size * 8 - 1 - bit : bit);
}

/* The logarithm of the next power of two. */
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

/* The arm that is taken, as it is. */
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
	if (!parse_type(p, &a) || !parser_take(p, ',') || !parse_type(p, &b)) {
		tree_fail(&p->tree, "types are missing");
		return tree_int(&p->tree, 0);
	}
	return tree_int(&p->tree, a.size == b.size && a.is_signed == b.is_signed &&
				  a.stars == b.stars && a.target_size == b.target_size);
}

/* The bytes in the other order, with the operators that there are. */
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

/* native_pte_val(REC->pte): the long that the structure wraps. */
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

/* include/linux/string_choices.h */
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

/* include/drm/drm_rect.h */
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

struct expr *parse_builtin(struct parser *p, const char *name)
{
	size_t i;

	for (i = 0; i < sizeof(builtins) / sizeof(builtins[0]); i++)
		if (!strcmp(name, builtins[i].name))
			return builtins[i].parse(p, &builtins[i]);
	return NULL;
}
