/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "session/alias.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <string.h>

static void expect_meaning(const struct tsh_aliases *list, const char *name, const char *want)
{
	/* behind it stands what is not part of the name */
	char text[64];
	const char *got;

	snprintf(text, sizeof(text), "%s more", name);
	got = tsh_alias_find(list, text, strlen(name));
	if (!want)
		assert_null(got);
	else
		assert_string_equal(got, want);
}

static void expect_names(const struct tsh_aliases *list, const char *want)
{
	char names[256] = "";
	size_t i;

	for (i = 0; i < list->n; i++)
		snprintf(names + strlen(names), sizeof(names) - strlen(names), "%s%s", i ? " " : "",
			 list->v[i].name);
	assert_string_equal(names, want);
}

/* Names that are others' beginnings, set in any order. */
static void test_order(void **state)
{
	static const char *const names[] = { "ll", "l", "lll", "a", "z", "lk", "lm", "" };
	struct tsh_aliases list = { 0 };
	size_t i;

	(void)state;
	for (i = 0; *names[i]; i++)
		tsh_alias_set(&list, names[i], names[i]);
	expect_names(&list, "a l lk ll lll lm z");
	for (i = 0; *names[i]; i++)
		expect_meaning(&list, names[i], names[i]);
	expect_meaning(&list, "", NULL);
	expect_meaning(&list, "llll", NULL);
	expect_meaning(&list, "L", NULL);
	tsh_alias_release(&list);
}

static void test_set_again(void **state)
{
	struct tsh_aliases list = { 0 };

	(void)state;
	tsh_alias_set(&list, "ll", "events --on");
	tsh_alias_set(&list, "ll", "events");
	expect_names(&list, "ll");
	expect_meaning(&list, "ll", "events");
	/* of its own text */
	tsh_alias_set(&list, "ll", tsh_alias_find(&list, "ll", 2));
	expect_meaning(&list, "ll", "events");
	tsh_alias_release(&list);
}

static void test_remove(void **state)
{
	struct tsh_aliases list = { 0 };

	(void)state;
	assert_false(tsh_alias_remove(&list, "ll"));
	tsh_alias_set(&list, "a", "1");
	tsh_alias_set(&list, "b", "2");
	tsh_alias_set(&list, "c", "3");
	assert_false(tsh_alias_remove(&list, "bb"));
	assert_false(tsh_alias_remove(&list, ""));
	assert_true(tsh_alias_remove(&list, "b"));
	assert_false(tsh_alias_remove(&list, "b"));
	expect_names(&list, "a c");
	assert_true(tsh_alias_remove(&list, "a"));
	assert_true(tsh_alias_remove(&list, "c"));
	expect_names(&list, "");
	tsh_alias_release(&list);
}

static void test_copy(void **state)
{
	struct tsh_aliases list = { 0 }, copy = { 0 };

	(void)state;
	tsh_alias_copy(&list, &copy);
	expect_names(&copy, "");
	tsh_alias_set(&list, "a", "1");
	tsh_alias_set(&list, "b", "2");
	tsh_alias_copy(&list, &copy);
	tsh_alias_set(&list, "a", "changed");
	tsh_alias_remove(&list, "b");
	expect_names(&copy, "a b");
	expect_meaning(&copy, "a", "1");
	tsh_alias_release(&list);
	tsh_alias_release(&copy);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_order),
		cmocka_unit_test(test_set_again),
		cmocka_unit_test(test_remove),
		cmocka_unit_test(test_copy),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
