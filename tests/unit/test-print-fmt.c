/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "events/printfmt/expr.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "print-fmts.h"
#include "base/strbuf.h"
#include "base/xmalloc.h"

/* ---- trees as text ---- */

static void dump_type(struct tsh_strbuf *out, struct ctype type)
{
	static const char stars[] = "****";

	if (!type.stars && !type.size)
		tsh_strbuf_adds(out, "void");
	else if (!type.stars && type.is_bool)
		tsh_strbuf_adds(out, "bool");
	else if (!type.stars)
		tsh_strbuf_addf(out, "%c%d", type.is_signed ? 's' : 'u', 8 * type.size);
	else if (type.target_is_char)
		tsh_strbuf_adds(out, "char");
	else if (type.target_is_struct)
		tsh_strbuf_addf(out, "struct%d", type.target_size);
	else if (!type.target_size)
		tsh_strbuf_adds(out, "void");
	else
		tsh_strbuf_addf(out, "%c%d", type.target_signed ? 's' : 'u', 8 * type.target_size);
	tsh_strbuf_add(out, stars, type.stars < 4 ? type.stars : 4);
}

static void dump_leaf(struct tsh_strbuf *out, const struct expr *e)
{
	if (e->kind == EXPR_STRING) {
		tsh_strbuf_addf(out, "\"%s\"", e->text);
		return;
	}
	if (e->kind == EXPR_FIELD)
		tsh_strbuf_adds(out, e->field->name);
	else if (e->kind == EXPR_NAME)
		tsh_strbuf_addf(out, "@%s", e->text);
	else if (e->type.is_signed)
		tsh_strbuf_addf(out, "%lld", (long long)e->number);
	else
		tsh_strbuf_addf(out, "%#llx", (unsigned long long)e->number);
	tsh_strbuf_addc(out, ':');
	dump_type(out, e->type);
}

/* (OPERATOR operands):TYPE; "" stands for the kinds that have no operator */
static void dump(struct tsh_strbuf *out, const struct expr *e)
{
	static const char *const ops[] = {
		"+", "-", "*", "/", "%", "<<", ">>", "&", "|", "^", "==", "!=", "<", "<=", ">",
		">=", "&&", "||", "-", "+", "!", "~",
	};
	static const char *const kinds[] = {
		[EXPR_COND] = "?", [EXPR_CAST] = "cast", [EXPR_INDEX] = "[]", [EXPR_DEREF] = "*",
		[EXPR_ADDRESS] = "&", [EXPR_TABLE] = "table",
	};
	size_t i;

	if (e->kind <= EXPR_NAME) {
		dump_leaf(out, e);
		return;
	}
	tsh_strbuf_addc(out, '(');
	if (e->kind == EXPR_CALL)
		tsh_strbuf_adds(out, e->text);
	else if (e->kind == EXPR_UNARY || e->kind == EXPR_BINARY)
		tsh_strbuf_adds(out, ops[e->op]);
	else
		tsh_strbuf_adds(out, kinds[e->kind]);
	if (e->field)
		tsh_strbuf_addf(out, " <%s>", e->field->name);
	for (i = 0; i < e->nargs; i++) {
		tsh_strbuf_addc(out, ' ');
		dump(out, e->arg[i]);
	}
	tsh_strbuf_addc(out, ')');
	if (e->kind == EXPR_TABLE)
		return;
	tsh_strbuf_addc(out, ':');
	dump_type(out, e->type);
}

/* ---- parsing ---- */

#define FIELDS \
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n" \
	"name: x\nID: 7\nformat:\n" \
	"\tfield:u8 b;\toffset:8;\tsize:1;\tsigned:0;\n" \
	"\tfield:short h;\toffset:10;\tsize:2;\tsigned:1;\n" \
	"\tfield:int i;\toffset:12;\tsize:4;\tsigned:1;\n" \
	"\tfield:unsigned int u;\toffset:16;\tsize:4;\tsigned:0;\n" \
	"\tfield:unsigned long l;\toffset:24;\tsize:8;\tsigned:0;\n" \
	"\tfield:bool flag;\toffset:32;\tsize:1;\tsigned:0;\n" \
	"\tfield:enum foo e;\toffset:33;\tsize:1;\tsigned:0;\n" \
	"\tfield:foo_t f;\toffset:34;\tsize:2;\tsigned:1;\n" \
	"\tfield:char comm[16];\toffset:36;\tsize:16;\tsigned:0;\n" \
	"\tfield:__u16 arr[4];\toffset:52;\tsize:8;\tsigned:0;\n" \
	"\tfield:struct page * page;\toffset:64;\tsize:8;\tsigned:0;\n" \
	"\tfield:__data_loc char[] name;\toffset:72;\tsize:4;\tsigned:0;\n" \
	"\tfield:__data_loc u32[] dyn;\toffset:76;\tsize:4;\tsigned:0;\n" \
	"\tfield:struct sock_extended_err ee;\toffset:80;\tsize:16;\tsigned:0;\n" \
	"\tfield:kuid_t uid;\toffset:96;\tsize:4;\tsigned:0;\n"

