/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_ENGINE_PIPELINE_FIELDS_H
#define TRACESH_ENGINE_PIPELINE_FIELDS_H

/* fields LIST: chosen and computed columns in place of the events' texts. */

#include "output/sink.h"
#include "query/query.h"
#include "session/session.h"
#include "stage.h"

/* The clause and its option, for the table of a command. */
#define TSH_FIELDS_CLAUSE \
	{ .name = "FIELDS", .clause = "fields", .type = TSH_ARG_TEXT, .flags = TSH_ARG_OPTIONAL, \
	  .help = "a table of these: FIELD or NAME=EXPR, with blanks or commas between" }
#define TSH_FIELDS_RAW \
	{ .name = "raw", .option = "--raw", .type = TSH_ARG_FLAG, .flags = TSH_ARG_OPTIONAL, \
	  .help = "numbers in the table of fields, not what the kernel calls them" }

struct tsh_field_list;

/* Where the item that begins at text[at] ends: at a blank or a comma outside of quotes and
 * brackets. */
size_t tsh_field_list_item_end(const char *text, size_t at);

/* Reads the clause of the call, if it has one, into call->chosen, and looks whether its events
 * have such fields. -1 with err, which blames a place in it. */
int tsh_field_list_resolve(struct tsh_session *s, struct tsh_call *call, struct tsh_err *err);
/* NULL is fine. */
void tsh_field_list_free(struct tsh_field_list *chosen);
/* Gives the stage that has the sink print rows of them, each an event; NULL: there is no clause. */
struct tsh_stage *tsh_field_list_stage(struct tsh_field_list *chosen);
/* Appends a number of the kernel's ticks, of which there are `hz` a second, as a time: of a moment the
 * seconds since boot, of a span "1.5 ms". */
void tsh_ticks_add(unsigned int hz, unsigned int long_size, enum tsh_query_jiffies kind,
		   uint64_t number, struct tsh_strbuf *out);

#endif
