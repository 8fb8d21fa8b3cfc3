/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tasks.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tracesh/stream.h"

/*
 * The kernel's pid files speak the initial namespace's numbers. In another
 * namespace nothing in /proc tells them; but the event oom:oom_score_adj_update
 * does: it fires when a task's oom_score_adj is written, even with the value that
 * it has, and carries the task's number and the writer's.
 */

/* include/linux/proc_ns.h, PROC_PID_INIT_INO */
#define INIT_PID_NS 0xEFFFFFFCu

bool tsh_tasks_are_the_kernels(void)
{
	struct stat st;

	return stat("/proc/self/ns/pid", &st) < 0 || st.st_ino == INIT_PID_NS;
}

/* Writes a task's oom_score_adj back to itself. False when it is gone. */
static bool touch_task(int tid)
{
	char path[64], value[32];
	bool done = false;
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/oom_score_adj", tid);
	fd = open(path, O_RDWR | O_CLOEXEC);
	if (fd < 0)
		return false;
	n = read(fd, value, sizeof(value));
	if (n > 0)
		done = pwrite(fd, value, (size_t)n, 0) == n;
	close(fd);
	return done;
}

struct translation {
	const struct tsh_tasks *from;	/* self first, then the tasks that were touched */
	struct tsh_tasks to;
	struct tsh_decoder *decoder;
	int self;			/* our number, from the first record */
};

static void take_record(struct translation *t, const struct tsh_record *rec)
{
	struct tsh_common common;
	const struct tsh_event_format *format;
	const struct tsh_field *field;
	struct tsh_field_value value;

	if (!tsh_decoder_common(t->decoder, rec, &common))
		return;
	format = tsh_decoder_format(t->decoder, common.id);
	field = format ? tsh_event_format_field(format, "pid") : NULL;
	if (!field)
		return;
	tsh_decoder_value(t->decoder, field, rec, &value);
	if (value.kind != TSH_VALUE_SIGNED && value.kind != TSH_VALUE_UNSIGNED)
		return;
	/* Others may write theirs meanwhile: ours is the first that is its own task. */
	if (t->self < 0 && value.s == common.pid)
		t->self = common.pid;
	if (common.pid == t->self && t->to.n < t->from->n)
		*tsh_vec_push(&t->to) = (int)value.s;
}

static int read_answers(struct tsh_instance *in, struct translation *t, struct tsh_err *err)
{
	struct tsh_live_provider *provider;
	struct tsh_source *src;
	struct tsh_record rec;
	uint64_t lost;
	bool late, drained;

	if (tsh_source_open(in, NULL, &src, err) < 0)
		return -1;
	provider = tsh_live_provider_new(in);
	t->decoder = tsh_decoder_new(tsh_live_provider(provider), tsh_source_layout(src));
	tsh_source_fill(src, 1000, &drained);
	for (;;) {
		enum tsh_source_item item = tsh_source_next(src, UINT64_MAX, &rec, &lost, &late);

		if (item == TSH_ITEM_NONE)
			break;
		if (item == TSH_ITEM_EVENT)
			take_record(t, &rec);
	}
	tsh_decoder_free(t->decoder);
	tsh_live_provider_free(provider);
	tsh_source_close(src);
	return 0;
}

static int ask(struct tsh_instance *in, struct tsh_tasks *tasks, struct tsh_err *err)
{
	static const char enable[] = "events/oom/oom_score_adj_update/enable";
	struct tsh_tasks touched = { 0 };
	struct translation t = { .from = &touched, .self = -1 };
	size_t i;

	if (tsh_file_write(in, enable, TSH_WRITE_SET, "1", err) < 0)
		return -1;
	if (touch_task((int)getpid()))
		*tsh_vec_push(&touched) = (int)getpid();
	for (i = 0; i < tasks->n; i++)
		if (touch_task(tasks->v[i]))
			*tsh_vec_push(&touched) = tasks->v[i];
	if (tsh_file_write(in, enable, TSH_WRITE_SET, "0", err) < 0 ||
	    read_answers(in, &t, err) < 0) {
		tsh_tasks_release(&touched);
		return -1;
	}
	tasks->n = 0;
	for (i = 1; i < t.to.n; i++)
		tsh_tasks_add(tasks, t.to.v[i]);
	tsh_tasks_release(&touched);
	tsh_tasks_release(&t.to);
	if (!tasks->n)
		return tsh_err_set(err, TSH_ENVIRONMENT,
				   "the kernel's numbers of these tasks cannot be found out from "
				   "inside this pid namespace");
	return 0;
}

int tsh_tasks_translate(struct tsh_session *s, struct tsh_tasks *tasks, struct tsh_err *err)
{
	struct tsh_err ignored = { 0 };
	struct tsh_instance *in;
	char *name;
	int r;

	if (!tasks->n || tsh_tasks_are_the_kernels())
		return 0;
	if (s->dir->dry) {
		tsh_out_warn(s->out, "the script has the task numbers of this pid namespace: the "
			     "kernel's own cannot be found out in a dry run");
		return 0;
	}
	if (tsh_instance_create_own(s->dir, &in, err) < 0)
		return -1;
	r = ask(in, tasks, err);
	name = tsh_xstrdup(in->name);
	tsh_instance_close(in);
	if (tsh_instance_delete(s->dir, name, &ignored) < 0)
		tsh_err_release(&ignored);
	free(name);
	return r;
}
