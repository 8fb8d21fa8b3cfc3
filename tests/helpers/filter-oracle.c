/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * filter-oracle EXPRESSIONS SEED: the kernel's filter against src/query. A task of our own makes
 * events, which go into one instance as they are and into others through a random filter each.
 * What the kernel kept there is what tsh_query_match keeps of the first; and the filter that
 * tsh_query_split makes of an expression keeps the same. The expressions are in the kernel's
 * grammar, with values that the events have. Prints what differs, and at the end
 * "N expressions, N refused by the kernel, N keep some, N differ". Status 1 if anything differs.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "filter-random.h"
#include "base/vec.h"
#include "base/xmalloc.h"
#include "events/source/stream.h"
#include "kernel/tracefs/event.h"
#include "kernel/tracefs/tracefs.h"
#include "query/query.h"

#define COLUMNS 12		/* filters at a time */
#define EVENTS (sizeof(events) / sizeof(events[0]))

/* Fields of every kind: strings in place and elsewhere, pointers, signed and unsigned of all sizes. */
static const struct tsh_event events[] = {
	{ (char *)"sched", (char *)"sched_switch" },
	{ (char *)"sched", (char *)"sched_waking" },
	{ (char *)"sched", (char *)"sched_process_fork" },
	{ (char *)"sched", (char *)"sched_process_exec" },
	{ (char *)"signal", (char *)"signal_generate" },
	{ (char *)"timer", (char *)"hrtimer_start" },
	{ (char *)"kmem", (char *)"kmalloc" },
	{ (char *)"task", (char *)"task_newtask" },
	{ (char *)"syscalls", (char *)"sys_enter_openat" },
	{ (char *)"syscalls", (char *)"sys_exit_openat" },
};

/* Events, each as a line. */
struct lines {
	char **v;
	size_t n, cap;
};

struct column {
	struct tsh_instance *in;
	struct tsh_source *source;
	const struct tsh_event *event;	/* NULL: all of them */
	char *expression;
	struct tsh_query *query;
	struct lines lines;
	bool refused;
	bool is_partial;		/* the kernel got only some of the terms */
};

struct oracle {
	struct tsh_dir *dir;
	struct tsh_live_provider *provider;
	struct tsh_decoder *decoder;
	struct column all, columns[COLUMNS];
	struct filter_samples samples[EVENTS];	/* to take values from */
	struct filter_random random;
	int task, to_task, from_task;
	unsigned int expressions, refused, kept_some, differ;
};

static void die(const char *what, struct tsh_err *err)
{
	fprintf(stderr, "filter-oracle: %s: %s\n", what, err && err->message ? err->message : strerror(errno));
	exit(2);
}

/* ---- what makes events ---- */

static void work(void)
{
	static const char *const files[] = { "/etc/passwd", "/dev/null", "/nowhere/at/all", "/" };
	struct timespec nap = { 0, 200000 };
	unsigned int i;
	pid_t child;

	for (i = 0; i < 8; i++) {
		int fd = open(files[i % 4], i % 2 ? O_RDONLY : O_RDONLY | O_CLOEXEC | O_NONBLOCK);

		if (fd >= 0)
			close(fd);
		nanosleep(&nap, NULL);
		kill(getpid(), i % 2 ? SIGUSR1 : SIGCHLD);
	}
	for (i = 0; i < 2; i++) {
		child = fork();
		if (!child) {
			execl(i ? "/bin/true" : "/bin/sh", i ? "true" : "sh", "-c", ":", (char *)NULL);
			_exit(127);
		}
		waitpid(child, NULL, 0);
	}
}

static void task_main(int from, int to)
{
	char byte;

	signal(SIGUSR1, SIG_IGN);
	while (read(from, &byte, 1) == 1) {
		work();
		if (write(to, &byte, 1) != 1)
			break;
	}
	_exit(0);
}

