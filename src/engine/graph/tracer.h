/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_ENGINE_GRAPH_TRACER_H
#define TRACESH_ENGINE_GRAPH_TRACER_H

#include "session/session.h"

/*
 * function_graph on the FUNCTIONs of a call, for as long as a command runs: in an instance of its
 * own where the kernel has it there (from Linux 6.12 on), else in the top one, which has to be free
 * for it and is afterwards as it was.
 */
struct tsh_graphing {
	struct tsh_instance *in;
	bool is_own;
	struct tsh_instance *top;	/* whose lists an own one needs; or NULL */
	int claim;			/* of the top one, see tsh_reader_claim */
	unsigned int mark;		/* in the journal */
};

struct tsh_graphing_wish {
	bool below;			/* what the FUNCTIONs call, too, and what they return */
	uint64_t depth;			/* of that: 1 is the FUNCTIONs alone; 0: all */
};

/* Everything but tracing_on is set. 0, or -1 with err; then nothing is left to close. */
int tsh_graphing_open(struct tsh_session *s, const struct tsh_call *call,
		      const struct tsh_graphing_wish *wish, struct tsh_graphing *ret,
		      struct tsh_err *err);
/* For struct tsh_follow: switches tracing on; ctx is the struct tsh_graphing. */
int tsh_graphing_start(void *ctx, struct tsh_err *err);
/* What cannot be taken back is a warning. */
void tsh_graphing_close(struct tsh_session *s, struct tsh_graphing *graphing);
/* Who does what of such a call, and what is written; below: also what the FUNCTIONs call. -1 with
 * err: it cannot run. */
int tsh_graphing_explain(struct tsh_session *s, const struct tsh_call *call, bool below,
			 struct tsh_err *err);

#endif
