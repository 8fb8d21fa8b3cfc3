/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "where.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/suggest.h"
#include "events/decode/value-names.h"
#include "events/source/stream.h"
#include "session/event-format.h"
#include "session/filter-fault.h"
#include "session/util.h"

/* Limits the fields that a hint lists. */
#define FIELDS_MAX 40
/* Is above all error numbers of the kernel. */
#define ERRORS 4096

static const struct tsh_value *clause_of(const struct tsh_call *call)
{
	size_t i;

	for (i = 0; i < call->args.n; i++)
		if (call->args.v[i].arg->type == TSH_ARG_EXPRESSION &&
		    call->args.v[i].arg->clause && !strcmp(call->args.v[i].arg->clause, "where"))
			return &call->args.v[i];
	return NULL;
}

int tsh_where_blame(const struct tsh_value *clause, size_t offset, struct tsh_err *err)
{
	err->span = tsh_word_span(&clause->word, offset + err->span.begin, offset + err->span.end);
	/* an empty span is the end of the text, where something is missing */
	err->span.end += err->span.begin == err->span.end;
	return -1;
}

/* ---- names ---- */

/* Says whether a field of the events is a string, or the task's name. */
static bool is_string(const struct tsh_session *s, const struct tsh_events *events, const char *name)
{
	bool is = !strcmp(name, "comm") || !strcmp(name, "COMM");
	size_t i;

	for (i = 0; !is && s->dir && i < events->n; i++) {
		struct tsh_event_format *format = tsh_event_format_read(s->in, &events->v[i]);
		const struct tsh_field *field = format ? tsh_event_format_field(format, name) : NULL;

		is = field && tsh_field_filter_kind(field) == TSH_FILTER_STRING;
		tsh_event_format_free(format);
	}
	return is;
}

/* Adds a hint at quotes. The user's shell may have removed the quotes around a string; then
 * words like trc02.sh, my-prog, kworker/0:1 and 3proxy cause an error somewhere inside of them. */
void tsh_where_hint_quotes(const struct tsh_session *s, const struct tsh_events *events, const char *text,
			   struct tsh_err *err)
{
	static const char blanks[] = " \t\n", before[] = " \t\n=~!<>({,&|";
	size_t begin = err->span.begin, end, op, at;
	char *name;

	if (begin > strlen(text) || strpbrk(text, "\"'"))
		return;
	while (begin && !strchr(before, text[begin - 1]))
		begin--;
	end = begin + strcspn(text + begin, " \t\n&|)},");
	for (op = begin; op && strchr(blanks, text[op - 1]); op--)
		;
	for (at = op; at && strchr("=~!", text[at - 1]); at--)
		;
	op = at;
	for (; at && strchr(blanks, text[at - 1]); at--)
		;
	name = tsh_xstrndup(text, at);
	for (; at && (isalnum((unsigned char)text[at - 1]) || text[at - 1] == '_'); at--)
		;
	if (end > begin && strchr("=~!", text[op]) && is_string(s, events, name + at))
		tsh_err_hint(err, "strings need quotes: %s %.*s \"%.*s\"", name + at,
			     (int)strspn(text + op, "=~!"), text + op, (int)(end - begin), text + begin);
	free(name);
}

/* Holds the state of the check of an expression before the command begins. */
struct checking {
	struct tsh_session *session;
	const struct tsh_query *query;
	const struct tsh_value *clause;
	size_t offset;			/* offset of the expression in the clause */
	struct tsh_live_provider *provider;
	struct tsh_decoder *decoder;	/* has the names of functions */
	struct tsh_strlist words;	/* names that mean nothing in any of the events */
	size_t asked;			/* events for which it can be evaluated */
};

static void intersect(struct tsh_strlist *words, const struct tsh_strlist *others)
{
	struct tsh_strlist common = { 0 };
	size_t i;

	for (i = 0; i < words->n; i++)
		if (tsh_strlist_has(others, words->v[i]))
			tsh_strlist_add(&common, words->v[i]);
	tsh_strlist_release(words);
	*words = common;
}

