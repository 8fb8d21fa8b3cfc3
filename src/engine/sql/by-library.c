/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sql.h"

#include <stdlib.h>
#include <string.h>

#include "engine/pair/plan.h"
#include "kernel/tracefs/tracefs.h"
#include "library/library.h"

/* Implements sql --sqlhist: prints the commands that libtracefs makes of a statement. */

/* Names the event as sqlhist does without a name. */
#define NAME "Anonymous"

/*
 * Reads the formats of all events whose names stand anywhere in the statement: libtracefs decides
 * which of them it needs.
 */
static int read_formats(const struct tsh_session *s, struct tsh_sqlhist *ask, struct tsh_err *err)
{
	struct tsh_events all = { 0 };
	int r = tsh_events_available(s->dir, &all, err);
	size_t i;

	for (i = 0; !r && i < all.n; i++) {
		struct tsh_strbuf text = TSH_STRBUF_INIT;
		char *path = tsh_event_path(&all.v[i], "format");

		if (strstr(ask->statement, all.v[i].name) && !tsh_file_read(s->in, path, &text)) {
			tsh_strlist_add(&ask->systems, all.v[i].system);
			tsh_strlist_add(&ask->formats, text.buf);
		}
		tsh_strbuf_release(&text);
		free(path);
	}
	tsh_events_release(&all);
	return r;
}

int sql_check_sqlhist(struct tsh_session *s, const struct tsh_call *call, struct tsh_err *err)
{
	static const char *const others[] = { "N", "TIME", "EVERY", "in-kernel", "no-kernel" };
	const struct tsh_value *other = NULL, *statement = tsh_args_get(&call->args, "STATEMENT"),
			       *name = tsh_args_get(&call->args, "NAME");
	size_t i;

	/* libtracefs puts statement and name between single quotes, for sh */
	if (strchr(statement->word.text, '\'')) {
		tsh_err_at(err, statement->word.span, "a ' would end the quotes in what is printed for sh");
		tsh_err_hint(err, "strings stand in double quotes: comm = \"name\"");
		return -1;
	}
	if (name && synth_check_name(s, &name->word, err) < 0)
		return -1;

	for (i = 0; !other && i < sizeof(others) / sizeof(others[0]); i++)
		other = tsh_args_get(&call->args, others[i]);
	if (!other)
		return 0;
	return tsh_err_at(err, other->word.span, "with --sqlhist nothing runs: --as NAME alone goes with it");
}

/* Adds what tracesh itself finds wrong with a statement that libtracefs has refused. */
static void add_hint(struct tsh_session *s, const struct tsh_call *call, struct tsh_err *err)
{
	const struct tsh_word *statement = &tsh_args_get(&call->args, "STATEMENT")->word;
	struct tsh_err own = { 0 };
	const char *lacks;

	if (sql_resolve(s, call, &lacks, &own) < 0) {
		err->span = own.span.end ? own.span : statement->span;
		tsh_err_hint(err, "tracesh finds here: %s", own.message);
	} else {
		err->span = err->span.end ? tsh_word_span(statement, err->span.begin, err->span.end) : statement->span;
		tsh_err_hint(err, "explain sql with the same statement says what tracesh makes of it");
	}
	tsh_err_release(&own);
}

/* Notes if this kernel would refuse the commands. */
static void note_lacks(struct tsh_session *s, const struct tsh_call *call)
{
	struct tsh_err own = { 0 };
	const char *lacks;

	if (!sql_resolve(s, call, &lacks, &own) && lacks)
		tsh_out_note(s->out, "this kernel refuses these commands: it has no %s", lacks);
	tsh_err_release(&own);
}

int sql_print_sqlhist(struct tsh_session *s, const struct tsh_call *call, struct tsh_err *err)
{
	const struct tsh_word *statement = &tsh_args_get(&call->args, "STATEMENT")->word;
	const char *name = tsh_args_text(&call->args, "NAME");
	struct tsh_sqlhist ask = { .statement = statement->text, .name = name ? name : NAME, .tracefs = s->dir->path };
	struct tsh_strbuf commands = TSH_STRBUF_INIT;
	int r = read_formats(s, &ask, err);

	if (!r)
		r = tsh_sqlhist(&ask, s->waiter, &commands, err);
	if (!r) {
		tsh_out_text(s->out, commands.buf, commands.len);
		note_lacks(s, call);
	} else if (err->status == TSH_USAGE) {
		add_hint(s, call, err);
	} else {
		tsh_err_blame(err, statement->span);
	}
	tsh_strbuf_release(&commands);
	tsh_strlist_release(&ask.systems);
	tsh_strlist_release(&ask.formats);
	return r;
}
