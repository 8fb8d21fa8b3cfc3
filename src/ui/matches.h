/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_UI_MATCHES_H
#define TRACESH_UI_MATCHES_H

/* Completion in the shape that a line editor wants. */

#include <stdio.h>

#include "complete/complete.h"
#include "session/cmd.h"

struct tsh_matches {
	struct tsh_completion found;
	size_t shown_from;		/* bytes of each that the list leaves out: the directory */
};

/*
 * What can stand at the end of `line`, as replacements of its bytes from `start` on
 * (the editor's idea of the word): the common beginning, then the matches, or only
 * the one match, and NULL at the end. NULL when there is none. malloc'd, each of
 * them. *ret_partial: no blank belongs behind the one match.
 */
char **tsh_matches_find(struct tsh_matches *m, struct tsh_session *s, const char *line,
			size_t start, bool *ret_partial);
/* Lists what was found last, at most a screen of it. */
void tsh_matches_show(const struct tsh_matches *m, FILE *out, size_t rows, size_t columns,
		      bool color);
/*
 * Explains the position at the end of `line`, and lists what can stand there. False: it is
 * in a text that is not tracesh's, nothing is shown.
 */
bool tsh_matches_explain(struct tsh_matches *m, struct tsh_session *s, const char *line, FILE *out,
			 size_t rows, size_t columns, bool color);
void tsh_matches_release(struct tsh_matches *m);

#endif
