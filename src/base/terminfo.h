/* base/terminfo.h - descriptions of terminals that nobody else wrote */
/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_BASE_TERMINFO_H
#define TRACESH_BASE_TERMINFO_H

#include "vec.h"

/*
 * Changes the environment (TERMINFO, TERMINFO_DIRS, TERMCAP, TERMPATH, HOME) so that terminfo(5)
 * reads no description that others than root, us, or the user who called sudo can change: the texts
 * of a description are sent to the terminal. `refused` gets the removed paths that exist; the
 * caller releases it.
 */
void tsh_terminfo_restrict(struct tsh_strlist *refused);

#endif
