/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "made-btf.h"

static void put_row(struct asked *a, const struct tsh_btf_row *row, struct tsh_strbuf *out)
{
	static const char *const kinds[] = { "", "begin ", "end ", "hole", "padding" };

	tsh_strbuf_addn(out, ' ', row->depth);
	tsh_strbuf_addf(out, "%u", (unsigned int)row->at);
	if (row->kind != TSH_BTF_HOLE && row->kind != TSH_BTF_PADDING)
		tsh_strbuf_addf(out, "+%u", (unsigned int)row->size);
	tsh_strbuf_addf(out, " %s", kinds[row->kind]);
	if (row->kind != TSH_BTF_HOLE && row->kind != TSH_BTF_PADDING)
		assert_true(tsh_btf_declare(a->btf, row->type, row->name, NULL, out));
	if (row->bits)
		tsh_strbuf_addf(out, ":%u", (unsigned int)row->bits);
	tsh_strbuf_addc(out, '\n');
}

static void expect_layout(struct asked *a, const char *name, const char *want)
{
	struct tsh_strbuf text = TSH_STRBUF_INIT;
	struct tsh_btf_layout layout = { 0 };
	size_t i;

	tsh_btf_layout(a->btf, find(a, name), &layout);
	for (i = 0; i < layout.n; i++)
		put_row(a, &layout.v[i], &text);
	assert_string_equal(text.buf, want);
	tsh_btf_layout_release(&layout);
	tsh_strbuf_release(&text);
}

static void expect_text(struct asked *a, uint32_t id, const char *name, const char *want)
{
	struct tsh_strbuf text = TSH_STRBUF_INIT;
	struct tsh_btf_ref ref = find(a, "node");

	ref.id = id;
	assert_true(tsh_btf_declare(a->btf, ref, name, NULL, &text));
	assert_string_equal(text.buf, want);
	tsh_strbuf_release(&text);
}

static void test_layout(void **state)
{
	struct asked a;
	struct made m;

	(void)state;
	fill(&m);
	ask(&a, &m, NULL);
	assert_int_equal(tsh_btf_state(a.btf), TSH_BTF_PRESENT);
	expect_layout(&a, "node",
		      "0+8 struct node *next\n"
		      "64+4 int low:3\n"
		      "67 hole:3\n"
		      "70+4 int high:10\n"
		      "80 hole:16\n"
		      "96+4 u32 count\n"
		      "128+8 begin union {..}\n"
		      " 128+8 struct node *owner\n"
		      " 128+4 int flags\n"
		      "128+8 end union {..}\n"
		      "192+13 char name[13]\n"
		      "296 hole:24\n"
		      "320+8 int (*call)(struct node *node, const char *)\n"
		      "384+8 const char *text\n"
		      "448 padding:64\n");
	assert_int_equal(tsh_btf_align(a.btf, find(&a, "node")), 8);
	assert_int_equal(tsh_btf_pointer_size(a.btf), 8);
	finish(&a);
}

static void test_member(void **state)
{
	struct tsh_btf_part part;
	struct asked a;
	struct made m;
	uint64_t at;

	(void)state;
	fill(&m);
	ask(&a, &m, NULL);
	assert_true(tsh_btf_member(a.btf, find(&a, "node"), "flags", &part, &at));
	assert_int_equal(at, 128);
	assert_int_equal(part.type.id, INT_ID);
	assert_true(tsh_btf_member(a.btf, find(&a, "node"), "high", &part, &at));
	assert_int_equal(part.bits, 10);
	assert_false(tsh_btf_member(a.btf, find(&a, "node"), "", &part, &at));
	assert_false(tsh_btf_member(a.btf, find(&a, "node"), "nexts", &part, &at));
	assert_false(tsh_btf_member(a.btf, find(&a, "u32"), "next", &part, &at));
	/* through pointers; a cycle of them is no matter */
	assert_true(tsh_btf_member(a.btf, find(&a, "node"), "owner", &part, &at));
	assert_string_equal(tsh_btf_target(a.btf, part.type, NULL).name, "node");
	finish(&a);
}

static void test_declarations(void **state)
{
	struct asked a;
	uint32_t pointers, function, matrix, id;
	struct made m;

	(void)state;
	fill(&m);
	id = type(&m, TSH_BTF_CONST, "", 0, STRING_ID);
	pointers = array(&m, id, 4);
	matrix = array(&m, NAME_ID, 2);
	function = type(&m, TSH_BTF_FUNC_PROTO, "", 2, STRING_ID);
	parameter(&m, "f", CALL_ID);
	parameter(&m, "", 0);
	id = type(&m, TSH_BTF_PTR, "", 0, function);
	ask(&a, &m, NULL);
	expect_text(&a, pointers, "x", "const char *const x[4]");
	expect_text(&a, matrix, "x", "char x[2][13]");
	expect_text(&a, id, "x", "const char *(*x)(int (*f)(struct node *node, const char *), ...)");
	expect_text(&a, CALL_ID, "", "int (*)(struct node *node, const char *)");
	expect_text(&a, 0, "x", "void x");
	finish(&a);
}

