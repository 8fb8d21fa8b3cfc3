/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "lang/sql.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "base/strbuf.h"

/* Statements as structures, and what is wrong with others, and where. */

#define N(array) (sizeof(array) / sizeof((array)[0]))

static void add_name(struct tsh_strbuf *out, const char *before, const struct tsh_sql_name *name)
{
	if (name->text)
		tsh_strbuf_addf(out, "%s%s", before, name->text);
}

static void add_item(struct tsh_strbuf *out, const struct tsh_sql_item *item)
{
	static const char *const kinds[] = {
		[TSH_SQL_FIELD] = "field", [TSH_SQL_ADD] = "add", [TSH_SQL_SUBTRACT] = "subtract",
		[TSH_SQL_CAST] = "cast",   [TSH_SQL_VALUE] = "value", [TSH_SQL_COUNT] = "count",
		[TSH_SQL_ALL] = "all",
	};

	tsh_strbuf_addf(out, "[%s", kinds[item->kind]);
	add_name(out, " ", &item->a);
	add_name(out, " ", &item->b);
	add_name(out, " ", &item->word);
	add_name(out, " = ", &item->label);
	tsh_strbuf_addc(out, ']');
}

/* All of a statement in one line. */
static char *show(const struct tsh_sql *sql)
{
	struct tsh_strbuf out = TSH_STRBUF_INIT;
	size_t i;

	for (i = 0; i < sql->items.n; i++)
		add_item(&out, &sql->items.v[i]);
	add_name(&out, " from ", &sql->from);
	add_name(&out, "=", &sql->from_alias);
	add_name(&out, " join ", &sql->join);
	add_name(&out, "=", &sql->join_alias);
	for (i = 0; i < sql->on.n; i++)
		tsh_strbuf_addf(&out, " (%s %s)", sql->on.v[i].a.text, sql->on.v[i].b.text);
	for (i = 0; i < sql->where.n; i++)
		tsh_strbuf_addf(&out, "%s%s", i ? " " : " where ", sql->where.v[i].text);
	for (i = 0; i < sql->group.n; i++)
		add_name(&out, i ? "," : " group ", &sql->group.v[i]);
	if (sql->limit)
		tsh_strbuf_addf(&out, " limit %llu", (unsigned long long)sql->limit);
	return tsh_strbuf_detach(&out);
}

static const struct {
	const char *text, *shown;
} good[] = {
	{ "select a from e", "[field a] from e" },
	{ " SELECT\ta\nFROM e ; ", "[field a] from e" },
	{ "select a as x, b y from s.e as z", "[field a = x][field b = y] from s.e=z" },
	{ "select * from s:e limit 0x10", "[all] from s:e limit 16" },
	{ "select (a - b) as d, a+b from e", "[subtract a b = d][add a b] from e" },
	{ "select (a) from e", "[field a] from e" },
	{ "select cast(a as LOG2), Cast(b as sym-offset) x from e",
	  "[cast a log2][cast b sym-offset = x] from e" },
	{ "select cast(a as Buckets=64) from e", "[cast a buckets=64] from e" },
	{ "select count(*), SUM(a), avg(b) m from e group by c, d",
	  "[count][value a sum][value b avg = m] from e group c,d" },
	{ "select cast, sum, by from count", "[field cast][field sum][field by] from count" },
	{ "select \\from from e where \\select = 1", "[field from] from e where select == 1" },
	{ "select s.a from x s join y e on s.p = e.q, s.c == e.c and s.d=e.d",
	  "[field s.a] from x=s join y=e (s.p e.q) (s.c e.c) (s.d e.d)" },
	{ "select a from e where a = 'x y' and not (b <> 3 or c & 0x3) && d ~ \"*z'\"",
	  "[field a] from e where a == \"x y\" && ! ( b != 3 || c & 0x3 ) && d ~ \"*z'\"" },
	{ "select a from e where a == 'say \"x\"' limit 3",
	  "[field a] from e where a == 'say \"x\"' limit 3" },
	{ "select a from e where a = 1, b = 2", "[field a] from e where a == 1 && b == 2" },
	{ "select a from e where a > -5", "[field a] from e where a > - 5" },
};

static void test_good(void **state)
{
	size_t i;

	(void)state;
	for (i = 0; i < N(good); i++) {
		struct tsh_err err = { 0 };
		struct tsh_sql sql;
		char *shown;

		assert_int_equal(tsh_sql_parse(good[i].text, &sql, &err), 0);
		shown = show(&sql);
		assert_string_equal(shown, good[i].shown);
		free(shown);
		tsh_sql_release(&sql);
	}
}

