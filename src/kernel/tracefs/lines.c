/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "lines.h"

#include <stdlib.h>
#include <string.h>

#include "trigger.h"

void tsh_lines_split(const char *text, struct tsh_strlist *ret)
{
	size_t n = ret->n, i;

	tsh_strlist_split_lines(ret, text);
	for (i = n; i < ret->n; i++) {
		if (ret->v[i][0] && ret->v[i][0] != '#' && strcmp(ret->v[i], "no pid"))
			ret->v[n++] = ret->v[i];
		else
			free(ret->v[i]);
	}
	ret->n = n;
}

void tsh_file_lines(const struct tsh_instance *in, const char *path, struct tsh_strlist *ret)
{
	char *text = tsh_file_text(in, path);

	if (text)
		tsh_lines_split(text, ret);
	free(text);
}

void tsh_lines_written(const struct tsh_file_class *cls, const char *text, struct tsh_strlist *ret)
{
	if (cls->flags & (TSH_CLASS_LIST | TSH_CLASS_WORDS))
		tsh_strlist_split_words(ret, text);
	else
		tsh_lines_split(text, ret);
}

bool tsh_line_is_command(const char *line)
{
	return strchr(line, ':') != NULL;
}

/* Says what becomes of the count of a command. */
enum count {
	COUNT_LEFT,		/* kept */
	COUNT_ANY,		/* becomes 0 */
	COUNT_NONE,		/* removed */
};

/*
 * Returns a line "FUNCTION [MODULE]" as it can be written. As it is listed it would be two
 * patterns, of which "[MODULE]" matches every function that is named by one of its letters. The
 * module is a pattern, too: one that begins with a digit would be taken for an index, so it is left
 * out.
 */
static char *function_text(const char *line)
{
	const char *module = strstr(line, " [");
	const char *end = module ? strchr(module, ']') : NULL;
	struct tsh_trigger command;
	char *text;

	if (!tsh_line_is_command(line)) {
		if (!end || (module[2] >= '0' && module[2] <= '9'))
			return tsh_xstrndup(line, end ? (size_t)(module - line) : strlen(line));
		return tsh_xasprintf("%.*s:mod:%.*s", (int)(module - line), line,
				     (int)(end - module - 2), module + 2);
	}
	text = end ? tsh_xasprintf("%.*s%s", (int)(module - line), line, end + 1) :
		     tsh_xstrdup(line);
	if (!tsh_trigger_parse(text, &command)) {
		free(text);
		text = tsh_trigger_text(&command);
	}
	tsh_trigger_release(&command);
	return text;
}

static char *trigger_text(const char *line, enum count count)
{
	struct tsh_trigger trigger;
	char *text;

	if (tsh_trigger_parse(line, &trigger) < 0) {
		text = tsh_xstrdup(line);
	} else {
		if (count == COUNT_NONE)
			trigger.left = -1;
		else if (count == COUNT_ANY && trigger.left >= 0)
			trigger.left = 0;
		text = tsh_trigger_text(&trigger);
	}
	tsh_trigger_release(&trigger);
	return text;
}

char *tsh_line_text(const struct tsh_file_class *cls, const char *line)
{
	if (cls->compare == TSH_SAME_TRIGGERS)
		return trigger_text(line, COUNT_LEFT);
	if (cls->compare == TSH_SAME_FUNCTIONS)
		return function_text(line);
	/* Removes " [MODULE]": the files of graphs and of the stack tracer do not know ":mod:". */
	if (cls->inverse == TSH_BACK_REPLACE)
		return tsh_xstrndup(line, strstr(line, " [") && line[strlen(line) - 1] == ']' ?
				    strcspn(line, " ") : strlen(line));
	return tsh_xstrdup(line);
}

char *tsh_line_identity(const struct tsh_file_class *cls, const char *line)
{
	if (cls->compare == TSH_SAME_TRIGGERS)
		return trigger_text(line, COUNT_NONE);
	/* Distinguishes commands with and without a count, of which a function may have both. */
	if (cls->compare == TSH_SAME_FUNCTIONS && tsh_line_is_command(line))
		return trigger_text(line, COUNT_ANY);
	return tsh_xstrdup(line);
}

static char *trigger_key(const char *line)
{
	struct tsh_trigger trigger;
	char *key = NULL;

	if (!tsh_trigger_parse(line, &trigger) && !trigger.is_hist)
		key = tsh_trigger_kind(&trigger);
	tsh_trigger_release(&trigger);
	return key;
}

char *tsh_line_key(const struct tsh_file_class *cls, const char *line)
{
	const char *colon;

	switch (cls->inverse) {
	case TSH_BACK_TRIGGERS:
		return trigger_key(line);
	case TSH_BACK_SYNTHETIC:
		return tsh_xstrndup(line, strcspn(line, " \t;"));
	case TSH_BACK_PROBES:
		colon = strchr(line, ':');
		return colon ? tsh_xstrndup(colon, strcspn(colon, " \t")) : NULL;
	default:
		return NULL;
	}
}

static void identities(const struct tsh_file_class *cls, const struct tsh_strlist *lines,
		       struct tsh_strlist *ret)
{
	size_t i;

