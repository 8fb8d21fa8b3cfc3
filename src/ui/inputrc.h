/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_UI_INPUTRC_H
#define TRACESH_UI_INPUTRC_H

#include "output/output.h"

/*
 * Initializes readline with the file that INPUTRC names, ~/.inputrc or /etc/inputrc. A key may be a
 * macro that types a command (readline(3), "Readline Init File"). So a file that others can write
 * is not read, nor any file after it, and a warning is printed to `out`.
 */
void tsh_inputrc_initialize(struct tsh_out *out);

#endif
