/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "internal.h"

#include <errno.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>

#include "base/suggest.h"
#include "kernel/tracefs/defaults.h"
#include "kernel/tracefs/lines.h"
#include "kernel/tracefs/trigger.h"

/* Models the text that a file would have after a write, for later commands of the session. */

/* ---- files that were written ---- */

static char *full_path(const struct tsh_instance *in, const char *path)
{
	return in->name ? tsh_xasprintf("instances/%s/%s", in->name, path) : tsh_xstrdup(path);
}

static int by_path(const void *a, const void *b)
{
	const struct tsh_dry_file *x = a, *y = b;

	return strcmp(x->path, y->path);
}

const char *tsh_dry_text(const struct tsh_instance *in, const char *path)
{
	struct tsh_dry_file key = { .path = full_path(in, path) };
	struct tsh_dry_file *const *found = tfind(&key, &in->dir->dry->by_path, by_path);

	free(key.path);
	return found ? (*found)->text : NULL;
}

void tsh_dry_set_text(const struct tsh_instance *in, const char *path, char *text)
{
	struct tsh_dry_run *dry = in->dir->dry;
	struct tsh_dry_file *file = tsh_xcalloc(1, sizeof(*file));
	struct tsh_dry_file *const *found;

	file->path = full_path(in, path);
	found = tsearch(file, &dry->by_path, by_path);
	/* Ends the program, as everywhere, when there is no memory. */
	if (!found)
		abort();
	if (*found == file) {
		*tsh_vec_push(&dry->files) = file;
	} else {
		free(file->path);
		free(file);
	}
	free((*found)->text);
	(*found)->text = text;
}

static void free_file(void *p)
{
	struct tsh_dry_file *file = p;

	free(file->path);
	free(file->text);
	free(file);
}

void tsh_dry_drop_instance(struct tsh_dry_run *dry, const char *name)
{
	char *prefix = tsh_xasprintf("instances/%s/", name);
	size_t i, kept = 0;

	for (i = 0; i < dry->files.n; i++) {
		struct tsh_dry_file *file = dry->files.v[i];

		if (strncmp(file->path, prefix, strlen(prefix))) {
			dry->files.v[kept++] = file;
			continue;
		}
		tdelete(file, &dry->by_path, by_path);
		free_file(file);
	}
	dry->files.n = kept;
	free(prefix);
}

void tsh_dry_release_files(struct tsh_dry_run *dry)
{
	tdestroy(dry->by_path, free_file);
	dry->by_path = NULL;
	tsh_vec_release(&dry->files);
}

/* ---- lists ---- */

/* Reads the present lines, without the kernel's comments; none when the write truncates the
 * file. */
static void present_lines(const struct tsh_instance *in, const char *path, bool truncate,
			  struct tsh_strlist *ret)
{
	if (!truncate)
		tsh_file_lines(in, path, ret);
}

static void store_lines(const struct tsh_instance *in, const char *path,
			const struct tsh_strlist *lines)
{
	struct tsh_strbuf text = TSH_STRBUF_INIT;
	size_t i;

	for (i = 0; i < lines->n; i++)
		tsh_strbuf_addf(&text, "%s%s", i ? "\n" : "", lines->v[i]);
	tsh_dry_set_text(in, path, tsh_strbuf_detach(&text));
}

static int by_text(const void *a, const void *b)
{
	return strcmp(a, b);
}

/* Removes every line that is `text`, or begins with it and a blank or a colon, also from the tree
 * (may be NULL). Says whether there was one. */
static bool remove_lines(struct tsh_strlist *lines, const char *text, void **tree)
{
	size_t i, kept = 0, before = lines->n, len = strlen(text);

	for (i = 0; i < lines->n; i++) {
		char *line = lines->v[i];

		if (strncmp(line, text, len) || (line[len] && !strchr(": \t", line[len]))) {
			lines->v[kept++] = line;
			continue;
		}
		tdelete(line, tree, by_text);
		free(line);
	}
	lines->n = kept;
	return kept < before;
}

/* Adds a line unless it is in `tree`, which has the lines of the list. */
static void add_once(struct tsh_strlist *lines, const char *line, void **tree)
{
	char *own = tsh_xstrdup(line);
	char *const *found = tsearch(own, tree, by_text);

	/* Ends the program, as everywhere, when there is no memory. */
	if (!found)
		abort();
	if (*found == own)
		tsh_strlist_add_owned(lines, own);
	else
		free(own);
}

static void ignore_line(void *line)
{
	(void)line;
}