/* What is marked in a text that is refused. */
static const struct {
	const char *text, *marked, *message;
} bad[] = {
	{ "", "", "expected SELECT" },
	{ "update e", "update", "expected SELECT" },
	{ "select", "t", "expected a field" },
	{ "select from e", "from", "expected a field" },
	{ "select a, from e", "from", "expected a field" },
	{ "select a b c from e", "c", "expected ',' or FROM" },
	{ "select a from", "m", "expected an event" },
	{ "select a from e as", "s", "expected the name behind AS" },
	{ "select a from e join f", "f", "expected ON" },
	{ "select a from e join f on a", "a", "expected '='" },
	{ "select a from e join f on a > b", ">", "expected '='" },
	{ "select a from e join f on a = 3", "3", "expected a field" },
	{ "select a from e where", "e", "expected a condition" },
	{ "select a from e where b = 1 and", "d", "expected a condition" },
	{ "select a from e where b = 1 || not", "t", "expected a condition" },
	{ "select a, count(*) from e where b = 1, group by a", "group", "expected a condition" },
	{ "select a from e where a = 'x", "'x", "a quote that nothing closes" },
	{ "select (a - b as d from e", "as", "expected ')'" },
	{ "select a * b from e", "*", "expected ',' or FROM" },
	{ "select cast(a) from e", ")", "expected AS and a type" },
	{ "select cast(a as buckets=b) from e", "b", "expected a number" },
	{ "select cast(a as sym-3) from e", "3", "expected a type" },
	{ "select count(a) from e", "a", "expected *" },
	{ "select a from e group a", "a", "expected BY" },
	{ "select a from e limit 0", "0", "expected a number of rows" },
	{ "select a from e limit 1 2", "2", "expected JOIN" },
	{ "select a from e; select b from f", "select", "expected JOIN" },
	{ "select a from e -n 3", "-n", "an option behind SELECT" },
	{ "select a from e where b > 5 --for 1s", "--for", "an option behind SELECT" },
	{ "select a from e order by a", "order", "there is no ORDER BY" },
	{ "select a from e where b = 1 ORDER BY a", "ORDER", "there is no ORDER BY" },
	{ "select a from e where b LIKE 'x%'", "LIKE", "there is no LIKE" },
	{ "'select a from e' -n 3", "'select a from e'", "nothing may follow" },
};

static void test_bad(void **state)
{
	size_t i;

	(void)state;
	for (i = 0; i < N(bad); i++) {
		struct tsh_err err = { 0 };
		struct tsh_sql sql;
		size_t len;

		assert_int_equal(tsh_sql_parse(bad[i].text, &sql, &err), -1);
		assert_int_equal(err.status, TSH_USAGE);
		assert_memory_equal(err.message, bad[i].message, strlen(bad[i].message));
		len = err.span.end - err.span.begin;
		assert_int_equal(len, strlen(bad[i].marked));
		assert_memory_equal(bad[i].text + err.span.begin, bad[i].marked, len);
		tsh_err_release(&err);
	}
}

/* Parses it, and if it is refused says so with a place inside of the text. Returns whether it was taken. */
static bool is_taken(const char *text)
{
	struct tsh_err err = { 0 };
	struct tsh_sql sql;
	int r = tsh_sql_parse(text, &sql, &err);

	if (r >= 0) {
		assert_null(err.message);
		tsh_sql_release(&sql);
		return true;
	}
	assert_non_null(err.message);
	assert_int_not_equal(err.status, TSH_OK);
	assert_true(err.span.begin <= err.span.end && err.span.end <= strlen(text) + 1);
	tsh_err_release(&err);
	return false;
}

/* Cut off anywhere, and with any byte in any place, it is read to its end and no further. */
static void test_damaged(void **state)
{
	size_t i, at, taken = 0;

	(void)state;
	for (i = 0; i < N(good); i++) {
		for (at = 0; good[i].text[at]; at++) {
			char *text = tsh_xstrndup(good[i].text, at);
			int c;

			if (is_taken(text))
				taken++;
			free(text);
			for (c = 1; c < 256; c += 3) {
				text = tsh_xstrdup(good[i].text);
				text[at] = (char)c;
				if (is_taken(text))
					taken++;
				free(text);
			}
		}
	}
	/* names with another letter */
	assert_true(taken > N(good));
	assert_false(is_taken(""));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_good),
		cmocka_unit_test(test_bad),
		cmocka_unit_test(test_damaged),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
