/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_HELP_RECIPE_FILES_H
#define TRACESH_HELP_RECIPE_FILES_H

/* Finds the batch files that come with tracesh, which `make install` copies into one folder. */

#include "base/strbuf.h"
#include "base/vec.h"

/* Holds the name of a batch file and its second line, "# What it shows: NAME.tsh ARGUMENTS".
 * `usage` is the name alone when the line has none. */
struct tsh_recipe {
	char *name;
	char *usage;
	char *shows;
};

/* Returns the path of the batch file of that name, which the caller frees; NULL when there is
 * none. */
char *tsh_recipe_path(const char *name);
/* Returns the folder: $TRACESH_RECIPES, or the configured one. Borrowed. */
const char *tsh_recipes_folder(void);
/* Appends the file names, sorted. Returns false when there is no such folder. */
bool tsh_recipes_list(struct tsh_strlist *ret);
/* Reads the second line of the file of that name. The caller releases *ret. */
void tsh_recipe_read(const char *name, struct tsh_recipe *ret);
void tsh_recipe_release(struct tsh_recipe *recipe);

#endif
