/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "crew-worker.h"

#include <stdlib.h>

#include "base/xmalloc.h"

void tsh_worker_free(struct worker *w)
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

bool tsh_fork_stages(const struct tsh_stages *stages, struct tsh_stages *ret)
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

void tsh_worker_init_out(struct tsh_out *out, const struct tsh_out *of)
{
	tsh_out_init(out, -1, of->format);
	out->full = SIZE_MAX;
	out->is_terminal = of->is_terminal;
	out->may_be_raw = of->may_be_raw;
	out->color = of->color;
	out->quiet = true;
	out->is_single_threaded = true;
}

struct worker *tsh_worker_new(struct tsh_stream_crew *crew)
{
	const struct tsh_open_stream *stream = crew->stream;
	struct worker *w = tsh_xcalloc(1, sizeof(*w));
	struct tsh_err ignored = { 0 };

	w->crew = crew;
	tsh_worker_init_out(&w->out, stream->out);
	w->decoder = tsh_decoder_new(tsh_shared_provider(crew->provider), stream->layout);
	if (crew->pool)
		tsh_decoder_bound(w->decoder, crew->pool);
	w->stream = *stream;
	w->stream.provider = tsh_shared_provider(crew->provider);
	w->stream.decoder = w->decoder;
	w->stream.out = &w->out;
	w->stream.sum = &w->sum;
	w->stream.rows = NULL;
	if (!tsh_fork_stages(crew->all, &w->stages) || tsh_stages_prepare(&w->stages, &w->stream, &ignored) < 0) {
		tsh_err_release(&ignored);
		tsh_worker_free(w);
		return NULL;
	}
	tsh_sink_fork(&w->sink, crew->sink, &w->out, w->decoder, w->stream.rows);
	w->to = &w->sink.consumer;
	if (tsh_stages_begin(&w->stages, &w->stream, &w->to, &ignored) < 0) {
		tsh_err_release(&ignored);
		tsh_worker_free(w);
		return NULL;
	}
	tsh_decoder_copy_names(w->decoder, stream->decoder);
	w->applied = crew->log.n;
	w->reader = tsh_slice_reader_new(crew->slices);
	return w;
}
