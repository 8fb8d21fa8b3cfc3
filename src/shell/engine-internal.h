/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_SHELL_ENGINE_INTERNAL_H
#define TRACESH_SHELL_ENGINE_INTERNAL_H

/* Shared by the files of the engine only. */

#include "engine.h"
#include "guard.h"
#include "jobs.h"
#include "pager.h"

/* Is a text from which commands are read. */
struct tsh_input {
	const char *name;
	const char *text;
	size_t len;
	unsigned int first_line;	/* number of the first line, when `text` is a part of more */
	char *const *argv;		/* $1.. */
	bool prompt;			/* typed at the prompt: messages name no file */
	bool tolerant;			/* an error only ends its own command (rc files) */
	size_t prompt_width;
	dev_t device;			/* device and inode of the file; 0, 0: it is no file */
	ino_t inode;
	const struct tsh_input *outer;	/* the text whose `source` command reads this one */
	struct tsh_span outer_span;
	const struct tsh_input *alias_of;	/* the text with this alias; NULL: it is no alias */
	struct tsh_span alias_name;	/* place of the alias in that text */
	struct tsh_place *last;		/* the last place in `text` that was reported; NULL: none is kept */
	size_t alias_len;		/* bytes of `text` that are the alias's meaning; the rest was typed */
};

struct tsh_variable {
	char *name;
	char *value;
};

struct tsh_variables {
	struct tsh_variable **v;	/* in the order of their first values */
	size_t n, cap;
	void *by_name;			/* the same as a tree of tsearch(3) */
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
	struct tsh_span statement;	/* the statement of it that was read last */
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
	bool dry_finishes;		/* its status is that of the last program of `run` */
	struct tsh_out nothing;		/* swallows what a dry run prints */
	bool syntax_only;		/* only the syntax is checked, before a text is run */
	bool tentative;			/* within that: what `try` tries may be wrong */
	bool said_no_tracefs;		/* it was said before, which is enough under -n */
	bool failed;			/* a command failed */
	int first_failure;		/* status of that command */
	int exit_status;		/* status of the last command, when none failed */
};

extern const struct tsh_session_ops tsh_engine_ops;

/* Handles Ctrl-C while a command ran: it ends that command, not the shell. Returns false to leave. */
bool tsh_engine_end_interrupt(struct tsh_engine *e);

/* Reads a whole file (batch-file.c), without a byte order mark; `path` is for messages. With a waiter, waits for
 * more to come, until a signal ends that. Returns 0, or -1 with err; -1 without a message for a signal. */
int tsh_batch_read(int fd, const char *path, const struct tsh_waiter *waiter,
		   struct tsh_strbuf *ret, struct tsh_err *err);
/* Reads the file of that path or, when there is none, the recipe; sets device and inode of *input. Returns 0, or -1
 * with err, also when others may write to the file. */
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
void tsh_engine_copy_vars(const struct tsh_engine *e, struct tsh_variables *ret);
void tsh_engine_release_vars(struct tsh_engine *e);

/* Prints "NAME:LINE:COL: error: ..", the line, the caret and the hint (report.c). */
void tsh_report(struct tsh_engine *e, const struct tsh_input *input, const char *severity,
		const struct tsh_err *err);
/* Returns where a span of an alias's text stands in the text around the alias. */
struct tsh_span tsh_alias_outer_span(const struct tsh_input *input, struct tsh_span span);
/* Replaces the text of an alias, and a span in it, by the text that was typed. */
void tsh_alias_unwind(const struct tsh_input **input, struct tsh_span *span);
void tsh_engine_note(void *engine, const char *text);
/* Says which part of a text was not run because of Ctrl-C, if there is one. */
void tsh_say_not_run(struct tsh_engine *e, const struct tsh_input *input);
/* Prints a write, for --verbose: see struct tsh_dir. */
void tsh_engine_show_write(void *engine, const struct tsh_wrote *what);

/* Holds where a command's output goes (redirect.c). */
struct tsh_redirect {
	struct tsh_out file;		/* for -o FILE or the pipe */
	struct tsh_out *old;
	bool active;
	bool is_paged;
	struct tsh_pager pager;
	bool is_new;			/* the file of -o was made by us */
	int fd;
	int pid;			/* of sh -c; -1: none */
};
int tsh_redirect_begin(struct tsh_engine *e, const struct tsh_args *args, const char *pipe,
		       struct tsh_redirect *ret, struct tsh_err *err);
/* Refuses an output that is a file of the recording, or stdin. Returns 0, or -1 with err (no span). */
int tsh_redirect_check(const struct tsh_session *s, int fd, const char *name, struct tsh_err *err);
/* Sends an output without -o and pipe to the terminal, through a pager when that is wanted and it is long. */
void tsh_redirect_to_pager(struct tsh_engine *e, struct tsh_redirect *r);
/* Ends a redirection: empties the file first if the command worked; flushes; waits for the program, and sets
 * *ret_status to its status (0 without one). Returns 0, or -1 when the data could not be written. */
int tsh_redirect_end(struct tsh_engine *e, struct tsh_redirect *r, bool worked, int *ret_status,
		     struct tsh_err *err);
/* Tells how many events were taken out of a buffer and were never seen: `ahead` events that were read ahead, and
 * those that no output has taken. */
void tsh_say_unprinted(struct tsh_engine *e, uint64_t ahead);

/* ---- finish.c ---- */
/* Prints an error that belongs to no command and releases it; the session ends with its status. */
void tsh_engine_fail(struct tsh_engine *e, struct tsh_err *err);

/* ---- background.c: a command with '&' behind it ---- */
/*
 * Forks as tsh_jobs_fork does. In the new process the engine works as for a batch of its own: it restores what this
 * command changes, and nothing that was changed before.
 */
int tsh_background_fork(struct tsh_engine *e, const struct tsh_call *call, struct tsh_err *err);
/* Ends the new process. */
_Noreturn void tsh_background_exit(struct tsh_engine *e, int r, struct tsh_err *err);
size_t tsh_background_list(struct tsh_session *s, struct tsh_job_info *ret, size_t max);
int tsh_background_end(struct tsh_session *s, unsigned int number);
/* Adds the jobs' output to what the waits of the engine's loop watch. */
void tsh_background_watch(struct tsh_engine *e);

/* ---- dry-run.c ---- */
void tsh_dry_run_begin(struct tsh_engine *e);
void tsh_dry_run_end(struct tsh_engine *e);
/* Adds a command to the script instead of running it; `pipe` is the program behind '|', or NULL. */
int tsh_dry_run_call(struct tsh_engine *e, const struct tsh_call *call, const char *pipe,
		     struct tsh_err *err);
/* Prints the script so far, and empties it. */
void tsh_dry_run_print(struct tsh_engine *e);
/* Does the same at the end of the session. */
void tsh_dry_run_finish(struct tsh_engine *e);

/* ---- statement.c ---- */
/* Says whether Ctrl-C at the prompt has stopped all that was typed, not just the running command. */
bool tsh_was_stopped(const struct tsh_engine *e);
bool tsh_run_input(struct tsh_engine *e, const struct tsh_input *input);
/* Checks the syntax of texts that will run one after the other, and prints their errors. Returns false when there
 * are some. */
bool tsh_read_ahead(struct tsh_engine *e, const struct tsh_input *texts, size_t n);
/* Runs the command at the lexer's place, and moves that behind it. */
int tsh_run_statement(struct tsh_engine *e, struct tsh_lexer *lx, struct tsh_err *err);
int tsh_run_nested(struct tsh_session *s, struct tsh_span span, struct tsh_err *err);

#endif
