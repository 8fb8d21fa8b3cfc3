/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "commands.h"

static void test_usage(void **state)
{
	struct tsh_strbuf out = TSH_STRBUF_INIT;
	size_t i;

	(void)state;
	for (i = 0; i < N(commands); i++) {
		tsh_strbuf_clear(&out);
		tsh_grammar_usage(&out, commands[i].name, commands[i].args);
		assert_string_equal(out.buf, commands[i].usage);
	}
	tsh_strbuf_release(&out);
}

static void test_usage_hint(void **state)
{
	struct tsh_err err = { 0 };
	struct tsh_args args;
	struct tsh_lexer lx;

	(void)state;
	tsh_lexer_init(&lx, "enable", 6, NULL);
	assert_int_equal(tsh_lexer_word(&lx, NULL, &err), TSH_TOKEN_WORD);
	assert_int_equal(tsh_grammar_parse(&lx, "enable", enable, NULL, false, &args, &err), -1);
	assert_string_equal(err.message, "missing EVENT");
	assert_string_equal(err.hint, "usage: enable EVENT.. [if FILTER]");
	assert_null(args.v);
	tsh_err_release(&err);
}

static void test_args(void **state)
{
	static const char text[] = "on; stream a --with x b --with y if 'c == \"d\"' | wc";
	const struct tsh_value *value;
	struct tsh_err err = { 0 };
	struct tsh_args args;
	struct tsh_lexer lx;

	(void)state;
	tsh_lexer_init(&lx, text, strlen(text), NULL);
	assert_true(tsh_lexer_next_command(&lx));
	assert_int_equal(tsh_lexer_word(&lx, NULL, &err), TSH_TOKEN_WORD);
	assert_true(tsh_lexer_next_command(&lx));
	assert_int_equal(tsh_lexer_word(&lx, NULL, &err), TSH_TOKEN_WORD);
	assert_int_equal(tsh_grammar_parse(&lx, "stream", stream, common, false, &args, &err), 0);
	assert_int_equal(args.command.begin, 4);
	assert_int_equal(args.command.end, 10);
	assert_int_equal(args.whole.begin, 4);
	assert_int_equal(args.whole.end, strlen(text) - 5);
	assert_int_equal(args.n, 5);
	assert_true(tsh_args_has(&args, "EVENT"));
	assert_false(tsh_args_has(&args, "N"));
	assert_null(tsh_args_get(&args, "N"));
	assert_null(tsh_args_text(&args, "N"));
	assert_int_equal(tsh_args_count(&args, "EVENT"), 2);
	assert_int_equal(tsh_args_count(&args, "N"), 0);
	assert_string_equal(tsh_args_text(&args, "NAME"), "x");
	value = tsh_args_get(&args, "NAME");
	assert_ptr_equal(value, &args.v[1]);
	value = tsh_args_next(&args, "NAME", value);
	assert_string_equal(value->word.text, "y");
	assert_int_equal(value->word.span.begin, 31);
	assert_null(tsh_args_next(&args, "NAME", value));
	assert_string_equal(tsh_args_text(&args, "FILTER"), "c == \"d\"");
	tsh_args_release(&args);
	assert_null(tsh_args_get(&args, "EVENT"));
}

static uint32_t seed;

/* The same numbers in every run. */
static uint32_t next_random(uint32_t below)
{
	seed = seed * 1664525 + 1013904223;
	return (seed >> 8) % below;
}

/* Any mixture of words: it ends, with values in range or with an error in range. */
static void test_random(void **state)
{
	static const char *const words[] = {
		"a", "if", "where", "fields", "--", "else", "to", "by", "desc", "on", "add",
		"filter", "-n", "-n5", "--for", "--for=2s", "--with", "--here", "-o",
		"--stop-when", "--user", "-x", "5", "2s", "0-3", "x=5", "=", "x", "'b c'",
		"\"d\"", "'", "(", ")", "|", "||", ";", "#", "${x}", "${none}", "\\\n", "\n",
		"$1", "$retval", "-", "---", "--=", "=5",
	};
	unsigned int round;
	size_t i, n;

	(void)state;
	seed = 2;
	for (round = 0; round < 50000; round++) {
		const struct command *cmd = &commands[next_random(N(commands))];
		struct tsh_strbuf text = TSH_STRBUF_INIT;
		struct tsh_err err = { 0 };
		struct tsh_args args;
		struct tsh_lexer lx;

		tsh_strbuf_adds(&text, cmd->name);
		for (n = next_random(12); n; n--) {
			if (next_random(10))
				tsh_strbuf_addc(&text, ' ');
			tsh_strbuf_adds(&text, words[next_random(N(words))]);
		}
		tsh_lexer_init(&lx, text.buf, text.len, &vars);
		lx.pos = strlen(cmd->name);
		if (tsh_grammar_parse(&lx, cmd->name, cmd->args, common, next_random(2), &args,
				      &err) < 0) {
			assert_int_equal(args.n, 0);
			assert_true(tsh_err_is_set(&err));
			assert_true(err.span.begin < err.span.end && err.span.end <= text.len);
		}
		for (i = 0; i < args.n; i++) {
			assert_true(args.v[i].word.span.end <= args.whole.end);
			assert_true(!i || args.v[i].word.span.begin >= args.v[i - 1].word.span.end);
		}
		assert_true(args.whole.end <= text.len && lx.pos <= text.len);
		tsh_lexer_skip_command(&lx);
		tsh_args_release(&args);
		tsh_err_release(&err);
		tsh_strbuf_release(&text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_usage),
		cmocka_unit_test(test_usage_hint),
		cmocka_unit_test(test_args),
		cmocka_unit_test(test_random),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
