/* session/alias.h - names that stand for the start of a command */
/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_SESSION_ALIAS_H
#define TRACESH_SESSION_ALIAS_H

#include <stdbool.h>
#include <stddef.h>

struct tsh_alias {
	char *name;
	char *text;
};

/* Holds aliases in the order of their names. Zeroed memory is an empty list. */
struct tsh_aliases {
	struct tsh_alias *v;
	size_t n, cap;
};

/* Returns the text of the alias whose name is the first `len` bytes of `name`, or NULL. Borrowed
 * until the list changes. */
const char *tsh_alias_find(const struct tsh_aliases *list, const char *name, size_t len);
/* Adds an alias, or replaces its text. Copies both strings. */
void tsh_alias_set(struct tsh_aliases *list, const char *name, const char *text);
/* Returns false when there is no alias of that name. */
bool tsh_alias_remove(struct tsh_aliases *list, const char *name);
/* Copies a list to *ret, which is overwritten. The caller releases it. */
void tsh_alias_copy(const struct tsh_aliases *list, struct tsh_aliases *ret);
void tsh_alias_release(struct tsh_aliases *list);

#endif
