/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <termios.h>
#include <unistd.h>

#include "base/number.h"
#include "base/utf8.h"
#include "events/recording/record.h"
#include "keys.h"
#include "lang/lexer.h"
#include "line.h"
#include "matches.h"
#include "prompt.h"
#include "session/history.h"
#include "shell-command.h"

/* Runs the prompt: reads and runs commands until the user leaves. */

struct ui {
	struct tsh_engine *engine;
	struct tsh_session *session;
	struct tsh_loop *loop;
	struct tsh_line *line;
	struct tsh_history history;
	bool remembered;		/* the history gets what is run */
	struct tsh_prompt_memory memory;
	struct tsh_keys keys;
	const struct tsh_strbuf *below;	/* text of a command at the end of the screen, see struct
					 * tsh_terminal; or NULL */
	unsigned int below_rows;
	bool color;
	bool noted_how_to_quit;
};

static void print_text(const char *text)
{
	fputs(text, stdout);
	fflush(stdout);
}

static void print_banner(struct ui *ui)
{
	const struct tsh_session *s = ui->session;
	struct tsh_strbuf text = TSH_STRBUF_INIT;
	const char *path = s->dir ? s->dir->path : "no tracefs";
	bool is_tree = s->in && s->dir->kind == TSH_DIR_TREE;
	char *recorded = is_tree ? tsh_tree_info(s->in, "kernel") : NULL;
	struct utsname name;

	tsh_strbuf_addf(&text, "tracesh %s, ", PACKAGE_VERSION);
	if (recorded) {
		tsh_strbuf_adds(&text, "recorded on ");
		tsh_sanitize(&text, recorded, strlen(recorded));
		tsh_strbuf_adds(&text, ", ");
	} else if (!is_tree && !uname(&name)) {
		tsh_sanitize(&text, name.sysname, strlen(name.sysname));
		tsh_strbuf_addc(&text, ' ');
		tsh_sanitize(&text, name.release, strlen(name.release));
		tsh_strbuf_adds(&text, ", ");
	}
	tsh_sanitize(&text, path, strlen(path));
	tsh_strbuf_adds(&text, "; help, TAB, quit\n");
	free(recorded);
	if (!s->out->quiet)
		print_text(text.buf);
	tsh_strbuf_release(&text);
	/* prints the error at once, not only for the first command */
	if (!s->dir && tsh_err_is_set(&s->dir_err))
		tsh_engine_report(ui->engine, &s->dir_err);
}

static void show_job(void *ctx, const char *text, size_t len)
{
	struct ui *ui = ctx;

	if (!ui->below) {
		tsh_line_print_above(ui->line, text, len);
		return;
	}
	if (ui->below_rows)
		printf("\033[%uA", ui->below_rows);
	fputs("\r\033[J", stdout);
	tsh_line_print_above(ui->line, text, len);
	print_text(ui->below->buf);
}

static void show_below(void *ctx, const struct tsh_strbuf *text, unsigned int rows)
{
	struct ui *ui = ctx;

	ui->below = text;
	ui->below_rows = rows;
}

/* Shows output of jobs when no line is being read any more. */
static void show_plainly(void *ctx, const char *text, size_t len)
{
	(void)ctx;
	fwrite(text, 1, len, stdout);
	fflush(stdout);
}

/* Prints once how to leave, after Ctrl-C on an empty line. */
static void note_how_to_quit(struct ui *ui)
{
	if (!ui->noted_how_to_quit)
		print_text("quit or Ctrl-D leaves\n");
	ui->noted_how_to_quit = true;
}

/* Reads a command: one line, and more lines while the command is unfinished. *ret_width: the
 * columns before the line on the screen. */
