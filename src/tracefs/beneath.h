/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_TRACEFS_BENEATH_H
#define TRACESH_TRACEFS_BENEATH_H

/*
 * openat(2) that cannot leave `dirfd`: no "..", no absolute path, no symlink in
 * any component. O_CLOEXEC is added. Returns a descriptor or -errno.
 */
int tsh_open_beneath(int dirfd, const char *path, int flags);

#endif
