/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_SHELL_PAGER_H
#define TRACESH_SHELL_PAGER_H

#include <sys/types.h>

#include "base/vec.h"
#include "loop.h"
#include "output/output.h"

/*
 * What a command prints at the prompt, and where it is longer than the screen a program
 * that shows it by pages. Where that fails, the terminal gets it as if there were none.
 */
struct tsh_pager {
	struct tsh_loop *loop;
	struct tsh_out *terminal;	/* whose place it takes; borrowed */
	const char *command;		/* of sh; borrowed from the environment */
	pid_t pid;			/* 0: not started */
	int fd;				/* of its stdin, or -1 */
	int alive_fd;			/* hangs up when it has ended, or -1 */
	bool plain;			/* it failed: the rest goes to the terminal */
	struct tsh_strbuf kept;		/* what it was given, should it fail */
	bool kept_all;
	struct tsh_strlist notes;	/* for when the screen is ours again */
};

/* The pager that the environment asks for, or NULL: $TRACESH_PAGER, $PAGER, less. */
const char *tsh_pager_command(void);
/* Makes `out` one that prints on `terminal` through it. */
void tsh_pager_begin(struct tsh_pager *pager, const char *command, struct tsh_loop *loop,
		     struct tsh_out *terminal, struct tsh_out *out);
/* Behind the last flush of `out`: waits until it is left. False: a signal came that ends
 * tracesh. */
bool tsh_pager_end(struct tsh_pager *pager);

#endif
