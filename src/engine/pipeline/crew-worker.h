/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_ENGINE_PIPELINE_CREW_WORKER_H
#define TRACESH_ENGINE_PIPELINE_CREW_WORKER_H

#include <pthread.h>

#include "base/team.h"
#include "crew.h"
#include "events/decode/name-log.h"
#include "events/source/slices.h"

/* For crew.c and crew-worker.c: a crew, and what each of its threads has. */

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
	bool is_part;			/* the thread waits until this part of the slice is written */
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
	size_t part;			/* limit of a slice's text in memory */
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

	const struct tsh_crew_caller *caller;	/* set while events are passed on */

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

/* Copies the stages. Returns false when one of them needs all events. */
bool tsh_fork_stages(const struct tsh_stages *stages, struct tsh_stages *ret);
/* Prepares the buffer of a slice's text, which is printed as `of` is. */
void tsh_worker_init_out(struct tsh_out *out, const struct tsh_out *of);
/* Makes a worker. Returns NULL when a stage needs all events. */
struct worker *tsh_worker_new(struct tsh_stream_crew *crew);
/* Frees a worker; may be NULL. */
void tsh_worker_free(struct worker *w);

#endif
