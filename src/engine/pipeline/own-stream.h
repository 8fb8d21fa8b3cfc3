/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_ENGINE_PIPELINE_OWN_STREAM_H
#define TRACESH_ENGINE_PIPELINE_OWN_STREAM_H

/* Runs a stream from an instance of a command's own, which exists as long as the stream. */

#include "session/own-instance.h"
#include "task-names.h"

struct tsh_own_stream {
	struct tsh_session *session;
	/* Is the call whose --buffer, --pid and printed events are used; NULL: none of these
	 * are. */
	const struct tsh_call *call;
	const struct tsh_value *cpus;	/* --cpu; NULL: all */
	bool includes_tracesh;		/* tracesh and its ancestors are recorded too */
	/* Is called before the source is opened: sets up the instance and its events. May be
	 * NULL. */
	int (*prepare)(void *ctx, struct tsh_own_stream *own, struct tsh_err *err);
	/* Switches tracing on, and reads the source. */
	int (*run)(void *ctx, struct tsh_own_stream *own, struct tsh_err *err);
	void *ctx;			/* context of prepare and run */
	/* Are set before prepare and run are called. */
	struct tsh_instance *in;
	struct tsh_source *source;	/* set after prepare, before run */
	struct tsh_task_names task_names;	/* zeroed when call is NULL */
};

/* Opens the instance, prepares it, opens its source, runs, and closes both. Returns the result
 * of run, or -1 with err. */
int tsh_own_stream_run(struct tsh_own_stream *own, struct tsh_err *err);

#endif
