/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tracesh/lexer.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tracesh/strbuf.h"
#include "tracesh/xmalloc.h"

#define N(array) (sizeof(array) / sizeof((array)[0]))

static const char *get_var(void *ctx, const char *name)
{
	static const struct {
		const char *name;
		const char *value;
	} vars[] = {
		{ "1", "first arg" }, { "2", "2" },	{ "10", "tenth" },
		{ "#", "2" },	      { "?", "0" },	{ "x", "5" },
		{ "a_b", "two words" }, { "empty", "" },  { "cond", "prev_pid == 5" },
		{ "odd", "'|;#\"$1" },
	};
	size_t i;

	(void)ctx;
	for (i = 0; i < N(vars); i++) {
		if (!strcmp(vars[i].name, name))
			return vars[i].value;
	}
	return NULL;
}

static const struct tsh_vars vars = { .get = get_var };

/* What the table shows of a text. */
static void add_shown(struct tsh_strbuf *out, const char *text, size_t len)
{
	for (; len; len--, text++) {
		if (*text == '\n')
			tsh_strbuf_adds(out, "\\n");
		else if (*text == '\t')
			tsh_strbuf_adds(out, "\\t");
		else
			tsh_strbuf_addc(out, *text);
	}
}

static void check_word(const struct tsh_lexer *lx, const struct tsh_word *word)
{
	size_t i;

	assert_non_null(word->text);
	assert_int_equal(word->text[word->len], 0);
	assert_true(word->span.begin <= word->span.end && word->span.end <= lx->len);
	for (i = 0; i <= word->len; i++) {
		assert_true(word->from[i] >= word->span.begin && word->from[i] <= word->span.end);
		assert_true(!i || word->from[i] >= word->from[i - 1]);
	}
}

static void show_word(struct tsh_strbuf *out, const char *brackets, struct tsh_word *word)
{
	tsh_strbuf_addc(out, brackets[0]);
	add_shown(out, word->text, word->len);
	tsh_strbuf_addc(out, brackets[1]);
	tsh_word_release(word);
}

/* [word] {quoted word} up to the end of the command, |[program]; or -1. */
static int show_words(struct tsh_lexer *lx, struct tsh_strbuf *out, size_t most,
		      struct tsh_err *err)
{
	struct tsh_word word;
	int token;

	while (most--) {
		token = tsh_lexer_word(lx, &word, err);
		if (token < 0)
			return -1;
		if (token == TSH_TOKEN_END)
			return 0;
		if (token == TSH_TOKEN_PIPE && tsh_lexer_pipe(lx, &word, err) < 0)
			return -1;
		if (out->len)
			tsh_strbuf_addc(out, ' ');
		if (token == TSH_TOKEN_PIPE) {
			check_word(lx, &word);
			tsh_strbuf_addc(out, '|');
			show_word(out, "[]", &word);
			return 0;
		}
		check_word(lx, &word);
		show_word(out, word.quoted ? "{}" : "[]", &word);
	}
	return 0;
}

/* One command: a word, what `kind` reads, and the words behind it. */
static int show_command(struct tsh_lexer *lx, const char *kind, struct tsh_strbuf *out,
			struct tsh_err *err)
{
	static const char *const stops[] = { "where", "fields", "--", NULL };
	static const char *const try_stops[] = { "else", NULL };
	struct tsh_word word;
	int ret = 0;

	if (!strcmp(kind, "words"))
		return show_words(lx, out, SIZE_MAX, err);
	if (show_words(lx, out, 1, err) < 0)
		return -1;
	if (!strcmp(kind, "expr"))
		ret = tsh_lexer_expression(lx, stops, &word, err);
	else if (!strcmp(kind, "text"))
		ret = tsh_lexer_text(lx, NULL, &word, err);
	else if (!strcmp(kind, "statement"))
		ret = tsh_lexer_statement(lx, try_stops, &word, err);
	else
		fail_msg("no reader '%s'", kind);
	if (ret < 0)
		return -1;
	check_word(lx, &word);
	tsh_strbuf_addc(out, ' ');
	show_word(out, "<>", &word);
	return show_words(lx, out, SIZE_MAX, err);
}

