/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_SHELL_ENGINE_INTERNAL_H
#define TRACESH_SHELL_ENGINE_INTERNAL_H

/* Shared by the files of the engine; nobody else includes it. */

#include "cmd/table.h"
#include "engine.h"
#include "guard.h"
#include "jobs.h"
#include "pager.h"

/* A text that commands are read from. */
struct tsh_input {
	const char *name;
	const char *text;
	size_t len;
	unsigned int first_line;	/* of `text`, when it is a piece of more */
	char *const *argv;		/* $1.. */
	bool prompt;			/* typed: no file name in messages */
	bool tolerant;			/* an error ends only its command (rc files) */
	size_t prompt_width;
	dev_t device;			/* of the file, with its number; 0, 0: it is none */
	ino_t inode;
	const struct tsh_input *outer;	/* whose `source` reads this one */
	struct tsh_span outer_span;
	const struct tsh_input *alias_of;	/* where this alias stands; NULL: it is none */
	struct tsh_span alias_name;	/* there */
	struct tsh_place *last;		/* that was reported of `text`; NULL: none is kept */
	size_t alias_len;		/* bytes of `text` that it means; the rest was typed */
};

struct tsh_variable {
	char *name;
	char *value;
};

struct tsh_variables {
	struct tsh_variable **v;	/* in the order of their first values */
	size_t n, cap;
	void *by_name;			/* the same: a tree of tsearch(3) */
	size_t bytes;			/* of the names and the values */
};

struct tsh_engine {
	struct tsh_session session;
	struct tsh_out out;		/* of the invocation */
	struct tsh_loop *loop;
	int err_fd;
	bool err_color;
	bool err_is_terminal;
	bool keep_going;
	struct tsh_journal_hooks journal_hooks;
	struct tsh_guard guard;
	struct tsh_jobs jobs;
	char *machine_zone;		/* TZ as it was at the start; NULL: not set */
	const struct tsh_input *input;	/* the innermost */
	struct tsh_span statement;	/* of it, that was read last */
	unsigned int depth;		/* of sourced files */
	unsigned int sources;		/* files read since the last line of the prompt */
	bool at_prompt;			/* a line of it runs */
	size_t stopped_at;		/* behind the last command of the text that ran last */
	unsigned int nesting;		/* of try in try */
	struct tsh_variables vars;
	char number[24];		/* for $? and $# */
	bool dry_run;			/* --dry-run, and there is a tracefs */
	bool dry_headed;		/* the head of its script is printed */
	bool dry_left_out;		/* sh cannot do something of it */
	bool dry_finishes;		/* its status is that of the program that `run` started last */
	struct tsh_out nothing;		/* where a dry run's data goes */
	bool syntax_only;		/* the pass before a text is run */
	bool tentative;			/* in it: what `try` tries may be wrong */
	bool said_no_tracefs;		/* under -n once is enough */
	bool failed;			/* a command failed */
	int first_failure;		/* its status */
	int exit_status;		/* of the last command, when none failed */
};

extern const struct tsh_session_ops tsh_engine_ops;

/* Ctrl-C while a command ran ends that command, not the shell. False: leave. */
bool tsh_engine_end_interrupt(struct tsh_engine *e);

/* batch-file.c: all of it, without a byte order mark; `path` is for messages. -1 with err. Of
 * a file with a waiter what comes is waited for; -1 without a message: a signal has ended that. */
int tsh_batch_read(int fd, const char *path, const struct tsh_waiter *waiter,
		   struct tsh_strbuf *ret, struct tsh_err *err);
/* The file of that path or, where there is none, the recipe; *input gets which file it is. -1 with err, too where others may
 * write to it. */
int tsh_batch_read_path(struct tsh_engine *e, const char *path, struct tsh_input *input, struct tsh_strbuf *ret,
			struct tsh_err *err);

/* alias.c */
/* What the word at the lexer's place stands for, or NULL when it is no alias. */
const char *tsh_alias_at(const struct tsh_engine *e, const struct tsh_lexer *lx,
			 struct tsh_span *ret_name);
/* Runs what it stands for in its place; errors are blamed on what was typed. */
int tsh_alias_run(struct tsh_engine *e, struct tsh_lexer *lx, struct tsh_span name,
		  const char *meaning, struct tsh_err *err);
/* From a text with an alias in it to the one that was typed. */
void tsh_alias_unwind(const struct tsh_input **input, struct tsh_span *span);

