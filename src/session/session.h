/* session/session.h - what commands and engines see of the session */
/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_SESSION_SESSION_H
#define TRACESH_SESSION_SESSION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "alias.h"
#include "base/err.h"
#include "base/vec.h"
#include "base/wait.h"
#include "call.h"
#include "events/clock/clock.h"
#include "kernel/tracefs/tracefs.h"
#include "library/library.h"
#include "output/output.h"
#include "settings.h"

struct tsh_cmd;
struct tsh_function_names;
struct tsh_history;
struct tsh_source;
struct tsh_topic;

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
	struct tsh_btf *btf;		/* the kernel's types, of `dir`; NULL: not asked for, or a command has them */
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
 * Saves the unread events of an instance that are about to be erased (enum tsh_erases) in the state directory: as
 * a recorded tree, those of its snapshot as the kernel's text. 0: nothing unread gets lost (any more); -1: *why,
 * which the caller frees, says why not.
 */
int tsh_cmd_rescue(struct tsh_session *s, struct tsh_instance *in, unsigned int what, char **why);
/* Watches a removal: .removing of struct tsh_journal_hooks. */
void *tsh_cmd_watch_removal(struct tsh_session *s, const struct tsh_instance *in, void *held);
/* Goes over to an instance of the session's own, which is removed at its end. */
int tsh_cmd_use_private(struct tsh_session *s, struct tsh_err *err);
/* Says what a tracesh that was killed has left behind, and what was saved unattended. */
void tsh_cmd_note_orphans(struct tsh_session *s);
/* Returns the journal's mark from before the command that runs: all that the command writes comes behind it. */
unsigned int tsh_cmd_mark(const struct tsh_session *s);
/* Takes back what was written since the journal's mark; only problems are said. */
void tsh_cmd_take_back(struct tsh_session *s, unsigned int mark);
/* The same of a file, whose commands have said what they did, and of what was interrupted: says what goes back. */
void tsh_cmd_take_back_file(struct tsh_session *s, unsigned int mark);
/* Back to the instance of that label, which was in use when a command began that has failed. */
void tsh_cmd_return_to(struct tsh_session *s, const char *label);

/* Before an instance is made: whether its buffers fit into memory. 0, or -1 with err. */
int tsh_cmd_check_instance(struct tsh_dir *dir, struct tsh_err *err);

#endif