static char *show(const char *kind, const char *text, size_t len)
{
	struct tsh_strbuf out = TSH_STRBUF_INIT;
	struct tsh_lexer lx;

	if (!strcmp(kind, "unfinished"))
		{
		char open = tsh_lexer_unfinished(text, len);

		return open ? tsh_xasprintf("%c", open) : tsh_xstrdup("no");
	}
	tsh_lexer_init(&lx, text, len, &vars);
	if (!strcmp(kind, "background")) {
		size_t end = len;

		tsh_lexer_next_command(&lx);
		if (!tsh_lexer_is_background(&lx, &end))
			return tsh_xstrdup("no");
		return tsh_xasprintf("yes %zu", end);
	}
	while (tsh_lexer_next_command(&lx)) {
		struct tsh_err err = { 0 };

		if (out.len)
			tsh_strbuf_adds(&out, " ;");
		if (show_command(&lx, kind, &out, &err) < 0) {
			assert_int_equal(err.status, TSH_USAGE);
			tsh_strbuf_addf(&out, "%s! %s @%zu-%zu", out.len ? " " : "", err.message,
					err.span.begin, err.span.end);
			tsh_lexer_skip_command(&lx);
		}
		tsh_err_release(&err);
	}
	return tsh_strbuf_detach(&out);
}

static FILE *open_table(const char *name)
{
	const char *src = getenv("SRC");
	char *path = tsh_xasprintf("%s/tests/unit/%s", src ? src : ".", name);
	FILE *f = fopen(path, "re");

	if (!f)
		fail_msg("no %s", path);
	free(path);
	return f;
}

/*
 * tests/unit/lexer-cases.txt: "in: " lines are the source text, the line behind
 * them is "READER: " and what is read.
 */
static void test_table(void **state)
{
	FILE *f = open_table("lexer-cases.txt");
	struct tsh_strbuf in = TSH_STRBUF_INIT;
	unsigned int n = 0, bad = 0, number = 0;
	char *line = NULL, *got, *want;
	size_t cap = 0;
	ssize_t len;
	bool more = false;

	(void)state;
	while ((len = getline(&line, &cap, f)) > 0) {
		number++;
		if (line[len - 1] == '\n')
			line[len - 1] = '\0';
		want = *line == '#' ? NULL : strchr(line, ':');
		if (!want)
			continue;
		*want++ = '\0';
		want += *want == ' ';
		if (!strcmp(line, "in")) {
			if (more)
				tsh_strbuf_addc(&in, '\n');
			tsh_strbuf_adds(&in, want);
			more = true;
			continue;
		}
		got = show(line, in.buf, in.len);
		if (strcmp(got, want) != 0) {
			print_error("line %u: %s\n    want %s\n    got  %s\n", number, in.buf,
				    want, got);
			bad++;
		}
		n++;
		free(got);
		tsh_strbuf_clear(&in);
		more = false;
	}
	free(line);
	tsh_strbuf_release(&in);
	fclose(f);
	assert_true(n >= 80);
	assert_int_equal(bad, 0);
}

/* Bytes that the table cannot show. */
static void test_odd_bytes(void **state)
{
	static const struct {
		const char *kind;
		const char *in;
		size_t len;
		const char *want;
	} rows[] = {
		{ "words", "", 0, "" },
		{ "words", " \t\r\n", 4, "" },
		{ "words", "on\r\noff\r\n", 9, "[on] ; [off]" },
		{ "words", "a \\\r\n b\n", 8, "[a] [b]" },
		{ "words", "a\tb", 3, "[a] [b]" },
		{ "words", "'a\tb'", 5, "{a\\tb}" },
		{ "words", "'a\nb'", 5, "{a\\nb}" },
		{ "words", "\\", 1, "[\\]" },
		{ "words", "a \\", 3, "[a] [\\]" },
		{ "words", "a|wc\r\nb", 7, "[a] |[wc] ; [b]" },
		{ "expr", "f x == 1\t \r\n", 12, "[f] <x == 1>" },
		{ "expr", "f x\t==\t1", 8, "[f] <x\\t==\\t1>" },
		{ "unfinished", "a \\", 3, "\\" },
		{ "unfinished", "a \\\n", 4, "\\" },
		{ "unfinished", "a \\\nb", 5, "no" },
		{ "unfinished", "a | b \\\n", 8, "\\" },
		{ "unfinished", "a | b 'c\n", 9, "no" },
		{ "unfinished", "a\nb 'c\n", 7, "'" },
		{ "unfinished", "# it's \\\n", 9, "no" },
		{ "unfinished", "a 'x\\'", 6, "no" },
		{ "unfinished", "", 0, "no" },
	};
	size_t i;

	(void)state;
	for (i = 0; i < N(rows); i++) {
		char *got = show(rows[i].kind, rows[i].in, rows[i].len);

		assert_string_equal(got, rows[i].want);
		free(got);
	}
}

