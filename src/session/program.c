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
#include "filter-fault.h"
#include "own-instance.h"
#include "util.h"

/* Bound the wait for a child that is about to sleep: a second in all. */
#define READY_US    500
#define READY_TRIES 2000

/* Returns the path at which execvp(3) would find the program, which the caller frees; NULL when
 * there is none. */
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
		/* Skips a folder of that name. */
		if (!access(full, X_OK) && !stat(full, &st) && S_ISREG(st.st_mode))
			return full;
		free(full);
	}
	return NULL;
}

/* Runs a script without #! by /bin/sh, as a shell does. Returns only when that fails. */
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

/* Replaces stdin, from which our commands come, by /dev/null. Returns 0 or -errno. */
static int replace_stdin(void)
{
	int null = open("/dev/null", O_RDONLY | O_CLOEXEC);
	int r = null < 0 || dup2(null, STDIN_FILENO) < 0 ? -errno : 0;

	if (null >= 0)
		close(null);
	return r;
}

/* Becomes the user of --user. If that is not our user, the process also loses our terminal and our
 * open files. Returns 0 or -errno. */
static int become_user(const struct tsh_program *p, int go, int failed)
{
	const int keep[] = { STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO, go, failed };
	int r;

	if (p->is_other_user) {
		r = tsh_pty_enter(&p->pty);
		if (!r && p->session->reads_stdin)
			r = replace_stdin();
		if (r < 0)
			return r;
		tsh_close_all_except(keep, sizeof(keep) / sizeof(keep[0]));
	}
	return tsh_account_become(&p->account);
}

/* Runs in the child, and never returns. Does all work of tracesh before it waits, so that the trace
 * begins with the program. */
static void become_program(const struct tsh_program *p, int go, int failed)
{
	struct tsh_session *s = p->session;
	const int none = 0;
	int number = 0;
	char *path;
	char byte;

	s->ops->child_signals(s);
	/* Sends the program's stdout to stderr: otherwise its output would stand between our
	 * lines. */
	if (s->stdout_is_data && p->prints)
		dup2(STDERR_FILENO, STDOUT_FILENO);
	if (p->has_account)
		number = -become_user(p, go, failed);
	path = find_program(p->argv[0]);
	/* Ends the program when tracesh dies, because it was only started to be traced. */
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	/* Reports that the child is ready (no error). An end of file on `go` means that tracesh
	 * gave up. */
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

/* Traces the program, its threads and its children, and no other tasks. */
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

bool tsh_program_has_ended(void *ctx)
{
	struct tsh_program *p = ctx;
	int status;

	if (p->ended)
		return true;
	switch (tsh_process_reap(p->pid, &status)) {
	case TSH_PROCESS_RUNS:
		return false;
	case TSH_PROCESS_KEPT:
		tsh_out_warn(p->session->out, "process %d has ended, but its status is not "
			     "known: a debugger holds it back", p->pid);
		break;
	default:
		break;
	}
	p->status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
	p->ended = true;
	return true;
}

/* Waits like the session's waiter, but leaves Ctrl-C to the program, as a shell does. The stream
 * ends when the program ends. */
static enum tsh_wait_result wait_with_program(void *ctx, struct pollfd *fds, unsigned int nfds,
					      int timeout_ms)
{
	struct tsh_program *p = ctx;
	enum tsh_wait_result r = tsh_wait(p->session->waiter, fds, nfds, timeout_ms);

	if (r != TSH_WAIT_STOP || tsh_program_has_ended(p))
		return r;
	/* Sends SIGINT to a program in a session of its own, which our terminal's Ctrl-C does not
	 * reach. */
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

int tsh_program_check(const struct tsh_value *program, struct tsh_err *err)
{
	char *path = find_program(program->word.text);
	int r = 0;

	if (!path || access(path, F_OK) < 0)
		r = cannot_run(program, path ? errno : ENOENT, err);
	free(path);
	return r;
}

/* Reads the errno of an exec that failed, and returns -1 with err. Returns 0 when there is none:
 * the exec has closed the pipe. */
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

/* Waits until the child sleeps in its read, so that events of what it does before are not
 * recorded. */
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
		/* finds the 'S' in "12 (comm) S ..": the name can have any bytes, at most 15 */
		if (tsh_read_small(path, text, sizeof(text)) < 0 || !(state = strrchr(text, ')')) ||
		    !strncmp(state, ") S", 3))
			return;
		usleep(READY_US);
	}
}

