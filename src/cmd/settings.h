/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_CMD_SETTINGS_H
#define TRACESH_CMD_SETTINGS_H

#include "tracesh/cmd.h"

enum tsh_setting_kind { TSH_SETTING_CHOICE, TSH_SETTING_BOOL, TSH_SETTING_STRING };

/* One setting of struct tsh_settings: `set`, completion and help read this table. */
struct tsh_setting {
	const char *name;
	enum tsh_setting_kind kind;
	size_t offset;			/* into struct tsh_settings: enum, bool or char * */
	const char *const *choices;	/* CHOICE: by value; BOOL: { "off", "on" } words */
	const char *help;
};

extern const struct tsh_setting tsh_settings_table[];	/* a nameless entry ends it */

/* The value as text; borrowed from the settings or the table. */
const char *tsh_setting_get(const struct tsh_settings *set, const struct tsh_setting *setting);
/* 0, or -1 with err (no span): not one of the choices. */
int tsh_setting_set(struct tsh_settings *set, const struct tsh_setting *setting,
		    const char *value, struct tsh_err *err);
const struct tsh_setting *tsh_setting_find(const char *name);

#endif
