/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "detach.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kernel/journal/journal.h"

/* Limits a message with its hint, in bytes. */
#define REPORT_MAX (64u << 10)

struct tsh_detached {
	int report;		/* pipe to the process that waits for us; -1: the report was sent */
};

/* Begins the report of the new process; the message and the hint follow, each with its NUL. */
struct report {
	int pid;
	int failed;
	int status;
	int number;
	struct tsh_span span;
};

static void send_report(struct tsh_detached *detached, const struct tsh_err *err)
{
	struct report report = { .pid = (int)getpid() };
	struct tsh_strbuf text = TSH_STRBUF_INIT;

	if (detached->report < 0)
		return;
	if (err) {
		report.failed = 1;
		report.status = err->status;
		report.number = err->number;
		report.span = err->span;
	}
	tsh_strbuf_add(&text, &report, sizeof(report));
	if (err && err->message)
		tsh_strbuf_adds(&text, err->message);
	tsh_strbuf_addc(&text, '\0');
	if (err && err->hint)
		tsh_strbuf_adds(&text, err->hint);
	tsh_strbuf_addc(&text, '\0');
	if (tsh_write_all(detached->report, text.buf, text.len) < 0)
		_exit(TSH_FAILED);
	tsh_strbuf_release(&text);
	close(detached->report);
	detached->report = -1;
}

void tsh_detach_ready(struct tsh_detached *detached)
{
	int null, fd;

	send_report(detached, NULL);
	null = open("/dev/null", O_RDWR | O_CLOEXEC);
	for (fd = STDIN_FILENO; null >= 0 && fd <= STDERR_FILENO; fd++)
		dup2(null, fd);
	if (null > STDERR_FILENO)
		close(null);
	/* Leaves the present folder, so that its file system can be unmounted. */
	if (chdir("/") < 0)
		return;
}

/* Runs `work` in the process that stays, and ends that process. */
static void run_work(struct tsh_session *s, int (*work)(void *, struct tsh_detached *,
							struct tsh_err *), void *ctx, int report)
{
	struct tsh_detached detached = { report };
	struct tsh_err err = { 0 };
	sigset_t hangup;
	int r;

	s->detached = true;
	/* Leaves the earlier changes of the session to our parent, which takes them back. */
	tsh_journal_disown(s->dir->journal);
	/* Unblocks SIGHUP: a blocked signal would reach the signalfd, though it is ignored. */
	signal(SIGHUP, SIG_IGN);
	sigemptyset(&hangup);
	sigaddset(&hangup, SIGHUP);
	sigprocmask(SIG_UNBLOCK, &hangup, NULL);
	r = work(ctx, &detached, &err);
	if (r < 0)
		send_report(&detached, &err);
	tsh_out_flush(s->out);
	_exit(r < 0 ? TSH_FAILED : TSH_OK);
}

static int parse_report(const struct tsh_strbuf *text, struct tsh_err *err)
{
	const char *message, *hint;
	struct report report;

	if (text->len < sizeof(report) + 2 || text->buf[text->len - 1] ||
	    !memchr(text->buf + sizeof(report), '\0', text->len - sizeof(report) - 1))
		return tsh_err_set(err, TSH_FAILED, "the process in the background has died");
	memcpy(&report, text->buf, sizeof(report));
	if (!report.failed)
		return report.pid;
	message = text->buf + sizeof(report);
	hint = message + strlen(message) + 1;
	tsh_err_set(err, (enum tsh_status)report.status, "%s", message);
	err->number = report.number;
	err->span = report.span;
	if (*hint)
		tsh_err_hint(err, "%s", hint);
	return -1;
}

int tsh_detach(struct tsh_session *s,
	       int (*work)(void *ctx, struct tsh_detached *detached, struct tsh_err *err),
	       void *ctx, struct tsh_err *err)
{
	struct tsh_strbuf text = TSH_STRBUF_INIT;
	int report[2], status, r;
	pid_t child;

	if (pipe2(report, O_CLOEXEC) < 0)
		return tsh_err_errno(err, errno, "cannot make a pipe");
	tsh_out_flush(s->out);
	child = fork();
	if (child == 0) {
		close(report[0]);
		setsid();
		/* Forks twice, so that nobody has to wait for the process that stays. */
		child = fork();
		if (child)
			_exit(0);
		run_work(s, work, ctx, report[1]);
	}
	close(report[1]);
	if (child < 0) {
		close(report[0]);
		return tsh_err_errno(err, errno, "cannot start a process");
	}
	while (waitpid(child, &status, 0) < 0 && errno == EINTR)
		;
	(void)tsh_strbuf_read(&text, report[0], REPORT_MAX);
	close(report[0]);
	r = parse_report(&text, err);
	tsh_strbuf_release(&text);
	return r;
}
