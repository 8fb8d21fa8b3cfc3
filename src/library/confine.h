/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_LIBRARY_CONFINE_H
#define TRACESH_LIBRARY_CONFINE_H

#include <stdbool.h>

/* Drops privileges before code of others is loaded: root becomes nobody, with an empty
 * environment, so that it names no folder of plugins. Returns false when that fails. */
bool confine_user(void);
/* Drops the rest when all is loaded: the process can open no file and start no process. */
void confine_process(void);

#endif
