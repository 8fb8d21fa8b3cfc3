/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "lexers.h"

/* Any bytes: the lexer gets on, and what is quoted is what it was. */

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

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_random),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
