/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_KERNEL_JOURNALED_JOURNALED_H
#define TRACESH_KERNEL_JOURNALED_JOURNALED_H

/* Declares the backend of a session, which records each write so that it can be undone. */

#include "kernel/journal/journal.h"

/* Starts a journal of all writes to the folder from now on. */
void tsh_journaled_open(struct tsh_dir *dir);

/* ---- its callbacks (struct tsh_backend), also used by the backend of a script ---- */

int tsh_journaled_write(struct tsh_instance *in, const char *path, enum tsh_write_how how, const char *text,
			struct tsh_err *err);
void tsh_journaled_begin_instance(struct tsh_dir *dir, const char *name, bool own);
void tsh_journaled_end_instance(struct tsh_dir *dir, bool made, uint64_t identity);
void tsh_journaled_forget_instance(struct tsh_dir *dir, const char *name);
void tsh_journaled_close(struct tsh_dir *dir);

/* ---- what the kernel changes besides what was written ---- */

/* Adds an entry for the file that a trigger or a function's command will switch, so that undo
 * restores it like our own write. Returns false when it switches nothing. */
bool tsh_expect_switched(struct tsh_instance *in, const char *trigger);
/*
 * Are called before and after a write that may remove probes, whose events lose their filters.
 * tsh_expect_filter_removal adds an entry for each such filter in each instance, and returns the
 * number of the first, or 0 when the text removes no probes. tsh_drop_filter_removal drops the
 * entries of filters that are still there.
 */
unsigned int tsh_expect_filter_removal(struct tsh_instance *in, const char *path, const char *text);
void tsh_drop_filter_removal(struct tsh_dir *dir, unsigned int first);
/*
 * Switches trace_printk_dest off in the instance that has it, before another instance gets it, so
 * that undo can restore it: the kernel would give it to the top instance when it is switched off.
 * Returns 0, or -1 with err.
 */
int tsh_switch_printk_off(struct tsh_instance *in, const char *path, const char *text, struct tsh_err *err);

#endif
