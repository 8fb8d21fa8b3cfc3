/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_UI_INPUTRC_H
#define TRACESH_UI_INPUTRC_H

#include "output/output.h"

/*
 * Initialize readline with the file that INPUTRC names, ~/.inputrc or /etc/inputrc: what
 * others could write is not read, nor anything else then, and `out` is told. A key may be
 * a macro that types a command. The file of readline(3), "Readline Init File".
 */
void tsh_inputrc_initialize(struct tsh_out *out);

#endif
