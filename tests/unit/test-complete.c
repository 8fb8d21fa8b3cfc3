/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "complete/complete.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/strbuf.h"
#include "cmd/table.h"
#include "help/help.h"
#include "session/session.h"

/* Tables of pairs: a line, and what is offered at its end. */

#define SHOWN_MAX 8

static char *in_source(const char *path)
{
	const char *src = getenv("SRC");

	return tsh_xasprintf("%s/%s", src ? src : ".", path);
}

/* Calls check for each pair; returns how many there were. */
static size_t each_pair(const char *name, void *ctx,
			void (*check)(void *ctx, const char *line, const char *want))
{
	char *path = in_source(name);
	FILE *f = fopen(path, "r");
	char line[512];
	size_t n = 0;

	assert_non_null(f);
	while (fgets(line, sizeof(line), f)) {
		char *tab = strrchr(line, '\t');

		line[strcspn(line, "\n")] = '\0';
		if (!tab)
			continue;
		*tab = '\0';
		check(ctx, line, tab + 1);
		n++;
	}
	(void)fclose(f);
	free(path);
	return n;
}

static void check_offer(void *ctx, const char *line, const char *want)
{
	struct tsh_strbuf text = TSH_STRBUF_INIT;
	struct tsh_completion found;
	size_t i;

	tsh_complete_line(ctx, line, strlen(line), &found);
	for (i = 0; i < found.n && i < SHOWN_MAX; i++)
		tsh_strbuf_addf(&text, "%s%s", i ? " " : found.is_exact ? "" : "~",
				found.v[i].text);
	if (found.n > SHOWN_MAX)
		tsh_strbuf_adds(&text, " ..");
	if (strcmp(text.buf, want) != 0)
		fail_msg("'%s': offered '%s', not '%s'", line, text.buf, want);
	tsh_completion_release(&found);
	tsh_strbuf_release(&text);
}

static void check_hint(void *ctx, const char *line, const char *want)
{
	struct tsh_strbuf text = TSH_STRBUF_INIT;

	tsh_complete_hint(ctx, line, strlen(line), &text);
	if (strcmp(text.buf, want) != 0)
		fail_msg("'%s': the hint is '%s', not '%s'", line, text.buf, want);
	tsh_strbuf_release(&text);
}

static void open_session(struct tsh_session *s)
{
	char *path = in_source("examples/recorded");
	struct tsh_err err = { 0 };

	*s = (struct tsh_session){ .commands = tsh_commands, .topics = tsh_topics };
	assert_int_equal(tsh_dir_open(path, &s->dir, &err), 0);
	assert_int_equal(tsh_instance_open(s->dir, NULL, &s->in, &err), 0);
	tsh_alias_set(&s->aliases, "switches", "filter sched_switch");
	free(path);
}

static void close_session(struct tsh_session *s)
{
	tsh_cmd_session_release(s);
	tsh_alias_release(&s->aliases);
	tsh_instance_close(s->in);
	tsh_dir_close(s->dir);
}

static void test_offers(void **ctx)
{
	struct tsh_session s;

	(void)ctx;
	open_session(&s);
	assert_true(each_pair("tests/unit/complete-cases.txt", &s, check_offer) > 40);
	close_session(&s);
}

static void test_hints(void **ctx)
{
	struct tsh_session s;

	(void)ctx;
	open_session(&s);
	assert_true(each_pair("tests/unit/hint-cases.txt", &s, check_hint) > 20);
	close_session(&s);
}

static void check_prefixes(struct tsh_session *s, const char *line)
{
	struct tsh_completion found;
	size_t len;

	for (len = 0; len <= strlen(line); len++) {
		struct tsh_strbuf text = TSH_STRBUF_INIT;
		char *copy = tsh_xstrndup(line, len);

		tsh_complete_line(s, copy, len, &found);
		tsh_completion_release(&found);
		tsh_complete_hint(s, copy, len, &text);
		tsh_complete_usage(s, copy, len, &text);
		tsh_complete_explain(s, copy, len, &text);
		assert_true(text.len > 0);
		tsh_strbuf_release(&text);
		free(copy);
	}
}

/* Every place in a filter and outside of a command, every byte of it: nothing is read that is not there. */
static void test_prefixes(void **ctx)
{
	static const char *const lines[] = {
		"enable sched_switch if !(prev_comm ~ \"a b*\" || cpu & CPUS{0-3}) && "
		"prev_state.function != vfs_read where x",
		"!echo still here", "events sched | grep switch", "info $nothing here # and a comment",
	};
	struct tsh_session s;
	size_t i;

	(void)ctx;
	open_session(&s);
	for (i = 0; i < sizeof(lines) / sizeof(lines[0]); i++)
		check_prefixes(&s, lines[i]);
	close_session(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_offers),
		cmocka_unit_test(test_hints),
		cmocka_unit_test(test_prefixes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
