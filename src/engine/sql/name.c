/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sql.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "session/util.h"

/* Finds the events of a statement, and the event and field of each name in it. */

struct tsh_span sql_span_in_line(const struct sql_query *q, struct tsh_span span)
{
	/* an empty statement is blamed by its quotes */
	return q->word->len ? tsh_word_span(q->word, span.begin, span.end) : q->word->span;
}

int sql_open(struct tsh_session *s, const struct tsh_call *call, struct sql_query *ret,
	     struct tsh_err *err)
{
	const struct tsh_value *value = tsh_args_get(&call->args, "STATEMENT");
	size_t i;

	*ret = (struct sql_query){ .session = s,
				   .call = call,
				   .word = &value->word,
				   .events = call->events.v,
				   .nevents = call->events.n };
	/* options stand before the statement */
	if (*value->word.text == '-') {
		tsh_err_at(err, sql_span_in_line(ret, (struct tsh_span){ 0, strcspn(value->word.text, " \t\n=") }),
			   "unknown option '%.*s'",
			   (int)strcspn(value->word.text, " \t\n="), value->word.text);
		tsh_err_hint(err, "help sql lists them; of one task it is WHERE common_pid = 1234");
		return -1;
	}
	if (tsh_sql_parse(value->word.text, &ret->sql, err) < 0) {
		err->span = sql_span_in_line(ret, err->span);
		return -1;
	}
	for (i = 0; i < ret->nevents; i++) {
		ret->formats[i] = tsh_event_format_read(s->in, &ret->events[i]);
		if (!ret->formats[i])
			return tsh_err_set(err, TSH_FAILED, "the format of '%s:%s' cannot be read",
					   ret->events[i].system, ret->events[i].name);
	}
	return 0;
}

void sql_close(struct sql_query *q)
{
	tsh_event_format_free(q->formats[LATENCY_BEGIN]);
	tsh_event_format_free(q->formats[LATENCY_END]);
	tsh_sql_release(&q->sql);
}

uint64_t sql_limit(const struct sql_query *q)
{
	uint64_t n = tsh_args_number(&q->call->args, "N"), limit = q->sql.limit;

	return n && (!limit || n < limit) ? n : limit;
}

/* ---- events ---- */

/* Adds the one event of a name: "sched.sched_switch", or as in other commands. */
static int find_event(const struct sql_query *q, const struct tsh_events *all,
		      const struct tsh_sql_name *name, struct tsh_events *ret, struct tsh_err *err)
{
	char *word = tsh_xstrdup(name->text), *dot = strchr(word, '.');
	struct tsh_events found = { 0 };
	int r;

	if (dot)
		*dot = ':';
	r = tsh_events_match(all, word, &found, err);
	free(word);
	if (r < 0) {
		err->span = sql_span_in_line(q, name->span);
	} else if (found.n == 1) {
		tsh_events_add(ret, found.v[0].system, found.v[0].name);
	} else {
		r = tsh_err_at(err, sql_span_in_line(q, name->span),
			       "'%s' is %zu events: one is to be named", name->text, found.n);
		tsh_err_hint(err, "events %s lists them", name->text);
	}
	tsh_events_release(&found);
	return r;
}

int sql_find_events(const struct sql_query *q, struct tsh_events *ret, struct tsh_err *err)
{
	struct tsh_events all = { 0 };
	int r = tsh_events_available(q->session->dir, &all, err);

	if (!r)
		r = find_event(q, &all, &q->sql.from, ret, err);
	if (!r && q->sql.join.text)
		r = find_event(q, &all, &q->sql.join, ret, err);
	tsh_events_release(&all);
	return r;
}

/* ---- fields ---- */

/* Returns what stands behind "PREFIX."; NULL: the text does not begin so. */
static const char *behind(const char *text, const char *prefix)
{
	size_t len = strlen(prefix);

	return !strncmp(text, prefix, len) && text[len] == '.' && text[len + 1] ? text + len + 1 :
										  NULL;
}

/*
 * Returns the field in a name that begins with the event's alias, name, or system and name; or
 * NULL.
 */
static const char *named(const struct sql_query *q, size_t role, const char *text)
{
	const struct tsh_sql_name *alias = role ? &q->sql.join_alias : &q->sql.from_alias;
	const struct tsh_event *event = &q->events[role];
	const char *field = alias->text ? behind(text, alias->text) : NULL;
	char *full;

	if (!field)
		field = behind(text, event->name);
	if (!field) {
		full = tsh_xasprintf("%s.%s", event->system, event->name);
		field = behind(text, full);
		full[strlen(event->system)] = ':';
		if (!field)
			field = behind(text, full);
		free(full);
	}
	return field;
}

static const char *name_of(const struct sql_query *q, size_t role)
{
	const struct tsh_sql_name *alias = role ? &q->sql.join_alias : &q->sql.from_alias;

	return alias->text ? alias->text : q->events[role].name;
}

static int refuse_ambiguous(const struct sql_query *q, const struct tsh_sql_name *name,
			    const char *field, struct tsh_err *err)
{
	tsh_err_at(err, sql_span_in_line(q, name->span), "'%s' is of both events", name->text);
	if (strcmp(name_of(q, 0), name_of(q, 1)) != 0)
		tsh_err_hint(err, "%s.%s, or %s.%s", name_of(q, 0), field, name_of(q, 1), field);
	else
		tsh_err_hint(err, "FROM %s AS a JOIN %s AS b: then a.%s is the one, b.%s the other",
			     q->sql.from.text, q->sql.join.text, field, field);
	return -1;
}

