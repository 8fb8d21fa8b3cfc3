/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_UI_LINE_H
#define TRACESH_UI_LINE_H

/* Reads one line from the terminal, by readline or without. A build has one of the two. */

#include <stdbool.h>

#include "session/session.h"
#include "shell/loop.h"

struct tsh_line;

/* Limits the wait for SIGHUP when the terminal is gone, in ms. */
#define TSH_HANGUP_MS 500

enum tsh_line_result {
	TSH_LINE_TEXT,
	TSH_LINE_EOF,		/* Ctrl-D, or the terminal is gone */
	TSH_LINE_DISCARDED,	/* Ctrl-C with something typed */
	TSH_LINE_NOTHING,	/* Ctrl-C with nothing typed */
	TSH_LINE_ABORT,		/* a signal that ends tracesh */
};

/* Opens the terminal; there is only one at a time. Borrows both. Lines of session->history can be
 * recalled. */
struct tsh_line *tsh_line_open(struct tsh_session *session, struct tsh_loop *loop, bool color);
/*
 * Shows the prompt, and reads a line. `before`: earlier lines of the command, for completion; NULL:
 * the line is no command, and nothing is completed. *ret_text is only set with TSH_LINE_TEXT; the
 * caller frees it. The text has newlines when text was pasted. Between two calls the terminal is in
 * its ordinary mode. Text of the prompt between \001 and \002 takes no columns.
 */
enum tsh_line_result tsh_line_read(struct tsh_line *line, const char *prompt,
				   const char *before, char **ret_text);
/* Reads an answer as tsh_line_read does, but without history, and Escape discards the line. The
 * line begins with `text`, if lines can be edited. */
enum tsh_line_result tsh_line_ask(struct tsh_line *line, const char *prompt, const char *before,
				  const char *text, char **ret_text);
/* Drops text that was typed ahead of a question. */
void tsh_line_forget_typed(struct tsh_line *line);
/* Prints complete lines, above the line that is being read if there is one. */
void tsh_line_print_above(struct tsh_line *line, const char *text, size_t len);
/* Reads all of session->history again, after a change. */
void tsh_line_set_history(struct tsh_line *line, const struct tsh_history *history);
/* Adds a line that was added to session->history. */
void tsh_line_add_history(struct tsh_line *line, const char *text);
/* Returns the columns of the terminal. */
unsigned int tsh_line_columns(struct tsh_line *line);
void tsh_line_close(struct tsh_line *line);

#endif
