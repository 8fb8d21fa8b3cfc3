/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "alias.h"

#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "base/xmalloc.h"

/* Compares an alias with a name of `len` bytes. */
static int order_of(const struct tsh_alias *alias, const char *name, size_t len)
{
	int order = strncmp(alias->name, name, len);

	return order ? order : alias->name[len] != '\0';
}

/* Returns the index of an alias, or the index at which to insert a new alias of that name. */
static size_t place_of(const struct tsh_aliases *list, const char *name, size_t len,
		       bool *ret_there)
{
	size_t begin = 0, end = list->n;

	while (begin < end) {
		size_t middle = begin + (end - begin) / 2;

		if (order_of(&list->v[middle], name, len) < 0)
			begin = middle + 1;
		else
			end = middle;
	}
	*ret_there = begin < list->n && !order_of(&list->v[begin], name, len);
	return begin;
}

const char *tsh_alias_find(const struct tsh_aliases *list, const char *name, size_t len)
{
	bool there;
	size_t i = place_of(list, name, len, &there);

	return there ? list->v[i].text : NULL;
}

void tsh_alias_set(struct tsh_aliases *list, const char *name, const char *text)
{
	char *copy = tsh_xstrdup(text);
	bool there;
	size_t i = place_of(list, name, strlen(name), &there);

	if (there) {
		free(list->v[i].text);
	} else {
		(void)tsh_vec_push(list);
		memmove(list->v + i + 1, list->v + i, (list->n - 1 - i) * sizeof(*list->v));
		list->v[i].name = tsh_xstrdup(name);
	}
	list->v[i].text = copy;
}

bool tsh_alias_remove(struct tsh_aliases *list, const char *name)
{
	bool there;
	size_t i = place_of(list, name, strlen(name), &there);

	if (!there)
		return false;
	free(list->v[i].name);
	free(list->v[i].text);
	list->n--;
	memmove(list->v + i, list->v + i + 1, (list->n - i) * sizeof(*list->v));
	return true;
}

void tsh_alias_copy(const struct tsh_aliases *list, struct tsh_aliases *ret)
{
	size_t i;

	*ret = (struct tsh_aliases){ 0 };
	for (i = 0; i < list->n; i++)
		tsh_alias_set(ret, list->v[i].name, list->v[i].text);
}

void tsh_alias_release(struct tsh_aliases *list)
{
	size_t i;

	for (i = 0; i < list->n; i++) {
		free(list->v[i].name);
		free(list->v[i].text);
	}
	tsh_vec_release(list);
}
