/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "source.h"
#include "tracesh/event.h"

/* A search of all events for an id that nothing has is not repeated before this. */
/* saved_tgids is read again after this. */
#define TGIDS_NS UINT64_C(1000000000)
#define SEARCH_AGAIN_NS UINT64_C(1000000000)
/* The inode of the initial pid namespace (include/linux/proc_ns.h). */
#define PROC_PID_INIT_INO 0xEFFFFFFCU

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

struct known_event {
	unsigned int id;
	char *system;
	char *name;
};

struct tsh_live_provider {
	struct tsh_provider provider;
	const struct tsh_instance *in;
	struct tsh_instance *top;	/* NULL when `in` is it, or it cannot be opened */
	TSH_VEC(struct known_event) events;
	bool has_tasks;			/* /proc shows the tasks of the events */
	struct {
		unsigned int id;
		uint64_t at;		/* CLOCK_MONOTONIC; 0: none */
	} failed[8];			/* ids that nothing has */
	unsigned int nfailed;
	char *tgids;			/* saved_tgids, or NULL */
	uint64_t tgids_at;		/* when it was read; live */
};

static const struct tsh_instance *top_of(const struct tsh_live_provider *p)
{
	return p->top ? p->top : p->in;
}

/* ---- events by id ---- */

static char *read_event_file(const struct tsh_live_provider *p, const char *system,
			     const char *name, const char *file)
{
	char *path = tsh_xasprintf("events/%s/%s/%s", system, name, file);
	char *text = tsh_file_text(p->in, path);

	/* Old kernels have no events/ftrace in an instance. */
	if (!text && p->top)
		text = tsh_file_text(p->top, path);
	free(path);
	return text;
}

static bool read_id(const struct tsh_live_provider *p, const char *system, const char *name,
		    unsigned int *ret_id)
{
	char *text = read_event_file(p, system, name, "id");
	uint64_t id;
	bool good;

	good = text && !tsh_parse_u64(text, &id) && id <= UINT16_MAX;
	if (!text) {
		/* Trees need only have the formats. */
		const char *line;

		text = read_event_file(p, system, name, "format");
		line = text ? strstr(text, "\nID: ") : NULL;
		if (line) {
			char *number = tsh_xstrndup(line + 5, strcspn(line + 5, "\n"));

			good = !tsh_parse_u64(number, &id) && id <= UINT16_MAX;
			free(number);
		}
	}
	free(text);
	if (good)
		*ret_id = (unsigned int)id;
	return good;
}

static struct known_event *find_id(const struct tsh_live_provider *p, unsigned int id)
{
	size_t i;

	for (i = 0; i < p->events.n; i++)
		if (p->events.v[i].id == id)
			return &p->events.v[i];
	return NULL;
}

static void free_event(struct known_event *event)
{
	free(event->system);
	free(event->name);
}

static void learn(struct tsh_live_provider *p, const char *system, const char *name)
{
	struct known_event *event;
	unsigned int id;

	if (!read_id(p, system, name, &id))
		return;
	event = find_id(p, id);
	if (event)
		free_event(event);
	else
		event = tsh_vec_push(&p->events);
	event->id = id;
	event->system = tsh_xstrdup(system);
	event->name = tsh_xstrdup(name);
}

/* Takes over the list. */
static void learn_list(struct tsh_live_provider *p, struct tsh_events *events)
{
	size_t i;

	for (i = 0; i < events->n; i++)
		learn(p, events->v[i].system, events->v[i].name);
	tsh_events_release(events);
}

static void learn_system(struct tsh_live_provider *p, const struct tsh_instance *in,
			 const char *system)
{
	char *path = tsh_xasprintf("events/%s", system);
	struct tsh_strlist names = { 0 };
	size_t i;

	/* The files `enable` and `filter` are in the list too; they have no id. */
	if (!tsh_file_list(in, path, &names))
		for (i = 0; i < names.n; i++)
			learn(p, system, names.v[i]);
	tsh_strlist_release(&names);
	free(path);
}

/* A tree may hold formats and no list of them. */
static void learn_folders(struct tsh_live_provider *p)
{
	struct tsh_strlist systems = { 0 };
	size_t i;

	if (!tsh_file_list(p->in, "events", &systems))
		for (i = 0; i < systems.n; i++)
			learn_system(p, p->in, systems.v[i]);
	tsh_strlist_release(&systems);
}

static void learn_enabled(struct tsh_live_provider *p)
{
	struct tsh_events events = { 0 };
	struct tsh_err err = { 0 };

	tsh_events_enabled(p->in, &events, &err);
	tsh_err_release(&err);
	learn_list(p, &events);
}

static void learn_available(struct tsh_live_provider *p)
{
	struct tsh_events events = { 0 };
	struct tsh_err err = { 0 };

	tsh_events_available(p->in->dir, &events, &err);
	tsh_err_release(&err);
	learn_list(p, &events);
}

/* Enabled events first: to read the ids of all 2000 takes some 10 ms. */
static bool search(struct tsh_live_provider *p, unsigned int id)
{
	if (p->in->dir->kind == TSH_DIR_TREE) {
		learn_folders(p);
		return find_id(p, id);
	}
	learn_enabled(p);
	if (find_id(p, id))
		return true;
	learn_system(p, top_of(p), "ftrace");
	if (find_id(p, id))
		return true;
	learn_available(p);
	return find_id(p, id);
}

