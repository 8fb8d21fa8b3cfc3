/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "crew-worker.h"

#include <stdlib.h>
#include <string.h>

#include "base/xmalloc.h"

/* Sets the size of a slice: its lines should fit into a CPU's second-level cache. */
#define SLICE_BYTES (32u << 10)
/* Counts the slices for each thread, at least, so that none has to wait for long. */
#define PARTS 4
/* Begins to use several threads when a fill has read that much: less is done sooner than threads
 * wake up. */
#define BUSY_BYTES (256u << 10)
/* Limits the text of a slice that waits to be written: a recording may have a format that prints much
 * for each event. */
#define PART_BYTES (512u << 10)

/* ---- a slice ---- */

static bool is_seen(const struct tsh_stream_crew *crew, unsigned int id)
{
	return id <= UINT16_MAX && __atomic_load_n(&crew->seen[id / 64], __ATOMIC_RELAXED) >> id % 64 & 1;
}

static void note_event(void *ctx, const struct tsh_record *rec, bool late)
{
	struct worker *w = ctx;
	unsigned int id = tsh_decoder_id(w->decoder, rec);

	*tsh_vec_push(&w->items) = (struct item){ rec->data, rec->stamp, rec->size, (int16_t)rec->cpu, late, false };
	(void)tsh_decoder_read_names(w->decoder, rec, &w->changes);
	if (!is_seen(w->crew, id))
		*tsh_vec_push(&w->news) = id;
}

static void note_lost(void *ctx, int cpu, uint64_t lost, uint64_t stamp)
{
	struct worker *w = ctx;

	*tsh_vec_push(&w->items) = (struct item){ NULL, stamp, (uint32_t)w->lost.n, (int16_t)cpu, false, true };
	*tsh_vec_push(&w->lost) = lost;
}

/* Says whether the stages have something to say of an event that comes for the first time. */
static bool is_remarkable(const struct tsh_stream_crew *crew, const struct tsh_event_format *format)
{
	size_t i;

	for (i = 0; i < crew->all->n; i++) {
		const struct tsh_stage *stage = crew->all->v[i];

		if (stage->kind->remarks && stage->kind->remarks(stage, format))
			return true;
	}
	return false;
}

/*
 * Meets the events of a slice that the stream has not had before. Lets one thread pass on the slice
 * when there is something to say of one of them, and the rest of the stream when an event may be
 * printed by another program.
 */
static void meet_events(struct tsh_stream_crew *crew, const struct worker *w, size_t slice)
{
	size_t i;

	tsh_shared_provider_lock(crew->provider);
	for (i = 0; i < w->news.n; i++) {
		unsigned int id = w->news.v[i];
		const struct tsh_event_format *format;

		if (is_seen(crew, id))
			continue;
		format = tsh_decoder_format(crew->stream->decoder, id);
		crew->is_off |= id > UINT16_MAX || (format && (format->unprintable || format->printed_by));
		if (crew->is_off || !format || is_remarkable(crew, format))
			crew->n = slice;
		if (id <= UINT16_MAX)
			__atomic_fetch_or(&crew->seen[id / 64], UINT64_C(1) << id % 64, __ATOMIC_RELAXED);
	}
	tsh_shared_provider_unlock(crew->provider);
}

/*
 * Waits until the names of all slices before this one are learnt, brings this thread's decoder to
 * that state, and then passes on what this slice changes. Returns false when this slice is not to
 * be passed on.
 */
static bool learn_names(struct worker *w, size_t slice)
{
	struct tsh_stream_crew *crew = w->crew;
	bool passes;

	pthread_mutex_lock(&crew->lock);
	while (crew->learnt < slice && slice < crew->n)
		pthread_cond_wait(&crew->changed, &crew->lock);
	if (slice < crew->n && w->news.n)
		meet_events(crew, w, slice);
	passes = slice < crew->n;
	if (passes) {
		tsh_decoder_apply_names(w->decoder, crew->log.v + w->applied, crew->log.n - w->applied);
		tsh_decoder_apply_names(crew->stream->decoder, w->changes.ops.v, w->changes.ops.n);
		/* this thread learns its own changes from the events */
		w->applied = crew->log.n;
		crew->learnt = slice + 1;
	}
	pthread_cond_broadcast(&crew->changed);
	pthread_mutex_unlock(&crew->lock);
	return passes;
}

static struct slot *slot_of(struct tsh_stream_crew *crew, size_t slice)
{
	return &crew->slots[slice % (SLOTS * tsh_team_size(crew->team))];
}

