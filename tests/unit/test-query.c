/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "query/query.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/strbuf.h"
#include "base/xmalloc.h"

/* ---- trees as text ---- */

static const char *const ops[] = {
	[TSH_QUERY_OR] = "||", [TSH_QUERY_AND] = "&&", [TSH_QUERY_NOT] = "!", [TSH_QUERY_EQ] = "==",
	[TSH_QUERY_NE] = "!=", [TSH_QUERY_LT] = "<", [TSH_QUERY_LE] = "<=", [TSH_QUERY_GT] = ">",
	[TSH_QUERY_GE] = ">=", [TSH_QUERY_GLOB] = "~", [TSH_QUERY_MATCH] = "=~",
	[TSH_QUERY_NO_MATCH] = "!~", [TSH_QUERY_BIT_OR] = "|", [TSH_QUERY_BIT_XOR] = "^",
	[TSH_QUERY_BIT_AND] = "&", [TSH_QUERY_SHL] = "<<", [TSH_QUERY_SHR] = ">>",
	[TSH_QUERY_ADD] = "+", [TSH_QUERY_SUB] = "-", [TSH_QUERY_MUL] = "*", [TSH_QUERY_DIV] = "/",
	[TSH_QUERY_MOD] = "%", [TSH_QUERY_NEG] = "neg", [TSH_QUERY_COMPL] = "compl",
};

static void show(const struct tsh_query_node *node, struct tsh_strbuf *out);

static void show_list(const char *head, const struct tsh_query_node *node, struct tsh_strbuf *out)
{
	size_t i;

	tsh_strbuf_addf(out, "(%s", head);
	for (i = 0; i < node->nargs; i++) {
		tsh_strbuf_addc(out, ' ');
		show(node->arg[i], out);
	}
	tsh_strbuf_addc(out, ')');
}

static void show_address(const struct tsh_query_address *address, struct tsh_strbuf *out)
{
	char text[64];

	inet_ntop(address->is_v6 ? AF_INET6 : AF_INET, address->bytes, text, sizeof(text));
	tsh_strbuf_addf(out, "%s/%u", text, address->bits);
}

static void show(const struct tsh_query_node *node, struct tsh_strbuf *out)
{
	static const char *const units[] = { "", "ns", "B" };

	switch (node->kind) {
	case TSH_QUERY_NUMBER:
		tsh_strbuf_addf(out, "%llu%s", (unsigned long long)node->number, units[node->unit]);
		break;
	case TSH_QUERY_STRING:
		tsh_strbuf_addf(out, "\"%s\"", node->text);
		break;
	case TSH_QUERY_NAME:
		tsh_strbuf_adds(out, node->text);
		break;
	case TSH_QUERY_CPUS:
		tsh_strbuf_adds(out, "CPUS{");
		tsh_cpuset_format_list(&node->cpus, out);
		tsh_strbuf_addc(out, '}');
		break;
	case TSH_QUERY_ADDRESS:
		show_address(&node->address, out);
		break;
	case TSH_QUERY_UNARY:
	case TSH_QUERY_BINARY:
		show_list(ops[node->op], node, out);
		break;
	case TSH_QUERY_INDEX:
		show_list("[]", node, out);
		break;
	case TSH_QUERY_FUNCTION:
		show_list(".function", node, out);
		break;
	case TSH_QUERY_USTRING:
		show_list(".ustring", node, out);
		break;
	case TSH_QUERY_RANGE:
		show_list("..", node, out);
		break;
	case TSH_QUERY_IN:
		show_list("in", node, out);
		break;
	}
}

/* Every part lies in its whole. */
static void check_spans(const struct tsh_query_node *node, size_t begin, size_t end)
{
	size_t i;

	assert_true(node->span.begin >= begin && node->span.begin < node->span.end &&
		    node->span.end <= end);
	for (i = 0; i < node->nargs; i++)
		check_spans(node->arg[i], node->span.begin, node->span.end);
}

/* ---- the table ---- */

static void check_text(const char *text, const char *want)
{
	struct tsh_strbuf got = TSH_STRBUF_INIT;
	struct tsh_err err = { 0 };
	/* behind it is nothing that may be read */
	char *copy = tsh_xmalloc(strlen(text) ? strlen(text) : 1);
	struct tsh_query_node *node;

	memcpy(copy, text, strlen(text));
	node = tsh_query_parse(copy, strlen(text), &err);
	free(copy);
	assert_int_equal(node == NULL, tsh_err_is_set(&err));
	if (node) {
		show(node, &got);
		check_spans(node, 0, strlen(text));
	} else {
		assert_int_equal(err.status, TSH_USAGE);
		tsh_strbuf_addf(&got, "%zu-%zu: %s", err.span.begin, err.span.end, err.message);
	}
	if (strcmp(got.buf, want) != 0)
		fail_msg("%s: '%s', not '%s'", text, got.buf, want);
	tsh_query_node_free(node);
	tsh_err_release(&err);
	tsh_strbuf_release(&got);
}

