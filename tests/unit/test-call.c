/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "call/resolve.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "base/suggest.h"
#include "engine/pipeline/counter.h"
#include "session/cmd.h"
#include "session/commands.h"

/* Holds what a declaration says of a call: limits, what goes on by itself, the steps before it runs. */

static int prepare(struct tsh_session *s, struct tsh_call *call, struct tsh_err *err)
{
	(void)s;
	call->drains = tsh_args_has(&call->args, "drain");
	call->includes_tracesh = true;
	return tsh_args_has(&call->args, "bad") ? tsh_err_set(err, TSH_FAILED, "not prepared") : 0;
}

static const struct tsh_arg args[] = {
	{ .name = "N", .option = "-n", .type = TSH_ARG_NUMBER, .flags = TSH_ARG_OPTIONAL | TSH_ARG_NOT_ZERO },
	{ .name = "TIME", .option = "--for", .type = TSH_ARG_TIME, .flags = TSH_ARG_OPTIONAL | TSH_ARG_NOT_ZERO },
	{ .name = "SIZE", .option = "--buffer", .type = TSH_ARG_SIZE, .flags = TSH_ARG_OPTIONAL | TSH_ARG_NOT_ZERO },
	{ .name = "LAG", .option = "--lag", .type = TSH_ARG_TIME,
	  .flags = TSH_ARG_OPTIONAL | TSH_ARG_NOT_ZERO | TSH_ARG_NONE },
	{ .name = "SKEW", .option = "--skew", .type = TSH_ARG_TIME, .flags = TSH_ARG_OPTIONAL },
	{ .name = "drain", .option = "--drain", .type = TSH_ARG_FLAG, .flags = TSH_ARG_OPTIONAL },
	{ .name = "bad", .option = "--bad", .type = TSH_ARG_FLAG, .flags = TSH_ARG_OPTIONAL },
	{ .name = "KEYS", .clause = "by", .type = TSH_ARG_TEXT, .completes = TSH_COMPLETES_STACK,
	  .flags = TSH_ARG_OPTIONAL },
	{ 0 }
};

static const struct tsh_cmd goes_on = {
	.name = "go", .group = TSH_GROUP_SESSION, .args = args, .prepare = prepare, .endless_without = "N TIME",
};
static const struct tsh_cmd holds_keys = {
	.name = "hold", .group = TSH_GROUP_SESSION, .args = args, .endless_without = "",
};
static const struct tsh_cmd ends = {
	.name = "end", .group = TSH_GROUP_SESSION, .args = args, .flags = TSH_CMD_LIVE | TSH_CMD_NAMES_NO_TASK,
};

/* Parses a line as a call of the command. */
static struct tsh_call parse(const struct tsh_cmd *cmd, const char *line)
{
	struct tsh_call call = { .cmd = cmd };
	const struct tsh_vars none = { 0 };
	struct tsh_err err = { 0 };
	struct tsh_lexer lx;
	struct tsh_word name;

	tsh_lexer_init(&lx, line, strlen(line), &none);
	assert_int_equal(tsh_lexer_word(&lx, &name, &err), TSH_TOKEN_WORD);
	assert_int_equal(tsh_grammar_parse(&lx, cmd->name, cmd->args, NULL, false, &call.args, &err), 0);
	call.args.command = name.span;
	tsh_word_release(&name);
	return call;
}

/* Resolves a line in the session; `want`: the error, with what it blames in brackets, or "": there is none. */
static void expect(struct tsh_session *s, const struct tsh_cmd *cmd, const char *line, const char *want)
{
	struct tsh_call call = parse(cmd, line);
	struct tsh_err err = { 0 };
	char *got = tsh_xstrdup("");

	if (tsh_cmd_resolve(s, &call, &err) < 0) {
		free(got);
		got = tsh_xasprintf("%s [%.*s]", err.message, (int)(err.span.end - err.span.begin),
				    line + err.span.begin);
	}
	assert_string_equal(got, want);
	free(got);
	tsh_err_release(&err);
	tsh_call_release(&call);
}

