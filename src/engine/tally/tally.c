/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tally.h"

#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "base/xmalloc.h"
#include "key.h"

#define SLOTS_FIRST 256 /* a power of two */

struct row {
	uint64_t part[TSH_TALLY_PARTS_MAX];
	uint64_t count;
	uint32_t hash;
	uint8_t kind[TSH_TALLY_PARTS_MAX];
};

struct text {
	size_t begin, len; /* offset and length in the pages */
	uint32_t hash;
};

/* Is a hash table of indexes of rows or texts; 0: free. */
struct slots {
	uint32_t *v;
	size_t n;
};

struct tsh_tally {
	size_t parts, values, max;
	TSH_VEC(struct row) rows;
	TSH_VEC(struct tsh_tally_sum) sums; /* `values` sums for each row */
	struct slots slots;
	TSH_VEC(struct text) texts; /* entry 0 is not used */
	struct slots text_slots;
	char **pages; /* bytes of texts, which never move */
	size_t npages, used;
};

#define PAGE_BYTES 65536

struct tsh_tally *tsh_tally_new(size_t parts, size_t values, size_t rows)
{
	struct tsh_tally *t = tsh_xcalloc(1, sizeof(*t));
	size_t i;

	t->parts = parts;
	t->values = values;
	t->max = rows;
	t->slots = (struct slots){ tsh_xcalloc(SLOTS_FIRST, sizeof(uint32_t)), SLOTS_FIRST };
	t->text_slots = (struct slots){ tsh_xcalloc(SLOTS_FIRST, sizeof(uint32_t)), SLOTS_FIRST };
	(void)tsh_vec_push(&t->rows);
	(void)tsh_vec_push(&t->texts);
	for (i = 0; i < values; i++)
		(void)tsh_vec_push(&t->sums);
	return t;
}

void tsh_tally_free(struct tsh_tally *t)
{
	size_t i;

	if (!t)
		return;
	for (i = 0; i < t->npages; i++)
		free(t->pages[i]);
	free(t->pages);
	tsh_vec_release(&t->rows);
	tsh_vec_release(&t->sums);
	tsh_vec_release(&t->texts);
	free(t->slots.v);
	free(t->text_slots.v);
	free(t);
}

/* ---- hash tables ---- */

static void insert(struct slots *slots, uint32_t hash, size_t place)
{
	size_t i = hash & (slots->n - 1);

	while (slots->v[i])
		i = (i + 1) & (slots->n - 1);
	slots->v[i] = (uint32_t)place;
}

/* Doubles the table, which is then empty, when more than half of it would be used. Returns
 * whether it has done so. */
static bool make_room(struct slots *slots, size_t n)
{
	if (n < slots->n / 2)
		return false;
	free(slots->v);
	slots->n *= 2;
	slots->v = tsh_xcalloc(slots->n, sizeof(*slots->v));
	return true;
}

/* ---- texts ---- */

static uint32_t hash_text(const char *text, size_t len)
{
	uint64_t hash = len, word;

	for (; len >= sizeof(word); text += sizeof(word), len -= sizeof(word)) {
		memcpy(&word, text, sizeof(word));
		hash = tally_mix(hash ^ word);
	}
	word = 0;
	memcpy(&word, text, len);
	return (uint32_t)tally_mix(hash ^ word);
}

static const char *bytes_of(const struct tsh_tally *t, const struct text *text)
{
	return t->pages[text->begin / PAGE_BYTES] + text->begin % PAGE_BYTES;
}

static size_t store_bytes(struct tsh_tally *t, const char *text, size_t len)
{
	size_t begin;
	char *to;

	if (!t->npages || t->used + len + 1 > PAGE_BYTES) {
		t->pages = tsh_xreallocarray(t->pages, t->npages + 1, sizeof(*t->pages));
		t->pages[t->npages++] = tsh_xcalloc(1, PAGE_BYTES);
		t->used = 0;
	}
	begin = (t->npages - 1) * PAGE_BYTES + t->used;
	to = t->pages[t->npages - 1] + t->used;
	memcpy(to, text, len);
	to[len] = '\0';
	t->used += len + 1;
	return begin;
}

static size_t add_text(struct tsh_tally *t, const char *text, size_t len, uint32_t hash)
{
	size_t i, place = t->texts.n;

	*tsh_vec_push(&t->texts) = (struct text){ store_bytes(t, text, len), len, hash };
	if (make_room(&t->text_slots, place))
		for (i = 1; i < place; i++)
			insert(&t->text_slots, t->texts.v[i].hash, i);
	insert(&t->text_slots, hash, place);
	return place;
}

struct tsh_tally_part tsh_tally_text(struct tsh_tally *t, const char *text, size_t len)
{
	const struct slots *slots = &t->text_slots;
	uint32_t hash, place;
	size_t i;

