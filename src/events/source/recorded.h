/* events/source/recorded.h - reads the files that a recording has besides those of tracefs */
/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_EVENTS_SOURCE_RECORDED_H
#define TRACESH_EVENTS_SOURCE_RECORDED_H

#include <stdbool.h>

#include "events/clock/clock.h"
#include "kernel/tracefs/tracefs.h"

/* Names the files that a recording has besides those of tracefs. A recording is a folder that has
 * files as in tracefs; the code calls it a tree. */
#define TREE_CLOCK "tracesh/clock"
/* Replace TREE_CLOCK: samples of examples/board/collect.sh, and samples from another machine. */
#define TREE_SAMPLES "tracesh/samples"
#define TREE_HOME "tracesh/home"
#define TREE_INFO "tracesh/info"
/* Hold names and thread groups of tasks, from /proc. */
#define TREE_COMMS "tracesh/comms"
#define TREE_TGIDS "tracesh/tgids"
/* Holds whether tasks that made system calls run 32-bit or 64-bit programs: lines of a pid and 32
 * or 64. */
#define TREE_PROGRAMS "tracesh/programs"

/* Returns the value of a key of a recording's tracesh/info ("host", "kernel", "boot_id", ..); the
 * caller frees it. NULL: there is none, or `in` is live. */
char *tsh_tree_info(const struct tsh_instance *in, const char *key);
/* Says whether a recording was killed, or is still going on. Is false for one of collect.sh, which
 * notes neither beginning nor end. */
bool tsh_tree_is_cut(const struct tsh_instance *in);
#define TSH_TREE_CUT \
	"the recording has no end: record was killed, or is still running; events and names that it had " \
	"not written are missing"
/* Says whether the kernel prints the migrate-disable depth, by the header of `trace`, or by a
 * recording's tracesh/info. */
bool tsh_has_migrate_depth(const struct tsh_instance *in);
/* Returns the whole tracesh/info of a recording, "" when it is too large; the caller frees it.
 * NULL: there is none, or `in` is live. */
char *tsh_tree_info_text(const struct tsh_instance *in);

/* Loads the calibration of a recording into an initialised clock; does not change the clock when
 * there is none. Returns 0, or -1 with err. */
int tsh_tree_load_clock(struct tsh_clock *clock, const struct tsh_instance *in, struct tsh_err *err);

#endif
