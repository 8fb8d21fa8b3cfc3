/* tracesh/cmd.h - the table of commands, and what a command sees of the session (src/cmd) */
/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_CMD_H
#define TRACESH_CMD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tracesh/clock.h"
#include "tracesh/err.h"
#include "tracesh/event.h"
#include "tracesh/grammar.h"
#include "tracesh/output.h"
#include "tracesh/tracefs.h"
#include "tracesh/vec.h"
#include "tracesh/wait.h"

struct tsh_source;
struct tsh_session;

enum tsh_cmd_group {
	TSH_GROUP_FIND, TSH_GROUP_CONTROL, TSH_GROUP_FILE, TSH_GROUP_SEE, TSH_GROUP_SESSION,
	TSH_GROUP_N
};
extern const char *const tsh_group_names[TSH_GROUP_N];

enum tsh_cmd_flags {
	TSH_CMD_WRITES = 1 << 0,	/* may change tracefs: refused under --read-only */
	TSH_CMD_NEEDS_TRACEFS = 1 << 1,
	TSH_CMD_PRINTS = 1 << 2,	/* takes -o FILE */
	TSH_CMD_IN_CHECK = 1 << 3,	/* runs under -n too: let, set, source, try */
	TSH_CMD_LIVE = 1 << 4,		/* not on a recorded tree */
};

struct tsh_example {
	const char *text;	/* a whole command; tests run it */
	const char *help;
};

/* A parsed and resolved command, ready to run. */
struct tsh_call {
	const struct tsh_cmd *cmd;
	struct tsh_args args;
	struct tsh_events events;	/* of all EVENT arguments */
};

/* One declaration per command: it drives parsing, help, the man page, completion
 * and tests. */
struct tsh_cmd {
	const char *name;
	const char *alias;		/* a second name, or NULL */
	enum tsh_cmd_group group;
	const char *summary;		/* one line, lower case, no full stop */
	const char *description;	/* more, for help and man; paragraphs by newline */
	const struct tsh_arg *args;	/* ends with an entry without a name */
	unsigned int flags;
	const struct tsh_example *examples;	/* ends with an entry without text */
	int (*run)(struct tsh_session *s, const struct tsh_call *call, struct tsh_err *err);
};

extern const struct tsh_cmd *const tsh_commands[];	/* NULL at the end */
/* By name or alias; NULL when there is none. */
const struct tsh_cmd *tsh_cmd_find(const char *name);
/* The option `-o FILE` that every printing command has. */
extern const struct tsh_arg tsh_cmd_common_args[];
/* Resolves names: EVENT into call->events, TRACER, CLOCK, OPTION, INSTANCE, SETTING,
 * COMMAND_NAME checked against what there is, with the nearest name in the hint. */
int tsh_cmd_resolve(struct tsh_session *s, struct tsh_call *call, struct tsh_err *err);
void tsh_call_release(struct tsh_call *call);

enum tsh_at_exit { TSH_AT_EXIT_ASK, TSH_AT_EXIT_KEEP, TSH_AT_EXIT_RESTORE };

/* `set NAME VALUE`; the table is in src/cmd/cmd-set.c. */
struct tsh_settings {
	enum tsh_format format;
	enum tsh_time_style time;
	bool precision_ns;
	bool pipefail;
	bool show_writes;
	enum tsh_at_exit at_exit;
	char *tz;		/* NULL: the machine's */
};

/* Sets a setting by a name that exists. -1 with err: not one of its values. */
int tsh_settings_assign(struct tsh_settings *set, const char *name, const char *value,
			struct tsh_err *err);

/* Whether the zone database has it, or it is a rule. */
bool tsh_time_zone_is_known(const char *name);

/* Services that the shell lends to commands. */
struct tsh_session_ops {
	/* Runs the statement that stands in the current source at span (try). */
	int (*run_nested)(struct tsh_session *s, struct tsh_span span, struct tsh_err *err);
	/* Runs a file with arguments $1.. (source); argv ends with NULL. */
	int (*run_file)(struct tsh_session *s, const char *path, char *const *argv,
			struct tsh_err *err);
	/* Sets a variable. */
	void (*set_var)(struct tsh_session *s, const char *name, const char *value);
	/* A setting was changed: the shell takes over what concerns it (format, tz). */
	void (*settings_changed)(struct tsh_session *s);
	/* Prints an error of a command that went on (try's first half): as a note. */
	void (*note_error)(struct tsh_session *s, const struct tsh_err *err);
	/* Lets a child of ours have the terminal's signals again: called between fork
	 * and exec. */
	void (*child_signals)(struct tsh_session *s);
};

/* Pages read ahead for an instance that nobody has printed yet. */
struct tsh_reader {
	char *instance;		/* NULL: top */
	char *cpus;		/* the list it is limited to; NULL: all */
	struct tsh_source *source;
	struct tsh_instance *in;	/* the source's own handle */
};

struct tsh_session {
	struct tsh_dir *dir;		/* NULL: not to be had, see dir_err */
	struct tsh_err dir_err;		/* why */
	struct tsh_instance *in;	/* the current instance; NULL without dir */
	struct tsh_out *out;		/* of the running command */
	const struct tsh_waiter *waiter;
	const struct tsh_session_ops *ops;
	void *engine;			/* of ops */
	struct tsh_settings settings;
	TSH_VEC(struct tsh_reader) readers;
	struct tsh_strlist check_instances;	/* that a checked file would have created */
	bool interactive;
	bool check;			/* -n: parse and resolve, write nothing */
	bool stdout_is_data;		/* data goes to stdout: run's program yields */
	bool aborted;			/* a wait ended with TSH_WAIT_ABORT */
	bool quit;
	int quit_status;		/* of quit STATUS; -1: that of the last command */
	int status;			/* $?: of the last command */
	int run_status;			/* of run's program, -1: none ran in this command */
};

/* Frees what commands keep in the session (readers). */
void tsh_cmd_session_release(struct tsh_session *s);
/* Events that were read ahead and never printed. */
uint64_t tsh_cmd_session_pending(const struct tsh_session *s);

struct tsh_undo_report;
/* Says what taking back did, leaves an instance that is gone, frees the report. -1
 * when something could not be taken back. */
int tsh_cmd_report_undo(struct tsh_session *s, struct tsh_undo_report *report,
			struct tsh_err *err);
/* Takes back what was written since the journal's mark; only problems are said. */
void tsh_cmd_take_back(struct tsh_session *s, unsigned int mark);

/* The COMMANDS section of the man page, man(7), made from the table: --help-man. */
void tsh_help_man(struct tsh_strbuf *out);

#endif
