/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_COMPLETE_PROGRAM_H
#define TRACESH_COMPLETE_PROGRAM_H

/* For the completions of bash, zsh and fish: the command line of tracesh itself. */

#include <stdbool.h>

#include "base/strbuf.h"

struct tsh_session;

/* What the words before the last say. All borrowed from them. */
struct tsh_program_words {
	const char *instance;		/* of -i and -I; NULL */
	bool creates;			/* -I: it need not be there */
	const char *tracefs;		/* of --tracefs; NULL */
	char **rest;			/* the first word that is no option's: of a command or a
					 * file; or the last, at the cursor */
	const struct tsh_program_option *value_of;	/* the option that waits for the last word */
};

/* Reads the words behind "tracesh", NULL at the end. */
void tsh_program_words_read(char **words, struct tsh_program_words *ret);
/* Appends "VALUE<TAB>DESCRIPTION" lines for the last of them. */
void tsh_program_words_complete(struct tsh_session *s, const struct tsh_program_words *words,
				struct tsh_strbuf *out);

#endif
