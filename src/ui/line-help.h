/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_UI_LINE_HELP_H
#define TRACESH_UI_LINE_HELP_H

#include "line-hint.h"
#include "matches.h"

/* What TAB and '?' show of the line that readline reads. */
struct tsh_line_help {
	struct tsh_session *session;
	struct tsh_line_hint *hint;
	bool color;
	const char *before;		/* of the command so far; NULL: there is nothing to show */
	struct tsh_matches matches;
	char *told;			/* of this line, instead of a bell; NULL: nothing yet */
	bool is_muted;			/* readline's bell, for this key */
	bool explained;			/* by this key */
	bool explained_before;		/* by the key before it */
};

/* Has readline ask this one, which stays where it is. */
void tsh_line_help_install(struct tsh_line_help *help);
/* Gives readline the key that waits for it: rl_callback_read_char. */
void tsh_line_help_key(struct tsh_line_help *help);
/* The line is done. */
void tsh_line_help_end(struct tsh_line_help *help);

#endif
