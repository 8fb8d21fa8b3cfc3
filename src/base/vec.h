/* base/vec.h - growing arrays */
/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_BASE_VEC_H
#define TRACESH_BASE_VEC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>

#include "xmalloc.h"

/*
 * Declares an anonymous struct { struct x *v; size_t n, cap; }. Zeroed memory is an empty array.
 * tsh_vec_push returns a pointer to the new, zeroed element, valid until the next push.
 */
#define TSH_VEC(type) struct { type *v; size_t n, cap; }

#define tsh_vec_push(vec) \
	((__typeof__((vec)->v))tsh_vec_push_(&(vec)->v, &(vec)->n, &(vec)->cap, sizeof(*(vec)->v)))
/* Frees the array, but not what its elements own. */
#define tsh_vec_release(vec) \
	do { free((vec)->v); (vec)->v = NULL; (vec)->n = (vec)->cap = 0; } while (0)

/* Call qsort(3) and bsearch(3), which must not get the NULL of an empty array. */
#define tsh_vec_sort(vec, compare) \
	do { if ((vec)->n) qsort((vec)->v, (vec)->n, sizeof(*(vec)->v), (compare)); } while (0)
#define tsh_vec_find(vec, key, compare) \
	((__typeof__((vec)->v))((vec)->n ? bsearch((key), (vec)->v, (vec)->n, sizeof(*(vec)->v), \
						   (compare)) : NULL))

/* Grows an array; v is the address of its pointer. */
void *tsh_vec_push_(void *v, size_t *n, size_t *cap, size_t size);

/* Holds strings that the list owns. Zeroed memory is an empty list. */
struct tsh_strlist {
	char **v;
	size_t n;
	size_t cap;
};

void tsh_strlist_add(struct tsh_strlist *list, const char *text);
void tsh_strlist_addn(struct tsh_strlist *list, const char *text, size_t len);
/* Adds `text`, which the list then owns. */
void tsh_strlist_add_owned(struct tsh_strlist *list, char *text);
/* Sorts by bytes, as strcmp does. */
void tsh_strlist_sort(struct tsh_strlist *list);
bool tsh_strlist_has(const struct tsh_strlist *list, const char *text);
/* Splits at newlines, which are not part of the elements; an empty last line is no element.
 * Drops all behind TSH_LINES_MAX lines: a file may be nothing but newlines. */
#define TSH_LINES_MAX ((size_t)1 << 20)
void tsh_strlist_split_lines(struct tsh_strlist *list, const char *text);
/* Splits at runs of blanks, tabs and newlines. */
void tsh_strlist_split_words(struct tsh_strlist *list, const char *text);
/* Does the same with the first `max` words; returns how many more there are. */
size_t tsh_strlist_split_some(struct tsh_strlist *list, const char *text, size_t max);
void tsh_strlist_release(struct tsh_strlist *list);

#endif
