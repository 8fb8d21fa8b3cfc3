/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_ENGINE_PIPELINE_FIELDS_H
#define TRACESH_ENGINE_PIPELINE_FIELDS_H

/* Implements `fields LIST`: prints chosen and computed columns in place of the events' texts. */

#include "output/sink.h"
#include "query/query.h"
#include "session/session.h"
#include "stage.h"

/* Declare the clause and its option, for the table of a command. */
#define TSH_FIELDS_CLAUSE \
	{ .name = "FIELDS", .clause = "fields", .type = TSH_ARG_TEXT, .flags = TSH_ARG_OPTIONAL, \
	  .help = "a table of these: FIELD or NAME=EXPR, with blanks or commas between" }
#define TSH_FIELDS_RAW \
	{ .name = "raw", .option = "--raw", .type = TSH_ARG_FLAG, .flags = TSH_ARG_OPTIONAL, \
	  .help = "print numbers in the table of fields, not the kernel's names" }

struct tsh_field_list;

/*
 * Finds the next item of a clause. Blanks or a comma separate the items, except within quotes or
 * brackets. *begin and *end hold the offsets of the previous item (both 0 before the first one),
 * and are set to those of the next. what: the kind of item, for messages: "field". Returns 1; 0:
 * there is no more item; -1 with err, which blames a comma without an item before or after it.
 */
int tsh_field_list_next(const struct tsh_value *clause, const char *what, size_t *begin, size_t *end,
			struct tsh_err *err);

/*
 * Parses the clause `fields` of the call, if there is one, and checks that the
 * events of the call have such fields. Returns 0, or -1 with err, which blames a part of the
 * clause.
 */
int tsh_field_list_resolve(struct tsh_session *s, struct tsh_call *call, struct tsh_err *err);
/* Returns the list of a call; NULL: it has no such clause. */
struct tsh_field_list *tsh_field_list_of(const struct tsh_call *call);
/* Returns the stage that makes the sink print each event as a row of the chosen columns; NULL:
 * the call has no such clause. */
struct tsh_stage *tsh_field_list_stage(struct tsh_field_list *fields);
/* Appends a number of timer ticks (jiffies), `hz` of them a second, as a time: for a moment the
 * seconds since boot ("12.345"), for a span "1.5 ms". long_size: bytes of the kernel's long. */
void tsh_ticks_add(unsigned int hz, unsigned int long_size, enum tsh_query_jiffies kind,
		   uint64_t number, struct tsh_strbuf *out);

#endif
