/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "own-stream.h"

#include "events/source/source.h"

static int run_in(void *ctx, struct tsh_instance *in, struct tsh_err *err)
{
	struct tsh_own_stream *own = ctx;
	int r = 0;

	own->in = in;
	if (own->call) {
		tsh_task_names_enable(in, own->call, &own->task_names);
		r = tsh_own_settings(own->session, in, own->call, err);
	}
	if (!r && own->prepare)
		r = own->prepare(own->ctx, own, err);
	if (!r)
		r = tsh_source_open(in, tsh_task_names_cpus(&own->task_names, in, own->cpus), &own->source, err);
	if (r)
		return -1;
	r = own->run(own->ctx, own, err);
	tsh_source_close(own->source);
	return r;
}

int tsh_own_stream_run(struct tsh_own_stream *own, struct tsh_err *err)
{
	return tsh_with_own(own->session, own->includes_tracesh, run_in, own, err);
}
