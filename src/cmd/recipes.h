/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_CMD_RECIPES_H
#define TRACESH_CMD_RECIPES_H

#include "candidates.h"

/* The batch files that come with tracesh: `make install` puts them into one folder. */

/* Their names, with what each shows, for the file of `source`. */
void tsh_candidates_recipes(const struct tsh_cursor *at);

#endif
