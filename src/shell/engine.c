/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "engine.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "cmd/table.h"
#include "engine-internal.h"
#include "help/help.h"
#include "help/recipe-files.h"
#include "kernel/dryrun/dryrun.h"
#include "kernel/journal/journal.h"
#include "kernel/journaled/journaled.h"
#include "output/output-file.h"
#include "tracedat/trace-dat.h"

#define SOURCE_DEPTH_MAX 16
#define SOURCES_MAX 1000	/* a file that sources itself twice would be read 2^16 times */

static int set_var(struct tsh_session *s, const char *name, const char *value, struct tsh_err *err)
{
	return tsh_engine_set_var(s->engine, name, value, err);
}

static const char *get_var(struct tsh_session *s, const char *name)
{
	return tsh_engine_get_var(s->engine, name);
}

static void list_vars(struct tsh_session *s, struct tsh_strlist *ret)
{
	const struct tsh_engine *e = s->engine;
	size_t i;

	for (i = 0; i < e->vars.n; i++)
		tsh_strlist_add(ret, e->vars.v[i]->name);
}

static void child_signals(struct tsh_session *s)
{
	struct tsh_engine *e = s->engine;

	tsh_loop_restore_signals(e->loop);
	/* --tz and set tz only apply to our own lines */
	if (e->machine_zone)
		setenv("TZ", e->machine_zone, 1);
	else
		unsetenv("TZ");
}

static void note_error(struct tsh_session *s, const struct tsh_err *err)
{
	struct tsh_engine *e = s->engine;

	/* prints no error of a sourced file, which has printed it already */
	if (!e->out.quiet && tsh_err_is_set(err))
		tsh_report(e, e->input, "note", err);
}

static void settings_changed(struct tsh_session *s)
{
	struct tsh_engine *e = s->engine;
	const char *zone = s->settings.tz ? s->settings.tz : e->machine_zone;

	e->out.format = s->settings.format;
	if (s->out != &e->out)
		s->out->format = s->settings.format;
	if (zone)
		setenv("TZ", zone, 1);
	else
		unsetenv("TZ");
	tzset();
}

static bool is_regular(const char *path)
{
	struct stat st;
	char *recipe;
	bool found;

	if (stat(path, &st) == 0)
		return S_ISREG(st.st_mode);
	recipe = tsh_recipe_path(path);
	found = recipe != NULL;
	free(recipe);
	return found;
}

static int run_file(struct tsh_session *s, const char *path, char *const *argv, struct tsh_err *err)
{
	struct tsh_engine *e = s->engine;
	struct tsh_strbuf text = TSH_STRBUF_INIT;
	struct tsh_input input = { .name = path, .argv = argv, .outer = e->input,
				   .outer_span = e->statement };
	bool carry_on, failed, failed_before = e->failed;

	if (e->depth >= SOURCE_DEPTH_MAX)
		return tsh_err_set(err, TSH_FAILED, "more than %d files deep",
				   SOURCE_DEPTH_MAX);
	/* counts only files that source each other, not one after the other */
	if (!e->depth)
		e->sources = 0;
	if (++e->sources > SOURCES_MAX)
		return tsh_err_set(err, TSH_FAILED, "more than %d files read", SOURCES_MAX);
	/* does not read a pipe during the check: a pipe can be read only once */
	if (e->syntax_only && !is_regular(path))
		return 0;
	if (tsh_batch_read_path(e, path, &input, &text, err) < 0) {
		tsh_strbuf_release(&text);
		return -1;
	}
	input.text = text.buf;
	input.len = text.len;
	e->depth++;
	e->failed = false;
	carry_on = tsh_run_input(e, &input);
	e->depth--;
	if (tsh_engine_is_stopped(e))
		tsh_note_not_run(e, &input);
	tsh_strbuf_release(&text);
	failed = e->failed;
	/* at the prompt, changes stay when the user stops a file */
	carry_on |= tsh_engine_is_stopped(e);
	/* Returns -1 without a message, because the file has printed the message. With --keep-going
	 * a failure matters only to `try`. */
	if (!s->quit && (!carry_on || (failed && e->nesting)))
		return -1;
	e->failed |= failed_before;
	return 0;
}

const struct tsh_session_ops tsh_engine_ops = {
	.run_nested = tsh_run_nested,
	.run_file = run_file,
	.set_var = set_var,
	.get_var = get_var,
	.list_vars = list_vars,
	.settings_changed = settings_changed,
	.note_error = note_error,
	.child_signals = child_signals,
	.jobs = tsh_background_list,
	.end_job = tsh_background_end,
};

