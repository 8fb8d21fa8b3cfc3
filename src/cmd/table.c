/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "table.h"

#include "commands.h"

const char *const tsh_group_names[TSH_GROUP_N] = {
	[TSH_GROUP_FIND] = "find",
	[TSH_GROUP_CONTROL] = "control",
	[TSH_GROUP_FILE] = "any file",
	[TSH_GROUP_SEE] = "see",
	[TSH_GROUP_ANALYSE] = "analyse",
	[TSH_GROUP_SESSION] = "session",
};

const struct tsh_cmd *const tsh_commands[] = {
	&tsh_cmd_events, &tsh_cmd_systems, &tsh_cmd_info, &tsh_cmd_functions, &tsh_cmd_struct,
	&tsh_cmd_ps, &tsh_cmd_caps, &tsh_cmd_recipes,
	&tsh_cmd_enable, &tsh_cmd_disable, &tsh_cmd_filter, &tsh_cmd_pid, &tsh_cmd_tracer,
	&tsh_cmd_on, &tsh_cmd_off, &tsh_cmd_clear, &tsh_cmd_clock, &tsh_cmd_buffer,
	&tsh_cmd_option, &tsh_cmd_cpus, &tsh_cmd_marker, &tsh_cmd_trigger, &tsh_cmd_reset,
	&tsh_cmd_cat, &tsh_cmd_write, &tsh_cmd_append,
	&tsh_cmd_show, &tsh_cmd_snapshot, &tsh_cmd_stream, &tsh_cmd_drain, &tsh_cmd_run,
	&tsh_cmd_record, &tsh_cmd_merge,
	&tsh_cmd_time, &tsh_cmd_status, &tsh_cmd_stats, &tsh_cmd_watch, &tsh_cmd_doctor,
	&tsh_cmd_explain,
	&tsh_cmd_hist, &tsh_cmd_count, &tsh_cmd_latency, &tsh_cmd_stacks, &tsh_cmd_graph,
	&tsh_cmd_profile,
	&tsh_cmd_probe,
	&tsh_cmd_synth,
	&tsh_cmd_sql,
	&tsh_cmd_instance, &tsh_cmd_journal, &tsh_cmd_undo, &tsh_cmd_redo, &tsh_cmd_restore,
	&tsh_cmd_keep, &tsh_cmd_recover, &tsh_cmd_save, &tsh_cmd_diff, &tsh_cmd_set,
	&tsh_cmd_let, &tsh_cmd_alias, &tsh_cmd_unalias, &tsh_cmd_source, &tsh_cmd_try,
	&tsh_cmd_wait, &tsh_cmd_jobs, &tsh_cmd_kill, &tsh_cmd_history,
	&tsh_cmd_help, &tsh_cmd_apropos, &tsh_cmd_quit,
	NULL
};

const struct tsh_cmd *tsh_cmd_find(const char *name)
{
	return tsh_cmd_among(tsh_commands, name);
}
