/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cmd/commands.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/journal/journal.h"
#include "session/ask.h"
#include "session/names.h"
#include "session/read-ahead.h"
#include "session/util.h"

/* Declares instance: lists, makes, deletes and changes instances. */

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
		tsh_table_text(table, tsh_instance_word(names.v[i]));
	}
	tsh_table_end(table);
	tsh_strlist_release(&names);
}

/* Stores the label of the instance that was in use, for tsh_cmd_use_previous_instance. Takes over
 * `before`. */
static void note_came_from(struct tsh_session *s, char *before)
{
	struct tsh_strlist *list = &s->came_from;
	size_t i, n = 0;

	for (i = 0; i < list->n; i++) {
		if (strcmp(list->v[i], before) != 0)
			list->v[n++] = list->v[i];
		else
			free(list->v[i]);
	}
	list->n = n;
	tsh_strlist_add_owned(list, before);
}

static int use_instance(struct tsh_session *s, const char *name, struct tsh_err *err)
{
	char *before = tsh_xstrdup(tsh_instance_label(s->in));

	if (tsh_cmd_use_instance(s, name, err) < 0) {
		free(before);
		return -1;
	}
	note_came_from(s, before);
	return 0;
}

static int create_instance(struct tsh_session *s, const char *name, struct tsh_err *err)
{
	struct tsh_instance *in;

	if (!strcmp(name, "top")) {
		tsh_err_set(err, TSH_USAGE, "'top' is the top-level instance");
		tsh_err_hint(err, "instance create instances/top makes another one of that name");
		return -1;
	}
	name = tsh_instance_parse_word(name);
	if (s->check) {
		if (!tsh_instance_name_is_valid(name))
			return tsh_err_set(err, TSH_USAGE,
					   "'%s' cannot be the name of an instance", name);
		tsh_strlist_add(&s->check_instances, tsh_instance_word(name));
		return 0;
	}
	if (tsh_cmd_check_instance(s->dir, err) < 0 ||
	    tsh_instance_create(s->dir, name, &in, err) < 0)
		return -1;
	note_came_from(s, tsh_xstrdup(tsh_instance_label(s->in)));
	tsh_instance_close(s->in);
	s->in = in;
	tsh_out_note(s->out, "instance '%s' is created and in use", tsh_instance_word(name));
	return 0;
}

/* Appends which other session has how many settings in the instance: ", in which process 12,
 * another tracesh, has 3 settings". Returns false when none has. */
static bool add_user(struct tsh_session *s, const struct tsh_instance *in, pid_t user, struct tsh_strbuf *out)
{
	size_t users;
	unsigned int settings = tsh_journal_other_settings(s->dir, s->dir->journal, in, &users);

	if (!user || !settings)
		return false;
	tsh_strbuf_addf(out, ", in which process %d, another tracesh,", (int)user);
	if (users > 1)
		tsh_strbuf_addf(out, " and %zu more", users - 1);
	tsh_strbuf_addf(out, " %s %u setting%s", users > 1 ? "have" : "has", settings, tsh_plural(settings));
	return true;
}

/*
 * Asks before an instance is deleted: at the prompt, and in any case where another session has
 * settings in it. *ret: events that are lost; *ret_held: those of the snapshot; *ret_user: process
 * of the other session, or 0.
 */
static int confirm_delete(struct tsh_session *s, const char *name, uint64_t *ret, uint64_t *ret_held, pid_t *ret_user,
			  struct tsh_err *err)
{
	struct tsh_strbuf sentence = TSH_STRBUF_INIT;
	struct tsh_instance *in;
	bool has_user;
	int r;

	if (tsh_instance_open(s->dir, name, &in, err) < 0)
		return -1;
	*ret = tsh_cmd_count_unread_of(s, in);
	*ret_held = tsh_snapshot_entries(in);
	*ret_user = tsh_journal_other_user(s->dir, s->dir->journal, in);
	tsh_strbuf_adds(&sentence, "this deletes the instance");
	has_user = add_user(s, in, *ret_user, &sentence);
	if (has_user && !(s->interactive && (*ret || *ret_held))) {
		r = tsh_cmd_confirm(s, NULL, NULL, err, "%s", sentence.buf);
	} else {
		tsh_strbuf_adds(&sentence, has_user ? ", and" : " and");
		r = tsh_cmd_confirm_erase(s, in, TSH_ERASES_ALL, sentence.buf, err);
	}
	tsh_strbuf_release(&sentence);
	tsh_instance_close(in);
	return r;
}

static int delete_instance(struct tsh_session *s, const char *name, struct tsh_err *err)
{
	bool present;
	struct tsh_strbuf text = TSH_STRBUF_INIT;
	uint64_t unread, held;
	pid_t user;

	if (!strcmp(name, "top")) {
		tsh_err_set(err, TSH_FAILED, "'top' is the top-level buffer: it is no instance that "
			    "can be deleted");
		tsh_err_hint(err, "clear erases its events");
		return -1;
	}
	name = tsh_instance_parse_word(name);
	present = s->in->name && !strcmp(s->in->name, name);
	if (s->check)
		return 0;
	if (confirm_delete(s, name, &unread, &held, &user, err) < 0)
		return -1;
	tsh_reader_drop(s, name);
	if (tsh_instance_delete(s->dir, name, err) < 0)
		return -1;
	if (present)
		tsh_cmd_use_previous_instance(s);
	if (unread)
		tsh_format_count(unread, &text);
	tsh_strbuf_addf(&text, "%s event%s", unread ? "" : "no", tsh_plural(unread));
	if (held) {
		tsh_strbuf_adds(&text, " and ");
		tsh_format_count(held, &text);
		tsh_strbuf_adds(&text, " of its snapshot");
	}
	tsh_out_note(s->out, "instance '%s' is deleted, with %s%s%s", name, text.buf, present ? "; in use: " : "",
		     present ? tsh_instance_label(s->in) : "");
	tsh_strbuf_release(&text);
	if (user)
		tsh_out_warn(s->out, "process %d, another tracesh, had settings in '%s'", (int)user, name);
	return 0;
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
	if (r < 0 && err->number != ECANCELED)
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
		       "one takes its events along; undo does not bring it back. Where another tracesh has "
		       "settings in it, one is asked, and a batch file needs --yes.",
	.see_also = "status",
	.args = instance_args, .examples = instance_examples,
	.flags = TSH_CMD_WRITES | TSH_CMD_NEEDS_TRACEFS | TSH_CMD_PRINTS | TSH_CMD_IN_CHECK |
		 TSH_CMD_LIVE,
	.run = instance_run,
};