static void test_nul(void **state)
{
	struct tsh_err err = { 0 };
	struct tsh_word word;
	struct tsh_lexer lx;

	(void)state;
	tsh_lexer_init(&lx, "a\0b c", 5, NULL);
	assert_int_equal(tsh_lexer_word(&lx, &word, &err), TSH_TOKEN_WORD);
	assert_int_equal(word.len, 3);
	assert_memory_equal(word.text, "a\0b", 4);
	tsh_word_release(&word);
	assert_null(word.text);
	assert_int_equal(tsh_lexer_word(&lx, NULL, &err), TSH_TOKEN_WORD);
	assert_int_equal(tsh_lexer_word(&lx, &word, &err), TSH_TOKEN_END);
	assert_null(word.text);
}

static void assert_span(struct tsh_span span, size_t begin, size_t end)
{
	assert_int_equal(span.begin, begin);
	assert_int_equal(span.end, end);
}

/* Where the bytes of a word came from. */
static void test_places(void **state)
{
	static const char text[] = "f a${a_b}\"c$1\"'d' if prev_pid == ${x}0 # z";
	static const size_t from[] = { 2, 3, 3, 3, 3, 3, 3, 3, 3, 3, 10, 11, 11, 11,
				       11, 11, 11, 11, 11, 11, 15, 16 };
	struct tsh_err err = { 0 };
	struct tsh_word word;
	struct tsh_lexer lx;
	size_t i;

	(void)state;
	tsh_lexer_init(&lx, text, strlen(text), &vars);
	assert_int_equal(tsh_lexer_word(&lx, NULL, &err), TSH_TOKEN_WORD);
	assert_int_equal(tsh_lexer_word(&lx, &word, &err), TSH_TOKEN_WORD);
	assert_string_equal(word.text, "atwo wordscfirst argd");
	assert_int_equal(word.len + 1, N(from));
	for (i = 0; i < N(from); i++)
		assert_int_equal(word.from[i], from[i]);
	assert_span(word.span, 2, 17);
	assert_span(tsh_word_span(&word, 0, 1), 2, 3);
	/* a piece of a value is the whole variable */
	assert_span(tsh_word_span(&word, 4, 6), 3, 10);
	assert_span(tsh_word_span(&word, 20, 21), 15, 16);
	assert_span(tsh_word_span(&word, 0, 99), 2, 16);
	assert_span(tsh_word_span(&word, 21, 21), 16, 16);
	tsh_word_release(&word);

	assert_span(tsh_lexer_peek(&lx), 18, 20);
	assert_int_equal(tsh_lexer_word(&lx, NULL, &err), TSH_TOKEN_WORD);
	assert_int_equal(tsh_lexer_expression(&lx, NULL, &word, &err), 0);
	assert_string_equal(word.text, "prev_pid == 50");
	assert_span(word.span, 21, 38);
	assert_span(tsh_word_span(&word, 0, 8), 21, 29);
	assert_span(tsh_word_span(&word, 12, 13), 33, 37);
	assert_span(tsh_word_span(&word, 13, 14), 37, 38);
	assert_int_equal(word.from[word.len], 38);
	tsh_word_release(&word);
}

/* The outer quotes go, and the places with them. */
static void test_unquoted_places(void **state)
{
	static const char text[] = "f  'a == \"b\"'  | wc";
	struct tsh_err err = { 0 };
	struct tsh_word word;
	struct tsh_lexer lx;

	(void)state;
	tsh_lexer_init(&lx, text, strlen(text), NULL);
	assert_int_equal(tsh_lexer_word(&lx, NULL, &err), TSH_TOKEN_WORD);
	assert_int_equal(tsh_lexer_expression(&lx, NULL, &word, &err), 0);
	assert_string_equal(word.text, "a == \"b\"");
	assert_span(word.span, 3, 13);
	assert_span(tsh_word_span(&word, 0, word.len), 4, 12);
	assert_true(word.quoted);
	tsh_word_release(&word);
	assert_int_equal(tsh_lexer_word(&lx, &word, &err), TSH_TOKEN_PIPE);
}