	for (i = 0; i < lines->n; i++)
		tsh_strlist_add_owned(ret, tsh_line_identity(cls, lines->v[i]));
}

static int compare_texts(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

char *tsh_lines_join(const struct tsh_strlist *lines)
{
	struct tsh_strbuf out = TSH_STRBUF_INIT;
	size_t i;

	tsh_strbuf_adds(&out, "");
	for (i = 0; i < lines->n; i++)
		tsh_strbuf_addf(&out, "%s%s", i ? "\n" : "", lines->v[i]);
	return tsh_strbuf_detach(&out);
}

void tsh_lines_without(const struct tsh_file_class *cls, const struct tsh_strlist *a,
		       const struct tsh_strlist *b, struct tsh_strlist *ret)
{
	struct tsh_strlist known = { 0 };
	size_t i;

	/* Sorts the list, because a list of functions can have tens of thousands of lines. */
	identities(cls, b, &known);
	tsh_strlist_sort(&known);
	for (i = 0; i < a->n; i++) {
		char *one = tsh_line_identity(cls, a->v[i]);

		if (!known.n || !bsearch(&one, known.v, known.n, sizeof(*known.v), compare_texts))
			tsh_strlist_add(ret, a->v[i]);
		free(one);
	}
	tsh_strlist_release(&known);
}

bool tsh_lines_replaced(const struct tsh_file_class *cls, const struct tsh_strlist *list,
			const char *line)
{
	char *key = tsh_line_key(cls, line), *identity = tsh_line_identity(cls, line);
	bool found = false;
	size_t i;

	for (i = 0; key && !found && i < list->n; i++) {
		char *other = tsh_line_key(cls, list->v[i]);
		char *its = tsh_line_identity(cls, list->v[i]);

		found = other && !strcmp(key, other) && strcmp(identity, its) != 0;
		free(its);
		free(other);
	}
	free(identity);
	free(key);
	return found;
}

const char *tsh_lines_twin(const struct tsh_file_class *cls, const struct tsh_strlist *list,
			   const char *line)
{
	struct tsh_trigger its, other;
	const char *twin = NULL;
	size_t i;

	if (!(cls->flags & TSH_CLASS_TRIGGER) || strncmp(line, "hist:", strlen("hist:")) != 0)
		return NULL;
	if (tsh_trigger_parse(line, &its) < 0)
		list = &(const struct tsh_strlist){ 0 };
	for (i = 0; i < list->n && !twin; i++) {
		if (!tsh_trigger_parse(list->v[i], &other) && other.is_paused != its.is_paused &&
		    tsh_trigger_same(&other, &its))
			twin = list->v[i];
		tsh_trigger_release(&other);
	}
	tsh_trigger_release(&its);
	return twin;
}

void tsh_lines_removed_since(const struct tsh_file_class *cls, const struct tsh_strlist *came,
			     const struct tsh_strlist *went, const struct tsh_strlist *now, struct tsh_strlist *ret)
{
	struct tsh_strlist missing = { 0 };
	size_t i;

	tsh_lines_without(cls, came, now, &missing);
	for (i = 0; i < missing.n; i++)
		if (!tsh_lines_twin(cls, now, missing.v[i]) || tsh_lines_twin(cls, went, missing.v[i]))
			tsh_strlist_add(ret, missing.v[i]);
	tsh_strlist_release(&missing);
}

bool tsh_lines_same(const struct tsh_file_class *cls, const char *a, const char *b)
{
	struct tsh_strlist lines = { 0 }, x = { 0 }, y = { 0 };
	bool same;
	size_t i;

	tsh_lines_split(a, &lines);
	identities(cls, &lines, &x);
	tsh_strlist_release(&lines);
	tsh_lines_split(b, &lines);
	identities(cls, &lines, &y);
	tsh_strlist_release(&lines);
	tsh_strlist_sort(&x);
	tsh_strlist_sort(&y);
	same = x.n == y.n;
	for (i = 0; same && i < x.n; i++)
		same = !strcmp(x.v[i], y.v[i]);
	tsh_strlist_release(&x);
	tsh_strlist_release(&y);
	return same;
}

bool tsh_lines_have(const struct tsh_file_class *cls, const char *text, const char *line)
{
	char *wanted = tsh_line_text(cls, line);
	struct tsh_strlist lines = { 0 };
	bool found = false;
	size_t i;

	tsh_lines_split(text, &lines);
	for (i = 0; !found && i < lines.n; i++) {
		char *there = tsh_line_text(cls, lines.v[i]);

		found = !strcmp(there, wanted);
		free(there);
	}
	tsh_strlist_release(&lines);
	free(wanted);
	return found;
}

bool tsh_has_line(const struct tsh_file_class *cls, const char *text, const char *line)
{
	struct tsh_strlist all = { 0 }, one = { 0 }, without = { 0 };
	bool has;

	tsh_lines_split(text, &all);
	tsh_strlist_add(&one, line);
	tsh_lines_without(cls, &one, &all, &without);
	has = !without.n;
	tsh_strlist_release(&all);
	tsh_strlist_release(&one);
	tsh_strlist_release(&without);
	return has;
}