static int refuse_stranger(const struct sql_query *q, const struct tsh_sql_name *name,
			   struct tsh_err *err)
{
	if (strchr(name->text, '.') && q->nevents > 1)
		tsh_err_at(err, sql_span_in_line(q, name->span), "'%s' begins with neither '%s' nor '%s'",
			   name->text, name_of(q, 0), name_of(q, 1));
	else if (strchr(name->text, '.'))
		tsh_err_at(err, sql_span_in_line(q, name->span), "'%s' does not begin with '%s'",
			   name->text, name_of(q, 0));
	else
		tsh_err_at(err, sql_span_in_line(q, name->span), "'%s' is a field of neither event",
			   name->text);
	if (!strcasecmp(name->text, "pid"))
		tsh_err_hint(err, "the task that an event is of is its common_pid: %s.common_pid", name_of(q, 0));
	else
		tsh_err_hint(err, "info %s lists the fields of an event", q->events[0].name);
	return -1;
}

/* Says whether the event has such a field, apart from the common ones. */
static bool has_field(const struct sql_query *q, size_t role, const char *text)
{
	char *name = tsh_xstrndup(text, strcspn(text, "."));
	const struct tsh_field *field = tsh_event_format_field(q->formats[role], name);

	free(name);
	return field && !field->is_common;
}

static bool is_of_any(const char *text)
{
	return !strncasecmp(text, "common_", strlen("common_")) || !strcasecmp(text, "cpu") || !strcasecmp(text, "comm");
}

/*
 * Returns SYNTH_TIME or SYNTH_TIME_USEC for a field that is a time, as tracefs_sql(3) or the kernel
 * spells it; or NULL.
 */
static const char *time_of(const char *field)
{
	if (!strcasecmp(field, "TIMESTAMP") || !strcmp(field, SYNTH_TIME))
		return SYNTH_TIME;
	return !strcasecmp(field, "TIMESTAMP_USECS") || !strcmp(field, SYNTH_TIME_USEC) ? SYNTH_TIME_USEC :
											  NULL;
}

static bool is_stack(const char *field)
{
	return !strcasecmp(field, "STACKTRACE") || !strcmp(field, SYNTH_STACK);
}

/* Finds the event of a name that has no event's name before it. */
static int find_unnamed(const struct sql_query *q, const struct tsh_sql_name *name,
			struct sql_field *ret, struct tsh_err *err)
{
	bool has[LATENCY_ROLES] = { has_field(q, 0, name->text) };

	if (q->nevents == 1) {
		if (!has[0] && !ret->time && strchr(name->text, '.') && !is_of_any(name->text))
			return refuse_stranger(q, name, err);
		return 0;
	}
	has[1] = has_field(q, 1, name->text);
	if (has[0] == has[1])
		return has[0] || is_of_any(name->text) || ret->time || ret->is_stack ?
			       refuse_ambiguous(q, name, name->text, err) :
			       refuse_stranger(q, name, err);
	ret->role = has[0] ? LATENCY_BEGIN : LATENCY_END;
	return 0;
}

/*
 * Refuses pid of an event without such a field: the kernel and libtracefs call the task's number
 * common_pid.
 */
static int check_pid(const struct sql_query *q, const struct tsh_sql_name *name, const struct sql_field *field,
		     struct tsh_err *err)
{
	const struct tsh_event *event = &q->events[field->role];

	if (strcasecmp(field->name, "pid") != 0 || has_field(q, field->role, field->name))
		return 0;
	tsh_err_at(err, sql_span_in_line(q, name->span), "'%s' is no field of %s:%s", field->name, event->system,
		   event->name);
	err->status = TSH_FAILED;
	tsh_err_hint(err, "the task that it is of is %.*scommon_pid; info %s lists its fields",
		     (int)(field->name - name->text), name->text, event->name);
	return -1;
}

int sql_find_field(const struct sql_query *q, const struct tsh_sql_name *name,
		   struct sql_field *ret, struct tsh_err *err)
{
	const char *fields[LATENCY_ROLES] = { named(q, 0, name->text) };

	if (q->nevents > 1)
		fields[1] = named(q, 1, name->text);
	*ret = (struct sql_field){ .name = name->text };
	if (fields[0] && fields[1])
		return refuse_ambiguous(q, name, fields[0], err);
	if (fields[0] || fields[1]) {
		ret->role = fields[0] ? LATENCY_BEGIN : LATENCY_END;
		ret->name = fields[ret->role];
		ret->is_named = true;
	}
	ret->time = time_of(ret->name);
	ret->is_stack = is_stack(ret->name);
	ret->is_delta = !ret->is_named && q->nevents > 1 &&
			(!strcasecmp(name->text, "TIMESTAMP_DELTA") ||
			 !strcasecmp(name->text, "TIMESTAMP_DELTA_USECS"));
	if (ret->is_delta) {
		ret->time =
			strcasecmp(name->text, "TIMESTAMP_DELTA") ? SYNTH_TIME_USEC : SYNTH_TIME;
		return 0;
	}
	if (!ret->is_named && find_unnamed(q, name, ret, err) < 0)
		return -1;
	return check_pid(q, name, ret, err);
}
