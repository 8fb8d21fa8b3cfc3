/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_UI_TTY_H
#define TRACESH_UI_TTY_H

#include <stddef.h>
#include <sys/types.h>

/*
 * Opens stdin again, without waiting reads: Ctrl-C drops text that was typed before, also after
 * poll(2) has reported that text, and a process that waits in read(2) would miss the signal. (The
 * flags of stdin itself are shared with other processes.) Returns -1 when it cannot be opened; then
 * stdin is read.
 */
int tsh_tty_open(void);
/* Reads. Returns the bytes; 0 at the end; -errno, -EAGAIN when there are none. */
ssize_t tsh_tty_read(int tty, void *buf, size_t len);

#endif