/* vars.c */
const char *tsh_engine_get_var(void *engine, const char *name);
/* 0, or -1 with err: all together would be too long. */
int tsh_engine_set_var(struct tsh_engine *e, const char *name, const char *value,
		       struct tsh_err *err);
void tsh_engine_copy_vars(const struct tsh_engine *e, struct tsh_variables *ret);
void tsh_engine_release_vars(struct tsh_engine *e);

/* report.c: "NAME:LINE:COL: error: ..", the line, the caret, the hint */
void tsh_report(struct tsh_engine *e, const struct tsh_input *input, const char *severity,
		const struct tsh_err *err);
void tsh_engine_note(void *engine, const char *text);
/* What Ctrl-C has left of a text, if that is anything. */
void tsh_say_not_run(struct tsh_engine *e, const struct tsh_input *input);
/* Of --verbose: see struct tsh_dir. */
void tsh_engine_show_write(void *engine, const char *lines);

/* redirect.c: where a command's data goes */
struct tsh_redirect {
	struct tsh_out file;		/* -o FILE or the pipe */
	struct tsh_out *old;
	bool active;
	bool is_paged;
	struct tsh_pager pager;
	bool is_new;			/* we have made the file of -o */
	int fd;
	int pid;			/* of sh -c, or -1 */
};
int tsh_redirect_begin(struct tsh_engine *e, const struct tsh_args *args, const char *pipe,
		       struct tsh_redirect *ret, struct tsh_err *err);
/* Refuse an output that is a file of the recording, or stdin. -1 with err, no span. */
int tsh_redirect_check(const struct tsh_session *s, int fd, const char *name, struct tsh_err *err);
/* Neither: to the terminal, by pages when that is wanted and it is long. */
void tsh_redirect_to_pager(struct tsh_engine *e, struct tsh_redirect *r);
/* Empties the file if the command worked; flushes, waits for the program, and gives its status into *ret_status (0 without
 * one). -1 when the data could not be written. */
int tsh_redirect_end(struct tsh_engine *e, struct tsh_redirect *r, bool worked, int *ret_status,
		     struct tsh_err *err);
/* Says how many events were taken out of a buffer that nobody has seen: so many read ahead, and what no output took. */
void tsh_say_unprinted(struct tsh_engine *e, uint64_t ahead);

/* background.c: a command with '&' behind it */
/*
 * As tsh_jobs_fork. In the new process the engine is one of a batch of its own: it takes back
 * what the command changed, and nothing of before.
 */
int tsh_background_fork(struct tsh_engine *e, const struct tsh_call *call, struct tsh_err *err);
/* In the new process: its end. */
_Noreturn void tsh_background_exit(struct tsh_engine *e, int r, struct tsh_err *err);
size_t tsh_background_list(struct tsh_session *s, struct tsh_job_info *ret, size_t max);
int tsh_background_end(struct tsh_session *s, unsigned int number);
/* Lets the waits of the engine's loop look at the jobs. */
void tsh_background_watch(struct tsh_engine *e);

/* dry-run.c */
void tsh_dry_run_begin(struct tsh_engine *e);
void tsh_dry_run_end(struct tsh_engine *e);
/* Instead of running it; `pipe` is the program behind '|', or NULL. */
int tsh_dry_run_call(struct tsh_engine *e, const struct tsh_call *call, const char *pipe,
		     struct tsh_err *err);
/* Prints what there is of the script, and forgets it. */
void tsh_dry_run_print(struct tsh_engine *e);
/* The same at the end of the session. */
void tsh_dry_run_finish(struct tsh_engine *e);

/* statement.c: one command; false when the input must not go on */
/* At the prompt Ctrl-C means all that was typed there, not just the command it found. */
bool tsh_was_stopped(const struct tsh_engine *e);
bool tsh_run_input(struct tsh_engine *e, const struct tsh_input *input);
/* Reads texts in a row, as they will run, to their end: the errors are printed. False: there are some. */
bool tsh_read_ahead(struct tsh_engine *e, const struct tsh_input *texts, size_t n);
/* The command at the lexer's place, which becomes the one behind it. */
int tsh_run_statement(struct tsh_engine *e, struct tsh_lexer *lx, struct tsh_err *err);
int tsh_run_nested(struct tsh_session *s, struct tsh_span span, struct tsh_err *err);

#endif
