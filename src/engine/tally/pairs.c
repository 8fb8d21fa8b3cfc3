/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pairs.h"

#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "base/xmalloc.h"
#include "key.h"

#define CHAINS_FIRST 256 /* a power of two */

/* Holds a begin that waits for its end. Indexes of these count from 1; 0 means none. */
struct open {
	uint64_t stamp; /* time of the begin */
	int cpu, pid;
	uint64_t key[TSH_TALLY_PARTS_MAX];
	uint64_t losses; /* number of losses before it */
	uint32_t hash;
	uint32_t next; /* next one with the same hash value, or next free one */
	uint32_t older, newer; /* neighbours in the order of their begins */
	uint8_t kind[TSH_TALLY_PARTS_MAX];
};

struct tsh_pairs {
	size_t parts, with, max;
	unsigned int flags;
	TSH_VEC(struct open) opens; /* entry 0 is not used */
	struct tsh_tally_part *kept; /* `with` parts for each begin, for opens.cap of them */
	size_t kept_cap;
	uint32_t *chains;
	size_t nchains;
	uint32_t free, oldest, newest;
	TSH_VEC(uint64_t) losses; /* one for each CPU; without SAME_CPU one sum in entry 0 */
	struct tsh_pairs_account account;
};

struct tsh_pairs *tsh_pairs_new(size_t parts, size_t with, size_t max, unsigned int flags)
{
	struct tsh_pairs *p = tsh_xcalloc(1, sizeof(*p));

	p->parts = parts;
	p->with = with;
	p->max = max;
	p->flags = flags;
	p->nchains = CHAINS_FIRST;
	p->chains = tsh_xcalloc(p->nchains, sizeof(*p->chains));
	(void)tsh_vec_push(&p->opens);
	return p;
}

void tsh_pairs_free(struct tsh_pairs *p)
{
	if (!p)
		return;
	tsh_vec_release(&p->opens);
	free(p->kept);
	tsh_vec_release(&p->losses);
	free(p->chains);
	free(p);
}

/* ---- losses ---- */

static size_t losses_place(const struct tsh_pairs *p, int cpu)
{
	return p->flags & TSH_PAIRS_SAME_CPU && cpu > 0 ? (size_t)cpu : 0;
}

static uint64_t losses_of(const struct tsh_pairs *p, int cpu)
{
	size_t place = losses_place(p, cpu);

	return place < p->losses.n ? p->losses.v[place] : 0;
}

void tsh_pairs_lost(struct tsh_pairs *p, int cpu)
{
	size_t place = losses_place(p, cpu);

	while (p->losses.n <= place)
		(void)tsh_vec_push(&p->losses);
	p->losses.v[place]++;
}

/* ---- the hash table ---- */

static uint32_t hash_of(const struct tsh_pairs *p, const struct tsh_tally_part *key)
{
	uint64_t hash = 0;
	size_t i;

	for (i = 0; i < p->parts; i++)
		hash = tally_mix(hash ^ key[i].number);
	return (uint32_t)hash;
}

static inline bool has_key(const struct tsh_pairs *p, const struct open *open,
			   const struct tsh_tally_part *key)
{
	size_t i;

	for (i = 0; i < p->parts; i++)
		if (open->key[i] != key[i].number || open->kind[i] != tally_kind_of(key[i]))
			return false;
	return true;
}

static uint32_t *chain_of(struct tsh_pairs *p, uint32_t hash)
{
	return &p->chains[hash & (p->nchains - 1)];
}

/* Returns a pointer to the index of the newest begin of a key; or to the 0 at the end of its
 * list. */
static inline uint32_t *find(struct tsh_pairs *p, const struct tsh_tally_part *key, uint32_t hash)
{
	uint32_t *at = chain_of(p, hash);

	while (*at && (p->opens.v[*at].hash != hash || !has_key(p, &p->opens.v[*at], key)))
		at = &p->opens.v[*at].next;
	return at;
}

static void grow_chains(struct tsh_pairs *p)
{
	uint32_t place, *chain;

	free(p->chains);
	p->nchains *= 2;
	p->chains = tsh_xcalloc(p->nchains, sizeof(*p->chains));
	for (place = p->oldest; place; place = p->opens.v[place].newer) {
		chain = chain_of(p, p->opens.v[place].hash);
		p->opens.v[place].next = *chain;
		*chain = place;
	}
}

static void unlink_open(struct tsh_pairs *p, const struct open *open)
{
	if (open->older)
		p->opens.v[open->older].newer = open->newer;
	else
		p->oldest = open->newer;
	if (open->newer)
		p->opens.v[open->newer].older = open->older;
	else
		p->newest = open->older;
}

static void link_newest(struct tsh_pairs *p, uint32_t place)
{
	struct open *open = &p->opens.v[place];

	open->older = p->newest;
	open->newer = 0;
	if (p->newest)
		p->opens.v[p->newest].newer = place;
	else
		p->oldest = place;
	p->newest = place;
}

