/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "filters.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "tracesh/decode.h"
#include "tracesh/suggest.h"
#include "util.h"

const struct tsh_value *tsh_filters_value(const struct tsh_call *call)
{
	size_t i;

	for (i = 0; i < call->args.n; i++) {
		const struct tsh_value *value = &call->args.v[i];

		if (value->arg->type != TSH_ARG_EXPRESSION || strcmp(value->arg->name, "FILTER"))
			continue;
		return strcmp(value->word.text, "clear") && strcmp(value->word.text, "0") ?
			       value : NULL;
	}
	return NULL;
}

/* Fields that every filter may use: kernel/trace/trace_events.c, the generic and
 * common fields. */
static bool is_generic_field(const char *name)
{
	static const char *const generic[] = {
		"CPU", "cpu", "COMM", "comm", "stacktrace", "STACKTRACE", "common_type",
		"common_flags", "common_preempt_count", "common_pid", NULL
	};
	size_t i;

	for (i = 0; generic[i]; i++)
		if (!strcmp(generic[i], name))
			return true;
	return false;
}

static struct tsh_event_format *read_format(struct tsh_session *s,
					    const struct tsh_event *event)
{
	struct tsh_event_format *format = NULL;
	struct tsh_strbuf text = TSH_STRBUF_INIT;
	char *path = tsh_event_path(event, "format");

	if (!tsh_file_read(s->in, path, &text) &&
	    tsh_event_format_parse(event->system, text.buf, text.len, &format) < 0)
		format = NULL;
	tsh_strbuf_release(&text);
	free(path);
	return format;
}

/* Skips blanks and says whether a comparison follows. */
static bool operator_follows(const char *p)
{
	while (isspace((unsigned char)*p))
		p++;
	return *p == '~' || *p == '<' || *p == '>' || *p == '=' || (*p == '!' && p[1] == '=') ||
	       (*p == '&' && p[1] != '&');
}

/*
 * The first name before a comparison that the event has no field for, as bytes of
 * the filter; {0, 0} when all are known.
 */
static struct tsh_span missing_field(const struct tsh_event_format *format, const char *filter)
{
	const char *p = filter;

	while (*p) {
		const char *begin = p;
		char *name;
		bool known;

		if (*p == '"' || *p == '\'') {
			const char *close = strchr(p + 1, *p);

			p = close ? close + 1 : p + strlen(p);
			continue;
		}
		if (!isalpha((unsigned char)*p) && *p != '_') {
			p++;
			continue;
		}
		while (isalnum((unsigned char)*p) || *p == '_')
			p++;
		name = tsh_xstrndup(begin, (size_t)(p - begin));
		while (*p == '.' || isalnum((unsigned char)*p) || *p == '_')
			p++;	/* .ustring, .function */
		known = !operator_follows(p) || is_generic_field(name) ||
			tsh_event_format_field(format, name);
		free(name);
		if (!known)
			return (struct tsh_span){ (size_t)(begin - filter),
						  (size_t)(begin - filter) +
							  strcspn(begin, " .<>=!~&\t\n") };
	}
	return (struct tsh_span){ 0, 0 };
}

/* "did you mean 'prev_pid'?", or all the fields that there are. */
static void hint_fields(struct tsh_err *err, const struct tsh_event *event,
			const struct tsh_event_format *format, const char *filter,
			struct tsh_span span)
{
	char *typed = tsh_xstrndup(filter + span.begin, span.end - span.begin);
	struct tsh_strbuf list = TSH_STRBUF_INIT;
	struct tsh_suggest near;
	size_t i;

	tsh_suggest_init(&near, typed);
	for (i = 0; i < format->nfields; i++) {
		tsh_suggest_offer(&near, format->fields[i].name);
		if (!format->fields[i].is_common)
			tsh_strbuf_addf(&list, " %s", format->fields[i].name);
	}
	if (tsh_suggest_best(&near))
		tsh_err_hint(err, "did you mean '%s'? (%s:%s has%s)", tsh_suggest_best(&near),
			     event->system, event->name, list.buf);
	else
		tsh_err_hint(err, "%s:%s has%s", event->system, event->name, list.buf);
	tsh_suggest_release(&near);
	tsh_strbuf_release(&list);
	free(typed);
}

/* Which of the events lack the field, for an error about more than one event. */
static void list_lacking(struct tsh_session *s, const struct tsh_call *call, const char *filter,
			 struct tsh_strlist *ret)
{
	size_t i;

	for (i = 0; i < call->events.n; i++) {
		const struct tsh_event *event = &call->events.v[i];
		struct tsh_event_format *format = read_format(s, event);

		if (format && missing_field(format, filter).end)
			tsh_strlist_take(ret, tsh_xasprintf("%s:%s", event->system, event->name));
		tsh_event_format_free(format);
	}
}

static void explain(struct tsh_session *s, const struct tsh_call *call,
		    const struct tsh_event *event, const struct tsh_value *value,
		    struct tsh_err *err)
{
	const char *filter = value->word.text;
	struct tsh_event_format *format = read_format(s, event);
	struct tsh_span missing = { 0, 0 };
	struct tsh_strlist lacking = { 0 };
	struct tsh_strbuf list = TSH_STRBUF_INIT;
	size_t i;

	if (format)
		missing = missing_field(format, filter);
	if (missing.end) {
		err->span = missing;
		list_lacking(s, call, filter, &lacking);
	}
	if (lacking.n > 1) {
		for (i = 0; i < lacking.n && i < 6; i++)
			tsh_strbuf_addf(&list, "%s%s", i ? ", " : "", lacking.v[i]);
		if (lacking.n > 6)
			tsh_strbuf_addf(&list, " and %zu more", lacking.n - 6);
		tsh_err_hint(err, "%zu of %zu events have no such field: %s", lacking.n,
			     call->events.n, list.buf);
	} else if (missing.end) {
		hint_fields(err, event, format, filter, missing);
	} else if (err->message && strstr(err->message, "quotes")) {
		tsh_err_hint(err, "strings need quotes: comm == \"bash\"");
	}
	if (err->span.end)
		err->span = tsh_word_span(&value->word, err->span.begin, err->span.end);
	else
		err->span = value->word.span;
	tsh_strbuf_release(&list);
	tsh_strlist_release(&lacking);
	tsh_event_format_free(format);
}

/* The kernel judges; of a recorded tree only the fields can be looked at. */
static int judge(struct tsh_session *s, const struct tsh_event *event, const char *filter,
		 struct tsh_err *err)
{
	struct tsh_event_format *format;
	bool known;

	if (s->dir->kind != TSH_DIR_TREE)
		return tsh_filter_judge(s->dir, event, filter, err);
	format = read_format(s, event);
	known = !format || !missing_field(format, filter).end;
	tsh_event_format_free(format);
	return known ? 0 : tsh_err_set(err, TSH_FAILED, "field not found");
}

int tsh_filters_check(struct tsh_session *s, const struct tsh_call *call, struct tsh_err *err)
{
	const struct tsh_value *value = tsh_filters_value(call);
	size_t i;

	if (!value)
		return 0;
	for (i = 0; i < call->events.n; i++) {
		if (!judge(s, &call->events.v[i], value->word.text, err))
			continue;
		explain(s, call, &call->events.v[i], value, err);
		return -1;
	}
	return 0;
}
