/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "vec.h"

#include <stdint.h>
#include <string.h>

#define FIRST_CAPACITY 8

void *tsh_vec_push_(void *v, size_t *n, size_t *cap, size_t size)
{
	char *array;
	char *element;

	/* copies the pointer at v, whose type is not known here */
	memcpy(&array, v, sizeof(array));
	if (*n == *cap) {
		*cap = *cap ? *cap * 2 : FIRST_CAPACITY;
		array = tsh_xreallocarray(array, *cap, size);
		memcpy(v, &array, sizeof(array));
	}
	element = array + *n * size;
	memset(element, 0, size);
	++*n;
	return element;
}

void tsh_strlist_add_owned(struct tsh_strlist *list, char *text)
{
	*tsh_vec_push(list) = text;
}

void tsh_strlist_add(struct tsh_strlist *list, const char *text)
{
	tsh_strlist_add_owned(list, tsh_xstrdup(text));
}

void tsh_strlist_addn(struct tsh_strlist *list, const char *text, size_t len)
{
	tsh_strlist_add_owned(list, tsh_xstrndup(text, len));
}

static int by_bytes(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

void tsh_strlist_sort(struct tsh_strlist *list)
{
	if (list->n > 1)
		qsort(list->v, list->n, sizeof(*list->v), by_bytes);
}

bool tsh_strlist_has(const struct tsh_strlist *list, const char *text)
{
	size_t i;

	for (i = 0; i < list->n; i++) {
		if (!strcmp(list->v[i], text))
			return true;
	}
	return false;
}

void tsh_strlist_split_lines(struct tsh_strlist *list, const char *text)
{
	size_t most = TSH_LINES_MAX;

	while (*text && most--) {
		size_t len = strcspn(text, "\n");

		tsh_strlist_addn(list, text, len);
		text += len;
		if (*text)
			text++;
	}
}

void tsh_strlist_split_words(struct tsh_strlist *list, const char *text)
{
	tsh_strlist_split_some(list, text, SIZE_MAX);
}

size_t tsh_strlist_split_some(struct tsh_strlist *list, const char *text, size_t max)
{
	static const char blanks[] = " \t\n";
	size_t n = 0, len;

	for (text += strspn(text, blanks); *text; text += strspn(text, blanks)) {
		len = strcspn(text, blanks);
		if (n++ < max)
			tsh_strlist_addn(list, text, len);
		text += len;
	}
	return n > max ? n - max : 0;
}

void tsh_strlist_release(struct tsh_strlist *list)
{
	size_t i;

	for (i = 0; i < list->n; i++)
		free(list->v[i]);
	tsh_vec_release(list);
}
