/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tracesh/ui.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "line.h"
#include "prompt.h"
#include "shell-command.h"
#include "tracesh/lexer.h"
#include "tracesh/utf8.h"

/* The prompt: read a command, run it, until somebody leaves. */

struct ui {
	struct tsh_engine *engine;
	struct tsh_session *session;
	struct tsh_loop *loop;
	struct tsh_line *line;
	bool color;
	bool said_how_to_leave;
};

static void say(const char *text)
{
	fputs(text, stdout);
	fflush(stdout);
}

static void print_banner(struct ui *ui)
{
	const struct tsh_session *s = ui->session;
	struct tsh_strbuf text = TSH_STRBUF_INIT;
	const char *path = s->dir ? s->dir->path : "no tracefs";
	struct utsname name;

	tsh_strbuf_addf(&text, "tracesh %s, ", PACKAGE_VERSION);
	if (!uname(&name)) {
		tsh_sanitize(&text, name.sysname, strlen(name.sysname));
		tsh_strbuf_addc(&text, ' ');
		tsh_sanitize(&text, name.release, strlen(name.release));
		tsh_strbuf_adds(&text, ", ");
	}
	tsh_sanitize(&text, path, strlen(path));
	tsh_strbuf_adds(&text, "; help, TAB, quit\n");
	if (!s->out->quiet)
		say(text.buf);
	tsh_strbuf_release(&text);
	/* Now, and not only when the first command fails for want of it. */
	if (!s->dir && tsh_err_is_set(&s->dir_err))
		tsh_engine_report(ui->engine, &s->dir_err);
}

/* Ctrl-C on an empty line: once, what would help. */
static void say_how_to_leave(struct ui *ui)
{
	if (!ui->said_how_to_leave)
		say("quit or Ctrl-D leaves\n");
	ui->said_how_to_leave = true;
}

/*
 * A command: one line, and more while it is unfinished. *ret_width: the columns
 * before it on the screen.
 */
static enum tsh_line_result read_command(struct ui *ui, struct tsh_strbuf *text,
					 size_t *ret_width)
{
	enum tsh_line_result result;
	struct tsh_prompt prompt;
	char *line = NULL;

	tsh_prompt_of(ui->session, ui->color, &prompt);
	*ret_width = prompt.width;
	result = tsh_line_read(ui->line, prompt.text.buf, "", &line);
	tsh_prompt_release(&prompt);
	while (result == TSH_LINE_TEXT) {
		tsh_strbuf_adds(text, line);
		free(line);
		if (text->buf[0] == '!' || !tsh_lexer_is_unfinished(text->buf, text->len))
			return TSH_LINE_TEXT;
		tsh_strbuf_addc(text, '\n');
		tsh_prompt_more(&prompt);
		result = tsh_line_read(ui->line, prompt.text.buf, text->buf, &line);
		tsh_prompt_release(&prompt);
		/* Ctrl-D gives up the command, not the shell. */
		if (result == TSH_LINE_EOF || result == TSH_LINE_NOTHING)
			result = TSH_LINE_DISCARDED;
	}
	return result;
}

/* The end of the commands for tracesh at the start of text: its own end, or a line
 * that begins with '!' (in a pasted text). */
static size_t own_commands(const char *text)
{
	const char *p = text;

	while ((p = strstr(p, "\n!"))) {
		p++;
		if (!tsh_lexer_is_unfinished(text, (size_t)(p - text)))
			return (size_t)(p - text);
	}
	return strlen(text);
}

/* A caret stands below the typed line, unless that is not one row of the screen; with
 * a newline in it the line is shown again. */
static bool fits_a_row(struct ui *ui, const char *text, size_t width)
{
	return !strchr(text, '\t') &&
	       width + tsh_utf8_width(text, strlen(text)) < tsh_line_columns(ui->line);
}

static bool run_own(struct ui *ui, const char *text, size_t len, size_t width)
{
	struct tsh_strbuf line = TSH_STRBUF_INIT;
	bool carry_on;

	tsh_strbuf_add(&line, text, len);
	if (!fits_a_row(ui, line.buf, width))
		tsh_strbuf_addc(&line, '\n');
	carry_on = tsh_engine_run_line(ui->engine, line.buf, width);
	tsh_strbuf_release(&line);
	return carry_on;
}

/* False: leave. Of a pasted text nothing is run behind the first failure. */
static bool run_command(struct ui *ui, const char *text, size_t width)
{
	bool carry_on = true, first = true;

	for (; carry_on && *text && (first || !ui->session->status); first = false) {
		size_t len = *text == '!' ? strcspn(text, "\n") : own_commands(text);

		if (*text == '!')
			carry_on = tsh_shell_command(ui->engine, ui->loop, text + 1, len - 1);
		else
			carry_on = run_own(ui, text, len, width);
		text += len;
		text += *text == '\n';
	}
	return carry_on;
}

static bool is_word(const char *text, const char *word)
{
	return *text && !strncmp(word, text, strlen(text));
}

enum answer { ANSWER_NONE, ANSWER_KEEP, ANSWER_RESTORE, ANSWER_CANCEL };

static enum answer read_answer(struct ui *ui, const char *question)
{
	char *text = NULL;
	enum answer answer = ANSWER_NONE;

	switch (tsh_line_read(ui->line, question, NULL, &text)) {
	case TSH_LINE_TEXT:
		text[strcspn(text, " \t\n")] = '\0';
		if (!*text || is_word(text, "cancel"))
			answer = ANSWER_CANCEL;
		else if (is_word(text, "keep"))
			answer = ANSWER_KEEP;
		else if (is_word(text, "restore"))
			answer = ANSWER_RESTORE;
		else
			say("k, r, or Enter to go on\n");
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

/* Whether one may leave now: asks what becomes of the settings that were changed. */
static bool may_leave(struct ui *ui, bool *ret_restore)
{
	unsigned int changes = tsh_engine_changes(ui->engine);
	enum answer answer = ANSWER_NONE;
	char *question;

	if (ui->session->aborted || !changes ||
	    ui->session->settings.at_exit != TSH_AT_EXIT_ASK)
		return true;
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

/* One round. False: leave. */
static bool one_command(struct ui *ui)
{
	struct tsh_strbuf text = TSH_STRBUF_INIT;
	bool carry_on = true;
	size_t width;

	switch (read_command(ui, &text, &width)) {
	case TSH_LINE_TEXT:
		tsh_strbuf_rtrim(&text);
		tsh_line_add_history(ui->line, text.buf);
		carry_on = run_command(ui, text.buf, width);
		break;
	case TSH_LINE_EOF:
		carry_on = false;
		break;
	case TSH_LINE_NOTHING:
		say_how_to_leave(ui);
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

	*ret_restore = false;
	ui.line = tsh_line_open(ui.session, loop, color);
	print_banner(&ui);
	for (;;) {
		if (!one_command(&ui) && may_leave(&ui, ret_restore))
			break;
	}
	tsh_line_close(ui.line);
	return 0;
}
