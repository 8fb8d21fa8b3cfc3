/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_KERNEL_JOURNALED_JOURNALED_H
#define TRACESH_KERNEL_JOURNALED_JOURNALED_H

/* The backend of a session: it keeps the way back of each write. */

#include "kernel/journal/journal.h"

/* Begins a journal for all that is written to the folder from now on. */
void tsh_journaled_open(struct tsh_dir *dir);

/* ---- its callbacks (struct tsh_backend), which that of a script has, too ---- */

int tsh_journaled_write(struct tsh_instance *in, const char *path, enum tsh_write_how how, const char *text,
			struct tsh_err *err);
void tsh_journaled_begin_instance(struct tsh_dir *dir, const char *name, bool own);
void tsh_journaled_end_instance(struct tsh_dir *dir, bool made, uint64_t identity);
void tsh_journaled_forget_instance(struct tsh_dir *dir, const char *name);
void tsh_journaled_close(struct tsh_dir *dir);

/* ---- what the kernel does besides what was written ---- */

/* Adds an entry for what a trigger, or a function's command, will switch: that is taken back as if it were
 * written here. False: there is nothing to expect. */
bool tsh_expect_switched(struct tsh_instance *in, const char *trigger);
/*
 * Around a write that may remove probes: adds entries for the filters of their events, which go along, in each
 * instance, and drops those of events that have stayed. The number of the first; 0: it removes none.
 */
unsigned int tsh_expect_unfiltered(struct tsh_instance *in, const char *path, const char *text);
void tsh_settle_unfiltered(struct tsh_dir *dir, unsigned int first);
/*
 * Switches trace_printk_dest off in the instance that has it, before another one takes it: the kernel gives
 * it back to the top instance only, and the entry of this write to whom it was taken from.
 */
int tsh_release_printk(struct tsh_instance *in, const char *path, const char *text, struct tsh_err *err);

#endif
