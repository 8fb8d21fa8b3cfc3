/* session/topic.h - subjects of help, and examples */
/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_SESSION_TOPIC_H
#define TRACESH_SESSION_TOPIC_H

struct tsh_example {
	const char *text;	/* a whole command; tests run it */
	const char *help;
};

/* Holds a subject that belongs to no command: `help NAME` and the man page print it. */
struct tsh_topic {
	const char *name;
	const char *summary;		/* one line, as a command's */
	/* Paragraphs by newline; a line that begins with a blank stands as it is. */
	const char *text;
	const struct tsh_example *examples;	/* as a command's; or NULL */
	const char *see_also;
};

#endif
