/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_UI_LINE_HINT_H
#define TRACESH_UI_LINE_HINT_H

/* Shows, dimly behind the cursor of readline's line, what can come next in the command. */

#include "session/session.h"

struct tsh_line_hint {
	const struct tsh_session *session;	/* has the setting `hints` */
	bool is_possible;		/* the terminal can move its cursor, and has colour */
	const char *before;		/* earlier lines of the command; NULL: this is no command */
	size_t prompt_width;		/* in columns */
	bool is_shown;
};

/*
 * Installs the hint, which is borrowed; there is only one. Must be called after rl_initialize():
 * readline ignores the description of the terminal when it finds another display function by then.
 */
void tsh_line_hint_install(struct tsh_line_hint *hint);
/* Erases the hint, and puts the cursor back. Must be called before any output that does not come
 * from readline. */
void tsh_line_hint_erase(struct tsh_line_hint *hint);
/* Does rl_resize_terminal(), which only redraws wrapped lines with readline's own display
 * function. */
void tsh_line_hint_resize(struct tsh_line_hint *hint);
/* Returns the columns of a prompt, without what stands between \001 and \002. */
size_t tsh_line_prompt_width(const char *prompt);

#endif
