/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_SESSION_PROGRAM_H
#define TRACESH_SESSION_PROGRAM_H

#include "base/account.h"
#include "base/pty.h"
#include "session.h"

/* Holds a program that run or record traces from its first instruction to its end: the arguments
 * PROGRAM, --user and --all of a call. */
struct tsh_program {
	struct tsh_session *session;
	const struct tsh_call *call;
	struct tsh_call with_events;	/* the call; has default events if it named none */
	struct tsh_instance *in;
	struct tsh_waiter waiter;	/* leaves Ctrl-C to the program */
	char **argv;
	struct tsh_account account;
	bool has_account;
	bool is_other_user;	/* gets no terminal and no descriptor of ours */
	struct tsh_pty pty;
	struct tsh_field_list *fields;	/* fields of the events to print; NULL: their text */
	struct tsh_query *where;	/* condition for printing an event; NULL: prints all */
	uint64_t max_rate;	/* events per second, at most; 0: no limit */
	/* Enables the events; set by the caller. */
	int (*enable)(struct tsh_session *s, struct tsh_instance *in, const struct tsh_call *call, struct tsh_err *err);
	bool prints;		/* set by the caller: events are printed while the program runs */
	int pid;
	int go;			/* pipe to the child: a byte lets the program exec */
	int failed;		/* pipe from the child: errno of an exec that failed */
	int status;
	bool ended;
};

/* Checks that there is such a program. Returns 0, or -1 with err. */
int tsh_program_check(const struct tsh_value *program, struct tsh_err *err);
/* Resolves the arguments, but starts no process. Returns 0, or -1 with err. */
int tsh_program_init(struct tsh_program *p, struct tsh_session *s, const struct tsh_call *call,
		     struct tsh_err *err);
/* Starts a process that waits before its exec, and enables the events for it, its threads and its
 * children. Returns 0, or -1 with err; the caller calls tsh_program_end in both cases. */
int tsh_program_begin(struct tsh_program *p, struct tsh_instance *in, struct tsh_err *err);
/* Switches tracing on and lets the program exec. ctx is the struct tsh_program. Returns 0, or -1
 * with err. */
int tsh_program_exec(void *ctx, struct tsh_err *err);
/* Says whether the program has ended. ctx is the struct tsh_program. */
bool tsh_program_has_ended(void *ctx);
/* Ends the program if it still runs, and sets the session's run_status. r: the result so far.
 * Returns r, or -1 with err when the program was never executed. */
int tsh_program_end(struct tsh_program *p, int r, struct tsh_err *err);
void tsh_program_release(struct tsh_program *p);

#endif
