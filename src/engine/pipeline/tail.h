/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_ENGINE_PIPELINE_TAIL_H
#define TRACESH_ENGINE_PIPELINE_TAIL_H

#include "stage.h"

/* The stage that lets the first events pass by and gives the others on. */
struct tsh_tail_stage {
	struct tsh_stage stage;		/* the first member */
	uint64_t skip;			/* so many are still to pass by */
};
/* Gives the stage; NULL: none is to pass by. */
struct tsh_stage *tsh_tail_stage(struct tsh_tail_stage *tail, uint64_t skip);

#endif
