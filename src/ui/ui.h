/* ui/ui.h - the interactive prompt */
/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_UI_UI_H
#define TRACESH_UI_UI_H

#include <stdbool.h>

#include "shell/engine.h"
#include "shell/loop.h"

/*
 * Reads and runs lines until quit, the end of the input, or a signal that aborts; then restores the
 * terminal. stdin and stdout must be a terminal. Asks what to do with changed settings if `set
 * at-exit ask` is on; *ret_restore is the answer for tsh_engine_finish. Returns 0.
 */
int tsh_ui_run(struct tsh_engine *e, struct tsh_loop *loop, bool color, bool *ret_restore);

#endif
