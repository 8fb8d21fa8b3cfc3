/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "synth.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "explain.h"
#include "latency.h"
#include "tracesh/errlog.h"
#include "triggers.h"
#include "util.h"

/*
 * synth: events that the kernel makes of two others. Its triggers are in an instance of their own,
 * synth-NAME, since histograms of times change the clock and erase the buffer; the event is in
 * all instances. Instance, event and triggers go the journal's way back, the last one first.
 */

static const char list_file[] = "synthetic_events";

static struct tsh_instance top_of(struct tsh_session *s)
{
	return (struct tsh_instance){ .dir = s->dir, .fd = s->dir->fd };
}

static char *instance_name(const char *name)
{
	return tsh_xasprintf("synth-%s", name);
}

static int need_file(struct tsh_session *s, const struct tsh_call *call, struct tsh_err *err)
{
	struct tsh_instance top = top_of(s);

	if (s->dir->any || tsh_file_exists(&top, list_file))
		return 0;
	tsh_err_set(err, TSH_ENVIRONMENT, "this kernel has no synthetic events");
	tsh_err_hint(err, "it was built without CONFIG_SYNTH_EVENTS; latency pairs events here");
	tsh_err_blame(err, call->args.command);
	return -1;
}

/* ---- list ---- */

/* "wakeup_lat\tu64 lat; pid_t next_pid;" */
static void add_row(struct tsh_session *s, struct tsh_table *table, const char *line)
{
	size_t len = strcspn(line, " \t");
	char *name = tsh_xstrndup(line, len);
	char *instance = instance_name(name);

	tsh_table_row(table);
	tsh_table_text(table, name);
	tsh_table_text(table, line + len + strspn(line + len, " \t"));
	tsh_table_text(table, tsh_instance_exists(s->dir, instance) ? instance : NULL);
	free(instance);
	free(name);
}

static int list_synths(struct tsh_session *s)
{
	static const struct tsh_column columns[] = { { "event", TSH_COLUMN_TEXT },
						     { "fields", TSH_COLUMN_TEXT },
						     { "made in", TSH_COLUMN_TEXT }, { 0 } };
	struct tsh_instance top = top_of(s);
	char *text = tsh_file_text(&top, list_file);
	struct tsh_strlist lines = { 0 };
	struct tsh_table *table;
	size_t i, n = 0;

	if (text)
		tsh_strlist_split_lines(&lines, text);
	table = tsh_table_begin(s->out, "synth", columns);
	for (i = 0; i < lines.n; i++)
		if (*lines.v[i] && *lines.v[i] != '#') {
			add_row(s, table, lines.v[i]);
			n++;
		}
	tsh_table_end(table);
	if (!n)
		tsh_out_note(s->out, "there is no synthetic event; synth NAME START END makes one");
	tsh_strlist_release(&lines);
	free(text);
	return 0;
}

/* ---- delete ---- */

/* The events of an instance that have triggers: first those that make other events. */
static void find_triggered(struct tsh_instance *in, const struct tsh_events *all,
			   struct tsh_events *ret)
{
	unsigned int pass;
	size_t i;

	for (pass = 0; pass < 2; pass++)
		for (i = 0; i < all->n; i++) {
			char *path = tsh_event_path(&all->v[i], "trigger");
			char *text = tsh_file_text(in, path);
			bool is_set = text && !strncmp(text, "hist:", strlen("hist:"));
			bool makes = is_set && strstr(text, ":onmatch(");

			if (is_set && makes == !pass)
				tsh_events_add(ret, all->v[i].system, all->v[i].name);
			free(text);
			free(path);
		}
}

/* Its triggers by name: the kernel keeps what a variable is used for. */
static int delete_instance(struct tsh_session *s, const char *instance, struct tsh_err *err)
{
	struct tsh_session there = *s;
	struct tsh_events all = { 0 }, triggered = { 0 };
	bool present = s->in->name && !strcmp(s->in->name, instance);
	int r;

	if (!tsh_instance_exists(s->dir, instance))
		return 0;
	if (tsh_instance_open(s->dir, instance, &there.in, err) < 0)
		return -1;
	r = tsh_events_available(s->dir, &all, err);
	if (!r)
		find_triggered(there.in, &all, &triggered);
	if (!r && triggered.n && tsh_triggers_clear(&there, &triggered, err) < 0)
		r = -1;
	tsh_events_release(&all);
	tsh_events_release(&triggered);
	tsh_instance_close(there.in);
	if (!r && present)
		r = tsh_cmd_use_instance(s, "top", err);
	return r ? r : tsh_instance_delete(s->dir, instance, err);
}

static bool is_there(struct tsh_session *s, const char *name)
{
	char *path = tsh_xasprintf("events/synthetic/%s", name);
	struct tsh_instance top = top_of(s);
	bool is = tsh_file_exists(&top, path);

	free(path);
	return is;
}

