/* session/cmd.h - the declaration of a command, which tables, help, completion and the parser read */
/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_SESSION_CMD_H
#define TRACESH_SESSION_CMD_H

#include "call.h"

struct tsh_strbuf;

enum tsh_cmd_group {
	TSH_GROUP_FIND, TSH_GROUP_CONTROL, TSH_GROUP_FILE, TSH_GROUP_SEE,
	TSH_GROUP_ANALYSE, TSH_GROUP_SESSION,
	TSH_GROUP_N
};
extern const char *const tsh_group_names[TSH_GROUP_N];

enum tsh_cmd_flags {
	TSH_CMD_WRITES = 1 << 0,	/* may change tracefs */
	TSH_CMD_NEEDS_TRACEFS = 1 << 1,
	TSH_CMD_PRINTS = 1 << 2,	/* takes -o FILE */
	TSH_CMD_IN_CHECK = 1 << 3,	/* runs under -n too: let, set, source, try */
	TSH_CMD_LIVE = 1 << 4,		/* not on a recorded tree */
	TSH_CMD_JOB = 1 << 5,		/* may have a '&' behind it */
	TSH_CMD_PAGES = 1 << 6,		/* long output goes through a pager at the prompt: lists
					 * that end by themselves, never a stream */
	TSH_CMD_NEEDS_EVENT = 1 << 7,	/* EVENT or --probe */
	TSH_CMD_STEPS = 1 << 8,		/* what it has finished stays when the next step fails */
	TSH_CMD_IS_FILE = 1 << 9,	/* runs a file of commands, which have said what they did */
	TSH_CMD_NAMES_NO_TASK = 1 << 10,	/* of its events no task's name is printed */
	TSH_CMD_NESTS = 1 << 11,	/* runs the statement that is its COMMAND */
	TSH_CMD_TRIES = 1 << 12,	/* the same, which may fail; then OTHERWISE */
	TSH_CMD_IS_PROGRAM = 1 << 13,	/* its status is that of a program that it runs */
};

struct tsh_example {
	const char *text;	/* a whole command; tests run it */
	const char *help;
};

/* One declaration per command: it drives parsing, help, the man page, completion
 * and tests. */
struct tsh_cmd {
	const char *name;
	const char *alias;		/* a second name, or NULL */
	enum tsh_cmd_group group;
	const char *summary;		/* one line, lower case, no full stop */
	const char *description;	/* more, for help and man; paragraphs by newline */
	const char *see;		/* commands and topics, with blanks between; or NULL */
	const struct tsh_arg *args;	/* ends with an entry without a name */
	unsigned int flags;
	const struct tsh_example *examples;	/* ends with an entry without text */
	int (*run)(struct tsh_session *s, const struct tsh_call *call, struct tsh_err *err);
	/* Under --dry-run, instead of run: the command as a pipeline of sh; false when sh
	 * cannot do it. NULL: it is run, and what it writes is the script; so whatever has
	 * other effects than writes to tracefs needs one (src/session/script.h). */
	bool (*script)(struct tsh_session *s, const struct tsh_call *call,
		       struct tsh_strbuf *sh);
	/* Goes on by itself, unless one of these arguments, with blanks between, was given, or the call .drains; watch
	 * refuses that. NULL: it ends. */
	const char *endless_without;
	/* The argument with which it names what later statements of a text use (variables, aliases), so that it is run
	 * in the pass before the text is; "": always. NULL: it does not. */
	const char *defines_with;
	/* The option with which it does nothing but write, and is run all the same; or NULL. */
	const char *writes_with;
	/* But with this value of it, too, it is sh's. */
	const char *prints_with;
	/* Which events its words name, into call->events, where they are no list; the command
	 * looks at its filter itself then. NULL: those of its EVENT arguments, with a filter for
	 * all of them. */
	int (*name_events)(struct tsh_session *s, struct tsh_call *call, struct tsh_err *err);
	/* Reads its clauses into what engines want (call->where, call->by ..), when its events and moments are
	 * resolved; or NULL. -1 with err, which blames a place in the call. */
	int (*prepare)(struct tsh_session *s, struct tsh_call *call, struct tsh_err *err);
	/* For explain, of a call that was resolved: what of it the kernel does and what tracesh,
	 * beside its where (src/session/explain-table.h). NULL: there is nothing to be said. */
	int (*explain)(struct tsh_session *s, struct tsh_call *call, struct tsh_err *err);
};

/* A subject that belongs to no command: `help NAME` and the man page print it. */
struct tsh_topic {
	const char *name;
	const char *summary;		/* one line, as a command's */
	/* Paragraphs by newline; a line that begins with a blank stands as it is. */
	const char *text;
	const struct tsh_example *examples;	/* as a command's; or NULL */
	const char *see;
};

/* Finds one of commands, which end with NULL, by its name or alias; NULL: there is none. */
const struct tsh_cmd *tsh_cmd_among(const struct tsh_cmd *const *commands, const char *name);
/* Says whether one of its arguments completes so; NULL: no. */
bool tsh_cmd_completes(const struct tsh_cmd *cmd, enum tsh_arg_completes what);
/* The option `-o FILE` that every printing command has. */
extern const struct tsh_arg tsh_cmd_common_args[];

#endif
