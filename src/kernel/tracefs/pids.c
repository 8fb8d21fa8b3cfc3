/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pids.h"

#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/machine.h"
#include "base/number.h"
#include "base/process.h"
#include "base/vec.h"
#include "lines.h"

bool tsh_pid_is_alive(const char *pid)
{
	char *path;
	bool alive;

	/* /proc may show other pids than those of the kernel, in a pid namespace. */
	if (!tsh_is_initial_pid_namespace())
		return false;
	path = tsh_xasprintf("/proc/%.20s", pid);
	alive = !access(path, F_OK);
	free(path);
	return alive;
}

bool tsh_pids_are_only_added(const char *before, const char *text)
{
	struct tsh_strlist listed = { 0 }, written = { 0 }, gone = { 0 };
	bool only;

	tsh_lines_split(before, &listed);
	tsh_strlist_split_words(&written, text);
	tsh_lines_without(tsh_file_class("set_event_pid"), &listed, &written, &gone);
	only = listed.n && !gone.n;
	tsh_strlist_release(&listed);
	tsh_strlist_release(&written);
	tsh_strlist_release(&gone);
	return only;
}

bool tsh_pids_follow_forks(const struct tsh_instance *in)
{
	char *events = tsh_file_text(in, "options/event-fork");
	char *functions = tsh_file_text(in, "options/function-fork");
	bool follows = (events && strcmp(events, "0")) || (functions && strcmp(functions, "0"));

	free(events);
	free(functions);
	return follows;
}

/* ---- sorted lists ---- */

