/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_LIBRARY_CONFINE_H
#define TRACESH_LIBRARY_CONFINE_H

#include <stdbool.h>

/* Takes what a process may from it, before others' code is loaded: root becomes nobody, whose environment is empty,
 * so that no folder of plugins is looked at that it names. False: that cannot be done. */
bool confine_user(void);
/* Takes the rest from it, when all is loaded: it opens no file and starts no process. */
void confine_process(void);

#endif
