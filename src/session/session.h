/* session/session.h - the session, as commands and engines see it */
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
struct tsh_session;
struct tsh_source;
struct tsh_topic;

enum tsh_answer { TSH_ANSWER_YES, TSH_ANSWER_NO, TSH_ANSWER_NOBODY };

/* Describes a command in the background. The text is borrowed until the command ends. */
struct tsh_job_info {
	unsigned int number;
	int pid;
	const char *command;
};

/* Holds functions of the shell that commands may call. */
struct tsh_session_ops {
	/* Runs the statement at this span of the current source (try). */
	int (*run_nested)(struct tsh_session *s, struct tsh_span span, struct tsh_err *err);
	/* Runs a file with arguments $1.. (source); argv ends with NULL. */
	int (*run_file)(struct tsh_session *s, const char *path, char *const *argv,
			struct tsh_err *err);
	/* Sets a variable; fails when all variables together become too long. get_var returns a
	 * value, or NULL. list_vars appends all names. */
	int (*set_var)(struct tsh_session *s, const char *name, const char *value,
		       struct tsh_err *err);
	const char *(*get_var)(struct tsh_session *s, const char *name);
	void (*list_vars)(struct tsh_session *s, struct tsh_strlist *ret);
	/* Applies a setting that has changed, if it concerns the shell (format, tz). */
	void (*settings_changed)(struct tsh_session *s);
	/* Prints the error of a command as a note, because the statement goes on (first half of
	 * try). */
	void (*note_error)(struct tsh_session *s, const struct tsh_err *err);
	/* Restores the handling of the terminal's signals in a child process; called between fork
	 * and exec. */
	void (*child_signals)(struct tsh_session *s);
	/* Lists the running jobs, at most `max`; returns how many there are. */
	size_t (*jobs)(struct tsh_session *s, struct tsh_job_info *ret, size_t max);
	/* Ends a job as Ctrl-C would. Returns -1 when there is none of that number. */
	int (*end_job)(struct tsh_session *s, unsigned int number);
};

/* Talks to the person at the prompt. The session's output must be flushed before. */
struct tsh_terminal {
	/* Asks a question; Enter, Ctrl-C and Ctrl-D mean no. Commands call tsh_cmd_confirm
	 * instead. */
	enum tsh_answer (*confirm)(void *ctx, const char *question);
	/*
	 * Read single keys while a command prints, without Enter and echo. begin returns a
	 * descriptor to poll, or -1 when nobody types there. read returns the next key that was
	 * pressed, or -1. ask reads a line that continues the command `before` and begins with
	 * `text`, when lines can be edited; it returns the line, which the caller frees, or NULL.
	 */
	int (*keys_begin)(void *ctx);
	int (*keys_read)(void *ctx);
	char *(*keys_ask)(void *ctx, const char *prompt, const char *before, const char *text);
	void (*keys_end)(void *ctx);
	/*
	 * Redraws a text at the end of the screen around the output of jobs: erases the text
	 * before, and writes it again after. `text` has `rows` lines and one without a newline.
	 * `text` is borrowed until the next call; NULL ends the redrawing.
	 */
	void (*show_below)(void *ctx, const struct tsh_strbuf *text, unsigned int rows);
};

/* Holds pages of an instance that were read ahead and are not printed yet. */
struct tsh_reader {
	char *instance;		/* NULL: the top-level instance */
	char *cpus;		/* CPUs that are read, as a list; NULL: all */
	struct tsh_source *source;
	struct tsh_instance *in;	/* the source's own handle */
	char *clock;			/* name of the clock at the last read; NULL: not known */
};