/* Before structures told the width of bit fields, an integer type did. */
static void test_old_bit_fields(void **state)
{
	uint32_t narrow, whole;
	struct asked a;
	struct made m;

	(void)state;
	begin(&m, NULL);
	whole = integer(&m, "int", 4, 1);
	narrow = type(&m, TSH_BTF_INT, "int", 0, 4);
	word(&m.types, 1u << 24 | 2u << 16 | 5);
	type(&m, TSH_BTF_STRUCT, "old", 2, 8);
	member(&m, "five", narrow, 0);
	member(&m, "all", whole, 32);
	ask(&a, &m, NULL);
	expect_layout(&a, "old", "0 hole:2\n2+4 int five:5\n7 hole:1\n8 hole:24\n32+4 int all\n");
	finish(&a);
}

static void test_module(void **state)
{
	struct made m, module;
	struct asked a;

	(void)state;
	fill(&m);
	begin(&module, &m);
	type(&module, TSH_BTF_STRUCT, "driver", 2, 16);
	member(&module, "node", NODE_PTR, 0);
	member(&module, "me", module.n + 1, 64);
	type(&module, TSH_BTF_PTR, "", 0, module.n);
	ask(&a, &m, &module);
	expect_layout(&a, "driver", "0+8 struct node *node\n64+8 struct driver *me\n");
	assert_int_equal(tsh_btf_size(a.btf, find(&a, "node")), 64);
	finish(&a);
}

/* The kernel's types are read once, a module's again each time. */
static void test_kept(void **state)
{
	struct tsh_provider without;
	struct made m, module;
	struct tsh_btf_ref ref;
	struct asked a;

	(void)state;
	fill(&m);
	begin(&module, &m);
	type(&module, TSH_BTF_STRUCT, "driver", 0, 16);
	ask(&a, &m, &module);
	assert_false(tsh_btf_suspend(a.btf));
	tsh_btf_resume(a.btf, &a.provider);
	find(&a, "driver");
	assert_true(tsh_btf_suspend(a.btf));
	tsh_strbuf_clear(&a.kernel);
	without = a.provider;
	without.module_btf = NULL;
	tsh_btf_resume(a.btf, &without);
	find(&a, "node");
	assert_false(tsh_btf_find_type(a.btf, "driver", &ref));
	assert_true(tsh_btf_suspend(a.btf));
	tsh_btf_resume(a.btf, &a.provider);
	find(&a, "driver");
	finish(&a);
}

/* ---- what no compiler made ---- */

static void test_cycles(void **state)
{
	struct tsh_strbuf text = TSH_STRBUF_INIT;
	struct tsh_btf_layout layout = { 0 };
	struct tsh_btf_part part;
	uint32_t first, self;
	struct asked a;
	struct made m;
	uint64_t at;

	(void)state;
	begin(&m, NULL);
	first = type(&m, TSH_BTF_TYPEDEF, "ring", 0, 2);
	type(&m, TSH_BTF_CONST, "", 0, first);
	type(&m, TSH_BTF_TYPEDEF, "pointers", 0, 4);
	type(&m, TSH_BTF_PTR, "", 0, 4);
	/* an unnamed structure a thousand times in itself */
	self = type(&m, TSH_BTF_STRUCT, "", 1000, 8);
	for (at = 0; at < 1000; at++)
		member(&m, "", self, 0);
	type(&m, TSH_BTF_STRUCT, "outer", 1, 8);
	member(&m, "", self, 0);
	/* an array of itself */
	first = array(&m, m.n + 1, UINT32_MAX);
	type(&m, TSH_BTF_TYPEDEF, "arrays", 0, first);
	/* a function that takes itself */
	type(&m, TSH_BTF_TYPEDEF, "taker", 0, m.n + 2);
	type(&m, TSH_BTF_FUNC_PROTO, "", 2, m.n + 1);
	parameter(&m, "f", m.n);
	parameter(&m, "g", m.n);
	ask(&a, &m, NULL);

	assert_int_equal(tsh_btf_bare(a.btf, find(&a, "ring"), true).kind, TSH_BTF_NONE);
	assert_int_equal(tsh_btf_size(a.btf, find(&a, "ring")), 0);
	assert_int_equal(tsh_btf_size(a.btf, find(&a, "arrays")), 0);
	assert_int_equal(tsh_btf_align(a.btf, find(&a, "outer")), 1);
	tsh_btf_target(a.btf, find(&a, "pointers"), NULL);
	assert_false(tsh_btf_member(a.btf, find(&a, "outer"), "x", &part, &at));
	assert_false(tsh_btf_declare(a.btf, tsh_btf_type(a.btf, find(&a, "taker")).to, "x", NULL,
				     &text));
	tsh_btf_layout(a.btf, find(&a, "outer"), &layout);
	assert_true(layout.is_cut);
	tsh_btf_layout_release(&layout);
	tsh_strbuf_release(&text);
	finish(&a);
}

