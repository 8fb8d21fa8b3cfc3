/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/tracefs/event.h"
#include "provider-internal.h"
#include "source.h"

/* Sets for how long an id that was not found is not searched again. */
#define SEARCH_AGAIN_NS UINT64_C(1000000000)
#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))
/* Limits the folders' entries that are read in a recording, which may be hostile. */
#define TREE_EVENTS_MAX 65536
/* Limits a format file, far above any that the kernel has. */
#define FORMAT_MAX (1u << 20)

static char *read_event_file(const struct tsh_live_provider *p, const char *system,
			     const char *name, const char *file)
{
	char *path = tsh_xasprintf("events/%s/%s/%s", system, name, file);
	char *text = tsh_file_text(p->in, path);

	/* Old kernels have no events/ftrace in an instance. */
	if (!text && p->top)
		text = tsh_file_text(p->top, path);
	free(path);
	if (text && strlen(text) > FORMAT_MAX) {
		free(text);
		return NULL;
	}
	return text;
}

static bool read_id(const struct tsh_live_provider *p, const char *system, const char *name,
		    unsigned int *ret_id)
{
	char *text = read_event_file(p, system, name, "id");
	uint64_t id;
	bool good;

	good = text && !tsh_parse_u64(text, &id) && id <= UINT16_MAX;
	if (!text) {
		/* A recording may have format files only, without files `id`. */
		const char *line;

		text = read_event_file(p, system, name, "format");
		line = text ? strstr(text, "\nID: ") : NULL;
		if (line) {
			char *number = tsh_xstrndup(line + 5, strcspn(line + 5, "\n"));

			good = !tsh_parse_u64(number, &id) && id <= UINT16_MAX;
			free(number);
		}
	}
	free(text);
	if (good)
		*ret_id = (unsigned int)id;
	return good;
}

static struct tsh_known_event *find_id(const struct tsh_live_provider *p, unsigned int id)
{
	size_t i;

	for (i = 0; i < p->events.n; i++)
		if (p->events.v[i].id == id)
			return &p->events.v[i];
	return NULL;
}

static void release_event(struct tsh_known_event *event)
{
	free(event->system);
	free(event->name);
}

void tsh_live_provider_add_event(struct tsh_live_provider *p, const char *system, const char *name, unsigned int id)
{
	struct tsh_known_event *event = find_id(p, id);

	if (event)
		release_event(event);
	else
		event = tsh_vec_push(&p->events);
	event->id = id;
	event->system = tsh_xstrdup(system);
	event->name = tsh_xstrdup(name);
}

static void learn(struct tsh_live_provider *p, const char *system, const char *name)
{
	unsigned int id;

	if (read_id(p, system, name, &id))
		tsh_live_provider_add_event(p, system, name, id);
}

/* Adds the events of a list to the known events. Frees the list's contents. */
static void learn_list(struct tsh_live_provider *p, struct tsh_events *events)
{
	size_t i;

	for (i = 0; i < events->n; i++)
		learn(p, events->v[i].system, events->v[i].name);
	tsh_events_release(events);
}

/* Says whether an event is the end of a system call. Nearly half of the events of many recordings
 * are: learn_exit finds such an event without reading the ids of all others. */
static bool is_exit(const char *system, const char *name)
{
	return !strcmp(system, "syscalls") && !strncmp(name, "sys_exit_", strlen("sys_exit_"));
}

/* Adds the events of a system to the known events, from at most `most` entries of its folder: the
 * ends of system calls, or all others. Returns how many entries were read. */
static size_t learn_system(struct tsh_live_provider *p, const struct tsh_instance *in,
			   const char *system, size_t most, bool exits)
{
	char *path = tsh_xasprintf("events/%s", system);
	struct tsh_strlist names = { 0 };
	size_t i = 0;

	/* skips the files `enable` and `filter`, which have no id */
	if (!tsh_file_list(in, path, &names))
		for (; i < names.n && i < most; i++)
			if (is_exit(system, names.v[i]) == exits)
				learn(p, system, names.v[i]);
	tsh_strlist_release(&names);
	free(path);
	return i;
}

/* Adds all events that have a folder, but the ends of system calls: a recording may have no file
 * available_events. */
static void learn_folders(struct tsh_live_provider *p)
{
	struct tsh_strlist systems = { 0 };
	size_t i, left = TREE_EVENTS_MAX;

	if (!tsh_file_list(p->in, "events", &systems))
		for (i = 0; i < systems.n && left; i++)
			left -= 1 + learn_system(p, p->in, systems.v[i], left - 1, false);
	tsh_strlist_release(&systems);
}

