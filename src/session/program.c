/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "program.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/machine.h"
#include "base/process.h"
#include "never.h"
#include "own-instance.h"
#include "util.h"

/* Bounds the wait for a child that is about to sleep: a second. */
#define READY_US    500
#define READY_TRIES 2000

/* Where execvp(3) would find it; NULL: nowhere. The caller frees it. */
static char *find_program(const char *name)
{
	const char *path = getenv("PATH"), *end;
	char *full = NULL;
	struct stat st;

	if (strchr(name, '/'))
		return tsh_xstrdup(name);
	for (path = path ? path : "/bin:/usr/bin"; path; path = *end ? end + 1 : NULL) {
		end = strchrnul(path, ':');
		full = tsh_xasprintf("%.*s/%s", (int)(end - path), end > path ? path : ".", name);
		/* A folder of that name is none. */
		if (!access(full, X_OK) && !stat(full, &st) && S_ISREG(st.st_mode))
			return full;
		free(full);
	}
	return NULL;
}

/* A script without #! is the shell's, as under one. Comes back when that failed. */
static void execute_script(const struct tsh_program *p, char *path)
{
	char sh[] = "/bin/sh";
	char **argv;
	size_t n = 0;

	while (p->argv[n])
		n++;
	argv = tsh_xcalloc(n + 2, sizeof(*argv));
	argv[0] = sh;
	argv[1] = path;
	memcpy(argv + 2, p->argv + 1, (n - 1) * sizeof(*argv));
	execv(sh, argv);
	free(argv);
}

/* Put /dev/null in the place of a stdin that our commands come from. 0 or -errno. */
static int give_no_stdin(void)
{
	int null = open("/dev/null", O_RDONLY | O_CLOEXEC);
	int r = null < 0 || dup2(null, STDIN_FILENO) < 0 ? -errno : 0;

	if (null >= 0)
		close(null);
	return r;
}

/* Become the user of --user. A program of another one keeps no way to our terminal and our files. */
static int become_user(const struct tsh_program *p, int go, int failed)
{
	const int keep[] = { STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO, go, failed };
	int r;

	if (p->is_other_user) {
		r = tsh_pty_enter(&p->pty);
		if (!r && p->session->reads_stdin)
			r = give_no_stdin();
		if (r < 0)
			return r;
		tsh_close_all_but(keep, sizeof(keep) / sizeof(keep[0]));
	}
	return tsh_account_become(&p->account);
}

/*
 * In the child; never returns. All that is ours is done before it waits, so that
 * the trace begins with the program.
 */
static void become_program(const struct tsh_program *p, int go, int failed)
{
	struct tsh_session *s = p->session;
	const int none = 0;
	int number = 0;
	char *path;
	char byte;

	s->ops->child_signals(s);
	/* Where our lines go to stdout, the program's would stand between them. */
	if (s->stdout_is_data && p->prints)
		dup2(STDERR_FILENO, STDOUT_FILENO);
	if (p->has_account)
		number = -become_user(p, go, failed);
	path = find_program(p->argv[0]);
	/* It was started to be looked at: it does not go on alone. */
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	/* No error: it is ready. End of file: tracesh gave up. */
	if (write(failed, &none, sizeof(none)) < 0 || read(go, &byte, 1) != 1)
		_exit(127);
	if (!number && path)
		execv(path, p->argv);
	if (!number && path && errno == ENOEXEC)
		execute_script(p, path);
	if (!number)
		number = path ? errno : ENOENT;
	if (write(failed, &number, sizeof(number)) < 0)
		_exit(126);
	_exit(127);
}

static int start(struct tsh_program *p, struct tsh_err *err)
{
	int go[2], failed[2];

	if (p->is_other_user && tsh_pty_open(&p->pty, p->account.uid, err) < 0)
		return -1;
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
		become_program(p, go[0], failed[1]);
	}
	close(go[0]);
	close(failed[1]);
	p->go = go[1];
	p->failed = failed[0];
	if (p->pid < 0)
		return tsh_err_errno(err, errno, "cannot start a process");
	return tsh_pty_relay(&p->pty, err);
}

/* The program, its threads and children, and nobody else. */
static int trace(struct tsh_program *p, struct tsh_err *err)
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

bool tsh_program_ended(void *ctx)
{
	struct tsh_program *p = ctx;
	int status;

	if (p->ended)
		return true;
	switch (tsh_process_reap(p->pid, &status)) {
	case TSH_PROCESS_RUNS:
		return false;
	case TSH_PROCESS_KEPT:
		tsh_out_warn(p->session->out, "process %d has ended, but a debugger keeps its "
			     "status: it is not known", p->pid);
		break;
	default:
		break;
	}
	p->status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
	p->ended = true;
	return true;
}