/* All that a name leads to. */
static void ask_all(void *ctx, const struct tsh_btf_type *found)
{
	struct tsh_strbuf text = TSH_STRBUF_INIT;
	struct tsh_btf_layout layout = { 0 };
	struct asked *a = ctx;
	uint32_t i;
	size_t n;

	tsh_btf_align(a->btf, found->ref);
	tsh_btf_size(a->btf, found->ref);
	tsh_btf_target(a->btf, found->ref, NULL);
	(void)tsh_btf_declare(a->btf, found->ref, "x", NULL, &text);
	tsh_btf_layout(a->btf, found->ref, &layout);
	for (n = 0; n < layout.n; n++)
		(void)tsh_btf_declare(a->btf, layout.v[n].type, layout.v[n].name, NULL, &text);
	for (i = 0; i < found->n && TSH_BTF_ENUMS >> found->kind & 1; i++)
		(void)tsh_btf_part(a->btf, found, i);
	tsh_btf_layout_release(&layout);
	tsh_strbuf_release(&text);
}

static void test_damage(void **state)
{
	const uint32_t kinds = TSH_BTF_AGGREGATES | TSH_BTF_ENUMS | TSH_BTF_TYPEDEFS;
	struct tsh_strbuf whole = TSH_STRBUF_INIT;
	size_t i, cut;
	struct made m;

	(void)state;
	fill(&m);
	made_text(&m, &whole);
	made_release(&m);
	for (cut = 0; cut < whole.len; cut++) {
		struct asked a = { 0 };

		tsh_strbuf_add(&a.kernel, whole.buf, cut);
		ask_text(&a);
		assert_int_equal(tsh_btf_state(a.btf), TSH_BTF_DAMAGED);
		finish(&a);
	}
	for (i = 0; i < 3 * whole.len; i++) {
		static const char bytes[] = { '\xff', '\0', '\x05' };
		struct asked a = { 0 };

		tsh_strbuf_add(&a.kernel, whole.buf, whole.len);
		a.kernel.buf[i / 3] = bytes[i % 3];
		ask_text(&a);
		tsh_btf_names(a.btf, kinds, ask_all, &a);
		finish(&a);
	}
	tsh_strbuf_release(&whole);
}

/* Names that overlap in one string of megabytes: the limit of CPU time ends what reads them all. */
static void test_overlapping_names(void **state)
{
	const struct rlimit limit = { 60, 90 };
	struct tsh_btf_ref ref;
	struct asked a;
	struct made m;
	uint32_t i;

	(void)state;
	assert_int_equal(setrlimit(RLIMIT_CPU, &limit), 0);
	begin(&m, NULL);
	for (i = 0; i < 300000; i++) {
		word(&m.types, 1 + 10 * i);
		word(&m.types, (uint32_t)TSH_BTF_STRUCT << 24);
		word(&m.types, 0);
	}
	tsh_strbuf_addn(&m.strings, 'A', 4000000);
	tsh_strbuf_addc(&m.strings, '\0');
	type(&m, TSH_BTF_STRUCT, "node", 0, 8);
	ask(&a, &m, NULL);
	assert_true(tsh_btf_find_type(a.btf, "node", &ref));
	assert_false(tsh_btf_find_type(a.btf, "A", &ref));
	finish(&a);
}

static void test_none(void **state)
{
	const struct tsh_provider provider = { 0 };
	struct tsh_btf *btf = tsh_btf_new(&provider);
	struct tsh_btf_ref ref;

	(void)state;
	assert_int_equal(tsh_btf_state(btf), TSH_BTF_ABSENT);
	assert_false(tsh_btf_find_type(btf, "node", &ref));
	assert_int_equal(tsh_btf_pointer_size(btf), 8);
	tsh_btf_free(btf);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_layout),
		cmocka_unit_test(test_member),
		cmocka_unit_test(test_declarations),
		cmocka_unit_test(test_old_bit_fields),
		cmocka_unit_test(test_module),
		cmocka_unit_test(test_kept),
		cmocka_unit_test(test_cycles),
		cmocka_unit_test(test_damage),
		cmocka_unit_test(test_overlapping_names),
		cmocka_unit_test(test_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
