/* events/source/recorded.h - files of a recording that tracefs does not have */
/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_EVENTS_SOURCE_RECORDED_H
#define TRACESH_EVENTS_SOURCE_RECORDED_H

#include <stdbool.h>

#include "events/clock/clock.h"
#include "kernel/tracefs/tracefs.h"

/* Name the files of a tree that tracefs does not have. */
#define TREE_CLOCK "tracesh/clock"
/* Take its place: samples of examples/board/collect.sh, and samples from another machine. */
#define TREE_SAMPLES "tracesh/samples"
#define TREE_HOME "tracesh/home"
#define TREE_INFO "tracesh/info"
/* Hold names and thread groups of tasks from /proc. */
#define TREE_COMMS "tracesh/comms"
#define TREE_TGIDS "tracesh/tgids"
/* Holds 32 or 64 for programs of tasks that made system calls. */
#define TREE_PROGRAMS "tracesh/programs"

/*
 * Returns the value of a key of a tree's tracesh/info ("host", "kernel", "boot_id", ..); the caller frees it. NULL:
 * there is none, or `in` is live.
 */
char *tsh_tree_info(const struct tsh_instance *in, const char *key);
/* Says whether the recording was killed, or is still going on. A tree of collect.sh, which notes no beginning, needs
 * no end. */
bool tsh_tree_is_cut(const struct tsh_instance *in);
#define TSH_TREE_CUT "the recording has no end: its record was killed, or goes on; what it had not written yet is missing, names too"
/* Says whether the kernel prints the migrate-disable depth, by the header of `trace`, or by the tree's info. */
bool tsh_has_migrate_depth(const struct tsh_instance *in);
/* Returns the whole tracesh/info of a tree, empty when it is too large; the caller frees it. NULL: there is none, or
 * `in` is live. */
char *tsh_tree_info_text(const struct tsh_instance *in);

/* Loads the calibration of a tree into a clock, which must be initialised; leaves it when the tree has none. Returns
 * 0, or -1 with err. */
int tsh_tree_load_clock(struct tsh_clock *clock, const struct tsh_instance *in, struct tsh_err *err);

#endif
