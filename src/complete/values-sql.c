/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "values.h"

#include <ctype.h>
#include <stdlib.h>

#include "session/event-format.h"

/* Completes a SELECT. */

/* Adds keywords, in small letters when the word begins with one: their case does not count. */
static void add_words(const struct tsh_cursor *at, const char *const *words)
{
	bool is_small = islower((unsigned char)*at->word);

	for (; *words; words++) {
		char *text = tsh_xstrdup(*words), *p;

		for (p = text; is_small && *p; p++)
			*p = (char)tolower((unsigned char)*p);
		tsh_candidate_add(at, text, NULL, strchr("(=", text[strlen(text) - 1]));
		free(text);
	}
}

static char *span_text(const char *text, struct tsh_span span)
{
	return tsh_xstrndup(text + span.begin, span.end - span.begin);
}

/* Adds "FIELD", or "LABEL.FIELD" when there are two events. */
static void add_field(const struct tsh_cursor *at, const char *label, const char *name,
		      const char *help)
{
	char *text = label ? tsh_xasprintf("%s.%s", label, name) : tsh_xstrdup(name);

	tsh_candidate_add(at, text, help, false);
	free(text);
}

static void add_fields_of(const struct tsh_cursor *at, const struct tsh_event *event,
			  const char *label)
{
	struct tsh_event_format *format = tsh_event_format_read(at->s->in, event);
	size_t i;

	for (i = 0; format && i < format->nfields; i++)
		if (!format->fields[i].is_common || !strcmp(format->fields[i].name, "common_pid"))
			add_field(at, label, format->fields[i].name, format->fields[i].type);
	if (format && label) {
		add_field(at, label, "TIMESTAMP", "when it happened, in ns");
		add_field(at, label, "TIMESTAMP_USECS", "when it happened, in us");
		add_field(at, label, "STACKTRACE", "the kernel's call chain at the event");
	}
	tsh_event_format_free(format);
}

static void add_fields(const struct tsh_cursor *at, const char *text,
		       const struct tsh_sql_source *source, bool is_labelled)
{
	struct tsh_events all = { 0 }, events = { 0 };
	struct tsh_err err = { 0 };
	char *name = span_text(text, source->event);
	char *label = span_text(text, source->label.end ? source->label : source->event);

	if (at->s->in && source->event.end && tsh_events_available(at->s->dir, &all, &err) == 0 &&
	    tsh_events_match(&all, name, &events, &err) == 0 && events.n == 1)
		add_fields_of(at, &events.v[0], is_labelled ? label : NULL);
	tsh_err_release(&err);
	tsh_events_release(&events);
	tsh_events_release(&all);
	free(label);
	free(name);
}

static void add_operands(const struct tsh_cursor *at, const char *text,
			 const struct tsh_sql_place *place)
{
	bool has_join = place->join.event.end;

	add_fields(at, text, &place->from, has_join);
	if (has_join)
		add_fields(at, text, &place->join, true);
}

/* Adds the keywords that can follow a finished part of the clause. */
static void add_next(const struct tsh_cursor *at, const struct tsh_sql_place *place)
{
	static const char *const item[] = { "AS", "FROM", NULL };
	static const char *const event[] = { "AS", "JOIN", "WHERE", "GROUP BY", "LIMIT", NULL };
	static const char *const joined[] = { "AS", "ON", NULL };
	static const char *const on[] = { "WHERE", "LIMIT", NULL };
	static const char *const where[] = { "AND", "OR", "GROUP BY", "LIMIT", NULL };
	static const char *const operators[] = { "=", "<>", "<", "<=", ">", ">=", "~", "&", NULL };
	static const char *const equal[] = { "=", NULL };
	static const char *const group[] = { "LIMIT", NULL };

	switch (place->clause) {
	case TSH_SQL_SELECT:
		add_words(at, item);
		return;
	case TSH_SQL_FROM:
		add_words(at, event);
		return;
	case TSH_SQL_JOIN:
		add_words(at, joined);
		return;
	case TSH_SQL_ON:
		add_words(at, place->is_compared ? on : equal);
		return;
	case TSH_SQL_WHERE:
		add_words(at, place->is_compared ? where : operators);
		return;
	case TSH_SQL_GROUP:
		add_words(at, group);
		return;
	default:
		return;
	}
}

void tsh_candidates_sql(const struct tsh_cursor *at, const char *text,
			const struct tsh_sql_place *place)
{
	static const char *const begin[] = { "SELECT", NULL };
	static const char *const items[] = { "*", "COUNT(*)", "CAST(", "SUM(", "AVG(", "MIN(", "MAX(",
					     NULL };
	static const char *const types[] = { "hex",  "sym",  "sym-offset", "syscall",
					     "comm", "log2", "buckets=",   "_COUNTER_", NULL };

	if (place->is_open)
		return;
	if (place->is_cast) {
		add_words(at, types);
	} else if (place->is_behind) {
		add_next(at, place);
	} else if (place->clause == TSH_SQL_BEGIN) {
		add_words(at, begin);
	} else if (place->is_label || place->clause == TSH_SQL_LIMIT) {
		return;
	} else if (place->clause == TSH_SQL_FROM || place->clause == TSH_SQL_JOIN) {
		tsh_candidates_events(at);
	} else if (place->clause != TSH_SQL_WHERE || !place->is_compared) {
		if (place->clause == TSH_SQL_SELECT)
			add_words(at, items);
		add_operands(at, text, place);
	}
}
