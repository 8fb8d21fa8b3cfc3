/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_SESSION_STATE_DIR_H
#define TRACESH_SESSION_STATE_DIR_H

#include "base/err.h"

/*
 * Returns the path of a folder for files that outlive a session. `name` is a folder in
 * $XDG_STATE_HOME/tracesh, for root in /var/lib/tracesh, otherwise in ~/.local/state/tracesh. Makes
 * missing folders (0700). Follows the environment only to a folder of ours (or to a missing one
 * inside a folder of ours), because sudo may have kept another user's environment. The caller frees
 * the path; NULL with err.
 */
char *tsh_state_dir(const char *name, struct tsh_err *err);
/* Returns the path of a file in tracesh's folder, and makes the folder but not the file. The caller
 * frees the path; NULL with err. */
char *tsh_state_file(const char *name, struct tsh_err *err);
/* Returns the path of a file in tracesh's folder, which the caller frees. The file need not exist,
 * and no folder is made. Returns NULL when there is no folder. */
char *tsh_state_path(const char *name);

#endif
