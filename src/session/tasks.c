/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tasks.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/machine.h"
#include "base/number.h"
#include "base/suggest.h"

bool tsh_tasks_are_of_other_machine(const struct tsh_session *s)
{
	return s->dir->dry && s->dir->kind == TSH_DIR_TREE;
}

void tsh_tasks_release(struct tsh_tasks *tasks)
{
	tsh_vec_release(tasks);
}

bool tsh_tasks_has(const struct tsh_tasks *tasks, int tid)
{
	size_t i;

	for (i = 0; i < tasks->n; i++)
		if (tasks->v[i] == tid)
			return true;
	return false;
}

void tsh_tasks_add(struct tsh_tasks *tasks, int tid)
{
	if (!tsh_tasks_has(tasks, tid))
		*tsh_vec_push(tasks) = tid;
}

void tsh_tasks_text(const struct tsh_tasks *tasks, struct tsh_strbuf *out)
{
	size_t i;

	for (i = 0; i < tasks->n; i++)
		tsh_strbuf_addf(out, "%s%d", i ? "\n" : "", tasks->v[i]);
}

/* Reads a file of a task in /proc into buf. Returns false when the task is gone. */
static bool read_proc(int pid, const char *file, char *buf, size_t size)
{
	char path[TSH_TASK_PATH];

	tsh_task_path(path, pid, file);
	return tsh_read_small(path, buf, size) > 0;
}

/* Reads the state and the parent: the third and fourth word of stat, after the name's last ')'
 * (proc(5)). */
static bool read_state(int pid, char *ret_state, int *ret_parent)
{
	char buf[512];
	uint64_t parent;
	const char *p;

	if (!read_proc(pid, "stat", buf, sizeof(buf)))
		return false;
	p = strrchr(buf, ')');
	if (!p || p[1] != ' ' || !p[2] || p[3] != ' ')
		return false;
	*ret_state = p[2];
	p += 4;
	if (!tsh_parse_u64_prefix(&p, &parent) || parent > INT_MAX)
		return false;
	*ret_parent = (int)parent;
	return true;
}

static int parent_of(int pid)
{
	char state;
	int parent;

	return read_state(pid, &state, &parent) ? parent : 0;
}

bool tsh_task_is_alive(int tid)
{
	char state;
	int parent;

	return read_state(tid, &state, &parent) && state != 'Z' && state != 'X';
}

void tsh_tasks_add_ancestors(struct tsh_tasks *ret)
{
	int pid = (int)getpid();

	/* Stops before init, everybody's ancestor, which does work of its own. */
	while (pid > 1 && !tsh_tasks_has(ret, pid)) {
		tsh_tasks_add(ret, pid);
		pid = parent_of(pid);
	}
}

static void add_threads(struct tsh_tasks *ret, int pid)
{
	char path[64];
	struct dirent *entry;
	int tid;
	DIR *d;

	snprintf(path, sizeof(path), "/proc/%d/task", pid);
	d = opendir(path);
	while (d && (entry = readdir(d)))
		if (!tsh_parse_int(entry->d_name, &tid))
			tsh_tasks_add(ret, tid);
	if (d)
		closedir(d);
}

void tsh_tasks_add_own(const struct tsh_session *s, struct tsh_tasks *ret)
{
	tsh_tasks_add_ancestors(ret);
	add_threads(ret, (int)getpid());
	if (s->decoders.pid)
		tsh_tasks_add(ret, s->decoders.pid);
}

/* Calls `visit` for every process. */
static void each_process(void (*visit)(void *ctx, int pid), void *ctx)
{
	DIR *proc = opendir("/proc");
	struct dirent *entry;
	int pid;

	while (proc && (entry = readdir(proc)))
		if (!tsh_parse_int(entry->d_name, &pid))
			visit(ctx, pid);
	if (proc)
		closedir(proc);
}

struct child {
	int pid;
	int parent;
};

struct family {
	TSH_VEC(struct child) all;
};

static void note_child(void *ctx, int pid)
{
	struct family *family = ctx;
	struct child *child = tsh_vec_push(&family->all);

	child->pid = pid;
	child->parent = parent_of(pid);
}

