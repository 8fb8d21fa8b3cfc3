/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "values.h"

#include <stdlib.h>
#include <string.h>

#include "base/zone.h"
#include "output/columns.h"
#include "session/cmd.h"
#include "session/names.h"
#include "session/settings.h"
#include "session/when.h"

#define JOBS_MAX 64

void tsh_candidates_variables(const struct tsh_cursor *at)
{
	struct tsh_strlist names = { 0 };
	size_t i;

	if (at->s->ops)
		at->s->ops->list_vars(at->s, &names);
	for (i = 0; i < names.n; i++) {
		char *text = tsh_xasprintf("${%s}", names.v[i]);

		tsh_candidate_add(at, text, at->s->ops->get_var(at->s, names.v[i]), false);
		free(text);
	}
	tsh_strlist_release(&names);
}

static void add_jobs(const struct tsh_cursor *at)
{
	struct tsh_job_info jobs[JOBS_MAX];
	size_t i, n = at->s->ops ? at->s->ops->jobs(at->s, jobs, JOBS_MAX) : 0;

	for (i = 0; i < n && i < JOBS_MAX; i++) {
		char *number = tsh_xasprintf("%s%u", *at->word == '%' ? "%" : "", jobs[i].number);

		tsh_candidate_add(at, number, jobs[i].command, false);
		free(number);
	}
	if (n > 1)
		tsh_candidate_add(at, "all", "each of them", false);
}

static void add_aliases(const struct tsh_cursor *at)
{
	const struct tsh_aliases *aliases = &at->s->aliases;
	size_t i;

	for (i = 0; i < aliases->n; i++)
		tsh_candidate_add(at, aliases->v[i].name, aliases->v[i].text, false);
}

void tsh_candidates_commands(const struct tsh_cursor *at)
{
	size_t i;

	add_aliases(at);
	for (i = 0; at->s->commands[i]; i++) {
		const struct tsh_cmd *cmd = at->s->commands[i];

		tsh_candidate_add(at, cmd->name, cmd->summary, false);
		if (cmd->alias)
			tsh_candidate_add(at, cmd->alias, cmd->summary, false);
	}
}

static void add_topics(const struct tsh_cursor *at)
{
	size_t i;

	for (i = 0; at->s->topics[i].name; i++)
		tsh_candidate_add(at, at->s->topics[i].name, at->s->topics[i].summary, false);
}

/* ---- CPUs and other names ---- */

void tsh_candidates_cpus(const struct tsh_cursor *at)
{
	unsigned int *cpus = NULL;
	size_t i, n = at->s->in ? tsh_cpus_present(at->s->in, &cpus) : 0;

	tsh_candidate_add(at, "all", "every CPU", false);
	for (i = 0; i < n; i++) {
		char *number = tsh_xasprintf("%u", cpus[i]);

		tsh_candidate_add(at, number, "a CPU; lists: 0-3,7", false);
		free(number);
	}
	free(cpus);
}

static void add_clocks(const struct tsh_cursor *at)
{
	struct tsh_strlist names = { 0 };
	size_t i;

	tsh_names_clocks(at->s, &names);
	for (i = 0; i < names.n; i++)
		tsh_candidate_add(at, names.v[i], tsh_clock_kind(names.v[i])->summary, false);
	tsh_strlist_release(&names);
}

static void add_instances(const struct tsh_cursor *at)
{
	struct tsh_strlist names = { 0 };
	size_t i;

	if (!at->s->dir)
		return;
	tsh_candidate_add(at, "top", "the top-level buffer", false);
	tsh_names_instances(at->s, &names);
	for (i = 0; i < names.n; i++)
		tsh_candidate_add(at, tsh_instance_word(names.v[i]), "an instance", false);
	tsh_strlist_release(&names);
}

static void add_settings(const struct tsh_cursor *at)
{
	const struct tsh_setting *setting;

	for (setting = tsh_settings_table; setting->name; setting++)
		tsh_candidate_add(at, setting->name, setting->help, false);
}

static void add_zones(const struct tsh_cursor *at)
{
	struct tsh_strlist names = { 0 };

	tsh_candidate_add(at, "local", "the machine's own", false);
	tsh_zone_names(&names);
	tsh_candidates_names(at, &names, "a time zone");
}

/* Adds an example of each form of a moment. The examples can also be used as they are. */
static void add_moments(const struct tsh_cursor *at)
{
	static const char *const relative[][2] = {
		{ "-5s", "five seconds ago; ns us ms s m h d" },
		{ "-1m30s", "a minute and a half ago" },
		{ "-2h30m", "two hours and a half ago" },
		{ "-1d", "24 hours ago" },
	};
	bool is_tree = at->s->dir && at->s->dir->kind == TSH_DIR_TREE;
	int64_t now = tsh_moments_now(at->s);
	struct tsh_strbuf text = TSH_STRBUF_INIT;
	size_t i;

	tsh_candidate_add(at, "now", is_tree ? "the end of the recording" : "this moment", false);
	for (i = 0; i < sizeof(relative) / sizeof(relative[0]); i++)
		tsh_candidate_add(at, relative[i][0], relative[i][1], false);
	/* 2024-01-02T22:47:33 */
	tsh_time_iso(&text, now);
	tsh_strbuf_truncate(&text, 19);
	tsh_candidate_add(at, text.buf, "a date and a time; Z or +08:00 behind it is its zone",
			  false);
	tsh_candidate_add(at, text.buf + 11, "a time of day, today's or yesterday's", false);
	tsh_strbuf_clear(&text);
	tsh_strbuf_addf(&text, "@%lld", (long long)(now / 1000000000));
	tsh_candidate_add(at, text.buf, "seconds since 1970", false);
	tsh_strbuf_release(&text);
}

