/* session/cmd.h - the table of commands, and what a command sees of the session */
/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_SESSION_CMD_H
#define TRACESH_SESSION_CMD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "alias.h"
#include "base/err.h"
#include "base/vec.h"
#include "base/wait.h"
#include "events/clock/clock.h"
#include "events/clock/moment.h"
#include "kernel/tracefs/event.h"
#include "kernel/tracefs/tracefs.h"
#include "lang/grammar.h"
#include "library/library.h"
#include "output/output.h"

struct tsh_function_names;
struct tsh_history;
struct tsh_by;
struct tsh_call_probes;
struct tsh_chosen;
struct tsh_flight;
struct tsh_where;
struct tsh_source;
struct tsh_session;

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
	struct tsh_moment *moments;	/* by the places of args, those of MOMENT; or NULL */
	struct tsh_chosen *chosen;	/* the clause `fields` (src/engine/pipeline/fields.h); or NULL */
	struct tsh_by *by;		/* what is counted (src/engine/aggregate/aggregate.h); or NULL */
	struct tsh_flight *flight;	/* --stop-when (src/engine/pipeline/flight-recorder.h); or NULL */
	struct tsh_call_probes *probes;	/* its own (src/engine/probe/call.h); or NULL */
	struct tsh_where *where;	/* the clause `where` (src/engine/pipeline/where.h); or NULL */
	bool of_all;			/* its own instance leaves no task out: without some, halves of pairs are missing */
};
/* The moment that was given as this option ("--since") or argument, or NULL. */
const struct tsh_moment *tsh_call_moment(const struct tsh_call *call, const char *name);

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
	/* The option with which it does nothing but write, and is run all the same; or NULL. */
	const char *writes_with;
	/* But with this value of it, too, it is sh's. */
	const char *prints_with;
	/* Which events its words name, into call->events, where they are no list; the command
	 * looks at its filter itself then. NULL: those of its EVENT arguments, with a filter for
	 * all of them. */
	int (*name_events)(struct tsh_session *s, struct tsh_call *call, struct tsh_err *err);
	/* Reads its clauses into what engines want (call->where, call->by ..), when its events and moments are resolved; or
	 * NULL. -1 with err, which blames a place in the call. */
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
/* Says whether one of its arguments completes so; NULL is no command. */
bool tsh_cmd_completes(const struct tsh_cmd *cmd, enum tsh_arg_completes what);
/* The option `-o FILE` that every printing command has. */
extern const struct tsh_arg tsh_cmd_common_args[];
/* Resolves names: EVENT into call->events, TRACER, CLOCK, OPTION, INSTANCE, SETTING,
 * COMMAND_NAME checked against what there is, with the nearest name in the hint; MOMENT into
 * call->moments, relative ones from now on. */
int tsh_cmd_resolve(struct tsh_session *s, struct tsh_call *call, struct tsh_err *err);
void tsh_call_release(struct tsh_call *call);
/*
 * A call may name probes that are to be there while it runs: they are made before it is
 * resolved, and go when what was written since the journal's mark is taken back. Whether it
 * does; makes them, -1 with err, which blames the place; the end of those that were made.
 */
bool tsh_call_wants_probes(const struct tsh_call *call);
int tsh_call_make_probes(struct tsh_session *s, struct tsh_call *call, struct tsh_err *err);
void tsh_call_unmake_probes(struct tsh_session *s, const struct tsh_call *call, unsigned int mark);
/* In place of running a call that was resolved: who answers its `where`, term by term. */
int tsh_call_explain(struct tsh_session *s, struct tsh_call *call, struct tsh_err *err);

enum tsh_at_exit { TSH_AT_EXIT_ASK, TSH_AT_EXIT_KEEP, TSH_AT_EXIT_RESTORE };

/* `set NAME VALUE`; the table is in settings.c. */
struct tsh_settings {
	enum tsh_format format;
	enum tsh_time_style time;
	bool precision_ns;
	bool show_error;
	bool pointers_hidden;
	enum tsh_decoders decoders;
	bool pipefail;
	bool show_writes;
	bool hints_off;		/* at the prompt */
	bool unasked;		/* confirm off, --yes: go ahead with everything */
	enum tsh_at_exit at_exit;
	bool pager_off;
	char *tz;		/* of the zone database, or a rule; NULL: the machine's */
	char *columns;		/* of events in text, with commas between; NULL: the usual ones */
	char *prompt;		/* a template; NULL: tsh_prompt_default */
	char *pool;		/* a size: memory for what is read and decoded; NULL: the usual */
};

/* What the prompt is made of; '%' and a letter are explained by `help set`. */
extern const char tsh_prompt_default[];

