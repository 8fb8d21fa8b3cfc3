/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pair.h"

#include <stdlib.h>
#include <string.h>

#include "base/xmalloc.h"
#include "output/sink.h"

/*
 * Finds the events within a pair, for latency --worst: events on the CPU of its END, or of its
 * tasks. Stores the last events of the stream. For each pair of --worst, prints the newest of its
 * events to lines of text.
 */

#define EVENTS 4096
#define BYTES  (1024 * 1024)
#define SHOWN  8

struct stored_event {
	uint64_t stamp;
	int cpu, pid;
	uint32_t size, room;
	unsigned char *data;
};

struct latency_between {
	struct tsh_out out; /* collects lines in memory */
	struct tsh_sink sink;
	size_t first, n, bytes; /* v is a ring */
	bool forgot; /* older ones were dropped */
	struct stored_event v[EVENTS];
};

struct latency_between *latency_between_new(struct tsh_by *by)
{
	const struct by_latency *l = by->latency;
	struct latency_between *b = tsh_xcalloc(1, sizeof(*b));
	const struct tsh_stream_info info = { .live = by->is_live,
					      .with_migrate = l->with_migrate };

	tsh_out_init(&b->out, -1,
		     by->out->format == TSH_FORMAT_JSON ? TSH_FORMAT_JSON : TSH_FORMAT_TEXT);
	tsh_sink_init(&b->sink, &b->out, by->decoder, by->clock, &info, l->style, l->in_ns);
	b->sink.header_done = true;
	return b;
}

void latency_between_free(struct latency_between *b)
{
	size_t i;

	if (!b)
		return;
	for (i = 0; i < EVENTS; i++)
		free(b->v[i].data);
	tsh_sink_release(&b->sink);
	tsh_out_release(&b->out);
	free(b);
}

static struct stored_event *kept_at(struct latency_between *b, size_t i)
{
	return &b->v[(b->first + i) % EVENTS];
}

void latency_between_add(struct latency_between *b, const struct tsh_record *rec, int pid)
{
	struct stored_event *k;

	while (b->n == EVENTS || (b->n && b->bytes + rec->size > BYTES)) {
		b->bytes -= b->v[b->first].size;
		b->first = (b->first + 1) % EVENTS;
		b->n--;
		b->forgot = true;
	}
	k = kept_at(b, b->n++);
	if (k->room < rec->size) {
		k->data = tsh_xreallocarray(k->data, rec->size, 1);
		k->room = rec->size;
	}
	memcpy(k->data, rec->data, rec->size);
	k->stamp = rec->stamp;
	k->cpu = rec->cpu;
	k->pid = pid;
	k->size = rec->size;
	b->bytes += rec->size;
}

/* Says whether an event is within the pair, and on its CPU or of one of its tasks. */
static bool is_about(const struct tsh_by *by, const struct latency_pair *pair, const struct stored_event *k)
{
	const struct by_latency *l = by->latency;
	size_t i;

	if (k->stamp <= pair->begin.stamp || k->stamp >= pair->stamp)
		return false;
	if (k->cpu == pair->cpu || k->pid == pair->pid)
		return true;
	for (i = 0; i < l->spec.nkeys; i++)
		if (pair_names_task(&l->spec.keys[LATENCY_BEGIN][i]) &&
		    (int)pair->on[i].number == k->pid)
			return true;
	return false;
}

void latency_between_read(struct tsh_by *by, struct latency_pair *pair)
{
	struct latency_between *b = by->latency->between;
	const struct stored_event *newest[SHOWN];
	size_t shown = 0, i;

	pair->more = 0;
	for (i = b->n; i-- > 0 && kept_at(b, i)->stamp > pair->begin.stamp;) {
		if (!is_about(by, pair, kept_at(b, i)))
			continue;
		if (shown < SHOWN)
			newest[shown++] = kept_at(b, i);
		else
			pair->more++;
	}
	/* the events that were dropped may have been in it, too */
	pair->may_be_more = i == SIZE_MAX && b->forgot;
	while (shown-- > 0) {
		const struct stored_event *k = newest[shown];
		const struct tsh_record rec = {
			.stamp = k->stamp, .cpu = k->cpu, .size = k->size, .data = k->data
		};

		tsh_sink_event(&b->sink, &rec, false);
	}
	pair->between = tsh_strbuf_detach(&b->out.data);
}
