/* kernel/tracefs/errlog.h - the kernel's own words about a refused write */
/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_KERNEL_TRACEFS_ERRLOG_H
#define TRACESH_KERNEL_TRACEFS_ERRLOG_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "tracefs.h"

/* The newest entry of an instance's error_log (kernel/trace/trace.c, tracing_log_err). */
struct tsh_errlog_entry {
	char *message;
	char *command;		/* what was written, with its blanks made one each for probes */
	size_t pos;		/* bytes into the command */
	bool has_pos;
};

/* False when the kernel has no error_log (5.2 has) or it is empty. */
bool tsh_errlog_last(const struct tsh_instance *in, struct tsh_errlog_entry *ret);
/* The last record of this command, byte for byte as it was written, in the file's text:
 * a record's command may look like another record. `command` is left out. */
bool tsh_errlog_parse(const char *text, const char *command, struct tsh_errlog_entry *ret);
/* The same in an instance's file. */
bool tsh_errlog_find(const struct tsh_instance *in, const char *command,
		     struct tsh_errlog_entry *ret);
void tsh_errlog_entry_release(struct tsh_errlog_entry *entry);

/* The bytes of `text` that a caret at `pos` of it means. */
struct tsh_span tsh_errlog_blame(const char *text, size_t pos);

/* The log before a write; the caller frees it. NULL: there is none. */
char *tsh_errlog_mark(const struct tsh_instance *in);
/*
 * After a refused write: "the kernel refuses WHAT: MESSAGE" into err (which keeps its
 * errno), and into err->span the bytes of `text` that it blames, {0, 0} for none. False
 * when the log has nothing new of this text.
 */
bool tsh_errlog_explain(const struct tsh_instance *in, const char *mark, const char *what,
			const char *text, struct tsh_err *err);

#endif