static void learn_enabled(struct tsh_live_provider *p)
{
	struct tsh_events events = { 0 };
	struct tsh_err err = { 0 };

	tsh_events_enabled(p->in, &events, &err);
	tsh_err_release(&err);
	learn_list(p, &events);
}

static void learn_available(struct tsh_live_provider *p)
{
	struct tsh_events events = { 0 };
	struct tsh_err err = { 0 };

	tsh_events_available(p->in->dir, &events, &err);
	tsh_err_release(&err);
	learn_list(p, &events);
}

/* Learns the id of a line "SYSTEM:NAME". */
static bool learn_line(struct tsh_live_provider *p, const char *line, unsigned int *ret_id)
{
	const char *colon = strchr(line, ':');
	char *system;
	bool good;

	if (!colon)
		return false;
	system = tsh_xstrndup(line, (size_t)(colon - line));
	good = read_id(p, system, colon + 1, ret_id);
	if (good)
		tsh_live_provider_add_event(p, system, colon + 1, *ret_id);
	free(system);
	return good;
}

/*
 * Finds an id by binary search: the kernel lists events in the order of their ids (except probes
 * that have reused an id). Reading the ids of all 2000 events would take some 10 ms, a binary
 * search reads a dozen.
 */
static bool search_sorted(struct tsh_live_provider *p, unsigned int id)
{
	size_t low = 0, high;
	unsigned int found;

	if (!p->available.n) {
		char *text = tsh_file_text(tsh_provider_top(p), "available_events");

		if (text)
			tsh_strlist_split_lines(&p->available, text);
		free(text);
	}
	for (high = p->available.n; low < high;) {
		size_t middle = low + (high - low) / 2;

		if (!learn_line(p, p->available.v[middle], &found))
			return false;
		if (found == id)
			return true;
		if (found < id)
			low = middle + 1;
		else
			high = middle;
	}
	return false;
}

/* Learns the end of the system call whose beginning has the next id: the kernel numbers them so
 * (SYSCALL_METADATA in include/linux/syscalls.h). */
static void learn_exit(struct tsh_live_provider *p, unsigned int id)
{
	const struct tsh_known_event *enter = find_id(p, id + 1);
	char *name;

	if (!enter || strcmp(enter->system, "syscalls") || strncmp(enter->name, "sys_enter_", strlen("sys_enter_")))
		return;
	name = tsh_xasprintf("sys_exit_%s", enter->name + strlen("sys_enter_"));
	learn(p, "syscalls", name);
	free(name);
}

static bool search_tree(struct tsh_live_provider *p, unsigned int id)
{
	if (!p->has_searched)
		learn_folders(p);
	p->has_searched = true;
	if (!find_id(p, id))
		learn_exit(p, id);
	if (find_id(p, id) || p->has_exits)
		return find_id(p, id);
	p->has_exits = true;
	learn_system(p, p->in, "syscalls", TREE_EVENTS_MAX, true);
	return find_id(p, id);
}

static bool search(struct tsh_live_provider *p, unsigned int id)
{
	if (tsh_provider_is_tree(p))
		return search_tree(p, id);
	if (search_sorted(p, id))
		return true;
	/* drops the list: the event may have been made after it was read */
	tsh_strlist_release(&p->available);
	learn_enabled(p);
	if (find_id(p, id))
		return true;
	learn_system(p, tsh_provider_top(p), "ftrace", SIZE_MAX, false);
	if (find_id(p, id))
		return true;
	learn_available(p);
	return find_id(p, id);
}

/* Says whether to skip a search: the id was not found a moment ago, or many searches have failed,
 * because the pages are damaged. A full search reads 2000 events. */
static bool has_failed(const struct tsh_live_provider *p, unsigned int id)
{
	uint64_t oldest = p->failed[p->nfailed % ARRAY_SIZE(p->failed)].at;
	size_t i;

	if (oldest && tsh_mono_ns() - oldest < SEARCH_AGAIN_NS)
		return true;
	for (i = 0; i < ARRAY_SIZE(p->failed); i++)
		if (p->failed[i].at && p->failed[i].id == id &&
		    tsh_mono_ns() - p->failed[i].at < SEARCH_AGAIN_NS)
			return true;
	return false;
}

/* Forgets an event that has gone, whose id may be reused. */
static void forget_stale(struct tsh_live_provider *p, unsigned int id)
{
	struct tsh_known_event *event = find_id(p, id);
	unsigned int its_id;

	if (!event || (read_id(p, event->system, event->name, &its_id) && its_id == id))
		return;
	release_event(event);
	*event = p->events.v[--p->events.n];
}

