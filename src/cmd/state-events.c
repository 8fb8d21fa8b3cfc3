/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "state.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "tracesh/defaults.h"
#include "tracesh/probe.h"
#include "tracesh/trigger.h"

/* Filters, triggers, and what is enabled; but for the events that sessions make, which go with them. */

/* ---- triggers as they are written ---- */

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

/* ---- histograms that use each other's variables ---- */

struct trigger {
	char *path;
	char *text;
	bool done;
};
struct triggers {
	struct trigger *v;
	size_t n, cap;
};

static bool is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

/* Whether the text makes the variable: "..:NAME=" or "..,NAME=". */
static bool defines(const char *text, const char *name, size_t len)
{
	const char *p;

	for (p = text; (p = strpbrk(p, ":,")); p++)
		if (!strncmp(p + 1, name, len) && p[1 + len] == '=')
			return true;
	return false;
}

static bool is_made_later(const struct triggers *all, const struct trigger *t, const char *name,
			  size_t len)
{
	size_t i;

	if (defines(t->text, name, len))
		return false;
	for (i = 0; i < all->n; i++)
		if (!all->v[i].done && &all->v[i] != t && defines(all->v[i].text, name, len))
			return true;
	return false;
}

/* Whether a trigger uses a variable of one that is not there yet, or comes behind one of its
 * event that waits. */
static bool must_wait(const struct triggers *all, const struct trigger *t)
{
	const struct trigger *before;
	const char *p = t->text;
	size_t len;

	for (before = t; before > all->v && !strcmp(before[-1].path, t->path); before--)
		if (!before[-1].done)
			return true;
	while ((p = strchr(p, '$'))) {
		for (p++, len = 0; is_word(p[len]); len++)
			;
		if (len && is_made_later(all, t, p, len))
			return true;
	}
	return false;
}

/* Those that are used first; what waits for itself comes as it stands. */
static void add_in_order(struct triggers *all, const char *label, struct tsh_state *ret)
{
	bool force = false;
	size_t i, left = all->n;

	while (left) {
		size_t before = left;

		for (i = 0; i < all->n; i++) {
			struct trigger *t = &all->v[i];

			if (t->done || (!force && must_wait(all, t)))
				continue;
			tsh_state_add(ret, label, t->path, t->text, true);
			t->done = true;
			left--;
		}
		force = left == before;
	}
}

static void add_trigger(struct triggers *all, const char *path, const char *line)
{
	struct trigger *t = tsh_vec_push(all);

	t->path = tsh_xstrdup(path);
	t->text = tsh_state_trigger_text(line);
}

static void read_triggers(const struct tsh_instance *in, const struct tsh_event *event,
			  struct triggers *all)
{
	char *path = tsh_event_path(event, "trigger");
	char *text = tsh_file_text(in, path);
	struct tsh_strlist lines = { 0 };
	size_t i;

	if (text)
		tsh_strlist_split_lines(&lines, text);
	/* The kernel puts a new one before the others, but a histogram behind them. */
	for (i = lines.n; i-- > 0;)
		if (lines.v[i][0] && lines.v[i][0] != '#' && !is_hist(lines.v[i]))
			add_trigger(all, path, lines.v[i]);
	for (i = 0; i < lines.n; i++)
		if (is_hist(lines.v[i]))
			add_trigger(all, path, lines.v[i]);
	tsh_strlist_release(&lines);
	free(text);
	free(path);
}

/* ---- filters ---- */

static void read_filter(const struct tsh_instance *in, const char *label,
			const struct tsh_event *event, struct tsh_state *ret)
{
	char *path = tsh_event_path(event, "filter");
	char *text = tsh_file_text(in, path), *value;

	/* The error message that a refused filter leaves there is none, too. */
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
		tsh_err_release(&err);
	}
	/* A marker's event: the one of ftrace itself that takes triggers. */
	tsh_events_add(&events, "ftrace", "print");
	for (i = 0; i < events.n; i++) {
		if (tsh_probe_is_group(events.v[i].system))
			continue;
		read_filter(in, label, &events.v[i], ret);
		read_triggers(in, &events.v[i], &triggers);
	}
	add_in_order(&triggers, label, ret);
	for (i = 0; i < triggers.n; i++) {
		free(triggers.v[i].path);
		free(triggers.v[i].text);
	}
	tsh_vec_release(&triggers);
	tsh_events_release(&events);
}

/* ---- what is enabled ---- */

void tsh_state_read_enabled(const struct tsh_instance *in, const char *label,
			    struct tsh_state *ret)
{
	struct tsh_events events = { 0 };
	struct tsh_err err = { 0 };
	size_t i;

	if (tsh_events_enabled(in, &events, &err) < 0) {
		tsh_state_remark(ret, label, "%s", err.message);
		tsh_err_release(&err);
	}
	for (i = 0; i < events.n; i++) {
		char *path, *text;

		if (tsh_probe_is_group(events.v[i].system))
			continue;
		path = tsh_event_path(&events.v[i], "enable");
		text = tsh_file_text(in, path);

		/* 0*: a trigger may enable it, nobody has. A recording has no such file, and an
		 * event of ftrace itself has none either: it stands there for its trigger. */
		if (text ? *text == '1' : in->dir->kind == TSH_DIR_TREE)
			tsh_state_add(ret, label, path, "1", false);
		free(text);
		free(path);
	}
	tsh_events_release(&events);
}
