/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "internal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/suggest.h"
#include "kernel/journaled/journaled.h"
#include "kernel/tracefs/backend.h"
#include "kernel/tracefs/defaults.h"
#include "sh-calls.h"
#include "sh-functions.h"

/* ---- the script ---- */

struct tsh_strbuf *tsh_dry_run_script(struct tsh_dry_run *dry)
{
	return &dry->script;
}

void tsh_dry_run_comment(struct tsh_dry_run *dry, const char *text)
{
	struct tsh_strlist lines = { 0 };
	size_t i;

	tsh_strlist_split_lines(&lines, text);
	for (i = 0; i < lines.n; i++)
		tsh_strbuf_addf(&dry->script, "# %s\n", lines.v[i]);
	tsh_strlist_release(&lines);
}

void tsh_dry_run_use(struct tsh_dry_run *dry, unsigned int functions)
{
	dry->needs |= functions;
}

void tsh_dry_run_set_after(struct tsh_dry_run *dry, const char *line)
{
	dry->after = line;
}

const char *tsh_dry_run_pop_after(struct tsh_dry_run *dry)
{
	const char *line = dry->after;

	dry->after = NULL;
	return line;
}

void tsh_dry_run_functions(struct tsh_dry_run *dry, struct tsh_strbuf *out)
{
	unsigned int needed = tsh_sh_functions_needed(dry->needs | TSH_SH_FIND) & ~dry->written_functions;

	tsh_sh_functions(out, needed);
	dry->written_functions |= needed;
}

/* ---- undo in the script ---- */

struct tsh_dry_mark tsh_dry_run_mark(const struct tsh_dry_run *dry)
{
	return (struct tsh_dry_mark){ .script = dry->script.len, .calls = dry->calls.n };
}

void tsh_dry_run_forget(struct tsh_dry_run *dry, struct tsh_dry_mark mark)
{
	tsh_strbuf_truncate(&dry->script, mark.script);
	dry->calls.n = mark.calls;
}

void tsh_dry_run_back_begin(struct tsh_dry_run *dry)
{
	dry->silent = true;
}

void tsh_dry_run_back_end(struct tsh_dir *dir)
{
	const struct tsh_journal_entries *entries = &dir->journal->entries;
	unsigned int newest = entries->n ? entries->v[entries->n - 1].number : 0;
	struct tsh_dry_run *dry = dir->dry;
	size_t before = dry->calls.n;

	dry->silent = false;
	while (dry->calls.n && dry->calls.v[dry->calls.n - 1] > newest)
		dry->calls.n--;
	if (dry->calls.n < before)
		tsh_strbuf_addf(&dry->script, "undo_to %zu\n", dry->calls.n);
}

void tsh_dry_run_forget_back(struct tsh_dry_run *dry)
{
	if (dry->calls.n)
		tsh_strbuf_adds(&dry->script, "n=0 calls=0\n");
	dry->calls.n = 0;
}

/* Checks whether a file can be written, but only tries to read it: a security policy that allows
 * root to read a file allows it to write, too. Returns 0 or -errno. */
static int may_write(const struct tsh_instance *in, const char *path)
{
	unsigned int flags = tsh_file_class(path)->flags;
	int fd;

	if (!tsh_file_exists(in, path))
		return -ENOENT;
	if (flags & (TSH_CLASS_NO_READ | TSH_CLASS_NO_UNDO) || tsh_dry_text(in, path))
		return 0;
	fd = tsh_file_open(in, path, 0);
	if (fd >= 0)
		close(fd);
	return fd == -EPERM ? fd : 0;
}

static int write_line(const struct tsh_instance *in, const char *path, bool truncate, const char *text)
{
	int r = in->dir->kind == TSH_DIR_TREE ? 0 : may_write(in, path);

	if (!r)
		r = tsh_dry_model(in, path, truncate, text);
	if (!r && !in->dir->dry->silent)
		tsh_sh_call_write(in, path, truncate, text);
	return r;
}

/* ---- instances ---- */

static void drop_name(struct tsh_strlist *list, const char *name)
{
	size_t i;

	for (i = 0; i < list->n; i++) {
		if (strcmp(list->v[i], name))
			continue;
		free(list->v[i]);
		memmove(&list->v[i], &list->v[i + 1], (--list->n - i) * sizeof(*list->v));
		return;
	}
}

