/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pair.h"

#include <stdlib.h>
#include <string.h>

#include "base/now.h"
#include "events/source/recorded.h"

/* Makes durations of pairs, and counts them. */

/* Reads the keys of the row that an event has. Returns false if one is missing. */
static bool read_parts(struct tsh_by *by, enum latency_role role, const struct tsh_record *rec,
		       unsigned int id, struct tsh_tally_part *with)
{
	size_t i;

	for (i = 0; i < by->spec.nkeys; i++)
		if (by->latency->from[i] == role &&
		    !by_plain_part(by, &by->spec.keys[i], rec, id, &with[i]) &&
		    !by_part_of(by, &by->spec.keys[i], by->tally, rec, id, &with[i]))
			return false;
	return true;
}

/* Computes the duration of a pair, in ns. Returns false if the clock cannot measure it. */
static bool duration_of(const struct tsh_by *by, const struct tsh_pairs_begin *begin,
			const struct tsh_record *rec, uint64_t *ret)
{
	int64_t from, to;
	uint64_t error;

	if (by->clock->kind->in_ns) {
		*ret = rec->stamp - begin->stamp;
		return true;
	}
	if (!tsh_clock_wall(by->clock, begin->cpu, begin->stamp, &from, &error) ||
	    !tsh_clock_wall(by->clock, rec->cpu, rec->stamp, &to, &error) || to < from)
		return false;
	*ret = (uint64_t)to - (uint64_t)from;
	return true;
}

static void count(struct tsh_by *by, const struct tsh_tally_part *with, uint64_t ns)
{
	struct by_latency *l = by->latency;
	size_t row = tsh_tally_add(by->tally, with);

	tsh_tally_add_value(by->tally, row, 0, ns, false);
	while (l->distributions.n <= row)
		(void)tsh_vec_push(&l->distributions);
	tsh_distribution_add(&l->distributions.v[row], ns);
}

static void begin_pair(struct tsh_by *by, const struct tsh_tally_part *key,
		       const struct tsh_record *rec, const struct tsh_common *common)
{
	struct tsh_pairs_begin begin;

	begin.stamp = rec->stamp;
	begin.cpu = rec->cpu;
	begin.pid = common->pid;
	if (read_parts(by, LATENCY_BEGIN, rec, common->id, begin.with))
		tsh_pairs_begin(by->latency->pairing.pairs, key, &begin);
	else
		by->without++;
}

/* Makes a struct of a pair, for options that show single pairs. */
static void handle_pair(struct tsh_by *by, const struct tsh_tally_part *key,
			const struct tsh_record *rec, int pid, const struct tsh_pairs_begin *begin,
			uint64_t ns)
{
	struct latency_pair pair = { .ns = ns, .stamp = rec->stamp, .cpu = rec->cpu, .pid = pid };
	size_t i;

	pair.begin.stamp = begin->stamp;
	pair.begin.cpu = begin->cpu;
	pair.begin.pid = begin->pid;
	for (i = 0; i < by->spec.nkeys; i++)
		pair.begin.with[i] = begin->with[i];
	for (i = 0; i < by->latency->spec.nkeys; i++)
		pair.on[i] = key[i];
	latency_handle_pair(by, &pair);
}

/* Says whether an event passes the filter that tracesh evaluates. */
static bool is_asked(struct tsh_by *by, enum latency_role role, const struct tsh_record *rec)
{
	struct tsh_query *asked = by->latency->queries[role];

	return !asked || tsh_query_match(asked, by->decoder, by->layout, rec);
}

static void end_pair(struct tsh_by *by, const struct tsh_tally_part *key,
		     const struct tsh_record *rec, const struct tsh_common *common)
{
	struct by_latency *l = by->latency;
	struct tsh_pairs_begin begin;
	uint64_t ns;

	if (!pairing_end(&l->pairing, key, rec->stamp, &begin))
		return;
	if (!is_asked(by, LATENCY_END, rec)) {
		l->unmatched++;
		return;
	}
	if (!duration_of(by, &begin, rec, &ns)) {
		l->untimed++;
		return;
	}
	if (!read_parts(by, LATENCY_END, rec, common->id, begin.with)) {
		by->without++;
		return;
	}
	by->counted++;
	count(by, begin.with, ns);
	if (l->has_slower || l->has_stop || l->worst_max)
		handle_pair(by, key, rec, common->pid, &begin, ns);
}

