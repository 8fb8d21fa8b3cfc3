/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_SESSION_SETTINGS_H
#define TRACESH_SESSION_SETTINGS_H

#include <stdbool.h>
#include <stddef.h>

#include "events/clock/clock.h"
#include "library/library.h"
#include "output/output.h"

enum tsh_at_exit { TSH_AT_EXIT_ASK, TSH_AT_EXIT_KEEP, TSH_AT_EXIT_RESTORE };

/* `set NAME VALUE`; the table is in settings.c. */
struct tsh_settings {
	enum tsh_format format;
	enum tsh_time_style time;
	bool precision_ns;
	bool show_error;
	bool pointers_hidden;
	enum tsh_decoders decoders;
	bool pipefail;
	bool show_writes;
	bool hints_off;		/* at the prompt */
	bool unasked;		/* confirm off, --yes: go ahead with everything */
	enum tsh_at_exit at_exit;
	bool pager_off;
	char *tz;		/* of the zone database, or a rule; NULL: the machine's */
	char *columns;		/* of events in text, with commas between; NULL: the usual ones */
	char *prompt;		/* a template; NULL: tsh_prompt_default */
	char *pool;		/* a size: memory for what is read and decoded; NULL: the usual */
};

/* What the prompt is made of; '%' and a letter are explained by `help set`. */
extern const char tsh_prompt_default[];

/* Sets a setting by a name that exists. -1 with err: not one of its values. */
int tsh_settings_assign(struct tsh_settings *set, const char *name, const char *value,
			struct tsh_err *err);

/* .pool in bytes; 0: the usual. */
size_t tsh_settings_pool(const struct tsh_settings *set);

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
