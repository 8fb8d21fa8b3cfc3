/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Variables of a session, and how often their names are compared. */

static unsigned long compared;

static int compare_counted(const char *a, const char *b)
{
	compared++;
	return strcmp(a, b);
}

#undef strcmp
#define strcmp compare_counted
#include "shell/vars.c"
#undef strcmp

#define VARIABLES 4000u
/* Comparisons of one that is set, then asked for: those of a tree. */
#define COMPARED 100

static void set(struct tsh_engine *e, const char *name, const char *value)
{
	struct tsh_err err = { 0 };

	assert_int_equal(tsh_engine_set_var(e, name, value, &err), 0);
}

static void test_values(void **state)
{
	struct tsh_engine *e = tsh_xcalloc(1, sizeof(*e));
	struct tsh_variables copy;

	(void)state;
	assert_null(tsh_engine_get_var(e, "a"));
	set(e, "b", "2");
	set(e, "a", "1");
	set(e, "b", "three");
	assert_string_equal(tsh_engine_get_var(e, "a"), "1");
	assert_string_equal(tsh_engine_get_var(e, "b"), "three");
	assert_int_equal(e->vars.n, 2);
	assert_string_equal(e->vars.v[0]->name, "b");
	assert_int_equal(e->vars.bytes, strlen("b" "three" "a" "1"));
	/* the copy comes back as it was */
	tsh_engine_copy_vars(e, &copy);
	set(e, "c", "3");
	set(e, "a", "4");
	tsh_engine_release_vars(e);
	assert_null(tsh_engine_get_var(e, "a"));
	e->vars = copy;
	assert_string_equal(tsh_engine_get_var(e, "a"), "1");
	assert_null(tsh_engine_get_var(e, "c"));
	assert_int_equal(e->vars.bytes, strlen("b" "three" "a" "1"));
	tsh_engine_release_vars(e);
	free(e);
}

static void test_many(void **state)
{
	struct tsh_engine *e = tsh_xcalloc(1, sizeof(*e));
	char name[16];
	unsigned int i;

	(void)state;
	for (i = 0; i < VARIABLES; i++) {
		snprintf(name, sizeof(name), "v%u", i);
		set(e, name, name);
		assert_string_equal(tsh_engine_get_var(e, name), name);
	}
	assert_in_range(compared, VARIABLES, VARIABLES * COMPARED);
	tsh_engine_release_vars(e);
	free(e);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_values),
		cmocka_unit_test(test_many),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
