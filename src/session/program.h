/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_SESSION_PROGRAM_H
#define TRACESH_SESSION_PROGRAM_H

#include "base/account.h"
#include "base/pty.h"
#include "session.h"

/* A program that is traced from its first instruction to its end: run, record. Its
 * arguments are PROGRAM, --user and --all of the call. */
struct tsh_program {
	struct tsh_session *session;
	const struct tsh_call *call;
	struct tsh_call with_events;	/* the call's, or what is usual */
	struct tsh_instance *in;
	struct tsh_waiter waiter;	/* lets Ctrl-C go to the program */
	char **argv;
	struct tsh_account account;
	bool has_account;
	bool is_other_user;	/* it gets nothing of ours: no terminal, no descriptor */
	struct tsh_pty pty;
	struct tsh_field_list *chosen;	/* their fields; NULL: their text */
	struct tsh_query *where;	/* which of the events are printed; NULL: all */
	uint64_t max_rate;	/* so many of each second; 0: all */
	/* Enables its events: set by the caller. */
	int (*enable)(struct tsh_session *s, struct tsh_instance *in, const struct tsh_call *call, struct tsh_err *err);
	bool prints;		/* set by the caller: its stdout may be where ours is */
	int pid;
	int go;			/* written to: the program may exec */
	int failed;		/* read from: errno of an exec that failed */
	int status;
	bool ended;
};

/* Whether there is such a program, before anything is made for it. -1 with err. */
int tsh_program_look(const struct tsh_value *program, struct tsh_err *err);
/* Looks at the arguments; nothing is started. */
int tsh_program_init(struct tsh_program *p, struct tsh_session *s, const struct tsh_call *call,
		     struct tsh_err *err);
/* Starts it, waiting at its exec, and enables the events for it, its threads and children.
 * 0, or -1; in both cases tsh_program_end follows. */
int tsh_program_begin(struct tsh_program *p, struct tsh_instance *in, struct tsh_err *err);
/* Switches tracing on and lets it exec. ctx is the program. */
int tsh_program_let_go(void *ctx, struct tsh_err *err);
/* Whether it has ended; ctx is the program. */
bool tsh_program_ended(void *ctx);
/* Ends it if it is still there. `r` is what came of it so far; returns that, or -1 when
 * it could not be executed. Sets the session's run_status. */
int tsh_program_end(struct tsh_program *p, int r, struct tsh_err *err);
void tsh_program_release(struct tsh_program *p);

#endif