static bool resolve(void *ctx, const char *name, int64_t *ret)
{
	(void)ctx;
	*ret = !strcmp(name, "KNOWN") ? 5 : -3;
	return !strcmp(name, "KNOWN") || !strcmp(name, "NEGATIVE");
}

static struct tsh_event_format *event(const char *print_fmt)
{
	char *text = tsh_xasprintf(FIELDS "\nprint fmt: %s\n", print_fmt);
	struct tsh_event_format *format;

	assert_int_equal(tsh_event_format_parse("test", text, strlen(text), &format), 0);
	free(text);
	return format;
}

/* "FORMAT|ARGUMENT|..", or "!WHY". The caller frees it. */
static char *parse(const char *print_fmt, unsigned int long_size)
{
	struct tsh_event_format *format = event(print_fmt);
	struct tsh_strbuf out = TSH_STRBUF_INIT;
	struct print_fmt fmt;
	char *why;
	size_t i;
	int r;

	r = print_fmt_parse(format, long_size, resolve, NULL, &fmt, &why);
	if (r) {
		assert_int_equal(r, -EINVAL);
		assert_null(fmt.memory);
		tsh_strbuf_addf(&out, "!%s", why);
		free(why);
	} else {
		assert_int_equal(strlen(fmt.format), fmt.format_len);
		tsh_strbuf_adds(&out, fmt.format);
		for (i = 0; i < fmt.nargs; i++) {
			tsh_strbuf_addc(&out, '|');
			dump(&out, fmt.arg[i]);
		}
		print_fmt_release(&fmt);
	}
	tsh_event_format_free(format);
	return tsh_strbuf_detach(&out);
}

static void check_cases(const struct parse_case *cases, size_t n, unsigned int long_size)
{
	size_t i;

	for (i = 0; i < n; i++) {
		char *print_fmt = tsh_xasprintf("\"%%d\", %s", cases[i].text);
		char *tree = parse(print_fmt, long_size);
		const char *shown = !strncmp(tree, "%d|", 3) ? tree + 3 : tree;

		if (strcmp(shown, cases[i].tree) != 0)
			fail_msg("%s\n  is  %s\n  not %s", cases[i].text, shown, cases[i].tree);
		free(tree);
		free(print_fmt);
	}
}

#define CHECK(cases, long_size) check_cases(cases, sizeof(cases) / sizeof((cases)[0]), long_size)
static void test_expressions(void **state)
{
	(void)state;
	CHECK(constants, 8);
	CHECK(long4, 4);
	CHECK(expressions, 8);
	CHECK(sizes, 8);
	CHECK(calls, 8);
	CHECK(blocks, 8);
}

/* The string as C has it, and as TRACE_EVENT leaves it: with bare quotes. */
static void test_formats(void **state)
{
	static const struct parse_case cases[] = {
		{ "\"\"", "" },
		{ "\"plain\"", "plain" },
		{ "\"%d %%\\n\\t\\x41\\101\\\"\", REC->i", "%d %%\n\tAA\"|i:s32" },
		{ "\"a%d\" \"b%d\",\n REC->i,\n\tREC->u", "a%db%d|i:s32|u:u32" },
		{ "\"comm=\"%s\"\", REC->comm", "comm=\"%s\"|comm:char*" },
		{ "\"%s \"%s\" \"%s\"\", REC->comm, __get_str(name), \"x, \" \"y\"",
		  "%s \"%s\" \"%s\"|comm:char*|(__get_str <name>):char*|\"x, y\"" },
		{ "\"a\", b \"%*d\", REC->i, REC->u", "a\", b \"%*d|i:s32|u:u32" },
		{ "\"%d\", REC->i, REC->u", "%d|i:s32|u:u32" },
		{ "\"%d\", REC->i,", "%d|i:s32" },
		{ "", "!no format string, at the end" },
		{ "REC->i", "!no format string, at 'REC->i'" },
		{ "\"%d", "!a format string without an end, at '\"%d'" },
		{ "\"%d\", \"abc", "!a string without an end, at '\"abc'" },
		{ "\"%d\", 1.5", "!an unknown token, at '1.5'" },
		{ "\"%d\", a b", "!',' is missing, at 'b'" },
		{ "\"%d\", \x01\xff", "!an unknown token, at '\\x01\\xff'" },
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char *tree = parse(cases[i].text, 8);

		assert_string_equal(tree, cases[i].tree);
		free(tree);
	}
}

