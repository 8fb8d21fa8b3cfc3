/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "values.h"

#include <stdlib.h>
#include <string.h>

#include "base/suggest.h"
#include "base/utf8.h"
#include "session/event-format.h"

/* Completes events. */

/* Limits the candidates that are described by their fields, and the length of the description. */
#define FIELDS_MAX 32
#define FIELDS_WIDTH 100

/* Holds the sorted names of all events, to find names that only one system has. */
struct names {
	const char **v;
	size_t n;
};

static int compare_names(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static void sort_names(const struct tsh_events *all, struct names *ret)
{
	ret->v = tsh_xcalloc(all->n + 1, sizeof(*ret->v));
	for (ret->n = 0; ret->n < all->n; ret->n++)
		ret->v[ret->n] = all->v[ret->n].name;
	qsort(ret->v, ret->n, sizeof(*ret->v), compare_names);
}

static bool is_unique(const struct names *names, const char *name)
{
	const char *const *found = bsearch(&name, names->v, names->n, sizeof(*names->v),
					   compare_names);
	size_t i = found ? (size_t)(found - (const char *const *)names->v) : 0;

	return found && (i == 0 || strcmp(names->v[i - 1], name) != 0) &&
	       (i + 1 >= names->n || strcmp(names->v[i + 1], name) != 0);
}

/*
 * Adds systems, and names that only one system has. Adds no names when no letter is typed, because
 * there are thousands, or when a system matches: "sched" means the system rather than sched_switch.
 */
static void add_bare_events(const struct tsh_cursor *at, const struct tsh_events *all,
			    const struct names *names)
{
	bool is_name = strchr(at->word, '_') != NULL;
	size_t i, first = 0;

	for (i = 0; i < all->n; i++) {
		char *system, *help;

		if (i + 1 < all->n && !strcmp(all->v[i].system, all->v[i + 1].system))
			continue;
		system = tsh_xasprintf("%s:", all->v[i].system);
		help = tsh_xasprintf("%zu event%s", i + 1 - first, i == first ? "" : "s");
		tsh_candidate_add(at, system, help, true);
		free(help);
		free(system);
		first = i + 1;
	}
	if (!*at->word || (at->ret->n && at->ret->is_exact && !is_name))
		return;
	for (i = 0; i < all->n; i++)
		if (is_unique(names, all->v[i].name))
			tsh_candidate_add(at, all->v[i].name, all->v[i].system, false);
}

/* Adds events as "sched:sched_switch". ":sched_switch" means the event of that name in any
 * system. */
static void add_full_events(const struct tsh_cursor *at, const struct tsh_events *all,
			    const struct names *names, const char *mark)
{
	size_t i, len = (size_t)(mark - at->word);

	for (i = 0; i < all->n; i++) {
		const struct tsh_event *event = &all->v[i];
		char *full;

		if (len && (strlen(event->system) != len ||
			    memcmp(event->system, at->word, len) != 0))
			continue;
		full = tsh_xasprintf("%s%c%s", len ? event->system : "", *mark, event->name);
		if (len || is_unique(names, event->name))
			tsh_candidate_add(at, full, NULL, false);
		free(full);
	}
}

static char *list_fields(const struct tsh_session *s, const struct tsh_event *event)
{
	struct tsh_event_format *format = tsh_event_format_read(s->in, event);
	struct tsh_strbuf text = TSH_STRBUF_INIT;
	size_t i;

	for (i = 0; format && i < format->nfields && text.len < FIELDS_WIDTH; i++)
		if (!format->fields[i].is_common)
			tsh_strbuf_addf(&text, "%s%s", text.len ? " " : "",
					format->fields[i].name);
	tsh_event_format_free(format);
	return tsh_strbuf_detach(&text);
}

/* Describes events by their fields, when there are few candidates. */
static void describe(const struct tsh_cursor *at, const struct tsh_events *all)
{
	struct tsh_events found = { 0 };
	struct tsh_err err = { 0 };
	size_t i;

	for (i = 0; at->s->in && at->ret->n <= FIELDS_MAX && i < at->ret->n; i++) {
		struct tsh_candidate *c = &at->ret->v[i];

		if (c->partial || *c->help || tsh_is_glob(c->text))
			continue;
		if (!tsh_events_match(all, c->text, &found, &err) && found.n == 1) {
			char *fields = list_fields(at->s, &found.v[0]);

			free(c->help);
			c->help = tsh_sanitize_dup(fields);
			free(fields);
		}
		tsh_err_release(&err);
		tsh_events_release(&found);
	}
}

void tsh_candidates_events(const struct tsh_cursor *at)
{
	const char *mark = strpbrk(at->word, ":/");
	struct tsh_events all = { 0 };
	struct tsh_err err = { 0 };
	struct names names;

	if (!at->s->dir || tsh_events_available(at->s->dir, &all, &err) < 0) {
		tsh_err_release(&err);
		return;
	}
	sort_names(&all, &names);
	if (mark)
		add_full_events(at, &all, &names, mark);
	else
		add_bare_events(at, &all, &names);
	describe(at, &all);
	free(names.v);
	tsh_events_release(&all);
}