static int has_instance(const struct tsh_dir *dir, const char *name)
{
	return tsh_strlist_has(&dir->dry->gone, name) ? -1 : tsh_strlist_has(&dir->dry->made, name);
}

static int make_instance(struct tsh_dir *dir, const char *name)
{
	if (tsh_instance_exists(dir, name))
		return -EEXIST;
	drop_name(&dir->dry->gone, name);
	tsh_strlist_add(&dir->dry->made, name);
	if (!dir->dry->silent)
		tsh_sh_call_mkdir(dir, name);
	return 0;
}

static int remove_instance(struct tsh_dir *dir, const char *name)
{
	struct tsh_dry_run *dry = dir->dry;

	if (!tsh_instance_exists(dir, name))
		return -ENOENT;
	tsh_dry_drop_instance(dry, name);
	drop_name(&dry->made, name);
	/* The kernel may have it, too, when the session did not make it. */
	tsh_strlist_add(&dry->gone, name);
	if (!dry->silent)
		tsh_sh_call_rmdir(dir, name);
	return 0;
}

/* ---- modelled files ---- */

/* Skips a name at the start of a path and the slash after it; returns NULL when the path does not
 * begin with it. */
static const char *skip_name(const char *path, const char *name)
{
	size_t len = strlen(name);

	if (!path || strncmp(path, name, len) != 0 || (path[len] && path[len] != '/'))
		return NULL;
	return path + len + (path[len] == '/');
}

/* Says whether a path is an own file of one of the events, below events/SYSTEM/EVENT. */
static bool is_event_file(const char *path, const struct tsh_events *events)
{
	static const char *const files[] = { "", "enable", "filter", "trigger" };
	const char *below = skip_name(path, "events");
	size_t i, k;

	for (i = 0; below && i < events->n; i++) {
		const char *file = skip_name(skip_name(below, events->v[i].system), events->v[i].name);

		for (k = 0; file && k < sizeof(files) / sizeof(files[0]); k++)
			if (!strcmp(file, files[k]))
				return true;
	}
	return false;
}

/* Returns the text of a file of an event that the session made and that was not written; else NULL.
 * The caller frees it. */
static char *event_text(const struct tsh_instance *in, const char *path)
{
	const struct tsh_instance top = { .dir = in->dir, .fd = in->dir->fd };

	return is_event_file(path, &in->dir->dry->events) ? tsh_default_text(&top, path) : NULL;
}

/* Appends the list of events, with those that were made, and without those that were removed. */
static void add_events(const struct tsh_dry_run *dry, const char *text, struct tsh_strbuf *out)
{
	struct tsh_strlist lines = { 0 };
	size_t i, k;

	tsh_strlist_split_lines(&lines, text);
	for (k = 0; k < dry->no_events.n; k++) {
		char *name = tsh_xasprintf("%s:%s", dry->no_events.v[k].system,
					   dry->no_events.v[k].name);

		drop_name(&lines, name);
		free(name);
	}
	for (i = 0; i < lines.n; i++)
		tsh_strbuf_addf(out, "%s\n", lines.v[i]);
	for (k = 0; k < dry->events.n; k++)
		tsh_strbuf_addf(out, "%s:%s\n", dry->events.v[k].system, dry->events.v[k].name);
	tsh_strlist_release(&lines);
}

/* Appends the options in their order, with the modelled states. */
static void add_options(const struct tsh_instance *in, const char *text, struct tsh_strbuf *out)
{
	struct tsh_strlist lines = { 0 };
	size_t i;

	tsh_strlist_split_lines(&lines, text);
	for (i = 0; i < lines.n; i++) {
		const char *name = lines.v[i] + (strncmp(lines.v[i], "no", 2) ? 0 : 2);
		char *path = tsh_xasprintf("options/%s", name);
		const char *state = tsh_dry_text(in, path);

		if (state)
			tsh_strbuf_addf(out, "%s%s\n", strcmp(state, "0") ? "" : "no", name);
		else
			tsh_strbuf_addf(out, "%s\n", lines.v[i]);
		free(path);
	}
	tsh_strlist_release(&lines);
}

/* Returns the text that the file has in the kernel or in a new instance; NULL when it has none. The
 * caller frees it. */
