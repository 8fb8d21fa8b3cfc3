/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "filters.h"

#include <stdlib.h>
#include <string.h>

#include "event-format.h"
#include "events/decode/decode.h"
#include "events/decode/value-names.h"
#include "lang/filter-hint.h"
#include "filter-fault.h"
#include "own-instance.h"
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

void tsh_filters_note_kept(struct tsh_session *s, const struct tsh_events *events)
{
	size_t i;

	for (i = 0; i < events->n && events->n <= 32; i++) {
		char *filter = tsh_event_filter(s->in, &events->v[i]);
		/* a pair may name the same event twice */
		bool again = i && !strcmp(events->v[i].name, events->v[i - 1].name) &&
			     !strcmp(events->v[i].system, events->v[i - 1].system);

		if (filter && !again)
			tsh_out_note(s->out, "%s:%s keeps its filter: %s", events->v[i].system,
				     events->v[i].name, filter);
		free(filter);
	}
}

const char *tsh_filters_why_none(const struct tsh_call *call, const struct tsh_query *where)
{
	if (call && tsh_filters_value(call))
		return " (nothing passed the filter, or nothing happened)";
	return where ? " (nothing matched the where, or nothing happened)" : "";
}

/* Appends to the hint the number of a name that only the event's print format has. */
static void add_number(const struct tsh_instance *in, const struct tsh_event_format *format, const char *filter,
		       struct tsh_filter_fault *fault)
{
	const struct tsh_filter_field *of = fault->value_of;
	size_t i, len = fault->span.end - fault->span.begin;
	struct tsh_value_names names = { 0 };
	struct tsh_strbuf hint = TSH_STRBUF_INIT;

	tsh_value_names_here(in, format, tsh_event_format_field(format, of->name), &names);
	for (i = 0; i < names.n; i++) {
		const struct tsh_value_name *name = &names.v[i];

		if (strlen(name->name) != len || memcmp(name->name, filter + fault->span.begin, len))
			continue;
		tsh_strbuf_addf(&hint, of->is_signed ? "%s: %s is %lld" : "%s: %s is %llu",
				fault->hint, name->name, (long long)name->value);
		free(fault->hint);
		fault->hint = tsh_strbuf_detach(&hint);
		break;
	}
	tsh_value_names_release(&names);
}

/* Checks a filter with our own parser. Returns false when no fault is found, or when the event has
 * no format. */
static bool find_fault(struct tsh_session *s, const struct tsh_event *event, const char *filter,
		       struct tsh_filter_fault *ret)
{
	struct tsh_event_format *format = tsh_event_format_read(s->in, event);
	char *label = tsh_xasprintf("%s:%s", event->system, event->name);
	struct tsh_filter_event known = { .label = label };
	struct tsh_filter_field *fields = NULL;
	bool found = false;
	size_t i;

	*ret = (struct tsh_filter_fault){ 0 };
	if (format) {
		fields = tsh_xcalloc(format->nfields + 1, sizeof(*fields));
		for (i = 0; i < format->nfields; i++) {
			const struct tsh_field *field = &format->fields[i];

			fields[i] = (struct tsh_filter_field){
				field->name, field->type, tsh_field_filter_kind(field),
				field->is_signed, field->is_common,
			};
		}
		known.fields = fields;
		known.n = format->nfields;
		found = tsh_filter_fault_find(filter, &known, ret);
		if (found && ret->value_of)
			add_number(s->in, format, filter, ret);
		ret->value_of = NULL;
	}
	free(fields);
	free(label);
	tsh_event_format_free(format);
	return found;
}

/* Lists the events that lack a field which the filter names, for an error about several events. */
static void list_lacking(struct tsh_session *s, const struct tsh_events *events,
			 const char *filter, struct tsh_strlist *ret)
{
	struct tsh_filter_fault fault;
	size_t i;

	for (i = 0; i < events->n; i++) {
		const struct tsh_event *event = &events->v[i];

		if (find_fault(s, event, filter, &fault) && fault.is_unknown_field)
			tsh_strlist_add_owned(ret, tsh_xasprintf("%s:%s", event->system, event->name));
		tsh_filter_fault_release(&fault);
	}
}

static void hint_lacking(struct tsh_session *s, const struct tsh_events *events,
			 const char *filter, struct tsh_err *err)
{
	struct tsh_strlist lacking = { 0 };
	struct tsh_strbuf list = TSH_STRBUF_INIT;
	size_t i;

	list_lacking(s, events, filter, &lacking);
	for (i = 0; i < lacking.n && i < 6; i++)
		tsh_strbuf_addf(&list, "%s%s", i ? ", " : "", lacking.v[i]);
	if (lacking.n > 6)
		tsh_strbuf_addf(&list, " and %zu more", lacking.n - 6);
	if (lacking.n > 1)
		tsh_err_hint(err, "%zu of %zu events have no such field: %s", lacking.n,
			     events->n, list.buf);
	tsh_strbuf_release(&list);
	tsh_strlist_release(&lacking);
}

