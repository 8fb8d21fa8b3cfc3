/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "probe.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "event.h"
#include "lines.h"
#include "probe-lines.h"
#include "trigger.h"
#include "write.h"

/* Adds, lists and removes probes. */

/* Lists all probes from 5.0 on; then the other two files are not read. */
static const char dynamic[] = "dynamic_events";
static const char kprobes[] = "kprobe_events";
static const char uprobes[] = "uprobe_events";

static struct tsh_instance top_of(struct tsh_dir *dir)
{
	return (struct tsh_instance){ .dir = dir, .fd = dir->fd };
}

/* ---- the lists ---- */

static bool parse(const char *file, const char *line, struct tsh_probe *ret)
{
	struct tsh_event event;
	size_t head = strcspn(line, " \t"), place;

	if (*line == 's' || !tsh_probe_event(line, &event))
		return false;
	*ret = (struct tsh_probe){ .line = tsh_xstrdup(line), .file = file, .letter = *line,
				   .group = event.system, .name = event.name,
				   .owner = tsh_probe_owner(line) };
	line += head + strspn(line + head, " \t");
	place = strcspn(line, " \t");
	ret->place = tsh_xstrndup(line, place);
	line += place;
	ret->args = tsh_xstrdup(line + strspn(line, " \t"));
	return true;
}

static void read_file(struct tsh_dir *dir, const char *file, struct tsh_probes *ret)
{
	struct tsh_instance top = top_of(dir);
	bool have_own = dir->group && tsh_probe_is_ours(dir, dir->group);
	struct tsh_strlist lines = { 0 };
	struct tsh_probe probe;
	size_t i;

	tsh_file_lines(&top, file, &lines);
	for (i = 0; i < lines.n; i++) {
		if (!parse(file, lines.v[i], &probe))
			continue;
		probe.is_ours = have_own && !strcmp(probe.group, dir->group);
		*tsh_vec_push(ret) = probe;
	}
	tsh_strlist_release(&lines);
}

void tsh_probes_read(struct tsh_dir *dir, struct tsh_probes *ret)
{
	struct tsh_instance top = top_of(dir);

	if (tsh_file_exists(&top, dynamic)) {
		read_file(dir, dynamic, ret);
	} else {
		read_file(dir, kprobes, ret);
		read_file(dir, uprobes, ret);
	}
}

void tsh_probes_release(struct tsh_probes *probes)
{
	size_t i;

	for (i = 0; i < probes->n; i++) {
		free(probes->v[i].line);
		free(probes->v[i].group);
		free(probes->v[i].name);
		free(probes->v[i].place);
		free(probes->v[i].args);
	}
	tsh_vec_release(probes);
}

const struct tsh_probe *tsh_probes_find(const struct tsh_probes *probes, const char *group,
					const char *name)
{
	size_t i;

	for (i = 0; i < probes->n; i++)
		if (!strcmp(probes->v[i].group, group) && !strcmp(probes->v[i].name, name))
			return &probes->v[i];
	return NULL;
}

/* ---- adding and removing ---- */

static bool readme_has(struct tsh_instance *top, const char *text)
{
	char *readme = tsh_file_text(top, "README");
	bool has = readme && strstr(readme, text);

	free(readme);
	return has;
}

const char *tsh_probe_file(struct tsh_dir *dir, char letter, bool program)
{
	struct tsh_instance top = top_of(dir);
	const char *old = program ? uprobes : kprobes;

	if (letter == 'e' && !readme_has(&top, "e[:["))
		return NULL;
	if (letter == 't' && !readme_has(&top, "t[:["))
		return NULL;
	if (letter != 'e' && letter != 't' && !tsh_file_exists(&top, old))
		return NULL;
	if (tsh_file_exists(&top, dynamic))
		return dynamic;
	return letter == 'e' || letter == 't' ? NULL : old;
}

static bool is_listed(struct tsh_dir *dir, const struct tsh_event *event)
{
	struct tsh_instance top = top_of(dir);
	char *enable = tsh_event_path(event, "enable");
	bool listed = tsh_dir_is_script(dir) || tsh_file_exists(&top, enable);
	struct tsh_probes now = { 0 };

	free(enable);
	/* Reading the list is slow when there are many probes, so the event's directory is checked
	 * first. */
	if (!listed)
		return false;
	tsh_probes_read(dir, &now);
	listed = tsh_probes_find(&now, event->system, event->name) != NULL;
	tsh_probes_release(&now);
	return listed;
}

int tsh_probe_add(struct tsh_dir *dir, const char *file, const char *line, struct tsh_err *err)
{
	struct tsh_instance top = top_of(dir);
	struct tsh_event event;
	int r = tsh_file_write(&top, file, TSH_WRITE_ADD, line, err);

	if (r < 0 || !tsh_probe_event(line, &event))
		return r < 0 ? -1 : 0;
	if (!is_listed(dir, &event))
		r = tsh_err_set(err, TSH_FAILED, "the kernel took the probe '%s' and does not list it",
				event.name);
	tsh_probe_event_release(&event);
	return r < 0 ? -1 : 0;
}

struct release {
	const struct tsh_event *event;
	struct tsh_err *err;
};

