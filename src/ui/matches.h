/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_UI_MATCHES_H
#define TRACESH_UI_MATCHES_H

/* Offers completion in the form that a line editor needs. */

#include <stdio.h>

#include "complete/complete.h"
#include "session/session.h"

struct tsh_matches {
	struct tsh_completion found;
	size_t shown_from;		/* length of the folder, which the list does not show */
};

/*
 * Returns the matches for the end of `line`, as replacements of the bytes from `start` on, where
 * the editor's word begins. The list has the common beginning first, then all matches; or just the
 * only match; and ends with NULL. All are malloc'd. Returns NULL when there is no match.
 * *ret_partial: no blank belongs behind the only match.
 */
char **tsh_matches_find(struct tsh_matches *m, struct tsh_session *s, const char *line,
			size_t start, bool *ret_partial);
/* Lists what was found last, at most a screenful. */
void tsh_matches_show(const struct tsh_matches *m, FILE *out, size_t rows, size_t columns,
		      bool color);
/* Explains the position at the end of `line`, and lists the matches. Returns false, and shows
 * nothing, for a position in a text for another program. */
bool tsh_matches_explain(struct tsh_matches *m, struct tsh_session *s, const char *line, FILE *out,
			 size_t rows, size_t columns, bool color);
void tsh_matches_release(struct tsh_matches *m);

#endif