static void test_table(void **state)
{
	const char *source = getenv("SRC");
	char *path = tsh_xasprintf("%s/tests/unit/query-cases.txt", source ? source : ".");
	FILE *f = fopen(path, "r");
	char line[512];
	size_t n = 0;

	(void)state;
	assert_non_null(f);
	while (fgets(line, sizeof(line), f)) {
		char *tab = strrchr(line, '\t');

		line[strcspn(line, "\n")] = '\0';
		if (!tab || *line == '#')
			continue;
		*tab = '\0';
		check_text(line, tab + 1);
		n++;
	}
	(void)fclose(f);
	free(path);
	assert_true(n > 100);
}

/* ---- what is bounded ---- */

static void parse_repeated(const char *begin, const char *middle, const char *end, size_t n,
			   const char *message)
{
	struct tsh_strbuf text = TSH_STRBUF_INIT;
	struct tsh_err err = { 0 };
	struct tsh_query_node *node;
	size_t i;

	for (i = 0; i < n; i++)
		tsh_strbuf_adds(&text, begin);
	tsh_strbuf_adds(&text, middle);
	for (i = 0; i < n; i++)
		tsh_strbuf_adds(&text, end);
	node = tsh_query_parse(text.buf, text.len, &err);
	if (message)
		assert_string_equal(err.message, message);
	else
		assert_non_null(node);
	tsh_query_node_free(node);
	tsh_err_release(&err);
	tsh_strbuf_release(&text);
}

static void test_bounds(void **state)
{
	static const char deep[] = "this expression is too deep";

	(void)state;
	parse_repeated("(", "a", ")", 100, NULL);
	parse_repeated("(", "a", ")", 100000, deep);
	parse_repeated("!", "a", "", 100, NULL);
	parse_repeated("!", "a", "", 100000, deep);
	parse_repeated("- ", "a", "", 100000, deep);
	parse_repeated("a[", "1", "]", 100000, deep);
	parse_repeated("", "a", "[1]", 100000, deep);
	parse_repeated("a + ", "a", "", 100, NULL);
	parse_repeated("a + ", "a", "", 100000, deep);
	/* these are as deep as one */
	parse_repeated("a && ", "a", "", 9000, NULL);
	parse_repeated("a || b && ", "a", "", 2000, NULL);
	parse_repeated("a && ", "a", "", 100000, "this expression is too long");
	parse_repeated("1, ", "", "", 3, "this cannot stand here");
}

/* Any bytes at all: no crash, and what is refused is blamed inside the text. */
static void test_random(void **state)
{
	static const char *const pieces[] = {
		"a", "comm", " ", "1", "0x1f", "20ms", "\"x\"", "'", "==", "!=", "~", "=~", "!", "(", ")",
		"{", "}", "[", "]", "..", ",", "in", "&&", "||", "|", "&", "<<", "-", "+", "::1", "1.2.3.4",
		"/8", "CPUS{0-3}", "CPUS{", ".function", ".", "\xff", "\001", "99999999999999999999",
	};
	uint32_t seed = 7;
	unsigned int round, i;

	(void)state;
	for (round = 0; round < 20000; round++) {
		struct tsh_strbuf text = TSH_STRBUF_INIT;
		struct tsh_err err = { 0 };
		struct tsh_query_node *node;

		for (i = 0; i < 1 + round % 12; i++) {
			seed = seed * 1664525 + 1013904223;
			tsh_strbuf_adds(&text, pieces[(seed >> 8) %
						      (sizeof(pieces) / sizeof(pieces[0]))]);
		}
		node = tsh_query_parse(text.buf, text.len, &err);
		if (node)
			check_spans(node, 0, text.len);
		else if (!err.message || err.span.begin > err.span.end || err.span.end > text.len)
			fail_msg("%s: %zu-%zu", text.buf, err.span.begin, err.span.end);
		tsh_query_node_free(node);
		tsh_err_release(&err);
		tsh_strbuf_release(&text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_table),
		cmocka_unit_test(test_bounds),
		cmocka_unit_test(test_random),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
