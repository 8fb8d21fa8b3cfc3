/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_ENGINE_PIPELINE_OWN_STREAM_H
#define TRACESH_ENGINE_PIPELINE_OWN_STREAM_H

/* A stream from an instance of a command's own, which is there for as long as the stream is. */

#include "session/own-instance.h"
#include "task-names.h"

struct tsh_own_stream {
	struct tsh_session *session;
	const struct tsh_call *call;	/* its --buffer and --pid, and the events that it prints; NULL: none of these */
	const struct tsh_value *cpus;	/* --cpu; NULL: all */
	bool of_all;			/* tracesh and its ancestors are recorded, too */
	/* Before the source is opened: what the instance needs, and which events. NULL: nothing. */
	int (*prepare)(void *ctx, struct tsh_own_stream *own, struct tsh_err *err);
	/* Reads the source, and switches tracing on. */
	int (*run)(void *ctx, struct tsh_own_stream *own, struct tsh_err *err);
	void *ctx;			/* of both */
	/* what they find */
	struct tsh_instance *in;
	struct tsh_source *source;	/* of run */
	struct tsh_task_names task_names;	/* zeroed without a call */
};

/* Opens the instance, prepares it, opens its source, runs, and closes both. Returns what run does, or -1 with err. */
int tsh_own_stream_run(struct tsh_own_stream *own, struct tsh_err *err);

#endif
