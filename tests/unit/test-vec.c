/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/vec.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <string.h>

struct item {
	int number;
	const char *name;
	char fill[13];
};

static void test_push(void **state)
{
	TSH_VEC(struct item) vec = { 0 };
	static const struct item zeroed;
	size_t grown = 0;
	int i;

	(void)state;
	for (i = 0; i < 1000; i++) {
		size_t cap = vec.cap;
		struct item *item = tsh_vec_push(&vec);

		assert_ptr_equal(item, &vec.v[i]);
		assert_int_equal(vec.n, i + 1);
		assert_true(vec.cap >= vec.n);
		assert_memory_equal(item, &zeroed, sizeof(zeroed));
		memset(item, 0xff, sizeof(*item));
		item->number = i;
		if (vec.cap != cap) {
			assert_true(!cap || vec.cap == 2 * cap);
			grown++;
		}
	}
	assert_true(grown < 12);
	for (i = 0; i < 1000; i++)
		assert_int_equal(vec.v[i].number, i);
	/* a place that is used again is zeroed again */
	vec.n = 10;
	assert_memory_equal(tsh_vec_push(&vec), &zeroed, sizeof(zeroed));
	tsh_vec_release(&vec);
	assert_null(vec.v);
	assert_int_equal(vec.n, 0);
	assert_int_equal(vec.cap, 0);
	tsh_vec_release(&vec);
}

static void test_push_scalars(void **state)
{
	TSH_VEC(char) bytes = { 0 };
	TSH_VEC(uint64_t) words = { 0 };
	unsigned int i;

	(void)state;
	for (i = 0; i < 300; i++) {
		*tsh_vec_push(&bytes) = (char)i;
		*tsh_vec_push(&words) = UINT64_MAX - i;
	}
	for (i = 0; i < 300; i++) {
		assert_int_equal(bytes.v[i], (char)i);
		assert_true(words.v[i] == UINT64_MAX - i);
	}
	tsh_vec_release(&bytes);
	tsh_vec_release(&words);
}

/* The list's strings, each in <>, are `want`. */
static void assert_list(const struct tsh_strlist *list, const char *want)
{
	char text[256] = "";
	size_t len = 0;
	size_t i;

	for (i = 0; i < list->n; i++)
		len += (size_t)snprintf(text + len, sizeof(text) - len, "<%s>", list->v[i]);
	assert_string_equal(text, want);
}

static void test_split(void **state)
{
	static const struct {
		const char *text;
		const char *lines;
		const char *words;
	} rows[] = {
		{ "", "", "" },
		{ "\n", "<>", "" },
		{ "\n\n", "<><>", "" },
		{ "a", "<a>", "<a>" },
		{ "a\n", "<a>", "<a>" },
		{ "a\n\nb", "<a><><b>", "<a><b>" },
		{ "a\n\nb\n\n", "<a><><b><>", "<a><b>" },
		{ " a  b\tc \n", "< a  b\tc >", "<a><b><c>" },
		{ " \t \n ", "< \t >< >", "" },
		{ "\r\na\vb", "<\r><a\vb>", "<\r><a\vb>" },
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct tsh_strlist list = { 0 };

		tsh_strlist_split_lines(&list, rows[i].text);
		assert_list(&list, rows[i].lines);
		tsh_strlist_release(&list);
		tsh_strlist_split_words(&list, rows[i].text);
		assert_list(&list, rows[i].words);
		tsh_strlist_release(&list);
	}
}

static void test_split_appends(void **state)
{
	struct tsh_strlist list = { 0 };

	(void)state;
	tsh_strlist_add(&list, "first");
	tsh_strlist_split_words(&list, "a b");
	tsh_strlist_split_lines(&list, "c d\n");
	assert_list(&list, "<first><a><b><c d>");
	tsh_strlist_release(&list);
}

static void test_list(void **state)
{
	struct tsh_strlist list = { 0 };
	char *mine = tsh_xstrdup("taken");

	(void)state;
	tsh_strlist_sort(&list);
	assert_false(tsh_strlist_has(&list, ""));
	tsh_strlist_add(&list, "b");
	tsh_strlist_addn(&list, "abcdef", 2);
	tsh_strlist_addn(&list, "x", 0);
	tsh_strlist_add_owned(&list, mine);
	assert_ptr_equal(list.v[3], mine);
	tsh_strlist_add(&list, "\xc3\xa4");
	tsh_strlist_add(&list, "B");
	tsh_strlist_add(&list, "a");
	tsh_strlist_add(&list, "ab");
	tsh_strlist_sort(&list);
	assert_list(&list, "<><B><a><ab><ab><b><taken><\xc3\xa4>");
	assert_true(tsh_strlist_has(&list, ""));
	assert_true(tsh_strlist_has(&list, "taken"));
	assert_false(tsh_strlist_has(&list, "take"));
	assert_false(tsh_strlist_has(&list, "abc"));
	tsh_strlist_release(&list);
	assert_null(list.v);
	assert_int_equal(list.n, 0);
	tsh_strlist_release(&list);
}

static void test_many_lines(void **state)
{
	struct tsh_strlist list = { 0 };
	size_t len = TSH_LINES_MAX + 10;
	char *text = tsh_xmalloc(len + 1);

	(void)state;
	memset(text, '\n', len);
	text[len] = '\0';
	tsh_strlist_split_lines(&list, text);
	assert_int_equal(list.n, TSH_LINES_MAX);
	tsh_strlist_release(&list);
	free(text);
}

static int compare_numbers(const void *a, const void *b)
{
	const struct item *x = a, *y = b;

	return (x->number > y->number) - (x->number < y->number);
}

static void test_sort(void **state)
{
	TSH_VEC(struct item) vec = { 0 };
	struct item key = { .number = 3 };

	(void)state;
	tsh_vec_sort(&vec, compare_numbers);
	assert_null(tsh_vec_find(&vec, &key, compare_numbers));
	tsh_vec_push(&vec)->number = 5;
	tsh_vec_push(&vec)->number = 3;
	tsh_vec_push(&vec)->number = 4;
	tsh_vec_sort(&vec, compare_numbers);
	assert_int_equal(vec.v[2].number, 5);
	assert_ptr_equal(tsh_vec_find(&vec, &key, compare_numbers), &vec.v[0]);
	key.number = 6;
	assert_null(tsh_vec_find(&vec, &key, compare_numbers));
	tsh_vec_release(&vec);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_push),
		cmocka_unit_test(test_push_scalars),
		cmocka_unit_test(test_split),
		cmocka_unit_test(test_split_appends),
		cmocka_unit_test(test_list),
		cmocka_unit_test(test_many_lines),
		cmocka_unit_test(test_sort),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
