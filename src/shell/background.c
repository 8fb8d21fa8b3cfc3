/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "engine-internal.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "kernel/journal/journal.h"

/* Opens the instance again: a lock belongs to an open descriptor, which parent and child share
 * after a fork. */
static void reopen_instance(struct tsh_session *s)
{
	struct tsh_instance *in;
	struct tsh_err ignored = { 0 };

	if (!s->in)
		return;
	if (tsh_instance_open(s->dir, s->in->name, &in, &ignored) < 0) {
		tsh_err_release(&ignored);
		return;
	}
	in->own = s->in->own;
	tsh_instance_close(s->in);
	s->in = in;
}

static void become_batch(struct tsh_engine *e, bool piped)
{
	struct tsh_session *s = &e->session;

	/* the parent restores what was changed before */
	if (s->dir)
		tsh_journal_disown(s->dir->journal);
	reopen_instance(s);
	e->session.terminal = NULL;
	e->keep_going = false;
	s->interactive = false;
	s->is_private = false;
	s->settings.at_exit = TSH_AT_EXIT_RESTORE;
	/* writes to a pipe now, but keeps the colours: the parent prints to the terminal */
	if (piped)
		e->out.is_terminal = e->out.may_be_raw = false;
	memset(&e->loop->watch, 0, sizeof(e->loop->watch));
}

int tsh_background_fork(struct tsh_engine *e, const struct tsh_call *call, struct tsh_err *err)
{
	const struct tsh_span *whole = &call->args.whole;
	char *text = tsh_xstrndup(e->input->text + whole->begin, whole->end - whole->begin);
	bool piped = e->jobs.show != NULL;
	/* does not print what was read ahead, when the job has an instance of its own */
	bool own = call->events.n && !tsh_args_has(&call->args, "here");
	size_t len = strlen(text);
	int r;

	while (len && strchr(" \t", text[len - 1]))
		text[--len] = '\0';
	tsh_out_flush(&e->out);
	r = tsh_jobs_fork(&e->jobs, text, err);
	if (r >= 0 && (r > 0) == own)
		tsh_cmd_session_release(&e->session);
	e->out.unprinted = 0;
	if (r > 0)
		become_batch(e, piped);
	else if (!r)
		tsh_out_note(&e->out, "[%u] %s", e->jobs.list.v[e->jobs.list.n - 1].number, text);
	if (!r)
		e->session.status = TSH_OK;
	free(text);
	return r;
}

void tsh_background_exit(struct tsh_engine *e, int r, struct tsh_err *err)
{
	struct tsh_input input = *e->input;

	input.prompt = false;
	input.name = "job";
	if (r < 0 && tsh_err_is_set(err)) {
		tsh_report(e, &input, "error", err);
		e->first_failure = err->status;
	}
	e->failed = r < 0;
	r = tsh_engine_finish(e, true);
	tsh_engine_free(e);
	_exit(r);
}

size_t tsh_background_list(struct tsh_session *s, struct tsh_job_info *ret, size_t max)
{
	struct tsh_engine *e = s->engine;
	size_t i;

	tsh_jobs_read(&e->jobs);
	for (i = 0; i < e->jobs.list.n && i < max; i++)
		ret[i] = (struct tsh_job_info){
			.number = e->jobs.list.v[i].number, .pid = e->jobs.list.v[i].pid,
			.command = e->jobs.list.v[i].command,
		};
	return e->jobs.list.n;
}

int tsh_background_end(struct tsh_session *s, unsigned int number)
{
	struct tsh_engine *e = s->engine;

	return tsh_jobs_end(&e->jobs, number);
}

static size_t pollfds(void *ctx, struct pollfd *ret, size_t max, int *timeout_ms)
{
	struct tsh_engine *e = ctx;

	return tsh_jobs_pollfds(&e->jobs, ret, max, timeout_ms);
}

static void ready(void *ctx)
{
	struct tsh_engine *e = ctx;

	tsh_jobs_read(&e->jobs);
}

void tsh_background_watch(struct tsh_engine *e)
{
	e->loop->watch.pollfds = pollfds;
	e->loop->watch.ready = ready;
	e->loop->watch.ctx = e;
}
