/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cmd/commands.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/suggest.h"
#include "kernel/dryrun/dryrun.h"
#include "kernel/tracefs/errlog.h"
#include "session/ask.h"
#include "session/check-only.h"
#include "session/filters.h"
#include "session/flood-check.h"
#include "session/memory.h"
#include "session/read-ahead.h"
#include "session/script.h"
#include "session/util.h"

/* Declares cat, write and append for every file below the instance. */

static int explain_read(struct tsh_session *s, const struct tsh_value *file, int r,
			struct tsh_err *err)
{
	const char *path = file->word.text;
	const struct tsh_file_class *cls = tsh_file_class(path);

	if (r == -EPERM && (cls->flags & TSH_CLASS_NO_READ))
		tsh_err_set(err, TSH_FAILED, "'%s' is not read: %s", path, cls->why);
	else if (r == -EXDEV || (r == -ELOOP && s->dir->kind != TSH_DIR_TREE))
		tsh_err_set(err, TSH_USAGE, "'%s' leads out of the instance", path);
	else
		tsh_file_blame(s->in, path, r, err);
	if (r == -ENOENT) {
		err->status = TSH_FAILED;
		tsh_cmd_hint_missing_file(s, path, err);
	}
	tsh_err_blame(err, file->word.span);
	return -1;
}

/* Refuses files of another instance by a path from the top one: what opening them does and how they
 * are restored is known only for names within an instance. */
static int check_instance(const struct tsh_value *file, struct tsh_err *err)
{
	static const char folder[] = "instances/";
	const char *name = file->word.text + strlen(folder);
	int len;

	if (strncmp(file->word.text, folder, strlen(folder)) != 0)
		return 0;
	len = (int)strcspn(name, "/");
	if (!name[len])
		return 0;
	tsh_err_at(err, file->word.span, "'%s' is a file of another instance", file->word.text);
	err->status = TSH_FAILED;
	tsh_err_hint(err, "instance use %.*s, then %s", len, name, name + len + 1);
	return -1;
}

/* Lists a directory. */
static int list_directory(struct tsh_session *s, const struct tsh_value *file,
			  struct tsh_err *err)
{
	static const struct tsh_column columns[] = { { "file", TSH_COLUMN_TEXT }, { 0 } };
	struct tsh_strlist names = { 0 };
	struct tsh_table *table;
	size_t i;
	int r = tsh_file_list(s->in, file->word.text, &names);

	if (r < 0)
		return explain_read(s, file, r, err);
	table = tsh_table_begin(s->out, "file", columns);
	for (i = 0; i < names.n; i++) {
		tsh_table_row(table);
		tsh_table_text(table, names.v[i]);
	}
	tsh_table_end(table);
	tsh_strlist_release(&names);
	return 0;
}

static int cat_run(struct tsh_session *s, const struct tsh_call *call, struct tsh_err *err)
{
	const struct tsh_value *file = tsh_args_get(&call->args, "FILE");
	struct tsh_strbuf text = TSH_STRBUF_INIT;
	int r;

	if (check_instance(file, err) < 0)
		return -1;
	r = tsh_file_read(s->in, file->word.text, &text);
	if (!r)
		tsh_out_text(s->out, text.buf, text.len);
	tsh_strbuf_release(&text);
	if (r == -EISDIR)
		return list_directory(s, file, err);
	return r < 0 ? explain_read(s, file, r, err) : 0;
}

/* Says whether a path is absolute, or ".." is a part of it. */
static bool leads_out(const char *path)
{
	size_t len;

	if (*path == '/')
		return true;
	for (; *path; path += len) {
		path += strspn(path, "/");
		len = strcspn(path, "/");
		if (len == 2 && !strncmp(path, "..", 2))
			return true;
	}
	return false;
}

/* Refuses what running would refuse, also for a script of --dry-run, which reads no file. */
static int cat_prepare(struct tsh_session *s, struct tsh_call *call, struct tsh_err *err)
{
	const struct tsh_value *file = tsh_args_get(&call->args, "FILE");

	(void)s;
	return leads_out(file->word.text) ?
		tsh_err_at(err, file->word.span, "'%s' leads out of the instance", file->word.text) : 0;
}

