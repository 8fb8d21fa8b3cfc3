/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "lexers.h"

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

static void test_quote_value(void **state)
{
	static const char *const rows[][2] = {
		{ "-n", "'-n'" },	{ "--yes", "'--yes'" },	{ "-1", "'-1'" },
		{ "-it's", "\"-it's\"" },	{ "&", "'&'" },		{ "&&", "&&" },
		{ "else", "'else'" },	{ "a-b", "a-b" },	{ "a b", "'a b'" },
	};
	struct tsh_strbuf out = TSH_STRBUF_INIT;
	size_t i;

	(void)state;
	for (i = 0; i < N(rows); i++) {
		tsh_strbuf_clear(&out);
		tsh_lexer_quote_value(&out, rows[i][0]);
		assert_string_equal(out.buf, rows[i][1]);
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
	size_t i, k, len;

	(void)state;
	/* from the start, and from each place before it and behind */
	for (i = 0; i < N(rows); i++) {
		struct tsh_place got = { 0 };

		len = strlen(rows[i].text);
		for (k = 0; k <= len + 1; k++) {
			got = tsh_place_of(rows[i].text, len, rows[i].offset, &got);
			assert_int_equal(got.line, rows[i].want.line);
			assert_int_equal(got.column, rows[i].want.column);
			assert_span(got.text, rows[i].want.text.begin, rows[i].want.text.end);
			got = tsh_place_of(rows[i].text, len, k, NULL);
		}
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

/* What is put into a command as it is can end neither it nor the quote that it stands in. */
static void test_one_piece(void **state)
{
	static const struct {
		const char *text;
		char open;
		bool want;
	} rows[] = {
		{ "", '\0', true }, { "a == 1 || b", '\0', true }, { "a == 'x;|#\n'", '\0', true },
		{ "\"it's\"", '\0', true }, { "a#b", '\0', true }, { "$arg1", '\0', true },
		{ "'${x}'", '\0', true },
		{ "a; quit", '\0', false }, { "a\nquit", '\0', false }, { "a | sh", '\0', false },
		{ "a |", '\0', false }, { "a ||| b", '\0', false }, { "# a", '\0', false },
		{ "a\t#b", '\0', false }, { "'a", '\0', false }, { "a\"", '\0', false },
		{ "${x}", '\0', false }, { "\"${x}\"", '\0', false }, { "'a'${x}", '\0', false },
		{ "", '\'', true }, { "a;|#\n\"${x}", '\'', true }, { "a'", '\'', false },
		{ "'; quit '", '\'', false },
		{ "a;|#\n'", '"', true }, { "a\"; quit \"", '"', false }, { "${x}", '"', false },
	};
	size_t i;

	(void)state;
	for (i = 0; i < N(rows); i++)
		if (tsh_lexer_is_one_piece(rows[i].text, rows[i].open) != rows[i].want)
			fail_msg("row %zu: %s", i, rows[i].text);
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
		cmocka_unit_test(test_quote_value),
		cmocka_unit_test(test_place_of),
		cmocka_unit_test(test_long),
		cmocka_unit_test(test_one_piece),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