/* ---- hooks of the journal ---- */

static bool start_guard(void *ctx, int fd)
{
	struct tsh_engine *e = ctx;

	return tsh_guard_start(&e->guard, e->session.dir, fd,
			       e->session.detached ? -1 : e->err_fd);
}

static void forget_guard(void *ctx)
{
	struct tsh_engine *e = ctx;

	tsh_guard_forget(&e->guard);
}

static void warn_of_journal(void *ctx, const char *text)
{
	struct tsh_engine *e = ctx;

	/* -q does not hide that something may be lost */
	tsh_out_warn(&e->out, "%s", text);
}

static int rescue_events(void *ctx, struct tsh_instance *in, unsigned int what, char **why)
{
	struct tsh_engine *e = ctx;

	/* after a hangup the user cannot see a note */
	e->session.unattended = e->guard.is_us || e->loop->signal == SIGHUP;
	return tsh_cmd_rescue(&e->session, in, what, why);
}

static void *watch_removal(void *ctx, const struct tsh_instance *in, void *held)
{
	struct tsh_engine *e = ctx;

	e->session.unattended = e->guard.is_us || e->loop->signal == SIGHUP;
	return tsh_cmd_watch_removal(&e->session, in, held);
}

static void lend_hooks(struct tsh_engine *e)
{
	e->journal_hooks = (struct tsh_journal_hooks){
		.ctx = e, .begin = start_guard, .disown = forget_guard, .warn = warn_of_journal,
		.before_erasing = rescue_events, .removing = watch_removal,
	};
	e->session.dir->journal->hooks = &e->journal_hooks;
}

static int open_instance(struct tsh_engine *e, const struct tsh_engine_options *opt, struct tsh_err *err)
{
	struct tsh_session *s = &e->session;
	const char *name = opt->instance ? tsh_instance_parse_word(opt->instance) : NULL;

	if (name && opt->create_instance && tsh_instance_name_is_valid(name) &&
	    !tsh_instance_exists(s->dir, name)) {
		/* Uses the top-level instance in place of one that only a run would create. */
		if (opt->check) {
			tsh_strlist_add(&s->check_instances, name);
			return tsh_instance_open(s->dir, NULL, &s->in, err);
		}
		if (tsh_cmd_check_instance(s->dir, err) < 0)
			return -1;
		tsh_journal_begin(s->dir->journal, "-I");
		return tsh_instance_create(s->dir, name, &s->in, err);
	}
	if (tsh_instance_open(s->dir, name, &s->in, err) < 0)
		return -1;
	if (!opt->private_instance || opt->check)
		return 0;
	tsh_journal_begin(s->dir->journal, "--private");
	return tsh_cmd_use_private(s, err);
}

int tsh_engine_new(const struct tsh_engine_options *opt, struct tsh_engine **ret,
		   struct tsh_err *err)
{
	struct tsh_engine *e = tsh_xcalloc(1, sizeof(*e));
	struct tsh_session *s = &e->session;
	bool has_dir;

