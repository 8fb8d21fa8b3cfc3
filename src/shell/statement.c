/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "engine-internal.h"

#include <stdlib.h>
#include <string.h>

#include "tracesh/journal.h"
#include "tracesh/suggest.h"

/* One command: read, resolve, run, and take back what it changed when it failed. */

#define NESTING_MAX 32

struct statement {
	struct tsh_call call;
	struct tsh_word pipe;
	bool has_pipe;
};

static void release_statement(struct statement *st)
{
	tsh_call_release(&st->call);
	if (st->has_pipe)
		tsh_word_release(&st->pipe);
}

static int unknown_command(struct tsh_engine *e, const struct tsh_word *word,
			   struct tsh_err *err)
{
	struct tsh_suggest near;
	size_t i;

	tsh_err_at(err, word->span, "unknown command '%s'", word->text);
	tsh_suggest_init(&near, word->text);
	for (i = 0; tsh_commands[i]; i++) {
		tsh_suggest_offer(&near, tsh_commands[i]->name);
		if (tsh_commands[i]->alias)
			tsh_suggest_offer(&near, tsh_commands[i]->alias);
	}
	if (tsh_suggest_best(&near))
		tsh_err_hint(err, "did you mean '%s'?", tsh_suggest_best(&near));
	else
		tsh_err_hint(err, e->session.interactive ? "help lists the commands" :
							   "tracesh help lists the commands");
	tsh_suggest_release(&near);
	return -1;
}

/* "pid == 2": a filter that was meant to go on, not a program. */
static bool looks_like_comparison(const char *text)
{
	static const char *const operators[] = { "==", "!=", "<=", ">=", "<", ">", "&", "~" };
	struct tsh_strlist words = { 0 };
	bool found = false;
	size_t i;

	tsh_strlist_split_words(&words, text);
	for (i = 0; words.n >= 3 && i < sizeof(operators) / sizeof(operators[0]); i++)
		found = found || !strcmp(words.v[1], operators[i]);
	tsh_strlist_release(&words);
	return found;
}

/* After the arguments: the end, or a pipe and its program. */
static int read_tail(struct tsh_lexer *lx, struct statement *st, struct tsh_err *err)
{
	int token = tsh_lexer_word(lx, NULL, err);

	if (token < 0)
		return -1;
	if (token != TSH_TOKEN_PIPE)
		return 0;
	if (tsh_lexer_pipe(lx, &st->pipe, err) < 0)
		return -1;
	st->has_pipe = true;
	if (looks_like_comparison(st->pipe.text)) {
		tsh_err_at(err, st->pipe.span, "'|' hands this to sh as a program");
		tsh_err_hint(err, "in a filter '||' is or; a bitwise or stands in parentheses");
		return -1;
	}
	if (!st->pipe.len) {
		tsh_err_at(err, st->pipe.span, "missing program after '|'");
		return -1;
	}
	return 0;
}

static int parse_statement(struct tsh_engine *e, struct tsh_lexer *lx, struct statement *st,
			   struct tsh_err *err)
{
	struct tsh_word name;
	int token = tsh_lexer_word(lx, &name, err);
	int r = -1;

	if (token < 0)
		return -1;
	if (token != TSH_TOKEN_WORD) {
		tsh_err_at(err, (struct tsh_span){ lx->pos, lx->pos + 1 },
			   "missing command before '|'");
		return -1;
	}
	st->call.cmd = tsh_cmd_find(name.text);
	if (!st->call.cmd) {
		unknown_command(e, &name, err);
	} else {
		const struct tsh_arg *common = st->call.cmd->flags & TSH_CMD_PRINTS ?
						       tsh_cmd_common_args : NULL;

		r = tsh_grammar_parse(lx, st->call.cmd->name, st->call.cmd->args, common, false,
				      &st->call.args, err);
		st->call.args.command = name.span;
		st->call.args.whole.begin = name.span.begin;
		st->call.args.whole.end = lx->pos;
	}
	tsh_word_release(&name);
	return r < 0 ? -1 : read_tail(lx, st, err);
}