/* Adds one more column behind the last comma. */
static void add_columns(const struct tsh_cursor *at)
{
	const char *comma = strrchr(at->word, ',');
	int before = comma ? (int)(comma + 1 - at->word) : 0;
	const char *const *name;

	for (name = tsh_line_column_names; *name; name++) {
		char *text = tsh_xasprintf("%.*s%s", before, at->word, *name);
		struct tsh_line_columns columns;
		struct tsh_err err = { 0 };

		/* leaves out a column that is in the list already */
		if (!tsh_line_columns_parse(&columns, text, &err))
			tsh_candidate_add(at, text, tsh_line_column_help[name - tsh_line_column_names],
					  true);
		tsh_err_release(&err);
		free(text);
	}
}

static void add_setting_values(const struct tsh_cursor *at, const struct tsh_setting *setting)
{
	const char *now = tsh_setting_text(&at->s->settings, setting);
	const char *const *choice;

	if (setting->kind == TSH_SETTING_ZONE)
		add_zones(at);
	if (setting->kind == TSH_SETTING_COLUMNS)
		add_columns(at);
	if (setting->kind == TSH_SETTING_PROMPT || setting->kind == TSH_SETTING_SIZE ||
	    setting->kind == TSH_SETTING_THREADS)
		tsh_candidate_add(at, now, "as it is now", true);
	for (choice = setting->choices; choice && *choice; choice++) {
		char *help = tsh_xasprintf("%s%s", strcmp(*choice, now) ? "" : "(now) ",
					   tsh_setting_choice_help(setting, *choice));

		tsh_candidate_add(at, *choice, help, false);
		free(help);
	}
}

void tsh_candidates_of(const struct tsh_cursor *at, const struct tsh_arg *arg)
{
	const struct tsh_setting *setting;

	switch (arg->type) {
	case TSH_ARG_WORD:
		setting = at->setting ? tsh_setting_find(at->setting) : NULL;
		if (setting)
			add_setting_values(at, setting);
		return;
	case TSH_ARG_CHOICE:
	case TSH_ARG_EXPRESSION:
		tsh_candidates_choices(at, arg);
		return;
	case TSH_ARG_MOMENT:
		add_moments(at);
		return;
	case TSH_ARG_CPUS:
		tsh_candidates_cpus(at);
		return;
	case TSH_ARG_EVENT:
		if (arg->completes == TSH_COMPLETES_PAIRS)
			tsh_candidates_pairs(at);
		else
			tsh_candidates_events(at);
		return;
	case TSH_ARG_TRIGGER:
		tsh_candidates_triggers(at);
		return;
	case TSH_ARG_TASK:
		tsh_candidates_tasks(at);
		return;
	case TSH_ARG_FUNCTION:
		tsh_candidates_functions(at);
		return;
	case TSH_ARG_PROBE:
		tsh_candidates_probe(at);
		return;
	case TSH_ARG_PROBE_ARG:
		tsh_candidates_probe_arg(at);
		return;
	case TSH_ARG_TYPE:
		tsh_candidates_types(at);
		return;
	case TSH_ARG_TRACER:
		tsh_candidates_tracers(at);
		return;
	case TSH_ARG_CLOCK:
		add_clocks(at);
		return;
	case TSH_ARG_OPTION:
		tsh_candidates_options(at);
		return;
	case TSH_ARG_INSTANCE:
		add_instances(at);
		return;
	case TSH_ARG_SETTING:
		add_settings(at);
		return;
	case TSH_ARG_COMMAND_NAME:
		tsh_candidates_commands(at);
		add_topics(at);
		return;
	case TSH_ARG_JOB:
		add_jobs(at);
		return;
	case TSH_ARG_ALIAS:
		add_aliases(at);
		return;
	case TSH_ARG_TRACE_FILE:
		tsh_candidates_trace_files(at);
		return;
	case TSH_ARG_FILE:
		if (arg->completes == TSH_COMPLETES_RECIPES)
			tsh_candidates_recipes(at);
		tsh_candidates_files(at);
		return;
	case TSH_ARG_ARGV:
		if (at->is_program)
			tsh_candidates_programs(at);
		else
			tsh_candidates_files(at);
		return;
	case TSH_ARG_USER:
		tsh_candidates_users(at);
		return;
	case TSH_ARG_TEXT:
		/* fields LIST, by KEYS, sum FIELD */
		if (arg->clause)
			tsh_candidates_columns(at, !strcmp(arg->clause, "by"));
		return;
	default:
		return;
	}
}