/* Ctrl-C is the program's, as under a shell; it ends, and the stream with it. */
static enum tsh_wait_result wait_with_program(void *ctx, struct pollfd *fds, unsigned int nfds,
					      int timeout_ms)
{
	struct tsh_program *p = ctx;
	enum tsh_wait_result r = tsh_wait(p->session->waiter, fds, nfds, timeout_ms);

	if (r != TSH_WAIT_STOP || tsh_program_ended(p))
		return r;
	/* In a session of its own it does not hear our terminal's Ctrl-C. */
	if (p->is_other_user && !p->pty.reads_keys)
		kill(-p->pid, SIGINT);
	return TSH_WAIT_TIMEOUT;
}

static int cannot_run(const struct tsh_value *program, int number, struct tsh_err *err)
{
	tsh_err_errno(err, number, "cannot run '%s'", program->word.text);
	err->status = number == ENOENT || number == ENOTDIR ? TSH_NOT_FOUND : TSH_NO_PROGRAM;
	tsh_err_blame(err, program->word.span);
	return -1;
}

int tsh_program_look(const struct tsh_value *program, struct tsh_err *err)
{
	char *path = find_program(program->word.text);
	int r = 0;

	if (!path || access(path, F_OK) < 0)
		r = cannot_run(program, path ? errno : ENOENT, err);
	free(path);
	return r;
}

/* A pipe that ends without a number: the exec has closed it. */
static int exec_failure(struct tsh_program *p, struct tsh_err *err)
{
	const struct tsh_value *program = tsh_args_get(&p->call->args, "PROGRAM");
	int number = 0;

	if (p->failed < 0)
		return 0;
	if (read(p->failed, &number, sizeof(number)) != (ssize_t)sizeof(number))
		number = 0;
	close(p->failed);
	p->failed = -1;
	if (!number)
		return 0;
	return cannot_run(program, number, err);
}

/* Waits until the child sleeps in its read: what it does before is ours, and no event of the program. */
static void await_child(const struct tsh_program *p)
{
	char path[TSH_TASK_PATH], text[64];
	const char *state;
	int none, tries;
	ssize_t n;

	do {
		n = read(p->failed, &none, sizeof(none));
	} while (n < 0 && errno == EINTR);
	tsh_task_path(path, p->pid, "stat");
	for (tries = 0; n > 0 && tries < READY_TRIES; tries++) {
		/* "12 (comm) S ..": a name can have any bytes, and is at most 15 long */
		if (tsh_read_small(path, text, sizeof(text)) < 0 || !(state = strrchr(text, ')')) ||
		    !strncmp(state, ") S", 3))
			return;
		usleep(READY_US);
	}
}

int tsh_program_let_go(void *ctx, struct tsh_err *err)
{
	struct tsh_program *p = ctx;
	struct pollfd started = { .fd = p->failed, .events = POLLIN };

	await_child(p);
	if (tsh_file_write(p->in, "tracing_on", TSH_WRITE_SET, "1", err) < 0)
		return -1;
	if (write(p->go, "g", 1) < 0)
		return tsh_err_errno(err, errno, "cannot start the program");
	/* Of a start that fails all is tracesh's own, and not printed. */
	if (tsh_wait(p->session->waiter, &started, 1, -1) == TSH_WAIT_READY &&
	    exec_failure(p, err) < 0)
		return -1;
	if (tsh_never_calls(&p->with_events.events, p->pid))
		tsh_out_note(p->session->out, "%s " TSH_NEVER_CALLS, p->argv[0]);
	return 0;
}

/* A process of the program's family, by what no later process of that number has. */
struct relative {
	int pid;
	int fd;			/* of the process; -1: the kernel has none such */
	uint64_t start;
};

struct family {
	struct relative *v;
	size_t n, cap;
};

static void release_family(struct family *family)
{
	size_t i;

	for (i = 0; i < family->n; i++)
		if (family->v[i].fd >= 0)
			close(family->v[i].fd);
	tsh_vec_release(family);
}

/* Find the program and its descendants. Whatever is one still when its descriptor is open is what
 * was opened, and no other process of its number. */
static void find_family(int pid, struct family *ret)
{
	struct tsh_tasks before = { 0 }, after = { 0 };
	size_t i;

	tsh_tasks_family(pid, &before);
	for (i = 0; i < before.n; i++)
		*tsh_vec_push(ret) = (struct relative){ before.v[i], tsh_process_open(before.v[i]),
							tsh_process_start(before.v[i]) };
	tsh_tasks_family(pid, &after);
	for (i = 0; i < ret->n; i++) {
		if (tsh_tasks_has(&after, ret->v[i].pid))
			continue;
		if (ret->v[i].fd >= 0)
			close(ret->v[i].fd);
		ret->v[i] = ret->v[--ret->n];
		i--;
	}
	tsh_tasks_release(&before);
	tsh_tasks_release(&after);
}

/* False: it has ended. */
static bool signal_one(const struct relative *one, int number)
{
	if (one->fd >= 0)
		return tsh_process_signal(one->fd, number);
	return tsh_process_lives(one->pid, one->start) && kill(one->pid, number) == 0;
}