/* Models lists of pids and functions, which have words; "!word" removes one. */
static void model_list(const struct tsh_instance *in, const char *path, bool truncate,
		       const char *text)
{
	struct tsh_strlist lines = { 0 }, words = { 0 };
	void *tree = NULL;
	size_t i;

	present_lines(in, path, truncate, &words);
	for (i = 0; i < words.n; i++)
		add_once(&lines, words.v[i], &tree);
	tsh_strlist_release(&words);
	tsh_strlist_split_words(&words, text);
	for (i = 0; i < words.n; i++) {
		if (words.v[i][0] == '!')
			remove_lines(&lines, words.v[i] + 1, &tree);
		else
			add_once(&lines, words.v[i], &tree);
	}
	store_lines(in, path, &lines);
	tdestroy(tree, ignore_line);
	tsh_strlist_release(&lines);
	tsh_strlist_release(&words);
}

/* ---- triggers ---- */

/* Returns a trigger as the kernel lists it: "traceoff:5 if x" as "traceoff:count=5 if x". The
 * caller frees it. */
static char *printed_trigger(const char *text)
{
	struct tsh_strbuf out = TSH_STRBUF_INIT;
	struct tsh_trigger trigger;

	if (tsh_trigger_parse(text, &trigger) < 0) {
		tsh_strbuf_adds(&out, text);
	} else if (trigger.is_hist) {
		tsh_strbuf_addf(&out, "%s [active]", text);
	} else {
		tsh_strbuf_adds(&out, trigger.command);
		if (trigger.left < 0)
			tsh_strbuf_adds(&out, ":unlimited");
		else
			tsh_strbuf_addf(&out, ":count=%lld", (long long)trigger.left);
		if (trigger.filter)
			tsh_strbuf_addf(&out, " if %s", trigger.filter);
	}
	tsh_trigger_release(&trigger);
	return tsh_strbuf_detach(&out);
}

/* Returns the text that identifies a trigger for removal: its command; for a histogram all of it.
 * The caller frees it. */
static char *trigger_name(const char *text)
{
	struct tsh_trigger trigger;
	bool whole = tsh_trigger_parse(text, &trigger) < 0 || trigger.is_hist;
	char *name = tsh_xstrdup(whole ? text : trigger.command);

	tsh_trigger_release(&trigger);
	return name;
}

static int model_trigger(const struct tsh_instance *in, const char *path, const char *text)
{
	struct tsh_strlist lines = { 0 };
	char *name = trigger_name(text + (*text == '!'));
	bool there;
	int r = 0;

	if (strcmp(text, TSH_TRIGGERS_ALL) != 0)
		present_lines(in, path, false, &lines);
	there = remove_lines(&lines, name, NULL);
	if (*text == '!') {
		/* A trigger that the script has not set may exist where it runs. */
	} else if (there) {
		/* the kernel allows only one of a kind */
		r = -EEXIST;
	} else {
		tsh_strlist_add_owned(&lines, printed_trigger(text));
	}
	if (!r)
		store_lines(in, path, &lines);
	tsh_strlist_release(&lines);
	free(name);
	return r;
}

/* ---- probes ---- */

static const char *default_group(const char *path, char type, const char *place)
{
	if (!strcmp(path, "synthetic_events") || type == 's')
		return "synthetic";
	if (!strcmp(path, "uprobe_events") || *place == '/')
		return "uprobes";
	switch (type) {
	case 'e': return "eprobes";
	case 'f': return "fprobes";
	case 't': return "tracepoints";
	default: return "kprobes";
	}
}

/* Reads the group and name from a probe's line, "p:GROUP/NAME PLACE ..", "-:NAME", "NAME FIELDS".
 * Returns false when the kernel would choose the name. */
static bool probe_event(const char *path, const char *line, struct tsh_event *ret)
{
	bool synthetic = !strcmp(path, "synthetic_events");
	const char *begin = synthetic ? line + (*line == '!') : strchr(line, ':');
	const char *place;
	size_t len, slash;

	if (!begin || (!synthetic && strcspn(line, " \t") < (size_t)(begin - line)))
		return false;
	begin += !synthetic;
	len = strcspn(begin, " \t;");
	place = begin + len + strspn(begin + len, " \t");
	slash = strcspn(begin, "/.");
	if (slash < len && slash + 1 < len) {
		ret->system = tsh_xstrndup(begin, slash);
		ret->name = tsh_xstrndup(begin + slash + 1, len - slash - 1);
	} else if (slash >= len && len) {
		ret->system = tsh_xstrdup(default_group(path, *line, place));
		ret->name = tsh_xstrndup(begin, len);
	} else {
		return false;
	}
	return true;
}

