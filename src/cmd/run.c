/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "commands.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "account.h"
#include "follow.h"
#include "own.h"
#include "reader.h"
#include "tracesh/journal.h"
#include "util.h"

/* run: a program, traced from its first instruction to its end. */

struct program {
	struct tsh_session *session;
	struct tsh_instance *in;
	struct tsh_waiter waiter;	/* lets Ctrl-C go to the program */
	int pid;
	int go;			/* written to: the program may exec */
	int failed;		/* read from: errno of an exec that failed */
	int status;
	bool ended;
};

/* Where execvp(3) would find it; NULL: nowhere. The caller frees it. */
static char *find_program(const char *name)
{
	const char *path = getenv("PATH"), *end;
	char *full = NULL;

	if (strchr(name, '/'))
		return tsh_xstrdup(name);
	for (path = path ? path : "/bin:/usr/bin"; path; path = *end ? end + 1 : NULL) {
		end = strchrnul(path, ':');
		full = tsh_xasprintf("%.*s/%s", (int)(end - path), end > path ? path : ".", name);
		if (!access(full, X_OK))
			return full;
		free(full);
	}
	return NULL;
}

/*
 * In the child; never returns. All that is ours is done before it waits, so that
 * the trace begins with the program.
 */
static void become_program(struct tsh_session *s, char **argv, const struct tsh_account *account,
			   int go, int failed)
{
	int number = 0;
	char *path;
	char byte;

	s->ops->child_signals(s);
	/* Where our lines go to stdout, the program's would stand between them. */
	if (s->stdout_is_data)
		dup2(STDERR_FILENO, STDOUT_FILENO);
	if (account)
		number = -tsh_account_become(account);
	path = find_program(argv[0]);
	/* End of file: tracesh gave up. */
	if (read(go, &byte, 1) != 1)
		_exit(127);
	if (!number && path)
		execv(path, argv);
	if (!number)
		number = path ? errno : ENOENT;
	if (write(failed, &number, sizeof(number)) < 0)
		_exit(126);
	_exit(127);
}

static int start_program(struct program *p, char **argv, const struct tsh_account *account,
			 struct tsh_err *err)
{
	int go[2], failed[2];

	if (pipe2(go, O_CLOEXEC) < 0)
		return tsh_err_errno(err, errno, "cannot make a pipe");
	if (pipe2(failed, O_CLOEXEC) < 0) {
		close(go[0]);
		close(go[1]);
		return tsh_err_errno(err, errno, "cannot make a pipe");
	}
	tsh_out_flush(p->session->out);
	p->pid = fork();
	if (p->pid == 0) {
		close(go[1]);
		become_program(p->session, argv, account, go[0], failed[1]);
	}
	close(go[0]);
	close(failed[1]);
	p->go = go[1];
	p->failed = failed[0];
	if (p->pid < 0)
		return tsh_err_errno(err, errno, "cannot start a process");
	return 0;
}

/* The program, its threads and children, and nobody else. */
static int trace_program(struct program *p, struct tsh_err *err)
{
	struct tsh_tasks tasks = { 0 };
	struct tsh_strbuf text = TSH_STRBUF_INIT;
	int r;

	tsh_tasks_add(&tasks, p->pid);
	r = tsh_tasks_translate(p->session, &tasks, err);
	if (!r && tsh_file_exists(p->in, "options/event-fork"))
		r = tsh_file_write(p->in, "options/event-fork", TSH_WRITE_SET, "1", err);
	tsh_tasks_text(&tasks, &text);
	if (r >= 0)
		r = tsh_file_write(p->in, "set_event_pid", TSH_WRITE_SET, text.buf, err);
	tsh_strbuf_release(&text);
	tsh_tasks_release(&tasks);
	return r < 0 ? -1 : 0;
}

static bool program_ended(void *ctx)
{
	struct program *p = ctx;
	int status;

	if (!p->ended && waitpid(p->pid, &status, WNOHANG) == p->pid) {
		p->ended = true;
		p->status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
	}
	return p->ended;
}

/* Ctrl-C is the program's, as under a shell; it ends, and the stream with it. */
static enum tsh_wait_result wait_with_program(void *ctx, struct pollfd *fds, unsigned int nfds,
					      int timeout_ms)
{
	struct program *p = ctx;
	enum tsh_wait_result r = tsh_wait(p->session->waiter, fds, nfds, timeout_ms);

	if (r == TSH_WAIT_STOP && !program_ended(p))
		return TSH_WAIT_TIMEOUT;
	return r;
}

