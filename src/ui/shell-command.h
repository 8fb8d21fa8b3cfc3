/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_UI_SHELL_COMMAND_H
#define TRACESH_UI_SHELL_COMMAND_H

#include "shell/engine.h"
#include "shell/loop.h"

/* Runs `!cmd` by sh -c in the foreground; Ctrl-C is only for that command. $? becomes the status of
 * the command. Returns false when a signal came that ends tracesh. */
bool tsh_shell_command(struct tsh_engine *e, struct tsh_loop *loop, const char *text,
		       size_t len);

#endif
