/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_SESSION_EXPLAIN_TABLE_H
#define TRACESH_SESSION_EXPLAIN_TABLE_H

#include "session.h"

/* Print the tables of `explain` (.explain of struct tsh_cmd). A row says whether the kernel or
 * tracesh does a part of the call, and why. */
#define TSH_EXPLAIN_KERNEL "kernel"
#define TSH_EXPLAIN_HERE   "tracesh"

/* Begins the table; the caller ends it with tsh_table_end. */
struct tsh_table *tsh_explain_begin(struct tsh_session *s);
/* Adds a row. by: TSH_EXPLAIN_KERNEL or TSH_EXPLAIN_HERE. */
void tsh_explain_row(struct tsh_table *table, const char *by, const char *term, const char *why);
/* Adds a row for an option or clause as it was typed ("--depth 2"), if the call has that. */
void tsh_explain_option(struct tsh_table *table, const struct tsh_call *call, const char *name,
			const char *by, const char *why);
/* Adds a row for the kernel's filter, if the call has one. */
void tsh_explain_filter(struct tsh_table *table, const struct tsh_call *call, const char *why);

/* Begins the table of files that the call writes; the caller ends it with tsh_table_end. */
struct tsh_table *tsh_explain_writes(struct tsh_session *s);
/* Adds a row for one write. */
void tsh_explain_write(struct tsh_table *table, const char *path, const char *text);

#endif
