/* base/terminfo.h - descriptions of terminals that nobody else wrote */
/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_BASE_TERMINFO_H
#define TRACESH_BASE_TERMINFO_H

#include "vec.h"

/*
 * A description has the texts that are sent to the terminal. Take out of the environment (TERMINFO,
 * TERMINFO_DIRS, TERMCAP, TERMPATH, HOME) what leads terminfo(5) to one that others than root, us,
 * or the user who called sudo can change. `refused` gets those that are there; the caller releases it.
 */
void tsh_terminfo_restrict(struct tsh_strlist *refused);

#endif
