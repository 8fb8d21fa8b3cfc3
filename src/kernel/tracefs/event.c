/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "event.h"

#include <errno.h>
#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "base/suggest.h"
#include "backend.h"
#include "probe.h"
#include "tree-text.h"

void tsh_events_release(struct tsh_events *events)
{
	size_t i;

	for (i = 0; i < events->n; i++) {
		free(events->v[i].system);
		free(events->v[i].name);
	}
	free(events->own);
	events->own = NULL;
	tsh_vec_release(events);
}

void tsh_events_add(struct tsh_events *events, const char *system, const char *name)
{
	struct tsh_event *event = tsh_vec_push(events);

	event->system = tsh_xstrdup(system);
	event->name = tsh_xstrdup(name);
}

static int compare_events(const void *a, const void *b)
{
	const struct tsh_event *x = a, *y = b;
	int r = strcmp(x->system, y->system);

	return r ? r : strcmp(x->name, y->name);
}

void tsh_events_sort(struct tsh_events *events)
{
	size_t i, kept = 0;

	if (!events->n)
		return;
	qsort(events->v, events->n, sizeof(*events->v), compare_events);
	for (i = 1; i < events->n; i++) {
		if (!compare_events(&events->v[kept], &events->v[i])) {
			free(events->v[i].system);
			free(events->v[i].name);
		} else {
			events->v[++kept] = events->v[i];
		}
	}
	events->n = kept + 1;
}

/* Limits a list: the type of a record has 16 bits, so no kernel has more events. A recorded tree
 * may. */
#define EVENTS_MAX 65536

/* Parses lines "system:name", and ignores lines without a colon. Returns how many events were left
 * out. */
static size_t parse_list(char *text, struct tsh_events *ret)
{
	char *line = text, *end, *colon;
	size_t left_out = 0;

	for (; *line; line = end) {
		end = line + strcspn(line, "\n");
		if (*end)
			*end++ = '\0';
		colon = strchr(line, ':');
		if (!colon || colon == line || !colon[1])
			continue;
		/* Both are names of directories, which have at most NAME_MAX bytes. */
		if (colon - line > NAME_MAX || strlen(colon + 1) > NAME_MAX)
			continue;
		if (ret->n == EVENTS_MAX) {
			left_out++;
			continue;
		}
		*colon = '\0';
		tsh_events_add(ret, line, colon + 1);
	}
	tsh_events_sort(ret);
	return left_out;
}

static int read_list(const struct tsh_instance *in, const char *path, struct tsh_events *ret,
		     struct tsh_err *err)
{
	struct tsh_strbuf text = TSH_STRBUF_INIT;
	int r = tsh_file_read(in, path, &text);
	size_t left_out;

	if (r < 0) {
		tsh_strbuf_release(&text);
		return tsh_file_blame(in, path, r, err);
	}
	left_out = parse_list(text.buf, ret);
	if (left_out)
		tsh_tree_left_out(in, path, left_out);
	tsh_strbuf_release(&text);
	return 0;
}

int tsh_events_available(const struct tsh_dir *dir, struct tsh_events *ret, struct tsh_err *err)
{
	const struct tsh_instance top = { .dir = (struct tsh_dir *)dir, .fd = dir->fd };

	free(ret->own);
	ret->own = dir->group && tsh_probe_is_ours(dir, dir->group) ? tsh_xstrdup(dir->group) : NULL;
	return read_list(&top, "available_events", ret, err);
}

void tsh_events_of_system(const struct tsh_dir *dir, const char *system, struct tsh_events *ret)
{
	const struct tsh_instance top = { .dir = (struct tsh_dir *)dir, .fd = dir->fd };
	char *path = tsh_xasprintf("events/%s", system);
	struct tsh_strlist names = { 0 };
	size_t i;

	/* The events of the system ftrace cannot be enabled. */
	if (strcmp(system, "ftrace") && !tsh_file_list(&top, path, &names))
		for (i = 0; i < names.n; i++)
			if (strcmp(names.v[i], "enable") && strcmp(names.v[i], "filter"))
				tsh_events_add(ret, system, names.v[i]);
	tsh_events_sort(ret);
	tsh_strlist_release(&names);
	free(path);
}

int tsh_events_enabled(const struct tsh_instance *in, struct tsh_events *ret,
		       struct tsh_err *err)
{
	return read_list(in, "set_event", ret, err);
}