/* An id that no event had a moment ago is not worth another search. */
static bool has_failed(const struct tsh_live_provider *p, unsigned int id)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(p->failed); i++)
		if (p->failed[i].at && p->failed[i].id == id &&
		    tsh_mono_ns() - p->failed[i].at < SEARCH_AGAIN_NS)
			return true;
	return false;
}

/* Probes go and their ids are given to others. */
static void forget_stale(struct tsh_live_provider *p, unsigned int id)
{
	struct known_event *event = find_id(p, id);
	unsigned int its_id;

	if (!event || (read_id(p, event->system, event->name, &its_id) && its_id == id))
		return;
	free_event(event);
	*event = p->events.v[--p->events.n];
}

static int provide_format(void *ctx, unsigned int id, char **ret_system, char **ret_text)
{
	struct tsh_live_provider *p = ctx;
	struct known_event *event;
	char *text;

	forget_stale(p, id);
	if (!find_id(p, id)) {
		if (has_failed(p, id))
			return -ENOENT;
		if (!search(p, id)) {
			p->failed[p->nfailed % ARRAY_SIZE(p->failed)].id = id;
			p->failed[p->nfailed++ % ARRAY_SIZE(p->failed)].at = tsh_mono_ns();
			return -ENOENT;
		}
	}
	event = find_id(p, id);
	text = read_event_file(p, event->system, event->name, "format");
	if (!text)
		return -ENOENT;
	*ret_system = tsh_xstrdup(event->system);
	*ret_text = text;
	return 0;
}

/* ---- tasks ---- */

static char *provide_cmdlines(void *ctx)
{
	return tsh_file_text(top_of(ctx), "saved_cmdlines");
}

static char *provide_printk_formats(void *ctx)
{
	return tsh_file_text(top_of(ctx), "printk_formats");
}

/* A small file of /proc/PID; its length, or -1. */
static ssize_t read_proc(int pid, const char *file, char *text, size_t size)
{
	char *path = tsh_xasprintf("/proc/%d/%s", pid, file);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = -1;

	free(path);
	if (fd >= 0) {
		n = read(fd, text, size - 1);
		close(fd);
	}
	text[n > 0 ? n : 0] = '\0';
	return n;
}

static bool provide_comm(void *ctx, int pid, char comm[16])
{
	const struct tsh_live_provider *p = ctx;
	char text[64];
	ssize_t n;

	if (!p->has_tasks || pid <= 0)
		return false;
	n = read_proc(pid, "comm", text, sizeof(text));
	if (n <= 0)
		return false;
	/* One newline is the file's, others are the task's. */
	if (text[n - 1] == '\n')
		n--;
	if (n > 15)
		n = 15;
	memcpy(comm, text, (size_t)n);
	memset(comm + n, 0, 16 - (size_t)n);
	return true;
}

static int tgid_in(const char *text, const char *before)
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

/* saved_tgids of a live instance is read again after a while. */
static void read_tgids(struct tsh_live_provider *p)
{
	uint64_t now = tsh_mono_ns();

	if (p->in->dir->kind == TSH_DIR_TREE || (p->tgids_at && now < p->tgids_at + TGIDS_NS))
		return;
	p->tgids_at = now;
	free(p->tgids);
	p->tgids = tsh_file_text(top_of(p), "saved_tgids");
}

static int provide_tgid(void *ctx, int pid)
{
	struct tsh_live_provider *p = ctx;
	char text[1024], *before;
	int tgid = -1;

	if (pid <= 0)
		return -1;
	if (p->has_tasks) {
		/* The name stands above and is escaped; Tgid is in the first 200 bytes. */
		if (read_proc(pid, "status", text, sizeof(text)) > 0)
			tgid = tgid_in(text, "Tgid:");
	}
	/* A task that is gone: the kernel may have noted it (record-tgid). */
	if (tgid < 0)
		read_tgids(p);
	if (tgid < 0 && p->tgids) {
		before = tsh_xasprintf("%d ", pid);
		tgid = tgid_in(p->tgids, before);
		free(before);
	}
	return tgid;
}

/* In a pid namespace /proc/7 is another task than the kernel's 7. */
static bool is_initial_pid_namespace(void)
{
	struct stat st;

	if (stat("/proc/self/ns/pid", &st) < 0)
		return true;
	return st.st_ino == PROC_PID_INIT_INO;
}

/* ---- the object ---- */

struct tsh_live_provider *tsh_live_provider_new(const struct tsh_instance *in)
{
	struct tsh_live_provider *p = tsh_xcalloc(1, sizeof(*p));
	struct tsh_err err = { 0 };

	p->in = in;
	if (in->name && tsh_instance_open(in->dir, NULL, &p->top, &err) < 0)
		p->top = NULL;
	tsh_err_release(&err);
	if (in->dir->kind == TSH_DIR_TREE)
		p->tgids = tsh_file_text(top_of(p), "saved_tgids");
	else
		p->has_tasks = is_initial_pid_namespace();
	p->provider = (struct tsh_provider){
		.format = provide_format,
		.cmdlines = provide_cmdlines,
		.comm = provide_comm,
		.tgid = provide_tgid,
		.printk_formats = provide_printk_formats,
		.ctx = p,
	};
	return p;
}

const struct tsh_provider *tsh_live_provider(const struct tsh_live_provider *p)
{
	return &p->provider;
}

void tsh_live_provider_free(struct tsh_live_provider *p)
{
	size_t i;

	if (!p)
		return;
	for (i = 0; i < p->events.n; i++)
		free_event(&p->events.v[i]);
	tsh_vec_release(&p->events);
	if (p->top)
		tsh_instance_close(p->top);
	free(p->tgids);
	free(p);
}
