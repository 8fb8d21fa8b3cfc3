/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_ENGINE_GRAPH_TRACER_H
#define TRACESH_ENGINE_GRAPH_TRACER_H

#include "engine/pipeline/run.h"
#include "session/session.h"

struct tsh_graphing_wish {
	bool below;			/* what the FUNCTIONs call, too, and what they return */
	uint64_t depth;			/* of that: 1 is the FUNCTIONs alone; 0: all */
};

/*
 * Runs function_graph on the FUNCTIONs of a call, for as long as the stream goes on: in an instance of its own where
 * the kernel has it there (from Linux 6.12 on), else in the top one, which has to be free for it and is afterwards as
 * it was. follow says what is done with the events; its instance, source and start are set here. What cannot be taken
 * back is a warning. 0, or -1 with err.
 */
int tsh_graphing_run(struct tsh_session *s, const struct tsh_call *call, const struct tsh_graphing_wish *wish,
		     struct tsh_stream_spec *follow, struct tsh_err *err);
/* Who does what of such a call, and what is written; below: also what the FUNCTIONs call. -1 with
 * err: it cannot run. */
int tsh_graphing_explain(struct tsh_session *s, const struct tsh_call *call, bool below,
			 struct tsh_err *err);

#endif