/* `where` and `fields` have their place in the grammar before they have an engine. */
static int refuse_missing_clauses(const struct tsh_call *call, struct tsh_err *err)
{
	static const char *const missing[] = { "where", "fields" };
	size_t i, k;

	for (i = 0; i < call->args.n; i++)
		for (k = 0; k < 2; k++) {
			const char *clause = call->args.v[i].arg->clause;

			if (!clause || strcmp(clause, missing[k]))
				continue;
			tsh_err_at(err, call->args.v[i].word.span, "'%s' is not there yet",
				   clause);
			err->status = TSH_FAILED;
			if (!k)
				tsh_err_hint(err, "the kernel's own filter stands after 'if'");
			return -1;
		}
	return 0;
}

static void begin_journal(struct tsh_engine *e, const struct tsh_call *call)
{
	const struct tsh_span *whole = &call->args.whole;
	char *text = tsh_xstrndup(e->input->text + whole->begin, whole->end - whole->begin);

	tsh_journal_begin(e->session.dir->journal, text);
	free(text);
}

static int run_call(struct tsh_engine *e, struct statement *st, struct tsh_err *err)
{
	struct tsh_session *s = &e->session;
	const struct tsh_value *file = tsh_args_get(&st->call.args, "OUTPUT");
	struct tsh_redirect redirect;
	struct tsh_err late = { 0 };
	int r, piped = 0;

	if (tsh_redirect_begin(e, file, st->has_pipe ? st->pipe.text : NULL, &redirect, err) < 0)
		return -1;
	s->stdout_is_data = s->out == &e->out && e->out.name == NULL;
	s->run_status = -1;
	r = st->call.cmd->run(s, &st->call, err);
	if (!redirect.active && tsh_out_finish(&e->out, &late) < 0 && r >= 0) {
		*err = late;
		r = -1;
	} else if (tsh_redirect_end(e, &redirect, &piped, &late) < 0 && r >= 0) {
		*err = late;
		r = -1;
	} else {
		tsh_err_release(&late);
	}
	if (r < 0)
		return -1;
	/* `quit` leaves with the status of the command before it. That of a program
	 * behind '|' is $?, and not tracesh's. */
	if (!s->quit) {
		s->status = s->run_status >= 0 ? s->run_status : piped;
		e->exit_status = s->run_status >= 0 ? s->run_status : TSH_OK;
	}
	if (!piped || !s->settings.pipefail)
		return 0;
	tsh_err_at(err, st->pipe.span, "the program behind '|' ended with status %d", piped);
	err->status = TSH_FAILED;
	return -1;
}

static int execute(struct tsh_engine *e, struct statement *st, struct tsh_err *err)
{
	struct tsh_session *s = &e->session;
	unsigned int flags = st->call.cmd->flags;
	unsigned int mark = 0;

	if (refuse_missing_clauses(&st->call, err) < 0 ||
	    tsh_cmd_resolve(s, &st->call, err) < 0)
		return -1;
	if (s->check && !(flags & TSH_CMD_IN_CHECK))
		return 0;
	if (s->dir) {
		mark = tsh_journal_mark(s->dir->journal);
		if (!s->check)
			begin_journal(e, &st->call);
	}
	if (run_call(e, st, err) == 0)
		return 0;
	/* A command that failed leaves nothing behind. */
	tsh_cmd_take_back(s, mark);
	return -1;
}

/* Both commands of a try; what is wrong with the first is said when it is tried. */
static int check_try(struct tsh_engine *e, struct statement *st, struct tsh_err *err)
{
	const struct tsh_value *first = tsh_args_get(&st->call.args, "COMMAND");
	const struct tsh_value *otherwise = tsh_args_get(&st->call.args, "OTHERWISE");
	bool tentative = e->tentative;

	e->tentative = true;
	if (tsh_run_nested(&e->session, first->word.span, err) < 0)
		tsh_err_release(err);
	e->tentative = tentative;
	return otherwise ? tsh_run_nested(&e->session, otherwise->word.span, err) : 0;
}