static void remove_open(struct tsh_pairs *p, uint32_t *at)
{
	uint32_t place = *at;
	struct open *open = &p->opens.v[place];

	*at = open->next;
	unlink_open(p, open);
	open->next = p->free;
	p->free = place;
	p->account.open--;
}

static void drop_oldest(struct tsh_pairs *p)
{
	uint32_t *at = chain_of(p, p->opens.v[p->oldest].hash);

	while (*at != p->oldest)
		at = &p->opens.v[*at].next;
	remove_open(p, at);
	p->account.evicted++;
}

/* Returns the index of a free entry, which is in no list. */
static uint32_t new_place(struct tsh_pairs *p)
{
	uint32_t place;

	if (p->account.open == p->max)
		drop_oldest(p);
	if (!p->free) {
		(void)tsh_vec_push(&p->opens);
		if (p->with && p->kept_cap < p->opens.cap) {
			p->kept_cap = p->opens.cap;
			p->kept = tsh_xreallocarray(p->kept, p->kept_cap * p->with,
						    sizeof(*p->kept));
		}
		return (uint32_t)(p->opens.n - 1);
	}
	place = p->free;
	p->free = p->opens.v[place].next;
	return place;
}

static uint32_t add(struct tsh_pairs *p, const struct tsh_tally_part *key, uint32_t hash)
{
	uint32_t place = new_place(p), *chain;
	struct open *open = &p->opens.v[place];
	size_t i;

	for (i = 0; i < p->parts; i++) {
		open->key[i] = key[i].number;
		open->kind[i] = tally_kind_of(key[i]);
	}
	open->hash = hash;
	if (++p->account.open > p->nchains)
		grow_chains(p);
	chain = chain_of(p, hash);
	open->next = *chain;
	*chain = place;
	return place;
}

/* Copies only the parts that are in use. */
static inline void store_begin(struct tsh_pairs *p, uint32_t place,
			       const struct tsh_pairs_begin *begin)
{
	struct open *open = &p->opens.v[place];
	size_t i;

	open->stamp = begin->stamp;
	open->cpu = begin->cpu;
	open->pid = begin->pid;
	for (i = 0; i < p->with; i++)
		p->kept[place * p->with + i] = begin->with[i];
}

static inline void copy_begin(const struct tsh_pairs *p, uint32_t place,
			      struct tsh_pairs_begin *to)
{
	const struct open *open = &p->opens.v[place];
	size_t i;

	to->stamp = open->stamp;
	to->cpu = open->cpu;
	to->pid = open->pid;
	for (i = 0; i < p->with; i++)
		to->with[i] = p->kept[place * p->with + i];
}

void tsh_pairs_begin(struct tsh_pairs *p, const struct tsh_tally_part *key,
		     const struct tsh_pairs_begin *begin)
{
	uint32_t hash = hash_of(p, key);
	uint32_t place = p->flags & TSH_PAIRS_NEST ? 0 : *find(p, key, hash);

	if (place) {
		p->account.replaced++;
		unlink_open(p, &p->opens.v[place]);
	} else {
		place = add(p, key, hash);
	}
	link_newest(p, place);
	store_begin(p, place, begin);
	p->opens.v[place].losses = losses_of(p, begin->cpu);
}

enum tsh_pairs_end tsh_pairs_end(struct tsh_pairs *p, const struct tsh_tally_part *key,
				 uint64_t stamp, struct tsh_pairs_begin *ret)
{
	uint32_t *at = find(p, key, hash_of(p, key));
	const struct open *open = &p->opens.v[*at];

	if (!*at) {
		p->account.without_begin++;
		return TSH_PAIRS_NONE;
	}
	copy_begin(p, *at, ret);
	remove_open(p, at);
	if (open->losses != losses_of(p, ret->cpu)) {
		p->account.unsure++;
		return TSH_PAIRS_UNSURE;
	}
	if (stamp < ret->stamp) {
		p->account.backwards++;
		return TSH_PAIRS_BACKWARDS;
	}
	p->account.made++;
	return TSH_PAIRS_MADE;
}

static bool remove_key(struct tsh_pairs *p, const struct tsh_tally_part *key)
{
	uint32_t *at = find(p, key, hash_of(p, key));

	if (!*at)
		return false;
	remove_open(p, at);
	return true;
}

void tsh_pairs_drop(struct tsh_pairs *p, const struct tsh_tally_part *key)
{
	p->account.dropped += remove_key(p, key);
}

void tsh_pairs_forget(struct tsh_pairs *p, const struct tsh_tally_part *key)
{
	p->account.replaced += remove_key(p, key);
}

void tsh_pairs_forget_before(struct tsh_pairs *p, const struct tsh_tally_part *key, uint64_t stamp)
{
	uint32_t hash = hash_of(p, key), *at;

	while (*(at = find(p, key, hash)) && p->opens.v[*at].stamp < stamp) {
		remove_open(p, at);
		p->account.replaced++;
	}
}

const struct tsh_pairs_account *tsh_pairs_account(const struct tsh_pairs *p)
{
	return &p->account;
}
