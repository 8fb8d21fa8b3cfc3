/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_ENGINE_SHOW_NAMES_H
#define TRACESH_ENGINE_SHOW_NAMES_H

#include "kernel/tracefs/event.h"
#include "kernel/tracefs/tracefs.h"

/* Which event a line of the kernel's text is of: the text does not name its system, and
 * that of a system call not even the event. */
struct tsh_show_names;

/* Of all events that there are; without a list of them none is found. */
struct tsh_show_names *tsh_show_names_new(const struct tsh_dir *dir);
void tsh_show_names_free(struct tsh_show_names *names);
/*
 * Of "sched_switch: ..", "tracing_mark_write: ..", "sys_openat(..", "sys_openat -> .."; NULL: of none, or of several
 * that are called so. *ret_skip bytes of the text are the name and what ends it, ": ".
 */
const struct tsh_event *tsh_show_names_find(const struct tsh_show_names *names, const char *text,
					    size_t len, size_t *ret_skip);

#endif
