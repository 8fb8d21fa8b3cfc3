/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_UI_PROMPT_H
#define TRACESH_UI_PROMPT_H

#include "session/cmd.h"

struct tsh_prompt {
	struct tsh_strbuf text;		/* escapes between \001 and \002 */
	size_t width;			/* columns */
};

/* What the last prompt saw, for what has changed since. Zeroed memory is a start. */
struct tsh_prompt_memory {
	char *instance;			/* whose losses these are */
	uint64_t lost;
};
void tsh_prompt_memory_release(struct tsh_prompt_memory *memory);

/* "tracesh:lat [off] function 3ev> ": the session's state as it is now, by the template
 * of `set prompt`. */
void tsh_prompt_of(const struct tsh_session *s, bool color, struct tsh_prompt_memory *memory,
		   struct tsh_prompt *ret);
/* "...> ", for the rest of a command; "..'> " or "..\"> " in that quote. */
void tsh_prompt_more(char open, struct tsh_prompt *ret);
void tsh_prompt_release(struct tsh_prompt *prompt);

#endif
