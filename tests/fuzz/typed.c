/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a person types, or a batch file brings: each text goes to every parser of it.
 * The command line is read by the commands' own tables; a filter with the fields of
 * sched_switch; moments, sizes, times and lists of CPUs as arguments have them.
 */
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "base/suggest.h"
#include "base/xmalloc.h"
#include "cmd/table.h"
#include "events/clock/moment.h"
#include "lang/filter-hint.h"
#include "session/cmd.h"
#include "session/commands.h"
#include "session/session.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char *get_variable(void *ctx, const char *name)
{
	(void)ctx;
	return !strcmp(name, "x") || !strcmp(name, "1") ? "-n 5 'a" : NULL;
}

static const struct tsh_vars vars = { get_variable, NULL };

/* Every byte of a word came from somewhere in the source. */
static void check_word(const struct tsh_word *word, size_t len)
{
	struct tsh_span span;
	size_t i;

	for (i = 0; word->from && i <= word->len; i++) {
		if (word->from[i] > len || (i && word->from[i] < word->from[i - 1]))
			abort();
		span = tsh_word_span(word, i, word->len);
		if (span.end > len || span.begin > span.end)
			abort();
	}
}

/* What is quoted is read back as it was. */
static void check_quoting(const struct tsh_word *word)
{
	struct tsh_strbuf quoted = TSH_STRBUF_INIT;
	struct tsh_word again;
	struct tsh_err err = { 0 };
	struct tsh_lexer lx;

	if (!word->text || strlen(word->text) != word->len)
		return;
	tsh_lexer_quote(&quoted, word->text);
	tsh_lexer_init(&lx, quoted.buf, quoted.len, NULL);
	if (tsh_lexer_word(&lx, &again, &err) != TSH_TOKEN_WORD || strcmp(again.text, word->text))
		abort();
	tsh_word_release(&again);
	tsh_strbuf_release(&quoted);
}

static void parse_arguments(struct tsh_lexer *lx, const struct tsh_cmd *cmd)
{
	struct tsh_args args = { 0 };
	struct tsh_err err = { 0 };
	size_t i;

	if (!tsh_grammar_parse(lx, cmd->name, cmd->args, tsh_cmd_more_args(cmd), false, &args, &err))
		for (i = 0; i < args.n; i++) {
			check_word(&args.v[i].word, lx->len);
			check_quoting(&args.v[i].word);
		}
	else if (err.span.end > lx->len || err.span.begin > err.span.end || !err.message)
		abort();
	tsh_args_release(&args);
	tsh_err_release(&err);
}

static void command_line(const char *text, size_t len)
{
	struct tsh_err err = { 0 };
	struct tsh_word name;
	struct tsh_lexer lx;
	size_t commands = 0;

	tsh_lexer_unfinished(text, len);
	tsh_lexer_init(&lx, text, len, &vars);
	while (tsh_lexer_next_command(&lx)) {
		const struct tsh_cmd *cmd = NULL;

		if (tsh_lexer_word(&lx, &name, &err) == TSH_TOKEN_WORD) {
			check_word(&name, len);
			cmd = tsh_cmd_find(name.text);
			tsh_word_release(&name);
		}
		tsh_err_release(&err);
		if (cmd)
			parse_arguments(&lx, cmd);
		tsh_lexer_skip_command(&lx);
		if (++commands > len)
			abort();	/* it does not come to an end */
	}
}

static void filter(const char *text)
{
	static const struct tsh_filter_field fields[] = {
		{ "prev_comm", "char[16]", TSH_FILTER_STRING, false, false },
		{ "prev_pid", "pid_t", TSH_FILTER_NUMBER, true, false },
		{ "flags", "unsigned long", TSH_FILTER_NUMBER, false, false },
		{ "mask", "__data_loc cpumask_t", TSH_FILTER_CPUS, false, false },
		{ "args", "unsigned long[6]", TSH_FILTER_OTHER, false, false },
	};
	static const struct tsh_filter_event event = { "a:b", fields, 5 };
	struct tsh_filter_fault fault;

	if (tsh_filter_fault_find(text, &event, &fault) &&
	    (!fault.hint || fault.span.begin > strlen(text) || fault.span.end > strlen(text) + 3))
		abort();
	tsh_filter_fault_release(&fault);
}

static void numbers(const char *text)
{
	struct tsh_cpuset set = { 0 };
	uint64_t u;
	int64_t s;
	int i;

	tsh_parse_u64(text, &u);
	tsh_parse_s64(text, &s);
	tsh_parse_int(text, &i);
	tsh_parse_size(text, &u);
	tsh_parse_time(text, &u);
	if (!tsh_parse_cpus(text, &set)) {
		struct tsh_strbuf list = TSH_STRBUF_INIT;

		tsh_cpuset_format_list(&set, &list);
		tsh_strbuf_release(&list);
	}
	tsh_cpuset_release(&set);
}

static void moment(const char *text)
{
	struct tsh_moment m;
	struct tsh_err err = { 0 };

	/* 2024-01-02 22:47:33 UTC */
	if (!tsh_moment_parse(text, 1704235653000000000, &m, &err) && !m.is_stamp &&
	    (m.wall < 0 || !m.width || tsh_moment_end(&m) < m.wall))
		abort();
	tsh_err_release(&err);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	/* Of its own, so that a byte too far is seen. */
	char *text = tsh_xstrndup((const char *)data, size);
	size_t len = strlen(text);

	if (size < 4096) {
		command_line(text, len);
		filter(text);
		numbers(text);
		moment(text);
	}
	if (size < 256)
		tsh_glob_match(text, "a/b*[c]?d\\e");
	free(text);
	return 0;
}