/* Adds to the error of a filter that the kernel has refused. The kernel's reason is short, and its
 * caret often stands beside the fault; our own parser says more if it finds the fault. */
static void explain(struct tsh_session *s, const struct tsh_events *events,
		    const struct tsh_event *event, const struct tsh_word *word,
		    struct tsh_err *err)
{
	struct tsh_filter_fault fault;
	char *full;

	if (find_fault(s, event, word->text, &fault)) {
		if (fault.span.end)
			err->span = fault.span;
		tsh_err_hint(err, "%s", fault.hint);
		if (fault.is_unknown_field && events && events->n > 1)
			hint_lacking(s, events, word->text, err);
	}
	tsh_filter_fault_release(&fault);
	/* Writes the event as enable takes it, for the hint. */
	full = tsh_xasprintf("%s:%s", event->system, event->name);
	if (!strncmp(word->text, "if ", 3))
		tsh_err_hint_word(err, "without 'if': filter ", full, word->text + 2);
	free(full);
	err->span = err->span.end ? tsh_word_span(word, err->span.begin, err->span.end) :
				    word->span;
}

/* Refuses a filter that has no end, which the kernel accepts. */
static int refuse_unfinished(const char *filter, struct tsh_span at, struct tsh_err *err)
{
	tsh_err_at(err, at, "the filter ends with '%.*s'", (int)(at.end - at.begin), filter + at.begin);
	err->status = TSH_FAILED;
	tsh_err_hint(err, "a comparison is missing behind this");
	return -1;
}

/* Has the kernel check the filter. For a recording, checks only the end and the fields. */
static int check_by_kernel(struct tsh_session *s, const struct tsh_events *events, const char *filter,
			   size_t *ret_refused, struct tsh_err *err)
{
	struct tsh_span end;
	size_t i;

	if (tsh_filter_is_unfinished(filter, &end))
		return refuse_unfinished(filter, end, err);
	if (s->dir->kind != TSH_DIR_TREE)
		return tsh_filter_judge_all(s->dir, events, filter, ret_refused, err);
	for (i = 0; i < events->n; i++) {
		struct tsh_filter_fault fault;
		bool known = !find_fault(s, &events->v[i], filter, &fault) ||
			     !fault.is_unknown_field;

		*ret_refused = i;
		tsh_filter_fault_release(&fault);
		if (!known)
			return tsh_err_set(err, TSH_FAILED, "field not found");
	}
	return 0;
}

/* Refuses a filter that is empty or only quotes: the kernel gives no reason for that error. */
static int refuse_blank(const struct tsh_value *value, struct tsh_err *err)
{
	tsh_err_at(err, value->word.span, "the filter is empty");
	tsh_err_hint(err, "filters look like: prev_pid == 5 && next_comm ~ \"a*\"; clear removes one");
	return -1;
}

int tsh_filters_judge(struct tsh_session *s, const struct tsh_event *event,
		      const struct tsh_word *filter, struct tsh_err *err)
{
	struct tsh_events one = { .v = (struct tsh_event *)event, .n = 1 };
	size_t refused = 0;

	if (!check_by_kernel(s, &one, filter->text, &refused, err))
		return 0;
	explain(s, NULL, event, filter, err);
	return -1;
}

int tsh_filters_check_text(struct tsh_session *s, const struct tsh_events *events,
			   const char *text, struct tsh_err *err)
{
	size_t len = strlen(text), refused = 0, i;
	struct tsh_word word = { .text = (char *)text, .len = len, .span = { 0, len } };

	if (!check_by_kernel(s, events, text, &refused, err))
		return 0;
	word.from = tsh_xcalloc(len + 1, sizeof(*word.from));
	for (i = 0; i <= len; i++)
		word.from[i] = (uint32_t)i;
	explain(s, events, &events->v[refused], &word, err);
	free(word.from);
	if (!strncmp(text, "where ", strlen("where ")))
		tsh_err_hint(err, "only a filter of the kernel can stand here; where is a clause of "
			     "the command: stream EVENT where EXPR");
	return -1;
}

int tsh_filters_check(struct tsh_session *s, const struct tsh_call *call, struct tsh_err *err)
{
	const struct tsh_value *value = tsh_filters_value(call);
	size_t refused = 0;

	if (!value)
		return 0;
	if (!value->word.text[strspn(value->word.text, " \t\n\"'")])
		return refuse_blank(value, err);
	if (!check_by_kernel(s, &call->events, value->word.text, &refused, err)) {
		tsh_filter_note_fault(s, &call->events, value->word.text, false);
		return 0;
	}
	explain(s, &call->events, &call->events.v[refused], &value->word, err);
	return -1;
}
