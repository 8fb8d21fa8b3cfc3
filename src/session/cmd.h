/* session/cmd.h - the declaration of a command */
/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_SESSION_CMD_H
#define TRACESH_SESSION_CMD_H

#include "call.h"
#include "topic.h"

struct tsh_session;
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
	TSH_CMD_IN_CHECK = 1 << 3,	/* runs in a check (-n), too: let, set, source, try, explain */
	TSH_CMD_LIVE = 1 << 4,		/* refused for a recording */
	TSH_CMD_JOB = 1 << 5,		/* may be followed by '&' */
	/* Sends long output through a pager at the prompt. For lists that end by themselves, not
	 * for streams. */
	TSH_CMD_PAGES = 1 << 6,
	TSH_CMD_NEEDS_EVENT = 1 << 7,	/* must have EVENT or --probe */
	/* Leaves finished steps as they are when the next step fails. */
	TSH_CMD_STEPS = 1 << 8,
	/* Runs a file of commands. Each of these prints its own messages. */
	TSH_CMD_IS_FILE = 1 << 9,
	TSH_CMD_NAMES_NO_TASK = 1 << 10,	/* prints its events without names of tasks */
	TSH_CMD_NESTS = 1 << 11,	/* runs the statement that is its COMMAND */
	/* Runs COMMAND, and OTHERWISE when COMMAND fails. */
	TSH_CMD_TRIES = 1 << 12,
	/* Returns the exit status of a program that it runs. */
	TSH_CMD_IS_PROGRAM = 1 << 13,
};

/* Declares a command. Parsing, help, the man page, completion and tests read this table. */
struct tsh_cmd {
	const char *name;
	const char *alias;		/* a second name, or NULL */
	enum tsh_cmd_group group;
	const char *summary;		/* one line, lower case, no full stop */
	const char *description;	/* for help and man; newlines separate paragraphs */
	const char *see_also;		/* commands and topics, separated by blanks; or NULL */
	const struct tsh_arg *args;	/* ends with an entry without a name */
	unsigned int flags;
	const struct tsh_example *examples;	/* ends with an entry without text */
	int (*run)(struct tsh_session *s, const struct tsh_call *call, struct tsh_err *err);
	/*
	 * Replaces run under --dry-run. Appends the command as a pipeline of sh; returns false when
	 * sh cannot do the same. NULL: run is called, and the writes to tracefs become the script.
	 * So a command with any other effect needs this function (src/session/script.h).
	 */
	bool (*script)(struct tsh_session *s, const struct tsh_call *call,
		       struct tsh_strbuf *sh);
	/*
	 * Names the arguments, separated by blanks, with which the command ends by itself. The
	 * command also ends when call->drains is set; otherwise it goes on until it is interrupted,
	 * and watch refuses it. NULL: the command always ends by itself.
	 */
	const char *endless_without;
	/*
	 * Names the argument with which the command defines names (variables, aliases) that later
	 * statements use. Such a command already runs when a text is checked, before the first
	 * statement of the text runs. "": the command always defines names. NULL: never.
	 */
	const char *defines_with;
	/* Names the option with which the command only writes to tracefs; or NULL. With this option
	 * --dry-run calls .run, even if the command has .script. */
	const char *writes_with;
	/* Names a value of that option: --dry-run calls .script when the user gives it; or NULL. */
	const char *prints_with;
	/*
	 * Finds the events of a call that names them otherwise than by a list of events, and stores
	 * them in call->events. The command then has to check the filter. NULL: the events are
	 * those of the EVENT arguments, and all get the filter.
	 */
	int (*name_events)(struct tsh_session *s, struct tsh_call *call, struct tsh_err *err);
	/*
	 * Finds the end of the recordings that are the call's arguments, in ns since 1970: moments
	 * (-5s, 22:47:33) count from it. Returns false when there is none. NULL: the command has no
	 * such arguments.
	 */
	bool (*find_end)(const struct tsh_call *call, int64_t *ret);
	/*
	 * Parses the clauses into states of the call (tsh_call_add_state), after events and moments
	 * are resolved; or NULL. Returns 0, or -1 with err, which blames a place in the call.
	 */
	int (*prepare)(struct tsh_session *s, struct tsh_call *call, struct tsh_err *err);
	/*
	 * Prints, for `explain` of a resolved call, which parts the kernel does and which tracesh
	 * does, except the where clause (src/session/explain-table.h). NULL: there are no such
	 * parts.
	 */
	int (*explain)(struct tsh_session *s, struct tsh_call *call, struct tsh_err *err);
};

#endif