static void swap_out(struct tsh_out *a, struct tsh_out *b)
{
	struct tsh_out swap = *a;

	*a = *b;
	*b = swap;
}

/* Waits until a slow reader has left no more than the rest of a slice may add to. */
static void wait_for_output(struct tsh_stream_crew *crew)
{
	struct tsh_out *out = crew->stream->out;

	while (tsh_out_write_some(out) > crew->part && crew->caller->wait(crew->caller->ctx, tsh_out_poll_fd(out)))
		;
}

/* Writes what there is of the slice whose turn it is. Returns false when that is nothing. Begins no more
 * slices when the output says so. The lock is held, but not while it writes. */
static bool write_next(struct tsh_stream_crew *crew)
{
	struct slot *slot = slot_of(crew, crew->written);
	bool halts, is_part = slot->is_part;

	if (crew->written >= crew->n || !(slot->is_done || is_part))
		return false;
	pthread_mutex_unlock(&crew->lock);
	tsh_out_append(crew->stream->out, &slot->out);
	if (is_part)
		wait_for_output(crew);
	halts = crew->caller->halts(crew->caller->ctx);
	pthread_mutex_lock(&crew->lock);
	if (halts && crew->next < crew->n)
		crew->n = crew->next;
	slot->is_done = slot->is_part = false;
	crew->written += !is_part;
	pthread_cond_broadcast(&crew->changed);
	return true;
}

/* Waits until it is the turn of a slice, and until what is printed of it has been written: before that
 * it takes no more memory. */
static void pass_part(struct worker *w, size_t slice)
{
	struct tsh_stream_crew *crew = w->crew;
	bool leads = w == crew->workers[0];
	struct slot *slot = slot_of(crew, slice);

	pthread_mutex_lock(&crew->lock);
	while (crew->written < slice)
		if (!leads || !write_next(crew))
			pthread_cond_wait(&crew->changed, &crew->lock);
	swap_out(&slot->out, &w->out);
	slot->is_part = true;
	pthread_cond_broadcast(&crew->changed);
	while (slot->is_part)
		if (!leads || !write_next(crew))
			pthread_cond_wait(&crew->changed, &crew->lock);
	pthread_mutex_unlock(&crew->lock);
}

static void print_items(struct worker *w, size_t slice)
{
	struct tsh_consumer *to = w->to;
	size_t i;

	for (i = 0; i < w->items.n; i++) {
		const struct item *item = &w->items.v[i];
		const struct tsh_record rec = { .stamp = item->stamp, .cpu = item->cpu, .size = item->size,
						.data = item->data };
		uint64_t lost;

		if (w->out.data.len > w->crew->part)
			pass_part(w, slice);
		if (!item->is_lost) {
			if (to->event(to, &rec, item->is_late)) {
				w->sum.events++;
				w->sum.late += item->is_late;
			}
			continue;
		}
		lost = w->lost.v[item->size];
		if (lost == TSH_LOST_UNKNOWN)
			w->sum.lost_unknown = true;
		else
			w->sum.lost += lost;
		to->lost(to, item->cpu, lost, item->stamp);
	}
}

static void print_slice(struct worker *w, size_t slice)
{
	struct tsh_stream_crew *crew = w->crew;
	struct slot *slot;

	w->items.n = w->lost.n = w->news.n = 0;
	tsh_name_changes_clear(&w->changes);
	tsh_slice_read(w->reader, slice, note_event, note_lost, w);
	if (!learn_names(w, slice))
		return;
	print_items(w, slice);
	pthread_mutex_lock(&crew->lock);
	slot = slot_of(crew, slice);
	swap_out(&slot->out, &w->out);
	slot->is_done = true;
	pthread_cond_broadcast(&crew->changed);
	pthread_mutex_unlock(&crew->lock);
}

/* ---- a batch of slices ---- */

/* Takes the next slice, if there is one and room for its output. The lock is held. */
static bool take_slice(struct tsh_stream_crew *crew, size_t *ret)
{
	if (crew->next >= crew->n || crew->next >= crew->written + SLOTS * tsh_team_size(crew->team))
		return false;
	*ret = crew->next++;
	return true;
}

static void work(void *ctx, unsigned int member)
{
	struct tsh_stream_crew *crew = ctx;
	size_t slice;

	pthread_mutex_lock(&crew->lock);
	while (crew->written < crew->n) {
		if (!take_slice(crew, &slice)) {
			pthread_cond_wait(&crew->changed, &crew->lock);
			continue;
		}
		pthread_mutex_unlock(&crew->lock);
		print_slice(crew->workers[member], slice);
		pthread_mutex_lock(&crew->lock);
	}
	pthread_mutex_unlock(&crew->lock);
}

