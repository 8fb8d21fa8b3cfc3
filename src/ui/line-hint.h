/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_UI_LINE_HINT_H
#define TRACESH_UI_LINE_HINT_H

/* What comes next in the command, dimly behind the cursor of readline's line. */

#include "session/cmd.h"

struct tsh_line_hint {
	const struct tsh_session *session;	/* its settings say whether */
	bool is_possible;		/* a terminal that can draw it, with colour */
	const char *before;		/* of the command so far; NULL: this is no command */
	size_t prompt_width;		/* columns */
	bool is_shown;
};

/* After rl_initialize(): readline makes no use of the terminal's description when it finds
 * another function for its display there. There is one hint; it is borrowed. */
void tsh_line_hint_install(struct tsh_line_hint *hint);
/* Takes it off the screen, with the cursor where it was when it was drawn: before anything
 * is written that readline does not know of. */
void tsh_line_hint_erase(struct tsh_line_hint *hint);
/* rl_resize_terminal(), which redraws wrapped lines only with readline's own function. */
void tsh_line_hint_resize(struct tsh_line_hint *hint);
/* Columns of a prompt, without what stands between \001 and \002. */
size_t tsh_line_prompt_width(const char *prompt);

#endif
