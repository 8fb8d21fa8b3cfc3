/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "util.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/machine.h"
#include "base/number.h"
#include "base/suggest.h"
#include "erasing.h"
#include "events/recording/record.h"
#include "function-names.h"
#include "kernel/tracefs/trigger.h"

/* Checks names of functions before a write. The kernel empties the list before it checks the names,
 * and traces all functions while the list is empty. */
static int check_functions(struct tsh_session *s, const char *path, const char *text,
			   struct tsh_err *err)
{
	static const char *const lists[] = { "set_ftrace_filter", "set_ftrace_notrace",
					     "set_graph_function", "set_graph_notrace" };
	char *unknown = NULL;
	size_t i;

	for (i = 0; !unknown && i < sizeof(lists) / sizeof(lists[0]); i++)
		if (!strcmp(path, lists[i]))
			unknown = tsh_function_names_unknown(s, text);
	if (!unknown)
		return 0;
	tsh_err_set(err, TSH_FAILED, "the kernel can trace no function '%.200s'", unknown);
	tsh_err_hint(err, "functions '*%.200s*' searches", unknown);
	err->number = EINVAL;
	free(unknown);
	return -1;
}

int tsh_session_write(struct tsh_session *s, const char *path, enum tsh_write_how how,
		      const char *text, const struct tsh_value *value, struct tsh_err *err)
{
	int r;

	if (tsh_cmd_is_aborted(s))
		return tsh_err_set(err, TSH_FAILED, "interrupted");
	r = how == TSH_WRITE_SET ? check_functions(s, path, text, err) : 0;
	if (!r)
		r = tsh_session_write_in(s, s->in, path, how, text, err);
	if (r < 0 && value)
		tsh_err_blame(err, value->word.span);
	return r;
}

/* Limits the tasks that are named; the others are counted. */
#define TASKS_MAX 8

static void note_tasks(struct tsh_session *s, const char *path, const char *before, const char *text)
{
	struct tsh_strlist was = { 0 }, is = { 0 };
	struct tsh_strbuf gone = TSH_STRBUF_INIT;
	size_t i, n = 0;
	int pid;

	tsh_strlist_split_words(&was, before);
	tsh_strlist_split_words(&is, text);
	for (i = 0; i < was.n; i++)
		/* Skips words that are no numbers: an empty list of the function tracers reads "no
		 * pid". */
		if (!tsh_parse_int(was.v[i], &pid) && !tsh_strlist_has(&is, was.v[i]) && ++n <= TASKS_MAX)
			tsh_strbuf_addf(&gone, " %d", pid);
	if (n > TASKS_MAX)
		tsh_strbuf_addf(&gone, " and %zu more", n - TASKS_MAX);
	if (n && strstr(path, "notrace"))
		tsh_out_note(s->out, "these tasks are no longer left out, because '%s' was changed:%s", path, gone.buf);
	else if (n)
		tsh_out_note(s->out, "the list of tasks in '%s' was replaced:%s", path, gone.buf);
	tsh_strbuf_release(&gone);
	tsh_strlist_release(&was);
	tsh_strlist_release(&is);
}

void tsh_cmd_note_replaced(struct tsh_session *s, const char *path, const char *before, const char *text)
{
	const struct tsh_file_class *cls = tsh_file_class(path);
	char *old, *event;

	if (!before || !text)
		return;
	if (cls->compare == TSH_SAME_PIDS)
		note_tasks(s, path, before, text);
	if (cls->compare != TSH_SAME_FILTER || !tsh_glob_match("events/*/*/filter", path) ||
	    tsh_class_equal(cls, text, before))
		return;
	old = tsh_class_normalize(cls, before);
	event = tsh_trigger_event(path);
	if (strcmp(old, "0") != 0)
		tsh_out_note(s->out, "the filter of %s was %s: %s", event, strcmp(text, "0") ? "replaced" : "cleared", old);
	free(event);
	free(old);
}

int tsh_cmd_check_file(struct tsh_session *s, const char *path, const char *what,
		       struct tsh_err *err)
{
	if (tsh_file_exists(s->in, path))
		return 0;
	tsh_err_set(err, TSH_ENVIRONMENT, "this kernel has no %s here", what);
	tsh_err_hint(err, "there is no file '%s' in the instance '%s'", path,
		     tsh_instance_label(s->in));
	return -1;
}

bool tsh_cmd_differs(const struct tsh_instance *in, const char *path, const char *text)
{
	char *now = tsh_file_text(in, path);
	bool differs = !now || !tsh_class_equal(tsh_file_class(path), text, now);

	free(now);
	return differs;
}

void tsh_cmd_suggest(struct tsh_err *err, const char *typed, const struct tsh_strlist *names)
{
	struct tsh_suggest near;
	size_t i;

	tsh_suggest_init(&near, typed);
	for (i = 0; i < names->n; i++)
		tsh_suggest_offer(&near, names->v[i]);
	if (tsh_suggest_best(&near)) {
		tsh_err_hint(err, "did you mean '%s'?", tsh_suggest_best(&near));
	} else if (names->n && names->n <= 20) {
		struct tsh_strbuf list = TSH_STRBUF_INIT;

		for (i = 0; i < names->n; i++)
			tsh_strbuf_addf(&list, "%s%s", i ? ", " : "", names->v[i]);
		tsh_err_hint(err, "there is %s", list.buf);
		tsh_strbuf_release(&list);
	}
	tsh_suggest_release(&near);
}

int tsh_cmd_read_file(struct tsh_session *s, const char *path, struct tsh_strbuf *out,
		      struct tsh_err *err)
{
	int r = tsh_file_read(s->in, path, out);

	return r < 0 ? tsh_file_blame(s->in, path, r, err) : 0;
}

uint64_t tsh_cmd_memory_available(void)
{
	static const char key[] = "MemAvailable:";
	char buf[2048];
	const char *p;
	uint64_t kb = 0;

	(void)tsh_read_small("/proc/meminfo", buf, sizeof(buf));
	p = strstr(buf, key);
	if (!p)
		return UINT64_MAX;
	for (p += strlen(key); *p == ' '; p++)
		;
	for (; *p >= '0' && *p <= '9'; p++)
		kb = kb * 10 + (uint64_t)(*p - '0');
	return kb * 1024;
}

bool tsh_cmd_is_aborted(struct tsh_session *s)
{
	s->aborted |= s->dir->waiter &&
		      tsh_wait(s->dir->waiter, NULL, 0, 0) == TSH_WAIT_ABORT;
	return s->aborted;
}

char *tsh_cmd_instance_name(const struct tsh_instance *in)
{
	char *recorded = tsh_tree_info(in, "instance");

	return recorded ? recorded : tsh_xstrdup(tsh_instance_label(in));
}
