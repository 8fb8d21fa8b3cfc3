/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "lang/contradiction.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/strbuf.h"
#include "base/xmalloc.h"

static char *no_task(void *ctx, const struct tsh_comparison *c)
{
	(void)ctx;
	if (strcmp(c->field, "next_pid") || c->op != TSH_COMPARE_EQ || c->number != 999)
		return NULL;
	return tsh_xstrdup("no such task");
}

static void range(void *ctx, const char *field, int64_t *lowest, int64_t *highest)
{
	(void)ctx;
	if (!strcmp(field, "pid"))
		*lowest = 0;
	if (!strcmp(field, "prio"))
		*highest = 255;
}

static const struct tsh_contradiction_facts facts = { .why_never = no_task, .range = range };

static void test_never(void **state)
{
	static const struct {
		const char *filter;
		const char *why;	/* NULL: it can be true */
	} cases[] = {
		{ "pid == 1", NULL },
		{ "pid < 0", "'pid < 0' is never true" },
		{ "pid<0", "'pid < 0' is never true" },
		{ "!(pid >= 0)", "'pid < 0' is never true" },
		{ "!!(pid >= 0)", NULL },
		{ "pid <= 0", NULL },
		{ "pid == -1", "'pid == -1' is never true" },
		{ "pid != -1", NULL },
		{ "x == -1", NULL },
		{ "prio > 0xff", "'prio > 0xff' is never true" },
		{ "prio >= 0xff", NULL },
		{ "x == 1 && x == 2", "'x == 1' and 'x == 2' are never true at once" },
		{ "x == 1 || x == 2", NULL },
		{ "x == 1 && y == 2", NULL },
		{ "x > 5 && x < 5", "'x > 5' and 'x < 5' are never true at once" },
		{ "x >= 5 && x <= 5", NULL },
		{ "x == 5 && x != 5", "'x == 5' and 'x != 5' are never true at once" },
		{ "x == 5 && x != 6", NULL },
		{ "x & 5 && x == 4", NULL },
		{ "x & 4 && !(x & 4)", "'x & 4' and 'x !& 4' are never true at once" },
		{ "x == 9223372036854775807 && x == 1", NULL },
		{ "a == \"x\" && a == \"y\"",
		  "'a == \"x\"' and 'a == \"y\"' are never true at once" },
		{ "a == 'x' && a == \"x\"", NULL },
		{ "a == \"x\" && a != \"x\"",
		  "'a == \"x\"' and 'a != \"x\"' are never true at once" },
		{ "a ~ \"x*\" && a ~ \"*y\"", NULL },
		{ "a ~ \"x*\" && !(a ~ \"x*\")",
		  "'a ~ \"x*\"' and 'a !~ \"x*\"' are never true at once" },
		{ "a == \"||\" && x == 1", NULL },
		{ "a == 'it\"s' && a == \"b\"",
		  "'a == 'it\"s'' and 'a == \"b\"' are never true at once" },
		/* every alternative has to be impossible, and the first one is told */
		{ "pid < 0 || x == 1", NULL },
		{ "pid < 0 || pid == -5", "'pid < 0' is never true" },
		{ "x == 1 && (pid < 0 || x == 2)", "'pid < 0' is never true" },
		{ "x == 1 && (pid < 0 || x == 1)", NULL },
		{ "!(x == 1 || x == 2) && x == 1",
		  "'x == 1' and 'x != 1' are never true at once" },
		{ "!(x == 1 && x == 2)", NULL },
		{ "x == 1 && y == 2 && x == 3", "'x == 1' and 'x == 3' are never true at once" },
		{ "(((pid < 0)))", "'pid < 0' is never true" },
		{ "next_pid == 999", "'next_pid == 999': no such task" },
		{ "next_pid == 999 || pid == 999", NULL },
		{ "next_pid != 999", NULL },
		/* what the kernel has of its own */
		{ "cpu & CPUS{0-3}", NULL },
		{ "s.ustring ~ \"*a\" && pid < 0", "'pid < 0' is never true" },
		{ "f.function == schedule", NULL },
		/* no filters: somebody else's to judge */
		{ "", NULL },
		{ "pid <", NULL },
		{ "pid < 0 &&", NULL },
		{ "(pid < 0", NULL },
		{ "pid < 0)", NULL },
		{ "pid < 0 x", NULL },
		{ "a == \"open && pid < 0", NULL },
		{ "== 1", NULL },
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char *why = tsh_contradiction(cases[i].filter, &facts);

		if (!cases[i].why != !why || (why && strcmp(why, cases[i].why)))
			print_error("%s: %s\n", cases[i].filter, why ? why : "can be true");
		if (cases[i].why) {
			assert_non_null(why);
			assert_string_equal(why, cases[i].why);
		} else {
			assert_null(why);
		}
		free(why);
	}
}

/* More than it wants to look through: it says nothing, in short time. */
static void test_limits(void **state)
{
	struct tsh_strbuf text = TSH_STRBUF_INIT;
	size_t i;

	(void)state;
	for (i = 0; i < 12; i++)
		tsh_strbuf_addf(&text, "%s(x == %zu || y == %zu)", i ? " && " : "", i, i);
	assert_null(tsh_contradiction(text.buf, &facts));
	tsh_strbuf_clear(&text);
	for (i = 0; i < 40; i++)
		tsh_strbuf_addf(&text, "%spid < 0", i ? " && " : "");
	assert_null(tsh_contradiction(text.buf, &facts));
	tsh_strbuf_clear(&text);
	tsh_strbuf_addn(&text, '(', 5000);
	assert_null(tsh_contradiction(text.buf, &facts));
	tsh_strbuf_release(&text);
}

/* Whatever stands there, it comes to an end, and what it says is text. */
static void test_nonsense(void **state)
{
	static const char *const pieces[] = {
		"pid", "x", " ", "&&", "||", "!", "(", ")", "==", "!=", "<", ">=", "~", "&", "\"",
		"'", "0", "-1", "999999999999999999999", "0x", "CPUS{", "}", ".", "a*", "\\",
	};
	uint32_t seed = 1;
	size_t i, k;

	(void)state;
	for (i = 0; i < 20000; i++) {
		struct tsh_strbuf text = TSH_STRBUF_INIT;
		char *why;

		for (k = 0; k < 1 + i % 24; k++) {
			seed = seed * 1664525 + 1013904223;
			tsh_strbuf_adds(&text, pieces[(seed >> 16) % (sizeof(pieces) /
								      sizeof(pieces[0]))]);
		}
		why = tsh_contradiction(text.buf, &facts);
		assert_true(!why || *why);
		free(why);
		tsh_strbuf_release(&text);
	}
}

/* Without facts only what contradicts itself. */
static void test_no_facts(void **state)
{
	static const struct tsh_contradiction_facts none = { 0 };
	char *why;

	(void)state;
	assert_null(tsh_contradiction("pid < 0", &none));
	why = tsh_contradiction("pid < 0 && pid > 0", &none);
	assert_non_null(why);
	free(why);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_never), cmocka_unit_test(test_limits),
		cmocka_unit_test(test_no_facts), cmocka_unit_test(test_nonsense),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
