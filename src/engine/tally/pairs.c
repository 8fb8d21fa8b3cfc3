/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pairs.h"

#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "base/xmalloc.h"
#include "key.h"

#define CHAINS_FIRST 256 /* a power of two */

/* Places count from 1 on; 0 is none. */
struct open {
	uint64_t stamp; /* of its begin */
	int cpu, pid;
	uint64_t key[TSH_TALLY_PARTS_MAX];
	uint64_t losses; /* that there were before it */
	uint32_t hash;
	uint32_t next; /* in the chain of its hash, or of the free ones */
	uint32_t older, newer; /* in the order in which they came */
	uint8_t kind[TSH_TALLY_PARTS_MAX];
};

struct tsh_pairs {
	size_t parts, with, max;
	unsigned int flags;
	TSH_VEC(struct open) opens; /* the first is none */
	struct tsh_tally_part *kept; /* `with` parts of each, for opens.cap of them */
	size_t kept_cap;
	uint32_t *chains;
	size_t nchains;
	uint32_t free, oldest, newest;
	TSH_VEC(uint64_t) losses; /* of each CPU; of all of them in the first unless SAME_CPU */
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

/* ---- the table ---- */

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

/* What leads to the place of a key, its newest, or to the 0 where it would stand. */
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

static void leave_order(struct tsh_pairs *p, const struct open *open)
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

static void join_order(struct tsh_pairs *p, uint32_t place)
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

static void take_out(struct tsh_pairs *p, uint32_t *at)
{
	uint32_t place = *at;
	struct open *open = &p->opens.v[place];

	*at = open->next;
	leave_order(p, open);
	open->next = p->free;
	p->free = place;
	p->account.open--;
}

static void give_up_oldest(struct tsh_pairs *p)
{
	uint32_t *at = chain_of(p, p->opens.v[p->oldest].hash);

	while (*at != p->oldest)
		at = &p->opens.v[*at].next;
	take_out(p, at);
	p->account.given_up++;
}

/* A place for one more, in no chain. */
static uint32_t new_place(struct tsh_pairs *p)
{
	uint32_t place;

	if (p->account.open == p->max)
		give_up_oldest(p);
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

/* Without the parts that nobody has set. */
static inline void keep_begin(struct tsh_pairs *p, uint32_t place,
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
		p->account.again++;
		leave_order(p, &p->opens.v[place]);
	} else {
		place = add(p, key, hash);
	}
	join_order(p, place);
	keep_begin(p, place, begin);
	p->opens.v[place].losses = losses_of(p, begin->cpu);
}

enum tsh_pairs_end tsh_pairs_end(struct tsh_pairs *p, const struct tsh_tally_part *key,
				 uint64_t stamp, struct tsh_pairs_begin *ret)
{
	uint32_t *at = find(p, key, hash_of(p, key));
	const struct open *open = &p->opens.v[*at];

	if (!*at) {
		p->account.none++;
		return TSH_PAIRS_NONE;
	}
	copy_begin(p, *at, ret);
	take_out(p, at);
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

static bool take_key_out(struct tsh_pairs *p, const struct tsh_tally_part *key)
{
	uint32_t *at = find(p, key, hash_of(p, key));

	if (!*at)
		return false;
	take_out(p, at);
	return true;
}

void tsh_pairs_drop(struct tsh_pairs *p, const struct tsh_tally_part *key)
{
	p->account.dropped += take_key_out(p, key);
}

void tsh_pairs_forget(struct tsh_pairs *p, const struct tsh_tally_part *key)
{
	p->account.again += take_key_out(p, key);
}

void tsh_pairs_forget_before(struct tsh_pairs *p, const struct tsh_tally_part *key, uint64_t stamp)
{
	uint32_t hash = hash_of(p, key), *at;

	while (*(at = find(p, key, hash)) && p->opens.v[*at].stamp < stamp) {
		take_out(p, at);
		p->account.again++;
	}
}

const struct tsh_pairs_account *tsh_pairs_account(const struct tsh_pairs *p)
{
	return &p->account;
}
