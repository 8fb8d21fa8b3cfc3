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

const struct tsh_setting *tsh_setting_find(const char *name);

#endif
