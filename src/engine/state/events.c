/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "state.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/tracefs/defaults.h"
#include "kernel/tracefs/lines.h"
#include "kernel/tracefs/probe.h"
#include "kernel/tracefs/trigger.h"

/* Reads filters, triggers and the enabled events. Leaves out events that a session has made,
 * because they are removed with it. */

/* ---- triggers in the form that the kernel reads ---- */

static bool is_hist(const char *line)
{
	return !strncmp(line, "hist:", 5);
}

char *tsh_state_trigger_text(const char *printed)
{
	struct tsh_trigger trigger;
	char *text;

	if (tsh_trigger_parse(printed, &trigger) < 0)
		text = tsh_xstrdup(printed);
	else
		text = tsh_trigger_text(&trigger);
	tsh_trigger_release(&trigger);
	return text;
}

/* ---- histograms that use variables of each other ---- */

/* Limits the bytes of all triggers. */
#define TRIGGER_BYTES_MAX (4u << 20)
/* Limits the passes that order histograms by the variables they use. */
#define PASSES_MAX 64
/* Is the number of triggers between two checks for a signal. */
#define LOOK_EVERY 64

struct trigger {
	char *path;
	char *text;
	bool done;
	TSH_VEC(size_t) makes, uses;	/* indexes into the variables */
};

/* Holds a variable that triggers define. */
struct variable {
	const char *name;
	size_t len;
	size_t left;	/* triggers that define it and were not added yet */
	size_t seen;	/* number of the last trigger that names it, plus 1 */
};

struct triggers {
	struct trigger *v;
	size_t n, cap, bytes;
	TSH_VEC(struct variable) variables;	/* sorted, without duplicates */
	bool left_out;
};

static bool is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

static int compare_variables(const void *a, const void *b)
{
	const struct variable *x = a, *y = b;
	int r = memcmp(x->name, y->name, x->len < y->len ? x->len : y->len);

	return r ? r : (x->len > y->len) - (x->len < y->len);
}

/* Finds the next variable that the text defines, "..:NAME=" or "..,NAME=", or with `uses` that
 * it uses, "$NAME". Moves *text behind it. */
static bool find_next_variable(const char **text, bool uses, struct variable *ret)
{
	while ((*text = strpbrk(*text, uses ? "$" : ":,"))) {
		*ret = (struct variable){ .name = ++*text };
		while (is_word(ret->name[ret->len]))
			ret->len++;
		if (ret->len && (uses || ret->name[ret->len] == '='))
			return true;
	}
	return false;
}

static void find_variables(struct triggers *all)
{
	struct variable one;
	size_t i, kept = 0;

	for (i = 0; i < all->n; i++) {
		const char *p = all->v[i].text;

		while (find_next_variable(&p, false, &one))
			*tsh_vec_push(&all->variables) = one;
	}
	if (!all->variables.n)
		return;
	qsort(all->variables.v, all->variables.n, sizeof(one), compare_variables);
	for (i = 1; i < all->variables.n; i++)
		if (compare_variables(&all->variables.v[kept], &all->variables.v[i]))
			all->variables.v[++kept] = all->variables.v[i];
	all->variables.n = kept + 1;
}

/* Notes the variables that a trigger defines, or with `uses` those that it uses and others
 * define. */
static void link_trigger(struct triggers *all, size_t i, bool uses)
{
	struct trigger *t = &all->v[i];
	struct variable one, *found;
	const char *p = t->text;

	while (find_next_variable(&p, uses, &one)) {
		found = tsh_vec_find(&all->variables, &one, compare_variables);
		if (!found || found->seen == i + 1)
			continue;
		found->seen = i + 1;
		if (uses)
			*tsh_vec_push(&t->uses) = (size_t)(found - all->variables.v);
		else
			*tsh_vec_push(&t->makes) = (size_t)(found - all->variables.v);
		found->left += !uses;
	}
}

/* Says whether a trigger must wait, because it uses a variable of a trigger that was not added
 * yet, or because an earlier trigger of the same event waits. */
static bool must_wait(const struct triggers *all, size_t i)
{
	const struct trigger *t = &all->v[i];
	size_t k;

	if (i && !t[-1].done && !strcmp(t[-1].path, t->path))
		return true;
	for (k = 0; k < t->uses.n; k++)
		if (all->variables.v[t->uses.v[k]].left)
			return true;
	return false;
}

static void add_one(struct triggers *all, struct trigger *t, const char *label,
		    struct tsh_state *ret)
{
	size_t k;

	tsh_state_add(ret, label, t->path, t->text, true);
	t->done = true;
	for (k = 0; k < t->makes.n; k++)
		all->variables.v[t->makes.v[k]].left--;
}

/* Adds triggers after those whose variables they use. Triggers that wait for each other are
 * added in the order of the files. */
static void add_in_order(const struct tsh_instance *in, struct triggers *all, const char *label,
			 struct tsh_state *ret)
{
	size_t i, pass, left = all->n;
	bool force = false;

