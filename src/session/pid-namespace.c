/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tasks.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/machine.h"
#include "base/number.h"
#include "events/source/stream.h"

/*
 * Translates task numbers. The kernel's pid files have the numbers of the initial pid namespace,
 * and /proc of another namespace does not show these. But the event oom:oom_score_adj_update does:
 * it fires when the oom_score_adj of a task is written, even with the present value, and the record
 * has the numbers of the task and of the writer.
 */

/* Equals PROC_PID_INIT_INO of include/linux/proc_ns.h. */
#define INIT_PID_NS 0xEFFFFFFCu

bool tsh_tasks_have_kernel_numbers(void)
{
	uint64_t inode = tsh_pid_namespace();

	return !inode || inode == INIT_PID_NS;
}

/* Removes CAP_SYS_RESOURCE from the effective capabilities of this thread. kept: the capabilities
 * from before. Returns 0, or -1 with errno. */
static int drop_capability(struct __user_cap_data_struct kept[_LINUX_CAPABILITY_U32S_3])
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct sets[_LINUX_CAPABILITY_U32S_3];

	if (syscall(SYS_capget, &header, kept) < 0)
		return -1;
	memcpy(sets, kept, sizeof(sets));
	sets[CAP_TO_INDEX(CAP_SYS_RESOURCE)].effective &= ~CAP_TO_MASK(CAP_SYS_RESOURCE);
	return (int)syscall(SYS_capset, &header, sets);
}

/* Restores the capabilities. Returns 0, or -1 with errno. */
static int restore_capability(const struct __user_cap_data_struct kept[_LINUX_CAPABILITY_U32S_3])
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };

	return (int)syscall(SYS_capset, &header, kept);
}

struct touched {
	int tid, score;			/* score: as read, and written back */
	uint64_t start;
};

static bool read_score(int fd, int *ret)
{
	char text[16];
	ssize_t n = pread(fd, text, sizeof(text) - 1, 0);

	text[n > 0 ? n : 0] = '\0';
	text[strcspn(text, "\n")] = '\0';
	return !tsh_parse_int(text, ret);
}

static bool write_score(int fd, int score)
{
	char text[16];
	int len = snprintf(text, sizeof(text), "%d", score);

	return pwrite(fd, text, (size_t)len, 0) == len;
}

static int open_score(int tid)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/oom_score_adj", tid);
	return open(path, O_RDWR | O_CLOEXEC);
}

/* Writes the oom_score_adj of a task back to itself. Returns false when the task is gone, or the
 * write fails three times. */
static bool rewrite_score(int tid, struct touched *ret)
{
	int fd = open_score(tid), tries;
	bool done = false;

	if (fd < 0)
		return false;
	ret->tid = tid;
	ret->start = tsh_process_start(tid);
	/* Reads the score again: the kernel refuses the write when a higher limit was set after our
	 * read. */
	for (tries = 0; !done && tries < 3 && read_score(fd, &ret->score); tries++)
		done = write_score(fd, ret->score);
	close(fd);
	return done;
}

/* Writes `score` if the same task still has the value that we wrote. Leaves a newer value. */
static void restore_score(const struct touched *touched, int score)
{
	int fd = open_score(touched->tid), now;

	if (fd < 0)
		return;
	if (tsh_process_start(touched->tid) == touched->start && read_score(fd, &now) &&
	    now == touched->score)
		(void)write_score(fd, score);
	close(fd);
}

struct answer {
	int pid, score, writer;
};

struct translation {
	const char *marker;		/* text that we wrote into the instance first */
	struct tsh_decoder *decoder;
	int self;			/* our number, from the marker's record; 0 before that */
	TSH_VEC(struct answer) answers;	/* behind the marker, of all writers, oldest first */
};

static int number_of(struct translation *t, const struct tsh_event_format *format, const char *name,
		     const struct tsh_record *rec, int missing)
{
	const struct tsh_field *field = tsh_event_format_field(format, name);
	struct tsh_field_value value = { .kind = TSH_VALUE_MISSING };

	if (field)
		tsh_decoder_value(t->decoder, field, rec, &value);
	return value.kind == TSH_VALUE_SIGNED || value.kind == TSH_VALUE_UNSIGNED ? (int)value.s : missing;
}

/* Says whether a record is our marker. Only a writer of tracefs can make one, while any task can
 * write its own oom_score_adj. */
static bool is_marker(struct translation *t, const struct tsh_event_format *format,
		      const struct tsh_record *rec)
{
	const struct tsh_field *field = strcmp(format->name, "print") ? NULL :
						tsh_event_format_field(format, "buf");
	struct tsh_field_value value = { .kind = TSH_VALUE_MISSING };
	size_t len = strlen(t->marker);

	if (field)
		tsh_decoder_value(t->decoder, field, rec, &value);
	return (value.kind == TSH_VALUE_STRING || value.kind == TSH_VALUE_ARRAY) && value.len >= len &&
	       !memcmp(value.bytes, t->marker, len);
}

static void read_record(struct translation *t, const struct tsh_record *rec)
{
	const struct tsh_event_format *format;
	struct answer answer;
	struct tsh_common common;

	if (!tsh_decoder_common(t->decoder, rec, &common))
		return;
	format = tsh_decoder_format(t->decoder, common.id);
	if (!format)
		return;
	if (!t->self && is_marker(t, format, rec))
		t->self = common.pid;
	answer.writer = common.pid;
	answer.pid = number_of(t, format, "pid", rec, 0);
	answer.score = number_of(t, format, "oom_score_adj", rec, 0);
	if (t->self && answer.pid > 0)
		*tsh_vec_push(&t->answers) = answer;
}