/* Adds the descendants of the processes that are in the list. */
static void add_descendants(struct tsh_tasks *processes)
{
	struct family family = { 0 };
	size_t i, k;

	each_process(note_child, &family);
	/* Leaves tracesh out, which is often a child of such a process, but is not meant. */
	for (i = 0; i < processes->n; i++)
		for (k = 0; k < family.all.n; k++)
			if (family.all.v[k].parent == processes->v[i] &&
			    family.all.v[k].pid != (int)getpid())
				tsh_tasks_add(processes, family.all.v[k].pid);
	tsh_vec_release(&family.all);
}

void tsh_tasks_add_family(int pid, struct tsh_tasks *ret)
{
	tsh_tasks_add(ret, pid);
	add_descendants(ret);
}

struct search {
	const char *name;
	struct tsh_tasks found;
	struct tsh_suggest near;
};

static void match_name(void *ctx, int pid)
{
	struct search *search = ctx;
	char comm[64];
	size_t len;

	if (!read_proc(pid, "comm", comm, sizeof(comm)))
		return;
	/* Cuts only the last newline: a name may have newlines, too. */
	len = strlen(comm);
	if (len && comm[len - 1] == '\n')
		comm[len - 1] = '\0';
	if (tsh_glob_match(search->name, comm))
		tsh_tasks_add(&search->found, pid);
	else
		tsh_suggest_offer(&search->near, comm);
}

static int find_by_name(const struct tsh_value *word, struct tsh_tasks *roots,
			struct tsh_err *err)
{
	struct search search = { .name = word->word.text };
	int r = 0;

	tsh_suggest_init(&search.near, word->word.text);
	each_process(match_name, &search);
	if (!search.found.n) {
		r = tsh_err_at(err, word->word.span, "no task is called '%s'", word->word.text);
		err->status = TSH_FAILED;
		if (tsh_suggest_best(&search.near))
			tsh_err_hint(err, "did you mean '%s'?", tsh_suggest_best(&search.near));
		else
			tsh_err_hint(err, "ps '*%s*' searches inside the names", word->word.text);
	}
	*roots = search.found;
	tsh_suggest_release(&search.near);
	return r;
}

static int no_such_task(const struct tsh_value *word, struct tsh_err *err)
{
	tsh_err_at(err, word->word.span, "there is no task '%s'", word->word.text);
	err->status = TSH_FAILED;
	tsh_err_hint(err, "ps lists them");
	return -1;
}

int tsh_tasks_find(const struct tsh_value *word, bool children, struct tsh_tasks *ret,
		   struct tsh_err *err)
{
	const char *text = word->word.text;
	struct tsh_tasks roots = { 0 };
	char buf[64];
	size_t i;
	int pid;

	if (tsh_check_proc(err) < 0) {
		tsh_err_blame(err, word->word.span);
		return -1;
	}
	if (!strncmp(text, "tid:", 4)) {
		if (tsh_parse_int(text + 4, &pid) < 0 || pid <= 0 ||
		    !read_proc(pid, "comm", buf, sizeof(buf)))
			return no_such_task(word, err);
		tsh_tasks_add(ret, pid);
		return 0;
	}
	if (!tsh_parse_int(text, &pid)) {
		if (pid <= 0 || !read_proc(pid, "comm", buf, sizeof(buf)))
			return no_such_task(word, err);
		tsh_tasks_add(&roots, pid);
	} else if (find_by_name(word, &roots, err) < 0) {
		return -1;
	}
	if (children)
		add_descendants(&roots);
	for (i = 0; i < roots.n; i++)
		add_threads(ret, roots.v[i]);
	tsh_tasks_release(&roots);
	return 0;
}

int tsh_tasks_find_list(const struct tsh_value *list, struct tsh_tasks *ret, struct tsh_err *err)
{
	const char *p = list->word.text;
	size_t begin = 0, len;
	int r = 0;

	for (; !r; begin += len + 1) {
		struct tsh_value one = *list;

		len = strcspn(p + begin, ",");
		if (!len && *p)
			return tsh_err_at(err, tsh_word_span(&list->word, begin - !p[begin], begin + !!p[begin]),
					  "a task is missing %s this", p[begin] ? "before" : "behind");
		one.word.text = tsh_xstrndup(p + begin, len);
		if (len)
			one.word.span = tsh_word_span(&list->word, begin, begin + len);
		r = tsh_tasks_find(&one, true, ret, err);
		free(one.word.text);
		if (!p[begin + len])
			break;
	}
	return r;
}