static enum tsh_line_result read_command(struct ui *ui, struct tsh_strbuf *text,
					 size_t *ret_width)
{
	enum tsh_line_result result;
	struct tsh_prompt prompt;
	char *line = NULL, open;

	tsh_engine_read_jobs(ui->engine);
	if (tsh_history_refresh(&ui->history))
		tsh_line_set_history(ui->line, &ui->history);
	tsh_prompt_of(ui->session, ui->color, &ui->memory, &prompt);
	*ret_width = prompt.width;
	result = tsh_line_read(ui->line, prompt.text.buf, "", &line);
	tsh_prompt_release(&prompt);
	while (result == TSH_LINE_TEXT) {
		tsh_strbuf_adds(text, line);
		free(line);
		open = text->buf[0] == '!' ? '\0' : tsh_lexer_unfinished(text->buf, text->len);
		if (!open)
			return TSH_LINE_TEXT;
		tsh_strbuf_addc(text, '\n');
		tsh_prompt_continuation(open, &prompt);
		result = tsh_line_read(ui->line, prompt.text.buf, text->buf, &line);
		tsh_prompt_release(&prompt);
		/* Ctrl-D ends the command, not the shell */
		if (result == TSH_LINE_EOF || result == TSH_LINE_NOTHING)
			result = TSH_LINE_DISCARDED;
	}
	return result;
}

/* Returns the length of the commands for tracesh at the start of a text: the whole text, or up to a
 * line that begins with '!' (in a pasted text). */
static size_t own_commands(const char *text)
{
	const char *p = text;

	while ((p = strstr(p, "\n!"))) {
		p++;
		if (!tsh_lexer_unfinished(text, (size_t)(p - text)))
			return (size_t)(p - text);
	}
	return strlen(text);
}

/* Says whether the typed line fits into one row of the screen, so that a caret can stand below.
 * Other lines are printed again above the caret. */
static bool fits_a_row(struct ui *ui, const char *text, size_t width)
{
	return !strchr(text, '\t') &&
	       width + tsh_utf8_width(text, strlen(text)) < tsh_line_columns(ui->line);
}

/* Shows help for a '?' as the last word, if no key has handled it. */
static bool explained(struct ui *ui, const char *text, size_t len)
{
	struct tsh_matches matches = { 0 };
	char *line;
	bool done;

	if (!len || text[len - 1] != '?' || (len > 1 && !strchr(" \t;", text[len - 2])))
		return false;
	line = tsh_xstrndup(text, len - 1);
	done = tsh_matches_explain(&matches, ui->session, line, stdout, 24,
				   tsh_line_columns(ui->line), ui->color);
	fflush(stdout);
	tsh_matches_release(&matches);
	free(line);
	return done;
}

/* Runs commands. *ret_len: bytes of the text that were run, up to the first failure. */
static bool run_own(struct ui *ui, const char *text, size_t len, size_t width, size_t *ret_len)
{
	struct tsh_strbuf line = TSH_STRBUF_INIT;
	bool carry_on;

	*ret_len = len;
	if (explained(ui, text, len))
		return true;
	tsh_strbuf_add(&line, text, len);
	if (!fits_a_row(ui, line.buf, width))
		tsh_strbuf_addc(&line, '\n');
	carry_on = tsh_engine_run_line(ui->engine, line.buf, width, ret_len);
	if (*ret_len > len)
		*ret_len = len;
	tsh_strbuf_release(&line);
	return carry_on;
}

static void warn_not_run(struct ui *ui, const char *text)
{
	size_t n = 0;

	/* skips the rest of the failed line, behind a ';' */
	for (; *text; text++)
		n += *text == '\n' && text[1] && text[1] != '\n';
	if (!n)
		return;
	tsh_out_warn(ui->session->out, "%zu more pasted line%s not run%s",
		     n, n == 1 ? " was" : "s were", ui->remembered ? "; Up shows the whole text" : "");
}

/* Begins a new line when the terminal has shown ^C. */
static void end_echo(void)
{
	struct termios mode;

	if (!tcgetattr(STDIN_FILENO, &mode) && (mode.c_lflag & ECHO))
		print_text("\n");
}

/* Runs a command. Of a pasted text nothing is run after the first failure, or Ctrl-C. Returns false
 * to leave. */
