/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_SESSION_SETTINGS_H
#define TRACESH_SESSION_SETTINGS_H

#include <stdbool.h>
#include <stddef.h>

#include "events/clock/clock.h"
#include "library/library.h"
#include "output/output.h"

enum tsh_at_exit { TSH_AT_EXIT_ASK, TSH_AT_EXIT_KEEP, TSH_AT_EXIT_RESTORE };

/* Holds the values of `set NAME VALUE`; the table is in settings.c. */
struct tsh_settings {
	enum tsh_format format;
	enum tsh_time_style time;
	bool precision_ns;
	bool show_error;
	bool pointers_hidden;
	enum tsh_decoders decoders;
	bool pipefail;
	bool show_writes;
	bool hints_off;		/* only used at the prompt */
	bool confirm_off;	/* confirm off, --yes: asks no question */
	enum tsh_at_exit at_exit;
	bool pager_off;
	char *tz;		/* name in the zone database, or a rule; NULL: the machine's */
	char *columns;		/* columns of events, with commas between; NULL: the default */
	char *prompt;		/* a template; NULL: tsh_prompt_default */
	char *threads;		/* number of threads that print events; NULL: chosen by the load */
	char *pool;		/* size of the memory for reading and decoding; NULL: the default */
};

/* Holds the default of .prompt; `help set` explains '%' and a letter. */
extern const char tsh_prompt_default[];

/* Sets a setting, whose name must exist. Returns 0, or -1 with err when the value is not
 * allowed. */
int tsh_settings_assign(struct tsh_settings *set, const char *name, const char *value,
			struct tsh_err *err);

/* Returns how many threads may print events: .threads, or half of the CPUs that may be used, but 8 at
 * most. At least 1. */
unsigned int tsh_settings_threads(const struct tsh_settings *set);
/* Returns .pool in bytes; 0: the default. */
size_t tsh_settings_pool(const struct tsh_settings *set);

enum tsh_setting_kind {
	TSH_SETTING_CHOICE, TSH_SETTING_BOOL, TSH_SETTING_ZONE, TSH_SETTING_PROMPT,
	TSH_SETTING_COLUMNS, TSH_SETTING_SIZE, TSH_SETTING_THREADS
};

/* Describes one setting of struct tsh_settings. `set`, completion and help read this table. */
struct tsh_setting {
	const char *name;
	enum tsh_setting_kind kind;
	size_t offset;			/* offset of an enum, bool or char * */
	const char *const *choices;	/* CHOICE: names by value; BOOL: words for false and true */
	const char *help;
	const char *const *choice_help;	/* texts by value; NULL: `help` is enough */
};

/* Explains the codes that a prompt may have. */
#define TSH_PROMPT_HELP \
	"%i the instance; with a blank before it, and only when it applies: " \
	"%s off, %t the tracer, %n the number of enabled events, %l lost when events were " \
	"since the last prompt, %r read-only, %? the status of a command that failed; " \
	"%b bold, %d dim, %p plain; %% a percent sign"

extern const struct tsh_setting tsh_settings_table[];	/* ends with an entry without a name */

/* Returns the setting of that name, or NULL. */
const struct tsh_setting *tsh_setting_find(const char *name);
/* Returns the help of a choice, or that of the setting; never NULL. */
const char *tsh_setting_choice_help(const struct tsh_setting *setting, const char *choice);
/* Returns the value as text, borrowed from the settings or the table. */
const char *tsh_setting_text(const struct tsh_settings *set, const struct tsh_setting *setting);

#endif
