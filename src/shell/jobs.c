/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "jobs.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/now.h"
#include "base/number.h"
#include "base/xmalloc.h"

/* Limits how often output is shown, because the typed line is drawn again below it: 30 times a
 * second. */
#define SHOW_MS 33
/* Limits the lines that are shown at a time, because nobody can read more. */
#define SHOW_LINES 100
#define READ_BYTES (256u << 10)
#define PIPE_BYTES (1 << 20)
/* Limit the time for a job's last output after Ctrl-C, and the time for restoring its changes, in
 * ms. */
#define STOP_MS 3000
#define ABORT_MS 10000

static uint64_t now_ms(void)
{
	return (uint64_t)tsh_now_ns(CLOCK_MONOTONIC) / 1000000;
}

/* ---- starting ---- */

static unsigned int free_number(const struct tsh_jobs *jobs)
{
	unsigned int number = 1;
	size_t i;

	for (i = 0; i < jobs->list.n; i++)
		if (jobs->list.v[i].number >= number)
			number = jobs->list.v[i].number + 1;
	return number;
}

/* Prepares the new process, which gets neither keys nor signals of the terminal. */
static void prepare_child(pid_t parent, int output)
{
	int null = open("/dev/null", O_RDONLY | O_CLOEXEC);

	setpgid(0, 0);
	prctl(PR_SET_PDEATHSIG, SIGHUP);
	if (getppid() != parent)
		_exit(1);
	if (null >= 0) {
		dup2(null, STDIN_FILENO);
		close(null);
	}
	if (output >= 0) {
		dup2(output, STDOUT_FILENO);
		dup2(output, STDERR_FILENO);
		close(output);
	}
}

static void add_job(struct tsh_jobs *jobs, pid_t pid, int fd, const char *command)
{
	unsigned int number = free_number(jobs);
	struct tsh_job *job = tsh_vec_push(&jobs->list);

	*job = (struct tsh_job){
		.number = number, .pid = pid, .fd = fd, .command = tsh_xstrdup(command),
	};
	tsh_strbuf_init(&job->text);
	if (fd < 0)
		return;
	fcntl(fd, F_SETFL, O_NONBLOCK);
	/* Asks for more than the usual 64 KB; when that is refused, the job has to wait earlier. */
	if (fcntl(fd, F_SETPIPE_SZ, PIPE_BYTES) < 0)
		errno = 0;
}

int tsh_jobs_fork(struct tsh_jobs *jobs, const char *command, struct tsh_err *err)
{
	int ends[2] = { -1, -1 };
	pid_t parent = getpid(), pid;

	if (jobs->show && pipe2(ends, O_CLOEXEC) < 0)
		return tsh_err_errno(err, errno, "cannot make a pipe");
	pid = fork();
	if (!pid) {
		prepare_child(parent, ends[1]);
		if (ends[0] >= 0)
			close(ends[0]);
		tsh_jobs_forget(jobs);
		return 1;
	}
	if (ends[1] >= 0)
		close(ends[1]);
	if (pid < 0) {
		tsh_err_errno(err, errno, "cannot start a process");
		if (ends[0] >= 0)
			close(ends[0]);
		return -1;
	}
	/* sets the group here, too, so that a Ctrl-C in the next moment does not reach the job */
	setpgid(pid, pid);
	add_job(jobs, pid, ends[0], command);
	return 0;
}

static void release_job(struct tsh_job *job)
{
	if (job->fd >= 0)
		close(job->fd);
	tsh_strbuf_release(&job->text);
	free(job->command);
}

void tsh_jobs_forget(struct tsh_jobs *jobs)
{
	size_t i;

	for (i = 0; i < jobs->list.n; i++)
		release_job(&jobs->list.v[i]);
	tsh_vec_release(&jobs->list);
	memset(jobs, 0, sizeof(*jobs));
}

/* ---- output ---- */

