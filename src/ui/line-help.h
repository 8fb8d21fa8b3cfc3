/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_UI_LINE_HELP_H
#define TRACESH_UI_LINE_HELP_H

#include "line-hint.h"
#include "matches.h"

/* Holds what TAB and '?' need to know of the line that readline reads. */
struct tsh_line_help {
	struct tsh_session *session;
	struct tsh_line_hint *hint;
	bool color;
	const char *before;		/* earlier lines of the command; NULL: shows no help */
	struct tsh_matches matches;
	char *shown_text;		/* text that was shown instead of a bell; or NULL */
	bool is_muted;			/* readline's bell is off for this key */
	bool explained;			/* this key has shown help */
	bool explained_before;		/* the key before it has shown help */
};

/* Installs TAB and '?' in readline. The struct is borrowed, and must stay where it is. */
void tsh_line_help_install(struct tsh_line_help *help);
/* Lets readline handle the key that waits: rl_callback_read_char. */
void tsh_line_help_key(struct tsh_line_help *help);
/* Forgets the shown text, when the line is complete. */
void tsh_line_help_end(struct tsh_line_help *help);

#endif
