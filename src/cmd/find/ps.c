/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cmd/commands.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/machine.h"
#include "base/suggest.h"

/* Declares ps: lists the machine's tasks. */

struct task {
	uint64_t pid;
	uint64_t tgid;
	char comm[80];			/* kernel workers have more than TASK_COMM_LEN */
	char state[2];
	uint64_t threads;
};

typedef TSH_VEC(struct task) tasks_t;

/* Returns word number `n` after the name (0: the state) in /proc/PID/stat. */
static uint64_t stat_number(const char *after, unsigned int n)
{
	char word[24];
	uint64_t value = 0;
	size_t len;

	for (; *after == ' '; after++)
		;
	while (n--) {
		after += strcspn(after, " ");
		after += strspn(after, " ");
	}
	len = strcspn(after, " \n");
	snprintf(word, sizeof(word), "%.*s", (int)(len < 23 ? len : 23), after);
	return tsh_parse_u64(word, &value) < 0 ? 0 : value;
}

/* Parses "PID (NAME) STATE ..": the name may contain anything, a ")" too, so the last one ends it.
 * The number of threads is the 20th word, proc(5). */
static bool parse_stat(const char *text, struct task *ret)
{
	const char *open = strchr(text, '('), *close = strrchr(text, ')');
	size_t len;

	if (!open || !close || close < open || close[1] != ' ')
		return false;
	len = (size_t)(close - open - 1);
	if (len >= sizeof(ret->comm))
		len = sizeof(ret->comm) - 1;
	memcpy(ret->comm, open + 1, len);
	ret->comm[len] = '\0';
	ret->state[0] = close[2];
	ret->state[1] = '\0';
	ret->threads = stat_number(close + 1, 17);
	return true;
}

static bool read_stat(int dir, const char *name, struct task *ret)
{
	char path[64], text[1024];
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), "%s/stat", name);
	fd = openat(dir, path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;	/* the task has ended */
	n = read(fd, text, sizeof(text) - 1);
	close(fd);
	if (n <= 0)
		return false;
	text[n] = '\0';
	return parse_stat(text, ret);
}

static void add_threads(DIR *proc, const struct task *leader, const char *glob, tasks_t *tasks)
{
	char path[64];
	struct dirent *entry;
	struct task task;
	DIR *d;
	int fd;

	snprintf(path, sizeof(path), "%llu/task", (unsigned long long)leader->pid);
	fd = openat(dirfd(proc), path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	d = fd < 0 ? NULL : fdopendir(fd);
	if (!d && fd >= 0)
		close(fd);
	while (d && (entry = readdir(d))) {
		if (tsh_parse_u64(entry->d_name, &task.pid) < 0 || task.pid == leader->pid ||
		    !read_stat(dirfd(d), entry->d_name, &task))
			continue;
		task.tgid = leader->pid;
		if (!glob || tsh_glob_match(glob, task.comm))
			*tsh_vec_push(tasks) = task;
	}
	if (d)
		closedir(d);
}

static int compare_tasks(const void *a, const void *b)
{
	const struct task *x = a, *y = b;

	return (x->pid > y->pid) - (x->pid < y->pid);
}

static int find_tasks(const char *glob, bool threads, tasks_t *tasks, struct tsh_err *err)
{
	DIR *proc;
	struct dirent *entry;
	struct task task;

	if (tsh_check_proc(err) < 0)
		return -1;
	proc = opendir("/proc");
	if (!proc)
		return tsh_err_set(err, TSH_ENVIRONMENT, "cannot read /proc");
	while ((entry = readdir(proc))) {
		if (tsh_parse_u64(entry->d_name, &task.pid) < 0 ||
		    !read_stat(dirfd(proc), entry->d_name, &task))
			continue;
		task.tgid = task.pid;
		if (!glob || tsh_glob_match(glob, task.comm))
			*tsh_vec_push(tasks) = task;
		if (threads && task.threads > 1)
			add_threads(proc, &task, glob, tasks);
	}
	closedir(proc);
	if (tasks->n)
		qsort(tasks->v, tasks->n, sizeof(*tasks->v), compare_tasks);
	return 0;
}

static int ps_run(struct tsh_session *s, const struct tsh_call *call, struct tsh_err *err)
{
	static const struct tsh_column columns[] = {
		{ "pid", TSH_COLUMN_NUMBER }, { "tgid", TSH_COLUMN_NUMBER },
		{ "state", TSH_COLUMN_TEXT }, { "threads", TSH_COLUMN_NUMBER },
		{ "comm", TSH_COLUMN_TEXT }, { 0 }
	};
	const struct tsh_value *glob = tsh_args_get(&call->args, "GLOB");
	struct tsh_table *table;
	tasks_t tasks = { 0 };
	size_t i;

	if (find_tasks(glob ? glob->word.text : NULL, tsh_args_has(&call->args, "threads"),
		       &tasks, err) < 0)
		return -1;
	if (glob && !tasks.n) {
		tsh_err_at(err, glob->word.span, "no task is called '%s'", glob->word.text);
		err->status = TSH_FAILED;
		tsh_err_hint(err, "ps '*%s*' searches inside the names", glob->word.text);
		return -1;
	}
	table = tsh_table_begin(s->out, "task", columns);
	for (i = 0; i < tasks.n; i++) {
		tsh_table_row(table);
		tsh_table_number(table, tasks.v[i].pid);
		tsh_table_number(table, tasks.v[i].tgid);
		tsh_table_text(table, tasks.v[i].state);
		tsh_table_number(table, tasks.v[i].threads);
		tsh_table_text(table, tasks.v[i].comm);
	}
	tsh_table_end(table);
	tsh_vec_release(&tasks);
	return 0;
}

static const struct tsh_arg ps_args[] = {
	{ .name = "GLOB", .type = TSH_ARG_WORD, .flags = TSH_ARG_OPTIONAL,
	  .help = "only tasks with such a name" },
	{ .name = "threads", .option = "--threads", .type = TSH_ARG_FLAG,
	  .flags = TSH_ARG_OPTIONAL, .help = "each thread, not only each process" },
	{ 0 }
};

static const struct tsh_example ps_examples[] = {
	{ "ps", "every process" },
	{ "ps --threads '*s*'", "threads with an s in the name" },
	{ 0 }
};

const struct tsh_cmd tsh_cmd_ps = {
	.name = "ps", .group = TSH_GROUP_FIND, .summary = "list tasks",
	.description = "From /proc: pid, tgid (the process that a thread belongs to), state, "
		       "number of threads, name.",
	.see_also = "pid",
	.args = ps_args, .examples = ps_examples,
	.flags = TSH_CMD_PRINTS | TSH_CMD_PAGES,
	.run = ps_run,
};