/* Returns how many of them live; signal 0 only counts them. */
static size_t signal_all(const struct family *family, int number)
{
	size_t i, n = 0;

	for (i = 0; i < family->n; i++)
		n += signal_one(&family->v[i], number);
	return n;
}

/* Looks whether the program has ended, and how many of them are a second. */
#define LOOK_AGAIN_US 20000
#define SECOND 50

/* A program that is still there is aborted with the command, and so are its children.
 * They get a second to end by themselves. */
static void end(struct tsh_program *p)
{
	struct family family = { 0 };
	int tries;

	if (p->go >= 0)
		close(p->go);
	if (p->pid > 0 && !tsh_program_ended(p)) {
		find_family(p->pid, &family);
		signal_all(&family, SIGTERM);
	}
	for (tries = 0; p->pid > 0 && tries < SECOND; tries++) {
		if (tsh_program_ended(p) && !signal_all(&family, 0))
			break;
		usleep(LOOK_AGAIN_US);
	}
	signal_all(&family, SIGKILL);
	/* A debugger, or a file system that does not answer, holds it also then. */
	for (tries = 0; p->pid > 0 && !tsh_program_ended(p) && tries < 2 * SECOND; tries++)
		usleep(LOOK_AGAIN_US);
	if (p->pid > 0 && !p->ended)
		tsh_out_warn(p->session->out, "process %d does not end, not even by SIGKILL: it "
			     "is left alone", p->pid);
	tsh_pty_close(&p->pty);
	release_family(&family);
}

/* Events by default: what a program does, in short. */
static int default_events(struct tsh_program *p, struct tsh_err *err)
{
	static const char *const usual[] = { "sched:sched_process_exec",
					     "sched:sched_process_fork",
					     "sched:sched_process_exit",
					     "raw_syscalls:sys_enter" };
	struct tsh_events *events = &p->with_events.events, all = { 0 };
	size_t i;

	for (i = 0; i < p->call->events.n; i++)
		tsh_events_add(events, p->call->events.v[i].system, p->call->events.v[i].name);
	if (events->n)
		return 0;
	if (tsh_events_available(p->session->dir, &all, err) < 0)
		return -1;
	for (i = 0; i < sizeof(usual) / sizeof(usual[0]); i++)
		if (tsh_events_match(&all, usual[i], events, err) < 0)
			tsh_err_release(err);
	tsh_events_release(&all);
	return 0;
}

int tsh_program_init(struct tsh_program *p, struct tsh_session *s, const struct tsh_call *call,
		     struct tsh_err *err)
{
	const struct tsh_value *user = tsh_args_get(&call->args, "USER"), *word = NULL;
	size_t n = tsh_args_count(&call->args, "PROGRAM"), i;

	*p = (struct tsh_program){ .session = s, .call = call, .with_events = *call,
				   .pid = -1, .go = -1, .failed = -1, .pty = TSH_PTY_NONE };
	p->with_events.events = (struct tsh_events){ 0 };
	p->waiter = (struct tsh_waiter){ wait_with_program, p };
	p->argv = tsh_xcalloc(n + 1, sizeof(*p->argv));
	for (i = 0; (word = tsh_args_next(&call->args, "PROGRAM", word)); i++)
		p->argv[i] = word->word.text;
	p->has_account = user != NULL;
	if (user && tsh_account_find(user->word.text, &p->account, err) < 0)
		tsh_err_blame(err, user->word.span);
	else if (!tsh_program_look(tsh_args_get(&call->args, "PROGRAM"), err) &&
		 !default_events(p, err)) {
		p->is_other_user = user && p->account.uid != geteuid();
		return 0;
	}
	tsh_program_release(p);
	return -1;
}

int tsh_program_begin(struct tsh_program *p, struct tsh_instance *in, struct tsh_err *err)
{
	int r;

	p->in = in;
	if (!in->own)
		tsh_own_note_here(p->session, &p->with_events);
	/* Before event-fork is set: a child of a task that is left out is left out. */
	r = start(p, err);
	if (!r && !tsh_args_has(&p->call->args, "all"))
		r = trace(p, err);
	return r ? r : p->enable(p->session, in, &p->with_events, err);
}

int tsh_program_end(struct tsh_program *p, int r, struct tsh_err *err)
{
	end(p);
	/* A Ctrl-C that nobody has heard yet was the program's, too. */
	(void)tsh_wait(p->session->waiter, NULL, 0, 0);
	if (!r)
		r = exec_failure(p, err);
	else if (p->failed >= 0)
		close(p->failed);
	p->session->run_status = r ? -1 : p->status;
	return r;
}

void tsh_program_release(struct tsh_program *p)
{
	tsh_events_release(&p->with_events.events);
	free(p->argv);
	p->argv = NULL;
}