	if (len > TSH_TALLY_TEXT_MAX)
		len = TSH_TALLY_TEXT_MAX;
	hash = hash_text(text, len);
	for (i = hash & (slots->n - 1); (place = slots->v[i]); i = (i + 1) & (slots->n - 1)) {
		const struct text *has = &t->texts.v[place];

		if (has->hash == hash && has->len == len && !memcmp(bytes_of(t, has), text, len))
			return (struct tsh_tally_part){ TSH_TALLY_TEXT, place };
	}
	/* The limit is reached if each part of each row is a distinct text. */
	if (t->texts.n > t->max * t->parts)
		return (struct tsh_tally_part){ TSH_TALLY_NO_ROOM, 0 };
	return (struct tsh_tally_part){ TSH_TALLY_TEXT, add_text(t, text, len, hash) };
}

const char *tsh_tally_text_of(const struct tsh_tally *t, uint64_t number, size_t *ret_len)
{
	const struct text *text = &t->texts.v[number];

	*ret_len = text->len;
	return bytes_of(t, text);
}

/* ---- rows ---- */

static inline bool has_key(const struct tsh_tally *t, const struct row *row,
			   const struct tsh_tally_part *key)
{
	size_t i;

	for (i = 0; i < t->parts; i++)
		if (row->part[i] != key[i].number || row->kind[i] != tally_kind_of(key[i]))
			return false;
	return true;
}

static size_t add_row(struct tsh_tally *t, const struct tsh_tally_part *key, uint32_t hash)
{
	size_t i, place = t->rows.n;
	struct row *row;

	if (place > t->max)
		return TSH_TALLY_OTHER;
	row = tsh_vec_push(&t->rows);
	row->hash = hash;
	for (i = 0; i < t->parts; i++) {
		row->part[i] = key[i].number;
		row->kind[i] = tally_kind_of(key[i]);
	}
	for (i = 0; i < t->values; i++)
		(void)tsh_vec_push(&t->sums);
	if (make_room(&t->slots, place))
		for (i = 1; i < place; i++)
			insert(&t->slots, t->rows.v[i].hash, i);
	insert(&t->slots, hash, place);
	return place;
}

static inline size_t row_of(struct tsh_tally *t, const struct tsh_tally_part *key)
{
	uint64_t hash = 0;
	uint32_t place;
	size_t i;

	for (i = 0; i < t->parts; i++) {
		if (key[i].kind == TSH_TALLY_NO_ROOM)
			return TSH_TALLY_OTHER;
		hash = tally_mix(hash ^ key[i].number);
	}
	for (i = hash & (t->slots.n - 1); (place = t->slots.v[i]); i = (i + 1) & (t->slots.n - 1)) {
		struct row *row = &t->rows.v[place];

		if (row->hash == (uint32_t)hash && has_key(t, row, key))
			return place;
	}
	return add_row(t, key, (uint32_t)hash);
}

size_t tsh_tally_add(struct tsh_tally *t, const struct tsh_tally_part *key)
{
	size_t row = row_of(t, key);

	t->rows.v[row].count++;
	return row;
}

size_t tsh_tally_add_many(struct tsh_tally *t, const struct tsh_tally_part *key, uint64_t count)
{
	size_t row = row_of(t, key);

	t->rows.v[row].count += count;
	return row;
}

size_t tsh_tally_parts(const struct tsh_tally *t)
{
	return t->parts;
}

size_t tsh_tally_rows(const struct tsh_tally *t)
{
	return t->rows.n;
}

uint64_t tsh_tally_count(const struct tsh_tally *t, size_t row)
{
	return t->rows.v[row].count;
}

struct tsh_tally_part tsh_tally_part(const struct tsh_tally *t, size_t row, size_t part)
{
	return (struct tsh_tally_part){ t->rows.v[row].kind[part], t->rows.v[row].part[part] };
}

/* ---- sums ---- */

static bool is_less(struct tsh_tally_number a, struct tsh_tally_number b)
{
	if (a.is_negative != b.is_negative)
		return a.is_negative;
	/* two's complement: correct for two negative numbers as well */
	return a.bits < b.bits;
}

void tsh_tally_add_value(struct tsh_tally *t, size_t row, size_t value, uint64_t number,
			 bool is_signed)
{
	struct tsh_tally_sum *sum = &t->sums.v[row * t->values + value];
	struct tsh_tally_number n = { number, is_signed && (int64_t)number < 0 };

	if (!sum->n || is_less(n, sum->min))
		sum->min = n;
	if (!sum->n || is_less(sum->max, n))
		sum->max = n;
	sum->n++;
	sum->low += number;
	sum->high += (sum->low < number) - n.is_negative;
}