static void drop_event(struct tsh_events *events, const struct tsh_event *event, bool any_system)
{
	size_t i, kept = 0;

	for (i = 0; i < events->n; i++) {
		struct tsh_event *e = &events->v[i];

		if (strcmp(e->name, event->name) ||
		    (!any_system && strcmp(e->system, event->system))) {
			events->v[kept++] = *e;
			continue;
		}
		free(e->system);
		free(e->name);
	}
	events->n = kept;
}

/* Says whether a line of a probe file is about the event. */
static bool is_line_of(const char *path, const char *line, const struct tsh_event *event,
		       bool any_system)
{
	struct tsh_event own;
	bool same;

	if (!probe_event(path, line, &own))
		return false;
	same = !strcmp(own.name, event->name) &&
	       (any_system || !strcmp(own.system, event->system));
	free(own.system);
	free(own.name);
	return same;
}

static int remove_probe(const struct tsh_instance *in, const char *path, const char *line,
			const struct tsh_event *event)
{
	struct tsh_dry_run *dry = in->dir->dry;
	bool any_system = !strpbrk(line, "/.");
	struct tsh_strlist lines = { 0 };
	size_t i, kept = 0, before;

	present_lines(in, path, false, &lines);
	before = lines.n;
	for (i = 0; i < lines.n; i++) {
		struct tsh_event own;

		if (!is_line_of(path, lines.v[i], event, any_system)) {
			lines.v[kept++] = lines.v[i];
			continue;
		}
		if (probe_event(path, lines.v[i], &own)) {
			tsh_events_add(&dry->no_events, own.system, own.name);
			free(own.system);
			free(own.name);
		}
		free(lines.v[i]);
	}
	lines.n = kept;
	drop_event(&dry->events, event, any_system);
	if (kept < before)
		store_lines(in, path, &lines);
	tsh_strlist_release(&lines);
	return kept < before ? 0 : -ENOENT;
}

/* Returns a line as the kernel lists it, with its group. The caller frees it. */
static char *printed_probe(const char *path, const char *line, const struct tsh_event *event)
{
	size_t head = strcspn(line, ":");

	if (!strcmp(path, "synthetic_events"))
		return tsh_xstrdup(line);
	return tsh_xasprintf("%.*s:%s/%s%s", (int)head, line, event->system, event->name,
			     line + strcspn(line, " \t"));
}

static int model_probe(const struct tsh_instance *in, const char *path, const char *line)
{
	struct tsh_dry_run *dry = in->dir->dry;
	struct tsh_strlist lines = { 0 };
	struct tsh_event event;
	bool removes = *line == '-' || *line == '!';
	int r = 0;

	if (!probe_event(path, line, &event))
		return 0;
	if (removes) {
		r = remove_probe(in, path, line, &event);
	} else {
		drop_event(&dry->no_events, &event, false);
		tsh_events_add(&dry->events, event.system, event.name);
		present_lines(in, path, false, &lines);
		tsh_strlist_add_owned(&lines, printed_probe(path, line, &event));
		store_lines(in, path, &lines);
		tsh_strlist_release(&lines);
	}
	free(event.system);
	free(event.name);
	return r;
}

void tsh_dry_run_add_probe_line(const struct tsh_instance *in, const char *path, const char *line)
{
	if (in->dir->dry && (tsh_file_class(path)->flags & TSH_CLASS_PROBE))
		model_probe(in, path, line);
}

/* ---- events ---- */

/* Says whether the event's own file was written. */
static bool is_written(const struct tsh_instance *in, const char *line)
{
	size_t system = strcspn(line, ":");
	char *path = tsh_xasprintf("events/%.*s/%s/enable", (int)system, line, line + system + (line[system] != '\0'));
	bool is = tsh_dry_text(in, path) != NULL;

	free(path);
	return is;
}

void tsh_dry_add_enabled(const struct tsh_instance *in, const char *text, struct tsh_strbuf *out)
{
	const struct tsh_dry_run *dry = in->dir->dry;
	char *top = full_path(in, "");
	size_t i, len = strlen(top);
	struct tsh_strlist lines = { 0 };

	tsh_strlist_split_lines(&lines, text);
	for (i = 0; i < lines.n; i++)
		if (*lines.v[i] && !is_written(in, lines.v[i]))
			tsh_strbuf_addf(out, "%s\n", lines.v[i]);
	for (i = 0; i < dry->files.n; i++) {
		const struct tsh_dry_file *file = dry->files.v[i];
		char *event = strncmp(file->path, top, len) ? NULL : tsh_enabled_event(file->path + len);

		if (event && *file->text != '0')
			tsh_strbuf_addf(out, "%s\n", event);
		free(event);
	}
	tsh_strlist_release(&lines);
	free(top);
}

