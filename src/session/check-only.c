/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "check-only.h"

#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "program.h"
#include "tasks.h"
#include "util.h"

void tsh_cmd_hint_missing_file(struct tsh_session *s, const char *path, struct tsh_err *err)
{
	const char *slash = strrchr(path, '/');
	char *parent = slash ? tsh_xstrndup(path, (size_t)(slash - path)) : tsh_xstrdup(".");
	struct tsh_strlist names = { 0 };

	if (tsh_file_is_top_only(s->in, path))
		tsh_err_hint(err, TSH_HINT_TOP_ONLY);
	else if (!tsh_file_exists(s->in, path) && !tsh_file_list(s->in, parent, &names))
		tsh_cmd_suggest(err, slash ? slash + 1 : path, &names);
	if (!err->hint && names.n) {
		char *folder = tsh_xasprintf("%s%s%s/%s", s->dir->path, s->in->name ? "/instances/" : "",
					     s->in->name ? s->in->name : "", slash ? parent : "");
		char *word = tsh_typed_word(folder);

		tsh_err_hint(err, "to see what is there: ls %s", word);
		free(word);
		free(folder);
	}
	tsh_strlist_release(&names);
	free(parent);
}

static int check_file(struct tsh_session *s, const char *path, struct tsh_err *err)
{
	if (tsh_file_exists(s->in, path))
		return 0;
	tsh_err_set(err, TSH_FAILED, "there is no file '%s' in '%s'", path,
		    tsh_instance_label(s->in));
	tsh_cmd_hint_missing_file(s, path, err);
	return -1;
}

int tsh_cmd_check_cpus(struct tsh_session *s, const struct tsh_value *list, struct tsh_err *err)
{
	unsigned int *cpus, cpu;
	size_t i, n;
	int r = 0;

	if (!strcmp(list->word.text, "all"))
		return 0;
	n = tsh_cpus_present(s->in, &cpus);
	for (cpu = 0; !r && cpu < TSH_CPU_MAX; cpu++) {
		bool there = false;

		for (i = 0; i < n && !there; i++)
			there = cpus[i] == cpu;
		if (tsh_cpuset_has(&list->cpus, cpu) && !there)
			r = tsh_err_set(err, TSH_FAILED, "there is no CPU %u", cpu);
	}
	if (r < 0)
		tsh_err_blame(err, list->word.span);
	if (r < 0 && n)
		tsh_err_hint(err, "the last CPU is %u; cpus lists the traced ones, cpus all traces all", cpus[n - 1]);
	free(cpus);
	return r;
}

static int check_task(const struct tsh_value *value, struct tsh_err *err)
{
	struct tsh_tasks tasks = { 0 };
	int r = value->arg->option ? tsh_tasks_find_list(value, &tasks, err) :
				     tsh_tasks_find(value, false, &tasks, err);

	tsh_tasks_release(&tasks);
	return r;
}

int tsh_cmd_check(struct tsh_session *s, const struct tsh_call *call, struct tsh_err *err)
{
	bool program = true;	/* until the first word behind -- was checked */
	size_t i;
	int r = 0;

	for (i = 0; !r && i < call->args.n; i++) {
		const struct tsh_value *value = &call->args.v[i];

		switch (value->arg->type) {
		case TSH_ARG_TRACE_FILE:
			r = check_file(s, value->word.text, err);
			break;
		case TSH_ARG_CPUS:
			r = tsh_cmd_check_cpus(s, value, err);
			break;
		case TSH_ARG_TASK:
			r = check_task(value, err);
			break;
		case TSH_ARG_ARGV:
			r = program ? tsh_program_check(value, err) : 0;
			program = false;
			break;
		default:
			break;
		}
		if (r < 0)
			tsh_err_blame(err, value->word.span);
	}
	return r;
}
