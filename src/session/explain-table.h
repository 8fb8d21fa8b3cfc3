/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_SESSION_EXPLAIN_TABLE_H
#define TRACESH_SESSION_EXPLAIN_TABLE_H

#include "session.h"

/* For the .explain of commands: rows of who does what of it, and why. */
#define TSH_EXPLAIN_KERNEL "kernel"
#define TSH_EXPLAIN_HERE   "tracesh"

/* To be ended with tsh_table_end. */
struct tsh_table *tsh_explain_begin(struct tsh_session *s);
void tsh_explain_row(struct tsh_table *table, const char *by, const char *term, const char *why);
/* An option or clause of the call as it was typed, "--depth 2", where it has it: a row. */
void tsh_explain_option(struct tsh_table *table, const struct tsh_call *call, const char *name,
			const char *by, const char *why);
/* The kernel's filter of the call, where it has one. */
void tsh_explain_filter(struct tsh_table *table, const struct tsh_call *call, const char *why);

/* What is written, file by file; to be ended with tsh_table_end. */
struct tsh_table *tsh_explain_writes(struct tsh_session *s);
void tsh_explain_write(struct tsh_table *table, const char *path, const char *text);

#endif
