/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "engine/pair/plan.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "kernel/journal/journal.h"
#include "kernel/tracefs/errlog.h"
#include "session/erasing.h"
#include "session/explain-table.h"
#include "session/util.h"
#include "triggers.h"

/*
 * Makes and deletes synthetic events. Their triggers are in an instance of their own, synth-NAME,
 * since histograms with times change the clock and erase the buffer; the event is in all instances.
 * The journal takes instance, event and triggers back in the reverse order.
 */

/* Limits the numbers that are tried for a name. */
#define NAMES_MAX 1000

char *synth_instance_of(const char *name)
{
	return tsh_xasprintf("synth-%s", name);
}

int synth_check_file(struct tsh_session *s, struct tsh_span span, struct tsh_err *err)
{
	struct tsh_instance top = tsh_top(s->dir);

	if (tsh_file_exists(&top, SYNTH_LIST))
		return 0;
	tsh_err_set(err, TSH_ENVIRONMENT, "this kernel has no synthetic events");
	tsh_err_hint(err, "it was built without CONFIG_SYNTH_EVENTS; latency and sql pair events "
			  "here, without --in-kernel");
	tsh_err_blame(err, span);
	return -1;
}

int synth_check_stacks(struct tsh_session *s, const struct synth_plan *plan, struct tsh_span span,
		       struct tsh_err *err)
{
	struct tsh_instance top = tsh_top(s->dir);
	char *readme;
	bool has;

	if (!synth_plan_has_stack(plan))
		return 0;
	readme = tsh_file_text(&top, "README");
	has = readme && strstr(readme, SYNTH_STACK);
	free(readme);
	if (has)
		return 0;
	tsh_err_set(err, TSH_ENVIRONMENT, "this kernel passes no stack from one event to another");
	tsh_err_hint(err, "kernels do since 6.4; sql pairs them here, without --in-kernel and --as");
	tsh_err_blame(err, span);
	return -1;
}

bool synth_exists(struct tsh_session *s, const char *name)
{
	char *path = tsh_xasprintf("events/synthetic/%s", name);
	struct tsh_instance top = tsh_top(s->dir);
	bool is = tsh_file_exists(&top, path);

	free(path);
	return is;
}

static bool is_taken(struct tsh_session *s, const char *name)
{
	char *instance = synth_instance_of(name);
	bool is = synth_exists(s, name) || tsh_instance_exists(s->dir, instance);

	free(instance);
	return is;
}

char *synth_free_name(struct tsh_session *s, const char *what, struct tsh_err *err)
{
	char *name = tsh_xasprintf("tracesh_%s_%d", what, (int)getpid());
	unsigned int n;

	for (n = 2; is_taken(s, name); n++) {
		free(name);
		if (n > NAMES_MAX) {
			tsh_err_set(err, TSH_FAILED, "all %d names from 'tracesh_%s_%d' on are taken", NAMES_MAX, what,
				    (int)getpid());
			tsh_err_hint(err, "synth lists the events, synth delete NAME removes one");
			return NULL;
		}
		name = tsh_xasprintf("tracesh_%s_%d_%u", what, (int)getpid(), n);
	}
	return name;
}

/* ---- making ---- */

/*
 * Refuses a name that another system's event has: neither could be named without its system then.
 */
static int check_others(struct tsh_session *s, const struct tsh_word *name, struct tsh_err *err)
{
	struct tsh_events all = { 0 };
	size_t i;
	int r = tsh_events_available(s->dir, &all, err);

	for (i = 0; !r && i < all.n; i++) {
		if (strcmp(all.v[i].name, name->text) != 0)
			continue;
		r = tsh_err_at(err, name->span, "%s:%s is called so: another name is needed",
			       all.v[i].system, all.v[i].name);
		err->status = TSH_FAILED;
	}
	tsh_events_release(&all);
	return r;
}

bool synth_is_self_pair(const struct synth_plan *plan)
{
	const struct pair_spec *spec = &plan->spec;
	bool is = spec->is_one;
	size_t i;

	for (i = 0; i < spec->nkeys && is; i++)
		is = !strcmp(spec->keys[LATENCY_BEGIN][i].title, spec->keys[LATENCY_END][i].title);
	return is;
}

int synth_check_pair(const struct synth_plan *plan, struct tsh_span span, struct tsh_err *err)
{
	if (!synth_is_self_pair(plan))
		return 0;
	tsh_err_at(err, span, "the kernel would pair each %s with itself", plan->spec.events->name);
	err->status = TSH_FAILED;
	tsh_err_hint(err, "latency and sql pair each with the one before, without --in-kernel");
	return -1;
}

int synth_check_name(struct tsh_session *s, const struct tsh_word *name, struct tsh_err *err)
{
	const char *text = name->text;
	size_t i;

	for (i = 0; text[i]; i++)
		if (!isalnum((unsigned char)text[i]) && text[i] != '_')
			break;
	if (text[i] || isdigit((unsigned char)*text) || i > 60)
		return tsh_err_at(err, name->span, "'%s' cannot be an event's name: letters, "
				  "digits and _", text);
	/* the least that parse_action_params takes */
	if (i < 3)
		return tsh_err_at(err, name->span, "'%s' is too short: the kernel makes no event of "
				  "less than three letters", text);
	if (!synth_exists(s, text))
		return check_others(s, name, err);
	tsh_err_at(err, name->span, "there is a synthetic event '%s' already", text);
	err->status = TSH_FAILED;
	tsh_err_hint(err, "synth delete %s", text);
	return -1;
}