int tsh_events_armed(const struct tsh_instance *in, struct tsh_events *ret, struct tsh_err *err)
{
	int r = tsh_events_enabled(in, ret, err);

	/* Adds the event of markers, the only one of the system ftrace that can have triggers. Some
	 * kernels do not list it. */
	if (tsh_file_exists(in, "events/ftrace/print/trigger"))
		tsh_events_add(ret, "ftrace", "print");
	tsh_events_sort(ret);
	return r;
}

void tsh_events_add_recording(const struct tsh_instance *in, const struct tsh_events *enabled,
			      size_t max, struct tsh_events *ret)
{
	size_t i;

	for (i = 0; i < enabled->n; i++) {
		const struct tsh_event *event = &enabled->v[i];
		char *path = tsh_event_path(event, "enable");
		char *state = enabled->n <= max ? tsh_file_text(in, path) : NULL;

		/* A recorded tree has no file `enable`; there events of the system ftrace, which
		 * only have triggers, are left out. */
		if (state ? *state != '0' : strcmp(event->system, "ftrace") != 0)
			tsh_events_add(ret, event->system, event->name);
		free(state);
		free(path);
	}
}

int tsh_events_read_recording(const struct tsh_instance *in, struct tsh_events *ret, struct tsh_err *err)
{
	struct tsh_events enabled = { 0 };
	int r = tsh_events_enabled(in, &enabled, err);

	if (!r)
		tsh_events_add_recording(in, &enabled, SIZE_MAX, ret);
	tsh_events_release(&enabled);
	return r;
}

/* Holds a word split into globs for the system and the name; an empty one matches all. */
struct pattern {
	char *system;
	char *name;
	bool bare;		/* a word without ':' or '/' */
};

static void split_pattern(const char *word, struct pattern *ret)
{
	size_t len = strcspn(word, ":/");

	ret->bare = word[len] == '\0';
	ret->system = tsh_xstrndup(word, len);
	ret->name = tsh_xstrdup(ret->bare ? "" : word + len + 1);
}

static bool glob_or_empty(const char *glob, const char *text)
{
	return !*glob || tsh_glob_match(glob, text);
}

/* Counts the systems and the events that a bare word matches. */
static void count_bare(const struct tsh_events *all, const char *word, size_t *ret_systems,
		       size_t *ret_events)
{
	size_t i;

	*ret_systems = *ret_events = 0;
	for (i = 0; i < all->n; i++) {
		*ret_systems += (!i || strcmp(all->v[i].system, all->v[i - 1].system)) &&
				tsh_glob_match(word, all->v[i].system);
		*ret_events += tsh_glob_match(word, all->v[i].name) != 0;
	}
}

static int ambiguous(struct tsh_err *err, const struct tsh_events *all, const char *word)
{
	struct tsh_strbuf list = TSH_STRBUF_INIT;
	size_t i, shown = 0;

	for (i = 0; i < all->n && shown < 8; i++)
		if (!strcmp(all->v[i].name, word))
			tsh_strbuf_addf(&list, "%s%s:%s", shown++ ? ", " : "",
					all->v[i].system, all->v[i].name);
	tsh_err_set(err, TSH_FAILED, "several events are called '%s'", word);
	tsh_err_hint(err, "say which: %s", list.buf);
	tsh_strbuf_release(&list);
	return -1;
}

static int refuse_both(struct tsh_err *err, const struct tsh_events *all, const char *word)
{
	const char *system = word;
	size_t i;

	for (i = 0; i < all->n; i++)
		if (!strcmp(all->v[i].name, word))
			system = all->v[i].system;
	tsh_err_set(err, TSH_FAILED, "'%s' is both a system and an event", word);
	tsh_err_hint(err, "'%s:' for the system, '%s:%s' for the event", word, system, word);
	return -1;
}

/* Counts the events whose names contain the word; sets *ret_one to the last of them. */
static size_t count_parts(const struct tsh_events *all, const char *word,
			  const struct tsh_event **ret_one)
{
	size_t i, n = 0;

	for (i = 0; strlen(word) > 2 && !tsh_is_glob(word) && i < all->n; i++)
		if (strstr(all->v[i].name, word)) {
			*ret_one = &all->v[i];
			n++;
		}
	return n;
}

