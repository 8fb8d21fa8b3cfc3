/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "engine-internal.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/process.h"
#include "output/output-file.h"

/* Redirects the output of one command: `-o FILE` and `| PROGRAM`. */

/* Refuses to write to a file that the command reads. */
static int check_args(const struct tsh_args *args, int fd, struct tsh_err *err)
{
	struct stat st;
	size_t i;

	for (i = 0; i < args->n; i++) {
		const struct tsh_value *value = &args->v[i];
		const char *path = value->word.text;

		if (value->arg->type != TSH_ARG_FILE || !strcmp(value->arg->name, "OUTPUT"))
			continue;
		if ((strcmp(path, "-") ? stat(path, &st) : fstat(STDIN_FILENO, &st)) < 0 ||
		    tsh_output_check(fd, &st, path, err) == 0)
			continue;
		tsh_err_blame(err, value->word.span);
		return -1;
	}
	return 0;
}

static int is_read(const char *name, const char *what, struct tsh_err *err)
{
	tsh_err_set(err, TSH_FAILED, "'%s' is %s", name, what);
	tsh_err_hint(err, "write to a file of another name");
	return -1;
}

int tsh_redirect_check(const struct tsh_session *s, int fd, const char *name, struct tsh_err *err)
{
	struct stat st;

	if (fstat(STDIN_FILENO, &st) == 0 && tsh_output_is(fd, &st))
		return is_read(name, "also the input", err);
	if (s->dir && fstat(fd, &st) == 0 && tsh_dir_has_file(s->dir, &st))
		return is_read(name, "a file of the recording that is read", err);
	return 0;
}

/* Refuses to write to a batch file that is being run. */
static int check_batches(const struct tsh_engine *e, int fd, const char *name,
			 struct tsh_err *err)
{
	const struct tsh_input *in;
	struct stat st;

	if (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode))
		return 0;
	for (in = e->input; in; in = in->outer)
		if (in->device == st.st_dev && in->inode == st.st_ino)
			return is_read(name, "the batch file that runs", err);
	return 0;
}

static int begin_file(struct tsh_engine *e, const struct tsh_value *file,
		      struct tsh_redirect *r, struct tsh_err *err)
{
	const char *name = file->word.text;

	r->fd = tsh_output_open(name, &e->loop->strict, &r->is_new, err);
	if (r->fd >= 0 && (r->is_new || (check_batches(e, r->fd, name, err) == 0 &&
				      tsh_redirect_check(&e->session, r->fd, name, err) == 0)))
		return 0;
	tsh_err_blame(err, file->word.span);
	return -1;
}

/* Drops all output: a check writes nothing, and starts no program. */
static int begin_nowhere(const struct tsh_engine *e, struct tsh_redirect *r, struct tsh_err *err)
{
	bool is_new;

	r->fd = tsh_output_open("/dev/null", &e->loop->strict, &is_new, err);
	return r->fd < 0 ? -1 : 0;
}

/* Empties the file before the program behind '|' writes to it. */
static int empty_file(const struct tsh_redirect *r, const char *name, struct tsh_err *err)
{
	if (ftruncate(r->fd, 0) == 0 || errno == EINVAL)
		return 0;
	return tsh_err_path(err, errno, "write", name);
}

/* Waits for exec(2), which closes the child's copies of our descriptors, `fd` among them. */
static void wait_for_exec(int fd)
{
	char byte;

	while (read(fd, &byte, 1) < 0 && errno == EINTR)
		;
	close(fd);
}

static int begin_pipe(struct tsh_engine *e, const char *command, struct tsh_redirect *r,
		      struct tsh_err *err)
{
	int fds[2], started[2];

	if (pipe2(fds, O_CLOEXEC) < 0)
		return tsh_err_errno(err, errno, "cannot make a pipe");
	if (pipe2(started, O_CLOEXEC) < 0) {
		tsh_err_errno(err, errno, "cannot make a pipe");
		close(fds[0]);
		close(fds[1]);
		return -1;
	}
	if (r->fd < 0)
		tsh_out_begin(&e->out);
	tsh_out_flush(&e->out);
	r->pid = fork();
	if (r->pid < 0) {
		tsh_err_errno(err, errno, "cannot start a process");
		close(fds[0]);
		close(fds[1]);
		close(started[0]);
		close(started[1]);
		return -1;
	}
	if (r->pid == 0) {
		tsh_loop_restore_signals(e->loop);
		dup2(fds[0], STDIN_FILENO);
		if (r->fd >= 0)
			dup2(r->fd, STDOUT_FILENO);
		else if (e->out.fd != STDOUT_FILENO)
			dup2(e->out.fd, STDOUT_FILENO);
		tsh_engine_exec_sh(e, command);
	}
	close(fds[0]);
	close(started[1]);
	/* a child that still has our buffers open would look like another reader */
	wait_for_exec(started[0]);
	if (r->fd >= 0)
		close(r->fd);
	r->fd = fds[1];
	return 0;
}

/* Says whether no terminal shows what is written to a file. A device may be one, and /dev/stdout
 * may be a pipe to one. -1: no file; a program behind '|' writes where the output goes. */
static bool may_be_raw(const struct tsh_engine *e, int file)
{
	struct stat st = { 0 };

	if (file >= 0 && fstat(file, &st) == 0 && S_ISREG(st.st_mode))
		return true;
	return e->out.may_be_raw && !S_ISCHR(st.st_mode);
}

int tsh_redirect_begin(struct tsh_engine *e, const struct tsh_args *args, const char *pipe,
		       struct tsh_redirect *r, struct tsh_err *err)
{
	const struct tsh_value *file = tsh_args_get(args, "OUTPUT");
	bool raw;
	int result;