/* Sets a setting by a name that exists. -1 with err: not one of its values. */
int tsh_settings_assign(struct tsh_settings *set, const char *name, const char *value,
			struct tsh_err *err);

/* .pool in bytes; 0: the usual. */
size_t tsh_settings_pool(const struct tsh_settings *set);

enum tsh_answer { TSH_ANSWER_YES, TSH_ANSWER_NO, TSH_ANSWER_NOBODY };

/* A command in the background; its text is borrowed until it ends. */
struct tsh_job_info {
	unsigned int number;
	int pid;
	const char *command;
};

/* Services that the shell lends to commands. */
struct tsh_session_ops {
	/* Runs the statement that stands in the current source at span (try). */
	int (*run_nested)(struct tsh_session *s, struct tsh_span span, struct tsh_err *err);
	/* Runs a file with arguments $1.. (source); argv ends with NULL. */
	int (*run_file)(struct tsh_session *s, const char *path, char *const *argv,
			struct tsh_err *err);
	/* Sets a variable, or fails where all together were too long; its value, or NULL; the
	 * names of all. */
	int (*set_var)(struct tsh_session *s, const char *name, const char *value,
		       struct tsh_err *err);
	const char *(*get_var)(struct tsh_session *s, const char *name);
	void (*list_vars)(struct tsh_session *s, struct tsh_strlist *ret);
	/* A setting was changed: the shell takes over what concerns it (format, tz). */
	void (*settings_changed)(struct tsh_session *s);
	/* Prints an error of a command that went on (try's first half): as a note. */
	void (*note_error)(struct tsh_session *s, const struct tsh_err *err);
	/* Lets a child of ours have the terminal's signals again: called between fork
	 * and exec. */
	void (*child_signals)(struct tsh_session *s);
	/* The jobs that run, `max` at most; returns how many there are. */
	size_t (*jobs)(struct tsh_session *s, struct tsh_job_info *ret, size_t max);
	/* Ends one as Ctrl-C would. -1: there is none of that number. */
	int (*end_job)(struct tsh_session *s, unsigned int number);
};

/* Who sits at the prompt; what it writes comes behind the session's flushed output. */
struct tsh_terminal {
	/* Enter, Ctrl-C and Ctrl-D are no. Commands call tsh_cmd_confirm. */
	enum tsh_answer (*confirm)(void *ctx, const char *question);
	/*
	 * While a command prints: single keys, without Enter and echo. begin gives a descriptor
	 * to poll, -1: nobody types there. read: the next key that was pressed, -1: none. ask
	 * reads a line that continues the command `before` and begins as `text`, where lines can
	 * be edited; NULL: none; the caller frees it.
	 */
	int (*keys_begin)(void *ctx);
	int (*keys_read)(void *ctx);
	char *(*keys_ask)(void *ctx, const char *prompt, const char *before, const char *text);
	void (*keys_end)(void *ctx);
	/*
	 * What stands at the end of the screen, `rows` lines and one without a newline, stays
	 * there when jobs print meanwhile: it is erased before, and written again. NULL: no
	 * more. Borrowed.
	 */
	void (*keep_below)(void *ctx, const struct tsh_strbuf *text, unsigned int rows);
};

/* Pages read ahead for an instance that nobody has printed yet. */
struct tsh_reader {
	char *instance;		/* NULL: top */
	char *cpus;		/* the list it is limited to; NULL: all */
	struct tsh_source *source;
	struct tsh_instance *in;	/* the source's own handle */
	char *clock;			/* its name when it was read last; NULL: not known */
};