	find_variables(all);
	for (i = 0; i < all->n; i++) {
		link_trigger(all, i, false);
		link_trigger(all, i, true);
	}
	for (pass = 0; left; pass++) {
		size_t before = left;

		for (i = 0; i < all->n; i++) {
			if (i % LOOK_EVERY == 0 && tsh_state_is_stopped(in, ret))
				return;
			if (all->v[i].done || (!force && must_wait(all, i)))
				continue;
			add_one(all, &all->v[i], label, ret);
			left--;
		}
		force = left == before || pass == PASSES_MAX;
	}
}

static void release_triggers(struct triggers *all)
{
	size_t i;

	for (i = 0; i < all->n; i++) {
		free(all->v[i].path);
		free(all->v[i].text);
		tsh_vec_release(&all->v[i].makes);
		tsh_vec_release(&all->v[i].uses);
	}
	tsh_vec_release(&all->variables);
	tsh_vec_release(all);
}

static void add_trigger(struct triggers *all, const char *path, const char *line)
{
	struct trigger *t;

	all->bytes += strlen(line);
	if (all->n == TSH_TRIGGERS_MAX || all->bytes > TRIGGER_BYTES_MAX) {
		all->left_out = true;
		return;
	}
	t = tsh_vec_push(all);
	t->path = tsh_xstrdup(path);
	t->text = tsh_state_trigger_text(line);
}

static void read_triggers(const struct tsh_instance *in, const struct tsh_event *event,
			  struct triggers *all)
{
	char *path = tsh_event_path(event, "trigger");
	struct tsh_strlist lines = { 0 };
	size_t i;

	tsh_file_lines(in, path, &lines);
	/* The kernel puts a new trigger before the others, but a new histogram behind them. */
	for (i = lines.n; i-- > 0;)
		if (!is_hist(lines.v[i]))
			add_trigger(all, path, lines.v[i]);
	for (i = 0; i < lines.n; i++)
		if (is_hist(lines.v[i]))
			add_trigger(all, path, lines.v[i]);
	tsh_strlist_release(&lines);
	free(path);
}

/* ---- filters ---- */

static void read_filter(const struct tsh_instance *in, const char *label,
			const struct tsh_event *event, struct tsh_state *ret)
{
	char *path = tsh_event_path(event, "filter");
	char *text = tsh_file_text(in, path), *value;

	/* The file can have the error of a filter that the kernel has refused: that is no filter
	 * either. */
	if (text && !tsh_is_default(in, path, text)) {
		value = tsh_class_normalize(tsh_file_class(path), text);
		tsh_state_add(ret, label, path, value, false);
		free(value);
	}
	free(text);
	free(path);
}

void tsh_state_read_filters(const struct tsh_instance *in, const char *label,
			    struct tsh_state *ret)
{
	struct tsh_events events = { 0 };
	struct triggers triggers = { 0 };
	struct tsh_err err = { 0 };
	size_t i;

	if (tsh_events_available(in->dir, &events, &err) < 0) {
		tsh_state_remark(ret, label, "%s", err.message);
		tsh_strlist_add(&ret->unread, err.message);
		tsh_err_release(&err);
	}
	/* add the event of trace_marker: the only one of system ftrace that can have triggers */
	tsh_events_add(&events, "ftrace", "print");
	for (i = 0; i < events.n; i++) {
		if (tsh_state_is_stopped(in, ret))
			break;
		if (tsh_probe_is_group(events.v[i].system))
			continue;
		read_filter(in, label, &events.v[i], ret);
		read_triggers(in, &events.v[i], &triggers);
	}
	if (triggers.left_out) {
		tsh_state_remark(ret, label, "triggers are left out: there are too many");
		tsh_strlist_add(&ret->unread, "triggers (there are too many)");
	}
	add_in_order(in, &triggers, label, ret);
	release_triggers(&triggers);
	tsh_events_release(&events);
}

/* ---- enabled events ---- */

void tsh_state_read_enabled(const struct tsh_instance *in, const char *label,
			    struct tsh_state *ret)
{
	struct tsh_events events = { 0 };
	struct tsh_err err = { 0 };
	size_t i;

	if (tsh_events_enabled(in, &events, &err) < 0) {
		tsh_state_remark(ret, label, "%s", err.message);
		tsh_strlist_add(&ret->unread, err.message);
		tsh_err_release(&err);
	}
	for (i = 0; i < events.n; i++) {
		char *path, *text;

		if (tsh_state_is_stopped(in, ret))
			break;
		if (tsh_probe_is_group(events.v[i].system))
			continue;
		path = tsh_event_path(&events.v[i], "enable");
		text = tsh_file_text(in, path);

		/*
		 * "0*" is an event that a trigger enables, but no user has. A recording has no such
		 * file; neither has an event of system ftrace, which is in the list because of a
		 * trigger.
		 */
		if (text ? *text == '1' : in->dir->kind == TSH_DIR_TREE)
			tsh_state_add(ret, label, path, "1", false);
		free(text);
		free(path);
	}
	tsh_events_release(&events);
}