/* Checks the expression for one event. Returns false with err when it cannot be evaluated for
 * it. */
static bool check_event(struct checking *c, const struct tsh_event_format *format,
			struct tsh_err *err)
{
	struct tsh_strlist words = { 0 };
	bool can = !tsh_query_check(c->query, c->decoder, format, sizeof(long), &words, err);

	if (can && !c->asked++)
		c->words = words;
	else if (can)
		intersect(&c->words, &words);
	if (!can || c->asked > 1)
		tsh_strlist_release(&words);
	return can;
}

/* Adds a hint that lists the event's fields, "prev_comm char[16], prev_pid pid_t, .."; when the
 * word is compared with the field `beside` and that has names for values, lists those instead. */
static void hint_names(const struct tsh_decoder *decoder, const struct tsh_event_format *format,
		       const char *word, const struct tsh_field *beside, struct tsh_err *err)
{
	struct tsh_strbuf list = TSH_STRBUF_INIT;
	struct tsh_value_names names = { 0 };
	struct tsh_suggest nearest;
	size_t i;

	tsh_suggest_init(&nearest, word);
	if (beside)
		tsh_value_names_of(decoder, format, beside, &names);
	for (i = 0; i < names.n && i < FIELDS_MAX; i++) {
		tsh_strbuf_addf(&list, "%s%s", i ? ", " : "", names.v[i].name);
		tsh_suggest_offer(&nearest, names.v[i].name);
	}
	for (i = 0; !names.n && i < format->nfields && i < FIELDS_MAX; i++) {
		const struct tsh_field *field = &format->fields[i];

		tsh_suggest_offer(&nearest, field->name);
		if (!field->is_common)
			tsh_strbuf_addf(&list, "%s%s %s", list.len ? ", " : "", field->name,
					field->type);
	}
	tsh_err_hint(err, "%s%s%s%s%s: %s", tsh_suggest_best(&nearest) ? "did you mean '" : "",
		     tsh_suggest_best(&nearest) ? tsh_suggest_best(&nearest) : "",
		     tsh_suggest_best(&nearest) ? "'? " : "",
		     names.n ? "names of " : "fields of ", names.n ? beside->name : format->name,
		     list.len ? list.buf : "none");
	tsh_suggest_release(&nearest);
	tsh_value_names_release(&names);
	tsh_strbuf_release(&list);
}

/* Returns the name of any event's field that is most similar to the word, or NULL; the caller
 * frees it. */
static char *nearest_field(const struct tsh_session *s, const struct tsh_events *events,
			   const char *word)
{
	struct tsh_suggest nearest;
	size_t i, j;
	char *name;

	tsh_suggest_init(&nearest, word);
	for (i = 0; i < events->n; i++) {
		struct tsh_event_format *format = tsh_event_format_read(s->in, &events->v[i]);

		for (j = 0; format && j < format->nfields; j++)
			tsh_suggest_offer(&nearest, format->fields[j].name);
		tsh_event_format_free(format);
	}
	name = tsh_suggest_best(&nearest) ? tsh_xstrdup(tsh_suggest_best(&nearest)) : NULL;
	tsh_suggest_release(&nearest);
	return name;
}

/* Adds a hint at fields. With many events of which none has a field of a similar name, does not
 * list the fields of the first one, which would not help. */
static void hint_fields(const struct checking *c, const struct tsh_event_format *format, const char *word,
			const struct tsh_events *events, const struct tsh_field *beside, struct tsh_err *err)
{
	char *nearest = beside || events->n <= 2 ? NULL : nearest_field(c->session, events, word);

	if (beside || events->n <= 2 || nearest)
		hint_names(c->decoder, format, word, beside, err);
	else
		tsh_err_hint(err, "info EVENT lists the fields of one of them");
	free(nearest);
}

/* Says whether a word is written like the name of an error (ENOSUCH), and compared with a number
 * whose values have no names. */
