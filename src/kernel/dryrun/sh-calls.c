/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sh-calls.h"

#include <stdlib.h>
#include <string.h>

#include "kernel/journal/journal.h"
#include "kernel/tracefs/lines.h"
#include "kernel/tracefs/trigger.h"
#include "sh-functions.h"
#include "sh-lines.h"

/* Begins a call. The script counts calls, too; each is stored with the number of its journal
 * entry. */
static struct tsh_strbuf *begin(struct tsh_dir *dir, const char *function, unsigned int needs)
{
	struct tsh_dry_run *dry = dir->dry;

	dry->needs |= needs | TSH_SH_UNDO;
	*tsh_vec_push(&dry->calls) = dir->journal->last_entry;
	tsh_strbuf_adds(&dry->script, function);
	return &dry->script;
}

static void add_file(struct tsh_strbuf *out, const struct tsh_instance *in, const char *path)
{
	char *full = tsh_xasprintf("%s%s%s%s", in->name ? "instances/" : "",
				   in->name ? in->name : "", in->name ? "/" : "", path);

	tsh_strbuf_addc(out, ' ');
	tsh_sh_word(out, full);
	free(full);
}

static void call(const struct tsh_instance *in, const char *function, unsigned int needs,
		 const char *path, const char *text)
{
	struct tsh_strbuf *out = begin(in->dir, function, needs);

	add_file(out, in, path);
	if (text) {
		tsh_strbuf_addc(out, ' ');
		tsh_sh_word(out, text);
	}
	tsh_strbuf_addc(out, '\n');
}

/* Appends tasks by name, which may have blanks: each is a line that begins with a mark. */
static void add_names(struct tsh_strbuf *out, const char *text)
{
	const char next[] = { '\n', *text, '\0' };
	const char *p, *end;
	char *name;

	for (p = text; p; p = end ? end + 1 : NULL) {
		end = strstr(p, next);
		name = end ? tsh_xstrndup(p + 1, (size_t)(end - p) - 1) : tsh_xstrdup(p + 1);
		tsh_strbuf_addc(out, ' ');
		tsh_sh_word(out, name);
		free(name);
	}
}

static void call_list(const struct tsh_instance *in, const char *path, bool truncate,
		      const char *text)
{
	bool less = *text == TSH_TASK_LESS, by_name = less || *text == TSH_TASK_MARK;
	struct tsh_strbuf *out =
		begin(in->dir, by_name ? "these_tasks " : "", by_name ? TSH_SH_TASKS : TSH_SH_LIST);
	struct tsh_strlist words = { 0 };
	size_t i;

	tsh_strbuf_adds(out, less ? "less" : truncate ? "list" : "more");
	add_file(out, in, path);
	if (by_name)
		add_names(out, text);
	else
		tsh_strlist_split_words(&words, text);
	for (i = 0; i < words.n; i++) {
		tsh_strbuf_addc(out, ' ');
		tsh_sh_word(out, words.v[i]);
	}
	tsh_strbuf_addc(out, '\n');
	tsh_strlist_release(&words);
}

/* Appends calls that save what a trigger or a function's command changes besides: a histogram of
 * times sets the clock, others switch files when they fire. */
static void call_changes(const struct tsh_instance *in, const char *text)
{
	const char *to;
	char *path = !strncmp(text, "hist:", strlen("hist:")) ? tsh_xstrdup("trace_clock") :
								 tsh_switched_file(text, &to);

	if (path && (tsh_file_class(path)->flags & TSH_CLASS_TRIGGER))
		call(in, "hists_change", TSH_SH_ADD, path, *to == '1' ? "paused" : "active");
	else if (path)
		call(in, "changes", 0, path, NULL);
	free(path);
}

void tsh_sh_call_write(const struct tsh_instance *in, const char *path, bool truncate,
		       const char *text)
{
	const struct tsh_file_class *cls = tsh_file_class(path);
	struct tsh_strlist written = { 0 };
	size_t i;

	if (!text)
		text = "";
	if ((cls->flags & TSH_CLASS_TRIGGER) || cls->compare == TSH_SAME_FUNCTIONS)
		tsh_lines_written(cls, text, &written);
	for (i = 0; i < written.n; i++)
		call_changes(in, written.v[i]);
	tsh_strlist_release(&written);
	if ((cls->flags & (TSH_CLASS_NO_UNDO | TSH_CLASS_NO_READ)))
		tsh_sh_write(&in->dir->dry->script, "$TRACEFS", in, path, truncate, text);
	else if ((cls->flags & TSH_CLASS_TRIGGER) && *text == '!' && strncmp(text, "!hist:", strlen("!hist:")) != 0)
		call(in, "drop", TSH_SH_DROP, path, strcmp(text, TSH_TRIGGERS_ALL) ? text + 1 : NULL);
	else if (!strcmp(path, "tracing_cpumask") && !strcmp(text, TSH_CPUS_ALL))
		call(in, "all_cpus", TSH_SH_CPUS, path, NULL);
	else if (cls->flags & TSH_CLASS_ADD_ONLY)
		call(in, "add", TSH_SH_ADD, path, text);
	else if (cls->flags & TSH_CLASS_LIST)
		call_list(in, path, truncate, text);
	else if (cls->flags & TSH_CLASS_OPTIONS)
		call(in, "option", TSH_SH_OPTION, path, text);
	else if (cls->compare == TSH_SAME_SIZE)
		call(in, "size", TSH_SH_SIZE, path, text);
	else if (!strcmp(path, "buffer_subbuf_size_kb"))
		call(in, "subbuf", TSH_SH_SIZE, path, text);
	else
		call(in, "put", TSH_SH_PUT, path, text);
}

static void call_instance(struct tsh_dir *dir, const char *function, unsigned int needs,
			  const char *name)
{
	struct tsh_strbuf *out = begin(dir, function, needs);

	tsh_strbuf_addc(out, ' ');
	tsh_sh_word(out, name);
	tsh_strbuf_addc(out, '\n');
}

void tsh_sh_call_mkdir(struct tsh_dir *dir, const char *name)
{
	call_instance(dir, "make", TSH_SH_MAKE, name);
}

void tsh_sh_call_rmdir(struct tsh_dir *dir, const char *name)
{
	call_instance(dir, "remove", TSH_SH_REMOVE, name);
}
