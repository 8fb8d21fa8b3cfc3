/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_SHELL_PAGER_H
#define TRACESH_SHELL_PAGER_H

#include <sys/types.h>

#include "base/vec.h"
#include "loop.h"
#include "output/output.h"

/* Shows a command's output at the prompt, through a pager if the output is longer than the screen.
 * If the pager fails, the output goes to the terminal directly. */
struct tsh_pager {
	struct tsh_loop *loop;
	struct tsh_out *terminal;	/* the output that is replaced; borrowed */
	const char *command;		/* command for sh; borrowed from the environment */
	pid_t pid;			/* 0: not started */
	int fd;				/* stdin of the pager, or -1 */
	int alive_fd;			/* pipe that hangs up when the pager ends; or -1 */
	bool plain;			/* the pager has failed: the rest goes to the terminal */
	struct tsh_strbuf buffered;	/* output so far, in case the pager fails */
	bool has_all;
	struct tsh_strlist notes;	/* stored until the pager has left the screen */
};

/* Returns the pager that the environment names, or NULL: $TRACESH_PAGER, $PAGER, less. */
const char *tsh_pager_command(void);
/* Makes `out` an output that goes through the pager to `terminal`. */
void tsh_pager_begin(struct tsh_pager *pager, const char *command, struct tsh_loop *loop,
		     struct tsh_out *terminal, struct tsh_out *out);
/* Waits until the user has left the pager; to be called after the last flush of `out`. Returns
 * false when a signal came that ends tracesh. */
bool tsh_pager_end(struct tsh_pager *pager);

#endif