/* ---- types ---- */

static void test_types(void **state)
{
	static const struct parse_case cases[] = {
		{ "unsigned", "u32" }, { "long unsigned int", "u64" }, { "short", "s16" },
		{ "const  unsigned char", "u8" }, { "signed char", "s8" }, { "__u32", "u32" },
		{ "long long", "s64" }, { "_Bool", "bool" }, { "void", "void" },
		{ "char *const *", "u8**" }, { "const void *", "void*" }, { "u16*", "u16*" },
		{ "enum foo", "u32" }, { "struct page *", "struct64*" },
		{ "struct foo *", "struct0*" }, { "foo_t *", "struct0*" }, { "foo_t", NULL },
		{ "", NULL }, { "*", NULL }, { "int *int", NULL }, { "unsigned u8", NULL },
		{ "struct", NULL }, { "int[4]", NULL }, { "u8 u8", NULL }, { "const", NULL },
	};
	struct tsh_strbuf out = TSH_STRBUF_INIT;
	struct ctype type;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		tsh_strbuf_clear(&out);
		if (ctype_parse(cases[i].text, strlen(cases[i].text), 8, &type))
			dump_type(&out, type);
		assert_string_equal(out.buf, cases[i].tree ? cases[i].tree : "");
	}
	tsh_strbuf_release(&out);
}

static const struct ctype u8 = { .size = 1 }, s16 = { .size = 2, .is_signed = true },
			  s32 = { .size = 4, .is_signed = true }, u32 = { .size = 4 },
			  s64 = { .size = 8, .is_signed = true }, u64 = { .size = 8 },
			  pointer = { .size = 8, .stars = 1 },
			  boolean = { .size = 1, .is_bool = true };

static void test_wrap(void **state)
{
	(void)state;
	assert_int_equal(ctype_wrap(u8, 0x1ff), 0xff);
	assert_int_equal(ctype_wrap(s16, 0x18000), UINT64_C(0xffffffffffff8000));
	assert_int_equal(ctype_wrap(s32, 0x80000000), UINT64_C(0xffffffff80000000));
	assert_int_equal(ctype_wrap(u32, UINT64_MAX), 0xffffffff);
	assert_int_equal(ctype_wrap(u64, UINT64_MAX), UINT64_MAX);
	assert_int_equal(ctype_wrap(boolean, 0x100), 1);
	assert_int_equal(ctype_wrap((struct ctype){ .size = 4, .stars = 1 }, UINT64_MAX),
			 0xffffffff);
	assert_int_equal(ctype_promote(u8).is_signed, true);
	assert_int_equal(ctype_promote(boolean).size, 4);
	assert_int_equal(ctype_common(s32, u32, 8).is_signed, false);
	assert_int_equal(ctype_common(s64, u32, 8).is_signed, true);
	assert_int_equal(ctype_common(u8, s16, 8).size, 4);
	assert_int_equal(ctype_common(s32, pointer, 8).stars, 1);
}

static uint64_t apply(enum expr_op op, struct ctype type, uint64_t a, uint64_t b)
{
	uint64_t r = 0xdead;

	return ctype_apply(op, type, a, b, &r) ? r : 0xbad;
}

static void test_apply(void **state)
{
	const uint64_t minus = UINT64_MAX, lowest = UINT64_C(1) << 63;

	(void)state;
	assert_int_equal(apply(EXPR_LT, s32, minus, 1), 1);
	assert_int_equal(apply(EXPR_LT, u64, minus, 1), 0);
	assert_int_equal(apply(EXPR_GE, pointer, minus, 1), 1);
	assert_int_equal(apply(EXPR_ADD, u32, 0xffffffff, 1), 0);
	assert_int_equal(apply(EXPR_ADD, s32, 0x7fffffff, 1), UINT64_C(0xffffffff80000000));
	assert_int_equal(apply(EXPR_MUL, s64, lowest, 2), 0);
	assert_int_equal(apply(EXPR_SHR, s32, (uint64_t)-8, 1), (uint64_t)-4);
	assert_int_equal(apply(EXPR_SHL, u32, 1, 33), 2);
	assert_int_equal(apply(EXPR_SHL, u64, 1, 64), 1);
	assert_int_equal(apply(EXPR_SHL, s64, 1, 63), lowest);
	assert_int_equal(apply(EXPR_SHR, u64, lowest, minus), 1);
	assert_int_equal(apply(EXPR_DIV, s64, lowest, minus), lowest);
	assert_int_equal(apply(EXPR_MOD, s64, lowest, minus), 0);
	assert_int_equal(apply(EXPR_DIV, s32, (uint64_t)-7, 2), (uint64_t)-3);
	assert_int_equal(apply(EXPR_DIV, u64, 1, 0), 0xbad);
	assert_int_equal(apply(EXPR_MOD, s32, 1, 0), 0xbad);
	assert_int_equal(apply(EXPR_NEG, u32, 1, 0), 0xffffffff);
	assert_int_equal(apply(EXPR_LOGICAL_OR, s32, 0, 4), 1);
}