/* Says whether our write has overwritten a score that somebody set after our read. *ret_score: that
 * score. */
static bool was_overwritten(const struct translation *t, size_t ours, int *ret_score)
{
	const struct answer *v = t->answers.v;
	bool was = false;
	size_t i;

	for (i = 0; i < t->answers.n; i++) {
		if (v[i].pid != v[ours].pid || i == ours)
			continue;
		/* Leaves a task whose score was set again by a later write. */
		if (i > ours)
			return false;
		was = v[i].score != v[ours].score;
		*ret_score = v[i].score;
	}
	return was;
}

/* Restores the scores that were set between our read and our write. touched: all tasks that we
 * wrote to, in that order. */
static void restore_scores(const struct translation *t, const struct touched *touched, size_t n)
{
	size_t i, k = 0;
	int score;

	for (i = 0; i < t->answers.n && k < n; i++) {
		if (t->answers.v[i].writer != t->self)
			continue;
		/* Gives up after a lost record: from there on it is not known to which task a
		 * record belongs. */
		if (t->answers.v[i].score != touched[k].score)
			return;
		if (was_overwritten(t, i, &score))
			restore_score(&touched[k], score);
		k++;
	}
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
			read_record(t, &rec);
	}
	tsh_decoder_free(t->decoder);
	tsh_live_provider_free(provider);
	tsh_source_close(src);
	return 0;
}

/* Writes the marker, and then the score of each task, so that each makes a record. */
static int rewrite_scores(struct tsh_instance *in, const struct tsh_tasks *tasks, struct touched *touched,
			  size_t *ret_n, struct tsh_err *err)
{
	size_t i;

	if (tsh_file_write(in, "options/markers", TSH_WRITE_SET, "1", err) < 0 ||
	    tsh_file_write(in, "trace_marker", TSH_WRITE_SET, in->name, err) < 0)
		return -1;
	for (i = 0; i < tasks->n; i++)
		*ret_n += rewrite_score(tasks->v[i], &touched[*ret_n]);
	return 0;
}

/* Replaces the tasks by their numbers in the kernel. touched: how many tasks we wrote to; with
 * another number of records some are lost, which is an error. */
static int replace_tasks(struct tsh_tasks *tasks, const struct translation *t, size_t touched, struct tsh_err *err)
{
	size_t found = 0, i;

	tasks->n = 0;
	for (i = 0; i < t->answers.n; i++)
		if (t->answers.v[i].writer == t->self && ++found)
			tsh_tasks_add(tasks, t->answers.v[i].pid);
	if (!found || found != touched)
		return tsh_err_set(err, TSH_ENVIRONMENT,
				   "the kernel's numbers of these tasks cannot be found out from "
				   "inside this pid namespace");
	return 0;
}

static int find_numbers(struct tsh_instance *in, struct tsh_tasks *tasks, struct tsh_err *err)
{
	static const char enable[] = "events/oom/oom_score_adj_update/enable";
	struct touched *touched = tsh_xcalloc(tasks->n, sizeof(*touched));
	struct translation t = { .marker = in->name };
	size_t n = 0;
	int r;

	r = tsh_file_write(in, enable, TSH_WRITE_SET, "1", err);
	if (r >= 0)
		r = rewrite_scores(in, tasks, touched, &n, err);
	if (r >= 0)
		r = tsh_file_write(in, enable, TSH_WRITE_SET, "0", err);
	if (r >= 0)
		r = read_answers(in, &t, err);
	if (r >= 0) {
		restore_scores(&t, touched, n);
		r = replace_tasks(tasks, &t, n, err);
	}
	tsh_vec_release(&t.answers);
	free(touched);
	return r < 0 ? -1 : 0;
}

int tsh_tasks_translate(struct tsh_session *s, struct tsh_tasks *tasks, struct tsh_err *err)
{
	struct __user_cap_data_struct kept[_LINUX_CAPABILITY_U32S_3];
	struct tsh_err ignored = { 0 };
	struct tsh_instance *in;
	char *name;
	int r;

	if (!tasks->n || tsh_tasks_have_kernel_numbers())
		return 0;
	if (s->dir->dry) {
		tsh_out_warn(s->out, "the script has the task numbers of this pid namespace: the "
			     "kernel's own cannot be found out in a dry run");
		return 0;
	}
	/* Needs /proc, to write to the tasks. */
	if (tsh_check_proc(err) < 0 || tsh_instance_create_own(s->dir, &in, err) < 0)
		return -1;
	/* Drops the capability. With it the kernel would also store the written score as a minimum,
	 * and the task's owner could not set a lower one any more. */
	if (drop_capability(kept) < 0) {
		r = tsh_err_errno(err, errno, "capset");
	} else {
		r = find_numbers(in, tasks, err);
		if (restore_capability(kept) < 0 && r >= 0)
			r = tsh_err_errno(err, errno, "capset");
	}
	name = tsh_xstrdup(in->name);
	tsh_instance_close(in);
	if (tsh_instance_delete(s->dir, name, &ignored) < 0)
		tsh_err_release(&ignored);
	free(name);
	return r;
}
