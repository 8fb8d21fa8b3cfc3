/* events/source/recorded.h - what recordings keep beside the files of tracefs, and how it is read */
/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_EVENTS_SOURCE_RECORDED_H
#define TRACESH_EVENTS_SOURCE_RECORDED_H

#include <stdbool.h>

#include "events/clock/clock.h"
#include "kernel/tracefs/tracefs.h"

/* Names where a tree keeps what tracefs has no file for. */
#define TREE_CLOCK "tracesh/clock"
/* Stand in its place: what examples/board/collect.sh saw, and what was seen from elsewhere. */
#define TREE_SAMPLES "tracesh/samples"
#define TREE_HOME "tracesh/home"
#define TREE_INFO "tracesh/info"
/* Names and thread groups that the kernel's own files do not have: /proc told them. */
#define TREE_COMMS "tracesh/comms"
#define TREE_TGIDS "tracesh/tgids"
/* 32 or 64: what the programs of tasks that call the kernel are made for. */
#define TREE_PROGRAMS "tracesh/programs"

/*
 * The value of a key of a tree's tracesh/info: "host", "kernel", "boot_id", .. The
 * caller frees it. NULL: there is none, or `in` is live.
 */
char *tsh_tree_info(const struct tsh_instance *in, const char *key);
/* Says whether its record was killed, or goes on: a tree of collect.sh, which tells no begin, has no end either. */
bool tsh_tree_is_cut(const struct tsh_instance *in);
#define TSH_TREE_CUT "the recording has no end: its record was killed, or goes on; what it had not written yet is missing, names too"
/* Whether the kernel prints the migrate-disable depth: what the header of `trace` shows,
 * or the tree knows. */
bool tsh_has_migrate_depth(const struct tsh_instance *in);
/* The whole tracesh/info of a tree; empty when it is too large. The caller frees it.
 * NULL: there is none, or `in` is live. */
char *tsh_tree_info_text(const struct tsh_instance *in);

/* The calibration of a tree; without any the clock is as it was. It is initialised. */
int tsh_tree_load_clock(struct tsh_clock *clock, const struct tsh_instance *in, struct tsh_err *err);

#endif
