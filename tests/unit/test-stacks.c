/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "engine/tally/stacks.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

/* Address 0xN00 + offset is function fN. */
static void name(void *ctx, uint64_t address, struct tsh_strbuf *out)
{
	unsigned int *asked = ctx;

	++*asked;
	tsh_strbuf_addf(out, "f%x", (unsigned int)(address >> 8));
}

static void add(struct tsh_stacks *stacks, unsigned int times, size_t n, const uint64_t *frames)
{
	while (times--)
		tsh_stacks_add(stacks, frames, n);
}

#define ADD(stacks, times, ...) \
	add(stacks, times, sizeof((uint64_t[]){ __VA_ARGS__ }) / sizeof(uint64_t), \
	    (uint64_t[]){ __VA_ARGS__ })

/* "NAME COUNT/ENDS(children..)" of a node and those below it. */
static void tell(const struct tsh_stack_tree *tree, size_t i, struct tsh_strbuf *out)
{
	const struct tsh_stack_node *node = &tree->nodes[i];
	size_t j;

	tsh_strbuf_addf(out, "%s %u/%u", node->name ? node->name : "-", (unsigned int)node->count,
			(unsigned int)node->ends);
	for (j = 0; j < node->n; j++) {
		assert_int_equal(tree->nodes[node->first + j].parent, i);
		assert_int_equal(tree->nodes[node->first + j].depth, node->depth + 1);
		tsh_strbuf_adds(out, j ? ", " : " (");
		tell(tree, node->first + j, out);
	}
	if (node->n)
		tsh_strbuf_addc(out, ')');
}

static void assert_tree(const struct tsh_stacks *stacks, bool outermost_first, const char *want)
{
	struct tsh_strbuf text = TSH_STRBUF_INIT;
	struct tsh_stack_tree tree;
	unsigned int asked = 0;

	tsh_stacks_tree(stacks, outermost_first, name, &asked, &tree);
	tell(&tree, 0, &text);
	assert_string_equal(text.buf, want);
	tsh_strbuf_release(&text);
	tsh_stack_tree_release(&tree);
}

static void test_none(void **state)
{
	struct tsh_stacks *stacks = tsh_stacks_new(10);

	(void)state;
	assert_tree(stacks, false, "- 0/0");
	tsh_stacks_add(stacks, NULL, 0);
	assert_int_equal(tsh_stacks_total(stacks), 1);
	assert_tree(stacks, true, "- 1/1");
	tsh_stacks_free(stacks);
	tsh_stacks_free(NULL);
}

static void test_both_ways(void **state)
{
	struct tsh_stacks *stacks = tsh_stacks_new(10);

	(void)state;
	ADD(stacks, 2, 0x100, 0x200, 0x900);
	ADD(stacks, 3, 0x100, 0x300, 0x900);
	/* another place in the same functions */
	ADD(stacks, 2, 0x108, 0x210, 0x904);
	ADD(stacks, 1, 0x100);
	assert_int_equal(tsh_stacks_total(stacks), 8);
	assert_tree(stacks, false,
		    "- 8/0 (f1 8/1 (f2 4/0 (f9 4/4), f3 3/0 (f9 3/3)))");
	assert_tree(stacks, true,
		    "- 8/0 (f9 7/0 (f2 4/0 (f1 4/4), f3 3/0 (f1 3/3)), f1 1/1)");
	tsh_stacks_free(stacks);
}

/* A function that calls itself; of equal counts the order is that of the names. */
static void test_recursion(void **state)
{
	struct tsh_stacks *stacks = tsh_stacks_new(10);

	(void)state;
	ADD(stacks, 1, 0x100, 0x100, 0x100);
	ADD(stacks, 1, 0x300);
	ADD(stacks, 1, 0x200);
	assert_tree(stacks, false, "- 3/0 (f1 1/0 (f1 1/0 (f1 1/1)), f2 1/1, f3 1/1)");
	tsh_stacks_free(stacks);
}

static void test_full(void **state)
{
	struct tsh_stacks *stacks = tsh_stacks_new(2);

	(void)state;
	ADD(stacks, 1, 0x100);
	ADD(stacks, 1, 0x200);
	ADD(stacks, 5, 0x300);
	ADD(stacks, 1, 0x100);
	assert_int_equal(tsh_stacks_total(stacks), 8);
	assert_int_equal(tsh_stacks_other(stacks), 5);
	assert_tree(stacks, false, "- 3/0 (f1 2/2, f2 1/1)");
	tsh_stacks_free(stacks);
}

static void test_too_deep(void **state)
{
	struct tsh_stacks *stacks = tsh_stacks_new(2);
	uint64_t frames[TSH_STACK_DEPTH + 10];
	struct tsh_stack_tree tree;
	unsigned int asked = 0;
	size_t i;

	(void)state;
	for (i = 0; i < TSH_STACK_DEPTH + 10; i++)
		frames[i] = (i + 1) << 8;
	tsh_stacks_add(stacks, frames, TSH_STACK_DEPTH + 10);
	tsh_stacks_tree(stacks, false, name, &asked, &tree);
	assert_int_equal(tree.n, TSH_STACK_DEPTH + 1);
	assert_string_equal(tree.nodes[TSH_STACK_DEPTH].name, "f100");
	assert_int_equal(tree.nodes[TSH_STACK_DEPTH].ends, 1);
	tsh_stack_tree_release(&tree);
	tsh_stacks_free(stacks);
}

/* Many, so that all tables grow; each address is named once. */
static void test_many(void **state)
{
	struct tsh_stacks *stacks = tsh_stacks_new(100000);
	struct tsh_stack_tree tree;
	unsigned int asked = 0;
	uint64_t i, sum = 0;

	(void)state;
	for (i = 0; i < 30000; i++)
		ADD(stacks, 1, (i % 1000 + 1) << 8, (i / 1000 + 2000) << 8, UINT64_C(0xffff00));
	for (i = 0; i < 30000; i += 2)
		ADD(stacks, 1, (i % 1000 + 1) << 8, (i / 1000 + 2000) << 8, UINT64_C(0xffff00));
	tsh_stacks_tree(stacks, true, name, &asked, &tree);
	assert_int_equal(asked, 1000 + 30 + 1);
	assert_int_equal(tree.n, 1 + 1 + 30 + 30000);
	assert_int_equal(tree.nodes[1].count, 45000);
	for (i = 0; i < tree.n; i++)
		sum += tree.nodes[i].ends;
	assert_int_equal(sum, 45000);
	tsh_stack_tree_release(&tree);
	tsh_stacks_free(stacks);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_none),	  cmocka_unit_test(test_both_ways),
		cmocka_unit_test(test_recursion), cmocka_unit_test(test_full),
		cmocka_unit_test(test_too_deep),  cmocka_unit_test(test_many),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
