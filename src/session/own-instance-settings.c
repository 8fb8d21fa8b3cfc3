/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "own-instance.h"

#include <stdlib.h>
#include <string.h>

#include "filters.h"
#include "memory.h"
#include "util.h"

/* Applies --buffer and --pid to a command's own instance, and refuses both for commands without
 * one. */

static int refuse(const struct tsh_call *call, const char *name, const char *instead, struct tsh_err *err)
{
	const struct tsh_value *value = tsh_args_get(&call->args, name);

	if (!value)
		return 0;
	tsh_err_at(err, value->word.span, "%s applies only to an instance that the command makes", value->arg->option);
	tsh_err_hint(err, "%s", instead);
	return -1;
}

int tsh_own_refuse_buffer(const struct tsh_call *call, struct tsh_err *err)
{
	return refuse(call, "SIZE", "to set it in the current instance: buffer SIZE", err);
}

int tsh_own_refuse_settings(const struct tsh_session *s, const struct tsh_call *call, struct tsh_err *err)
{
	if (s->dir->kind != TSH_DIR_TREE)
		return tsh_own_refuse_buffer(call, err) < 0 ||
		       refuse(call, "TASK", "to set the tasks in the current instance: pid TASK..", err) < 0 ? -1 : 0;
	if (refuse(call, "SIZE", "a recording is read as it is", err) < 0)
		return -1;
	return refuse(call, "TASK", tsh_call_completes(call, TSH_COMPLETES_PAIRS) ?
		      "by pid tells the tasks of a recording apart" : "where pid == TASK chooses in a recording", err);
}

/* Names arguments that only apply to new events, with hints how to do the same with recorded
 * ones. */
static const struct {
	const char *name, *by, *hint;	/* by: hint of commands that count; hint: of stream */
} coming[] = {
	{ "TIME", "by time/1s has a row for each second", "drain --since WHEN --until WHEN prints a part of them" },
	{ "EVERY", "by time/1s has a row for each second", "" },
	{ "heat", "by time/1s has a row for each second", "" },
	{ "LAG", "", "leave it out: no recorded event comes too late" },
	{ "here", "leave it out", "leave it out" },
	{ "in-kernel", "without it tracesh counts them", "" },
};

int tsh_own_refuse_new_events(const struct tsh_call *call, bool counts, struct tsh_err *err)
{
	bool is_drain = tsh_args_has(&call->args, "drain");
	size_t i;

	for (i = 0; i < sizeof(coming) / sizeof(coming[0]); i++) {
		const struct tsh_value *value = tsh_args_get(&call->args, coming[i].name);

		if (!value)
			continue;
		tsh_err_at(err, value->word.span, "%s is for new events; %s",
			   value->arg->option,
			   is_drain ? "--drain reads only those in the buffer" : "a recording has none");
		err->status = is_drain ? TSH_USAGE : TSH_ENVIRONMENT;
		tsh_err_hint(err, "%s", counts ? coming[i].by : coming[i].hint);
		return -1;
	}
	return 0;
}

static int set_buffer(struct tsh_instance *in, const struct tsh_value *size, struct tsh_err *err)
{
	char *kb;
	int r;

	kb = tsh_xasprintf("%llu", (unsigned long long)((size->number + 1023) / 1024));
	r = tsh_memory_check_buffer(in, size->number, err);
	if (!r)
		r = tsh_file_write(in, "buffer_size_kb", TSH_WRITE_SET, kb, err);
	free(kb);
	if (r < 0)
		tsh_err_blame(err, size->word.span);
	return r < 0 ? -1 : 0;
}

/* Removes from set_event_notrace_pid the tasks that the user wants to trace, as a shell above us:
 * the kernel does not trace a task that is on both lists. */
static int remove_from_notrace(struct tsh_session *s, struct tsh_instance *in,
			       const struct tsh_tasks *tasks, struct tsh_err *err)
{
	struct tsh_tasks us = { 0 }, kept = { 0 };
	struct tsh_strbuf text = TSH_STRBUF_INIT;
	int r = 0;
	size_t i;

	tsh_tasks_add_own(s, &us);
	if (tsh_tasks_translate(s, &us, err) < 0)
		us.n = 0;
	for (i = 0; i < us.n; i++)
		if (!tsh_tasks_has(tasks, us.v[i]))
			tsh_tasks_add(&kept, us.v[i]);
	tsh_tasks_text(&kept, &text);
	if (kept.n < us.n && tsh_file_exists(in, "set_event_notrace_pid"))
		r = tsh_file_write(in, "set_event_notrace_pid",
				   kept.n ? TSH_WRITE_SET : TSH_WRITE_CLEAR, text.buf, err);
	tsh_tasks_release(&us);
	tsh_tasks_release(&kept);
	tsh_strbuf_release(&text);
	return r < 0 ? -1 : 0;
}

