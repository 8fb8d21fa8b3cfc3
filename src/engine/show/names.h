/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_ENGINE_SHOW_NAMES_H
#define TRACESH_ENGINE_SHOW_NAMES_H

#include "kernel/tracefs/event.h"
#include "kernel/tracefs/tracefs.h"

/* Finds the event to which a line of the kernel's text belongs. The text does not name the
 * event's system, and for a system call not even the event. */
struct tsh_show_names;

/* Makes the table of the events of available_events; without that file the table is empty. */
struct tsh_show_names *tsh_show_names_new(const struct tsh_dir *dir);
void tsh_show_names_free(struct tsh_show_names *names);
/*
 * Finds the event of a text: "sched_switch: ..", "tracing_mark_write: ..", "sys_openat(..",
 * "sys_openat -> ..". Returns NULL when there is none, or several have that name. *ret_skip: length
 * of the name and the ": " at the beginning of the text; 0: it has none.
 */
const struct tsh_event *tsh_show_names_find(const struct tsh_show_names *names, const char *text,
					    size_t len, size_t *ret_skip);

#endif