static const struct tsh_arg cat_args[] = {
	{ .name = "FILE", .type = TSH_ARG_TRACE_FILE,
	  .help = "a file below the instance; a directory is listed" },
	{ 0 }
};

static const struct tsh_example cat_examples[] = {
	{ "cat trace_clock", "a file of the instance" },
	{ "cat events/sched", "what is in a directory" },
	{ 0 }
};

const struct tsh_cmd tsh_cmd_cat = {
	.name = "cat", .group = TSH_GROUP_FILE, .summary = "print a file of the instance",
	.description = "Files whose reading consumes or destroys something are refused.",
	.see_also = "write append",
	.args = cat_args, .examples = cat_examples,
	.flags = TSH_CMD_NEEDS_TRACEFS | TSH_CMD_PRINTS | TSH_CMD_PAGES,
	.prepare = cat_prepare, .run = cat_run, .script = tsh_script_cat,
};

/* Finds the filter in the text to be written: all of it, or the part behind a trigger's "if". */
static bool filter_in(unsigned int flags, const struct tsh_word *text, struct tsh_word *ret)
{
	const char *clause = flags & TSH_CLASS_TRIGGER ? strstr(text->text, " if ") : NULL;
	size_t skip = clause ? (size_t)(clause - text->text) + strlen(" if ") : 0;

	if (!clause && !(flags & TSH_CLASS_FILTER))
		return false;
	*ret = *text;
	ret->text += skip;
	ret->len -= skip;
	ret->from += skip;
	return *text->text != '!' && strcmp(ret->text, "0") != 0;
}

/*
 * Asks the kernel about a filter before it is written, as a bad one drops the event's old filter.
 */
static int judge_filter(struct tsh_session *s, const struct tsh_value *file,
			const struct tsh_value *text, struct tsh_err *err)
{
	struct tsh_event event;
	struct tsh_word filter;
	char *path, *slash;
	int r;

	if (!filter_in(tsh_file_class(file->word.text)->flags, &text->word, &filter))
		return 0;
	path = tsh_xstrdup(file->word.text);
	event.system = path + strlen("events/");
	slash = strchr(event.system, '/');
	*slash = '\0';
	event.name = slash + 1;
	event.name[strcspn(event.name, "/")] = '\0';
	r = tsh_filters_judge(s, &event, &filter, err);
	free(path);
	return r;
}

/* Sets the error from the kernel's error_log, and blames the part of the text that the log names.
 * Returns false when the log has no new message. */
static bool explain_log(struct tsh_session *s, const struct tsh_file_class *cls, const char *mark,
			const struct tsh_value *text, struct tsh_err *err)
{
	const char *what = cls->flags & TSH_CLASS_TRIGGER ? "the trigger" : "it";

	if (!tsh_errlog_explain(s->in, mark, what, text->word.text, err))
		return false;
	err->span = err->span.end ? tsh_word_span(&text->word, err->span.begin, err->span.end) :
				    text->word.span;
	return true;
}

static int write_file(struct tsh_session *s, const struct tsh_call *call,
		      enum tsh_write_how how, struct tsh_err *err)
{
	const struct tsh_value *file = tsh_args_get(&call->args, "FILE");
	const struct tsh_value *text = tsh_args_get(&call->args, "TEXT");
	const struct tsh_file_class *cls = tsh_file_class(file->word.text);
	char *mark;
	int r;

