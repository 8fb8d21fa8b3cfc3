/* output/table.h - cells of tables that are more than a text or a number */
/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_OUTPUT_TABLE_H
#define TRACESH_OUTPUT_TABLE_H

#include "base/json.h"
#include "output.h"

/* Adds a number that is text already. NULL: empty, or null. */
void tsh_table_digits(struct tsh_table *table, const char *text);
/* Returns the writer of JSON, to write the value of the next column, or members behind the last
 * one. To be called in JSON only. */
struct tsh_json *tsh_table_json(struct tsh_table *table);

#endif