static int let_go(void *ctx, struct tsh_err *err)
{
	struct program *p = ctx;

	if (tsh_file_write(p->in, "tracing_on", TSH_WRITE_SET, "1", err) < 0)
		return -1;
	if (write(p->go, "g", 1) < 0)
		return tsh_err_errno(err, errno, "cannot start the program");
	return 0;
}

static void signal_all(const struct tsh_tasks *tasks, int number)
{
	size_t i;

	for (i = 0; i < tasks->n; i++)
		kill(tasks->v[i], number);
}

/* After the stream: a program that is still there was aborted with it, and so are
 * its children. They get a second to end by themselves. */
static void end_program(struct program *p)
{
	struct tsh_tasks family = { 0 };
	int tries;

	if (p->go >= 0)
		close(p->go);
	if (p->pid > 0 && !program_ended(p)) {
		tsh_tasks_family(p->pid, &family);
		signal_all(&family, SIGTERM);
	}
	for (tries = 0; p->pid > 0 && !program_ended(p) && tries < 50; tries++)
		usleep(20000);
	signal_all(&family, SIGKILL);
	while (p->pid > 0 && !program_ended(p))
		usleep(1000);
	tsh_tasks_release(&family);
}

static int exec_failure(struct program *p, const struct tsh_value *program, struct tsh_err *err)
{
	int number = 0;

	if (p->failed < 0)
		return 0;
	if (read(p->failed, &number, sizeof(number)) != (ssize_t)sizeof(number))
		number = 0;
	close(p->failed);
	if (!number)
		return 0;
	tsh_err_errno(err, number, "cannot run '%s'", program->word.text);
	err->status = TSH_FAILED;
	tsh_err_blame(err, program->word.span);
	return -1;
}

/* Prints until the program has ended. */
static int follow_program(struct program *p, struct tsh_source *source, struct tsh_err *err)
{
	const struct tsh_follow f = { .in = p->in, .source = source, .done = program_ended,
				      .done_ctx = p, .waiter = &p->waiter, .started = let_go,
				      .started_ctx = p };

	return tsh_follow_run(p->session, &f, err);
}

static int run_program(struct program *p, const struct tsh_call *call, char **argv,
		       const struct tsh_account *account, struct tsh_source *source,
		       struct tsh_err *err)
{
	/* Before event-fork is set: a child of a task that is left out is left out. */
	int r = start_program(p, argv, account, err);

	if (!r && !tsh_args_has(&call->args, "all"))
		r = trace_program(p, err);
	if (!r)
		r = tsh_own_enable(p->session, p->in, call, err);
	if (!r)
		r = follow_program(p, source, err);
	end_program(p);
	if (!r)
		r = exec_failure(p, tsh_args_get(&call->args, "PROGRAM"), err);
	else if (p->failed >= 0)
		close(p->failed);
	p->session->run_status = r ? -1 : p->status;
	return r;
}

static int run_own(struct program *p, const struct tsh_call *call, char **argv,
		   const struct tsh_account *account, struct tsh_err *err)
{
	struct tsh_source *source;
	int r;

	if (tsh_own_open(p->session, &p->in, err) < 0)
		return -1;
	r = tsh_source_open(p->in, NULL, &source, err);
	if (!r) {
		r = run_program(p, call, argv, account, source, err);
		tsh_source_close(source);
	}
	tsh_own_close(p->session, p->in);
	return r;
}

/* --here: in the current instance, whose settings are put back afterwards. */
static int run_here(struct program *p, const struct tsh_call *call, char **argv,
		    const struct tsh_account *account, struct tsh_err *err)
{
	struct tsh_session *s = p->session;
	unsigned int mark = tsh_journal_mark(s->dir->journal) - 1;
	struct tsh_reader *reader;
	int claim = tsh_reader_claim(s, err), r;

	if (claim == -1)
		return -1;
	p->in = s->in;
	r = tsh_reader_get(s, NULL, &reader, err);
	if (!r) {
		r = run_program(p, call, argv, account, reader->source, err);
		tsh_source_rest(reader->source);
	}
	tsh_reader_release_claim(s, claim);
	tsh_cmd_take_back(s, mark);
	return r;
}