	if (check_instance(file, err) < 0)
		return -1;
	if (s->check) {
		/* Notes an event that the text makes, for the commands that follow. */
		tsh_dry_run_add_probe_line(s->in, file->word.text, text->word.text);
		return 0;
	}
	if (tsh_write_check_text(s->in, file->word.text, how, text->word.text, err) < 0) {
		tsh_err_blame(err, how == TSH_WRITE_ADD && tsh_is_trace_file(file->word.text) ? file->word.span : text->word.span);
		return -1;
	}
	if (judge_filter(s, file, text, err) < 0)
		return -1;
	if (tsh_memory_check_write(s->in, file->word.text, text->word.text, err) < 0) {
		tsh_err_blame(err, text->word.span);
		return -1;
	}
	if (tsh_flood_check_write(s, file, text, err) < 0 ||
	    tsh_cmd_confirm_write(s, s->in, file->word.text, how, text->word.text, err) < 0)
		return -1;
	mark = tsh_errlog_mark(s->in);
	r = tsh_session_write(s, file->word.text, how, text->word.text, NULL, err);
	if (r < 0 && explain_log(s, cls, mark, text, err)) {
		free(mark);
		return -1;
	}
	free(mark);
	if (r < 0) {
		if (err->number == ENOENT)
			tsh_cmd_hint_missing_file(s, file->word.text, err);
		if (err->number == EXDEV || err->number == ELOOP)
			tsh_err_set(err, TSH_USAGE, "'%s' leads out of the instance",
				    file->word.text);
		tsh_err_blame(err, err->number == EINVAL ? text->word.span : file->word.span);
		return -1;
	}
	if (!r && how == TSH_WRITE_ADD)
		tsh_out_note(s->out, "%s has that %s (as before)", file->word.text,
			     cls->flags & (TSH_CLASS_LIST | TSH_CLASS_ADD_ONLY) ? "line" : "value");
	if (r && (cls->flags & TSH_CLASS_NO_UNDO) && cls->why)
		tsh_out_note(s->out, "undo cannot take this back: it %s", cls->why);
	return 0;
}

static int write_run(struct tsh_session *s, const struct tsh_call *call, struct tsh_err *err)
{
	/* Clears the buffer, as the shell's > does, whatever the text is. */
	bool clears = tsh_is_trace_file(tsh_args_text(&call->args, "FILE"));

	return write_file(s, call, clears ? TSH_WRITE_CLEAR : TSH_WRITE_SET, err);
}

static int append_run(struct tsh_session *s, const struct tsh_call *call, struct tsh_err *err)
{
	return write_file(s, call, TSH_WRITE_ADD, err);
}

static const struct tsh_arg write_args[] = {
	{ .name = "FILE", .type = TSH_ARG_TRACE_FILE, .help = "a file below the instance" },
	{ .name = "TEXT", .type = TSH_ARG_TEXT, .help = "the rest of the command, as typed" },
	{ 0 }
};

static const struct tsh_example write_examples[] = {
	{ "write buffer_percent 10", "a setting without a command of its own" },
	{ 0 }
};

const struct tsh_cmd tsh_cmd_write = {
	.name = "write", .group = TSH_GROUP_FILE, .summary = "set a file of the instance",
	.description = "Journaled like every other change: undo takes it back. Where setting "
		       "would destroy other people's work, use append.\n"
		       "Another saved_cmdlines_size erases the names of all tasks by which the events of all instances are shown, "
		       "when undo takes it back, too: how many is said, and at the prompt it is asked before.",
	.see_also = "cat append undo",
	.args = write_args, .examples = write_examples,
	.flags = TSH_CMD_WRITES | TSH_CMD_NEEDS_TRACEFS | TSH_CMD_IN_CHECK,
	.run = write_run,
};

static const struct tsh_example append_examples[] = {
	{ "append set_event sched:sched_process_exit", "one more line of a list" },
	{ 0 }
};

const struct tsh_cmd tsh_cmd_append = {
	.name = "append", .group = TSH_GROUP_FILE, .summary = "add a line to a file of the instance",
	.description = "For triggers, probes and lists; journaled, undo takes the line away again.",
	.see_also = "write cat",
	.args = write_args, .examples = append_examples,
	.flags = TSH_CMD_WRITES | TSH_CMD_NEEDS_TRACEFS | TSH_CMD_IN_CHECK,
	.run = append_run,
};