	e->loop = opt->loop;
	e->err_fd = opt->err_fd;
	e->err_color = opt->err_color;
	e->err_is_terminal = opt->err_is_terminal;
	e->keep_going = opt->keep_going;
	tsh_out_init(&e->out, opt->out_fd, opt->settings.format);
	e->out.name = opt->out_name;
	e->out.has_old_content = opt->out_name && !opt->check;
	e->out.is_new = e->out.has_old_content && opt->out_is_new;
	e->out.is_terminal = opt->out_is_terminal;
	e->out.may_be_raw = !opt->out_is_terminal;
	e->out.color = opt->out_color;
	e->out.quiet = opt->quiet;
	e->out.note = tsh_engine_note;
	e->out.note_ctx = e;
	e->out.waiter = &opt->loop->strict;
	s->out = &e->out;
	s->waiter = &opt->loop->waiter;
	s->commands = tsh_commands;
	s->topics = tsh_topics;
	s->ops = &tsh_engine_ops;
	s->engine = e;
	s->settings = opt->settings;
	if (opt->restore)
		s->settings.at_exit = TSH_AT_EXIT_RESTORE;
	s->interactive = opt->interactive;
	s->check = opt->check;
	s->read_only = opt->read_only || opt->check;
	s->quit_status = -1;
	if (getenv("TZ"))
		e->machine_zone = tsh_xstrdup(getenv("TZ"));
	settings_changed(s);
	has_dir = tsh_trace_dir_open(opt->tracefs, &s->dir, &s->dir_err) == 0;
	/* a check makes probes in memory only, so that later commands can name these probes */
	if (has_dir && (opt->dry_run || opt->check))
		tsh_dry_run_open(s->dir);
	else if (has_dir)
		tsh_journaled_open(s->dir);
	if (e->out.has_old_content && !opt->out_is_new &&
	    tsh_redirect_check(s, e->out.fd, e->out.name, err) < 0) {
		tsh_engine_free(e);
		return -1;
	}
	/* Fails for a script without a tracefs to read, even if no command needs it. */
	if (!has_dir && opt->dry_run && !opt->check) {
		*err = s->dir_err;
		s->dir_err = (struct tsh_err){ 0 };
		tsh_engine_free(e);
		return -1;
	}
	if (has_dir) {
		s->dir->read_only |= s->read_only;
		s->dir->wrote = tsh_engine_show_write;
		s->dir->wrote_ctx = e;
		s->dir->waiter = &opt->loop->strict;
		if (opt->dry_run && !opt->check)
			tsh_dry_run_begin(e);
		else
			lend_hooks(e);
		if (open_instance(e, opt, err) < 0) {
			tsh_cmd_undo_since(s, 0);
			tsh_engine_free(e);
			return -1;
		}
		tsh_journal_hold(s->dir->journal);
	}
	*ret = e;
	return 0;
}

struct tsh_session *tsh_engine_session(struct tsh_engine *e)
{
	return &e->session;
}

void tsh_engine_show_jobs(struct tsh_engine *e, tsh_jobs_show *show, void *ctx)
{
	e->jobs.quiet = e->out.quiet;
	e->jobs.show = show;
	e->jobs.show_ctx = ctx;
	tsh_background_watch(e);
}

void tsh_engine_read_jobs(struct tsh_engine *e)
{
	tsh_jobs_read(&e->jobs);
}

bool tsh_engine_run_text(struct tsh_engine *e, const char *name, const char *text, size_t len,
			 char *const *argv)
{
	const struct tsh_input input = { .name = name, .text = text, .len = len, .argv = argv };

	return tsh_run_input(e, &input);
}

bool tsh_engine_run_file(struct tsh_engine *e, const char *path, char *const *argv)
{
	struct tsh_err err = { 0 };
	int r = run_file(&e->session, path, argv, &err);

	if (tsh_err_is_set(&err))
		tsh_engine_fail(e, &err);
	e->session.aborted |= tsh_loop_aborted(e->loop);
	return r == 0 && !e->session.quit && !e->session.aborted;
}

bool tsh_engine_end_interrupt(struct tsh_engine *e)
{
	if (e->session.aborted && e->loop->signal == SIGINT) {
		tsh_loop_forget_interrupt(e->loop);
		e->session.aborted = false;
		e->session.status = 130;
		/* Allows output again, which was given up if the terminal was stopped (Ctrl-S). */
		e->out.closed = false;
	}
	return !e->session.quit && !e->session.aborted;
}

bool tsh_engine_run_line(struct tsh_engine *e, const char *line, size_t prompt_width,
			 size_t *ret_end)
{
	const struct tsh_input input = { .name = "prompt", .text = line, .len = strlen(line),
					 .prompt = true, .prompt_width = prompt_width };

	e->sources = 0;
	e->at_prompt = true;
	e->loop->stopped = false;
	tsh_run_input(e, &input);
	e->at_prompt = false;
	tsh_note_unprinted(e, 0);
	*ret_end = e->stopped_at;
	if (e->loop->stopped || (e->session.aborted && e->loop->signal == SIGINT))
		tsh_note_not_run(e, &input);
	e->failed = false;
	if (e->dry_run)
		tsh_dry_run_print(e);
	return tsh_engine_end_interrupt(e);
}

uint64_t tsh_engine_unread(const struct tsh_engine *e)
{
	return e->session.in ? tsh_cmd_count_unread(&e->session) : 0;
}

unsigned int tsh_engine_changes(const struct tsh_engine *e)
{
	if (!e->session.dir || e->dry_run)
		return 0;
	(void)tsh_journal_catch_up(e->session.dir->journal);
	return tsh_journal_count_lasting(e->session.dir->journal);
}

void tsh_engine_note_changes(struct tsh_engine *e)
{
	tsh_cmd_note_restore(&e->session);
}
