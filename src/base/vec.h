/* base/vec.h - growing arrays */
/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_BASE_VEC_H
#define TRACESH_BASE_VEC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>

#include "xmalloc.h"

/*
 * TSH_VEC(struct x) declares an anonymous struct { struct x *v; size_t n, cap; }.
 * Zeroed memory is an empty array. tsh_vec_push returns a pointer to the new,
 * zeroed element, valid until the next push.
 */
#define TSH_VEC(type) struct { type *v; size_t n, cap; }

#define tsh_vec_push(vec) \
	((__typeof__((vec)->v))tsh_vec_push_(&(vec)->v, &(vec)->n, &(vec)->cap, sizeof(*(vec)->v)))
/* Frees the array, not what its elements own. */
#define tsh_vec_release(vec) \
	do { free((vec)->v); (vec)->v = NULL; (vec)->n = (vec)->cap = 0; } while (0)

/* qsort(3) and bsearch(3) of the elements, which take no NULL: an empty array has no memory. */
#define tsh_vec_sort(vec, compare) \
	do { if ((vec)->n) qsort((vec)->v, (vec)->n, sizeof(*(vec)->v), (compare)); } while (0)
#define tsh_vec_find(vec, key, compare) \
	((__typeof__((vec)->v))((vec)->n ? bsearch((key), (vec)->v, (vec)->n, sizeof(*(vec)->v), \
						   (compare)) : NULL))

/* v is the address of the array's pointer, whatever it points to. */
void *tsh_vec_push_(void *v, size_t *n, size_t *cap, size_t size);

/* Strings that the list owns. Zeroed memory is an empty list. */
struct tsh_strlist {
	char **v;
	size_t n;
	size_t cap;
};

void tsh_strlist_add(struct tsh_strlist *list, const char *text);
void tsh_strlist_addn(struct tsh_strlist *list, const char *text, size_t len);
/* Takes over `text`. */
void tsh_strlist_take(struct tsh_strlist *list, char *text);
/* By bytes, as strcmp. */
void tsh_strlist_sort(struct tsh_strlist *list);
bool tsh_strlist_has(const struct tsh_strlist *list, const char *text);
/* Splits at newlines (none in the elements); an empty last line is no element. What is behind
 * TSH_LINES_MAX of them is left out: somebody's file may be nothing but newlines. */
#define TSH_LINES_MAX ((size_t)1 << 20)
void tsh_strlist_split_lines(struct tsh_strlist *list, const char *text);
/* Splits at runs of blanks, tabs and newlines. */
void tsh_strlist_split_words(struct tsh_strlist *list, const char *text);
/* The same of the first `max` words; returns how many more there are. */
size_t tsh_strlist_split_some(struct tsh_strlist *list, const char *text, size_t max);
void tsh_strlist_release(struct tsh_strlist *list);

#endif
