/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_UI_PROMPT_H
#define TRACESH_UI_PROMPT_H

#include "session/session.h"

struct tsh_prompt {
	struct tsh_strbuf text;		/* has escapes between \001 and \002 */
	size_t width;			/* in columns */
};

/* Holds the state at the last prompt, to find changes. Zeroed memory is the start. */
struct tsh_prompt_memory {
	char *instance;			/* instance of `lost` */
	uint64_t lost;
};
void tsh_prompt_memory_release(struct tsh_prompt_memory *memory);

/* Makes the prompt "tracesh:lat [off] function 3ev> " from the session's present state, by the
 * template of `set prompt`. */
void tsh_prompt_of(const struct tsh_session *s, bool color, struct tsh_prompt_memory *memory,
		   struct tsh_prompt *ret);
/* Makes the prompt for another line of a command: "...> ", within a quote "..'> " or "..\"> ". */
void tsh_prompt_continuation(char open, struct tsh_prompt *ret);
void tsh_prompt_release(struct tsh_prompt *prompt);

#endif
