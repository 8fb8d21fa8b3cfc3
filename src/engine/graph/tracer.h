/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_ENGINE_GRAPH_TRACER_H
#define TRACESH_ENGINE_GRAPH_TRACER_H

#include "engine/pipeline/run.h"
#include "session/session.h"

struct tsh_graph_tracer_spec {
	/* Records also the functions that the FUNCTIONs call, and return values. */
	bool below;
	uint64_t depth;			/* levels of calls; 1: the FUNCTIONs only, 0: all */
};

/*
 * Runs function_graph on the FUNCTIONs of a call as long as the stream: in an instance of its own
 * if the kernel can (from Linux 6.12 on), otherwise in the top instance, which must not be in use,
 * and which is restored afterwards. spec describes the stream; this sets its instance, source and
 * start. Warns of settings that cannot be restored. Returns 0, or -1 with err.
 */
int tsh_graph_tracer_run(struct tsh_session *s, const struct tsh_call *call, const struct tsh_graph_tracer_spec *wanted,
			 struct tsh_stream_spec *spec, struct tsh_err *err);
/*
 * Prints for `explain` which parts of such a call the kernel does, which ones tracesh does, and
 * which files are written. below: also for functions that the FUNCTIONs call. Returns 0, or -1 with
 * err when the call cannot run.
 */
int tsh_graph_tracer_explain(struct tsh_session *s, const struct tsh_call *call, bool below,
			     struct tsh_err *err);

#endif
