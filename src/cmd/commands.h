/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_CMD_COMMANDS_H
#define TRACESH_CMD_COMMANDS_H

/* Every command, for the table in table.c. */

#include "session/cmd.h"

/* find */
extern const struct tsh_cmd tsh_cmd_events;
extern const struct tsh_cmd tsh_cmd_systems;
extern const struct tsh_cmd tsh_cmd_info;
extern const struct tsh_cmd tsh_cmd_functions;
extern const struct tsh_cmd tsh_cmd_struct;
extern const struct tsh_cmd tsh_cmd_ps;
extern const struct tsh_cmd tsh_cmd_caps;
extern const struct tsh_cmd tsh_cmd_recipes;
/* control */
extern const struct tsh_cmd tsh_cmd_enable;
extern const struct tsh_cmd tsh_cmd_disable;
extern const struct tsh_cmd tsh_cmd_filter;
extern const struct tsh_cmd tsh_cmd_pid;
extern const struct tsh_cmd tsh_cmd_tracer;
extern const struct tsh_cmd tsh_cmd_on;
extern const struct tsh_cmd tsh_cmd_off;
extern const struct tsh_cmd tsh_cmd_clear;
extern const struct tsh_cmd tsh_cmd_clock;
extern const struct tsh_cmd tsh_cmd_buffer;
extern const struct tsh_cmd tsh_cmd_option;
extern const struct tsh_cmd tsh_cmd_cpus;
extern const struct tsh_cmd tsh_cmd_marker;
extern const struct tsh_cmd tsh_cmd_trigger;
extern const struct tsh_cmd tsh_cmd_reset;
/* any file */
extern const struct tsh_cmd tsh_cmd_cat;
extern const struct tsh_cmd tsh_cmd_write;
extern const struct tsh_cmd tsh_cmd_append;
/* see */
extern const struct tsh_cmd tsh_cmd_show;
extern const struct tsh_cmd tsh_cmd_snapshot;
extern const struct tsh_cmd tsh_cmd_stream;
extern const struct tsh_cmd tsh_cmd_drain;
extern const struct tsh_cmd tsh_cmd_run;
extern const struct tsh_cmd tsh_cmd_record;
extern const struct tsh_cmd tsh_cmd_merge;
extern const struct tsh_cmd tsh_cmd_time;
extern const struct tsh_cmd tsh_cmd_status;
extern const struct tsh_cmd tsh_cmd_stats;
extern const struct tsh_cmd tsh_cmd_watch;
extern const struct tsh_cmd tsh_cmd_explain;
extern const struct tsh_cmd tsh_cmd_doctor;
/* analyse */
extern const struct tsh_cmd tsh_cmd_hist;
extern const struct tsh_cmd tsh_cmd_count;
extern const struct tsh_cmd tsh_cmd_latency;
extern const struct tsh_cmd tsh_cmd_stacks;
extern const struct tsh_cmd tsh_cmd_graph;
extern const struct tsh_cmd tsh_cmd_profile;
extern const struct tsh_cmd tsh_cmd_probe;
extern const struct tsh_cmd tsh_cmd_sql;
extern const struct tsh_cmd tsh_cmd_synth;
/* session */
extern const struct tsh_cmd tsh_cmd_instance;
extern const struct tsh_cmd tsh_cmd_journal;
extern const struct tsh_cmd tsh_cmd_undo;
extern const struct tsh_cmd tsh_cmd_redo;
extern const struct tsh_cmd tsh_cmd_recover;
extern const struct tsh_cmd tsh_cmd_restore;
extern const struct tsh_cmd tsh_cmd_keep;
extern const struct tsh_cmd tsh_cmd_save;
extern const struct tsh_cmd tsh_cmd_diff;
extern const struct tsh_cmd tsh_cmd_set;
extern const struct tsh_cmd tsh_cmd_let;
extern const struct tsh_cmd tsh_cmd_alias;
extern const struct tsh_cmd tsh_cmd_unalias;
extern const struct tsh_cmd tsh_cmd_source;
extern const struct tsh_cmd tsh_cmd_try;
extern const struct tsh_cmd tsh_cmd_wait;
extern const struct tsh_cmd tsh_cmd_history;
extern const struct tsh_cmd tsh_cmd_help;
extern const struct tsh_cmd tsh_cmd_apropos;
extern const struct tsh_cmd tsh_cmd_jobs;
extern const struct tsh_cmd tsh_cmd_kill;
extern const struct tsh_cmd tsh_cmd_quit;

#endif