/* Counts a pair that the kernel has made; the CPU of its START is not known. */
static void count_made(struct tsh_by *by, const struct tsh_record *rec,
		       const struct tsh_common *common)
{
	struct by_latency *l = by->latency;
	struct tsh_tally_part key[TSH_TALLY_PARTS_MAX], lat;
	struct tsh_pairs_begin begin = { .cpu = -1, .pid = common->pid };
	bool has = pairing_part(&l->pairing, &l->lat, rec, common->id, &lat) &&
		   pairing_key(&l->pairing, LATENCY_END, rec, common->id, key);
	size_t i;

	for (i = 0; has && i < by->spec.nkeys; i++)
		has = by_plain_part(by, &by->spec.keys[i], rec, common->id, &begin.with[i]) ||
		      by_part_of(by, &by->spec.keys[i], by->tally, rec, common->id, &begin.with[i]);
	if (!has) {
		by->without++;
		return;
	}
	/*
	 * another CPU was just replacing the START: its time is later than that of END, or half
	 * written
	 */
	if (lat.number > (uint64_t)(tsh_now_ns(CLOCK_MONOTONIC) - l->made_since)) {
		l->backwards++;
		return;
	}
	begin.stamp = rec->stamp > lat.number ? rec->stamp - lat.number : 0;
	by->counted++;
	count(by, begin.with, lat.number);
	if (l->has_slower || l->has_stop || l->worst_max)
		handle_pair(by, key, rec, common->pid, &begin, lat.number);
}

static inline void handle_event(struct tsh_by *by, enum latency_role role,
				const struct tsh_record *rec, const struct tsh_common *common)
{
	struct by_latency *l = by->latency;
	struct tsh_tally_part key[TSH_TALLY_PARTS_MAX], part;

	if (!pairing_key(&l->pairing, role, rec, common->id, key)) {
		by->without++;
		return;
	}
	if (l->spec.no_zero && !key[0].number)
		return;
	if (role == LATENCY_END && l->spec.drops.value &&
	    pairing_part(&l->pairing, &l->spec.drops, rec, common->id, &part))
		tsh_pairs_drop(l->pairing.pairs, &part);
	if (role == LATENCY_BEGIN && l->spec.ends.value &&
	    pairing_part(&l->pairing, &l->spec.ends, rec, common->id, &part) && part.number)
		return;
	if (!pairing_is_traced(&l->pairing, key))
		l->others++;
	else if (role == LATENCY_BEGIN && !is_asked(by, role, rec))
		tsh_pairs_forget(l->pairing.pairs, key);
	else if (role == LATENCY_BEGIN)
		begin_pair(by, key, rec, common);
	else
		end_pair(by, key, rec, common);
}

/*
 * Counts missing switches: the task that leaves a CPU has to be the one that came to it in the
 * switch before. Some kernels (6.18) leave switches out, and so do filters and lists of tasks.
 * Tasks that are not traced do not count.
 */
static void check_switch(struct tsh_by *by, const struct tsh_record *rec, const struct tsh_common *common)
{
	struct by_latency *l = by->latency;
	struct tsh_tally_part next;
	int64_t *running;

	if (rec->cpu < 0 || rec->cpu > UINT16_MAX || !pairing_part(&l->pairing, &l->next_pid, rec, common->id, &next))
		return;
	while (l->running.n <= (size_t)rec->cpu)
		(void)tsh_vec_push(&l->running);
	running = &l->running.v[rec->cpu];
	/* *running - 1 is the pid of the task that came last */
	if (*running && *running - 1 != common->pid)
		l->unswitched += (common->pid && tsh_decoder_is_whole(by->decoder, common->pid)) ||
				 (*running > 1 && tsh_decoder_is_whole(by->decoder, (int)(*running - 1)));
	*running = (int64_t)next.number + 1;
}

static bool event(struct tsh_consumer *to, const struct tsh_record *rec, bool late)
{
	struct tsh_by *by = by_of((struct tsh_stage *)(void *)to);
	struct by_latency *l = by->latency;
	const struct tsh_event_format *format;
	struct tsh_common common;
	enum latency_role role;

	(void)late;
	if (l->stopped)
		return true;
	by_observe(by, rec);
	if (by->has_before && rec->stamp <= by->before) {
		by->older++;
		return false;
	}
	if (!tsh_decoder_common(by->decoder, rec, &common) || common.id > UINT16_MAX)
		return true;
	if (l->between)
		latency_between_add(l->between, rec, common.pid);
	role = pairing_role(&l->pairing, common.id);
	if (l->has_names && (format = tsh_decoder_format(by->decoder, common.id)))
		tsh_decoder_learn(by->decoder, format, rec);
	if (role == LATENCY_NEITHER) {
		by->others += by->spec.only;
		return !by->spec.only;
	}
	if (role == LATENCY_MADE) {
		count_made(by, rec, &common);
		return true;
	}
	if (role == l->switches && l->next_pid.value)
		check_switch(by, rec, &common);
	handle_event(by, role, rec, &common);
	if (l->spec.is_one)
		handle_event(by, LATENCY_BEGIN, rec, &common);
	return true;
}

