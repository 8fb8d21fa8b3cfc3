/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_UI_KEYS_H
#define TRACESH_UI_KEYS_H

#include <stdbool.h>
#include <termios.h>

/* Reads single keys of the terminal on stdin while a command prints: without Enter and echo; Ctrl-C
 * and Ctrl-Z stay signals. Zeroed memory is inactive. */
struct tsh_keys {
	struct termios before;
	bool on;
};

/* Returns the descriptor to poll; -1 without a terminal. */
int tsh_keys_begin(struct tsh_keys *keys);
/* Returns the next key that was pressed; -1: none. */
int tsh_keys_read(struct tsh_keys *keys);
/* Restores the terminal. */
void tsh_keys_end(struct tsh_keys *keys);

#endif