/* Prints slices, and writes those whose turn it is. */
static void lead(struct tsh_stream_crew *crew)
{
	size_t slice;

	pthread_mutex_lock(&crew->lock);
	while (crew->written < crew->n) {
		if (write_next(crew))
			continue;
		if (take_slice(crew, &slice)) {
			pthread_mutex_unlock(&crew->lock);
			print_slice(crew->workers[0], slice);
			pthread_mutex_lock(&crew->lock);
		} else {
			pthread_cond_wait(&crew->changed, &crew->lock);
		}
	}
	pthread_mutex_unlock(&crew->lock);
}

static void join_workers(struct tsh_stream_crew *crew)
{
	struct tsh_stream_summary *sum = crew->stream->sum;
	unsigned int i;
	size_t k, j;

	for (i = 0; i < tsh_team_size(crew->team); i++) {
		struct worker *w = crew->workers[i];

		sum->events += w->sum.events;
		sum->late += w->sum.late;
		sum->lost += w->sum.lost;
		sum->lost_unknown |= w->sum.lost_unknown;
		sum->lost_hidden |= w->sum.lost_hidden;
		w->sum = (struct tsh_stream_summary){ 0 };
		for (k = j = 0; k < crew->all->n && j < w->stages.n; k++) {
			if (crew->all->v[k]->kind != w->stages.v[j]->kind)
				continue;
			if (crew->all->v[k]->kind->join)
				crew->all->v[k]->kind->join(crew->all->v[k], w->stages.v[j]);
			j++;
		}
	}
}

/* Lets all workers know the logged changes of names, so that the log can be emptied. */
#define LOG_MAX 4096
static void empty_log(struct tsh_stream_crew *crew)
{
	unsigned int i;

	if (crew->log.n < LOG_MAX)
		return;
	for (i = 0; i < tsh_team_size(crew->team); i++) {
		struct worker *w = crew->workers[i];

		tsh_decoder_apply_names(w->decoder, crew->log.v + w->applied, crew->log.n - w->applied);
		w->applied = 0;
	}
	crew->log.n = 0;
}

/* Makes the team and its workers, when there is work for them. Returns false when there can be
 * none. */
static bool gather(struct tsh_stream_crew *crew)
{
	unsigned int i;

	if (crew->team)
		return true;
	crew->team = tsh_team_new(crew->threads);
	crew->is_off = tsh_team_size(crew->team) < 2;
	for (i = 1; i < tsh_team_size(crew->team); i++)
		crew->begun(crew->begun_ctx, tsh_team_tid(crew->team, i));
	crew->slices = tsh_slices_new(crew->stream->source);
	crew->provider = tsh_shared_provider_new(crew->stream->provider);
	tsh_decoder_log_names(crew->stream->decoder, &crew->log);
	for (i = 0; i < tsh_team_size(crew->team) && !crew->is_off; i++) {
		crew->workers[i] = tsh_worker_new(crew);
		crew->is_off = !crew->workers[i];
	}
	for (i = 0; i < SLOTS * tsh_team_size(crew->team); i++)
		tsh_worker_init_out(&crew->slots[i].out, crew->stream->out);
	return !crew->is_off;
}

/* Lets the threads print times as the stream's sink does, which a key may change. Returns false when only
 * one thread can print such times. */
static bool follow_times(struct tsh_stream_crew *crew)
{
	enum tsh_time_style style = crew->sink->time.style;
	unsigned int i;

	for (i = 0; i < tsh_team_size(crew->team); i++)
		if (crew->workers[i]->sink.time.style != style)
			tsh_sink_set_time(&crew->workers[i]->sink, style);
	return tsh_sink_can_fork(crew->sink);
}

static uint64_t pass(void *ctx, uint64_t watermark, const struct tsh_crew_caller *caller)
{
	struct tsh_stream_crew *crew = ctx;
	unsigned int i;
	size_t all;

	if (crew->is_off || !crew->is_busy || !gather(crew) || !follow_times(crew))
		return watermark;
	empty_log(crew);
	all = tsh_slices_cut(crew->slices, watermark, PARTS * tsh_team_size(crew->team), SLICE_BYTES, tsh_task_names_need_losses(crew->task_names));
	if (!all)
		return watermark;
	for (i = 0; tsh_source_is_live(crew->stream->source) && i < tsh_team_size(crew->team); i++)
		tsh_decoder_renew(crew->workers[i]->decoder);
	crew->caller = caller;
	crew->n = all;
	crew->next = crew->learnt = crew->written = 0;
	tsh_team_begin(crew->team, work, crew);
	lead(crew);
	tsh_team_end(crew->team);
	join_workers(crew);
	if (crew->n < all)
		watermark = tsh_slices_until(crew->slices, crew->n);
	tsh_slices_end(crew->slices, crew->n);
	return watermark;
}

