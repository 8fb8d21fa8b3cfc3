/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "script.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "filters.h"
#include "kernel/dryrun/dryrun.h"
#include "tasks.h"

/* Writes stream and run into a script: they make an own instance and read its trace_pipe. */

static void add_put(struct tsh_session *s, const char *path, const char *text)
{
	struct tsh_strbuf *script = tsh_dry_run_script(s->dir->dry);

	tsh_dry_run_use(s->dir->dry, TSH_SH_PUT);
	tsh_strbuf_adds(script, "put \"$own\"");
	tsh_sh_word(script, path);
	tsh_strbuf_addc(script, ' ');
	tsh_sh_word(script, text);
	tsh_strbuf_addc(script, '\n');
}

static void add_events(struct tsh_session *s, const struct tsh_events *events,
		       const struct tsh_value *filter)
{
	size_t i;

	for (i = 0; i < events->n; i++) {
		char *path = tsh_event_path(&events->v[i], "filter");

		if (filter)
			add_put(s, path, filter->word.text);
		free(path);
		path = tsh_event_path(&events->v[i], "enable");
		add_put(s, path, "1");
		free(path);
	}
}

/* Appends tasks as numbers for this machine, as names for another one. Returns false when there is
 * no such task. */
static bool find_tasks(struct tsh_session *s, const struct tsh_value *list, struct tsh_strbuf *ret)
{
	struct tsh_tasks tasks = { 0 };
	struct tsh_err ignored = { 0 };
	bool found = true;
	const char *p;
	size_t i;

	if (tsh_tasks_are_of_other_machine(s)) {
		for (p = list->word.text; *p; p += strspn(p, ",")) {
			char *one = tsh_xstrndup(p, strcspn(p, ","));

			tsh_strbuf_addc(ret, ' ');
			tsh_sh_word(ret, one);
			free(one);
			p += strcspn(p, ",");
		}
		return true;
	}
	if (tsh_tasks_find_list(list, &tasks, &ignored) < 0) {
		tsh_err_release(&ignored);
		found = false;
	}
	for (i = 0; i < tasks.n; i++)
		tsh_strbuf_addf(ret, " %d", tasks.v[i]);
	tsh_tasks_release(&tasks);
	return found;
}

static void add_tasks(struct tsh_session *s, const struct tsh_strbuf *tasks)
{
	bool by_name = tsh_tasks_are_of_other_machine(s);

	add_put(s, "options/event-fork", "1");
	tsh_dry_run_use(s->dir->dry, by_name ? TSH_SH_TASKS : TSH_SH_LIST);
	tsh_strbuf_addf(tsh_dry_run_script(s->dir->dry), "%s \"$own\"set_event_pid%s\n",
			by_name ? "these_tasks list" : "list", tasks->buf);
}

/* Appends to the script the lines that open the instance: the current one with --here, otherwise an
 * own one, with the size of --buffer. */
static void open_instance(struct tsh_session *s, const struct tsh_call *call)
{
	struct tsh_strbuf *script = tsh_dry_run_script(s->dir->dry);
	const struct tsh_value *size = tsh_args_get(&call->args, "SIZE");

	if (tsh_args_has(&call->args, "here")) {
		tsh_strbuf_addf(script, "own_here %s%s%s\n", s->in->name ? "instances/" : "''",
				s->in->name ? s->in->name : "", s->in->name ? "/" : "");
		return;
	}
	tsh_strbuf_adds(script, "own_begin\n");
	if (size) {
		tsh_dry_run_use(s->dir->dry, TSH_SH_SIZE);
		tsh_strbuf_addf(script, "size \"$own\"buffer_size_kb %" PRIu64 "\n",
				(size->number + 1023) / 1024);
	}
}

static void add_follow(const struct tsh_call *call, struct tsh_strbuf *sh)
{
	const struct tsh_value *count = tsh_args_get(&call->args, "N");
	const struct tsh_value *time = tsh_args_get(&call->args, "TIME");

	if (count)
		tsh_strbuf_addf(sh, " %" PRIu64, count->number);
	else
		tsh_strbuf_adds(sh, " ''");
	/* rounds up to whole seconds: not every sleep takes fractions */
	if (time)
		tsh_strbuf_addf(sh, " %" PRIu64, (time->number + 999999999) / 1000000000);
	else
		tsh_strbuf_adds(sh, " ''");
}

bool tsh_script_stream(struct tsh_session *s, const struct tsh_call *call, struct tsh_strbuf *sh)
{
	static const char *const known[] = { "N",    "TIME",  "TASK",	"SIZE",
					     "here", "EVENT", "FILTER", NULL };
	struct tsh_dry_run *dry = s->dir->dry;
	const struct tsh_value *tasks = tsh_args_get(&call->args, "TASK");
	bool here = tsh_args_has(&call->args, "here");
	struct tsh_strbuf pids = TSH_STRBUF_INIT;

	if (tsh_script_lacks(s, call, known) || (tasks && !find_tasks(s, tasks, &pids))) {
		tsh_strbuf_release(&pids);
		return false;
	}
	tsh_dry_run_use(dry, TSH_SH_OWN);
	if (!call->events.n) {
		tsh_strbuf_adds(sh, "follow ");
		if (s->in->name)
			tsh_strbuf_addf(sh, "instances/%s/", s->in->name);
		else
			tsh_strbuf_adds(sh, "''");
		add_follow(call, sh);
		tsh_strbuf_adds(sh, " ''");
		tsh_dry_run_set_after(dry, "interrupt 'end 130'");
		tsh_strbuf_release(&pids);
		return true;
	}
	open_instance(s, call);
	if (tasks)
		add_tasks(s, &pids);
	else if (!here)
		tsh_strbuf_adds(tsh_dry_run_script(dry), "without_us\n");
	add_events(s, &call->events, tsh_filters_value(call));
	tsh_strbuf_adds(sh, "follow \"$own\"");
	add_follow(call, sh);
	tsh_strbuf_adds(sh, here ? " ''" : " \"$own\"tracing_on");
	tsh_dry_run_set_after(dry, "own_end");
	tsh_strbuf_release(&pids);
	return true;
}

bool tsh_script_run(struct tsh_session *s, const struct tsh_call *call, struct tsh_strbuf *sh)
{
	static const char *const known[] = { "all", "SIZE", "EVENT", "FILTER", "PROGRAM", NULL };
	static const struct tsh_event usual[] = {
		{ (char *)"sched", (char *)"sched_process_exec" },
		{ (char *)"sched", (char *)"sched_process_fork" },
		{ (char *)"sched", (char *)"sched_process_exit" },
		{ (char *)"raw_syscalls", (char *)"sys_enter" },
	};
	const struct tsh_events by_default = { .v = (struct tsh_event *)usual, .n = 4 };
	const struct tsh_value *word = NULL;

	if (tsh_script_lacks(s, call, known))
		return false;
	tsh_dry_run_use(s->dir->dry, TSH_SH_OWN);
	open_instance(s, call);
	add_events(s, call->events.n ? &call->events : &by_default, tsh_filters_value(call));
	tsh_strbuf_addf(sh, "program \"$own\" %s",
			tsh_args_has(&call->args, "all") ? "all" : "its");
	while ((word = tsh_args_next(&call->args, "PROGRAM", word))) {
		tsh_strbuf_addc(sh, ' ');
		tsh_sh_word(sh, word->word.text);
	}
	tsh_dry_run_set_after(s->dir->dry, "own_end");
	return true;
}