void tsh_tally_add_sum(struct tsh_tally *t, size_t row, size_t value, uint64_t n, uint64_t number,
		       bool is_signed)
{
	struct tsh_tally_sum *sum = &t->sums.v[row * t->values + value];

	sum->n += n;
	sum->low += number;
	sum->high += (sum->low < number) - (is_signed && (int64_t)number < 0);
}

const struct tsh_tally_sum *tsh_tally_sum(const struct tsh_tally *t, size_t row, size_t value)
{
	return &t->sums.v[row * t->values + value];
}

bool tsh_tally_total(const struct tsh_tally_sum *sum, struct tsh_tally_number *ret)
{
	bool fits = !sum->high || (sum->high == -1 && sum->low >> 63);

	*ret = (struct tsh_tally_number){ sum->low, sum->high < 0 };
	if (!fits)
		ret->bits = sum->high < 0 ? (uint64_t)INT64_MIN : UINT64_MAX;
	return fits;
}

/* Is the number of 32-bit limbs, highest first, for a sum in hundredths: 135 bits. */
#define LIMBS 5

/* Multiplies by a number. */
static void multiply(uint32_t limb[LIMBS], uint32_t by)
{
	uint64_t carry = 0;

	for (size_t i = LIMBS; i--; carry >>= 32) {
		carry += (uint64_t)limb[i] * by;
		limb[i] = (uint32_t)carry;
	}
}

static void add(uint32_t limb[LIMBS], uint64_t number)
{
	uint64_t carry = 0;

	for (size_t i = LIMBS; i--; carry >>= 32, number >>= 32) {
		carry += (uint64_t)limb[i] + (uint32_t)number;
		limb[i] = (uint32_t)carry;
	}
}

/* Divides by n, below 2^63, bit by bit. Returns the remainder. */
static uint64_t divide(uint32_t limb[LIMBS], uint64_t n)
{
	uint64_t rest = 0;

	for (size_t i = 0; i < LIMBS * 32; i++) {
		uint32_t bit = UINT32_C(1) << (31 - i % 32);

		rest = rest << 1 | !!(limb[i / 32] & bit);
		limb[i / 32] &= ~bit;
		if (rest >= n) {
			rest -= n;
			limb[i / 32] |= bit;
		}
	}
	return rest;
}

static bool is_zero(const uint32_t limb[LIMBS])
{
	return !(limb[0] | limb[1] | limb[2] | limb[3] | limb[4]);
}

/* Copies the absolute value of a sum. */
static void copy_absolute(const struct tsh_tally_sum *sum, uint32_t limb[LIMBS])
{
	uint64_t low = sum->high < 0 ? 0 - sum->low : sum->low;
	uint64_t high = sum->high < 0 ? ~(uint64_t)sum->high + !sum->low : (uint64_t)sum->high;

	limb[0] = 0;
	limb[1] = (uint32_t)(high >> 32);
	limb[2] = (uint32_t)high;
	limb[3] = (uint32_t)(low >> 32);
	limb[4] = (uint32_t)low;
}

/* Prints digits to the end of room, `decimals` of them behind a point. Returns the first one.
 * limb becomes 0. */
static char *print_digits(uint32_t limb[LIMBS], size_t decimals, char room[TSH_TALLY_TOTAL_LEN])
{
	char *at = room + TSH_TALLY_TOTAL_LEN - 1;

	*at = '\0';
	for (size_t n = 0; n <= decimals || !is_zero(limb); n++) {
		if (n && n == decimals)
			*--at = '.';
		*--at = (char)('0' + divide(limb, 10));
	}
	return at;
}

const char *tsh_tally_total_text(const struct tsh_tally_sum *sum, char room[TSH_TALLY_TOTAL_LEN])
{
	uint32_t limb[LIMBS];
	char *at;

	copy_absolute(sum, limb);
	at = print_digits(limb, 0, room);
	if (sum->high < 0)
		*--at = '-';
	return at;
}

const char *tsh_tally_average_text(const struct tsh_tally_sum *sum, char room[TSH_TALLY_TOTAL_LEN])
{
	uint32_t limb[LIMBS];
	bool is_negative;
	char *at;

	copy_absolute(sum, limb);
	multiply(limb, 100);
	add(limb, sum->n / 2);
	divide(limb, sum->n ? sum->n : 1);
	is_negative = sum->high < 0 && !is_zero(limb);
	at = print_digits(limb, 2, room);
	if (is_negative)
		*--at = '-';
	return at;
}

double tsh_tally_average(const struct tsh_tally_sum *sum)
{
	if (!sum->n)
		return 0;
	/* keep the digits of small negative sums */
	if (sum->high == -1 && sum->low >> 63)
		return (double)(int64_t)sum->low / (double)sum->n;
	return ((double)sum->high * 18446744073709551616.0 + (double)sum->low) / (double)sum->n;
}
