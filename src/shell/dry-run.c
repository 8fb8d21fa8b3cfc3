/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "engine-internal.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/utf8.h"
#include "cmd/table.h"
#include "kernel/dryrun/dryrun.h"
#include "kernel/journal/journal.h"
#include "output/output-file.h"
#include "session/cmd.h"

/* Turns commands into a script of sh, which is printed instead: --dry-run. */

void tsh_dry_run_begin(struct tsh_engine *e)
{
	struct tsh_out *out = &e->nothing;

	e->dry_run = true;
	if (e->keep_going)
		tsh_out_warn(&e->out, "--keep-going does not apply to the script, which ends at its first error");
	/* drops the output of commands, which may differ from their output when the script runs */
	tsh_out_init(out, open("/dev/null", O_WRONLY | O_CLOEXEC), TSH_FORMAT_TEXT);
	out->note = e->out.note;
	out->note_ctx = e->out.note_ctx;
	out->quiet = true;
	e->out.quiet = true;
}

void tsh_dry_run_end(struct tsh_engine *e)
{
	if (!e->dry_run)
		return;
	if (e->nothing.fd >= 0)
		close(e->nothing.fd);
	tsh_out_release(&e->nothing);
}

static struct tsh_strbuf *script_of(struct tsh_engine *e)
{
	return tsh_dry_run_script(e->session.dir->dry);
}

/* Warns that the script lacks what a command would do. */
static void warn_left_out(struct tsh_engine *e, const struct tsh_call *call, const char *why)
{
	struct tsh_err err = { 0 };

	tsh_err_at(&err, call->args.command, "'%s' is not in the script: %s", call->cmd->name, why);
	tsh_report(e, e->input, "warning", &err);
	tsh_err_release(&err);
}

static void comment_call(struct tsh_engine *e, const struct tsh_call *call)
{
	const struct tsh_span *whole = &call->args.whole;
	char *text = tsh_xstrndup(e->input->text + whole->begin, whole->end - whole->begin);

	tsh_dry_run_comment(e->session.dir->dry, text);
	free(text);
}

/* Adds the command of sh for a command, with -o FILE and the program behind '|', whose status is
 * ignored. */
static void add_shell(struct tsh_engine *e, const struct tsh_call *call, const char *pipe)
{
	const char *file = tsh_args_text(&call->args, "OUTPUT"), *after;
	struct tsh_dry_run *dry = e->session.dir->dry;
	struct tsh_strbuf sh = TSH_STRBUF_INIT, *script = script_of(e);
	size_t before = script->len;

	if (!call->cmd->script(&e->session, call, &sh)) {
		tsh_dry_run_pop_after(dry);
		if (script->len == before)
			tsh_dry_run_comment(dry, "  (not in this script: sh cannot do it)");
		tsh_strbuf_addf(script, "echo \"$0: left out, as sh cannot do it: %s\" >&2\n",
				call->cmd->name);
		warn_left_out(e, call, "sh cannot do it");
		e->dry_left_out = true;
		tsh_strbuf_release(&sh);
		return;
	}
	after = tsh_dry_run_pop_after(dry);
	e->dry_finishes = (call->cmd->flags & TSH_CMD_IS_PROGRAM) && !pipe;
	if (pipe && after)
		tsh_strbuf_adds(script, "interrupt :\npiped=yes ");
	tsh_strbuf_add(script, sh.buf, sh.len);
	if (pipe) {
		tsh_strbuf_adds(script, " | sh -c ");
		tsh_sh_quote(script, pipe + strspn(pipe, " \t"));
	}
	if (file && !tsh_is_standard_output(file)) {
		tsh_strbuf_adds(script, " > ");
		tsh_sh_quote(script, file);
	}
	if (pipe && !e->session.settings.pipefail)
		tsh_strbuf_adds(script, " || :");
	tsh_strbuf_addc(script, '\n');
	if (after)
		tsh_strbuf_addf(script, "%s\n", after);
	tsh_strbuf_release(&sh);
}

static int run_silently(struct tsh_engine *e, const struct tsh_call *call, struct tsh_err *err)
{
	struct tsh_session *s = &e->session;
	struct tsh_out *out = s->out;
	int r;

	s->out = &e->nothing;
	s->stdout_is_data = false;
	r = call->cmd->run(s, call, err);
	tsh_out_flush(&e->nothing);
	s->out = out;
	return r;
}

/* Takes back, without a message, writes that were made for the script only. */
static void undo_silently(struct tsh_engine *e, unsigned int mark)
{
	struct tsh_undo_report report = { 0 };

	tsh_journal_undo_to(e->session.dir, e->session.dir->journal, mark, &report);
	tsh_undo_report_release(&report);
}

/* Runs a command so that its writes go into the script. undo and restore become calls in the
 * script, because only the machine that runs it knows the old values. */