struct tsh_session {
	struct tsh_dir *dir;		/* NULL: not to be had, see dir_err */
	struct tsh_err dir_err;		/* why */
	struct tsh_instance *in;	/* the current instance; NULL without dir */
	struct tsh_strlist came_from;	/* labels of those that the user was in before, each once, the last one last */
	struct tsh_out *out;		/* of the running command */
	const struct tsh_waiter *waiter;
	/* All that there are, for what stands below them: NULL, an entry without a name at the end. */
	const struct tsh_cmd *const *commands;
	const struct tsh_topic *topics;
	const struct tsh_session_ops *ops;
	void *engine;			/* of ops */
	const struct tsh_terminal *terminal;	/* NULL: a batch, there is nobody to ask */
	void *terminal_ctx;
	struct tsh_settings settings;
	TSH_VEC(struct tsh_reader) readers;
	struct tsh_history *history;	/* of the prompt; NULL in a batch; borrowed */
	struct tsh_aliases aliases;
	struct tsh_function_names *functions;	/* of completion; NULL: not asked for yet */
	struct tsh_btf *btf;		/* the kernel's types, of `dir`; NULL: not asked for yet, or a command has them */
	struct tsh_strlist check_instances;	/* that a checked file would have created */
	struct tsh_decoders_process decoders;	/* waits for the next stream; pid 0: none */
	bool explains;			/* explain: commands tell what they would do */
	bool is_watched;		/* watch runs the command, and has the keys */
	bool interactive;
	bool reads_stdin;		/* commands come from stdin, and it is no terminal */
	bool said_own;			/* whose settings a stream's own instance has */
	/* Which tasks are not traced, and which of their switches are, has been said. */
	bool told_left_out, told_switches;
	bool is_private;		/* --private: `in` goes at the end, with its settings */
	bool unattended;		/* nobody sees our notes any more */
	bool detached;			/* nothing of ours may hold the descriptors of who called us */
	bool check;			/* -n: parse and resolve, write nothing */
	bool read_only;			/* --read-only, -n: no file is written or removed unasked */
	bool stdout_is_data;		/* data goes to stdout: run's program yields */
	bool aborted;			/* a wait ended with TSH_WAIT_ABORT */
	bool quit;
	int quit_status;		/* of quit STATUS; -1: that of the last command */
	int status;			/* $?: of the last command */
	int run_status;			/* of run's program, -1: none ran in this command */
};

/* Frees what commands keep in the session (readers, names of functions). */
void tsh_cmd_session_release(struct tsh_session *s);
/* Events that an instance's buffer has lost since it was cleared, overwritten ones among
 * them; 0 when it does not say. */
uint64_t tsh_cmd_lost(const struct tsh_instance *in);
/* Events of the current instance that nobody has read, in its buffer and read ahead. */
uint64_t tsh_cmd_unread(const struct tsh_session *s);
/* Events that were read ahead and never printed. */
uint64_t tsh_cmd_session_pending(const struct tsh_session *s);

struct tsh_undo_report;
/*
 * Says what taking back did, leaves an instance that is gone, frees the report.
 * what: the commands that were taken back, ": buffer 300K"; NULL: the end of a session, where nothing is named.
 * Returns 0, or -1 with err when something could not be taken back.
 */
int tsh_cmd_report_undo(struct tsh_session *s, struct tsh_undo_report *report, const char *what, struct tsh_err *err);
/* Keeps what was set (tsh_journal_commit); says: how much. -1 when something could not be kept. */
int tsh_cmd_keep_all(struct tsh_session *s, bool all, bool says, struct tsh_err *err);
/* Says what restore would take back, and what it would leave to other sessions. */
void tsh_cmd_note_restore(struct tsh_session *s);
/*
 * Saves the unread events of an instance that are about to be erased (enum tsh_erases) in the state directory: as a
 * recorded tree, those of its snapshot as the kernel's text. 0: nothing unread gets lost (any more); -1: *why, which the
 * caller frees, says why not.
 */
int tsh_cmd_rescue(struct tsh_session *s, struct tsh_instance *in, unsigned int what, char **why);
/* Watches a removal: .removing of struct tsh_journal_hooks. */
void *tsh_cmd_watch_removal(struct tsh_session *s, const struct tsh_instance *in, void *held);
/* Goes over to an instance of the session's own, which is removed at its end. */
int tsh_cmd_use_private(struct tsh_session *s, struct tsh_err *err);
/* Says what a tracesh that was killed has left behind, and what was saved unattended. */
void tsh_cmd_note_orphans(struct tsh_session *s);
/* Takes back what was written since the journal's mark; only problems are said. */
void tsh_cmd_take_back(struct tsh_session *s, unsigned int mark);
/* The same of a file, whose commands have said what they did, and of what was interrupted: says what goes back. */
void tsh_cmd_take_back_file(struct tsh_session *s, unsigned int mark);
/* Back to the instance of that label, which was in use when a command began that has failed. */
void tsh_cmd_return_to(struct tsh_session *s, const char *label);

/* Before an instance is made: whether its buffers fit into memory. 0, or -1 with err. */
int tsh_cmd_check_instance(struct tsh_dir *dir, struct tsh_err *err);

/* The COMMANDS and TOPICS sections of the man page, man(7), made from the table: --help-man. */
void tsh_help_man(const struct tsh_cmd *const *commands, struct tsh_strbuf *out);
/* Adds "COMMAND<TAB>EXAMPLE" and "topic:NAME<TAB>EXAMPLE" lines, for the test that runs them. */
void tsh_help_examples(const struct tsh_cmd *const *commands, struct tsh_strbuf *out);

/* The path of the batch file of that name that came with tracesh, which the caller frees; NULL:
 * there is none (src/help/recipe-files.c). */
char *tsh_recipe_path(const char *name);

#endif