static int unknown(struct tsh_err *err, const struct tsh_events *all, const char *word)
{
	const struct tsh_event *one = NULL;
	size_t parts = count_parts(all, word, &one), i;
	struct tsh_suggest near;

	if (tsh_is_glob(word))
		tsh_err_set(err, TSH_FAILED, "no event matches '%s'", word);
	else
		tsh_err_set(err, TSH_FAILED, "unknown event '%s'", word);
	tsh_suggest_init(&near, word);
	for (i = 0; i < all->n; i++) {
		char *full = tsh_xasprintf("%s:%s", all->v[i].system, all->v[i].name);

		tsh_suggest_offer(&near, full);
		free(full);
		if (!i || strcmp(all->v[i].system, all->v[i - 1].system))
			tsh_suggest_offer(&near, all->v[i].system);
	}
	if (!strcasecmp(word, "group"))
		tsh_err_hint(err, "by FIELD, without a group before it");
	else if (strchr(word, ','))
		tsh_err_hint(err, "events stand one after the other, with blanks between them");
	else if (parts > 1)
		tsh_err_hint(err, "'*%s*' matches %zu events", word, parts);
	else if (parts)
		tsh_err_hint(err, "did you mean '%s:%s'?", one->system, one->name);
	else if (tsh_suggest_best(&near) && !tsh_is_glob(word))
		tsh_err_hint(err, "did you mean '%s'?", tsh_suggest_best(&near));
	else
		tsh_err_hint(err, "events lists them, events '*WORD*' searches");
	tsh_suggest_release(&near);
	return -1;
}

/*
 * Returns the event of this session's own probe of that name, also when other sessions have probes
 * of the same name. Returns NULL when there is none, or when the name is also that of a system or
 * of another event.
 */
static const struct tsh_event *own_probe(const struct tsh_events *all, const char *name)
{
	const struct tsh_event *own = NULL;
	bool unclear = false;
	size_t i;

	for (i = 0; i < all->n; i++) {
		const struct tsh_event *event = &all->v[i];

		if (!strcmp(event->system, name))
			unclear = true;
		if (strcmp(event->name, name) != 0)
			continue;
		if (all->own && !strcmp(event->system, all->own))
			own = event;
		else if (!tsh_probe_is_group(event->system))
			unclear = true;
	}
	return unclear ? NULL : own;
}

int tsh_events_match(const struct tsh_events *all, const char *word, struct tsh_events *ret,
		     struct tsh_err *err)
{
	const struct tsh_event *own = own_probe(all, word + (*word == ':'));
	struct pattern pat;
	size_t i, systems = 0, events = 0, found = 0;
	bool by_system = false, is_all = !strcmp(word, "all");
	int r = 0;

	if (own) {
		tsh_events_add(ret, own->system, own->name);
		tsh_events_sort(ret);
		return 0;
	}
	split_pattern(word, &pat);
	if (pat.bare) {
		count_bare(all, word, &systems, &events);
		if (!tsh_is_glob(word) && systems && events)
			r = refuse_both(err, all, word);
		else if (!tsh_is_glob(word) && events > 1)
			r = ambiguous(err, all, word);
		by_system = systems && !(tsh_is_glob(word) && events);
	} else if (!*pat.system && !tsh_is_glob(pat.name)) {
		count_bare(all, pat.name, &systems, &events);
		if (events > 1)
			r = ambiguous(err, all, pat.name);
	}
	for (i = 0; !r && i < all->n; i++) {
		const struct tsh_event *event = &all->v[i];
		bool hit = pat.bare ? tsh_glob_match(word, by_system ? event->system :
							      event->name) :
				      glob_or_empty(pat.system, event->system) &&
				      glob_or_empty(pat.name, event->name);

		/* The word "all" means every event, unless a system or an event has that name. */
		if (hit || (is_all && !systems && !events)) {
			tsh_events_add(ret, event->system, event->name);
			found++;
		}
	}
	if (!r && !found)
		r = unknown(err, all, word);
	tsh_events_sort(ret);
	free(pat.system);
	free(pat.name);
	return r;
}

/* Says whether the part of a word before or after its colon matches a name. */
static bool part_means(const char *part, size_t len, const char *name)
{
	return !len || (len == 1 && *part == '*') ||
	       (strlen(name) == len && !memcmp(part, name, len));
}

bool tsh_event_word_selects(const char *word, const char *system, const char *name)
{
	const char *colon = strchr(word, ':');

	if (!colon)
		return !strcmp(word, name) || !strcmp(word, system);
	return part_means(word, (size_t)(colon - word), system) &&
	       part_means(colon + 1, strlen(colon + 1), name);
}