static int run_in_script(struct tsh_engine *e, const struct tsh_call *call, struct tsh_err *err)
{
	struct tsh_dir *dir = e->session.dir;
	const char *name = call->cmd->name;
	bool goes_back = !strcmp(name, "undo") || !strcmp(name, "restore");
	int r;

	if (goes_back)
		tsh_dry_run_back_begin(dir->dry);
	r = run_silently(e, call, err);
	if (goes_back)
		tsh_dry_run_back_end(dir);
	if (!r && !strcmp(name, "keep"))
		tsh_dry_run_forget_back(dir->dry);
	return r;
}

static bool is_shell(const struct tsh_call *call)
{
	const char *option = call->cmd->writes_with, *prints = call->cmd->prints_with;
	const char *value = option ? tsh_args_text(&call->args, option) : NULL;

	return call->cmd->script && (!value || (prints && !strcmp(value, prints)));
}

int tsh_dry_run_call(struct tsh_engine *e, const struct tsh_call *call, const char *pipe,
		     struct tsh_err *err)
{
	struct tsh_session *s = &e->session;
	struct tsh_dry_run *dry = s->dir->dry;
	struct tsh_dry_mark start = tsh_dry_run_mark(dry);
	size_t body;
	unsigned int mark = tsh_journal_mark(s->dir->journal);

	comment_call(e, call);
	body = script_of(e)->len;
	s->run_status = -1;
	e->dry_finishes = false;
	if (is_shell(call)) {
		add_shell(e, call, pipe);
	} else {
		tsh_journal_begin(s->dir->journal, call->cmd->name);
		if (run_in_script(e, call, err) < 0) {
			/* Takes the command back, as a run without --dry-run would after an
			 * error. */
			undo_silently(e, mark);
			tsh_dry_run_forget(dry, start);
			return -1;
		}
		if (script_of(e)->len == body && (call->cmd->flags & TSH_CMD_WRITES))
			tsh_dry_run_comment(s->dir->dry, "  (nothing to write)");
		else if (script_of(e)->len == body && (call->cmd->flags & TSH_CMD_PRINTS))
			warn_left_out(e, call, "only tracesh can print this");
	}
	if (!s->quit) {
		s->status = s->run_status >= 0 ? s->run_status : TSH_OK;
		e->exit_status = s->status;
	}
	return 0;
}

/* Adds the name of the machine whose events the script uses. */
static void add_machine(const struct tsh_dir *dir, struct tsh_strbuf *out)
{
	struct utsname machine;
	char *clean;

	if (dir->kind == TSH_DIR_TREE) {
		clean = tsh_sanitize_dup(dir->path);
		tsh_strbuf_addf(out, "the recorded tree %s", clean);
	} else if (!uname(&machine)) {
		clean = tsh_sanitize_dup(machine.nodename);
		tsh_strbuf_addf(out, "Linux %s %s on host %s", machine.release, machine.machine,
				clean);
	} else {
		clean = NULL;
		tsh_strbuf_adds(out, "this machine");
	}
	free(clean);
}

static void add_head(struct tsh_engine *e, struct tsh_strbuf *out)
{
	tsh_strbuf_adds(out, "#!/bin/sh\n# by tracesh --dry-run; made for: ");
	add_machine(e->session.dir, out);
	tsh_strbuf_adds(
		out, "\n"
		     "# An error, and INT, TERM and HUP, take back what was written. TRACEFS=DIR "
		     "says where tracefs is.\n"
		     "set -e\n\n");
}

/* Ends a script that lacks some command. The script leaves what it has written, and exits with
 * status 1. */
static void end_incomplete(struct tsh_engine *e)
{
	tsh_strbuf_adds(script_of(e), "\n# not all commands are in this script\n");
	tsh_dry_run_forget_back(e->session.dir->dry);
	tsh_strbuf_adds(script_of(e), "exit 1\n");
	if (!e->exit_status)
		e->exit_status = TSH_FAILED;
}

void tsh_dry_run_finish(struct tsh_engine *e)
{
	if (e->dry_finishes)
		tsh_strbuf_adds(script_of(e), "[ \"$status\" -eq 0 ] || finish\n");
	if (e->dry_left_out)
		end_incomplete(e);
	tsh_dry_run_print(e);
}

void tsh_dry_run_print(struct tsh_engine *e)
{
	struct tsh_strbuf *script = script_of(e), text = TSH_STRBUF_INIT;

	if (!e->dry_headed)
		add_head(e, &text);
	tsh_dry_run_functions(e->session.dir->dry, &text);
	if (!e->dry_headed)
		tsh_strbuf_adds(&text, "\n# ---- what it does ----\n\n");
	e->dry_headed = true;
	tsh_strbuf_add(&text, script->buf, script->len);
	tsh_strbuf_clear(script);
	tsh_out_script(&e->out, text.buf, text.len);
	tsh_out_flush(&e->out);
	tsh_strbuf_release(&text);
}
