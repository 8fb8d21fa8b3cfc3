/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_UI_LINE_H
#define TRACESH_UI_LINE_H

/* One line from the terminal: by readline, or plainly. A build has one of the two. */

#include <stdbool.h>

#include "session/cmd.h"
#include "shell/loop.h"

struct tsh_line;

/* How long after a terminal's end SIGHUP is waited for. */
#define TSH_HANGUP_MS 500

enum tsh_line_result {
	TSH_LINE_TEXT,
	TSH_LINE_EOF,		/* Ctrl-D, or nobody is there any more */
	TSH_LINE_DISCARDED,	/* Ctrl-C with something typed */
	TSH_LINE_NOTHING,	/* Ctrl-C with nothing typed */
	TSH_LINE_ABORT,		/* a signal that ends tracesh */
};

/* Both are borrowed. There is one at a time. What session->history has can be recalled. */
struct tsh_line *tsh_line_open(struct tsh_session *session, struct tsh_loop *loop, bool color);
/*
 * Shows the prompt and reads a line. `before`: the lines of the command so far, for
 * completion; NULL: this is no command, nothing is completed. *ret_text is set with
 * TSH_LINE_TEXT only; the caller frees it. It has newlines where text was pasted.
 * Between two calls the terminal is in its ordinary mode. What the prompt has
 * between \001 and \002 takes no columns.
 */
enum tsh_line_result tsh_line_read(struct tsh_line *line, const char *prompt,
				   const char *before, char **ret_text);
/*
 * The same for an answer: commands are not recalled, Escape discards it. `text` stands there
 * already, where lines can be edited.
 */
enum tsh_line_result tsh_line_ask(struct tsh_line *line, const char *prompt, const char *before,
				  const char *text, char **ret_text);
/* Drops what was typed and not read yet: it was for something else than what comes now. */
void tsh_line_forget_typed(struct tsh_line *line);
/* Whole lines above the one that is being read, if there is one. */
void tsh_line_print_above(struct tsh_line *line, const char *text, size_t len);
/* session->history has changed: all of it anew. */
void tsh_line_set_history(struct tsh_line *line, const struct tsh_history *history);
/* What was added to session->history. */
void tsh_line_add_history(struct tsh_line *line, const char *text);
/* Columns of the terminal. */
unsigned int tsh_line_columns(struct tsh_line *line);
void tsh_line_close(struct tsh_line *line);

#endif