static int refuse_text(struct tsh_instance *in, struct tsh_span span, const char *mark,
		       const char *text, struct tsh_err *err)
{
	if (tsh_errlog_explain(in, mark, "the trigger", text, err))
		tsh_err_hint(err, "it was: %s", text);
	err->span = span;
	return -1;
}

static int add_text(struct tsh_instance *in, struct tsh_span span, const char *path,
		    const char *text, struct tsh_err *err)
{
	char *mark = tsh_errlog_mark(in);
	int r = tsh_file_write(in, path, TSH_WRITE_ADD, text, err) < 0 ?
			refuse_text(in, span, mark, text, err) :
			0;

	free(mark);
	return r;
}

static int write_all(struct tsh_session *s, const struct synth_plan *plan, struct tsh_instance *in,
		     struct tsh_span span, struct tsh_err *err)
{
	struct tsh_instance top = tsh_top(s->dir);
	struct synth_texts texts;
	unsigned int role;
	int r;

	synth_texts_make(plan, &texts);
	r = add_text(&top, span, SYNTH_LIST, texts.definition, err);
	for (role = 0; !r && role < LATENCY_ROLES; role++) {
		char *path = tsh_event_path(&plan->spec.events[role], "trigger");

		r = add_text(in, span, path, texts.triggers[role], err);
		free(path);
	}
	synth_texts_release(&texts);
	return r;
}

int synth_make(struct tsh_session *s, const struct synth_plan *plan, struct tsh_span span,
	       struct tsh_err *err)
{
	char *label = synth_instance_of(plan->name);
	struct tsh_instance *in = NULL;
	int r = tsh_cmd_check_instance(s->dir, err);

	if (!r)
		r = tsh_instance_create(s->dir, label, &in, err);
	if (!r)
		r = write_all(s, plan, in, span, err);
	if (in)
		tsh_instance_close(in);
	free(label);
	return r;
}

void synth_explain_writes(struct tsh_session *s, const struct synth_plan *plan)
{
	char *label = synth_instance_of(plan->name);
	struct tsh_table *table = tsh_explain_writes(s);
	struct synth_texts texts;
	unsigned int role;

	synth_texts_make(plan, &texts);
	tsh_explain_write(table, SYNTH_LIST, texts.definition);
	for (role = 0; role < LATENCY_ROLES; role++) {
		char *file = tsh_event_path(&plan->spec.events[role], "trigger");
		char *path = tsh_xasprintf("instances/%s/%s", label, file);

		tsh_explain_write(table, path, texts.triggers[role]);
		free(path);
		free(file);
	}
	tsh_table_end(table);
	synth_texts_release(&texts);
	free(label);
}

/* ---- deleting ---- */

/*
 * Finds the events of an instance that have histograms, first those whose triggers make other
 * events.
 */
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

/* Removes the triggers, then the instance: the kernel keeps triggers whose variables are used. */
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

/*
 * Says whether an instance has the event enabled: the kernel does not remove it then. The caller
 * frees the name of that instance.
 */
static bool is_enabled(struct tsh_session *s, const char *name, char **ret_instance)
{
	char *path = tsh_xasprintf("events/synthetic/%s/enable", name);
	struct tsh_strlist names = { 0 };
	struct tsh_err ignored = { 0 };
	struct tsh_instance *in;
	bool is = false;
	size_t i;

	tsh_instance_list(s->dir, &names);
	for (i = 0; i <= names.n && !is; i++) {
		if (tsh_instance_open(s->dir, i ? names.v[i - 1] : NULL, &in, &ignored) < 0) {
			tsh_err_release(&ignored);
			continue;
		}
		is = tsh_file_number(in, path, 0) == 1;
		if (is)
			*ret_instance = tsh_xstrdup(tsh_instance_label(in));
		tsh_instance_close(in);
	}
	tsh_strlist_release(&names);
	free(path);
	return is;
}

static void forget_removal(struct tsh_journal *j)
{
	if (j->entries.n && !strcmp(j->entries.v[j->entries.n - 1].path, SYNTH_LIST))
		tsh_journal_drop_last(j);
}

int synth_delete(struct tsh_session *s, const char *name, struct tsh_err *err)
{
	struct tsh_instance top = tsh_top(s->dir);
	struct tsh_erasing erasing;
	char *instance, *line, *user;
	bool goes;
	int r;

	if (!s->dir->dry && is_enabled(s, name, &user)) {
		tsh_err_set(err, TSH_FAILED, "the event 'synthetic:%s' is enabled in '%s'", name, user);
		tsh_err_hint(err, "-i %s disable %s", user, name);
		free(user);
		return -1;
	}
	instance = synth_instance_of(name);
	line = tsh_xasprintf("!%s", name);
	goes = !s->dir->dry && tsh_instance_exists(s->dir, instance);
	r = delete_instance(s, instance, err);
	tsh_erasing_begin(&erasing, &top, TSH_ERASES_ELSEWHERE);
	if (!r && tsh_file_write(&top, SYNTH_LIST, TSH_WRITE_ADD, line, err) < 0) {
		r = -1;
		if (err->number == EBUSY)
			tsh_err_hint(err, "a job, another program or a trigger uses it: jobs lists those "
					  "of this session");
	} else if (!r && goes) {
		/* undo would bring back the definition alone, an event that nothing makes */
		forget_removal(s->dir->journal);
		tsh_out_note(s->out, "the instance '%s', which made it, is removed with it; undo brings neither "
			     "back", instance);
	}
	tsh_erasing_end(s, &erasing, false);
	free(instance);
	free(line);
	return r;
}