static int release_trigger(struct tsh_instance *in, const char *path, const char *line,
			   struct tsh_err *err)
{
	struct tsh_trigger trigger;
	int r = 0;

	if (!tsh_trigger_parse(line, &trigger)) {
		char *removal = tsh_trigger_removal(&trigger);

		r = tsh_file_write(in, path, TSH_WRITE_ADD, removal, err);
		free(removal);
	}
	tsh_trigger_release(&trigger);
	return r < 0 ? -1 : 0;
}

static int release_in(void *ctx, struct tsh_instance *in)
{
	const struct release *release = ctx;
	char *path = tsh_event_path(release->event, "trigger");
	struct tsh_strlist lines = { 0 };
	size_t i;
	int r = 0;

	tsh_file_lines(in, path, &lines);
	for (i = 0; !r && i < lines.n; i++)
		r = release_trigger(in, path, lines.v[i], release->err);
	free(path);
	path = tsh_event_path(release->event, "enable");
	if (!r && tsh_file_write(in, path, TSH_WRITE_SET, "0", release->err) < 0)
		r = -1;
	tsh_strlist_release(&lines);
	free(path);
	return r;
}

int tsh_probe_remove(struct tsh_dir *dir, const struct tsh_probe *probe, struct tsh_err *err)
{
	struct tsh_event event = { .system = probe->group, .name = probe->name };
	struct release release = { &event, err };
	struct tsh_instance top = top_of(dir);
	char *text;
	int r;

	if (tsh_probe_users(dir, &event, release_in, &release))
		return -1;
	text = tsh_xasprintf("-:%s/%s", probe->group, probe->name);
	r = tsh_file_write(&top, probe->file, TSH_WRITE_ADD, text, err);
	free(text);
	if (r < 0 && err->number == EBUSY) {
		tsh_err_set(err, TSH_FAILED, "the probe '%s:%s' is in use", probe->group,
			    probe->name);
		tsh_err_hint(err, "perf, a BPF program or an event probe on it uses it");
		err->number = EBUSY;
	}
	if (r >= 0 && is_listed(dir, &event))
		r = tsh_err_set(err, TSH_FAILED, "the kernel did not remove '%s:%s', though it "
				"said so", probe->group, probe->name);
	return r < 0 ? -1 : 0;
}

int tsh_probe_sweep(struct tsh_dir *dir, const struct tsh_probe *probe)
{
	struct tsh_event event = { .system = probe->group, .name = probe->name };
	struct tsh_instance top = top_of(dir);
	char *text = tsh_xasprintf("-:%s/%s", probe->group, probe->name);
	int r;

	tsh_probe_disable_event(dir, &event);
	r = tsh_write_raw(&top, probe->file, false, text);
	free(text);
	return r;
}

/* ---- counts ---- */

static bool is_uprobe(const struct tsh_probe *probe)
{
	return *probe->place == '/';
}

static bool is_kprobe(const struct tsh_probe *probe)
{
	return !is_uprobe(probe) && (probe->letter == 'p' || probe->letter == 'r');
}

/* Reads the name and the numbers at the end of a line "  [FILE ]NAME HITS [MISSES]". */
static bool parse_counts(const char *line, bool kprobe, char **ret_name,
			 struct tsh_probe_counts *ret)
{
	struct tsh_strlist words = { 0 };
	size_t need = kprobe ? 3 : 2;
	bool good;

	tsh_strlist_split_words(&words, line);
	good = words.n >= need && !tsh_parse_u64(words.v[words.n - (kprobe ? 2 : 1)], &ret->hits) &&
	       (!kprobe || !tsh_parse_u64(words.v[words.n - 1], &ret->misses));
	if (good) {
		ret->has_hits = true;
		ret->has_misses = kprobe;
		*ret_name = tsh_xstrdup(words.v[words.n - need]);
	}
	tsh_strlist_release(&words);
	return good;
}

/* Reads a profile, whose names have no groups; its order is that of the list of probes. */
static void read_profile(struct tsh_dir *dir, const char *path, bool kprobe,
			 const struct tsh_probes *probes, struct tsh_probe_counts *ret)
{
	struct tsh_instance top = top_of(dir);
	char *name = NULL;
	struct tsh_strlist lines = { 0 };
	struct tsh_probe_counts counts;
	size_t i, next = 0;

	tsh_file_lines(&top, path, &lines);
	for (i = 0; i < lines.n; i++) {
		counts = (struct tsh_probe_counts){ 0 };
		if (!parse_counts(lines.v[i], kprobe, &name, &counts))
			continue;
		while (next < probes->n && !(kprobe ? is_kprobe(&probes->v[next]) :
						      is_uprobe(&probes->v[next])))
			next++;
		if (next < probes->n && !strcmp(probes->v[next].name, name))
			ret[next] = counts;
		next += next < probes->n;
		free(name);
	}
	tsh_strlist_release(&lines);
}

void tsh_probes_count(struct tsh_dir *dir, const struct tsh_probes *probes,
		      struct tsh_probe_counts *ret)
{
	memset(ret, 0, probes->n * sizeof(*ret));
	read_profile(dir, "kprobe_profile", true, probes, ret);
	read_profile(dir, "uprobe_profile", false, probes, ret);
}
