/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "engine-internal.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* `-o FILE` and `| PROGRAM`: another struct tsh_out for one command. */

/* Root does not follow a link that somebody left in /tmp; /dev/stdout and /dev/fd/N
 * are links by nature. */
static int open_output(const char *path)
{
	int flags = O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOCTTY;

	if (strncmp(path, "/dev/", 5))
		flags |= O_NOFOLLOW;
	return open(path, flags, 0666);
}

static int begin_file(const struct tsh_value *file, struct tsh_redirect *r, struct tsh_err *err)
{
	r->fd = open_output(file->word.text);
	if (r->fd >= 0)
		return 0;
	if (errno == ELOOP) {
		tsh_err_set(err, TSH_FAILED, "'%s' is a symbolic link", file->word.text);
		tsh_err_hint(err, "name the file that it leads to");
	} else {
		tsh_err_errno(err, errno, "cannot open '%s'", file->word.text);
		err->status = TSH_FAILED;
	}
	tsh_err_blame(err, file->word.span);
	return -1;
}

static int begin_pipe(struct tsh_engine *e, const char *command, struct tsh_redirect *r,
		      struct tsh_err *err)
{
	int fds[2];

	if (pipe2(fds, O_CLOEXEC) < 0)
		return tsh_err_errno(err, errno, "cannot make a pipe");
	tsh_out_flush(&e->out);
	r->pid = fork();
	if (r->pid < 0) {
		close(fds[0]);
		close(fds[1]);
		return tsh_err_errno(err, errno, "cannot start a process");
	}
	if (r->pid == 0) {
		tsh_loop_child(e->loop);
		dup2(fds[0], STDIN_FILENO);
		if (r->fd >= 0)
			dup2(r->fd, STDOUT_FILENO);
		else if (e->out.fd != STDOUT_FILENO)
			dup2(e->out.fd, STDOUT_FILENO);
		execl("/bin/sh", "sh", "-c", command, (char *)NULL);
		_exit(127);
	}
	close(fds[0]);
	if (r->fd >= 0)
		close(r->fd);
	r->fd = fds[1];
	return 0;
}

int tsh_redirect_begin(struct tsh_engine *e, const struct tsh_value *file, const char *pipe,
		       struct tsh_redirect *r, struct tsh_err *err)
{
	memset(r, 0, sizeof(*r));
	r->fd = r->pid = -1;
	r->old = e->session.out;
	if (!file && !pipe)
		return 0;
	if (file && begin_file(file, r, err) < 0)
		return -1;
	if (pipe && begin_pipe(e, pipe, r, err) < 0) {
		if (r->fd >= 0)
			close(r->fd);
		return -1;
	}
	tsh_out_init(&r->file, r->fd, e->out.format);
	r->file.name = file && !pipe ? file->word.text : NULL;
	r->file.note = e->out.note;
	r->file.note_ctx = e->out.note_ctx;
	r->file.quiet = e->out.quiet;
	r->active = true;
	e->session.out = &r->file;
	return 0;
}

static int wait_for(int pid)
{
	int status;

	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return 0;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

int tsh_redirect_end(struct tsh_engine *e, struct tsh_redirect *r, int *ret_status,
		     struct tsh_err *err)
{
	int result = 0;

	*ret_status = 0;
	if (!r->active)
		return 0;
	if (tsh_out_finish(&r->file, err) < 0)
		result = -1;
	/* A file system may report a full disk only now. */
	if (close(r->fd) < 0 && !result && errno != EINTR)
		result = tsh_err_errno(err, errno, "cannot write '%s'",
				       r->file.name ? r->file.name : "the pipe");
	if (r->pid >= 0)
		*ret_status = wait_for(r->pid);
	tsh_out_release(&r->file);
	e->session.out = r->old;
	return result;
}