/* ---- hostile text ---- */

/* `head`, `count` times `piece`, `tail`: whatever comes of it is bounded. */
static bool parses(const char *head, const char *piece, size_t count, const char *tail)
{
	struct tsh_strbuf text = TSH_STRBUF_INIT;
	bool good;
	char *tree;

	tsh_strbuf_adds(&text, head);
	while (count--)
		tsh_strbuf_adds(&text, piece);
	tsh_strbuf_adds(&text, tail);
	tree = parse(text.buf, 8);
	good = *tree != '!';
	free(tree);
	tsh_strbuf_release(&text);
	return good;
}

static void test_nesting(void **state)
{
	static const char *const pieces[] = {
		"(", "-", "!", "*", "&", "(u8)", "sizeof ", "({", "({ int x = ", "1 ? ", "1 ?: ",
		"{", "f(", "REC->arr[", "\"", "\", ", "typeof(", "(typeof(", "(a * * * ", "(a)(",
		"'", "0x", "\\", "__builtin_bswap64(", "do ", "__print_symbolic(1, { ", "\"\" ",
		"1 || (", "x, ",
	};
	size_t i;

	(void)state;
	assert_false(parses("\"%d\", ", "(", 150, "REC->i"));
	assert_true(parses("\"%d\", ", "!", 150, "REC->i"));
	assert_false(parses("\"%d\", ", "!", 500, "REC->i"));
	assert_true(parses("\"%d\", REC->i", " + REC->u", 300, ""));
	assert_false(parses("\"%d\", REC->i", " + REC->u", 1000, ""));
	assert_false(parses("\"%d\", 1", ", 1", 200000, ""));
	/* Each doubles what stands before. */
	assert_false(parses("\"%d\", ({ u64 x = REC->l; ", "x = x + x; ", 60, "x; })"));
	assert_true(parses("\"%d\", ({ u64 x = REC->l; ", "x = x + x; ", 8, "x; })"));
	assert_false(parses("\"%d\", ", "__fswab64(", 12, "REC->l))))))))))))"));
	for (i = 0; i < sizeof(pieces) / sizeof(pieces[0]); i++)
		parses("\"%d\", ", pieces[i], 900000 / strlen(pieces[i]), "");
	for (i = 0; i < sizeof(pieces) / sizeof(pieces[0]); i++)
		parses("\"%d\", ({ (void)", pieces[i], 1000, "; 1; })");
}

static void test_random(void **state)
{
	static const char *const pieces[] = {
		"(", ")", "{", "}", "[", "]", ",", ";", "REC->i", "REC->arr", "REC", "(u8)",
		"__get_str(name)", "(struct page *)", "*", "&", "-", "+", "<<", "? ", ": ", "&& ",
		"({ int x = ", "; x; })", "\"a\"", "\"", "'", "sizeof", "1", "0x7fUL", "typeof(",
		"f(", "x = x;", "\\", "__print_flags(", ".", "->", "u64", "\x80", "enum e",
		"__builtin_choose_expr(",
	};
	struct tsh_strbuf text = TSH_STRBUF_INIT;
	unsigned int seed = 1, i, n;

	(void)state;
	for (i = 0; i < 20000; i++) {
		tsh_strbuf_clear(&text);
		tsh_strbuf_adds(&text, "\"%d\", ");
		for (n = i % 24; n; n--) {
			seed = seed * 1103515245 + 12345;
			tsh_strbuf_adds(&text, pieces[(seed >> 16) %
						      (sizeof(pieces) / sizeof(pieces[0]))]);
		}
		free(parse(text.buf, i & 1 ? 4 : 8));
	}
	tsh_strbuf_release(&text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_expressions),
		cmocka_unit_test(test_formats),
		cmocka_unit_test(test_types),
		cmocka_unit_test(test_wrap),
		cmocka_unit_test(test_apply),
		cmocka_unit_test(test_nesting),
		cmocka_unit_test(test_random),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
