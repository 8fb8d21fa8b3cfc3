/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_SESSION_ERASING_H
#define TRACESH_SESSION_ERASING_H

#include "session.h"

/* Keeps what instances hold before a change, to say after it what that has erased. */

struct tsh_held {
	char *instance;		/* its name; NULL: the top one */
	uint64_t entries, written, overrun, snapshot;
};

struct tsh_erasing {
	unsigned int what;	/* enum tsh_erases */
	uint64_t subbuf;
	const char *by;		/* what erases, in words; NULL: "the change" */
	TSH_VEC(struct tsh_held) held;
};

/* Before: of the instance, or all of them with TSH_ERASES_ELSEWHERE. */
void tsh_erasing_begin(struct tsh_erasing *e, const struct tsh_instance *in, unsigned int what);
/* After: says what is gone; is_sure: all that was to go, though new events are counted by now, or the counts go on. */
void tsh_erasing_end(struct tsh_session *s, struct tsh_erasing *e, bool is_sure);

/* As tsh_file_write, and says what the kernel has erased by it; what was read ahead of an erased buffer is dropped. */
int tsh_put_in(struct tsh_session *s, struct tsh_instance *in, const char *path, enum tsh_write_how how,
		  const char *text, struct tsh_err *err);

/* Gives how many names of tasks the kernel holds for events that nobody has read, in any instance. */
uint64_t tsh_cmd_names_held(const struct tsh_session *s);
/* Says after a change, or before a step back, that they are gone; 0: says nothing. */
void tsh_cmd_say_names(struct tsh_session *s, const char *what, uint64_t names);

/* Says a text, and leaves it for the next session where nobody sees it: rescue.c. */
void tsh_cmd_warn_kept(struct tsh_session *s, struct tsh_strbuf *text);

#endif
