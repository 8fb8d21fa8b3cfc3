/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/machine.h"
#include "provider-internal.h"
#include "recorded.h"
#include "source.h"

/* Sets for how long saved_tgids is not read again. */
#define TGIDS_NS UINT64_C(1000000000)
/* Is the inode of the initial pid namespace (include/linux/proc_ns.h). */
#define PROC_PID_INIT_INO 0xEFFFFFFCU

char *tsh_provide_cmdlines(void *ctx)
{
	return tsh_file_text(tsh_provider_top(ctx), "saved_cmdlines");
}

/* Reads a small file of /proc/PID. Returns its length, or -1. */
static ssize_t read_proc(int pid, const char *file, char *text, size_t size)
{
	char path[TSH_TASK_PATH];

	tsh_task_path(path, pid, file);
	return tsh_read_small(path, text, size);
}

/* Finds a task's name: the first entry with its pid, which is the latest. */
static bool comm_in(const struct tsh_saved_comms *comms, int pid, char comm[TSH_COMM_SIZE])
{
	size_t i;

	for (i = 0; i < comms->n; i++)
		if (comms->v[i].pid == pid) {
			memcpy(comm, comms->v[i].comm, TSH_COMM_SIZE);
			return true;
		}
	return false;
}

bool tsh_provide_comm(void *ctx, int pid, char comm[16])
{
	const struct tsh_live_provider *p = ctx;
	char text[64];
	ssize_t n;

	if (pid > 0 && p->has_comms)
		return comm_in(&p->comms, pid, comm);
	if (!p->has_tasks || pid <= 0)
		return false;
	n = read_proc(pid, "comm", text, sizeof(text));
	if (n <= 0)
		return false;
	/* the last newline is the file's; others belong to the name */
	if (text[n - 1] == '\n')
		n--;
	if (n > 15)
		n = 15;
	memcpy(comm, text, (size_t)n);
	memset(comm + n, 0, 16 - (size_t)n);
	return true;
}

/* Lists the numbers in a folder of /proc. Returns false when it cannot be read. */
static bool list_tasks(const char *path, struct tsh_strlist *ret)
{
	struct dirent *entry;
	DIR *d = opendir(path);

	while (d && (entry = readdir(d)))
		if (*entry->d_name >= '1' && *entry->d_name <= '9')
			tsh_strlist_add(ret, entry->d_name);
	if (d)
		closedir(d);
	return d;
}

static void each_thread(void *ctx, const char *process,
			void (*see)(void *to, int pid, const char *comm), void *to)
{
	struct tsh_strlist threads = { 0 };
	char *path = tsh_xasprintf("/proc/%s/task", process), comm[TSH_COMM_SIZE];
	size_t i;
	int pid;

	/* a process that has just ended has no threads */
	(void)list_tasks(path, &threads);
	for (i = 0; i < threads.n; i++)
		if (!tsh_parse_int(threads.v[i], &pid) && tsh_provide_comm(ctx, pid, comm))
			see(to, pid, comm);
	tsh_strlist_release(&threads);
	free(path);
}

bool tsh_provide_tasks(void *ctx, void (*each)(void *to, int pid, const char *comm), void *to)
{
	const struct tsh_live_provider *p = ctx;
	struct tsh_strlist processes = { 0 };
	bool can = p->has_tasks && list_tasks("/proc", &processes) && processes.n;
	size_t i;

	for (i = 0; can && i < processes.n; i++)
		each_thread(ctx, processes.v[i], each, to);
	tsh_strlist_release(&processes);
	return can;
}