/* ---- reading ---- */

static void read_lanes(void *ctx, unsigned int member)
{
	struct tsh_stream_crew *crew = ctx;
	size_t lane;

	(void)member;
	while ((lane = __atomic_fetch_add(&crew->lane, 1, __ATOMIC_RELAXED)) < crew->nlanes)
		tsh_source_read_lane(crew->stream->source, lane);
}

static int fill(void *ctx, unsigned int budget, bool *ret_drained)
{
	struct tsh_stream_crew *crew = ctx;
	int n;

	crew->nlanes = 0;
	if (crew->is_busy && !crew->is_off && gather(crew))
		crew->nlanes = tsh_source_begin_read(crew->stream->source, budget);
	if (crew->nlanes) {
		crew->lane = 0;
		tsh_team_begin(crew->team, read_lanes, crew);
		read_lanes(crew, 0);
		tsh_team_end(crew->team);
		n = tsh_source_end_read(crew->stream->source, ret_drained);
	} else {
		n = tsh_source_fill(crew->stream->source, budget, ret_drained);
	}
	crew->is_busy = crew->is_eager || (n > 0 && (size_t)n * crew->stream->layout->page_size >= BUSY_BYTES);
	return n;
}

/* ---- the crew ---- */

/* Divides the pool, if there is one, by the texts that are printed or wait; but what is written at once
 * may always wait. */
static size_t part_bytes(const struct tsh_crew_settings *settings)
{
	size_t bytes = settings->pool / settings->threads / (SLOTS + 1);

	if (!settings->pool || bytes > PART_BYTES)
		return PART_BYTES;
	return bytes < TSH_OUT_FULL ? TSH_OUT_FULL : bytes;
}

struct tsh_stream_crew *tsh_stream_crew_new(const struct tsh_open_stream *stream, const struct tsh_stages *stages,
					    const struct tsh_task_names *task_names, struct tsh_sink *sink,
					    const struct tsh_crew_settings *settings)
{
	struct tsh_stages copies = { .n = 0 };
	struct tsh_stream_crew *crew;
	bool can;
	size_t i;

	if (settings->threads < 2 || !tsh_sink_can_fork(sink))
		return NULL;
	can = tsh_fork_stages(stages, &copies);
	for (i = 0; i < copies.n; i++)
		copies.v[i]->kind->free(copies.v[i]);
	if (!can)
		return NULL;
	crew = tsh_xcalloc(1, sizeof(*crew));
	crew->functions = (struct tsh_crew){ fill, pass, crew };
	crew->stream = stream;
	crew->all = stages;
	crew->task_names = task_names;
	crew->sink = sink;
	crew->threads = settings->threads;
	crew->begun = settings->begun;
	crew->begun_ctx = settings->begun_ctx;
	crew->pool = settings->pool / settings->threads;
	crew->part = part_bytes(settings);
	crew->is_eager = crew->is_busy = settings->is_eager;
	pthread_mutex_init(&crew->lock, NULL);
	pthread_cond_init(&crew->changed, NULL);
	return crew;
}

const struct tsh_crew *tsh_stream_crew(const struct tsh_stream_crew *crew)
{
	return crew ? &crew->functions : NULL;
}

void tsh_stream_crew_free(struct tsh_stream_crew *crew)
{
	unsigned int i;

	if (!crew)
		return;
	tsh_decoder_log_names(crew->stream->decoder, NULL);
	for (i = 0; crew->team && i < SLOTS * tsh_team_size(crew->team); i++)
		tsh_out_release(&crew->slots[i].out);
	for (i = 0; i < TSH_TEAM_MAX; i++)
		tsh_worker_free(crew->workers[i]);
	tsh_shared_provider_free(crew->provider);
	tsh_team_free(crew->team);
	tsh_slices_free(crew->slices);
	tsh_vec_release(&crew->log);
	pthread_cond_destroy(&crew->changed);
	pthread_mutex_destroy(&crew->lock);
	free(crew);
}
