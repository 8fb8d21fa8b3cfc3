/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "base/xmalloc.h"
#include "tally.h"

/* Sorts rows for printing. */

struct sorting {
	const struct tsh_tally *t;
	size_t parts; /* parts of the key that are compared */
	enum tsh_tally_by by;
	size_t value;
};

static int compare_numbers(struct tsh_tally_number a, struct tsh_tally_number b)
{
	if (a.is_negative != b.is_negative)
		return a.is_negative ? -1 : 1;
	return a.bits < b.bits ? -1 : a.bits > b.bits;
}

static struct tsh_tally_number number_of(struct tsh_tally_part part)
{
	return (struct tsh_tally_number){ part.number, part.kind == TSH_TALLY_SIGNED &&
							       (int64_t)part.number < 0 };
}

static int compare_texts(const struct tsh_tally *t, uint64_t a, uint64_t b)
{
	size_t len_a, len_b;
	const char *text_a = tsh_tally_text_of(t, a, &len_a);
	const char *text_b = tsh_tally_text_of(t, b, &len_b);
	int r = memcmp(text_a, text_b, len_a < len_b ? len_a : len_b);

	return r ? r : len_a < len_b ? -1 : len_a > len_b;
}

static int compare_keys(const struct sorting *s, size_t a, size_t b)
{
	int r = 0;
	size_t i;

	for (i = 0; i < s->parts && !r; i++) {
		struct tsh_tally_part x = tsh_tally_part(s->t, a, i);
		struct tsh_tally_part y = tsh_tally_part(s->t, b, i);

		if (x.kind == TSH_TALLY_TEXT && y.kind == TSH_TALLY_TEXT)
			r = compare_texts(s->t, x.number, y.number);
		else if (x.kind == TSH_TALLY_TEXT || y.kind == TSH_TALLY_TEXT)
			r = x.kind == TSH_TALLY_TEXT ? 1 : -1;
		else
			r = compare_numbers(number_of(x), number_of(y));
	}
	return r;
}

static int compare_sums(const struct sorting *s, size_t a, size_t b)
{
	const struct tsh_tally_sum *x = tsh_tally_sum(s->t, a, s->value);
	const struct tsh_tally_sum *y = tsh_tally_sum(s->t, b, s->value);

	/* a row without such a value comes last */
	if (!x->n || !y->n)
		return (x->n != 0) - (y->n != 0);
	switch (s->by) {
	case TSH_TALLY_BY_MIN:
		return compare_numbers(x->min, y->min);
	case TSH_TALLY_BY_MAX:
		return compare_numbers(x->max, y->max);
	case TSH_TALLY_BY_AVG: {
		double p = tsh_tally_average(x), q = tsh_tally_average(y);

		return p < q ? -1 : p > q;
	}
	default:
		if (x->high != y->high)
			return x->high < y->high ? -1 : 1;
		return x->low < y->low ? -1 : x->low > y->low;
	}
}

/* Holds a row and how it is sorted, because qsort(3) passes no context to its callback. */
struct sorted {
	const struct sorting *s;
	size_t row;
};

static int compare(const void *a, const void *b)
{
	const struct sorting *s = ((const struct sorted *)a)->s;
	size_t x = ((const struct sorted *)a)->row, y = ((const struct sorted *)b)->row;
	uint64_t p = tsh_tally_count(s->t, x), q = tsh_tally_count(s->t, y);
	int r = 0;

	if (s->by == TSH_TALLY_BY_COUNT)
		r = p < q ? 1 : -(p > q);
	else if (s->by != TSH_TALLY_BY_KEY)
		r = compare_sums(s, y, x);
	return r ? r : compare_keys(s, x, y);
}

size_t *tsh_tally_order(const struct tsh_tally *t, enum tsh_tally_by by, size_t value,
			size_t *ret_n)
{
	struct sorting s = { .t = t, .parts = tsh_tally_parts(t), .by = by, .value = value };
	size_t n = tsh_tally_rows(t) - 1, i;
	struct sorted *sorted = tsh_xcalloc(n + 1, sizeof(*sorted));
	size_t *rows = tsh_xcalloc(n + 1, sizeof(*rows));

	for (i = 0; i < n; i++)
		sorted[i] = (struct sorted){ &s, i + 1 };
	qsort(sorted, n, sizeof(*sorted), compare);
	for (i = 0; i < n; i++)
		rows[i] = sorted[i].row;
	free(sorted);
	*ret_n = n;
	return rows;
}

/* ---- groups ---- */

static int compare_groups(const void *a, const void *b)
{
	const struct tsh_tally_group *x = a, *y = b;

	if (x->count != y->count)
		return x->count < y->count ? 1 : -1;
	return x->first < y->first ? -1 : x->first > y->first;
}

struct tsh_tally_group *tsh_tally_groups(const struct tsh_tally *t, size_t **ret_rows,
					 size_t *ret_n)
{
	struct sorting s = { .t = t, .parts = tsh_tally_parts(t) - 1 };
	struct tsh_tally_group *groups;
	size_t n, i, count = 0;
	size_t *rows = tsh_tally_order(t, TSH_TALLY_BY_KEY, 0, &n);

	groups = tsh_xcalloc(n + 1, sizeof(*groups));
	for (i = 0; i < n; i++) {
		if (!i || compare_keys(&s, rows[i - 1], rows[i]))
			groups[count++].first = i;
		groups[count - 1].n++;
		groups[count - 1].count += tsh_tally_count(t, rows[i]);
	}
	qsort(groups, count, sizeof(*groups), compare_groups);
	*ret_rows = rows;
	*ret_n = count;
	return groups;
}