static void lose(struct tsh_consumer *to, int cpu, uint64_t n, uint64_t stamp)
{
	struct tsh_by *by = by_of((struct tsh_stage *)(void *)to);

	struct by_latency *l = by->latency;

	(void)n;
	(void)stamp;
	if (cpu >= 0 && (size_t)cpu < l->running.n)
		l->running.v[cpu] = 0;
	tsh_pairs_lost(l->pairing.pairs, cpu);
}

/*
 * Learns how the two events show their numbers: the event that the kernel makes of a pair has no
 * names for them.
 */
static void learn_names(struct tsh_by *by, struct by_item *item, enum latency_role role)
{
	const struct tsh_event_format *format = by->latency->formats[role];
	const struct tsh_field *field;

	field = item->modifier == BY_PLAIN ? tsh_event_format_field(format, item->title) : NULL;
	if (field)
		by_text_of(by, item, format, field);
	item->has_pair_text = field != NULL;
}

static void learn_all_names(struct tsh_by *by)
{
	struct by_latency *l = by->latency;
	size_t i;

	for (i = 0; i < by->spec.nkeys; i++)
		learn_names(by, &by->spec.keys[i], l->from[i]);
	for (i = 0; i < l->spec.nkeys; i++)
		learn_names(by, &l->spec.keys[LATENCY_BEGIN][i], LATENCY_BEGIN);
}

static void begin(struct tsh_by *by, const struct tsh_stream_options *opt)
{
	const size_t size = count_spec_size(&by->spec);
	const struct pairing_room room = { .starts = size, .with = by->spec.nkeys, .texts = size };
	struct by_latency *l = by->latency;
	unsigned int role;
	size_t i;

	by->stage.consumer.event = event;
	by->stage.consumer.lost = lose;
	l->with_migrate = tsh_has_migrate_depth(opt->in);
	/* redrawing the table would erase the lines of pairs */
	by->redraws = by->redraws && !l->has_slower;
	pairing_begin(&l->pairing, &l->spec, by, &room);
	l->pairing.made = l->made;
	l->has_names = by->spec.nkeys || l->has_slower || l->has_stop || l->worst_max;
	l->between = l->worst_max && !l->made ? latency_between_new(by) : NULL;
	l->backwards = l->untimed = l->others = l->unmatched = l->unswitched = 0;
	l->stopped = l->has_titles = false;
	tsh_time_text_init(&l->time, l->style, l->in_ns);
	tsh_time_text_init(&l->begin_time, l->style == TSH_TIME_WALL ? TSH_TIME_SHORT : l->style,
			   l->in_ns);
	for (role = 0; role < LATENCY_ROLES; role++)
		for (i = 0; i < l->spec.nkeys; i++)
			tsh_query_set_clock(l->spec.keys[role][i].value, by->clock);
	if (l->made)
		learn_all_names(by);
}

static void forget(struct tsh_by *by)
{
	struct by_latency *l = by->latency;
	unsigned int role;
	size_t i;

	pairing_release(&l->pairing);
	for (role = 0; role < LATENCY_ROLES; role++)
		if (l->queries[role])
			tsh_query_forget(l->queries[role]);
	by_item_release(&l->lat);
	by_item_release(&l->next_pid);
	tsh_vec_release(&l->running);
	for (i = 0; i < l->distributions.n; i++)
		tsh_distribution_release(&l->distributions.v[i]);
	tsh_vec_release(&l->distributions);
	for (i = 0; i < l->worst.n; i++)
		free(l->worst.v[i].between);
	tsh_vec_release(&l->worst);
	latency_between_free(l->between);
	l->between = NULL;
	if (by->tally) {
		tsh_time_text_release(&l->time);
		tsh_time_text_release(&l->begin_time);
	}
}

static bool is_done(const struct tsh_by *by)
{
	return by->latency->stopped;
}

static bool needs_names(const struct tsh_by *by)
{
	const struct by_latency *l = by->latency;

	return (l->spec.has_task && !l->made) || l->has_slower || l->has_stop || l->worst_max;
}

static uint64_t count_in_bucket(const struct tsh_by *by, unsigned int bucket)
{
	const struct by_latency *l = by->latency;
	uint64_t n = 0;
	size_t row;

	for (row = 0; row < l->distributions.n; row++)
		n += tsh_distribution_log2(&l->distributions.v[row], bucket);
	return n;
}

const struct by_engine latency_engine = {
	.type = "latency",
	.values = 1,			/* the duration */
	.free = latency_free, .begin = begin, .forget = forget,
	.show = latency_show, .cells = latency_cells, .add_json = latency_add_json, .account = latency_account,
	.prints = latency_prints, .done = is_done,
	.asks_for_names = latency_asks_for_names, .needs_names = needs_names,
	.lacks_filter = latency_lacks_filter, .note_gaps = latency_note_gaps,
	.in_bucket = count_in_bucket,
};
