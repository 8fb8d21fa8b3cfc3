/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_SHELL_ENGINE_INTERNAL_H
#define TRACESH_SHELL_ENGINE_INTERNAL_H

/* Shared by the files of the engine; nobody else includes it. */

#include "tracesh/engine.h"

/* A text that commands are read from. */
struct tsh_input {
	const char *name;
	const char *text;
	size_t len;
	unsigned int first_line;	/* of `text`, when it is a piece of more */
	char *const *argv;		/* $1.. */
	bool prompt;			/* typed: no file name in messages */
	size_t prompt_width;
	const struct tsh_input *outer;	/* whose `source` reads this one */
	struct tsh_span outer_span;
};

struct tsh_variable {
	char *name;
	char *value;
};

struct tsh_engine {
	struct tsh_session session;
	struct tsh_out out;		/* of the invocation */
	struct tsh_loop *loop;
	int err_fd;
	bool err_color;
	bool keep_going;
	const struct tsh_input *input;	/* the innermost */
	struct tsh_span statement;	/* of it, that was read last */
	unsigned int depth;		/* of sourced files */
	unsigned int sources;		/* files read since the last line of the prompt */
	unsigned int nesting;		/* of try in try */
	TSH_VEC(struct tsh_variable) vars;
	char number[24];		/* for $? and $# */
	bool syntax_only;		/* the pass before a text is run */
	bool tentative;			/* in it: what `try` tries may be wrong */
	bool failed;			/* a command failed */
	int first_failure;		/* its status */
	int exit_status;		/* of the last command, when none failed */
};

extern const struct tsh_session_ops tsh_engine_ops;

/* vars.c */
const char *tsh_engine_get_var(void *engine, const char *name);
void tsh_engine_set_var(struct tsh_engine *e, const char *name, const char *value);
void tsh_engine_release_vars(struct tsh_engine *e);

/* report.c: "NAME:LINE:COL: error: ..", the line, the caret, the hint */
void tsh_report(struct tsh_engine *e, const struct tsh_input *input, const char *severity,
		const struct tsh_err *err);
void tsh_engine_note(void *engine, const char *text);

/* redirect.c: where a command's data goes */
struct tsh_redirect {
	struct tsh_out file;		/* -o FILE or the pipe */
	struct tsh_out *old;
	bool active;
	int fd;
	int pid;			/* of sh -c, or -1 */
};
int tsh_redirect_begin(struct tsh_engine *e, const struct tsh_value *file, const char *pipe,
		       struct tsh_redirect *ret, struct tsh_err *err);
/* Flushes, waits for the program, and gives its status into *ret_status (0 without
 * one). -1 when the data could not be written. */
int tsh_redirect_end(struct tsh_engine *e, struct tsh_redirect *r, int *ret_status,
		     struct tsh_err *err);

/* statement.c: one command; false when the input must not go on */
bool tsh_run_input(struct tsh_engine *e, const struct tsh_input *input);
int tsh_run_nested(struct tsh_session *s, struct tsh_span span, struct tsh_err *err);

#endif
