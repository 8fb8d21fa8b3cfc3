/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "keys.h"

#include <unistd.h>

static bool set_raw(struct tsh_keys *keys)
{
	struct termios raw = keys->before;

	raw.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
	raw.c_cc[VMIN] = 0;
	raw.c_cc[VTIME] = 0;
	return tcsetattr(STDIN_FILENO, TCSADRAIN, &raw) == 0;
}

int tsh_keys_begin(struct tsh_keys *keys)
{
	/* in the background, asking would stop us */
	if (tcgetpgrp(STDIN_FILENO) != getpgrp() || tcgetattr(STDIN_FILENO, &keys->before) < 0 ||
	    !set_raw(keys))
		return -1;
	keys->on = true;
	return STDIN_FILENO;
}

int tsh_keys_read(struct tsh_keys *keys)
{
	struct termios now;
	unsigned char key;

	if (!keys->on || tcgetpgrp(STDIN_FILENO) != getpgrp())
		return -1;
	/* sets the modes again, which the shell has changed after Ctrl-Z */
	if (!tcgetattr(STDIN_FILENO, &now) && (now.c_lflag & ICANON))
		set_raw(keys);
	return read(STDIN_FILENO, &key, 1) == 1 ? key : -1;
}

void tsh_keys_end(struct tsh_keys *keys)
{
	if (keys->on)
		tcsetattr(STDIN_FILENO, TCSADRAIN, &keys->before);
	keys->on = false;
}
