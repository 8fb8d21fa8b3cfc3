/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_SHELL_ENGINE_INTERNAL_H
#define TRACESH_SHELL_ENGINE_INTERNAL_H

/* Declares what the files of the engine share. */

#include "engine.h"
#include "guard.h"
#include "jobs.h"
#include "pager.h"

/* Describes a text from which commands are read. */
struct tsh_input {
	const char *name;
	const char *text;
	size_t len;
	unsigned int first_line;	/* number of the first line of a part */
	char *const *argv;		/* $1.. */
	bool prompt;			/* typed at the prompt: messages name no file */
	bool tolerant;			/* an error only ends its own command (rc files) */
	size_t prompt_width;
	dev_t device;			/* device and inode of the file; 0, 0: no file */
	ino_t inode;
	const struct tsh_input *outer;	/* the text whose `source` command reads this one */
	struct tsh_span outer_span;
	const struct tsh_input *alias_of;	/* the text with this alias; NULL: not an alias */
	struct tsh_span alias_name;	/* place of the alias in that text */
	/* Holds the place in `text` that was reported last, from which the next search goes on; or
	 * NULL. */
	struct tsh_place *last;
	size_t alias_len;		/* bytes of `text` from the alias; the rest was typed */
};

struct tsh_variable {
	char *name;
	char *value;
};

struct tsh_variables {
	struct tsh_variable **v;	/* in the order of their first values */
	size_t n, cap;
	void *by_name;			/* a tree of tsearch(3) with the same variables */
	size_t bytes;			/* bytes of all names and values */
};

struct tsh_engine {
	struct tsh_session session;
	struct tsh_out out;		/* output of the invocation */
	struct tsh_loop *loop;
	int err_fd;
	bool err_color;
	bool err_is_terminal;
	bool keep_going;
	struct tsh_journal_hooks journal_hooks;
	struct tsh_guard guard;
	struct tsh_jobs jobs;
	char *machine_zone;		/* TZ at the start; NULL: not set */
	const struct tsh_input *input;	/* the innermost text */
	struct tsh_span statement;	/* the statement of `input` that was read last */
	unsigned int depth;		/* depth of sourced files */
	unsigned int sources;		/* files read since the last line of the prompt */
	bool at_prompt;			/* a line of the prompt runs */
	size_t stopped_at;		/* behind the last command of the text that was run last */
	unsigned int nesting;		/* depth of try within try */
	struct tsh_variables vars;
	char number[24];		/* for $? and $# */
	bool dry_run;			/* --dry-run, and there is a tracefs */
	bool dry_headed;		/* the head of the script was printed */
	bool dry_left_out;		/* something was left out, because sh cannot do it */
	bool dry_finishes;		/* the script ends with the status of `run`'s program */
	struct tsh_out nothing;		/* drops all output, for commands of a dry run */
	bool syntax_only;		/* only the syntax is checked, before a text is run */
	bool tentative;			/* in such a check: ignores faults of what `try` tries */
	bool noted_no_tracefs;		/* -n has printed the error of a missing tracefs */
	bool failed;			/* a command failed */
	int first_failure;		/* status of that command */
	int exit_status;		/* status of the last command, when none failed */
};

extern const struct tsh_session_ops tsh_engine_ops;

/* Handles Ctrl-C during a command, which ends the command but not the shell. Returns false to
 * leave. */
bool tsh_engine_end_interrupt(struct tsh_engine *e);

/*
 * Reads a whole file (batch-file.c), without a byte order mark; `path` is for messages. With a
 * waiter, waits for more input until the end of the file or a signal. Returns 0, or -1 with err;
 * after a signal -1 without a message.
 */
int tsh_batch_read(int fd, const char *path, const struct tsh_waiter *waiter,
		   struct tsh_strbuf *ret, struct tsh_err *err);
/* Reads the file of that path or, when there is none, the recipe; sets device and inode of *input.
 * Returns 0, or -1 with err, also when others may write to the file. */
int tsh_batch_read_path(struct tsh_engine *e, const char *path, struct tsh_input *input, struct tsh_strbuf *ret,
			struct tsh_err *err);

/* ---- alias.c ---- */
/* Returns the meaning of the word at the lexer's place, or NULL when it is no alias. */
const char *tsh_alias_at(const struct tsh_engine *e, const struct tsh_lexer *lx,
			 struct tsh_span *ret_name);
/* Runs the meaning of an alias in its place; errors blame the typed text. */
int tsh_alias_run(struct tsh_engine *e, struct tsh_lexer *lx, struct tsh_span name,
		  const char *meaning, struct tsh_err *err);

/* ---- vars.c ---- */
const char *tsh_engine_get_var(void *engine, const char *name);
/* Sets a variable. Returns 0, or -1 with err when all variables together would be too long. */
int tsh_engine_set_var(struct tsh_engine *e, const char *name, const char *value,
		       struct tsh_err *err);
/* Copies all variables to *ret, which is overwritten. */
void tsh_engine_copy_vars(const struct tsh_engine *e, struct tsh_variables *ret);
void tsh_engine_release_vars(struct tsh_engine *e);

