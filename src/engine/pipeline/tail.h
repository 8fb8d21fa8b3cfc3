/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_ENGINE_PIPELINE_TAIL_H
#define TRACESH_ENGINE_PIPELINE_TAIL_H

#include "stage.h"

/* A consumer that lets the first events pass by and gives the others on. */
struct tsh_tail {
	struct tsh_relay relay;		/* the first member */
	uint64_t skip;			/* so many are still to pass by */
};
void tsh_tail_init(struct tsh_tail *tail, struct tsh_consumer *to, uint64_t skip);

#endif