static bool is_like_error(const struct checking *c, const struct tsh_event_format *format,
			  const struct tsh_field *beside, const char *word)
{
	struct tsh_value_names names = { 0 };
	bool has_own;

	tsh_value_names_of(c->decoder, format, beside, &names);
	has_own = names.n;
	tsh_value_names_release(&names);
	return beside->kind == TSH_FIELD_INT && !has_own && *word == 'E' && word[1] && !word[strspn(word, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789")];
}

static int refuse_error(const struct checking *c, const char *word, struct tsh_span span, struct tsh_err *err)
{
	struct tsh_suggest nearest;
	const char *best;
	unsigned int i;

	tsh_suggest_init(&nearest, word);
	for (i = 1; i < ERRORS; i++)
		if (tsh_error_name(i))
			tsh_suggest_offer(&nearest, tsh_error_name(i));
	best = tsh_suggest_best(&nearest);
	tsh_err_at(err, span, "'%s' is neither a field nor the name of an error", word);
	err->status = TSH_FAILED;
	if (best)
		tsh_err_hint(err, "did you mean '%s'? its number is %d", best, tsh_error_number(best));
	else
		tsh_err_hint(err, "what a call returns is one of these below 0, as -ENOENT, or its number");
	tsh_suggest_release(&nearest);
	return tsh_where_blame(c->clause, c->offset, err);
}

/* Sets the error for a name that means nothing in any of the events. Returns -1. */
static int refuse_word(const struct checking *c, const struct tsh_event_format *format,
		       const struct tsh_events *events, struct tsh_err *err)
{
	const char *word = c->words.v[0], *beside;
	const struct tsh_field *field;
	struct tsh_span span = { 0 };

	tsh_query_name_at(c->query, word, &span, &beside);
	field = beside ? tsh_event_format_field(format, beside) : NULL;
	if (field && is_like_error(c, format, field, word))
		return refuse_error(c, word, span, err);
	if (field && field->size == sizeof(long) && field->kind == TSH_FIELD_POINTER)
		tsh_err_at(err, span, "'%s' is neither a field nor a function of this kernel", word);
	else if (field)
		tsh_err_at(err, span, "'%s' is neither a field nor a name of a value of '%s'", word,
			   beside);
	else
		tsh_err_at(err, span, "'%s' is no field%s", word,
			   c->asked > 1 ? " of any of the events" : "");
	err->status = TSH_FAILED;
	hint_fields(c, format, word, events, field, err);
	tsh_where_hint_quotes(c->session, events, c->clause->word.text + c->offset, err);
	return tsh_where_blame(c->clause, c->offset, err);
}

/* Returns the format of the event for the hint: one that has the field that may be meant, or the
 * first with a format. The caller frees it. */
static struct tsh_event_format *format_of_hint(const struct checking *c,
					       const struct tsh_events *events)
{
	struct tsh_event_format *first = NULL, *format;
	struct tsh_span ignored = { 0 };
	const char *beside;
	char *wanted;
	size_t i;

	tsh_query_name_at(c->query, c->words.v[0], &ignored, &beside);
	wanted = beside ? tsh_xstrdup(beside) : nearest_field(c->session, events, c->words.v[0]);
	for (i = 0; i < events->n; i++) {
		format = tsh_event_format_read(c->session->in, &events->v[i]);
		if (format && wanted && tsh_event_format_field(format, wanted)) {
			tsh_event_format_free(first);
			first = format;
			break;
		}
		if (!first)
			first = format;
		else
			tsh_event_format_free(format);
		if (first && !wanted)
			break;
	}
	free(wanted);
	return first;
}

static int check_events(struct checking *c, const struct tsh_events *events, struct tsh_err *err)
{
	struct tsh_event_format *format;
	struct tsh_err first = { 0 };
	int r = 0;
	size_t i;

	for (i = 0; i < events->n && (!c->asked || c->words.n); i++) {
		struct tsh_err why = { 0 };

		format = tsh_event_format_read(c->session->in, &events->v[i]);
		if (format && !check_event(c, format, &why) && !tsh_err_is_set(&first)) {
			first = why;
			why = (struct tsh_err){ 0 };
		}
		tsh_err_release(&why);
		tsh_event_format_free(format);
	}
	/* Prefer the error of an event that has the name but cannot be evaluated: it helps more
	 * than "is no field" of the other events. */
	if (tsh_err_is_set(&first) && (!c->asked || c->words.n)) {
		*err = first;
		tsh_where_hint_quotes(c->session, events, c->clause->word.text + c->offset, err);
		return tsh_where_blame(c->clause, c->offset, err);
	}
	tsh_err_release(&first);
	if (c->words.n && (format = format_of_hint(c, events))) {
		r = refuse_word(c, format, events, err);
		tsh_event_format_free(format);
	}
	return r;
}

void tsh_where_find_events(struct tsh_session *s, struct tsh_events *ret)
{
	struct tsh_err ignored = { 0 };

	if ((s->dir->kind == TSH_DIR_TREE ? tsh_events_available(s->dir, ret, &ignored) :
					    tsh_events_enabled(s->in, ret, &ignored)) < 0)
		tsh_err_release(&ignored);
}

/* Finds all events that can be in a buffer, also those of tracers and markers. */
static void all_events(struct tsh_session *s, struct tsh_events *ret)
{
	static const char system[] = "ftrace";
	struct tsh_strlist names = { 0 };
	struct tsh_err ignored = { 0 };
	size_t i;

	if (tsh_events_available(s->dir, ret, &ignored) < 0)
		tsh_err_release(&ignored);
	tsh_file_list(s->in, "events/ftrace", &names);
	for (i = 0; i < names.n; i++)
		tsh_events_add(ret, system, names.v[i]);
	tsh_strlist_release(&names);
}

/* Holds all events, and the error for a name that none of them has. */
struct naming {
	struct tsh_session *session;
	struct tsh_events all;
	struct tsh_err *err;
};

static bool is_known(void *ctx, const struct tsh_query_event_name *name)
{
	struct naming *n = ctx;
	struct tsh_suggest nearest;
	bool known = false;
	size_t i;

	if (!n->all.n)
		all_events(n->session, &n->all);
	tsh_suggest_init(&nearest, name->text);
	for (i = 0; i < n->all.n && !known; i++) {
		const char *its = name->is_system ? n->all.v[i].system : n->all.v[i].name;

		known = !strcmp(its, name->text);
		tsh_suggest_offer(&nearest, its);
	}
	if (!known && n->all.n) {
		tsh_err_at(n->err, name->span, "no %s here has the name '%s'",
			   name->is_system ? "system" : "event", name->text);
		n->err->status = TSH_FAILED;
		if (tsh_suggest_best(&nearest))
			tsh_err_hint(n->err, "did you mean '%s'?", tsh_suggest_best(&nearest));
		else
			tsh_err_hint(n->err, "events lists them; several: event ~ \"*WORD*\"");
	}
	tsh_suggest_release(&nearest);
	return known || !n->all.n;
}

static int check_event_names(struct checking *c, struct tsh_err *err)
{
	struct naming n = { .session = c->session, .err = err };
	bool known = tsh_query_each_event_name(c->query, is_known, &n);

	tsh_events_release(&n.all);
	return known ? 0 : tsh_where_blame(c->clause, c->offset, err);
}

/* Refuses delta together with --cpu: the previous event of the task may be on a CPU that is not
 * read. Accepts it in the table of `fields`, where delta counts from the row before. */
static int check_cpus(const struct tsh_call *call, const struct tsh_query *query, const struct tsh_value *clause,
		      struct tsh_err *err)
{
	const struct tsh_value *cpus = tsh_args_get(&call->args, "LIST");

	if (!cpus || !tsh_query_needs_all(query) ||
	    (clause->arg && clause->arg->clause && !strcmp(clause->arg->clause, "fields")))
		return 0;
	tsh_err_at(err, cpus->word.span, "delta is from the task's last event, which may be on a CPU "
					 "that --cpu excludes");
	tsh_err_hint(err, "without --cpu: where 'cpu in {%s} && ..'", cpus->word.text);
	return -1;
}

/* Learns the string fields of all events, so that comm == bash compares with a name, and
 * prev_comm != comm compares two fields, even in an event that lacks one of them. */
static void note_fields(struct tsh_session *s, const struct tsh_call *call, struct tsh_query *query)
{
	struct tsh_events all = { 0 };
	const struct tsh_events *events = call->events.n ? &call->events : &all;
	size_t i;

	if (!tsh_query_names_tasks(query))
		return;
	if (!call->events.n)
		all_events(s, &all);
	for (i = 0; i < events->n; i++) {
		struct tsh_event_format *format = tsh_event_format_read(s->in, &events->v[i]);

		if (format)
			tsh_query_note_fields(query, format);
		tsh_event_format_free(format);
	}
	tsh_events_release(&all);
}

int tsh_where_check(struct tsh_session *s, const struct tsh_call *call,
		    struct tsh_query *query, const struct tsh_value *clause, size_t offset,
		    struct tsh_err *err)
{
	struct checking c = { .session = s, .query = query, .clause = clause, .offset = offset };
	struct tsh_events events = { 0 };
	int r;

	if (check_cpus(call, query, clause, err) < 0)
		return -1;
	note_fields(s, call, query);
	if (!call->events.n && tsh_call_is_live(call))
		return 0;		/* run chooses its events later */
	if (!call->events.n)
		tsh_where_find_events(s, &events);
	c.provider = tsh_live_provider_new(s->in);
	c.decoder = tsh_names_decoder(c.provider);
	r = check_events(&c, call->events.n ? &call->events : &events, err);
	/* The buffer may have events that are not enabled now, but only events of this kernel.
	 * Names that are unknown in a record are reported with the first such record. */
	if (!call->events.n && (r < 0 || !events.n)) {
		tsh_err_release(err);
		tsh_events_release(&events);
		tsh_strlist_release(&c.words);
		all_events(s, &events);
		c.asked = 0;
		r = check_events(&c, &events, err);
	}
	if (!r)
		r = check_event_names(&c, err);
	tsh_strlist_release(&c.words);
	tsh_events_release(&events);
	tsh_decoder_free(c.decoder);
	tsh_live_provider_free(c.provider);
	return r;
}

static void free_where(void *state)
{
	struct tsh_where *where = state;

	tsh_query_free(where->query);
	tsh_decoder_free(where->decoder);
	tsh_live_provider_free(where->provider);
	free(where);
}

int tsh_where_resolve(struct tsh_session *s, struct tsh_call *call, struct tsh_err *err)
{
	const struct tsh_value *clause = clause_of(call);
	struct tsh_where *where;

	if (!clause)
		return 0;
	where = tsh_xcalloc(1, sizeof(*where));
	tsh_call_add_state(call, where, free_where);
	where->clause = clause;
	where->query = tsh_query_new(clause->word.text, clause->word.len, err);
	if (!where->query) {
		tsh_where_hint_quotes(s, &call->events, clause->word.text, err);
		return tsh_where_blame(clause, 0, err);
	}
	if (!s->dir)
		return 0;
	where->provider = tsh_live_provider_new(s->in);
	where->decoder = tsh_names_decoder(where->provider);
	if (tsh_where_check(s, call, where->query, clause, 0, err) < 0)
		return -1;
	tsh_filter_note_fault(s, &call->events, clause->word.text, true);
	return 0;
}

const struct tsh_where *tsh_where_of(const struct tsh_call *call)
{
	return tsh_call_state(call, free_where);
}

struct tsh_query *tsh_where_query(const struct tsh_call *call)
{
	const struct tsh_where *where = tsh_where_of(call);

	return where ? where->query : NULL;
}