static int by_text(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Returns the words of a list, sorted for bsearch. The caller frees the array; the words belong to
 * the list. */
static char **sorted(const struct tsh_strlist *list)
{
	char **words = tsh_xcalloc(list->n + 1, sizeof(*words));

	if (list->n)
		memcpy(words, list->v, list->n * sizeof(*words));
	qsort(words, list->n, sizeof(*words), by_text);
	return words;
}

static bool is_in(char *const *words, const struct tsh_strlist *list, const char *text)
{
	return bsearch(&text, words, list->n, sizeof(*words), by_text) != NULL;
}

/* ---- when a task began ---- */

/* Returns a time in the clock ticks of /proc. */
static int64_t ticks_of(int64_t ns)
{
	static const int64_t second = 1000000000;
	int64_t per_second = sysconf(_SC_CLK_TCK);

	return ns / second * per_second + ns % second * per_second / second;
}

/* Says whether the pid still belongs to the task that had it at the time `at`, or, when that is 0,
 * to any task. */
static bool is_same(const char *pid, int64_t at)
{
	int number;
	uint64_t start = tsh_parse_int(pid, &number) ? 0 : tsh_process_start(number);

	return start && (!at || (int64_t)start <= ticks_of(at));
}

/* Says whether a task existed before our write, so that it did not come to a list because of it. A
 * task that was being forked during the write counts as later. */
static bool is_older(int pid, int64_t at)
{
	static const int64_t in_flight = 200000000;
	uint64_t start = tsh_process_start(pid);

	return start && (int64_t)start < ticks_of(at - in_flight);
}

/* ---- tasks that came to the list by a fork ---- */

/*
 * Says why a task is in the list. NOT_ASKED: not known yet. BEING_ASKED: the search goes on with
 * its ancestors. OURS: our write listed it, or an ancestor. THEIRS: somebody else did. OUTSIDE:
 * none of its ancestors is listed. DOUBTFUL: an orphan, whose ancestor was listed by us, or before
 * us.
 */
enum verdict { NOT_ASKED, BEING_ASKED, OURS, THEIRS, OUTSIDE, DOUBTFUL };

struct task {
	int pid;
	bool is_listed;			/* it is in the list, and the reason has to be found */
	bool is_above;			/* it is an ancestor of a task that our write listed */
	bool begins_sessions;		/* its child towards that task began a session */
	enum verdict verdict;
};

struct family {
	void *tasks;			/* all tasks that were seen: a tree (tsearch(3)) */
	int64_t at;
	enum verdict orphans;
	bool has_ended;			/* a task that our write listed has exited */
};

static int by_pid(const void *a, const void *b)
{
	const struct task *x = a, *y = b;

	return (x->pid > y->pid) - (x->pid < y->pid);
}

/* Returns the task of a pid; adds it when it is new. */
static struct task *task_of(struct family *family, int pid)
{
	struct task *task = tsh_xcalloc(1, sizeof(*task));
	struct task *const *found;

	task->pid = pid;
	found = tsearch(task, &family->tasks, by_pid);
	if (!found)
		abort();
	if (*found != task)
		free(task);
	return *found;
}

/* Returns the task whose verdict also holds for this one, or NULL after this task got its own
 * verdict. */
static struct task *find_decider(struct family *family, struct task *task)
{
	struct task *leader = NULL, *next;
	struct tsh_process_numbers p;

	if (task->is_listed && is_older(task->pid, family->at)) {
		task->verdict = THEIRS;
		return NULL;
	}
	p = tsh_process_numbers(task->pid);
	if (p.process && p.process != task->pid)
		leader = task_of(family, p.process);
	/* A thread came to the list because another thread of its process was listed. */
	if (leader && (leader->is_listed || leader->verdict == OURS || leader->verdict == THEIRS ||
		       leader->verdict == DOUBTFUL))
		return leader;
	next = p.parent ? task_of(family, p.parent) : NULL;
	/* Pid 1 is an ancestor of all tasks, and the parent of orphans, so it proves nothing. */
	if (next && (p.parent != 1 || (next->verdict != NOT_ASKED && !next->is_listed)))
		return next;
	task->verdict = next ? OUTSIDE : THEIRS;
	return NULL;
}

/* Says whether a task may be its parent's own child, by its session: that of the parent, or a new
 * one, which is possible when children of this parent begin sessions. A process cannot join another
 * session. */
static bool may_be_own_child(const struct task *parent, const struct tsh_process_numbers *child)
{
	pid_t session = getsid(child->process);
	bool begin = !parent || !parent->is_above || parent->begins_sessions;

	return session == getsid(child->parent) || (session == child->process && begin);
}

/*
 * Judges a task that is listed though its parent is not. Either its first parent has exited, and it
 * was adopted by a subreaper above that parent or by the init of a pid namespace (or its parent has
 * just exited), or somebody else has listed it.
 */
static enum verdict judge_orphan(const struct family *family, struct task *orphan)
{
	struct tsh_process_numbers p = tsh_process_numbers(orphan->pid);
	struct task key = { .pid = p.parent };
	struct task *const *parent = tfind(&key, &family->tasks, by_pid);
	bool may_be_ours = family->has_ended || (parent && (*parent)->is_above);

	if (p.parent && tsh_process_numbers(p.parent).own <= 1)
		return family->orphans;
	return may_be_ours && !may_be_own_child(parent ? *parent : NULL, &p) ? family->orphans : THEIRS;
}

/* Goes up to an ancestor whose verdict is known. All tasks on the way get its verdict. */
static enum verdict judge(struct family *family, struct task *task)
{
	TSH_VEC(struct task *) line = { 0 };
	enum verdict verdict;
	struct task *next;
	size_t i;

	while (task->verdict == NOT_ASKED) {
		task->verdict = BEING_ASKED;
		*tsh_vec_push(&line) = task;
		next = find_decider(family, task);
		task = next ? next : task;
	}
	/* The walk can end in a circle when pids were used again meanwhile. */
	verdict = task->verdict == BEING_ASKED ? THEIRS : task->verdict;
	for (i = line.n; i-- > 0;) {
		if (verdict == OUTSIDE && line.v[i]->is_listed)
			verdict = judge_orphan(family, line.v[i]);
		line.v[i]->verdict = verdict;
	}
	tsh_vec_release(&line);
	return verdict;
}

/* Marks the ancestors of a task that our write listed. */
static void add_ancestors(struct family *family, int process, int parent)
{
	while (parent) {
		struct task *task = task_of(family, parent);

		task->begins_sessions = task->begins_sessions || getsid(process) == process;
		if (task->is_above)
			break;
		task->is_above = true;
		process = parent;
		parent = tsh_process_numbers(parent).parent;
	}
}

/* Sets the verdict of a task, and of its process, which is the parent of its children. */
static void add_known(struct family *family, int pid, int process, enum verdict verdict)
{
	struct task *task = task_of(family, pid), *leader;

	task->verdict = verdict;
	leader = process ? task_of(family, process) : task;
	if (leader->verdict == NOT_ASKED && !leader->is_listed)
		leader->verdict = verdict;
}

void tsh_pids_forked(const struct tsh_pids_change *change, struct tsh_strlist *ret, struct tsh_strlist *ret_doubtful)
{
	const struct tsh_strlist *after = change->after, *now = change->now;
	struct family family = { .at = change->at, .orphans = OURS, .has_ended = change->lost };
	char **before, **ours, **out;
	size_t i;
	int pid;

	if (!after->n || !tsh_is_initial_pid_namespace())
		return;
	before = sorted(change->before);
	ours = sorted(after);
	out = sorted(&change->out);
	for (i = 0; i < now->n; i++)
		if (!tsh_parse_int(now->v[i], &pid) && !is_in(ours, after, now->v[i]))
			task_of(&family, pid)->is_listed = !is_in(before, change->before, now->v[i]);
	for (i = 0; i < change->older.n; i++)
		if (!tsh_parse_int(change->older.v[i], &pid)) {
			task_of(&family, pid)->is_listed = false;
			add_known(&family, pid, tsh_process_numbers(pid).process, THEIRS);
		}
	for (i = 0; i < after->n; i++) {
		bool was_there = change->followed && is_in(before, change->before, after->v[i]);
		struct tsh_process_numbers p;

		if (was_there && !change->lost && !is_in(out, &change->out, after->v[i]))
			family.orphans = DOUBTFUL;
		if (tsh_parse_int(after->v[i], &pid))
			continue;
		p = tsh_process_numbers(pid);
		add_known(&family, pid, p.process, was_there ? THEIRS : OURS);
		if (is_same(after->v[i], change->handed ? 0 : change->at))
			add_ancestors(&family, p.process, p.parent);
		else
			family.has_ended = true;
	}
	for (i = 0; i < now->n; i++) {
		struct task *task = tsh_parse_int(now->v[i], &pid) ? NULL : task_of(&family, pid);
		enum verdict verdict = task && task->is_listed ? judge(&family, task) : THEIRS;

		if (verdict == OURS)
			tsh_strlist_add(ret, now->v[i]);
		else if (verdict == DOUBTFUL && ret_doubtful)
			tsh_strlist_add(ret_doubtful, now->v[i]);
	}
	tdestroy(family.tasks, free);
	free(before);
	free(ours);
	free(out);
}

void tsh_pids_not_ended(const struct tsh_pids_change *change, struct tsh_strlist *ret)
{
	char **ours = sorted(change->after);
	bool sees_all = tsh_is_initial_pid_namespace();
	size_t i;

	for (i = 0; i < change->before->n; i++)
		if (!sees_all || is_in(ours, change->after, change->before->v[i]) ||
		    is_same(change->before->v[i], change->at))
			tsh_strlist_add(ret, change->before->v[i]);
	free(ours);
}

void tsh_pids_before(const struct tsh_strlist *before, const struct tsh_strlist *after,
		     const struct tsh_strlist *now, struct tsh_strlist *ret)
{
	char **was = sorted(before), **ours = sorted(after), **is = sorted(now);
	bool sees_all = tsh_is_initial_pid_namespace();
	size_t i;

	for (i = 0; i < before->n; i++)
		if (is_in(is, now, before->v[i]) || !is_in(ours, after, before->v[i]))
			tsh_strlist_add(ret, before->v[i]);
	for (i = 0; i < now->n; i++)
		if (!is_in(ours, after, now->v[i]) && !is_in(was, before, now->v[i]) &&
		    (!sees_all || tsh_pid_is_alive(now->v[i])))
			tsh_strlist_add(ret, now->v[i]);
	free(was);
	free(ours);
	free(is);
}