static void test_limits(void **state)
{
	struct tsh_session s = { 0 };

	(void)state;
	expect(&s, &goes_on, "go", "");
	expect(&s, &goes_on, "go -n 1 --for 1ms --buffer 1", "");
	expect(&s, &goes_on, "go -n 0", "'0' is no limit: at least 1 [0]");
	expect(&s, &goes_on, "go --buffer 0K", "'0K' is no limit: at least 1 [0K]");
	expect(&s, &goes_on, "go -n 3 --for 0s", "'0s' is no limit: it takes some time [0s]");
	expect(&s, &goes_on, "go --skew 0", "");
	expect(&s, &goes_on, "go --lag 0", "'0' is no limit: it takes some time [0]");
	expect(&s, &goes_on, "go --lag none", "");
	/* what is explained is refused as the command itself would be */
	s.explains = true;
	expect(&s, &goes_on, "go -n 0", "'0' is no limit: at least 1 [0]");
}

static void test_watched(void **state)
{
	static const char refused[] = "'go' goes on by itself: watch is for what ends [go]";
	struct tsh_session s = { .is_watched = true };

	(void)state;
	expect(&s, &goes_on, "go", refused);
	expect(&s, &goes_on, "go --skew 1s --buffer 1M", refused);
	expect(&s, &goes_on, "go -n 5", "");
	expect(&s, &goes_on, "go --for 1s", "");
	expect(&s, &goes_on, "go --drain", "");
	expect(&s, &ends, "end", "");
	expect(&s, &holds_keys, "hold -n 5 --for 1s", "'hold' goes on by itself: watch is for what ends [hold]");
	s.explains = true;
	expect(&s, &goes_on, "go", "");
}

static void test_prepare(void **state)
{
	struct tsh_call call = parse(&goes_on, "go -n 2 by pid");
	struct tsh_session s = { 0 };
	struct tsh_err err = { 0 };

	(void)state;
	assert_int_equal(tsh_cmd_resolve(&s, &call, &err), 0);
	assert_true(call.includes_tracesh);
	assert_false(call.drains);
	tsh_call_release(&call);
	/* before the limits */
	expect(&s, &goes_on, "go --bad -n 0", "not prepared []");
}

/* Counts how often the states of two engines are freed. */
static void release_one(void *state)
{
	*(int *)state += 1;
}

static void release_other(void *state)
{
	*(int *)state += 10;
}

static void test_states(void **state)
{
	struct tsh_call call = parse(&ends, "end"), copy;
	int one = 0, other = 0;

	(void)state;
	assert_null(tsh_call_state(&call, release_one));
	tsh_call_add_state(&call, &one, release_one);
	assert_null(tsh_call_state(&call, release_other));
	tsh_call_add_state(&call, &other, release_other);
	copy = call;
	assert_ptr_equal(tsh_call_state(&copy, release_one), &one);
	assert_ptr_equal(tsh_call_state(&call, release_other), &other);
	tsh_call_release(&call);
	assert_int_equal(one, 1);
	assert_int_equal(other, 10);
}

static void test_declaration(void **state)
{
	struct tsh_call call = parse(&ends, "end"), other = parse(&goes_on, "go");
	struct tsh_suggest near;

	(void)state;
	assert_string_equal(tsh_call_name(&call), "end");
	assert_true(tsh_call_is_live(&call));
	assert_false(tsh_call_is_live(&other));
	assert_false(tsh_call_shows_tasks(&call));
	assert_true(tsh_call_shows_tasks(&other));
	assert_false(tsh_call_names_events(&call));
	assert_true(tsh_call_completes(&call, TSH_COMPLETES_STACK));
	assert_false(tsh_call_completes(&call, TSH_COMPLETES_PAIRS));
	assert_false(tsh_cmd_completes(NULL, TSH_COMPLETES_STACK));
	tsh_suggest_init(&near, "--skwe");
	tsh_call_offer_options(&call, &near);
	assert_string_equal(tsh_suggest_best(&near), "--skew");
	tsh_suggest_release(&near);
	/* its events are not counted */
	assert_false(tsh_counter_needs_all(&call));
	assert_false(tsh_counter_lacks_filter(&call, &(struct tsh_event){ 0 }));
	tsh_call_release(&call);
	tsh_call_release(&other);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_limits),
		cmocka_unit_test(test_watched),
		cmocka_unit_test(test_prepare),
		cmocka_unit_test(test_states),
		cmocka_unit_test(test_declaration),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
