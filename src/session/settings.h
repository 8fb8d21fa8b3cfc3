/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_SESSION_SETTINGS_H
#define TRACESH_SESSION_SETTINGS_H

#include "cmd.h"

enum tsh_setting_kind {
	TSH_SETTING_CHOICE, TSH_SETTING_BOOL, TSH_SETTING_ZONE, TSH_SETTING_PROMPT,
	TSH_SETTING_COLUMNS, TSH_SETTING_SIZE
};

/* One setting of struct tsh_settings: `set`, completion and help read this table. */
struct tsh_setting {
	const char *name;
	enum tsh_setting_kind kind;
	size_t offset;			/* into struct tsh_settings: enum, bool or char * */
	const char *const *choices;	/* CHOICE: by value; BOOL: { "off", "on" } words */
	const char *help;
	const char *const *choice_help;	/* by value, as choices; NULL: the setting's says it all */
};

/* Says in words what may stand in a prompt. */
#define TSH_PROMPT_HELP \
	"%i the instance, and with a blank before it, where there is something to say, " \
	"%s off, %t the tracer, %n the number of enabled events, %l lost when events were " \
	"since the last prompt, %r read-only, %? the status of a command that failed; " \
	"%b bold, %d dim, %p plain; %% a percent sign"

extern const struct tsh_setting tsh_settings_table[];	/* a nameless entry ends it */

const struct tsh_setting *tsh_setting_find(const char *name);
/* What one of its choices does; never NULL. */
const char *tsh_setting_choice_help(const struct tsh_setting *setting, const char *choice);
/* The value as text; borrowed from the settings or the table. */
const char *tsh_setting_text(const struct tsh_settings *set, const struct tsh_setting *setting);

#endif