static bool run_command(struct ui *ui, const char *text, size_t width)
{
	bool carry_on = true;

	ui->loop->interrupted = end_echo;
	ui->loop->stopped = false;
	while (carry_on && *text) {
		size_t len = *text == '!' ? strcspn(text, "\n") : own_commands(text);

		if (*text == '!')
			carry_on = tsh_shell_command(ui->engine, ui->loop, text + 1, len - 1);
		else
			carry_on = run_own(ui, text, len, width, &len);
		text += len;
		if (ui->session->status || ui->loop->stopped)
			break;
		text += *text == '\n';
	}
	ui->loop->interrupted = NULL;
	if (carry_on)
		warn_not_run(ui, text);
	return carry_on;
}

/* Says whether a text is the word, or the beginning of the word, in any case: Y means yes. */
static bool is_word(const char *text, const char *word)
{
	return *text && !strncasecmp(word, text, strlen(text));
}

enum answer { ANSWER_NONE, ANSWER_KEEP, ANSWER_RESTORE, ANSWER_CANCEL };

static enum answer read_answer(struct ui *ui, const char *question)
{
	char *text = NULL;
	enum answer answer = ANSWER_NONE;

	switch (tsh_line_ask(ui->line, question, NULL, NULL, &text)) {
	case TSH_LINE_TEXT:
		text[strcspn(text, " \t\n")] = '\0';
		if (!*text || is_word(text, "cancel"))
			answer = ANSWER_CANCEL;
		else if (is_word(text, "keep"))
			answer = ANSWER_KEEP;
		else if (is_word(text, "restore"))
			answer = ANSWER_RESTORE;
		else
			print_text("k to keep, r to restore, Enter to go on with the session\n");
		free(text);
		return answer;
	case TSH_LINE_EOF:
		return ANSWER_RESTORE;
	case TSH_LINE_ABORT:
		ui->session->aborted = true;
		return ANSWER_RESTORE;
	default:
		return ANSWER_CANCEL;
	}
}

/* Prints the number of unread events as a line of its own, because a question that is wider than
 * the screen is hard to read. */
static void note_unread(struct ui *ui, uint64_t unread)
{
	struct tsh_strbuf count = TSH_STRBUF_INIT;

	tsh_format_count(unread, &count);
	if (unread)
		tsh_out_note(ui->session->out, "%s event%s not read", count.buf,
			     unread == 1 ? " was" : "s were");
	tsh_strbuf_release(&count);
}

/* Asks a question for a command; only yes counts as one. */
static enum tsh_answer confirm(void *ctx, const char *question)
{
	struct ui *ui = ctx;
	char *prompt = tsh_sanitize_dup(question);
	enum tsh_line_result result;
	const struct tsh_strbuf *below = ui->below;
	bool again, yes = false;

	/* leaves out the text of watch, which is not below this line */
	ui->below = NULL;
	/* commands that were typed ahead are no answers */
	tsh_line_forget_typed(ui->line);
	do {
		char *text = NULL;

		again = false;
		result = tsh_line_ask(ui->line, prompt, NULL, NULL, &text);
		if (result == TSH_LINE_TEXT) {
			text[strcspn(text, " \t\n")] = '\0';
			yes = is_word(text, "yes");
			again = !yes && *text && !is_word(text, "no");
			free(text);
		}
		if (again)
			print_text("y goes ahead, Enter does not\n");
	} while (again);
	if (result == TSH_LINE_ABORT)
		ui->session->aborted = true;
	ui->below = below;
	free(prompt);
	return yes ? TSH_ANSWER_YES : TSH_ANSWER_NO;
}

static int keys_begin(void *ctx)
{
	struct ui *ui = ctx;

	return tsh_keys_begin(&ui->keys);
}

static int keys_read(void *ctx)
{
	struct ui *ui = ctx;

	return tsh_keys_read(&ui->keys);
}

static char *keys_ask(void *ctx, const char *prompt, const char *before, const char *begun)
{
	struct ui *ui = ctx;
	char *text = NULL;

	tsh_keys_end(&ui->keys);
	if (tsh_line_ask(ui->line, prompt, before, begun, &text) != TSH_LINE_TEXT)
		text = NULL;
	tsh_keys_begin(&ui->keys);
	return text;
}

