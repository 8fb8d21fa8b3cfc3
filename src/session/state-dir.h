/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_SESSION_STATE_DIR_H
#define TRACESH_SESSION_STATE_DIR_H

#include "base/err.h"

/*
 * The folder for what outlives a session: $XDG_STATE_HOME/tracesh, for root /var/lib/tracesh,
 * else ~/.local/state/tracesh; `name` is a folder in it. All are made when they are missing,
 * 0700. The environment is believed only as far as the folder that it names, or the one in
 * which that is missing, is ours: sudo may have kept somebody else's. The caller frees the
 * path; NULL with err.
 */
char *tsh_state_dir(const char *name, struct tsh_err *err);
/* The same for a file in it, which is not made itself. */
char *tsh_state_file(const char *name, struct tsh_err *err);
/* The path of a file there, which may not exist; nothing is made. NULL: there is no folder. */
char *tsh_state_path(const char *name);

#endif