static void test_peek(void **state)
{
	static const struct {
		const char *text;
		const char *want;
	} rows[] = {
		{ "abc def", "abc" },	{ "  \\\n abc", "abc" }, { "'abc'", "" },
		{ "a'bc'", "" },	{ "a$1", "" },		{ "${x}", "" },
		{ "$retval", "$retval" }, { "| wc", "" },	{ "a||b", "a||b" },
		{ "a|b", "a" },		{ "# abc", "" },	{ "", "" },
		{ "if;", "if" },	{ "--", "--" },
	};
	struct tsh_lexer lx;
	struct tsh_span span;
	size_t i;

	(void)state;
	for (i = 0; i < N(rows); i++) {
		tsh_lexer_init(&lx, rows[i].text, strlen(rows[i].text), &vars);
		span = tsh_lexer_peek(&lx);
		assert_int_equal(lx.pos, 0);
		assert_int_equal(span.end - span.begin, strlen(rows[i].want));
		assert_memory_equal(rows[i].text + span.begin, rows[i].want, strlen(rows[i].want));
	}
}

static void test_hints(void **state)
{
	struct tsh_err err = { 0 };
	struct tsh_lexer lx;

	(void)state;
	tsh_lexer_init(&lx, "${none}", 7, &vars);
	assert_int_equal(tsh_lexer_word(&lx, NULL, &err), -1);
	assert_string_equal(err.hint, "set it: let none = VALUE");
	/* it stands before the word that it refused */
	assert_int_equal(lx.pos, 0);
	tsh_err_release(&err);
	tsh_lexer_init(&lx, "$1", 2, NULL);
	assert_int_equal(tsh_lexer_word(&lx, NULL, &err), -1);
	assert_string_equal(err.message, "no argument $1");
	tsh_err_release(&err);
}

static void test_quote(void **state)
{
	static const struct {
		const char *word;
		const char *want;
	} rows[] = {
		{ "", "''" },		{ "abc", "abc" },	{ "a b", "'a b'" },
		{ "sched:*", "sched:*" }, { "#", "'#'" },	{ "a#b", "a#b" },
		{ "a;b", "'a;b'" },	{ "a|b", "'a|b'" },	{ "||", "||" },
		{ "|||", "'|||'" },	{ "&&", "&&" },		{ "-n", "-n" },
		{ "it's", "\"it's\"" },	{ "'\"", "\"'\"'\"'" }, { "$retval", "$retval" },
		{ "$1", "'$1'" },	{ "$", "$" },		{ "${x}", "'${x}'" },
		{ "a'$1", "'a'\"'\"'$1'" }, { "a\\", "'a\\'" },	{ "a\\b", "a\\b" },
		{ "a\nb", "'a\nb'" },	{ "comm ~ \"a*\"", "'comm ~ \"a*\"'" },
	};
	struct tsh_strbuf out = TSH_STRBUF_INIT;
	size_t i;

	(void)state;
	for (i = 0; i < N(rows); i++) {
		tsh_strbuf_clear(&out);
		tsh_lexer_quote(&out, rows[i].word);
		assert_string_equal(out.buf, rows[i].want);
	}
	tsh_strbuf_release(&out);
}

static void test_place_of(void **state)
{
	static const struct {
		const char *text;
		size_t offset;
		struct tsh_place want;
	} rows[] = {
		{ "", 0, { 1, 1, { 0, 0 } } },		{ "", 7, { 1, 1, { 0, 0 } } },
		{ "abc", 2, { 1, 3, { 0, 3 } } },	{ "abc", 3, { 1, 4, { 0, 3 } } },
		{ "abc\nde", 3, { 1, 4, { 0, 3 } } },	{ "abc\nde", 4, { 2, 1, { 4, 6 } } },
		{ "abc\nde\n", 6, { 2, 3, { 4, 6 } } },	{ "abc\nde\n", 7, { 3, 1, { 7, 7 } } },
		{ "\n\nx", 2, { 3, 1, { 2, 3 } } },
	};
	size_t i;

	(void)state;
	for (i = 0; i < N(rows); i++) {
		struct tsh_place got = tsh_place_of(rows[i].text, strlen(rows[i].text),
						    rows[i].offset);

		assert_int_equal(got.line, rows[i].want.line);
		assert_int_equal(got.column, rows[i].want.column);
		assert_span(got.text, rows[i].want.text.begin, rows[i].want.text.end);
	}
}

static uint32_t seed;

/* The same numbers in every run. */
static uint32_t next_random(uint32_t below)
{
	seed = seed * 1664525 + 1013904223;
	return (seed >> 8) % below;
}

static size_t make_random(char *text, size_t most)
{
	static const char bytes[] = "  \t\r\n\n;;##||||$$${}12?x'\"\"\\\\()ab-=&~!else where--";
	size_t len = next_random((uint32_t)most + 1), i;

	for (i = 0; i < len; i++) {
		if (next_random(20))
			text[i] = bytes[next_random(sizeof(bytes) - 1)];
		else
			text[i] = (char)next_random(256);
	}
	return len;
}