/* In the pass before a text is run only what names variables is run, and what reads
 * other files, which may do so too. */
static int check_syntax(struct tsh_engine *e, struct statement *st, struct tsh_err *err)
{
	const char *name = st->call.cmd->name;

	if (!strcmp(name, "try"))
		return check_try(e, st, err);
	if (!strcmp(name, "let") || (!strcmp(name, "source") && !e->tentative))
		return st->call.cmd->run(&e->session, &st->call, err);
	return 0;
}

static int run_statement(struct tsh_engine *e, struct tsh_lexer *lx, struct tsh_err *err)
{
	struct statement st = { 0 };
	int r = parse_statement(e, lx, &st, err);

	e->statement = st.call.args.whole;
	if (!r)
		r = e->syntax_only ? check_syntax(e, &st, err) : execute(e, &st, err);
	release_statement(&st);
	return r;
}

int tsh_run_nested(struct tsh_session *s, struct tsh_span span, struct tsh_err *err)
{
	struct tsh_engine *e = s->engine;
	const struct tsh_vars vars = { tsh_engine_get_var, e };
	bool failed_before = e->failed;
	struct tsh_lexer lx;
	int r;

	if (e->nesting >= NESTING_MAX)
		return tsh_err_at(err, span, "more than %d try within each other", NESTING_MAX);
	tsh_lexer_init(&lx, e->input->text, span.end, &vars);
	lx.pos = span.begin;
	if (!tsh_lexer_next_command(&lx)) {
		tsh_err_at(err, span, "missing command");
		return -1;
	}
	e->nesting++;
	r = run_statement(e, &lx, err);
	e->nesting--;
	/* What a sourced file failed in is try's to judge. */
	e->failed = failed_before;
	return r;
}

static void fail(struct tsh_engine *e, const struct tsh_input *input, const struct tsh_err *err)
{
	tsh_report(e, input, "error", err);
	e->session.status = err->status;
	/* Where several are reported, under -n, a syntax error is what a run would end with. */
	if (!e->failed || (e->session.check && err->status == TSH_USAGE))
		e->first_failure = err->status;
	e->failed = true;
}

/* Whether the input goes on after this command. */
static bool after_command(struct tsh_engine *e, const struct tsh_input *input, int r,
			  struct tsh_err *err)
{
	bool carry_on = true;

	if (e->session.aborted || tsh_loop_aborted(e->loop)) {
		e->session.aborted = true;
		carry_on = false;
	} else if (r < 0) {
		/* A sourced file has said its own error. */
		if (tsh_err_is_set(err))
			fail(e, input, err);
		carry_on = e->keep_going || e->session.check || e->syntax_only;
	} else if (e->session.quit) {
		carry_on = false;
	}
	tsh_err_release(err);
	return carry_on;
}

static bool run_commands(struct tsh_engine *e, const struct tsh_input *input)
{
	const struct tsh_vars vars = { tsh_engine_get_var, e };
	struct tsh_lexer lx;
	bool carry_on = true;

	tsh_lexer_init(&lx, input->text, input->len, &vars);
	while (carry_on && tsh_lexer_next_command(&lx)) {
		struct tsh_err err = { 0 };
		int r = run_statement(e, &lx, &err);

		/* A command that could not be read to its end leaves the cursor in it. */
		if (r < 0)
			tsh_lexer_skip_command(&lx);
		carry_on = after_command(e, input, r, &err);
	}
	return carry_on;
}

bool tsh_run_input(struct tsh_engine *e, const struct tsh_input *input)
{
	const struct tsh_input *outer = e->input;
	bool carry_on = true;

	e->input = input;
	/* A whole text is read to its end before its first command runs. */
	if (!input->prompt && !e->session.check && !e->syntax_only) {
		bool failed_before = e->failed;

		e->failed = false;
		e->syntax_only = true;
		run_commands(e, input);
		e->syntax_only = false;
		carry_on = !e->failed;
		e->failed |= failed_before;
	}
	if (carry_on)
		carry_on = run_commands(e, input);
	e->input = outer;
	return carry_on;
}