size_t tsh_jobs_pollfds(struct tsh_jobs *jobs, struct pollfd *ret, size_t max, int *timeout_ms)
{
	uint64_t passed = now_ms() - jobs->shown_ms;
	size_t i, n = 0;

	if (!jobs->list.n)
		return 0;
	if (passed < SHOW_MS) {
		if (*timeout_ms < 0 || *timeout_ms > (int)(SHOW_MS - passed))
			*timeout_ms = (int)(SHOW_MS - passed);
		return 0;
	}
	for (i = 0; i < jobs->list.n && n < max; i++)
		if (jobs->list.v[i].fd >= 0)
			ret[n++] = (struct pollfd){ .fd = jobs->list.v[i].fd, .events = POLLIN };
	return n;
}

/* Reads output up to a limit. Returns false at the end of the output. */
static bool read_output(struct tsh_job *job)
{
	size_t most = job->text.len + READ_BYTES;
	ssize_t n;

	do {
		tsh_strbuf_grow(&job->text, 65536);
		n = read(job->fd, job->text.buf + job->text.len, 65536);
		if (n > 0)
			job->text.len += (size_t)n;
	} while ((n > 0 && job->text.len < most) || (n < 0 && errno == EINTR));
	job->text.buf[job->text.len] = '\0';
	return n > 0 || (n < 0 && errno == EAGAIN);
}

/* Returns where the last SHOW_LINES lines of a text begin; *ret_before: how many come before. */
static size_t begin_of_last(const char *text, size_t len, uint64_t *ret_before)
{
	uint64_t lines = 0, seen = 0;
	size_t i;

	for (i = 0; i < len; i++)
		lines += text[i] == '\n';
	*ret_before = lines > SHOW_LINES ? lines - SHOW_LINES : 0;
	for (i = 0; i < len && seen < *ret_before; i++)
		seen += text[i] == '\n';
	return i;
}

/* Shows complete lines; when there are too many, only the last ones. */
static void show_lines(struct tsh_jobs *jobs, struct tsh_job *job)
{
	const char *end = memrchr(job->text.buf, '\n', job->text.len);
	size_t len = end ? (size_t)(end - job->text.buf) + 1 : 0, from;
	struct tsh_strbuf text = TSH_STRBUF_INIT;
	uint64_t before;

	if (!len)
		return;
	from = begin_of_last(job->text.buf, len, &before);
	if (before) {
		tsh_strbuf_adds(&text, ".. ");
		tsh_format_count(before, &text);
		tsh_strbuf_addf(&text, " lines of job %u not shown (-o FILE has all)\n",
				job->number);
	}
	tsh_strbuf_add(&text, job->text.buf + from, len - from);
	if (jobs->show)
		jobs->show(jobs->show_ctx, text.buf, text.len);
	tsh_strbuf_release(&text);
	memmove(job->text.buf, job->text.buf + len, job->text.len - len + 1);
	job->text.len -= len;
	jobs->shown_ms = now_ms();
}

static void note_end(struct tsh_jobs *jobs, const struct tsh_job *job, int status)
{
	struct tsh_strbuf text = TSH_STRBUF_INIT;

	if (jobs->quiet && WIFEXITED(status) && !WEXITSTATUS(status))
		return;
	tsh_strbuf_addf(&text, "[%u] ", job->number);
	if (WIFSIGNALED(status))
		tsh_strbuf_addf(&text, "killed by signal %d: ", WTERMSIG(status));
	else if (WEXITSTATUS(status))
		tsh_strbuf_addf(&text, "status %d: ", WEXITSTATUS(status));
	else
		tsh_strbuf_adds(&text, job->ended ? "ended: " : "done: ");
	tsh_strbuf_addf(&text, "%s\n", job->command);
	if (jobs->show)
		jobs->show(jobs->show_ctx, text.buf, text.len);
	tsh_strbuf_release(&text);
}

