/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pair.h"

#include <stdlib.h>
#include <string.h>

/* Makes pairs of events, for latency (pair.c) and for the rows of sql (rows.c). */

bool pair_names_task(const struct by_item *item)
{
	static const char end[] = "pid";
	size_t len = strlen(item->title);

	return !item->has_text && len >= strlen(end) &&
	       !strcmp(item->title + len - strlen(end), end);
}

/* Says whether key i is a task's number. */
static bool is_task(const struct pair_spec *spec, size_t i)
{
	return pair_names_task(&spec->keys[LATENCY_BEGIN][i]) || pair_names_task(&spec->keys[LATENCY_END][i]);
}

void pair_spec_key_done(struct pair_spec *spec)
{
	spec->has_task |= is_task(spec, spec->nkeys++);
}

/* Calls `each` with every item of a spec. */
static void with_items(struct pair_spec *spec, void (*each)(struct by_item *))
{
	unsigned int role;
	size_t i;

	for (role = 0; role < LATENCY_ROLES; role++)
		for (i = 0; i < TSH_TALLY_PARTS_MAX; i++)
			each(&spec->keys[role][i]);
	each(&spec->drops);
	each(&spec->ends);
}

void pair_spec_release(struct pair_spec *spec)
{
	with_items(spec, by_free_item);
}

/* ---- a stream ---- */

void pairing_begin(struct pairing *p, struct pair_spec *spec, struct tsh_by *by, const struct pairing_room *room)
{
	*p = (struct pairing){ .spec = spec, .by = by };
	p->pairs = tsh_pairs_new(spec->nkeys, room->with, room->starts,
				 (spec->same_cpu ? TSH_PAIRS_SAME_CPU : 0) | (spec->nests ? TSH_PAIRS_NEST : 0));
	p->texts = tsh_tally_new(spec->nkeys, 0, room->texts);
}

void pairing_release(struct pairing *p)
{
	if (!p->spec)
		return;
	with_items(p->spec, by_item_release);
	tsh_vec_release(&p->places);
	tsh_pairs_free(p->pairs);
	tsh_tally_free(p->texts);
	*p = (struct pairing){ 0 };
}

static bool is_event(const struct tsh_event_format *format, const struct tsh_event *event)
{
	return !strcmp(format->name, event->name) && !strcmp(format->system, event->system);
}

enum latency_role pairing_find_role(struct pairing *p, unsigned int id)
{
	const struct tsh_event_format *format = tsh_decoder_format(p->by->decoder, id);
	enum latency_role ret = LATENCY_NEITHER;
	unsigned int role;

	for (role = 0; format && role < LATENCY_ROLES; role++)
		if (is_event(format, &p->spec->events[role]))
			ret = role;
	if (format && p->made && is_event(format, p->made))
		ret = LATENCY_MADE;
	while (p->places.n <= id)
		(void)tsh_vec_push(&p->places);
	p->places.v[id] = (struct latency_place){ p->by->age, ret };
	return ret;
}

bool pairing_key(struct pairing *p, enum latency_role role, const struct tsh_record *rec, unsigned int id,
		 struct tsh_tally_part *ret)
{
	size_t i;

	for (i = 0; i < p->spec->nkeys; i++)
		if (!pairing_part(p, &p->spec->keys[role][i], rec, id, &ret[i]))
			return false;
	return true;
}

bool pairing_is_traced(const struct pairing *p, const struct tsh_tally_part *key)
{
	size_t i;

	for (i = 0; p->spec->has_task && i < p->spec->nkeys; i++)
		if (is_task(p->spec, i) && tsh_decoder_is_whole(p->by->decoder, (int)key[i].number))
			return true;
	return !p->spec->has_task;
}

/* Drops the START of a task that had the same pid before: it has no END any more. */
static void forget_dead(struct pairing *p, const struct tsh_tally_part *key)
{
	uint64_t birth, last = 0;
	size_t i;

	for (i = 0; p->spec->has_task && i < p->spec->nkeys; i++) {
		birth = is_task(p->spec, i) ? tsh_decoder_birth(p->by->decoder, (int)key[i].number) : 0;
		last = birth > last ? birth : last;
	}
	if (last)
		tsh_pairs_forget_before(p->pairs, key, last);
}

bool pairing_end(struct pairing *p, const struct tsh_tally_part *key, uint64_t stamp, struct tsh_pairs_begin *ret)
{
	forget_dead(p, key);
	return tsh_pairs_end(p->pairs, key, stamp, ret) == TSH_PAIRS_MADE;
}