static void start_task(struct oracle *o)
{
	int down[2], up[2];

	if (pipe(down) < 0 || pipe(up) < 0 || (o->task = fork()) < 0)
		die("fork", NULL);
	if (!o->task) {
		close(down[1]);
		close(up[0]);
		task_main(down[0], up[1]);
	}
	close(down[0]);
	close(up[1]);
	o->to_task = down[1];
	o->from_task = up[0];
}

/* It sleeps in its read: nothing of it comes any more. */
static void wait_asleep(const struct oracle *o)
{
	char path[64], text[256];
	const char *state;
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/stat", o->task);
	do {
		fd = open(path, O_RDONLY);
		n = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);
		if (fd >= 0)
			close(fd);
		if (n <= 0)
			die("the task", NULL);
		text[n] = '\0';
		state = strrchr(text, ')');
	} while (!state || state[2] != 'S');
}

/* ---- instances ---- */

static void put(struct tsh_instance *in, const char *path, const char *text)
{
	struct tsh_err err = { 0 };

	if (tsh_file_write(in, path, TSH_WRITE_SET, text, &err) < 0)
		die(path, &err);
}

static void put_event(struct tsh_instance *in, const struct tsh_event *event, const char *file,
		      const char *text)
{
	char *path = tsh_event_path(event, file);

	put(in, path, text);
	free(path);
}

static void open_column(struct oracle *o, struct column *c)
{
	struct tsh_err err = { 0 };
	char pid[16];

	if (tsh_instance_create_own(o->dir, &c->in, &err) < 0)
		die("an instance", &err);
	snprintf(pid, sizeof(pid), "%d", o->task);
	put(c->in, "tracing_on", "0");
	put(c->in, "set_event_pid", pid);
	put(c->in, "options/event-fork", "1");
	if (tsh_source_open(c->in, NULL, &c->source, &err) < 0)
		die("the buffer", &err);
}

static void forget_lines(struct column *c)
{
	size_t i;

	for (i = 0; i < c->lines.n; i++)
		free(c->lines.v[i]);
	tsh_vec_release(&c->lines);
}

static void close_column(struct oracle *o, struct column *c)
{
	struct tsh_err err = { 0 };
	char *name = tsh_xstrdup(c->in->name);

	forget_lines(c);
	tsh_source_close(c->source);
	tsh_instance_close(c->in);
	if (tsh_instance_delete(o->dir, name, &err) < 0)
		die(name, &err);
	free(name);
}

/* ---- a round ---- */

/* A filter of its own for one event; half of them as tsh_query_split gives it to the kernel. */
static void choose(struct oracle *o, struct column *c)
{
	struct tsh_query_split split = { 0 };
	struct tsh_strbuf text = TSH_STRBUF_INIT;
	struct tsh_err err = { 0 };
	const char *filter;
	size_t event, i;
	char *path;

	do {
		event = filter_random_pick(&o->random, EVENTS);
	} while (!o->samples[event].n);
	c->event = &events[event];
	filter_random_expression(&o->random, &o->samples[event],
				 filter_random_pick(&o->random, 4), &text);
	c->expression = tsh_strbuf_detach(&text);
	c->query = tsh_query_new(c->expression, strlen(c->expression), &err);
	if (!c->query || tsh_query_split(c->query, o->decoder, o->samples[event].format, sizeof(long), &split, &err) < 0)
		die(c->expression, &err);
	filter = filter_random_pick(&o->random, 2) && split.filter.len ? split.filter.buf : c->expression;
	c->is_partial = false;
	for (i = 0; filter != c->expression && i < split.parts.n; i++)
		c->is_partial |= split.parts.v[i].why != NULL;
	path = tsh_event_path(c->event, "filter");
	c->refused = tsh_file_write(c->in, path, TSH_WRITE_SET, filter, &err) < 0;
	if (c->refused)
		printf("# refused: %s: %s (%s)\n", c->event->name, filter, err.message);
	tsh_err_release(&err);
	free(path);
	put_event(c->in, c->event, "enable", "1");
	tsh_query_split_release(&split);
}

