/* kernel/tracefs/errlog.h - the kernel's reason for a refused write */
/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_KERNEL_TRACEFS_ERRLOG_H
#define TRACESH_KERNEL_TRACEFS_ERRLOG_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "tracefs.h"

/* Holds an entry of an instance's error_log (kernel/trace/trace.c, tracing_log_err). */
struct tsh_errlog_entry {
	char *message;
	char *command;		/* the refused text; for probes with single blanks */
	size_t pos;		/* bytes from the start of the command */
	bool has_pos;
};

/* Finds the last entry for this command in the text of an error_log. The command is compared byte
 * for byte as it was written, but without blanks at its end, because another entry's command may
 * look like an entry itself. Returns false when there is none. The caller releases *ret. */
bool tsh_errlog_parse(const char *text, const char *command, struct tsh_errlog_entry *ret);
/* Does the same with the error_log of an instance; kernels before 5.2 have none. */
bool tsh_errlog_find(const struct tsh_instance *in, const char *command,
		     struct tsh_errlog_entry *ret);
void tsh_errlog_entry_release(struct tsh_errlog_entry *entry);

/* Returns the bytes of `text` to which a caret of the kernel at byte `pos` refers. */
struct tsh_span tsh_errlog_blame(const char *text, size_t pos);

/* Returns the text of error_log before a write, or NULL when there is none. The caller frees it. */
char *tsh_errlog_mark(const struct tsh_instance *in);
/*
 * Explains a refused write. Sets the message "the kernel refuses WHAT: MESSAGE" (err->number
 * stays), and err->span to the bytes of `text` that the kernel blames, or to {0, 0}. `mark` comes
 * from tsh_errlog_mark. Returns false when error_log has no new entry for this text.
 */
bool tsh_errlog_explain(const struct tsh_instance *in, const char *mark, const char *what,
			const char *text, struct tsh_err *err);

#endif
