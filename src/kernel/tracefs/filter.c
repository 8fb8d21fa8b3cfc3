/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "event.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "errlog.h"
#include "write.h"

/* Limits a filter: a page, with the NUL (kernel/trace/trace_events.c, event_filter_write) */
#define FILTER_MAX 4096

/*
 * Asks perf whether a filter is valid. A bad filter that is written to an enabled event removes its
 * old one, and the event records everything. So the filter is tried first: perf's SET_FILTER on the
 * disabled tracepoint uses the same parser (kernel/trace/trace_events_filter.c, create_filter) and
 * changes nothing. Returns 1: accepted, 0: refused, -errno: perf cannot be used.
 */
static int judge_by_perf(unsigned int id, const char *filter)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_TRACEPOINT,
		.size = sizeof(attr),
		.config = id,
		.disabled = 1,
	};
	int fd = (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
	int r;

	if (fd < 0)
		return -errno;
	r = ioctl(fd, PERF_EVENT_IOC_SET_FILTER, filter);
	if (r < 0 && errno == EFAULT)
		r = -EFAULT;
	else
		r = r == 0;
	close(fd);
	return r;
}

static void set_refusal(struct tsh_err *err, const char *filter, const char *message,
			size_t pos, bool has_pos)
{
	tsh_err_set(err, TSH_FAILED, "the kernel refuses the filter: %s", message);
	err->number = EINVAL;
	if (has_pos)
		err->span = tsh_errlog_blame(filter, pos);
}

/* Reads the message from the filter file, where kernels without error_log (before 5.2) put it. */
static bool message_from_filter_file(const struct tsh_instance *in, const char *path,
				     const char *filter, struct tsh_err *err)
{
	static const char mark[] = "parse_error: ";
	char *text = tsh_file_text(in, path);
	const char *found = text ? strstr(text, mark) : NULL;
	const char *caret, *line;

	if (found) {
		caret = strchr(text, '^');
		line = caret;
		while (line && line > text && line[-1] != '\n')
			line--;
		set_refusal(err, filter, found + strlen(mark),
			    caret ? (size_t)(caret - line) : 0, caret != NULL);
	}
	free(text);
	return found != NULL;
}

/* Writes the filter to the same event in a temporary instance, where it is disabled. */
static int judge_in(const struct tsh_instance *in, const struct tsh_event *event,
		    const char *filter, struct tsh_err *err)
{
	struct tsh_errlog_entry entry = { 0 };
	char *path = tsh_event_path(event, "filter");
	int r = tsh_write_raw(in, path, false, filter);

	if (r < 0 && tsh_errlog_find(in, filter, &entry))
		set_refusal(err, filter, entry.message, entry.pos, entry.has_pos);
	else if (r == -ENOENT && !tsh_file_exists(in, path))
		tsh_err_set(err, TSH_FAILED, "the event '%s:%s' takes no filter",
			    event->system, event->name);
	else if (r < 0 && !message_from_filter_file(in, path, filter, err))
		set_refusal(err, filter, "it gives no reason", 0, false);
	tsh_errlog_entry_release(&entry);
	free(path);
	return r < 0 ? -1 : 0;
}

static void remove_own(struct tsh_instance *in)
{
	struct tsh_dir *dir = in->dir;
	struct tsh_err ignored = { 0 };
	char *name = tsh_xstrdup(in->name);

	tsh_instance_close(in);
	if (tsh_instance_delete(dir, name, &ignored) < 0)
		tsh_err_release(&ignored);
	free(name);
}

static int judge_by_instance(struct tsh_dir *dir, const struct tsh_event *event,
			     const char *filter, struct tsh_err *err)
{
	struct tsh_instance *in;
	int r;

	if (tsh_instance_create_own(dir, &in, err) < 0)
		return -1;
	r = judge_in(in, event, filter, err);
	remove_own(in);
	return r;
}

static int refuse_long(struct tsh_err *err)
{
	tsh_err_set(err, TSH_FAILED, "the filter is longer than the kernel takes (%d bytes)",
		    FILTER_MAX - 1);
	err->number = E2BIG;
	return -1;
}

int tsh_filter_judge(struct tsh_dir *dir, const struct tsh_event *event, const char *filter,
		     struct tsh_err *err)
{
	const struct tsh_instance top = { .dir = dir, .fd = dir->fd };
	char *path = tsh_event_path(event, "id");
	uint64_t id = tsh_file_number(&top, path, 0);
	int verdict;

	free(path);
	if (strlen(filter) >= FILTER_MAX)
		return refuse_long(err);
	verdict = id ? judge_by_perf((unsigned int)id, filter) : -ENOENT;
	if (verdict == 1)
		return 0;
	if (dir->read_only || tsh_dir_is_script(dir)) {
		if (verdict < 0)
			return 0;
		set_refusal(err, filter, "it is not valid for this event", 0, false);
		return -1;
	}
	return judge_by_instance(dir, event, filter, err);
}

/* Is the number of events from which a temporary instance is used and not perf. Closing a perf
 * event takes 30 ms and more, since the kernel waits until no CPU uses it; an instance takes no
 * longer than two of them. */
#define MANY 3

int tsh_filter_judge_all(struct tsh_dir *dir, const struct tsh_events *events,
			 const char *filter, size_t *ret_refused, struct tsh_err *err)
{
	struct tsh_err ignored = { 0 };
	struct tsh_instance *in = NULL;
	size_t i;
	int r = 0;

	if (events->n >= MANY && !dir->read_only && !tsh_dir_is_script(dir) && strlen(filter) < FILTER_MAX &&
	    tsh_instance_create_own(dir, &in, &ignored) < 0)
		tsh_err_release(&ignored);
	for (i = 0; !r && i < events->n; i++) {
		*ret_refused = i;
		r = in ? judge_in(in, &events->v[i], filter, err) :
			 tsh_filter_judge(dir, &events->v[i], filter, err);
	}
	if (in)
		remove_own(in);
	return r;
}
