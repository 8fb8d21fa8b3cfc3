/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_HELP_RECIPE_FILES_H
#define TRACESH_HELP_RECIPE_FILES_H

/* The batch files that come with tracesh: `make install` puts them into one folder. */

#include "base/strbuf.h"
#include "base/vec.h"

/* Reads what a file says of itself in its second line: "# What it shows: NAME.tsh ARGUMENTS", if it takes some. */
struct tsh_recipe {
	char *name;
	char *usage;
	char *shows;
};

/* Gives the path of the batch file of that name that came with tracesh, which the caller frees; NULL: there is none. */
char *tsh_recipe_path(const char *name);
/* Gives the folder: $TRACESH_RECIPES, or the one that was configured; borrowed. */
const char *tsh_recipes_folder(void);
/* Appends their file names, sorted. False: there is no such folder. */
bool tsh_recipes_list(struct tsh_strlist *ret);
/* Reads what the file of that name says of itself. The caller releases ret. */
void tsh_recipe_read(const char *name, struct tsh_recipe *ret);
void tsh_recipe_release(struct tsh_recipe *recipe);

#endif