static int delete_synth(struct tsh_session *s, const struct tsh_call *call, struct tsh_err *err)
{
	const struct tsh_value *name = tsh_args_get(&call->args, "NAME");
	struct tsh_instance top = top_of(s);
	char *instance, *line;
	int r;

	if (!name) {
		tsh_err_at(err, call->args.whole, "missing the event's name");
		tsh_err_hint(err, "synth delete NAME; synth list shows them");
		return -1;
	}
	if (!is_there(s, name->word.text)) {
		tsh_err_at(err, name->word.span, "there is no synthetic event '%s'", name->word.text);
		err->status = TSH_FAILED;
		tsh_err_hint(err, "synth list shows what there is");
		return -1;
	}
	instance = instance_name(name->word.text);
	line = tsh_xasprintf("!%s", name->word.text);
	r = delete_instance(s, instance, err);
	if (!r && tsh_file_write(&top, list_file, TSH_WRITE_ADD, line, err) < 0)
		r = -1;
	if (r < 0)
		tsh_err_blame(err, name->word.span);
	else
		tsh_out_note(s->out, "the event 'synthetic:%s' is deleted", name->word.text);
	free(instance);
	free(line);
	return r;
}

/* ---- making ---- */

static int check_name(struct tsh_session *s, const struct tsh_value *name, struct tsh_err *err)
{
	const char *text = name->word.text;
	size_t i;

	for (i = 0; text[i]; i++)
		if (!isalnum((unsigned char)text[i]) && text[i] != '_')
			break;
	if (text[i] || isdigit((unsigned char)*text) || i > 60)
		return tsh_err_at(err, name->word.span, "'%s' cannot be an event's name: letters, "
				  "digits and _", text);
	/* parse_action_params */
	if (i < 3)
		return tsh_err_at(err, name->word.span, "'%s' is too short: the kernel makes no event of "
				  "less than three letters", text);
	if (!is_there(s, text))
		return 0;
	tsh_err_at(err, name->word.span, "there is a synthetic event '%s' already", text);
	err->status = TSH_FAILED;
	tsh_err_hint(err, "synth delete %s", text);
	return -1;
}

static int refuse_trigger(struct tsh_instance *in, const struct tsh_call *call, const char *mark,
			  const char *text, struct tsh_err *err)
{
	const struct tsh_value *word = tsh_args_get(&call->args, "START");

	if (tsh_errlog_explain(in, mark, "the trigger", text, err))
		tsh_err_hint(err, "it was: %s", text);
	err->span = (struct tsh_span){ 0 };
	tsh_err_blame(err, word->word.span);
	return -1;
}

static int add_trigger(struct tsh_instance *in, const struct tsh_call *call,
		       const struct tsh_event *event, const char *text, struct tsh_err *err)
{
	char *path = tsh_event_path(event, "trigger"), *mark = tsh_errlog_mark(in);
	int r = tsh_file_write(in, path, TSH_WRITE_ADD, text, err);

	if (r < 0)
		refuse_trigger(in, call, mark, text, err);
	free(mark);
	free(path);
	return r < 0 ? -1 : 0;
}

static int write_all(struct tsh_session *s, const struct tsh_call *call, struct tsh_instance *in,
		     const struct synth_texts *texts, struct tsh_err *err)
{
	struct tsh_instance top = top_of(s);
	char *mark = tsh_errlog_mark(&top);
	int r = tsh_file_write(&top, list_file, TSH_WRITE_ADD, texts->definition, err);

	if (r < 0)
		refuse_trigger(&top, call, mark, texts->definition, err);
	free(mark);
	if (r < 0 ||
	    add_trigger(in, call, &call->events.v[LATENCY_BEGIN], texts->begin, err) < 0 ||
	    add_trigger(in, call, &call->events.v[LATENCY_END], texts->end, err) < 0)
		return -1;
	return 0;
}

static int make_synth(struct tsh_session *s, const struct tsh_call *call, struct tsh_err *err)
{
	const struct tsh_value *name = tsh_args_get(&call->args, "NAME");
	char *label = instance_name(name->word.text);
	struct tsh_instance *in = NULL;
	struct synth_texts texts;
	int r = check_name(s, name, err);

	if (!r)
		r = synth_texts_make(s, call, &texts, err);
	if (!r) {
		r = tsh_cmd_check_instance(s->dir, err);
		if (!r)
			r = tsh_instance_create(s->dir, label, &in, err);
		if (!r)
			r = write_all(s, call, in, &texts, err);
		synth_texts_release(&texts);
	}
	if (in)
		tsh_instance_close(in);
	if (!r)
		tsh_out_note(s->out, "the event 'synthetic:%s' is there: stream %s; lat is in ns",
			     name->word.text, name->word.text);
	free(label);
	return r;
}

/* ---- the command ---- */

static int synth_name_events(struct tsh_session *s, struct tsh_call *call, struct tsh_err *err)
{
	if (need_file(s, call, err) < 0)
		return -1;
	return tsh_args_has(&call->args, "START") ? latency_name_events(s, call, err) : 0;
}