struct tsh_session {
	struct tsh_dir *dir;		/* NULL: cannot be opened, see dir_err */
	struct tsh_err dir_err;		/* reason for that */
	struct tsh_instance *in;	/* the current instance; NULL without dir */
	/* Holds the labels of instances that were in use before, each once, the latest last. */
	struct tsh_strlist came_from;
	struct tsh_out *out;		/* output of the running command */
	const struct tsh_waiter *waiter;
	/* Hold all commands (end with NULL) and topics (end without a name), for rooms that may not
	 * include cmd and help. */
	const struct tsh_cmd *const *commands;
	const struct tsh_topic *topics;
	const struct tsh_session_ops *ops;
	void *engine;			/* for ops */
	const struct tsh_terminal *terminal;	/* NULL: a batch, in which nobody can be asked */
	void *terminal_ctx;
	struct tsh_settings settings;
	TSH_VEC(struct tsh_reader) readers;
	struct tsh_history *history;	/* history of the prompt; NULL in a batch; borrowed */
	struct tsh_aliases aliases;
	struct tsh_function_names *functions;	/* cache for completion; NULL: not read yet */
	/* Holds the kernel's types (of `dir`); NULL while a command uses the types, or before they
	 * are read. */
	struct tsh_btf *btf;
	struct tsh_strlist check_instances;	/* instances that a checked file would create */
	struct tsh_decoders_process decoders;	/* for the next stream; pid 0: none */
	bool explains;			/* set by explain: commands print what they would do */
	bool is_watched;		/* watch runs the command, and reads the keys */
	bool interactive;
	bool reads_stdin;		/* commands come from stdin, which is no terminal */
	bool noted_own;			/* has noted that an own instance has settings of its own */
	/* Record that two notes were printed: one on tasks that are not traced, one on switches of
	 * these tasks, which are traced. */
	bool noted_left_out, noted_switches;
	bool is_private;		/* --private: the session's end removes `in` */
	bool unattended;		/* nobody reads our notes any more */
	bool detached;			/* our children must not hold our caller's descriptors */
	bool check;			/* -n: parse and resolve, write nothing */
	bool read_only;			/* --read-only, -n: writes or removes no file unasked */
	bool stdout_is_data;		/* data goes to stdout, so run's program writes to stderr */
	bool aborted;			/* a wait ended with TSH_WAIT_ABORT */
	bool quit;
	int quit_status;		/* status of quit STATUS; -1: that of the last command */
	int status;			/* $?, the status of the last command */
	int run_status;			/* status of run's program; -1: none ran in this command */
};

/* Frees what commands store in the session (readers, names of functions). */
void tsh_cmd_session_release(struct tsh_session *s);
/* Counts the events that an instance's buffer has lost since it was cleared, with those that were
 * overwritten; 0 when the kernel does not say. */
uint64_t tsh_cmd_count_lost(const struct tsh_instance *in);
/* Counts the unread events of the current instance, in its buffer and read ahead. */
uint64_t tsh_cmd_count_unread(const struct tsh_session *s);
/* Counts the events of all instances that were read ahead and not printed. */
uint64_t tsh_cmd_session_pending(const struct tsh_session *s);

struct tsh_undo_report;
/*
 * Reports what undo has taken back, and frees the report. Changes to another instance when undo has
 * removed the current one. what: names the commands that were taken back, ": buffer 300K"; NULL at
 * the end of a session. Returns 0, or -1 with err when some setting could not be taken back.
 */
int tsh_cmd_report_undo(struct tsh_session *s, struct tsh_undo_report *report, const char *what, struct tsh_err *err);
/* Makes settings permanent (tsh_journal_commit); `all` as there. says: prints a note with the
 * number of settings. Returns 0, or -1 with err when some could not be made permanent. */
int tsh_cmd_commit_all(struct tsh_session *s, bool all, bool says, struct tsh_err *err);
/* Notes what restore would take back, and what restore would leave to other sessions. */
void tsh_cmd_note_restore(struct tsh_session *s);
/*
 * Saves unread events of an instance in the state directory before they are erased: those of the
 * buffer as a recording, those of the snapshot as the kernel's text. what: bits of enum tsh_erases.
 * Returns 0 when no unread event will get lost, or -1 with the reason in *why, which the caller
 * frees.
 */
int tsh_cmd_rescue(struct tsh_session *s, struct tsh_instance *in, unsigned int what, char **why);
/* Reports which events are erased with a probe. Is .removing of struct tsh_journal_hooks: called
 * before the removal with held NULL, and after the removal with the result of the first call. */
void *tsh_cmd_watch_removal(struct tsh_session *s, const struct tsh_instance *in, void *held);
/* Makes an instance of the session's own the current one. The session's end removes it. Returns 0,
 * or -1 with err. */
int tsh_cmd_use_private(struct tsh_session *s, struct tsh_err *err);
/* Notes what a killed tracesh has left, and what was saved while nobody could see the note. */
void tsh_cmd_note_orphans(struct tsh_session *s);
/* Returns the journal's position from before the running command, for tsh_cmd_undo_since. */
unsigned int tsh_cmd_mark(const struct tsh_session *s);
/* Takes back all that was written since a position of the journal (tsh_cmd_mark); prints problems
 * only. */
void tsh_cmd_undo_since(struct tsh_session *s, unsigned int mark);
/* Does what tsh_cmd_undo_since does, after a file of commands or an interrupt, and notes which
 * settings are taken back. */
void tsh_cmd_undo_file_since(struct tsh_session *s, unsigned int mark);
/* Makes the instance of this label the current one again, after a command has failed. */
void tsh_cmd_return_to(struct tsh_session *s, const char *label);

/* Checks that the buffers of a new instance would fit into memory. Returns 0, or -1 with err. */
int tsh_cmd_check_instance(struct tsh_dir *dir, struct tsh_err *err);

#endif