/* Events by default: what a program does, in short. */
static int default_events(struct tsh_session *s, struct tsh_call *call, struct tsh_err *err)
{
	static const char *const usual[] = { "sched:sched_process_exec",
					     "sched:sched_process_fork",
					     "sched:sched_process_exit",
					     "raw_syscalls:sys_enter" };
	struct tsh_events all = { 0 };
	size_t i;

	if (call->events.n)
		return 0;
	if (tsh_events_available(s->dir, &all, err) < 0)
		return -1;
	for (i = 0; i < sizeof(usual) / sizeof(usual[0]); i++)
		if (tsh_events_match(&all, usual[i], &call->events, err) < 0)
			tsh_err_release(err);
	tsh_events_release(&all);
	return 0;
}

static int run_run(struct tsh_session *s, const struct tsh_call *call, struct tsh_err *err)
{
	const struct tsh_value *user = tsh_args_get(&call->args, "USER"), *word = NULL;
	size_t n = tsh_args_count(&call->args, "PROGRAM"), i = 0;
	struct program p = { .session = s, .go = -1, .failed = -1, .pid = -1 };
	struct tsh_call with_events = *call;
	struct tsh_account account;
	char **argv;
	int r = -1;

	with_events.events = (struct tsh_events){ 0 };
	for (i = 0; i < call->events.n; i++)
		tsh_events_add(&with_events.events, call->events.v[i].system,
			       call->events.v[i].name);
	argv = tsh_xcalloc(n + 1, sizeof(*argv));
	for (i = 0; (word = tsh_args_next(&call->args, "PROGRAM", word)); i++)
		argv[i] = word->word.text;
	p.waiter = (struct tsh_waiter){ wait_with_program, &p };
	if (user && tsh_account_find(user->word.text, &account, err) < 0)
		tsh_err_blame(err, user->word.span);
	else if (!default_events(s, &with_events, err))
		r = (tsh_args_has(&call->args, "here") ? run_here : run_own)(
			&p, &with_events, argv, user ? &account : NULL, err);
	tsh_events_release(&with_events.events);
	free(argv);
	return r;
}

static const struct tsh_arg run_args[] = {
	{ .name = "USER", .option = "--user", .type = TSH_ARG_USER, .flags = TSH_ARG_OPTIONAL,
	  .help = "run the program as this user" },
	{ .name = "all", .option = "--all", .type = TSH_ARG_FLAG, .flags = TSH_ARG_OPTIONAL,
	  .help = "the events of all tasks while the program runs" },
	{ .name = "here", .option = "--here", .type = TSH_ARG_FLAG, .flags = TSH_ARG_OPTIONAL,
	  .help = "in the current instance instead of one of its own" },
	{ .name = "EVENT", .type = TSH_ARG_EVENT, .flags = TSH_ARG_OPTIONAL | TSH_ARG_MANY,
	  .help = "system:name, a system, a unique name, or a glob" },
	{ .name = "FILTER", .clause = "if", .type = TSH_ARG_EXPRESSION,
	  .flags = TSH_ARG_OPTIONAL, .help = "the kernel's filter" },
	{ .name = "EXPR", .clause = "where", .type = TSH_ARG_EXPRESSION,
	  .flags = TSH_ARG_OPTIONAL, .help = "(not there yet)" },
	{ .name = "FIELDS", .clause = "fields", .type = TSH_ARG_TEXT,
	  .flags = TSH_ARG_OPTIONAL, .help = "(not there yet)" },
	{ .name = "PROGRAM", .clause = "--", .type = TSH_ARG_ARGV,
	  .help = "the program and its arguments" },
	{ 0 }
};

static const struct tsh_example run_examples[] = {
	{ "run sched:sched_process_exec -- true", "what it executes" },
	{ "run -o /dev/null 'syscalls:sys_enter_open*' -- ls /", "the files that it opens" },
	{ 0 }
};

const struct tsh_cmd tsh_cmd_run = {
	.name = "run", .group = TSH_GROUP_SEE, .summary = "run a program and print its events",
	.description = "In an instance of its own. The program has the terminal, its threads and "
		       "children are traced too; its exit status is the command's. Its output "
		       "goes to stderr when the events go to stdout. Without EVENT: processes "
		       "and system calls.",
	.args = run_args, .examples = run_examples,
	.flags = TSH_CMD_WRITES | TSH_CMD_NEEDS_TRACEFS | TSH_CMD_PRINTS | TSH_CMD_LIVE,
	.run = run_run,
};
