/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "engine-internal.h"

#include <stdlib.h>
#include <string.h>

#include "base/suggest.h"
#include "call/resolve.h"
#include "cmd/table.h"
#include "engine/probe/call.h"
#include "kernel/journal/journal.h"
#include "session/cmd.h"
#include "session/commands.h"

/* Runs one command: parses it, resolves names, runs it, and takes it back when it fails. */

#define NESTING_MAX 32

struct statement {
	struct tsh_call call;
	struct tsh_word pipe;
	bool has_pipe;
	bool background;
};

static void release_statement(struct statement *st)
{
	tsh_call_release(&st->call);
	if (st->has_pipe)
		tsh_word_release(&st->pipe);
}

static int unknown_command(struct tsh_engine *e, const struct tsh_word *word, struct tsh_err *err)
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
	/* Skips the typed word itself: in quotes it is no alias. */
	for (i = 0; i < e->session.aliases.n; i++)
		if (strcmp(e->session.aliases.v[i].name, word->text) != 0)
			tsh_suggest_offer(&near, e->session.aliases.v[i].name);
	/* for users who quote as for ssh: tracesh 'enable sched' */
	if (!e->session.interactive && strpbrk(word->text, " \t"))
		tsh_err_hint(err, "without the quotes it is a command; tracesh -c takes one in quotes");
	else if (*word->text == '!' && word->text[1])
		tsh_err_hint(err, "at the prompt a line that begins with '!' goes to sh; here, run -- PROGRAM traces a "
			     "program, and COMMAND | PROGRAM pipes into one");
	else if (e->session.in && tsh_file_exists(e->session.in, word->text))
		tsh_err_hint(err, "it is a file: cat %s prints it, write %s TEXT sets it", word->text, word->text);
	else if (tsh_suggest_best(&near))
		tsh_err_hint(err, "did you mean '%s'?", tsh_suggest_best(&near));
	else
		tsh_err_hint(err, e->session.interactive ? "help lists the commands" :
							   "tracesh help lists the commands");
	tsh_suggest_release(&near);
	return -1;
}

/* Says whether words are a redirection, "cat > file", and not a comparison, "prio > 5". */
static bool is_redirection(const struct tsh_strlist *words)
{
	return (!strcmp(words->v[1], "<") || !strcmp(words->v[1], ">")) &&
	       !strspn(words->v[2], "0123456789");
}

/* Says whether a text is a comparison, "pid == 2": a part of a filter, not a program. */
static bool is_comparison(const char *text)
{
	static const char *const operators[] = { "==", "!=", "<=", ">=", "<", ">", "&", "~" };
	struct tsh_strlist words = { 0 };
	bool found = false;
	size_t i;

	tsh_strlist_split_words(&words, text);
	for (i = 0; words.n >= 3 && i < sizeof(operators) / sizeof(operators[0]); i++)
		found = found || !strcmp(words.v[1], operators[i]);
	found = found && !is_redirection(&words);
	tsh_strlist_release(&words);
	return found;
}

static bool has_expression(const struct tsh_cmd *cmd)
{
	const struct tsh_arg *arg;

	for (arg = cmd->args; arg && arg->name; arg++)
		if (arg->type == TSH_ARG_EXPRESSION)
			return true;
	return false;
}

