/* shell/engine.h - runs lines, files and arguments as one transaction */
/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_SHELL_ENGINE_H
#define TRACESH_SHELL_ENGINE_H

#include <stdbool.h>
#include <stddef.h>

#include "loop.h"
#include "session/session.h"

struct tsh_engine;

struct tsh_engine_options {
	const char *tracefs;		/* NULL: searched for */
	const char *instance;		/* name for -i or -I; NULL: the top-level instance */
	bool create_instance;		/* -I */
	bool private_instance;		/* --private */
	bool check;			/* -n */
	bool dry_run;			/* print a script instead of writing */
	bool keep_going;
	bool restore;			/* --restore */
	bool read_only;
	bool quiet;
	bool interactive;
	int out_fd;			/* descriptor for data, and name for messages */
	const char *out_name;
	bool out_is_new;		/* made by us: no other process has read it */
	int err_fd;
	bool out_is_terminal;
	bool out_color;
	bool err_color;
	bool err_is_terminal;
	struct tsh_settings settings;	/* owned by the engine from then on */
	struct tsh_loop *loop;		/* borrowed */
};

/* Makes an engine. Does not fail without a tracefs: commands that need one print the reason.
 * Returns 0, or -1 with err when the instance cannot be opened. */
int tsh_engine_new(const struct tsh_engine_options *opt, struct tsh_engine **ret,
		   struct tsh_err *err);
void tsh_engine_free(struct tsh_engine *e);
struct tsh_session *tsh_engine_session(struct tsh_engine *e);
/* Replaces a child process by sh(1) with this command, the arguments of the batch file, and the
 * variables in the environment. Does not return. */
void tsh_engine_exec_sh(const struct tsh_engine *e, const char *command) __attribute__((noreturn));
/* Takes complete lines of jobs. */
typedef void tsh_jobs_show(void *ctx, const char *text, size_t len);
/* Shows output of jobs ('&') by this function; without it, jobs write to our stdout directly. */
void tsh_engine_show_jobs(struct tsh_engine *e, tsh_jobs_show *show, void *ctx);
/* Shows what the jobs have written up to now, and says which have ended. */
void tsh_engine_read_jobs(struct tsh_engine *e);

/*
 * Runs commands. `name` is for messages ("<stdin>", "<-c 1>", a path); argv (may be NULL, ends with
 * NULL) is $1... Checks the syntax of the whole text before the first command runs. Prints errors.
 * Returns false when the invocation must end (an error without --keep-going, quit, a signal).
 */
bool tsh_engine_run_text(struct tsh_engine *e, const char *name, const char *text, size_t len,
			 char *const *argv);
/* Runs a batch file, or a recipe of that name; the rest as tsh_engine_run_text. */
bool tsh_engine_run_file(struct tsh_engine *e, const char *path, char *const *argv);
/*
 * Checks the syntax of texts that are run one after the other (-c and -c), before the first one
 * runs. Returns false when some text has an error. With --keep-going and in a check always returns
 * true, because the other texts are run then.
 */
struct tsh_text {
	char name[32];
	const char *text;
};
bool tsh_engine_read_ahead(struct tsh_engine *e, const struct tsh_text *texts, size_t n);
/* Runs commands from a descriptor, each as soon as it is complete. */
bool tsh_engine_run_fd(struct tsh_engine *e, const char *name, int fd);
/* Runs one line of the prompt. prompt_width: the columns before the line. *ret_end: the offset
 * behind the last command that ran, or behind the first one that failed. Returns false to leave. */
bool tsh_engine_run_line(struct tsh_engine *e, const char *line, size_t prompt_width,
			 size_t *ret_end);
/* Runs one command from the words of a command line. */
bool tsh_engine_run_words(struct tsh_engine *e, char *const *argv);

/*
 * Runs the rc files at the start of a session at the prompt: SYSCONFDIR/tracesh.rc, then
 * $XDG_CONFIG_HOME/tracesh/rc (~/.config/tracesh/rc). Skips a file that others than we and root
 * could have written, and says so. Prints errors, which only end their own command. Returns false
 * to leave.
 */
bool tsh_engine_run_rc(struct tsh_engine *e);

/* Prints an error that has no place in a source. */
void tsh_engine_report(struct tsh_engine *e, const struct tsh_err *err);

/* Returns how many settings would be restored, for the question at the prompt. */
unsigned int tsh_engine_changes(const struct tsh_engine *e);
/* Prints the changes that restoring the settings would make, if any. */
void tsh_engine_note_changes(struct tsh_engine *e);
/* Returns how many events in the buffer of the current instance were not read. */
uint64_t tsh_engine_unread(const struct tsh_engine *e);
/* Ends the session: restores the settings after an error, a signal, with --restore and `set at-exit
 * restore`; otherwise keeps them. `restore`: the answer at the prompt. Returns the exit status. */
int tsh_engine_finish(struct tsh_engine *e, bool restore);

#endif