static int set_tasks(struct tsh_session *s, struct tsh_instance *in, const struct tsh_value *list,
		     struct tsh_err *err)
{
	struct tsh_strbuf text = TSH_STRBUF_INIT;
	struct tsh_tasks tasks = { 0 };
	int r = tsh_tasks_find_list(list, &tasks, err);

	if (!r)
		r = tsh_tasks_translate(s, &tasks, err);
	if (!r)
		r = remove_from_notrace(s, in, &tasks, err);
	/* Sets event-fork first, so that a child that is born between the two writes is traced. */
	if (!r && tsh_file_exists(in, "options/event-fork"))
		r = tsh_file_write(in, "options/event-fork", TSH_WRITE_SET, "1", err);
	tsh_tasks_text(&tasks, &text);
	if (r >= 0)
		r = tsh_file_write(in, "set_event_pid", TSH_WRITE_SET, text.buf, err);
	if (r < 0)
		tsh_err_blame(err, list->word.span);
	tsh_tasks_release(&tasks);
	tsh_strbuf_release(&text);
	return r < 0 ? -1 : 0;
}

static bool has_tasks(const struct tsh_session *s)
{
	char *only = tsh_file_text(s->in, "set_event_pid");
	char *not = tsh_file_text(s->in, "set_event_notrace_pid");
	/* Ignores the list that --private has written, which leaves tracesh out. */
	bool has = (only && *only) || (not && *not && !s->is_private);

	free(only);
	free(not);
	return has;
}

bool tsh_own_lacks_cpus(const struct tsh_instance *in)
{
	char *mask = tsh_file_text(in, "tracing_cpumask");
	struct tsh_cpuset set = { 0 };
	unsigned int *cpus = NULL;
	bool lacks = false;
	size_t i, n = 0;

	if (mask && !tsh_cpuset_parse_mask(mask, &set))
		n = tsh_cpus_present(in, &cpus);
	for (i = 0; i < n && !lacks; i++)
		lacks = !tsh_cpuset_has(&set, cpus[i]);
	tsh_cpuset_release(&set);
	free(cpus);
	free(mask);
	return lacks;
}

/* Notes, once in a session, that settings of the current instance do not apply to the own one. */
static void note_other_settings(struct tsh_session *s, const struct tsh_call *call)
{
	bool is_run = tsh_args_has(&call->args, "PROGRAM"), tasks, cpus;

	if (s->noted_own)
		return;
	tasks = !is_run && !tsh_args_has(&call->args, "TASK") && has_tasks(s);
	cpus = !tsh_args_has(&call->args, "LIST") && tsh_own_lacks_cpus(s->in);
	if (!tasks && !cpus)
		return;
	s->noted_own = true;
	tsh_out_note(s->out, "the %s of '%s' %s not apply to the %s's own instance: use --here%s",
		     tasks && cpus ? "pid and cpus settings" : tasks ? "pid setting" : "cpus setting",
		     tsh_instance_label(s->in), tasks && cpus ? "do" : "does", tsh_call_name(call),
		     tasks && cpus ? ", or --pid and --cpu" : tasks ? ", or --pid TASK" :
		     is_run ? "" : ", or --cpu LIST");
}

void tsh_own_note_here(struct tsh_session *s, const struct tsh_call *call)
{
	bool tasks = has_tasks(s), cpus = tsh_own_lacks_cpus(s->in);

	if (tasks || cpus)
		tsh_out_note(s->out, "the %s of '%s' %s here: events of other %s are not recorded (to record them: "
			     "%s%s%s)",
			     tasks && cpus ? "pid and cpus settings" : tasks ? "pid setting" : "cpus setting",
			     tsh_instance_label(s->in), tasks && cpus ? "apply" : "applies",
			     tasks && cpus ? "tasks and CPUs" : tasks ? "tasks" : "CPUs",
			     tasks ? "pid clear" : "", tasks && cpus ? ", " : "", cpus ? "cpus all" : "");
	if (!tsh_filters_value(call))
		tsh_filters_note_kept(s, &call->events);
}

int tsh_own_settings(struct tsh_session *s, struct tsh_instance *in, const struct tsh_call *call,
		     struct tsh_err *err)
{
	const struct tsh_value *size = tsh_args_get(&call->args, "SIZE");
	const struct tsh_value *tasks = tsh_args_get(&call->args, "TASK");

	note_other_settings(s, call);
	if (size && set_buffer(in, size, err) < 0)
		return -1;
	return tasks ? set_tasks(s, in, tasks, err) : 0;
}
