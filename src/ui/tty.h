/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_UI_TTY_H
#define TRACESH_UI_TTY_H

#include <stddef.h>
#include <sys/types.h>

/*
 * stdin, opened anew so that reading never waits: Ctrl-C drops what was typed before it, also
 * when poll(2) has told of that already, and whoever waits for it then sees no signal. The
 * flags of stdin itself are shared with others. -1: it cannot be opened, then stdin is read.
 */
int tsh_tty_open(void);
/* Bytes, 0 at the end, or -errno: -EAGAIN when there are none. */
ssize_t tsh_tty_read(int tty, void *buf, size_t len);

#endif