	memset(r, 0, sizeof(*r));
	r->fd = r->pid = -1;
	r->old = e->session.out;
	/* Takes - for standard output, as other programs do; ./- is a file. */
	if (file && tsh_is_standard_output(file->word.text))
		file = NULL;
	if (e->session.check && (file || pipe)) {
		result = begin_nowhere(e, r, err);
		file = NULL;
		pipe = NULL;
	} else {
		result = file ? begin_file(e, file, r, err) : 0;
	}
	if (!result)
		result = check_args(args, r->fd >= 0 ? r->fd : r->old->fd, err);
	raw = may_be_raw(e, r->fd);
	if (!result && file && pipe)
		result = empty_file(r, file->word.text, err);
	if (!result && pipe)
		result = begin_pipe(e, pipe, r, err);
	if (result < 0) {
		if (r->is_new)
			tsh_output_remove_empty(file->word.text, r->fd);
		if (r->fd >= 0)
			close(r->fd);
		return -1;
	}
	if (r->fd < 0)
		return 0;
	tsh_out_init(&r->file, r->fd, e->out.format);
	r->file.may_be_raw = raw;
	r->file.name = file && !pipe ? file->word.text : NULL;
	r->file.has_old_content = r->file.name != NULL;
	r->file.is_new = r->is_new && r->file.name;
	r->file.note = e->out.note;
	r->file.note_ctx = e->out.note_ctx;
	r->file.quiet = e->out.quiet;
	r->file.waiter = e->out.waiter;
	r->active = true;
	e->session.out = &r->file;
	return 0;
}

void tsh_redirect_to_pager(struct tsh_engine *e, struct tsh_redirect *r)
{
	const char *command = tsh_pager_command();

	/* no pager when something else takes the output, as watch does */
	if (!command || r->active || e->session.out != &e->out || !e->out.is_terminal ||
	    e->out.write)
		return;
	tsh_out_init(&r->file, e->out.fd, e->out.format);
	r->file.quiet = e->out.quiet;
	tsh_pager_begin(&r->pager, command, e->loop, &e->out, &r->file);
	r->active = r->is_paged = true;
	e->session.out = &r->file;
}

static int end_pager(struct tsh_engine *e, struct tsh_redirect *r, struct tsh_err *err)
{
	int result = tsh_out_finish(&r->file, err);

	if (!tsh_pager_end(&r->pager))
		e->session.aborted = true;
	e->out.unprinted += r->file.unprinted;
	tsh_out_release(&r->file);
	e->session.out = r->old;
	if (!result)
		result = tsh_out_finish(&e->out, err);
	return result;
}

/* Sets the time between two checks of a program whose end the kernel does not report. */
#define LOOK_AGAIN_MS 1000

/*
 * Waits for a program. Ctrl-C is for the program first, as in a shell, and for us after the program
 * has ended. Another signal ends the program and us. At the prompt a second Ctrl-C is for the
 * program, too, which may be a pager.
 */
static int wait_for(struct tsh_engine *e, int pid)
{
	struct tsh_loop *loop = e->loop;
	struct pollfd pfd = { .fd = tsh_process_open(pid), .events = POLLIN };
	bool interrupted = false;
	enum tsh_process_end end;
	int status = 0;

	while ((end = tsh_process_reap(pid, &status)) == TSH_PROCESS_RUNS) {
		enum tsh_wait_result result = tsh_wait(&loop->waiter, &pfd, 1,
						       pfd.fd < 0 ? 20 : LOOK_AGAIN_MS);

		if (result == TSH_WAIT_ABORT && !(e->input->prompt && loop->signal == SIGINT)) {
			end = tsh_process_terminate(pid, &status);
			break;
		}
		if (result == TSH_WAIT_STOP || result == TSH_WAIT_ABORT) {
			if (loop->signal)
				tsh_loop_forget_interrupt(loop);
			interrupted = true;
			kill(pid, SIGINT);
		}
	}
	if (pfd.fd >= 0)
		close(pfd.fd);
	if (end != TSH_PROCESS_ENDED)
		tsh_out_warn(&e->out, "the status of process %d behind '|' is not known: %s", pid,
			     end == TSH_PROCESS_KEPT ? "a debugger holds it back" : "it does not end");
	if (interrupted && !loop->signal)
		loop->signal = SIGINT;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

int tsh_redirect_end(struct tsh_engine *e, struct tsh_redirect *r, bool worked, int *ret_status,
		     struct tsh_err *err)
{
	int result = 0;

	*ret_status = 0;
	if (!r->active)
		return 0;
	if (r->is_paged)
		return end_pager(e, r, err);
	if (worked)
		tsh_out_begin(&r->file);
	if (tsh_out_finish(&r->file, err) < 0)
		result = -1;
	if (r->file.is_new && r->file.error)
		tsh_output_remove_empty(r->file.name, r->fd);
	/* a file system may report a full disk only now */
	if (close(r->fd) < 0 && !result && errno != EINTR)
		result = r->file.name ? tsh_err_path(err, errno, "write", r->file.name) :
					tsh_err_errno(err, errno, "cannot write 'the pipe'");
	if (r->pid >= 0)
		*ret_status = wait_for(e, r->pid);
	e->out.unprinted += r->file.unprinted;
	tsh_out_release(&r->file);
	e->session.out = r->old;
	return result;
}

void tsh_note_unprinted(struct tsh_engine *e, uint64_t ahead)
{
	uint64_t n = ahead + e->out.unprinted;

	e->out.unprinted = 0;
	if (n)
		tsh_out_note(&e->out, "%llu event%s read from the buffer and not printed",
			     (unsigned long long)n, n == 1 ? "" : "s");
}
