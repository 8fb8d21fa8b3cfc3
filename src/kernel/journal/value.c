/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "value.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/tracefs/event.h"
#include "kernel/tracefs/probe-lines.h"
#include "kernel/tracefs/write.h"

/* Reads the text that the journal records before and after a write; for some files it adds to the
 * text. */

/* Reads the file's text into *ret, which is NULL when there is no such file. Returns 0 or
 * -errno. */
static int text_if_there(const struct tsh_instance *in, const char *path, char **ret)
{
	struct tsh_strbuf text = TSH_STRBUF_INIT;
	int r = tsh_file_read(in, path, &text);

	*ret = NULL;
	if (!r)
		*ret = tsh_strbuf_detach(&text);
	tsh_strbuf_release(&text);
	return r == -ENOENT ? 0 : r;
}

/* Sets *ret to the text when r is 0, else to NULL. Returns r. */
static int detach(struct tsh_strbuf *out, int r, char **ret)
{
	*ret = r < 0 ? NULL : tsh_strbuf_detach(out);
	tsh_strbuf_release(out);
	return r;
}

int tsh_image_events(const struct tsh_instance *in, const char *text, char **ret)
{
	struct tsh_strbuf out = TSH_STRBUF_INIT;
	struct tsh_strlist lines = { 0 };
	int r = 0;
	size_t i;

	tsh_strlist_split_lines(&lines, text);
	for (i = 0; i < lines.n && !r; i++) {
		char *colon = strchr(lines.v[i], ':'), *path, *state;

		/* ":mod:NAME" is for a module that is not loaded yet */
		if (!colon || colon == lines.v[i])
			continue;
		path = tsh_xasprintf("events/%.*s/%s/enable", (int)(colon - lines.v[i]),
				     lines.v[i], colon + 1);
		r = text_if_there(in, path, &state);
		if (!state || *state != '0')
			tsh_strbuf_addf(&out, "%s%s", out.len ? "\n" : "", lines.v[i]);
		free(state);
		free(path);
	}
	tsh_strlist_release(&lines);
	return detach(&out, r, ret);
}

int tsh_image_sizes(const struct tsh_instance *in, char **ret)
{
	struct tsh_strbuf out = TSH_STRBUF_INIT;
	unsigned int *cpus;
	size_t i, n = tsh_cpus_present(in, &cpus);
	int r = n ? 0 : -EIO;

	tsh_strbuf_adds(&out, "X");
	for (i = 0; i < n && !r; i++) {
		char *path = tsh_xasprintf("per_cpu/cpu%u/buffer_size_kb", cpus[i]);
		char *text, *size;

		r = text_if_there(in, path, &text);
		size = text ? tsh_class_normalize(tsh_file_class(path), text) : NULL;

		if (size)
			tsh_strbuf_addf(&out, "\n%u %s", cpus[i], size);
		free(size);
		free(text);
		free(path);
	}
	free(cpus);
	return detach(&out, r, ret);
}

static bool is_event(const char *line, const struct tsh_event *event)
{
	struct tsh_event its;
	bool is = tsh_probe_event(line, &its) && !strcmp(its.system, event->system) &&
		  !strcmp(its.name, event->name);

	tsh_probe_event_release(&its);
	return is;
}

/* Reads the lines of an event from the list, which is long when there are many probes. */
static int lines_of(const struct tsh_instance *in, const char *path, const struct tsh_event *event,
		    char **ret)
{
	struct tsh_strbuf out = TSH_STRBUF_INIT;
	struct tsh_strlist lines = { 0 };
	char *text;
	int r = text_if_there(in, path, &text);
	size_t i;

	if (text)
		tsh_strlist_split_lines(&lines, text);
	for (i = 0; i < lines.n; i++)
		if (is_event(lines.v[i], event))
			tsh_strbuf_addf(&out, "%s%s", out.len ? "\n" : "", lines.v[i]);
	tsh_strlist_release(&lines);
	free(text);
	return detach(&out, r, ret);
}

bool tsh_image_own_probe(const struct tsh_instance *in, const char *path, const char *text,
			 int *ret_r, char **ret)
{
	struct tsh_event event;
	char *enable;
	bool is_there;

	*ret_r = 0;
	if (tsh_dir_is_script(in->dir) || tsh_file_class(path)->inverse != TSH_BACK_PROBES ||
	    !tsh_probe_owner(text) || !tsh_probe_event(text, &event))
		return false;
	enable = tsh_event_path(&event, "enable");
	is_there = tsh_file_exists(in, enable);
	if (!is_there)
		*ret = tsh_xstrdup("");
	else if (*text != '-')
		*ret = tsh_xstrdup(text);
	else
		*ret_r = lines_of(in, path, &event, ret);
	free(enable);
	tsh_probe_event_release(&event);
	return true;
}

/* Returns the state of the written option before the write: "NAME" or "noNAME". The caller frees
 * it. */
static char *option_before(const char *all, const char *text)
{
	const char *name = !strncmp(text, "no", 2) ? text + 2 : text;
	struct tsh_strlist lines = { 0 };
	char *negated, *before = NULL;

	tsh_strlist_split_lines(&lines, all);
	/* An option's own name may begin with "no", so the kernel's list decides. */
	negated = tsh_xasprintf("no%s", text);
	if (tsh_strlist_has(&lines, text))
		before = tsh_xstrdup(text);
	else if (tsh_strlist_has(&lines, negated))
		before = tsh_xstrdup(negated);
	else if (tsh_strlist_has(&lines, name))
		before = tsh_xstrdup(name);
	free(negated);
	tsh_strlist_release(&lines);
	return before;
}

int tsh_write_image(const struct tsh_instance *in, const char *path, const char *text,
		    char **ret)
{
	const struct tsh_file_class *cls = tsh_file_class(path);
	struct tsh_strbuf now = TSH_STRBUF_INIT;
	int r;

	*ret = NULL;
	if (cls->flags & (TSH_CLASS_NO_READ | TSH_CLASS_NO_UNDO))
		return 0;
	if (text && tsh_image_own_probe(in, path, text, &r, ret))
		return r;
	r = tsh_file_read(in, path, &now);
	if (now.len && now.buf[now.len - 1] == '\n')
		tsh_strbuf_truncate(&now, now.len - 1);
	if (r < 0)
		/* EINVAL: this file can never be read */
		r = r == -EINVAL ? 0 : r;
	else if (cls->compare == TSH_SAME_OPTION)
		*ret = option_before(now.buf ? now.buf : "", text);
	else if (cls->inverse == TSH_BACK_LINES)
		r = tsh_image_events(in, now.buf ? now.buf : "", ret);
	else if (cls->inverse == TSH_BACK_SIZES && now.buf && !strcmp(now.buf, "X"))
		r = tsh_image_sizes(in, ret);
	else if (!(*ret = tsh_expand_size(in, path)))
		*ret = tsh_strbuf_detach(&now);
	tsh_strbuf_release(&now);
	return r;
}
