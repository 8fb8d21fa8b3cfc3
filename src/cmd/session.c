/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "commands.h"

#include <stdlib.h>
#include <string.h>

#include "names.h"
#include "reader.h"
#include "tracesh/journal.h"
#include "util.h"

/* instance, undo, restore, keep: where one works, and the way back. */

static void list_instances(struct tsh_session *s)
{
	static const struct tsh_column columns[] = {
		{ "present", TSH_COLUMN_BOOL }, { "instance", TSH_COLUMN_TEXT }, { 0 }
	};
	struct tsh_table *table = tsh_table_begin(s->out, "instance", columns);
	struct tsh_strlist names = { 0 };
	size_t i;

	tsh_table_row(table);
	tsh_table_bool(table, !s->in->name);
	tsh_table_text(table, "top");
	tsh_names_instances(s, &names);
	for (i = 0; i < names.n; i++) {
		tsh_table_row(table);
		tsh_table_bool(table, s->in->name && !strcmp(s->in->name, names.v[i]));
		tsh_table_text(table, names.v[i]);
	}
	tsh_table_end(table);
	tsh_strlist_release(&names);
}

static int use_instance(struct tsh_session *s, const char *name, struct tsh_err *err)
{
	struct tsh_instance *in;

	/* A checked file may use what it would have created. */
	if (s->check && tsh_strlist_has(&s->check_instances, name))
		return 0;
	if (tsh_instance_open(s->dir, strcmp(name, "top") ? name : NULL, &in, err) < 0)
		return -1;
	tsh_instance_close(s->in);
	s->in = in;
	return 0;
}

static int create_instance(struct tsh_session *s, const char *name, struct tsh_err *err)
{
	struct tsh_instance *in;

	if (s->check) {
		if (!tsh_instance_name_is_valid(name))
			return tsh_err_set(err, TSH_USAGE,
					   "'%s' cannot be the name of an instance", name);
		tsh_strlist_add(&s->check_instances, name);
		return 0;
	}
	if (tsh_instance_create(s->dir, name, &in, err) < 0)
		return -1;
	tsh_instance_close(s->in);
	s->in = in;
	tsh_out_note(s->out, "instance '%s' is created and in use", name);
	return 0;
}

static int delete_instance(struct tsh_session *s, const char *name, struct tsh_err *err)
{
	bool present = s->in->name && !strcmp(s->in->name, name);

	if (s->check)
		return 0;
	tsh_reader_drop(s, name);
	if (tsh_instance_delete(s->dir, name, err) < 0)
		return -1;
	tsh_out_note(s->out, "instance '%s' is deleted%s", name, present ? "; in use: top" : "");
	return present ? use_instance(s, "top", err) : 0;
}

static int instance_run(struct tsh_session *s, const struct tsh_call *call, struct tsh_err *err)
{
	const char *action = tsh_args_text(&call->args, "ACTION");
	const struct tsh_value *name = tsh_args_get(&call->args, "NAME");
	int r;

	if (!action && !name) {
		if (!s->check)
			list_instances(s);
		return 0;
	}
	if (!name) {
		tsh_err_at(err, tsh_args_get(&call->args, "ACTION")->word.span, "missing NAME");
		tsh_err_hint(err, "instance %s NAME", action);
		return -1;
	}
	if (!action || !strcmp(action, "use"))
		r = use_instance(s, name->word.text, err);
	else if (!strcmp(action, "create"))
		r = create_instance(s, name->word.text, err);
	else
		r = delete_instance(s, name->word.text, err);
	if (r < 0)
		tsh_err_blame(err, name->word.span);
	return r;
}

static const char *const instance_actions[] = { "use", "create", "delete", NULL };

static const struct tsh_arg instance_args[] = {
	{ .name = "ACTION", .type = TSH_ARG_CHOICE, .choices = instance_actions,
	  .flags = TSH_ARG_OPTIONAL, .help = "use (the default), create or delete" },
	{ .name = "NAME", .type = TSH_ARG_INSTANCE, .flags = TSH_ARG_OPTIONAL,
	  .help = "its name; top is the top-level buffer" },
	{ 0 }
};

static const struct tsh_example instance_examples[] = {
	{ "instance", "what there is, the present one marked" },
	{ "instance create lat", "a buffer of one's own, and work in it" },
	{ "instance use top", "back to the top-level buffer" },
	{ 0 }
};

const struct tsh_cmd tsh_cmd_instance = {
	.name = "instance", .group = TSH_GROUP_SESSION,
	.summary = "show, use, create or delete instances",
	.description = "An instance has its own buffer, events, filters and clock. A deleted "
		       "one takes its events along; undo does not bring it back.",
	.args = instance_args, .examples = instance_examples,
	.flags = TSH_CMD_WRITES | TSH_CMD_NEEDS_TRACEFS | TSH_CMD_PRINTS | TSH_CMD_IN_CHECK |
		 TSH_CMD_LIVE,
	.run = instance_run,
};