/* Returns the number behind `before` at the beginning of a line, or -1. */
static int number_behind(const char *text, const char *before)
{
	const char *value = text;
	uint64_t tgid;
	char *number;
	int r = -1;

	if (strncmp(value, before, strlen(before))) {
		char *line = tsh_xasprintf("\n%s", before);

		value = strstr(text, line);
		value = value ? value + 1 : NULL;
		free(line);
	}
	if (!value)
		return -1;
	value += strlen(before);
	value += strspn(value, " \t");
	number = tsh_xstrndup(value, strcspn(value, " \n"));
	if (!tsh_parse_u64(number, &tgid) && tgid > 0 && tgid <= INT32_MAX)
		r = (int)tgid;
	free(number);
	return r;
}

unsigned int tsh_provide_bits(void *ctx, int pid)
{
	const struct tsh_live_provider *p = ctx;
	unsigned int bits = 0;
	char *before;

	if (p->programs) {
		before = tsh_xasprintf("%d ", pid);
		bits = (unsigned int)number_behind(p->programs, before);
		free(before);
		return bits == 32 || bits == 64 ? bits : 0;
	}
	return p->has_tasks ? tsh_task_bits(pid) : 0;
}

/* Reads saved_tgids of a live instance, again after TGIDS_NS. */
static void read_tgids(struct tsh_live_provider *p)
{
	uint64_t now = tsh_mono_ns();

	if (p->in->dir->kind == TSH_DIR_TREE || (p->tgids_at && now < p->tgids_at + TGIDS_NS))
		return;
	p->tgids_at = now;
	free(p->tgids);
	p->tgids = tsh_file_text(tsh_provider_top(p), "saved_tgids");
}

int tsh_provide_tgid(void *ctx, int pid)
{
	struct tsh_live_provider *p = ctx;
	char text[1024], *before;
	int tgid = -1;

	if (pid <= 0)
		return -1;
	if (p->has_tasks) {
		/* Reads 200 bytes: they always contain Tgid, because the name above it
		 * is escaped. */
		if (read_proc(pid, "status", text, sizeof(text)) > 0)
			tgid = number_behind(text, "Tgid:");
	}
	/* Searches saved_tgids (option record-tgid) for a task that has ended. */
	if (tgid < 0)
		read_tgids(p);
	if (tgid < 0 && p->tgids) {
		before = tsh_xasprintf("%d ", pid);
		tgid = number_behind(p->tgids, before);
		free(before);
	}
	return tgid;
}

/* Says whether we are in the initial pid namespace. In another one /proc/7 is not the kernel's task
 * 7. */
static bool is_initial_pid_namespace(void)
{
	struct stat st;

	if (stat("/proc/self/ns/pid", &st) < 0)
		return true;
	return st.st_ino == PROC_PID_INIT_INO;
}

/* Joins two files of a recording. Puts a newline before each, so that every line has one before it;
 * the caller frees the text. NULL: there is none. */
static char *read_tree(const struct tsh_live_provider *p, const char *path, const char *more)
{
	char *a = tsh_provider_tree_text(p, path);
	char *b = tsh_provider_tree_text(p, more), *text = NULL;

	if (a || b)
		text = tsh_xasprintf("\n%s\n%s", a ? a : "", b ? b : "");
	free(a);
	free(b);
	return text;
}

/* Reads the names, without those that may be a part of another task's name. */
static void read_comms(struct tsh_live_provider *p)
{
	char *text = tsh_provider_tree_text(p, TREE_COMMS);
	size_t i, n = 0;

	p->has_comms = text != NULL;
	if (text)
		tsh_saved_comms_read(&p->comms, text);
	for (i = 0; i < p->comms.n; i++)
		if (!p->comms.v[i].doubtful)
			p->comms.v[n++] = p->comms.v[i];
	p->comms.n = n;
	free(text);
}

void tsh_provider_tasks_init(struct tsh_live_provider *p)
{
	if (tsh_provider_is_tree(p)) {
		p->programs = tsh_provider_tree_text(p, TREE_PROGRAMS);
		p->tgids = read_tree(p, "saved_tgids", TREE_TGIDS);
		read_comms(p);
	} else {
		p->has_tasks = is_initial_pid_namespace();
	}
}
