/* engine/hosts/queue.h - the lines that a merge holds */
/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_ENGINE_HOSTS_QUEUE_H
#define TRACESH_ENGINE_HOSTS_QUEUE_H

#include "internal.h"

/* Zeroed memory is an empty one. The streams' queues are theirs, their lines were made here. */
struct queue {
	TSH_VEC(struct stream *) heap;
	struct held *spare;		/* lines that were printed, for the next ones */
	size_t bytes;			/* of those that are held */
};

/* A line with a copy of that text; all else of it is not set. */
struct held *queue_new_line(struct queue *q, const char *text, size_t len);
void queue_spare_line(struct queue *q, struct held *held);
/* Behind the others of its stream. */
void queue_push(struct queue *q, struct stream *stream, struct held *held);
/* The earliest of the streams' first lines, by key; the queue is not empty. */
struct held *queue_pop(struct queue *q);
/* When the line came that waits the longest; INT64_MAX: there is none. */
int64_t queue_oldest(const struct queue *q);
void queue_release(struct queue *q);

#endif