int tsh_cmd_report_undo(struct tsh_session *s, struct tsh_undo_report *report,
			struct tsh_err *err)
{
	size_t i;
	int r = 0;

	for (i = 0; i < report->problems.n; i++)
		tsh_out_warn(s->out, "%s", report->problems.v[i]);
	tsh_out_note(s->out, "%u setting%s taken back", report->settings,
		     tsh_plural(report->settings));
	if (report->problems.n)
		r = tsh_err_set(err, TSH_FAILED, "%zu setting%s could not be taken back",
				report->problems.n, tsh_plural(report->problems.n));
	/* The instance in use may be gone. */
	if (s->in->name && !tsh_instance_exists(s->dir, s->in->name)) {
		struct tsh_err ignored = { 0 };

		tsh_reader_drop(s, s->in->name);
		use_instance(s, "top", &ignored);
		tsh_err_release(&ignored);
		tsh_out_note(s->out, "in use: top");
	}
	tsh_undo_report_release(report);
	return r;
}

/* An instance whose raw pages we hold open cannot be removed. */
static void drop_instance_readers(struct tsh_session *s)
{
	size_t i;

	for (i = s->readers.n; i-- > 0;) {
		char *name = i < s->readers.n && s->readers.v[i].instance ?
				     tsh_xstrdup(s->readers.v[i].instance) : NULL;

		if (name)
			tsh_reader_drop(s, name);
		free(name);
	}
}

void tsh_cmd_take_back(struct tsh_session *s, unsigned int mark)
{
	struct tsh_undo_report report = { 0 };
	size_t i;

	if (!s->dir)
		return;
	tsh_journal_undo_to(s->dir, mark, &report);
	for (i = 0; i < report.problems.n; i++)
		tsh_out_warn(s->out, "%s", report.problems.v[i]);
	tsh_undo_report_release(&report);
}

static int undo_run(struct tsh_session *s, const struct tsh_call *call, struct tsh_err *err)
{
	const struct tsh_value *count = tsh_args_get(&call->args, "N");
	struct tsh_undo_report report = { 0 };

	if (!tsh_journal_settings(s->dir->journal)) {
		tsh_out_note(s->out, "there is nothing to take back");
		return 0;
	}
	drop_instance_readers(s);
	tsh_journal_undo(s->dir, count ? (unsigned int)count->number : 1, &report);
	return tsh_cmd_report_undo(s, &report, err);
}

static const struct tsh_arg undo_args[] = {
	{ .name = "N", .type = TSH_ARG_NUMBER, .flags = TSH_ARG_OPTIONAL,
	  .help = "how many commands; one when it is not given" },
	{ 0 }
};

static const struct tsh_example undo_examples[] = {
	{ "undo", "take the last change back" }, { 0 }
};

const struct tsh_cmd tsh_cmd_undo = {
	.name = "undo", .group = TSH_GROUP_SESSION, .summary = "take the last changes back",
	.description = "Undo gives back settings, never events. A value that somebody else has "
		       "changed since is left and reported.",
	.args = undo_args, .examples = undo_examples,
	.flags = TSH_CMD_WRITES | TSH_CMD_NEEDS_TRACEFS,
	.run = undo_run,
};

static const struct tsh_arg no_args[] = { { 0 } };

static int restore_run(struct tsh_session *s, const struct tsh_call *call, struct tsh_err *err)
{
	struct tsh_undo_report report = { 0 };

	(void)call;
	drop_instance_readers(s);
	tsh_journal_undo_to(s->dir, 0, &report);
	return tsh_cmd_report_undo(s, &report, err);
}

static const struct tsh_example restore_examples[] = {
	{ "restore", "everything as it was" }, { 0 }
};

const struct tsh_cmd tsh_cmd_restore = {
	.name = "restore", .group = TSH_GROUP_SESSION,
	.summary = "take all changes since the start, or the last keep, back",
	.args = no_args, .examples = restore_examples,
	.flags = TSH_CMD_WRITES | TSH_CMD_NEEDS_TRACEFS,
	.run = restore_run,
};

static int keep_run(struct tsh_session *s, const struct tsh_call *call, struct tsh_err *err)
{
	unsigned int settings = tsh_journal_settings(s->dir->journal);

	(void)call;
	(void)err;
	tsh_journal_keep(s->dir->journal);
	tsh_out_note(s->out, "%u setting%s kept", settings, tsh_plural(settings));
	return 0;
}

static const struct tsh_example keep_examples[] = {
	{ "keep", "the changes so far stay" }, { 0 }
};

const struct tsh_cmd tsh_cmd_keep = {
	.name = "keep", .group = TSH_GROUP_SESSION, .summary = "keep the changes so far (COMMIT)",
	.args = no_args, .examples = keep_examples,
	.flags = TSH_CMD_NEEDS_TRACEFS,
	.run = keep_run,
};