static int compare_lines(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Reads what a column has; each record is given to take. */
static void read_column(struct column *c, void (*take)(struct oracle *, struct column *,
						       const struct tsh_record *), struct oracle *o)
{
	struct tsh_record rec;
	enum tsh_source_item item;
	bool drained = false, late;
	uint64_t lost;

	while (!drained) {
		if (tsh_source_fill(c->source, 64, &drained) < 0)
			die("reading", NULL);
		while ((item = tsh_source_next(c->source, UINT64_MAX, &rec, &lost, &late)) != TSH_ITEM_NONE) {
			if (item == TSH_ITEM_LOST)
				die("events were lost", NULL);
			take(o, c, &rec);
		}
	}
}

static void add_line(struct oracle *o, struct column *c, const struct tsh_record *rec)
{
	const struct tsh_event_format *format;
	struct tsh_strbuf line = TSH_STRBUF_INIT;
	struct tsh_common common;
	bool damaged;

	format = tsh_decoder_begin_record(o->decoder, rec, &common, &damaged);
	if (!format)
		return;
	tsh_strbuf_addf(&line, "%d %d %s ", rec->cpu, common.pid, format->name);
	tsh_decoder_print(o->decoder, format, rec, &line);
	if (strstr(line.buf, "prev_state="))
		memset(strstr(line.buf, "prev_state=") + strlen("prev_state="), '.', 2);
	*(char **)tsh_vec_push(&c->lines) = tsh_strbuf_detach(&line);
}

static void keep_sample(struct oracle *o, const struct tsh_record *rec)
{
	struct tsh_common common;
	unsigned char *copy;
	size_t i;

	if (!tsh_decoder_common(o->decoder, rec, &common))
		return;
	for (i = 0; i < EVENTS; i++) {
		if (!o->samples[i].format || o->samples[i].format->id != common.id || o->samples[i].n == 16)
			continue;
		copy = tsh_xcalloc(1, rec->size);
		memcpy(copy, rec->data, rec->size);
		o->samples[i].records[o->samples[i].n] = *rec;
		o->samples[i].records[o->samples[i].n++].data = copy;
	}
}

/* Of the unfiltered ones: what each expression keeps, by our own evaluation. */
static struct lines expected[COLUMNS];

static void ask_all(struct oracle *o, struct column *all, const struct tsh_record *rec)
{
	const struct tsh_event_format *format;
	struct tsh_common common;
	size_t i;

	keep_sample(o, rec);
	if (!tsh_decoder_common(o->decoder, rec, &common) ||
	    !(format = tsh_decoder_format(o->decoder, common.id)))
		return;
	for (i = 0; i < COLUMNS; i++) {
		struct column *c = &o->columns[i];

		if (!c->event || strcmp(format->name, c->event->name) != 0)
			continue;
		if (tsh_query_match(c->query, o->decoder, tsh_source_layout(all->source), rec)) {
			struct column line = { 0 };

			add_line(o, &line, rec);
			*(char **)tsh_vec_push(&expected[i]) = line.lines.v[0];
			tsh_vec_release(&line.lines);
		}
	}
}

static void sort_lines(struct lines *lines)
{
	if (lines->n)
		qsort(lines->v, lines->n, sizeof(char *), compare_lines);
}

static void judge(struct oracle *o, struct column *c, struct lines *ours)
{
	char *now;
	size_t i, j;

	o->expressions++;
	o->refused += c->refused;
	if (c->refused)
		return;
	o->kept_some += ours->n > 0;
	sort_lines(ours);
	sort_lines(&c->lines);
	for (i = j = 0; i < ours->n && j < c->lines.n; j++)
		if (!strcmp(ours->v[i], c->lines.v[j]))
			i++;
		else if (!c->is_partial)
			break;
	if (i == ours->n && (c->is_partial || j == c->lines.n))
		return;
	o->differ++;
	now = tsh_event_filter(c->in, c->event);
	printf("# differs: %s where %s\n#   the kernel has: %s\n#   kernel keeps %zu, we %zu; kernel: "
	       "%s\n#   ours: %s\n", c->event->name, c->expression, now ? now : "", c->lines.n, ours->n,
	       j < c->lines.n ? c->lines.v[j] : "(end)", i < ours->n ? ours->v[i] : "(end)");
	free(now);
}

static void run_task(struct oracle *o)
{
	char byte = 0;
	size_t i;

	wait_asleep(o);
	for (i = 0; i < COLUMNS; i++)
		put(o->columns[i].in, "tracing_on", "1");
	put(o->all.in, "tracing_on", "1");
	if (write(o->to_task, &byte, 1) != 1 || read(o->from_task, &byte, 1) != 1)
		die("the task", NULL);
	wait_asleep(o);
	put(o->all.in, "tracing_on", "0");
	for (i = 0; i < COLUMNS; i++)
		put(o->columns[i].in, "tracing_on", "0");
}

static void release_choice(struct column *c, struct lines *ours)
{
	struct column line = { .lines = *ours };

	put_event(c->in, c->event, "enable", "0");
	put_event(c->in, c->event, "filter", "0");
	forget_lines(c);
	forget_lines(&line);
	*ours = (struct lines){ 0 };
	tsh_query_free(c->query);
	free(c->expression);
	c->event = NULL;
}

static void play_round(struct oracle *o)
{
	size_t i;

	for (i = 0; i < COLUMNS; i++)
		choose(o, &o->columns[i]);
	run_task(o);
	read_column(&o->all, ask_all, o);
	for (i = 0; i < COLUMNS; i++) {
		read_column(&o->columns[i], add_line, o);
		judge(o, &o->columns[i], &expected[i]);
		release_choice(&o->columns[i], &expected[i]);
	}
}

static void open_all(struct oracle *o)
{
	struct tsh_err err = { 0 };
	size_t i, j;

	start_task(o);
	if (tsh_dir_open(NULL, &o->dir, &err) < 0)
		die("tracefs", &err);
	open_column(o, &o->all);
	for (i = 0; i < COLUMNS; i++)
		open_column(o, &o->columns[i]);
	o->provider = tsh_live_provider_new(o->all.in);
	o->random.decoder = o->decoder = tsh_decoder_new(tsh_live_provider(o->provider), tsh_source_layout(o->all.source));
	for (i = 0; i < EVENTS; i++) {
		char *path = tsh_event_path(&events[i], "id");
		char *id = tsh_file_text(o->all.in, path);

		if (id) {
			o->samples[i].format = tsh_decoder_format(o->decoder, (unsigned int)atoi(id));
			put_event(o->all.in, &events[i], "enable", "1");
		}
		free(id);
		free(path);
	}
	run_task(o);
	read_column(&o->all, ask_all, o);
	for (i = j = 0; i < EVENTS; i++)
		j += o->samples[i].n > 0;
	printf("# %zu of %zu events came\n", j, EVENTS);
	if (!j)
		die("no event came", NULL);
}

int main(int argc, char **argv)
{
	static struct oracle o;
	unsigned long wanted;
	size_t i, j;

	if (argc != 3) {
		fprintf(stderr, "usage: filter-oracle EXPRESSIONS SEED\n");
		return 2;
	}
	wanted = strtoul(argv[1], NULL, 10);
	o.random.state = strtoull(argv[2], NULL, 10) * 2 + 1;
	open_all(&o);
	while (o.expressions < wanted)
		play_round(&o);
	close(o.to_task);
	waitpid(o.task, NULL, 0);
	for (i = 0; i < COLUMNS; i++)
		close_column(&o, &o.columns[i]);
	close_column(&o, &o.all);
	tsh_decoder_free(o.decoder);
	tsh_live_provider_free(o.provider);
	tsh_dir_close(o.dir);
	for (i = 0; i < EVENTS; i++)
		for (j = 0; j < o.samples[i].n; j++)
			free((void *)(uintptr_t)o.samples[i].records[j].data);
	printf("%u expressions, %u refused by the kernel, %u keep some, %u differ\n", o.expressions,
	       o.refused, o.kept_some, o.differ);
	return o.differ > 0;
}
