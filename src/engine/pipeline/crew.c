/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "crew.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/team.h"
#include "base/xmalloc.h"
#include "events/decode/name-log.h"
#include "events/source/slices.h"

/* Sets the size of a slice: its lines should fit into a CPU's second-level cache. */
#define SLICE_BYTES (32u << 10)
/* Counts the slices for each thread, at least, so that none has to wait for long. */
#define PARTS 4
/* Begins to use several threads when a fill has read that much: less is done sooner than threads
 * wake up. */
#define BUSY_BYTES (256u << 10)
/* Counts the slices that may wait to be written, for each thread. */
#define SLOTS 2

/* Holds an event of a slice until the names of tasks before it are known. */
struct item {
	const unsigned char *data;
	uint64_t stamp;
	uint32_t size;
	int16_t cpu;
	bool is_late;
	bool is_lost;			/* events are missing here: their number is in size */
};

/* Holds what a thread needs to print a slice. */
struct worker {
	struct tsh_stream_crew *crew;
	struct tsh_slice_reader *reader;
	struct tsh_decoder *decoder;
	struct tsh_stream_summary sum;
	struct tsh_open_stream stream;
	struct tsh_stages stages;	/* copies */
	struct tsh_out out;
	struct tsh_sink sink;
	struct tsh_consumer *to;
	TSH_VEC(struct item) items;
	TSH_VEC(uint64_t) lost;		/* numbers of missing events */
	struct tsh_name_changes changes;
	size_t applied;			/* ops of the log that this decoder knows */
	TSH_VEC(unsigned int) news;	/* ids of events that the stream has not had before */
};

/* Holds the output of a slice until it is its turn. */
struct slot {
	bool is_done;
	struct tsh_out out;
};

struct tsh_stream_crew {
	struct tsh_crew functions;
	const struct tsh_open_stream *stream;
	const struct tsh_stages *all;
	const struct tsh_task_names *task_names;
	struct tsh_sink *sink;
	unsigned int threads;		/* limit of the team */
	size_t pool;			/* memory for each decoder's names of addresses; 0: no limit */
	bool is_off;			/* one thread does the rest of the stream */
	bool is_eager;			/* the user has chosen the number of threads */
	bool is_busy;			/* there is work for several threads */
	void (*begun)(void *ctx, pid_t tid);
	void *begun_ctx;
	struct tsh_team *team;		/* NULL: not needed yet */
	struct tsh_shared_provider *provider;
	struct worker *workers[TSH_TEAM_MAX];
	struct tsh_slices *slices;
	/* a bit for each id that one thread has passed on: its format is read, and what has to be
	 * said of it is said */
	uint64_t seen[(UINT16_MAX + 1) / 64];

	/* the lanes that are being read */
	size_t nlanes, lane;

	pthread_mutex_t lock;		/* protects everything below, and the names of the stream's decoder */
	pthread_cond_t changed;
	struct tsh_name_ops log;	/* changes of the names of the stream's decoder */
	size_t n;			/* slices; those from here on are not passed on by the crew */
	size_t next;			/* the first that no thread has begun */
	size_t learnt;			/* the first whose changes of names are not learnt */
	size_t written;			/* the first that is not appended to the output */
	struct slot slots[SLOTS * TSH_TEAM_MAX];
};

/* ---- the parts of a worker ---- */

static void free_worker(struct worker *w)
{
	size_t i;

	if (!w)
		return;
	tsh_stages_forget(&w->stages);
	for (i = 0; i < w->stages.n; i++)
		w->stages.v[i]->kind->free(w->stages.v[i]);
	if (w->sink.out)
		tsh_sink_release(&w->sink);
	tsh_out_release(&w->out);
	tsh_decoder_free(w->decoder);
	tsh_slice_reader_free(w->reader);
	tsh_name_changes_release(&w->changes);
	tsh_vec_release(&w->items);
	tsh_vec_release(&w->lost);
	tsh_vec_release(&w->news);
	free(w);
}

/* Copies the stages. Returns false when one of them needs all events. */
static bool fork_stages(const struct tsh_stages *stages, struct tsh_stages *ret)
{
	size_t i;

	for (i = 0; i < stages->n; i++) {
		const struct tsh_stage_kind *kind = stages->v[i]->kind;
		struct tsh_stage *copy = NULL;

		if (!kind->fork || !kind->fork(stages->v[i], &copy))
			return false;
		tsh_stages_push(ret, copy);
	}
	return true;
}

static void init_out(struct tsh_out *out, const struct tsh_out *of)
{
	tsh_out_init(out, -1, of->format);
	out->full = SIZE_MAX;
	out->is_terminal = of->is_terminal;
	out->may_be_raw = of->may_be_raw;
	out->color = of->color;
	out->quiet = true;
	out->is_single_threaded = true;
}

/* Makes a worker. Returns NULL when a stage needs all events. */
static struct worker *new_worker(struct tsh_stream_crew *crew)
{
	const struct tsh_open_stream *stream = crew->stream;
	struct worker *w = tsh_xcalloc(1, sizeof(*w));
	struct tsh_err ignored = { 0 };

