/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_TRACEFS_ERRLOG_H
#define TRACESH_TRACEFS_ERRLOG_H

#include <stdbool.h>
#include <stddef.h>

#include "tracesh/tracefs.h"

/* The newest entry of an instance's error_log (kernel/trace/trace.c, tracing_log_err). */
struct tsh_errlog_entry {
	char *message;
	size_t pos;		/* bytes into the command */
	bool has_pos;
};

/* False when the kernel has no error_log or it is empty. */
bool tsh_errlog_last(const struct tsh_instance *in, struct tsh_errlog_entry *ret);
void tsh_errlog_entry_release(struct tsh_errlog_entry *entry);

#endif
