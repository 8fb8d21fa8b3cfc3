/* engine/hosts/queue.h - holds the lines of a merge until they are in order */
/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_ENGINE_HOSTS_QUEUE_H
#define TRACESH_ENGINE_HOSTS_QUEUE_H

#include "internal.h"

/* Holds the streams that have lines. Is empty when zeroed. The lines are made by queue_new_line. */
struct queue {
	TSH_VEC(struct stream *) heap;
	struct held *spare;		/* memory of lines that were printed, for new ones */
	size_t bytes;			/* of all held lines */
};

/* Returns a line with a copy of that text; sets no other member. */
struct held *queue_new_line(struct queue *q, const char *text, size_t len);
void queue_free_line(struct queue *q, struct held *held);
/* Adds a line behind the others of its stream. */
void queue_push(struct queue *q, struct stream *stream, struct held *held);
/* Removes and returns the line with the lowest key; the queue must not be empty. */
struct held *queue_pop(struct queue *q);
/* Returns the arrival of the line that waits the longest; INT64_MAX: there is none. */
int64_t queue_oldest(const struct queue *q);
void queue_release(struct queue *q);

#endif