static int synth_run(struct tsh_session *s, const struct tsh_call *call, struct tsh_err *err)
{
	const char *action = tsh_args_text(&call->args, "ACTION");
	const struct tsh_value *name = tsh_args_get(&call->args, "NAME");
	const struct tsh_value *start = tsh_args_get(&call->args, "START");

	if (action && start)
		return tsh_err_at(err, start->word.span, "%s takes no events", action);
	if (action && !strcmp(action, "delete"))
		return delete_synth(s, call, err);
	if (action && name)
		return tsh_err_at(err, name->word.span, "list takes no name");
	if (!name)
		return list_synths(s);
	if (start)
		return make_synth(s, call, err);
	tsh_err_at(err, name->word.span, "missing the two events that it is made of");
	tsh_err_hint(err, "synth %s START END on KEY, or wakeup, syscall NAME ..", name->word.text);
	return -1;
}

static int synth_explain(struct tsh_session *s, struct tsh_call *call, struct tsh_err *err)
{
	struct synth_texts texts;
	struct tsh_table *table;
	char *label, *path;
	unsigned int role;

	if (!tsh_args_has(&call->args, "START"))
		return tsh_err_at(err, call->args.whole, "there is nothing to explain");
	if (synth_texts_make(s, call, &texts, err) < 0)
		return -1;
	label = instance_name(tsh_args_text(&call->args, "NAME"));
	table = tsh_explain_writes(s);
	tsh_explain_write(table, list_file, texts.definition);
	for (role = 0; role < LATENCY_ROLES; role++) {
		char *file = tsh_event_path(&call->events.v[role], "trigger");

		path = tsh_xasprintf("instances/%s/%s", label, file);
		tsh_explain_write(table, path, role == LATENCY_BEGIN ? texts.begin : texts.end);
		free(path);
		free(file);
	}
	tsh_table_end(table);
	free(label);
	synth_texts_release(&texts);
	return 0;
}

static const char *const synth_actions[] = { "list", "delete", NULL };

static const struct tsh_arg synth_args[] = {
	{ .name = "ACTION", .type = TSH_ARG_CHOICE, .choices = synth_actions,
	  .flags = TSH_ARG_OPTIONAL, .help = "list (the default), or delete NAME; undo brings it back" },
	{ .name = "NAME", .type = TSH_ARG_WORD, .flags = TSH_ARG_OPTIONAL,
	  .help = "what the event is to be called" },
	{ .name = "START", .type = TSH_ARG_EVENT, .flags = TSH_ARG_OPTIONAL,
	  .help = "the event that begins it; or block, irq, off-cpu, softirq, syscall, wakeup" },
	{ .name = "END", .type = TSH_ARG_EVENT, .flags = TSH_ARG_OPTIONAL,
	  .help = "the event that ends it; behind syscall its name" },
	{ .name = "KEY", .clause = "on", .type = TSH_ARG_TEXT, .flags = TSH_ARG_OPTIONAL,
	  .help = "what the two have in common: a field, or A=B: A of START, B of END" },
	{ .name = "KEYS", .clause = "with", .type = TSH_ARG_TEXT, .flags = TSH_ARG_OPTIONAL,
	  .help = "up to three fields more that it has, of START or of END" },
	{ .name = "FILTER", .clause = "if", .type = TSH_ARG_EXPRESSION, .flags = TSH_ARG_OPTIONAL,
	  .help = "the kernel's filter, of START if it has its fields, else of END" },
	{ 0 }
};

static const struct tsh_example synth_examples[] = {
	{ "try synth wakeup_lat wakeup with comm", "from each wakeup until the task runs" },
	{ "try synth slow_read syscall read with fd,count", "reads, with their arguments" },
	{ "try synth delete wakeup_lat", "and its triggers" },
	{ "try synth list", "what there is" },
	{ 0 }
};

const struct tsh_cmd tsh_cmd_synth = {
	.name = "synth", .group = TSH_GROUP_ANALYSE,
	.summary = "make events of two others, with the time between them",
	.description =
		"The kernel pairs START with the END that has the same key, as latency does, and makes an "
		"event of each pair: with lat, the time between them in ns, the keys, and the fields "
		"behind with. It is an event like any other: stream NAME if lat > 1000000, hist NAME by "
		"lat.log2, in each instance. What is recorded is only that, in place of all the events "
		"of both.\n"
		"Its histograms are in an instance of their own, synth-NAME, and have room for 2048 keys "
		"that wait for their END. They go with undo and restore; synth delete takes them away "
		"without.",
	.see = "latency stream hist trigger",
	.args = synth_args, .examples = synth_examples,
	.flags = TSH_CMD_WRITES | TSH_CMD_NEEDS_TRACEFS | TSH_CMD_PRINTS | TSH_CMD_LIVE,
	.run = synth_run, .name_events = synth_name_events, .explain = synth_explain,
};