/* Reads what follows the arguments: the end, or a pipe and its program. */
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
	if (has_expression(st->call.cmd) && is_comparison(st->pipe.text)) {
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

/* Parses `COMMAND --help` as `help COMMAND`, and ignores the other arguments. */
static int parse_help(struct tsh_lexer *lx, struct statement *st, struct tsh_err *err)
{
	char *text = tsh_xasprintf("help %s", st->call.cmd->name);
	const struct tsh_cmd *help = tsh_cmd_find("help");
	const struct tsh_vars none = { 0 };
	struct tsh_lexer line;
	struct tsh_word word;
	int r, token;

	tsh_lexer_init(&line, text, strlen(text), &none);
	line.pos = strlen("help");
	r = tsh_grammar_parse(&line, help->name, help->args, tsh_cmd_more_args(help), false,
			      &st->call.args, err);
	st->call.cmd = help;
	while (!r && (token = tsh_lexer_word(lx, &word, err)) == TSH_TOKEN_WORD)
		tsh_word_release(&word);
	free(text);
	return r;
}

static bool is_help_wanted(struct tsh_lexer *lx)
{
	static const char option[] = "--help";
	struct tsh_span word = tsh_lexer_peek(lx);

	return word.end - word.begin == strlen(option) &&
	       !memcmp(lx->text + word.begin, option, strlen(option));
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
		if (is_help_wanted(lx))
			r = parse_help(lx, st, err);
		else
			r = tsh_grammar_parse(lx, st->call.cmd->name, st->call.cmd->args,
					      tsh_cmd_more_args(st->call.cmd), false, &st->call.args, err);
		st->call.args.command = name.span;
		st->call.args.whole.begin = name.span.begin;
		st->call.args.whole.end = lx->pos;
	}
	tsh_word_release(&name);
	return r < 0 ? -1 : read_tail(lx, st, err);
}

/* Starts a new guard when the old one was killed. */
static void replace_guard(struct tsh_engine *e)
{
	if (!tsh_guard_was_killed(&e->guard))
		return;
	tsh_out_warn(&e->out, "the guard was killed%s", tsh_journal_find_guard(e->session.dir->journal) ?
		     "; a new one was started, which takes back everything, too" :
		     ", and no new one can be started: after a kill -9, recover takes the settings back if there is a "
		     "journal");
}

static void begin_journal(struct tsh_engine *e, const struct tsh_call *call)
{
	const struct tsh_span *whole = &call->args.whole;
	char *text = tsh_xstrndup(e->input->text + whole->begin, whole->end - whole->begin);

	replace_guard(e);
	/* reads first what other sessions have handed over, so that the command counts and shows
	 * that */
	(void)tsh_journal_catch_up(e->session.dir->journal);
	tsh_journal_begin(e->session.dir->journal, text);
	free(text);
}