/* Models a word: "sched:sched_switch", "!sched:*". */
static void model_event_word(const struct tsh_instance *in, const char *text)
{
	struct tsh_events all = { 0 }, matched = { 0 };
	struct tsh_err ignored = { 0 };
	size_t i;

	if (!tsh_events_available(in->dir, &all, &ignored))
		tsh_events_match(&all, text + (*text == '!'), &matched, &ignored);
	tsh_err_release(&ignored);
	for (i = 0; i < matched.n; i++) {
		char *path = tsh_event_path(&matched.v[i], "enable");

		tsh_dry_set_text(in, path, tsh_xstrdup(*text == '!' ? "0" : "1"));
		free(path);
	}
	tsh_events_release(&matched);
	tsh_events_release(&all);
}

static void model_set_event(const struct tsh_instance *in, const char *text)
{
	struct tsh_strlist words = { 0 };
	size_t i;

	tsh_strlist_split_words(&words, text);
	for (i = 0; i < words.n; i++)
		model_event_word(in, words.v[i]);
	tsh_strlist_release(&words);
}

/* ---- values ---- */

static int model_choice(const struct tsh_instance *in, const char *path, const char *text)
{
	char *list = tsh_file_text(in, path);
	char *chosen = list ? tsh_choose(list, text) : tsh_xasprintf("[%s]", text);

	free(list);
	if (!chosen)
		return -EINVAL;
	tsh_dry_set_text(in, path, chosen);
	return 0;
}

/* Models "NAME" or "noNAME"; a name may itself begin with "no". */
static void model_option(const struct tsh_instance *in, const char *text)
{
	char *path = tsh_xasprintf("options/%s", text);
	bool on = tsh_file_exists(in, path) || strncmp(text, "no", 2);

	if (!on) {
		free(path);
		path = tsh_xasprintf("options/%s", text + 2);
	}
	tsh_dry_set_text(in, path, tsh_xstrdup(on ? "1" : "0"));
	free(path);
}

/* Models sizes. The size of all CPUs is that of each; when one differs, the size of all is X. */
static void model_size(const struct tsh_instance *in, const char *path, const char *text)
{
	bool is_all = !strcmp(path, "buffer_size_kb"), same = true;
	unsigned int *cpus;
	size_t i, n = tsh_cpus_present(in, &cpus);

	tsh_dry_set_text(in, path, tsh_xstrdup(text));
	for (i = 0; i < n; i++) {
		char *own = tsh_xasprintf("per_cpu/cpu%u/buffer_size_kb", cpus[i]);
		char *now;

		if (is_all)
			tsh_dry_set_text(in, own, tsh_xstrdup(text));
		now = tsh_file_text(in, own);
		same = same && now && tsh_class_equal(tsh_file_class(own), text, now);
		free(now);
		free(own);
	}
	if (!is_all)
		tsh_dry_set_text(in, "buffer_size_kb", tsh_xstrdup(same ? text : "X"));
	free(cpus);
}

static int model_value(const struct tsh_instance *in, const char *path, const char *text)
{
	const struct tsh_file_class *cls = tsh_file_class(path);
	struct tsh_strbuf value = TSH_STRBUF_INIT;

	tsh_strbuf_adds(&value, text);
	tsh_strbuf_rtrim(&value);
	if (cls->flags & TSH_CLASS_FILTER && !strcmp(value.buf, "0")) {
		tsh_strbuf_clear(&value);
		tsh_strbuf_adds(&value, "none");
	}
	tsh_dry_set_text(in, path, tsh_strbuf_detach(&value));
	return 0;
}

int tsh_dry_model(const struct tsh_instance *in, const char *path, bool truncate,
		  const char *text)
{
	const struct tsh_file_class *cls = tsh_file_class(path);

	if (!text)
		text = "";
	if (cls->flags & (TSH_CLASS_NO_UNDO | TSH_CLASS_NO_READ))
		return 0;
	if (cls->flags & TSH_CLASS_TRIGGER)
		return model_trigger(in, path, text);
	if (cls->flags & TSH_CLASS_PROBE)
		return model_probe(in, path, text);
	if (cls->compare == TSH_SAME_CHOICE)
		return model_choice(in, path, text);
	if (!strcmp(path, "set_event"))
		model_set_event(in, text);
	else if (cls->flags & (TSH_CLASS_LIST | TSH_CLASS_ADD_ONLY))
		model_list(in, path, truncate, text);
	else if (cls->flags & TSH_CLASS_OPTIONS)
		model_option(in, text);
	else if (cls->compare == TSH_SAME_SIZE)
		model_size(in, path, text);
	else
		return model_value(in, path, text);
	return 0;
}
