/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_CMD_COMMANDS_H
#define TRACESH_CMD_COMMANDS_H

/* Lists all commands in the order in which help prints them. Declares tsh_cmd_NAME for each;
 * table.c makes the table of them. */

#include "session/cmd.h"
#include "session/session.h"

#define TSH_COMMANDS(X) \
	/* find */ \
	X(events) X(systems) X(info) X(functions) X(struct) X(ps) X(caps) X(recipes) \
	/* control */ \
	X(enable) X(disable) X(filter) X(pid) X(tracer) X(on) X(off) X(clear) X(clock) X(buffer) X(option) \
	X(cpus) X(marker) X(trigger) X(reset) \
	/* any file */ \
	X(cat) X(write) X(append) \
	/* see */ \
	X(show) X(snapshot) X(stream) X(drain) X(run) X(record) X(report) X(export) X(merge) X(time) X(status) X(stats) X(watch) \
	X(doctor) X(explain) \
	/* analyse */ \
	X(hist) X(count) X(latency) X(stacks) X(graph) X(profile) X(probe) X(synth) X(sql) \
	/* session */ \
	X(instance) X(journal) X(undo) X(redo) X(restore) X(keep) X(recover) X(save) X(diff) X(set) X(let) \
	X(alias) X(unalias) X(source) X(try) X(wait) X(jobs) X(kill) X(history) X(help) X(apropos) X(quit)

#define TSH_DECLARE(name) extern const struct tsh_cmd tsh_cmd_##name;
TSH_COMMANDS(TSH_DECLARE)
#undef TSH_DECLARE

#endif