static void keys_end(void *ctx)
{
	struct ui *ui = ctx;

	tsh_keys_end(&ui->keys);
}

static const struct tsh_terminal terminal = {
	.confirm = confirm, .keys_begin = keys_begin, .keys_read = keys_read,
	.keys_ask = keys_ask, .keys_end = keys_end, .show_below = show_below,
};

/* Says whether the session may end now: asks what to do with settings that were changed. */
static bool may_quit(struct ui *ui, bool *ret_restore)
{
	unsigned int changes = tsh_engine_changes(ui->engine);
	enum answer answer = ANSWER_NONE;
	char *question;

	if (ui->session->aborted || !changes || ui->session->is_private ||
	    ui->session->settings.at_exit != TSH_AT_EXIT_ASK)
		return true;
	note_unread(ui, tsh_engine_unread(ui->engine));
	tsh_engine_note_changes(ui->engine);
	question = tsh_xasprintf("%u setting%s changed: keep, restore or cancel? [cancel] ",
				 changes, changes == 1 ? " was" : "s were");
	while (answer == ANSWER_NONE)
		answer = read_answer(ui, question);
	free(question);
	*ret_restore = answer == ANSWER_RESTORE;
	if (answer != ANSWER_CANCEL)
		return true;
	ui->session->quit = false;
	ui->session->quit_status = -1;
	return false;
}

/* Notes that the history has no file, and so only has this session's commands. */
static void note_no_file(struct ui *ui, struct tsh_err *err)
{
	if (tsh_err_is_set(err))
		tsh_out_note(ui->session->out, "the history is not saved: %s", err->message);
	tsh_err_release(err);
}

static void remember(struct ui *ui, const char *text)
{
	struct tsh_err err = { 0 };

	ui->remembered = tsh_history_add(&ui->history, text, &err);
	if (ui->remembered)
		tsh_line_add_history(ui->line, text);
	note_no_file(ui, &err);
}

/* Reads and runs one command. Returns false to leave. */
static bool one_command(struct ui *ui)
{
	struct tsh_strbuf text = TSH_STRBUF_INIT;
	bool carry_on = true;
	size_t width;

	switch (read_command(ui, &text, &width)) {
	case TSH_LINE_TEXT:
		tsh_strbuf_rtrim(&text);
		remember(ui, text.buf);
		carry_on = run_command(ui, text.buf, width);
		break;
	case TSH_LINE_EOF:
		carry_on = false;
		break;
	case TSH_LINE_NOTHING:
		note_how_to_quit(ui);
		break;
	case TSH_LINE_DISCARDED:
		break;
	case TSH_LINE_ABORT:
		ui->session->aborted = true;
		carry_on = false;
		break;
	}
	tsh_strbuf_release(&text);
	return carry_on;
}

int tsh_ui_run(struct tsh_engine *e, struct tsh_loop *loop, bool color, bool *ret_restore)
{
	struct ui ui = {
		.engine = e, .session = tsh_engine_session(e), .loop = loop, .color = color,
	};
	struct tsh_err err = { 0 };

	*ret_restore = false;
	/* Ctrl-\ must not end the session by mistake. */
	loop->quit_interrupts = true;
	tsh_history_open(&ui.history, !ui.session->read_only, &err);
	ui.session->history = &ui.history;
	ui.line = tsh_line_open(ui.session, loop, color);
	ui.session->terminal = &terminal;
	ui.session->terminal_ctx = &ui;
	tsh_engine_show_jobs(e, show_job, &ui);
	print_banner(&ui);
	note_no_file(&ui, &err);
	for (;;) {
		if (!one_command(&ui) && may_quit(&ui, ret_restore))
			break;
	}
	ui.session->terminal = NULL;
	loop->quit_interrupts = false;
	tsh_engine_show_jobs(e, show_plainly, NULL);
	tsh_line_close(ui.line);
	ui.session->history = NULL;
	tsh_prompt_memory_release(&ui.memory);
	tsh_history_release(&ui.history);
	return 0;
}