int tsh_program_exec(void *ctx, struct tsh_err *err)
{
	struct tsh_program *p = ctx;
	struct pollfd started = { .fd = p->failed, .events = POLLIN };

	await_child(p);
	if (tsh_file_write(p->in, "tracing_on", TSH_WRITE_SET, "1", err) < 0)
		return -1;
	if (write(p->go, "g", 1) < 0)
		return tsh_err_errno(err, errno, "cannot start the program");
	/* Waits for the exec. When the exec fails, all events are tracesh's own, and are not
	 * printed. */
	if (tsh_wait(p->session->waiter, &started, 1, -1) == TSH_WAIT_READY &&
	    exec_failure(p, err) < 0)
		return -1;
	if (tsh_task_lacks_calls(&p->with_events.events, p->pid))
		tsh_out_note(p->session->out, "%s " TSH_LACKS_CALLS, p->argv[0]);
	return 0;
}

/* Identifies a process of the program's family, even after the kernel has reused the number. */
struct relative {
	int pid;
	int fd;			/* pidfd; -1: the kernel has no pidfds */
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

/*
 * Finds the program and its descendants, and opens them. Drops each process that is not a
 * descendant any more after that: the descriptor may be that of a later process with the same
 * number.
 */
static void find_family(int pid, struct family *ret)
{
	struct tsh_tasks before = { 0 }, after = { 0 };
	size_t i;

	tsh_tasks_add_family(pid, &before);
	for (i = 0; i < before.n; i++)
		*tsh_vec_push(ret) = (struct relative){ before.v[i], tsh_process_open(before.v[i]),
							tsh_process_start(before.v[i]) };
	tsh_tasks_add_family(pid, &after);
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

/* Sends a signal. Returns false when the process has ended. */
static bool signal_one(const struct relative *one, int number)
{
	if (one->fd >= 0)
		return tsh_process_signal(one->fd, number);
	return tsh_process_is_alive(one->pid, one->start) && kill(one->pid, number) == 0;
}

/* Sends a signal to the whole family. Returns how many live; signal 0 only counts them. */
static size_t signal_all(const struct family *family, int number)
{
	size_t i, n = 0;

	for (i = 0; i < family->n; i++)
		n += signal_one(&family->v[i], number);
	return n;
}

/* Set the time between two checks of whether the program has ended, and the number of checks in a
 * second. */
#define LOOK_AGAIN_US 20000
#define SECOND 50

/* Ends a program that still runs when its command ends, and the program's children. All have a
 * second to end after SIGTERM. */
static void end(struct tsh_program *p)
{
	struct family family = { 0 };
	int tries;

	if (p->go >= 0)
		close(p->go);
	if (p->pid > 0 && !tsh_program_has_ended(p)) {
		find_family(p->pid, &family);
		signal_all(&family, SIGTERM);
	}
	for (tries = 0; p->pid > 0 && tries < SECOND; tries++) {
		if (tsh_program_has_ended(p) && !signal_all(&family, 0))
			break;
		usleep(LOOK_AGAIN_US);
	}
	signal_all(&family, SIGKILL);
	/* Waits after SIGKILL, too: a debugger, or a file system that does not answer, can hold the
	 * process. */
	for (tries = 0; p->pid > 0 && !tsh_program_has_ended(p) && tries < 2 * SECOND; tries++)
		usleep(LOOK_AGAIN_US);
	if (p->pid > 0 && !p->ended)
		tsh_out_warn(p->session->out, "process %d does not end, not even by SIGKILL: it "
			     "is left alone", p->pid);
	tsh_pty_close(&p->pty);
	release_family(&family);
}

/* Adds default events, an outline of what the program does, when the call has none. */
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
	else if (!tsh_program_check(tsh_args_get(&call->args, "PROGRAM"), err) &&
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
	/* Starts the process before event-fork is set: with event-fork a child of tracesh is left
	 * out, because tracesh is. */
	r = start(p, err);
	if (!r && !tsh_args_has(&p->call->args, "all"))
		r = trace(p, err);
	return r ? r : p->enable(p->session, in, &p->with_events, err);
}

int tsh_program_end(struct tsh_program *p, int r, struct tsh_err *err)
{
	end(p);
	/* Drops a Ctrl-C that was not handled yet, because it was meant for the program. */
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