	w->crew = crew;
	init_out(&w->out, stream->out);
	w->decoder = tsh_decoder_new(tsh_shared_provider(crew->provider), stream->layout);
	if (crew->pool)
		tsh_decoder_bound(w->decoder, crew->pool);
	w->stream = *stream;
	w->stream.provider = tsh_shared_provider(crew->provider);
	w->stream.decoder = w->decoder;
	w->stream.out = &w->out;
	w->stream.sum = &w->sum;
	w->stream.rows = NULL;
	if (!fork_stages(crew->all, &w->stages) || tsh_stages_prepare(&w->stages, &w->stream, &ignored) < 0) {
		tsh_err_release(&ignored);
		free_worker(w);
		return NULL;
	}
	tsh_sink_fork(&w->sink, crew->sink, &w->out, w->decoder, w->stream.rows);
	w->to = &w->sink.consumer;
	if (tsh_stages_begin(&w->stages, &w->stream, &w->to, &ignored) < 0) {
		tsh_err_release(&ignored);
		free_worker(w);
		return NULL;
	}
	tsh_decoder_copy_names(w->decoder, stream->decoder);
	w->applied = crew->log.n;
	w->reader = tsh_slice_reader_new(crew->slices);
	return w;
}

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

static void print_items(struct worker *w)
{
	struct tsh_consumer *to = w->to;
	size_t i;

	for (i = 0; i < w->items.n; i++) {
		const struct item *item = &w->items.v[i];
		const struct tsh_record rec = { .stamp = item->stamp, .cpu = item->cpu, .size = item->size,
						.data = item->data };
		uint64_t lost;

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

static void print_slice(struct worker *w, size_t slice)
{
	struct tsh_stream_crew *crew = w->crew;
	struct slot *slot;

	w->items.n = w->lost.n = w->news.n = 0;
	tsh_name_changes_clear(&w->changes);
	tsh_slice_read(w->reader, slice, note_event, note_lost, w);
	if (!learn_names(w, slice))
		return;
	print_items(w);
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

/* Appends the lines of a slice to the output. */
static void write_slice(struct tsh_stream_crew *crew, struct slot *slot)
{
	struct tsh_out *out = crew->stream->out, *from = &slot->out;
	uint64_t before = out->bytes + out->queued + out->data.len;
	size_t i;

	for (i = 0; i < from->ends.n; i++) {
		if (out->error)
			out->unprinted++;
		else
			*tsh_vec_push(&out->ends) = before + from->ends.v[i];
	}
	from->ends.n = 0;
	if (!out->data.len) {
		struct tsh_strbuf swap = out->data;

		out->data = from->data;
		from->data = swap;
	} else {
		tsh_strbuf_add(&out->data, from->data.buf, from->data.len);
	}
	tsh_strbuf_clear(&from->data);
	tsh_out_flush_if_full(out);
}

/* Prints slices, and writes those whose turn it is. Ends early when `halts` says so: the slices that
 * were begun are written. */
static void lead(struct tsh_stream_crew *crew, bool (*halts)(void *ctx), void *halts_ctx)
{
	size_t slice;

	pthread_mutex_lock(&crew->lock);
	while (crew->written < crew->n) {
		struct slot *slot = slot_of(crew, crew->written);

		if (slot->is_done) {
			pthread_mutex_unlock(&crew->lock);
			write_slice(crew, slot);
			slot->is_done = false;
			if (halts(halts_ctx)) {
				pthread_mutex_lock(&crew->lock);
				crew->n = crew->next < crew->n ? crew->next : crew->n;
			} else {
				pthread_mutex_lock(&crew->lock);
			}
			crew->written++;
			pthread_cond_broadcast(&crew->changed);
		} else if (take_slice(crew, &slice)) {
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
		crew->workers[i] = new_worker(crew);
		crew->is_off = !crew->workers[i];
	}
	for (i = 0; i < SLOTS * tsh_team_size(crew->team); i++)
		init_out(&crew->slots[i].out, crew->stream->out);
	return !crew->is_off;
}

static uint64_t pass(void *ctx, uint64_t watermark, bool (*halts)(void *ctx), void *halts_ctx)
{
	struct tsh_stream_crew *crew = ctx;
	unsigned int i;
	size_t all;

	if (crew->is_off || !crew->is_busy || !gather(crew))
		return watermark;
	empty_log(crew);
	all = tsh_slices_cut(crew->slices, watermark, PARTS * tsh_team_size(crew->team), SLICE_BYTES, tsh_task_names_need_losses(crew->task_names));
	if (!all)
		return watermark;
	for (i = 0; tsh_source_is_live(crew->stream->source) && i < tsh_team_size(crew->team); i++)
		tsh_decoder_renew(crew->workers[i]->decoder);
	crew->n = all;
	crew->next = crew->learnt = crew->written = 0;
	tsh_team_begin(crew->team, work, crew);
	lead(crew, halts, halts_ctx);
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
	can = fork_stages(stages, &copies);
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
		free_worker(crew->workers[i]);
	tsh_shared_provider_free(crew->provider);
	tsh_team_free(crew->team);
	tsh_slices_free(crew->slices);
	tsh_vec_release(&crew->log);
	pthread_cond_destroy(&crew->changed);
	pthread_mutex_destroy(&crew->lock);
	free(crew);
}