/* Prints "NAME:LINE:COL: error: ..", the line, the caret and the hint (report.c). */
void tsh_report(struct tsh_engine *e, const struct tsh_input *input, const char *severity,
		const struct tsh_err *err);
/* Returns the span in the text around an alias that belongs to a span in the alias's text. */
struct tsh_span tsh_alias_outer_span(const struct tsh_input *input, struct tsh_span span);
/* Replaces the text of an alias, and a span in that text, by the typed text. */
void tsh_alias_unwind(const struct tsh_input **input, struct tsh_span *span);
/* Prints a note to stderr; in the guard's process stores the note for print_notes (guard.c). */
void tsh_engine_note(void *engine, const char *text);
/* Warns that a part of a text was not run because of Ctrl-C, if there is one. */
void tsh_note_not_run(struct tsh_engine *e, const struct tsh_input *input);
/* Prints a write, for --verbose: see struct tsh_dir. */
void tsh_engine_show_write(void *engine, const struct tsh_wrote *what);

/* Holds the output of a command (redirect.c). */
struct tsh_redirect {
	struct tsh_out file;		/* for -o FILE or the pipe */
	struct tsh_out *old;
	bool active;
	bool is_paged;
	struct tsh_pager pager;
	bool is_new;			/* the file of -o was made by us */
	int fd;
	int pid;			/* pid of sh -c; -1: none */
};
/* Redirects the session's output for -o and for the program behind '|' (`pipe`, may be NULL).
 * Returns 0, or -1 with err, which changes no output. */
int tsh_redirect_begin(struct tsh_engine *e, const struct tsh_args *args, const char *pipe,
		       struct tsh_redirect *ret, struct tsh_err *err);
/* Refuses an output that is a file of the recording, or stdin. Returns 0, or -1 with err (no
 * span). */
int tsh_redirect_check(const struct tsh_session *s, int fd, const char *name, struct tsh_err *err);
/* Sends a long output without -o and pipe through a pager, if a pager is wanted. */
void tsh_redirect_to_pager(struct tsh_engine *e, struct tsh_redirect *r);
/*
 * Ends a redirection. If the command worked and has printed no output, drops the old content of the
 * file. Flushes, waits for the program, and sets *ret_status to its status (0 without one). Returns
 * 0, or -1 with err when the data could not be written.
 */
int tsh_redirect_end(struct tsh_engine *e, struct tsh_redirect *r, bool worked, int *ret_status,
		     struct tsh_err *err);
/* Notes how many events were read from a buffer and not printed: `ahead` events that were read
 * ahead, and those that no output has accepted. */
void tsh_note_unprinted(struct tsh_engine *e, uint64_t ahead);

/* ---- finish.c ---- */
/* Prints an error that belongs to no command and releases it; the session ends with its status. */
void tsh_engine_fail(struct tsh_engine *e, struct tsh_err *err);

/* ---- background.c: a command with '&' behind it ---- */
/* Forks as tsh_jobs_fork does. The engine of the new process works like that of a batch: at the end
 * it restores what this command has changed, and no earlier changes. */
int tsh_background_fork(struct tsh_engine *e, const struct tsh_call *call, struct tsh_err *err);
/* Ends the new process. */
_Noreturn void tsh_background_exit(struct tsh_engine *e, int r, struct tsh_err *err);
/* Lists jobs, at most `max`. Returns how many there are. */
size_t tsh_background_list(struct tsh_session *s, struct tsh_job_info *ret, size_t max);
/* Ends a job as Ctrl-C would. Returns -1 when there is none of that number. */
int tsh_background_end(struct tsh_session *s, unsigned int number);
/* Has the waits of the engine's loop watch the output of jobs. */
void tsh_background_watch(struct tsh_engine *e);

/* ---- dry-run.c ---- */
void tsh_dry_run_begin(struct tsh_engine *e);
void tsh_dry_run_end(struct tsh_engine *e);
/* Adds a command to the script instead of running it; `pipe` is the program behind '|', or NULL. */
int tsh_dry_run_call(struct tsh_engine *e, const struct tsh_call *call, const char *pipe,
		     struct tsh_err *err);
/* Prints the script so far, and clears it. */
void tsh_dry_run_print(struct tsh_engine *e);
/* Prints the rest of the script at the end of the session. */
void tsh_dry_run_finish(struct tsh_engine *e);

/* ---- statement.c ---- */
/* Says whether Ctrl-C at the prompt has stopped all that was typed, not just the running
 * command. */
bool tsh_engine_is_stopped(const struct tsh_engine *e);
/* Runs all commands of a text, and prints errors. Returns false when the invocation must end. */
bool tsh_run_input(struct tsh_engine *e, const struct tsh_input *input);
/* Checks the syntax of texts that will run one after the other, and prints their errors. Returns
 * false when there are some. */
bool tsh_read_ahead(struct tsh_engine *e, const struct tsh_input *texts, size_t n);
/* Runs the command at the lexer's position, and moves the position behind it. */
int tsh_run_statement(struct tsh_engine *e, struct tsh_lexer *lx, struct tsh_err *err);
/* Runs the command at a span of the current text (try, explain). Returns 0, or -1 with err. */
int tsh_run_nested(struct tsh_session *s, struct tsh_span span, struct tsh_err *err);

#endif
