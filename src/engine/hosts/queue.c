/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "queue.h"

#include <stdlib.h>
#include <string.h>

#include "base/xmalloc.h"

/* Keeps a heap of the streams that hold lines, the one with the earliest line first. */

static bool is_before(const struct stream *a, const struct stream *b)
{
	if (a->first->key != b->first->key)
		return a->first->key < b->first->key;
	return a->number < b->number;
}

static void sift_up(struct queue *q, struct stream *stream, size_t place)
{
	while (place && is_before(stream, q->heap.v[(place - 1) / 2])) {
		q->heap.v[place] = q->heap.v[(place - 1) / 2];
		place = (place - 1) / 2;
	}
	q->heap.v[place] = stream;
}

static void sift_down(struct queue *q, struct stream *stream, size_t place)
{
	for (;;) {
		size_t child = place * 2 + 1;

		if (child + 1 < q->heap.n && is_before(q->heap.v[child + 1], q->heap.v[child]))
			child++;
		if (child >= q->heap.n || !is_before(q->heap.v[child], stream))
			break;
		q->heap.v[place] = q->heap.v[child];
		place = child;
	}
	q->heap.v[place] = stream;
}

/* ---- lines ---- */

struct held *queue_new_line(struct queue *q, const char *text, size_t len)
{
	struct held *held = q->spare;

	if (held)
		q->spare = held->next;
	if (!held || held->cap < len) {
		size_t cap = (len + 256) / 256 * 256;

		free(held);
		held = tsh_xmalloc(sizeof(*held) + cap);
		held->cap = cap;
	}
	memcpy(held->text, text, len);
	return held;
}

void queue_free_line(struct queue *q, struct held *held)
{
	held->next = q->spare;
	q->spare = held;
}

static size_t size_of(const struct held *held)
{
	return sizeof(*held) + held->cap;
}

void queue_push(struct queue *q, struct stream *stream, struct held *held)
{
	held->next = NULL;
	q->bytes += size_of(held);
	if (stream->first) {
		*stream->last = held;
		stream->last = &held->next;
		return;
	}
	stream->first = held;
	stream->last = &held->next;
	(void)tsh_vec_push(&q->heap);
	sift_up(q, stream, q->heap.n - 1);
}

struct held *queue_pop(struct queue *q)
{
	struct stream *stream = q->heap.v[0], *last;
	struct held *held = stream->first;

	q->bytes -= size_of(held);
	stream->first = held->next;
	if (stream->first) {
		sift_down(q, stream, 0);
		return held;
	}
	last = q->heap.v[--q->heap.n];
	if (last != stream)
		sift_down(q, last, 0);
	return held;
}

int64_t queue_oldest(const struct queue *q)
{
	int64_t oldest = INT64_MAX;
	size_t i;

	for (i = 0; i < q->heap.n; i++)
		if (q->heap.v[i]->first->arrival < oldest)
			oldest = q->heap.v[i]->first->arrival;
	return oldest;
}

void queue_release(struct queue *q)
{
	while (q->spare) {
		struct held *held = q->spare;

		q->spare = held->next;
		free(held);
	}
	tsh_vec_release(&q->heap);
}
