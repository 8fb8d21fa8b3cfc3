/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "engine.h"

#include <signal.h>
#include <stdlib.h>

#include "engine-internal.h"
#include "kernel/dryrun/dryrun.h"
#include "kernel/journal/journal.h"
#include "output/output-file.h"

/* Ends an engine: restores or keeps the changes, and frees the memory. */

/* Makes the status of an error that of the session, and frees the error's texts. */
static void end_with_error(struct tsh_engine *e, struct tsh_err *err)
{
	e->first_failure = e->failed ? e->first_failure : (int)err->status;
	e->failed = true;
	tsh_err_release(err);
}

void tsh_engine_fail(struct tsh_engine *e, struct tsh_err *err)
{
	tsh_engine_report(e, err);
	end_with_error(e, err);
}

/* Restores everything, after an error, a signal, or for --restore. Prints a report if there was
 * something to restore. */
static void restore_all(struct tsh_engine *e)
{
	struct tsh_err err = { 0 };
	struct tsh_undo_report report = { 0 };

	tsh_cmd_session_release(&e->session);
	if (e->dry_run)
		tsh_dry_run_back_begin(e->session.dir->dry);
	tsh_journal_undo_to(e->session.dir, e->session.dir->journal, 0, &report);
	if (e->dry_run)
		tsh_dry_run_back_end(e->session.dir);
	if (!report.settings && !report.problems.n && !report.notes.n) {
		tsh_undo_report_release(&report);
		return;
	}
	if (tsh_cmd_report_undo(&e->session, &report, NULL, &err) < 0)
		tsh_engine_fail(e, &err);
}

/*
 * Makes all settings permanent. Then takes back the rest: own instances that could not be removed
 * before, and settings that could not be made permanent. If the user was asked, instances from
 * other sessions stay, too, because the question has listed these.
 */
static void commit_all(struct tsh_engine *e)
{
	bool asked = e->session.interactive && e->session.settings.at_exit == TSH_AT_EXIT_ASK;
	struct tsh_err err = { 0 };

	if (tsh_cmd_commit_all(&e->session, asked, false, &err) < 0)
		tsh_engine_fail(e, &err);
	tsh_cmd_session_release(&e->session);
	tsh_cmd_undo_since(&e->session, 0);
}

int tsh_engine_finish(struct tsh_engine *e, bool restore)
{
	struct tsh_session *s = &e->session;
	struct tsh_err err = { 0 };
	uint64_t pending = tsh_cmd_session_pending(s);
	bool said = e->out.error != 0;
	bool undo;

	tsh_jobs_end_all(&e->jobs, s->aborted);
	/* until here a signal restores everything; at a prompt the user has answered */
	s->aborted |= !s->interactive && tsh_loop_aborted(e->loop);
	undo = restore || s->settings.at_exit == TSH_AT_EXIT_RESTORE || s->aborted ||
	       (e->failed && !e->keep_going && !s->interactive);
	/* a script that is not printed needs no restoring */
	if (e->dry_run && (e->failed || s->aborted))
		undo = false;
	if (s->dir && undo)
		restore_all(e);
	else if (s->dir)
		commit_all(e);
	/* a batch that fails prints no script, not even a part of it */
	if (e->dry_run && !s->aborted && (!e->failed || e->keep_going))
		tsh_dry_run_finish(e);
	tsh_note_unprinted(e, pending);
	if (!e->failed && !s->aborted)
		tsh_out_begin(&e->out);
	if (tsh_out_finish(&e->out, &err) < 0) {
		if (!said)
			tsh_engine_report(e, &err);
		end_with_error(e, &err);
	}
	if (s->aborted)
		return 128 + (e->loop->signal ? e->loop->signal : SIGINT);
	if (e->failed)
		return e->first_failure;
	if (s->quit && s->quit_status >= 0)
		return s->quit_status;
	return s->interactive ? s->status : e->exit_status;
}

void tsh_engine_free(struct tsh_engine *e)
{
	struct tsh_session *s = &e->session;

	tsh_jobs_end_all(&e->jobs, true);
	tsh_vec_release(&e->jobs.list);
	tsh_cmd_session_release(s);
	tsh_guard_dismiss(&e->guard);
	tsh_instance_close(s->in);
	tsh_dir_close(s->dir);
	tsh_err_release(&s->dir_err);
	tsh_strlist_release(&s->check_instances);
	free(s->settings.tz);
	free(s->settings.columns);
	free(s->settings.prompt);
	free(s->settings.pool);
	free(s->settings.threads);
	free(e->machine_zone);
	tsh_engine_release_vars(e);
	tsh_alias_release(&s->aliases);
	tsh_dry_run_end(e);
	if (e->out.is_new && e->out.error)
		tsh_output_remove_empty(e->out.name, e->out.fd);
	tsh_out_release(&e->out);
	free(e);
}