char *tsh_event_path(const struct tsh_event *event, const char *file)
{
	return tsh_xasprintf("events/%s/%s/%s", event->system, event->name, file);
}

char *tsh_event_filter(const struct tsh_instance *in, const struct tsh_event *event)
{
	char *path = tsh_event_path(event, "filter");
	char *text = tsh_file_text(in, path);

	free(path);
	if (text && !strcmp(text, "none")) {
		free(text);
		text = NULL;
	}
	return text;
}

/* Says whether an event has no filter, as most. False: it may have one, which tsh_event_filter returns. */
static bool has_no_filter(const struct tsh_instance *in, const struct tsh_event *event)
{
	static const char none[] = "none\n";
	char *path = tsh_event_path(event, "filter"), text[sizeof(none)];
	int fd;
	ssize_t n;

	fd = tsh_file_open(in, path, 0);
	free(path);
	if (fd < 0)
		return fd == -ENOENT;
	n = read(fd, text, sizeof(text));
	close(fd);
	return n == sizeof(none) - 1 && !memcmp(text, none, sizeof(none) - 1);
}

/* Reads show_event_filters. Returns false on a kernel without it (before 7.0). */
static bool read_filtered(const struct tsh_instance *in, struct tsh_events *ret)
{
	char *text = tsh_file_text(in, "show_event_filters"), *line, *next;
	bool is_there;

	/* "SYSTEM:EVENT    FILTER"; the kernel's complaint about a filter stands in lines below it */
	for (line = text; line && *line; line = next) {
		size_t len = strcspn(line, " \n"), system;

		next = line + strcspn(line, "\n");
		next += *next == '\n';
		line[len] = '\0';
		system = strcspn(line, ":");
		if (!system || system + 1 >= len || system > NAME_MAX || len - system > NAME_MAX)
			continue;
		line[system] = '\0';
		tsh_events_add(ret, line, line + system + 1);
	}
	tsh_events_sort(ret);
	is_there = text != NULL;
	free(text);
	return is_there;
}

/* Adds the event of a line of available_events if it may have a filter. */
static void add_filtered(const struct tsh_instance *in, char *line, struct tsh_events *ret)
{
	char *colon = strchr(line, ':');
	struct tsh_event event = { line, colon ? colon + 1 : line };

	if (!colon || colon == line || !colon[1])
		return;
	*colon = '\0';
	if (!has_no_filter(in, &event))
		tsh_events_add(ret, event.system, event.name);
}

int tsh_events_filtered(const struct tsh_instance *in, struct tsh_events *ret, bool (*is_aborted)(void *ctx),
			void *ctx, struct tsh_err *err)
{
	const struct tsh_instance top = tsh_top(in->dir);
	char text[4096 + 1], *line, *end;
	size_t len = 0;
	ssize_t n;
	int fd;

	/* what a recording has, and a dry run, comes from elsewhere */
	if (in->dir->kind == TSH_DIR_TREE || tsh_dir_model(in->dir))
		return tsh_events_available(in->dir, ret, err);
	if (read_filtered(in, ret))
		return 0;
	fd = tsh_file_open(&top, "available_events", 0);
	if (fd < 0)
		return tsh_file_blame(&top, "available_events", fd, err);
	/* The list is long: no more of it than a page is held. */
	while (!is_aborted(ctx) && (n = read(fd, text + len, sizeof(text) - 1 - len)) > 0) {
		len += (size_t)n;
		text[len] = '\0';
		for (line = text; (end = strchr(line, '\n')); line = end + 1) {
			*end = '\0';
			add_filtered(in, line, ret);
		}
		len = strlen(line);
		memmove(text, line, len);
		/* no name is as long as that */
		if (len == sizeof(text) - 1)
			len = 0;
	}
	close(fd);
	tsh_events_sort(ret);
	return 0;
}

char *tsh_enabled_event(const char *path)
{
	const char *event = strchr(path, '/'), *slash = event ? strchr(event + 1, '/') : NULL;
	const char *end = slash ? strchr(slash + 1, '/') : NULL;

	if (strncmp(path, "events/", 7) || !end || strcmp(end, "/enable"))
		return NULL;
	return tsh_xasprintf("%.*s:%.*s", (int)(slash - event - 1), event + 1,
			     (int)(end - slash - 1), slash + 1);
}