/* Shows the output so far. Returns false when the job has ended; the caller removes it from the
 * list. */
static bool read_job(struct tsh_jobs *jobs, struct tsh_job *job, int wait_flags)
{
	bool more = job->fd >= 0 && read_output(job);
	int status;
	pid_t r;

	if (job->fd >= 0)
		show_lines(jobs, job);
	if (more)
		wait_flags |= WNOHANG;
	do {
		r = waitpid(job->pid, &status, wait_flags);
	} while (r < 0 && errno == EINTR);
	if (!r)
		return true;
	/* reads what the job wrote just before its end */
	if (more && read_output(job) && job->text.len)
		show_lines(jobs, job);
	if (job->fd >= 0 && job->text.len) {
		tsh_strbuf_addc(&job->text, '\n');
		show_lines(jobs, job);
	}
	note_end(jobs, job, r > 0 ? status : 0);
	return false;
}

static void remove_job(struct tsh_jobs *jobs, size_t i)
{
	release_job(&jobs->list.v[i]);
	memmove(&jobs->list.v[i], &jobs->list.v[i + 1],
		(jobs->list.n - i - 1) * sizeof(jobs->list.v[0]));
	jobs->list.n--;
}

void tsh_jobs_read(struct tsh_jobs *jobs)
{
	size_t i = 0;

	while (i < jobs->list.n) {
		struct tsh_job *job = &jobs->list.v[i];

		/* waits for a job that has just closed its output, because it is about to end */
		if (read_job(jobs, job, job->fd < 0 ? WNOHANG : 0))
			i++;
		else
			remove_job(jobs, i);
	}
}

/* ---- ending ---- */

static size_t find_job(const struct tsh_jobs *jobs, unsigned int number)
{
	size_t i;

	for (i = 0; i < jobs->list.n; i++)
		if (jobs->list.v[i].number == number)
			break;
	return i;
}

/* Shows output until a job has ended. Returns false when it did not end in time. */
static bool wait_for(struct tsh_jobs *jobs, unsigned int number, uint64_t ms)
{
	uint64_t start = now_ms();
	size_t i;

	while ((i = find_job(jobs, number)) < jobs->list.n) {
		struct pollfd fd = { .fd = jobs->list.v[i].fd, .events = POLLIN };

		if (!read_job(jobs, &jobs->list.v[i], WNOHANG)) {
			remove_job(jobs, i);
			return true;
		}
		if (now_ms() - start >= ms)
			return false;
		poll(&fd, fd.fd >= 0, 20);
	}
	return true;
}

int tsh_jobs_end(struct tsh_jobs *jobs, unsigned int number)
{
	static const struct {
		int signal;
		uint64_t ms;
	} steps[] = { { SIGINT, STOP_MS }, { SIGTERM, ABORT_MS }, { SIGKILL, ABORT_MS } };
	size_t i, at;

	if (find_job(jobs, number) == jobs->list.n)
		return -1;
	for (i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
		at = find_job(jobs, number);
		jobs->list.v[at].ended = true;
		/* sends SIGINT to the whole group, for the program of `run` */
		kill(steps[i].signal == SIGINT ? -jobs->list.v[at].pid : jobs->list.v[at].pid,
		     steps[i].signal);
		if (wait_for(jobs, number, steps[i].ms))
			break;
	}
	return 0;
}

void tsh_jobs_end_all(struct tsh_jobs *jobs, bool at_once)
{
	size_t i;

	/* sends the signal to all first, then waits for each */
	for (i = 0; i < jobs->list.n; i++)
		kill(at_once ? jobs->list.v[i].pid : -jobs->list.v[i].pid,
		     at_once ? SIGTERM : SIGINT);
	while (jobs->list.n)
		if (wait_for(jobs, jobs->list.v[0].number, at_once ? ABORT_MS : STOP_MS))
			continue;
		else
			tsh_jobs_end(jobs, jobs->list.v[0].number);
}