static char *text_before(const struct tsh_instance *in, const char *path)
{
	const struct tsh_instance top = { .dir = in->dir, .fd = in->dir->fd };
	char *text;

	if (in->imagined) {
		text = tsh_default_text(&top, path);
		if (!text && (tsh_glob_match("per_cpu/*/stats", path) || !strcmp(path, "error_log")))
			text = tsh_xstrdup("");
		return text;
	}
	return tsh_file_kernel_text(in, path);
}

/* Reads lists that follow from other files. Returns 1 when path is one of them. */
static int read_derived(const struct tsh_instance *in, const char *path, struct tsh_strbuf *out)
{
	bool events = !strcmp(path, "available_events"), on = !strcmp(path, "set_event");
	size_t before = out->len;
	char *text;

	if (!events && !on && strcmp(path, "trace_options") != 0)
		return 0;
	text = text_before(in, path);
	if (on)
		tsh_dry_add_enabled(in, text ? text : "", out);
	else if (text && events)
		add_events(in->dir->dry, text, out);
	else if (text)
		add_options(in, text, out);
	on = text || out->len > before;
	free(text);
	return on;
}

static int read_file(const struct tsh_instance *in, const char *path, struct tsh_strbuf *out)
{
	const char *text = tsh_dry_text(in, path);
	char *other;

	if (!text && is_event_file(path, &in->dir->dry->no_events))
		return -ENOENT;
	if (!text && read_derived(in, path, out))
		return 1;
	/* The triggers where the script runs are unknown, so there are none. */
	if (!text && (tsh_file_class(path)->flags & TSH_CLASS_TRIGGER) && tsh_file_exists(in, path))
		return 1;
	other = text ? NULL : event_text(in, path);
	if (!text && !other && in->imagined)
		other = text_before(in, path);
	if (!text && !other)
		return 0;
	tsh_strbuf_addf(out, "%s\n", text ? text : other);
	free(other);
	return 1;
}

static int exists(const struct tsh_instance *in, const char *path)
{
	const struct tsh_dry_run *dry = in->dir->dry;
	static const char instances[] = "instances/";
	size_t len = sizeof(instances) - 1;

	if (!in->name && !strncmp(path, instances, len)) {
		if (tsh_strlist_has(&dry->gone, path + len))
			return -1;
		if (tsh_strlist_has(&dry->made, path + len))
			return 1;
	}
	if (is_event_file(path, &dry->no_events))
		return -1;
	if (tsh_dry_text(in, path) || is_event_file(path, &dry->events))
		return 1;
	return 0;
}

static void list_names(const struct tsh_instance *in, const char *path, struct tsh_strlist *ret)
{
	const struct tsh_dry_run *dry = in->dir->dry;
	const struct tsh_events *events = &dry->events;
	size_t i;

	for (i = 0; !in->name && !strcmp(path, "instances") && i < dry->made.n; i++)
		tsh_strlist_add(ret, dry->made.v[i]);
	for (i = 0; !strncmp(path, "events/", 7) && i < events->n; i++)
		if (!strcmp(path + 7, events->v[i].system))
			tsh_strlist_add(ret, events->v[i].name);
}

/* ---- the backend ---- */

static bool is_written(const struct tsh_instance *in, const char *path)
{
	return tsh_dry_text(in, path) != NULL;
}

static void close_script(struct tsh_dir *dir)
{
	struct tsh_dry_run *dry = dir->dry;

	tsh_dry_release_files(dry);
	tsh_strlist_release(&dry->made);
	tsh_strlist_release(&dry->gone);
	tsh_events_release(&dry->events);
	tsh_events_release(&dry->no_events);
	tsh_strbuf_release(&dry->script);
	tsh_vec_release(&dry->calls);
	free(dry);
	tsh_journaled_close(dir);
}

static const struct tsh_model model = {
	.write = write_line,
	.make_instance = make_instance,
	.remove_instance = remove_instance,
	.has_instance = has_instance,
	.read = read_file,
	.exists = exists,
	.list = list_names,
	.is_written = is_written,
};

static const struct tsh_backend script = {
	.write = tsh_journaled_write,
	.begin_instance = tsh_journaled_begin_instance,
	.end_instance = tsh_journaled_end_instance,
	.forget_instance = tsh_journaled_forget_instance,
	.close = close_script,
	.model = &model,
};

void tsh_dry_run_open(struct tsh_dir *dir)
{
	tsh_journaled_open(dir);
	dir->dry = tsh_xcalloc(1, sizeof(*dir->dry));
	dir->backend = &script;
}
