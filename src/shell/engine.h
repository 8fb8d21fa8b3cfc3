/* shell/engine.h - runs lines, files and arguments as one transaction */
/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_SHELL_ENGINE_H
#define TRACESH_SHELL_ENGINE_H

#include <stdbool.h>
#include <stddef.h>

#include "loop.h"
#include "session/cmd.h"

struct tsh_engine;

struct tsh_engine_options {
	const char *tracefs;		/* NULL: found by itself */
	const char *instance;		/* -i, -I; NULL: top */
	bool create_instance;		/* -I */
	bool private_instance;		/* --private */
	bool check;			/* -n */
	bool dry_run;			/* print a script instead of writing */
	bool keep_going;
	bool restore;			/* --restore */
	bool read_only;
	bool quiet;
	bool interactive;
	int out_fd;			/* where data goes, and its name for messages */
	const char *out_name;
	bool out_is_new;		/* nothing can have read it */
	int err_fd;
	bool out_is_terminal;
	bool out_color;
	bool err_color;
	bool err_is_terminal;
	struct tsh_settings settings;	/* taken over */
	struct tsh_loop *loop;		/* borrowed */
};

/*
 * Never fails for want of tracefs: commands that need it say why it is not there.
 * -1 when the instance cannot be had.
 */
int tsh_engine_new(const struct tsh_engine_options *opt, struct tsh_engine **ret,
		   struct tsh_err *err);
void tsh_engine_free(struct tsh_engine *e);
struct tsh_session *tsh_engine_session(struct tsh_engine *e);
/* Becomes sh(1) that runs the command, in a child: with the arguments of the batch file as its own, and the variables in
 * its environment. Does not return. */
void tsh_engine_exec_sh(const struct tsh_engine *e, const char *command) __attribute__((noreturn));
/* Gets whole lines. */
typedef void tsh_jobs_show(void *ctx, const char *text, size_t len);
/* Where the output of jobs ('&') is shown; without it they write to our stdout themselves. */
void tsh_engine_show_jobs(struct tsh_engine *e, tsh_jobs_show *show, void *ctx);
/* Shows what they have written by now, and says which have ended. */
void tsh_engine_look_at_jobs(struct tsh_engine *e);

/*
 * Runs commands. `name` stands in messages ("<stdin>", "<-c 1>", a path); argv (may
 * be NULL, ends with NULL) is $1... A complete text is parsed to its end before its
 * first command runs. Returns false when the invocation must end (an error without
 * --keep-going, quit, a signal); the errors are printed.
 */
bool tsh_engine_run_text(struct tsh_engine *e, const char *name, const char *text, size_t len,
			 char *const *argv);
bool tsh_engine_run_file(struct tsh_engine *e, const char *path, char *const *argv);
/* Texts that are run in a row, -c by -c: what one of them lacks is reported before the first one runs. Returns
 * false then; true with --keep-going and in a check, which run those that can be read. */
struct tsh_text {
	char name[32];
	const char *text;
};
bool tsh_engine_read_ahead(struct tsh_engine *e, const struct tsh_text *texts, size_t n);
/* Commands from a descriptor, each as soon as it is there. */
bool tsh_engine_run_fd(struct tsh_engine *e, const char *name, int fd);
/* One line of the prompt; prompt_width: the columns before it; *ret_end: behind its last
 * command, or the first that failed. False: leave. */
bool tsh_engine_run_line(struct tsh_engine *e, const char *line, size_t prompt_width,
			 size_t *ret_end);
/* One command from words of a command line. */
bool tsh_engine_run_words(struct tsh_engine *e, char *const *argv);

/*
 * What a session at the prompt begins with: SYSCONFDIR/tracesh.rc, then
 * $XDG_CONFIG_HOME/tracesh/rc (~/.config/tracesh/rc). One that somebody else than we and
 * root can have written is left out, which is said. An error is reported and ends its
 * command only. False: leave.
 */
bool tsh_engine_run_rc(struct tsh_engine *e);

/* Prints an error that belongs to no source. */
void tsh_engine_report(struct tsh_engine *e, const struct tsh_err *err);

/* Settings that would be taken back, for the question at the prompt. */
unsigned int tsh_engine_changes(const struct tsh_engine *e);
/* Says what taking them back would change; only where there are some. */
void tsh_engine_note_changes(struct tsh_engine *e);
/* Events in the buffer of the current instance that nobody has read. */
uint64_t tsh_engine_unread(const struct tsh_engine *e);
/*
 * Ends the transaction: takes the settings back after an error, a signal, under
 * --restore and `set at-exit restore`; keeps them otherwise. Returns the exit
 * status. `restore`: the prompt's answer.
 */
int tsh_engine_finish(struct tsh_engine *e, bool restore);

#endif