/* Says whether a format may belong to an id: it has that id, or none. */
static bool may_be_of(const char *format, unsigned int id)
{
	const char *line = strstr(format, "\nID: ");

	return !line || strtoul(line + 5, NULL, 10) == id;
}

/* Returns the format of the event that has an id now; NULL: there is none. */
static char *find_format(struct tsh_live_provider *p, unsigned int id, char **ret_system)
{
	struct tsh_known_event *event;
	char *text;

	forget_stale(p, id);
	if (!find_id(p, id) && (has_failed(p, id) || !search(p, id)))
		return NULL;
	event = find_id(p, id);
	text = read_event_file(p, event->system, event->name, "format");
	if (text && tsh_provider_is_tree(p) && !may_be_of(text, id)) {
		free(text);
		return NULL;
	}
	if (text)
		*ret_system = tsh_xstrdup(event->system);
	return text;
}

/* A recording does not change, so one failed search for an id is enough. */
bool tsh_live_provider_lacks(const struct tsh_live_provider *p, unsigned int id)
{
	return p->bad_ids && p->bad_ids[id / 8] & 1u << id % 8;
}

static void note_failure(struct tsh_live_provider *p, unsigned int id)
{
	if (!tsh_provider_is_tree(p)) {
		if (!has_failed(p, id)) {
			p->failed[p->nfailed % ARRAY_SIZE(p->failed)].id = id;
			p->failed[p->nfailed++ % ARRAY_SIZE(p->failed)].at = tsh_mono_ns();
		}
		return;
	}
	if (!p->bad_ids)
		p->bad_ids = tsh_xcalloc((UINT16_MAX + 1) / 8, 1);
	p->bad_ids[id / 8] |= (unsigned char)(1u << id % 8);
}

int tsh_provide_format(void *ctx, unsigned int id, char **ret_system, char **ret_text)
{
	struct tsh_live_provider *p = ctx;

	if (id > UINT16_MAX || tsh_live_provider_lacks(p, id))
		return -ENOENT;
	*ret_text = find_format(p, id, ret_system);
	if (*ret_text)
		return 0;
	note_failure(p, id);
	return -ENOENT;
}

void tsh_provider_events_release(struct tsh_live_provider *p)
{
	size_t i;

	for (i = 0; i < p->events.n; i++)
		release_event(&p->events.v[i]);
	tsh_vec_release(&p->events);
	tsh_strlist_release(&p->available);
	free(p->bad_ids);
}

/* ---- other files of the instance ---- */

char *tsh_provide_printk_formats(void *ctx)
{
	return tsh_file_text(tsh_provider_top(ctx), "printk_formats");
}

/* Before 5.0 each kind of probe has a file of its own. */
char *tsh_provide_dynamic_events(void *ctx)
{
	static const char *const files[] = { "kprobe_events", "uprobe_events" };
	const struct tsh_instance *top = tsh_provider_top(ctx);
	char *all = tsh_file_text(top, "dynamic_events");
	struct tsh_strbuf text = TSH_STRBUF_INIT;
	bool has_any = false;
	size_t i;

	if (all)
		return all;
	for (i = 0; i < ARRAY_SIZE(files); i++) {
		/* appends nothing when the file does not exist */
		if (text.len && text.buf[text.len - 1] != '\n')
			tsh_strbuf_addc(&text, '\n');
		has_any |= tsh_file_read(top, files[i], &text) >= 0;
	}
	tsh_strbuf_rtrim(&text);
	if (has_any)
		return tsh_strbuf_detach(&text);
	tsh_strbuf_release(&text);
	return NULL;
}

/* Finds "NAME" or "noNAME" in trace_options. */
static int option_in(const char *options, const char *name)
{
	struct tsh_strlist words = { 0 };
	char *off = tsh_xasprintf("no%s", name);
	int r = -1;

	tsh_strlist_split_words(&words, options);
	if (tsh_strlist_has(&words, name))
		r = 1;
	else if (tsh_strlist_has(&words, off))
		r = 0;
	tsh_strlist_release(&words);
	free(off);
	return r;
}

int tsh_provide_option(void *ctx, const char *name)
{
	const struct tsh_live_provider *p = ctx;
	char *path = tsh_xasprintf("options/%s", name);
	char *text = tsh_file_text(p->in, path);
	int r = -1;

	free(path);
	if (text && (!strcmp(text, "0") || !strcmp(text, "1"))) {
		r = *text == '1';
	} else if (!text) {
		text = tsh_file_text(p->in, "trace_options");
		r = text ? option_in(text, name) : -1;
	}
	free(text);
	return r;
}
