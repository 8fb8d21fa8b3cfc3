/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "names.h"

#include <stdlib.h>
#include <string.h>

#include "base/xmalloc.h"

struct tsh_show_names {
	struct tsh_events all;		/* sorted by name */
};

static int compare(const void *a, const void *b)
{
	const struct tsh_event *x = a, *y = b;

	return strcmp(x->name, y->name);
}

/* Finds an event by its name. Returns NULL when there is none, or there are several. */
static const struct tsh_event *find(const struct tsh_events *all, const char *name)
{
	const struct tsh_event key = { .name = (char *)name }, *end = all->v + all->n, *found;

	found = all->n ? bsearch(&key, all->v, all->n, sizeof(key), compare) : NULL;
	if (!found || (found > all->v && !compare(found - 1, found)) ||
	    (found + 1 < end && !compare(found + 1, found)))
		return NULL;
	return found;
}

static size_t word_len(const char *text, size_t len)
{
	size_t n = 0;

	while (n < len && (text[n] == '_' || (text[n] >= '0' && text[n] <= '9') ||
			   (text[n] >= 'a' && text[n] <= 'z') ||
			   (text[n] >= 'A' && text[n] <= 'Z')))
		n++;
	return n;
}

static bool follows(const char *text, size_t len, size_t at, const char *what)
{
	size_t n = strlen(what);

	return len - at >= n && !memcmp(text + at, what, n);
}

const struct tsh_event *tsh_show_names_find(const struct tsh_show_names *names, const char *text,
					    size_t len, size_t *ret_skip)
{
	static const struct tsh_event print = { .system = (char *)"ftrace", .name = (char *)"print" };
	static const char marker[] = "tracing_mark_write: ";
	size_t word = word_len(text, len);
	const struct tsh_event *event = NULL;
	const char *side = NULL;
	char *name;

	*ret_skip = 0;
	if (follows(text, len, 0, marker)) {
		*ret_skip = sizeof(marker) - 1;
		return &print;
	}
	if (follows(text, len, word, ": ")) {
		name = tsh_xstrndup(text, word);
		event = find(&names->all, name);
		*ret_skip = event ? word + 2 : 0;
		free(name);
		return event;
	}
	if (follows(text, len, word, "("))
		side = "enter";
	else if (follows(text, len, word, " -> "))
		side = "exit";
	if (side && word > 4 && !memcmp(text, "sys_", 4)) {
		name = tsh_xasprintf("sys_%s_%.*s", side, (int)word - 4, text + 4);
		event = find(&names->all, name);
		free(name);
	}
	return event;
}

struct tsh_show_names *tsh_show_names_new(const struct tsh_dir *dir)
{
	struct tsh_show_names *names = tsh_xcalloc(1, sizeof(*names));
	struct tsh_err ignored = { 0 };

	if (tsh_events_available(dir, &names->all, &ignored) < 0)
		tsh_err_release(&ignored);
	if (names->all.n)
		qsort(names->all.v, names->all.n, sizeof(*names->all.v), compare);
	return names;
}

void tsh_show_names_free(struct tsh_show_names *names)
{
	if (!names)
		return;
	tsh_events_release(&names->all);
	free(names);
}