/* Reads one command, whatever it is; the lexer must get on. */
static void read_random(struct tsh_lexer *lx)
{
	static const char *const stops[] = { "where", "else", "--", NULL };
	struct tsh_err err = { 0 };
	struct tsh_word word = { 0 };
	size_t before = lx->pos;
	int ret = 0;

	switch (next_random(5)) {
	case 0:
		ret = tsh_lexer_expression(lx, stops, &word, &err);
		break;
	case 1:
		ret = tsh_lexer_text(lx, stops, &word, &err);
		break;
	case 2:
		ret = tsh_lexer_statement(lx, stops, &word, &err);
		break;
	default:
		while ((ret = tsh_lexer_word(lx, &word, &err)) == TSH_TOKEN_WORD) {
			check_word(lx, &word);
			tsh_word_release(&word);
			assert_true(lx->pos > before);
		}
		if (ret == TSH_TOKEN_PIPE)
			ret = tsh_lexer_pipe(lx, &word, &err);
	}
	assert_true(lx->pos >= before && lx->pos <= lx->len);
	assert_int_equal(ret < 0, tsh_err_is_set(&err));
	assert_true(err.span.begin <= err.span.end && err.span.end <= lx->len);
	if (ret < 0)
		assert_null(word.text);
	else if (word.text)
		check_word(lx, &word);
	tsh_word_release(&word);
	tsh_err_release(&err);
	tsh_lexer_skip_command(lx);
	assert_true(lx->pos <= lx->len);
	assert_true(lx->pos == lx->len || lx->text[lx->pos] == '\n' || lx->text[lx->pos] == ';');
}

static void check_quote(const char *text, size_t len)
{
	struct tsh_strbuf quoted = TSH_STRBUF_INIT;
	char *word = tsh_xstrndup(text, len);
	struct tsh_err err = { 0 };
	struct tsh_word got;
	struct tsh_lexer lx;

	tsh_lexer_quote(&quoted, word);
	assert_false(tsh_lexer_unfinished(quoted.buf, quoted.len));
	tsh_lexer_init(&lx, quoted.buf, quoted.len, &vars);
	assert_int_equal(tsh_lexer_word(&lx, &got, &err), TSH_TOKEN_WORD);
	assert_string_equal(got.text, word);
	tsh_word_release(&got);
	assert_int_equal(tsh_lexer_word(&lx, &got, &err), TSH_TOKEN_END);
	assert_int_equal(lx.pos, lx.len);
	tsh_strbuf_release(&quoted);
	free(word);
}

static void test_random(void **state)
{
	unsigned int round, commands;

	(void)state;
	seed = 1;
	for (round = 0; round < 200000; round++) {
		char *text = tsh_xmalloc(41);
		size_t len = make_random(text, 40);
		struct tsh_lexer lx;

		/* exactly as long as it is, so that a sanitizer sees what reads beyond */
		text = tsh_xreallocarray(text, len ? len : 1, 1);
		tsh_lexer_init(&lx, text, len, &vars);
		for (commands = 0; tsh_lexer_next_command(&lx); commands++) {
			assert_true(commands <= len);
			read_random(&lx);
		}
		assert_int_equal(lx.pos, len);
		tsh_lexer_unfinished(text, len);
		check_quote(text, len);
		free(text);
	}
}

/* A text of nothing but beginnings takes no longer than its length. */
static void test_long(void **state)
{
	static const char *const starts[] = {
		"${", "'", "\"a", "(", "a ", "| ", "||", "\\\n", "-- ",
	};
	const size_t count = 200000;
	size_t i, k;

	(void)state;
	for (i = 0; i < N(starts); i++) {
		struct tsh_strbuf text = TSH_STRBUF_INIT;
		char *got;

		for (k = 0; k < count; k++)
			tsh_strbuf_adds(&text, starts[i]);
		tsh_lexer_unfinished(text.buf, text.len);
		got = show("expr", text.buf, text.len);
		free(got);
		tsh_strbuf_release(&text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_table),
		cmocka_unit_test(test_odd_bytes),
		cmocka_unit_test(test_nul),
		cmocka_unit_test(test_places),
		cmocka_unit_test(test_unquoted_places),
		cmocka_unit_test(test_peek),
		cmocka_unit_test(test_hints),
		cmocka_unit_test(test_quote),
		cmocka_unit_test(test_place_of),
		cmocka_unit_test(test_random),
		cmocka_unit_test(test_long),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
