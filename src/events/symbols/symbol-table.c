/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "symbol-table.h"

#include <string.h>

/* Sets the distance between marks, in names. A name is found by walking from the mark before it. */
#define SYMBOL_MARK 16
/* Are special first bytes of a name; any other one is its length. */
#define NAME_PREFIX_OF_NEXT 0
#define NAME_IS_LONG 255		/* two bytes of length follow */
#define SYMBOLS_MAX (UINT32_C(1) << 22)

static const char prefix[] = "__pfx_";
#define PREFIX_LEN (sizeof(prefix) - 1)

/* ---- building ---- */

static void add_name(struct symbol_table *t, const char *name, size_t len)
{
	if (len < NAME_IS_LONG) {
		tsh_strbuf_addc(&t->names, (char)len);
	} else {
		tsh_strbuf_addc(&t->names, (char)NAME_IS_LONG);
		tsh_strbuf_addc(&t->names, (char)(len & 0xff));
		tsh_strbuf_addc(&t->names, (char)(len >> 8));
	}
	tsh_strbuf_add(&t->names, name, len);
}

/* Replaces "__pfx_NAME" by one byte when NAME follows it. */
static void shorten_last(struct symbol_table *t, const char *name, size_t len)
{
	const char *last = t->names.buf + t->last;

	if ((unsigned char)*last != PREFIX_LEN + len || memcmp(last + 1, prefix, PREFIX_LEN) ||
	    memcmp(last + 1 + PREFIX_LEN, name, len))
		return;
	/* NAME must be stored whole. One with the prefix may be shortened itself. */
	if (len >= PREFIX_LEN && !memcmp(name, prefix, PREFIX_LEN))
		return;
	tsh_strbuf_truncate(&t->names, t->last);
	tsh_strbuf_addc(&t->names, NAME_PREFIX_OF_NEXT);
}

bool symbol_table_add(struct symbol_table *t, uint64_t address, const char *name, size_t len)
{
	uint32_t high = t->runs.n ? t->runs.v[t->runs.n - 1].high : 0;
	struct symbol_run *run;
	uint64_t last;

	if (t->low.n) {
		last = (uint64_t)high << 32 | t->low.v[t->low.n - 1];
		if (address == last)
			return true;
		if (address < last || t->low.n == SYMBOLS_MAX)
			return false;
		shorten_last(t, name, len);
	}
	if (!t->runs.n || high != address >> 32) {
		run = tsh_vec_push(&t->runs);
		run->high = (uint32_t)(address >> 32);
		run->first = (uint32_t)t->low.n;
	}
	if (t->low.n % SYMBOL_MARK == 0)
		*tsh_vec_push(&t->marks) = (uint32_t)t->names.len;
	*tsh_vec_push(&t->low) = (uint32_t)address;
	t->last = (uint32_t)t->names.len;
	add_name(t, name, len);
	return true;
}

void symbol_table_release(struct symbol_table *t)
{
	tsh_vec_release(&t->low);
	tsh_vec_release(&t->runs);
	tsh_vec_release(&t->marks);
	tsh_strbuf_release(&t->names);
	t->last = 0;
}

/* ---- asking ---- */

/* Returns how many of the sorted v[0..n) are not above `key`. */
static size_t count_up_to(const uint32_t *v, size_t n, uint32_t key)
{
	const uint32_t *begin = v;

	while (n) {
		size_t half = n / 2;

		if (begin[half] <= key) {
			begin += half + 1;
			n -= half + 1;
		} else {
			n = half;
		}
	}
	return (size_t)(begin - v);
}

/* Finds the last run whose first index is not above `key`; with by_high, whose high half is not
 * above it. Returns false when there is none. */
static bool find_run(const struct symbol_table *t, bool by_high, uint32_t key, size_t *ret)
{
	size_t low = 0, high = t->runs.n;

	while (low < high) {
		size_t mid = (low + high) / 2;

		if ((by_high ? t->runs.v[mid].high : t->runs.v[mid].first) <= key)
			low = mid + 1;
		else
			high = mid;
	}
	*ret = low - 1;
	return low > 0;
}

bool symbol_table_find(const struct symbol_table *t, uint64_t address, size_t *ret_index)
{
	size_t run, first, end, n;

	if (!find_run(t, true, (uint32_t)(address >> 32), &run))
		return false;
	first = t->runs.v[run].first;
	end = run + 1 < t->runs.n ? t->runs.v[run + 1].first : t->low.n;
	n = t->runs.v[run].high < address >> 32 ? end - first :
	    count_up_to(t->low.v + first, end - first, (uint32_t)address);
	*ret_index = first + n - 1;
	return first + n > 0;
}

uint64_t symbol_table_address(const struct symbol_table *t, size_t index)
{
	size_t run;

	if (!find_run(t, false, (uint32_t)index, &run))
		return 0;
	return (uint64_t)t->runs.v[run].high << 32 | t->low.v[index];
}

/* Returns the length of the name at names[*pos], and moves *pos to its text. */
static size_t name_len(const struct symbol_table *t, size_t *pos)
{
	const unsigned char *p = (const unsigned char *)t->names.buf + *pos;

	if (*p != NAME_IS_LONG) {
		*pos += 1;
		return *p;
	}
	*pos += 3;
	return p[1] | (size_t)p[2] << 8;
}

size_t symbol_table_name(const struct symbol_table *t, size_t index, char ret[SYMBOL_NAME_SIZE])
{
	size_t pos = t->marks.v[index / SYMBOL_MARK], begin = 0, i, len;

	for (i = index % SYMBOL_MARK; i; i--) {
		len = name_len(t, &pos);
		pos += len;
	}
	if (t->names.buf[pos] == NAME_PREFIX_OF_NEXT) {
		memcpy(ret, prefix, PREFIX_LEN);
		begin = PREFIX_LEN;
		pos++;
	}
	len = name_len(t, &pos);
	memcpy(ret + begin, t->names.buf + pos, len);
	ret[begin + len] = '\0';
	return begin + len;
}
