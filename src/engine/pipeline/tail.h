/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_ENGINE_PIPELINE_TAIL_H
#define TRACESH_ENGINE_PIPELINE_TAIL_H

#include "stage.h"

/* Drops the first events and passes on the rest. */
struct tsh_tail_stage {
	struct tsh_stage stage;		/* must be the first member */
	uint64_t skip;			/* events that are still to be dropped */
};
/* Returns the stage; NULL: no event is to be dropped. */
struct tsh_stage *tsh_tail_stage(struct tsh_tail_stage *tail, uint64_t skip);

#endif
