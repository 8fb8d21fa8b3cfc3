/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_UI_KEYS_H
#define TRACESH_UI_KEYS_H

#include <stdbool.h>
#include <termios.h>

/* Single keys of the terminal on stdin, while a command prints: no Enter, no echo; Ctrl-C and
 * Ctrl-Z stay signals. Zeroed memory is at rest. */
struct tsh_keys {
	struct termios before;
	bool on;
};

/* The descriptor to poll; -1: it is no terminal. */
int tsh_keys_begin(struct tsh_keys *keys);
/* The next key that was pressed; -1: none. */
int tsh_keys_read(struct tsh_keys *keys);
/* The terminal as it was. */
void tsh_keys_end(struct tsh_keys *keys);

#endif
