/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_ENGINE_PIPELINE_CREW_H
#define TRACESH_ENGINE_PIPELINE_CREW_H

#include "output/sink.h"
#include "stage.h"
#include "task-names.h"

/*
 * Prints the events of a stream by several threads. Each has a decoder, a sink and copies of the
 * stages of its own, and prints slices of the stream into a buffer; the buffers are appended to the
 * output in the order of time. The lines, and their order, are those that one thread prints.
 */
struct tsh_stream_crew;

struct tsh_crew_settings {
	unsigned int threads;		/* at most */
	bool is_eager;			/* uses them also for little work */
	void (*begun)(void *ctx, pid_t tid);	/* is called for each thread that was started */
	void *begun_ctx;
	size_t pool;			/* bytes that all decoders may use for names of addresses; 0: no limit */
};

/*
 * Makes a crew, whose threads start when there is work for them. All but the settings is borrowed;
 * `stages` have begun, and `sink` is behind the last. Returns NULL when the stream needs all its
 * events in one thread.
 */
struct tsh_stream_crew *tsh_stream_crew_new(const struct tsh_open_stream *stream, const struct tsh_stages *stages,
					    const struct tsh_task_names *task_names, struct tsh_sink *sink,
					    const struct tsh_crew_settings *settings);
/* Returns the functions for tsh_stream_run. */
const struct tsh_crew *tsh_stream_crew(const struct tsh_stream_crew *crew);
/* Ends the threads, and frees the crew; may be NULL. */
void tsh_stream_crew_free(struct tsh_stream_crew *crew);

#endif