static int run_call(struct tsh_engine *e, struct statement *st, struct tsh_err *err)
{
	struct tsh_session *s = &e->session;
	const char *pipe = st->has_pipe ? st->pipe.text : NULL;
	struct tsh_redirect redirect;
	struct tsh_err late = { 0 };
	int r, piped = 0;

	if (tsh_redirect_begin(e, &st->call.args, pipe, &redirect, err) < 0)
		return -1;
	if ((st->call.cmd->flags & TSH_CMD_PAGES) && e->input->prompt && !s->settings.pager_off)
		tsh_redirect_to_pager(e, &redirect);
	s->stdout_is_data = s->out == &e->out && e->out.name == NULL;
	s->run_status = -1;
	r = st->call.cmd->run(s, &st->call, err);
	if (!redirect.active && tsh_out_finish(&e->out, &late) < 0 && r >= 0) {
		*err = late;
		r = -1;
	} else if (tsh_redirect_end(e, &redirect, r >= 0, &piped, &late) < 0 && r >= 0) {
		*err = late;
		r = -1;
	} else {
		tsh_err_release(&late);
	}
	if (r < 0)
		return -1;
	/* `quit` keeps the status of the command before it. The status of a program behind '|'
	 * becomes $?, but not the exit status of tracesh. */
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

/* Refuses '&' in a script: the command might not end, and would delay the next one. */
static int refuse_job(const struct statement *st, struct tsh_err *err)
{
	tsh_err_at(err, st->call.args.whole, "a script has no jobs");
	tsh_err_hint(err, "leave the '&' out; with --for it ends by itself");
	return -1;
}

/* Fails when a part of a recording could not be read: the output is incomplete. */
static int check_unread(struct tsh_session *s, const struct statement *st, struct tsh_err *err)
{
	if (!s->dir || !tsh_dir_check_unread(s->dir, err))
		return 0;
	tsh_err_blame(err, st->call.args.whole);
	return -1;
}

static int execute(struct tsh_engine *e, struct statement *st, struct tsh_err *err)
{
	struct tsh_session *s = &e->session;
	unsigned int flags = st->call.cmd->flags, mark = 0;
	char *instance;
	int r;

	if (tsh_cmd_resolve(s, &st->call, err) < 0)
		return -1;
	if (s->explains)
		return tsh_call_explain(s, &st->call, err);
	if (s->check && !(flags & TSH_CMD_IN_CHECK))
		return 0;
	if (e->dry_run && st->background)
		return refuse_job(st, err);
	if (e->dry_run)
		return tsh_dry_run_call(e, &st->call, st->has_pipe ? st->pipe.text : NULL, err);
	if (st->background && (r = tsh_background_fork(e, &st->call, err)) <= 0)
		return r;
	if (s->dir) {
		mark = tsh_journal_mark(s->dir->journal);
		if (!s->check)
			begin_journal(e, &st->call);
	}
	instance = s->in ? tsh_xstrdup(tsh_instance_label(s->in)) : NULL;
	r = run_call(e, st, err);
	if (st->background)
		tsh_background_exit(e, r ? r : check_unread(s, st, err), err);
	/* takes back a failed command, and stays in the old instance */
	if (r) {
		if (s->aborted || (flags & TSH_CMD_IS_FILE))
			tsh_cmd_undo_file_since(s, mark);
		else if (!(flags & TSH_CMD_STEPS))
			tsh_cmd_undo_since(s, mark);
		if (instance && !s->check)
			tsh_cmd_return_to(s, instance);
	}
	free(instance);
	return r ? -1 : 0;
}

static int refuse_probes(const struct tsh_engine *e, const struct statement *st, struct tsh_err *err)
{
	const char *where = st->background ? "in the background" :
			    e->session.explains ? "to be explained" : NULL;

	if (!where)
		return 0;
	tsh_err_at(err, st->call.args.whole, "no probe is made for a command %s", where);
	tsh_err_hint(err, "make the probe first: probe TARGET");
	return -1;
}

/* Runs a command with probes of its own, which are removed after the run. */
static int execute_with_probes(struct tsh_engine *e, struct statement *st, struct tsh_err *err)
{
	struct tsh_session *s = &e->session;
	unsigned int mark;
	int r;

	if (!s->dir)
		return execute(e, st, err);
	if (refuse_probes(e, st, err) < 0)
		return -1;
	mark = tsh_journal_mark(s->dir->journal);
	if (!s->check)
		begin_journal(e, &st->call);
	r = tsh_call_make_probes(s, &st->call, err);
	if (!r)
		r = execute(e, st, err);
	tsh_call_remove_probes(s, &st->call, mark);
	return r;
}

/* Checks both commands of a try. Ignores faults of the first, which are reported when it runs. */
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

/* Runs, while a text is checked, only commands that define names, and commands that read files,
 * which may define some, too. */
static int check_syntax(struct tsh_engine *e, struct statement *st, struct tsh_err *err)
{
	const struct tsh_cmd *cmd = st->call.cmd;
	bool defines = cmd->defines_with && (!*cmd->defines_with || tsh_args_has(&st->call.args, cmd->defines_with));

	if (cmd->flags & TSH_CMD_TRIES)
		return check_try(e, st, err);
	if (cmd->flags & TSH_CMD_NESTS)
		return tsh_run_nested(&e->session, tsh_args_get(&st->call.args, "COMMAND")->word.span,
				      err);
	return defines || ((cmd->flags & TSH_CMD_IS_FILE) && !e->tentative) ?
		       cmd->run(&e->session, &st->call, err) : 0;
}

static int refuse_background(const struct statement *st, size_t at, struct tsh_err *err)
{
	struct tsh_strbuf names = TSH_STRBUF_INIT;
	const struct tsh_cmd *const *cmd;

	tsh_err_at(err, (struct tsh_span){ at, at + 1 }, "'%s' does not run in the background",
		   st->call.cmd->name);
	for (cmd = tsh_commands; *cmd; cmd++)
		if ((*cmd)->flags & TSH_CMD_JOB)
			tsh_strbuf_addf(&names, "%s%s", names.len ? ", " : "", (*cmd)->name);
	tsh_err_hint(err, "%s can; quote a text that ends in &", names.buf);
	tsh_strbuf_release(&names);
	return -1;
}

/* Returns the length of the name of a command that another command follows, or 0. */
static size_t before_command(const char *text)
{
	static const char *const names[] = { "try", "explain" };
	size_t i, len = strcspn(text, " \t\n;|&");

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (len == strlen(names[i]) && !memcmp(text, names[i], len) && strchr(" \t", text[len]))
			return len;
	return 0;
}

/* Refuses too many of these in a row before they are parsed: each would parse all the rest. */
static int check_depth(const struct tsh_engine *e, const struct tsh_lexer *lx, struct tsh_err *err)
{
	const char *p = lx->text + lx->pos, *last = p;
	unsigned int depth;
	size_t len, at;

	for (depth = e->nesting; depth <= NESTING_MAX && (len = before_command(p)); depth++) {
		last = p;
		p += len + strspn(p + len, " \t");
	}
	if (depth <= NESTING_MAX)
		return 0;
	at = (size_t)(last - lx->text);
	return tsh_err_at(err, (struct tsh_span){ at, at + before_command(last) },
			  "more than %d nested try", NESTING_MAX);
}

int tsh_run_statement(struct tsh_engine *e, struct tsh_lexer *lx, struct tsh_err *err)
{
	struct statement st = { 0 };
	struct tsh_lexer foreground = *lx;
	size_t end = lx->len;
	struct tsh_span name;
	const char *meaning = tsh_alias_at(e, lx, &name);
	int r;

	if (meaning)
		return tsh_alias_run(e, lx, name, meaning, err);
	if (check_depth(e, lx, err) < 0)
		return -1;
	st.background = tsh_lexer_is_background(lx, &end);
	foreground.len = end;
	r = parse_statement(e, st.background ? &foreground : lx, &st, err);
	if (st.background)
		lx->pos = end + 1;
	if (!r && st.background && !(st.call.cmd->flags & TSH_CMD_JOB))
		r = refuse_background(&st, end, err);
	e->statement = st.call.args.whole;
	if (e->session.dir)
		tsh_dir_forget_unread(e->session.dir);
	if (!r && e->syntax_only)
		r = check_syntax(e, &st, err);
	else if (!r && tsh_call_has_probes(&st.call))
		r = execute_with_probes(e, &st, err);
	else if (!r)
		r = execute(e, &st, err);
	if (!r)
		r = check_unread(&e->session, &st, err);
	if (e->session.dir)
		tsh_dir_forget_unread(e->session.dir);
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
		return tsh_err_at(err, span, "more than %d nested try", NESTING_MAX);
	tsh_lexer_init(&lx, e->input->text, span.end, &vars);
	lx.pos = span.begin;
	if (!tsh_lexer_next_command(&lx)) {
		tsh_err_at(err, span, "missing command");
		return -1;
	}
	e->nesting++;
	r = tsh_run_statement(e, &lx, err);
	e->nesting--;
	/* try decides what the failure of a sourced file means */
	e->failed = failed_before;
	return r;
}

static void report_failure(struct tsh_engine *e, const struct tsh_input *input, const struct tsh_err *err)
{
	bool no_tracefs = e->session.check && !e->session.dir && err->status == TSH_ENVIRONMENT;

	if (!no_tracefs || !e->noted_no_tracefs)
		tsh_report(e, input, "error", err);
	e->noted_no_tracefs |= no_tracefs;
	e->session.status = err->status;
	/* Prefers the status of a syntax error under -n, which reports several errors: a run would
	 * stop at the syntax error. */
	if (!e->failed || (e->session.check && err->status == TSH_USAGE))
		e->first_failure = err->status;
	e->failed = true;
}

bool tsh_engine_is_stopped(const struct tsh_engine *e)
{
	return e->at_prompt && e->loop->stopped;
}

/* Says whether the input goes on after this command. */
static bool after_command(struct tsh_engine *e, const struct tsh_input *input, int r,
			  struct tsh_err *err)
{
	bool carry_on = true;

	if (e->session.aborted || tsh_loop_aborted(e->loop)) {
		e->session.aborted = true;
		carry_on = false;
	} else if (r < 0) {
		/* a sourced file has printed its own error */
		if (tsh_err_is_set(err))
			report_failure(e, input, err);
		carry_on = e->keep_going || e->session.check || e->syntax_only ||
			   input->tolerant;
	} else if (e->session.quit || tsh_engine_is_stopped(e)) {
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
		int r = tsh_run_statement(e, &lx, &err);

		/* a command that could not be parsed leaves the cursor inside it */
		if (r < 0)
			tsh_lexer_skip_command(&lx);
		carry_on = after_command(e, input, r, &err);
	}
	e->stopped_at = lx.pos;
	return carry_on;
}

static bool run_here(struct tsh_engine *e, const struct tsh_input *text)
{
	const struct tsh_input *outer = e->input;
	struct tsh_input here = *text;
	struct tsh_place last = { 0 };
	bool carry_on;

	here.last = &last;
	e->input = &here;
	carry_on = run_commands(e, &here);
	e->input = outer;
	return carry_on;
}

bool tsh_read_ahead(struct tsh_engine *e, const struct tsh_input *texts, size_t n)
{
	bool failed_before = e->failed, whole;
	struct tsh_variables vars;
	struct tsh_aliases aliases;
	size_t i;

	tsh_engine_copy_vars(e, &vars);
	tsh_alias_copy(&e->session.aliases, &aliases);
	e->failed = false;
	e->syntax_only = true;
	for (i = 0; i < n; i++)
		run_here(e, &texts[i]);
	e->syntax_only = false;
	/* restores the names, which the texts define when they run */
	tsh_alias_release(&e->session.aliases);
	e->session.aliases = aliases;
	tsh_engine_release_vars(e);
	e->vars = vars;
	whole = !e->failed;
	e->failed |= failed_before;
	return whole;
}

bool tsh_run_input(struct tsh_engine *e, const struct tsh_input *input)
{
	/* checks the syntax of a whole text before the first command runs */
	bool ahead = !input->prompt && !input->tolerant && !e->session.check && !e->syntax_only;

	if (!ahead || tsh_read_ahead(e, input, 1))
		return run_here(e, input);
	/* Skips a text with a syntax error under --keep-going, which runs the other texts. */
	return e->keep_going && !e->session.aborted;
}

bool tsh_engine_read_ahead(struct tsh_engine *e, const struct tsh_text *texts, size_t n)
{
	TSH_VEC(struct tsh_input) inputs = { 0 };
	bool whole;
	size_t i;

	/* Leaves the check to each text's run under --keep-going and -n. */
	if (n < 2 || e->keep_going || e->session.check)
		return true;
	for (i = 0; i < n; i++)
		*tsh_vec_push(&inputs) = (struct tsh_input){ .name = texts[i].name, .text = texts[i].text,
							      .len = strlen(texts[i].text) };
	whole = tsh_read_ahead(e, inputs.v, n);
	tsh_vec_release(&inputs);
	return whole && !e->session.aborted;
}
