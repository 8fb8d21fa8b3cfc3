/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_PROGRAM_OPTIONS_H
#define TRACESH_PROGRAM_OPTIONS_H

/* The options of tracesh itself, and its command line for the completions of bash, zsh and fish. */

#include <stdbool.h>
#include <stddef.h>

#include "base/strbuf.h"

struct tsh_session;

/* Names what the program does for an option that is neither a setting nor a flag. */
enum tsh_program_action {
	TSH_PROGRAM_NONE, TSH_PROGRAM_COMMAND, TSH_PROGRAM_FILE, TSH_PROGRAM_INSTANCE, TSH_PROGRAM_NEW_INSTANCE,
	TSH_PROGRAM_TRACEFS, TSH_PROGRAM_OUTPUT, TSH_PROGRAM_COLOR, TSH_PROGRAM_NO_RC, TSH_PROGRAM_VERSION,
	TSH_PROGRAM_HELP, TSH_PROGRAM_HELP_MAN, TSH_PROGRAM_HELP_EXAMPLES, TSH_PROGRAM_COMPLETE
};

struct tsh_program_option {
	const char *name;		/* "--check"; NULL: it has a letter only */
	const char *shorter;		/* "-n"; NULL: it has none */
	const char *values;		/* the command whose argument its value is, or all values; "": a command line;
					 * NULL: it takes no value */
	const char *help;		/* for TAB; NULL: it is not offered */
	const char *setting;		/* the setting that it sets; NULL: none */
	const char *fixed;		/* to this; NULL: to its value */
	size_t flag;			/* 1 and the place of the bool in struct tsh_engine_options that it sets; 0: none */
	enum tsh_program_action action;
};

/* Ends with an entry without name and letter. */
extern const struct tsh_program_option tsh_program_options[];
/* Counts them, without the last entry. */
#define TSH_PROGRAM_OPTIONS 31

/* Holds what the words before the last say. All are borrowed from them. */
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
