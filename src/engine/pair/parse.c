/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pair.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/machine.h"
#include "engine/pipeline/fields.h"
#include "engine/pipeline/filters-gaps.h"
#include "engine/pipeline/where.h"
#include "engine/probe/call.h"
#include "session/event-format.h"
#include "session/filters.h"

/* Parses the keys, filter and options of latency and synth. */

#define WORST_MAX 10000

static const struct tsh_value *begin_word(const struct tsh_call *call)
{
	return tsh_args_get(&call->args, "START");
}

/* ---- keys ---- */

/* Returns the call as if it were of one of the two events. */
static struct tsh_call call_of(const struct tsh_call *call, enum latency_role role)
{
	struct tsh_call one = *call;

	one.events = (struct tsh_events){ .v = &call->events.v[role], .n = 1 };
	return one;
}

/* Returns where the '=' of "A=B" stands, which is none of ==, !=, <=, >=, =~; `end`: nowhere. */
static size_t equals_at(const char *text, size_t begin, size_t end)
{
	size_t i;
	int depth = 0;

	for (i = begin; i < end; i++) {
		depth += (text[i] == '(') - (text[i] == ')');
		if (text[i] != '=' || depth)
			continue;
		if (text[i + 1] == '=' || text[i + 1] == '~')
			i++;
		else if (i == begin || !strchr("!<>", text[i - 1]))
			return i;
	}
	return end;
}

static enum tsh_query_value_kind kind_in(struct tsh_session *s, const struct tsh_event *event,
					 const struct tsh_query *query)
{
	struct tsh_live_provider *provider = tsh_live_provider_new(s->in);
	struct tsh_decoder *decoder = tsh_names_decoder(provider);
	struct tsh_event_format *format = tsh_event_format_read(s->in, event);
	enum tsh_query_value_kind kind = TSH_QUERY_VALUE_UNKNOWN;

	if (format)
		kind = tsh_query_kind_of(query, decoder, format, sizeof(long));
	tsh_event_format_free(format);
	tsh_decoder_free(decoder);
	tsh_live_provider_free(provider);
	return kind;
}

/* Refuses to compare a string with a number. */
static int check_kinds(struct tsh_session *s, const struct tsh_call *call,
		       const struct tsh_value *clause, size_t at, size_t end, struct tsh_err *err)
{
	const struct by_latency *l = latency_of(call);
	bool is_text[LATENCY_ROLES];
	unsigned int role;

	for (role = 0; role < LATENCY_ROLES; role++) {
		enum tsh_query_value_kind kind =
			kind_in(s, &call->events.v[role], l->spec.keys[role][l->spec.nkeys].value);

		if (kind == TSH_QUERY_VALUE_UNKNOWN)
			return 0;
		is_text[role] = kind == TSH_QUERY_VALUE_TEXT;
	}
	if (is_text[LATENCY_BEGIN] == is_text[LATENCY_END])
		return 0;
	tsh_err_at(err, tsh_word_span(&clause->word, at, end),
		   "of %s this is a %s, of %s a %s: "
		   "they are never equal",
		   call->events.v[0].name, is_text[LATENCY_BEGIN] ? "string" : "number",
		   call->events.v[1].name, is_text[LATENCY_END] ? "string" : "number");
	err->status = TSH_FAILED;
	tsh_err_hint(err, "info EVENT lists the fields with their types");
	return -1;
}

static int refuse_form(const struct tsh_value *clause, size_t at, size_t end, struct tsh_err *err)
{
	tsh_err_at(err, tsh_word_span(&clause->word, at, end),
		   "what is equal stands on both sides of '=', without blanks");
	tsh_err_hint(err, "on pid=next_pid: the field pid of START, next_pid of END");
	return -1;
}

static int read_on(struct tsh_session *s, const struct tsh_call *call,
		   const struct tsh_value *clause, size_t at, size_t end, struct tsh_err *err)
{
	struct by_latency *l = latency_of(call);
	const char *text = clause->word.text;
	size_t equals = equals_at(text, at, end);
	size_t from[LATENCY_ROLES] = { at, equals < end ? equals + 1 : at };
	size_t to[LATENCY_ROLES] = { equals, end };
	unsigned int role;

	if (l->spec.nkeys == TSH_TALLY_PARTS_MAX) {
		tsh_err_at(err, tsh_word_span(&clause->word, at, end),
			   "a fourth key: there can be three");
		return -1;
	}
	for (role = 0; role < LATENCY_ROLES; role++) {
		struct tsh_call one = call_of(call, role);
		struct by_item *item = &l->spec.keys[role][l->spec.nkeys];

		if (from[role] == to[role])
			return refuse_form(clause, at, end, err);
		item->title = tsh_xstrndup(text + from[role], to[role] - from[role]);
		item->is_compared = true;
		if (count_parse_item(s, &one, clause, from[role], to[role], NULL, item, err) < 0)
			return -1;
	}
	if (check_kinds(s, call, clause, at, end, err) < 0)
		return -1;
	l->spec.same_cpu |= !strcmp(l->spec.keys[LATENCY_BEGIN][l->spec.nkeys].title, "cpu") &&
			    !strcmp(l->spec.keys[LATENCY_END][l->spec.nkeys].title, "cpu");
	pair_spec_key_done(&l->spec);
	return 0;
}

/* Returns a clause that was not typed; errors in it blame the word START. */
static struct tsh_value usual_clause(const struct tsh_call *call, const char *text)
{
	return (struct tsh_value){ .word = { .text = (char *)text,
					     .len = strlen(text),
					     .span = begin_word(call)->word.span } };
}

/* Warns if a key names a field in one event, and a common property in the other. For example, pid
 * in sched_waking is the task that is woken, and in the other event the task that runs. */
static void note_two_things(struct tsh_session *s, const struct tsh_call *call, const struct by_item *on)
{
	static const char *const names[] = { "pid", "tgid", "comm", "COMM", "cpu", "CPU" };
	const struct latency_known *known = latency_known_of(&call->events);
	const char *has = NULL, *lacks = NULL;
	unsigned int role;
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(names[0]) && strcmp(names[i], on->title) != 0; i++)
		;
	for (role = 0; role < LATENCY_ROLES && i < sizeof(names) / sizeof(names[0]); role++) {
		struct tsh_event_format *format = tsh_event_format_read(s->in, &call->events.v[role]);
		bool is_field = format && tsh_event_format_field(format, on->title);

		if (format)
			*(is_field ? &has : &lacks) = call->events.v[role].name;
		tsh_event_format_free(format);
	}
	if (has && lacks)
		tsh_out_warn(s->out, "on %s: of %s that is a field, of %s, which has none of that name, %s: two different "
			     "things (%s%s)", on->title, has, lacks,
			     strcasecmp(on->title, "cpu") ? "the running task's" : "where it ran",
			     known ? "usual is on " : "info EVENT lists the fields", known ? known->on : "");
}

static int read_all_on(struct tsh_session *s, const struct tsh_call *call, struct tsh_err *err)
{
	const struct latency_known *known = latency_known_of(&call->events);
	const struct tsh_value usual = usual_clause(call, known ? known->on : LATENCY_USUAL_ON);
	const struct tsh_value *clause = tsh_args_get(&call->args, "KEY");
	struct by_latency *l = latency_of(call);
	size_t at = 0, end = 0;
	int r;

	if (!clause)
		clause = &usual;
	while ((r = tsh_field_list_next(clause, "key", &at, &end, err)) > 0) {
		if (read_on(s, call, clause, at, end, err) < 0)
			return -1;
		if (clause != &usual && !s->check && !strcmp(l->spec.keys[LATENCY_BEGIN][l->spec.nkeys - 1].title,
							     l->spec.keys[LATENCY_END][l->spec.nkeys - 1].title))
			note_two_things(s, call, &l->spec.keys[LATENCY_BEGIN][l->spec.nkeys - 1]);
	}
	if (r < 0 || l->spec.nkeys)
		return r;
	return tsh_err_at(err, clause->word.span, "no key is named");
}

/* Parses an expression of latency_known for one of the two events. Leaves *ret empty if the event
 * lacks its fields. */
static void read_item(struct tsh_session *s, const struct tsh_call *call, enum latency_role role, const char *text,
		      struct by_item *ret)
{
	struct tsh_call one = call_of(call, role);
	struct tsh_value clause = usual_clause(call, text);
	struct tsh_err ignored = { 0 };

	ret->is_compared = true;
	if (count_parse_item(s, &one, &clause, 0, clause.word.len, NULL, ret, &ignored) < 0) {
		by_free_item(ret);
		*ret = (struct by_item){ 0 };
	}
	tsh_err_release(&ignored);
}

/* Reads the entry of latency_known for the two events, if their `on` is that of the entry. */
static void read_known(struct tsh_session *s, const struct tsh_call *call)
{
	const struct latency_known *known = latency_known_of(&call->events);
	struct by_latency *l = latency_of(call);
	char *on;

	if (!known || l->spec.nkeys != 1)
		return;
	on = tsh_xasprintf("%s=%s", l->spec.keys[LATENCY_BEGIN][0].title, l->spec.keys[LATENCY_END][0].title);
	if (!strcmp(on, known->on)) {
		l->spec.no_zero = known->no_zero;
		if (known->drops)
			read_item(s, call, LATENCY_END, known->drops, &l->spec.drops);
		if (known->ends)
			read_item(s, call, LATENCY_BEGIN, known->ends, &l->spec.ends);
	}
	free(on);
}

/* Parses next_pid of sched_switch, by which missing switches are counted. Does not if the call
 * itself leaves switches out. */
static void read_switch(struct tsh_session *s, const struct tsh_call *call)
{
	struct by_latency *l = latency_of(call);
	unsigned int role;

	if (tsh_filters_value(call) || tsh_where_of(call) || tsh_args_has(&call->args, "in-kernel"))
		return;
	/* an event that is both START and END has the role END */
	for (role = LATENCY_ROLES; role-- > 0 && !l->next_pid.value;)
		if (!strcmp(call->events.v[role].name, "sched_switch") && !strcmp(call->events.v[role].system, "sched")) {
			read_item(s, call, role, "next_pid", &l->next_pid);
			l->switches = role;
		}
}

/* Says whether an event has all names in a key. */
static bool has_names(struct tsh_session *s, const struct tsh_event *event,
		      const struct tsh_query *query)
{
	struct tsh_live_provider *provider = tsh_live_provider_new(s->in);
	struct tsh_decoder *decoder = tsh_names_decoder(provider);
	struct tsh_event_format *format = tsh_event_format_read(s->in, event);
	struct tsh_strlist words = { 0 };
	struct tsh_err why = { 0 };
	bool has = format && !tsh_query_check(query, decoder, format, sizeof(long), &words, &why) &&
		   !words.n;

	tsh_strlist_release(&words);
	tsh_err_release(&why);
	tsh_event_format_free(format);
	tsh_decoder_free(decoder);
	tsh_live_provider_free(provider);
	return has;
}

/* Parses the keys of `by`: of START, if it has them, else of END. */
static int read_by(struct tsh_session *s, struct tsh_call *call, struct tsh_err *err)
{
	const struct latency_known *known = latency_known_of(&call->events);
	/* when the user names two events, they have one histogram; synth has only the fields that
	 * the user names */
	bool is_usual = known && !latency_of(call)->are_events && !tsh_args_has(&call->args, "END");
	const char *text = is_usual ? known->by : NULL;
	const struct tsh_value usual = usual_clause(call, text ? text : "");
	const struct tsh_value *clause = tsh_args_get(&call->args, "KEYS");
	struct tsh_by *by = tsh_by_of(call);
	size_t i;

	if (!clause && !text)
		return 0;
	if (!clause)
		clause = &usual;
	if (count_parse_keys(s, call, clause, &by->spec, err) < 0)
		return -1;
	for (i = 0; i < by->spec.nkeys; i++) {
		const struct tsh_query *query = by->spec.keys[i].value;

		if (has_names(s, &call->events.v[LATENCY_BEGIN], query)) {
			by->latency->from[i] = LATENCY_BEGIN;
		} else if (has_names(s, &call->events.v[LATENCY_END], query)) {
			by->latency->from[i] = LATENCY_END;
		} else {
			tsh_err_at(err, clause->word.span, "'%s' needs fields of both events",
				   by->spec.keys[i].title);
			tsh_err_hint(err,
				     "a key is of START or of END; there can be three: by A,B");
			return -1;
		}
	}
	return 0;
}

/* ---- the filter ---- */

/*
 * Says whether a filter has the same answer for all events of a task: it asks for the task's name
 * or number only.
 */
static bool is_of_task(struct tsh_session *s, const struct tsh_call *call, const char *text)
{
	static const char *const names[] = { "common_pid", "COMM", "comm", "id" };
	const size_t common = 2;
	bool is_known[] = { true, true, true, !strcmp(call->events.v[0].system, "raw_syscalls") }, is = true;
	unsigned int role;
	size_t i, len;

	for (role = 0; role < LATENCY_ROLES; role++) {
		struct tsh_event_format *format = tsh_event_format_read(s->in, &call->events.v[role]);

		/* the event may have a field comm, which is another task's */
		is_known[common] &= format && !tsh_event_format_field(format, names[common]);
		tsh_event_format_free(format);
	}
	for (; *text && is; text += len + !len) {
		const char *end = strchr("\"'", *text) ? strchr(text + 1, *text) : NULL;

		if (end) {
			text = end;
			len = 1;
			continue;
		}
		for (len = 0; isalnum((unsigned char)text[len]) || text[len] == '_'; len++)
			;
		is = !len || isdigit((unsigned char)*text);
		for (i = 0; !is && i < sizeof(names) / sizeof(names[0]); i++)
			is = is_known[i] && strlen(names[i]) == len && !memcmp(names[i], text, len);
	}
	return is;
}

/*
 * Lets tracesh evaluate the filter, if the kernel's filter would make false pairs: it would leave
 * out an event that ends a pair or replaces a START, and the next END would end that pair. If both
 * events are of one task, each START has its END, and the kernel can filter.
 */
static int filter_here(const struct tsh_call *call, enum latency_role role, struct tsh_err *err)
{
	const struct tsh_value *filter = tsh_filters_value(call);
	struct by_latency *l = latency_of(call);

	if (!filter || l->are_events || tsh_args_has(&call->args, "in-kernel") ||
	    (latency_is_of_task(l) && !l->spec.is_one))
		return 0;
	l->queries[role] = tsh_query_new(filter->word.text, filter->word.len, err);
	if (!l->queries[role])
		return tsh_where_blame(filter, 0, err);
	l->lacks_filter[LATENCY_BEGIN] = l->lacks_filter[LATENCY_END] = true;
	return 0;
}

bool latency_may_be_filtered(struct tsh_session *s, const struct tsh_call *call, const char *begin, const char *end)
{
	const struct by_latency *l = latency_of(call);

	if (!begin && !end)
		return true;
	if (!latency_is_of_task(l) || l->spec.is_one)
		return false;
	return !begin || !end || (!strcmp(begin, end) && is_of_task(s, call, begin));
}

bool latency_asks_for_names(const struct tsh_by *by)
{
	const struct by_latency *l = by->latency;
	unsigned int role;
	bool needs = false;

	for (role = 0; role < LATENCY_ROLES; role++)
		needs |= l->queries[role] && tsh_query_needs_names(l->queries[role]);
	return needs;
}

/*
 * Checks the filter: it is for START, if that has its fields, else for END. In the other event the
 * same names mean other things: `comm` of a sched_switch is the task that ran before.
 */
static int check_filter(struct tsh_session *s, const struct tsh_call *call, struct tsh_err *err)
{
	const struct tsh_value *filter = tsh_filters_value(call);
	struct by_latency *l = latency_of(call);
	struct tsh_call begin = call_of(call, LATENCY_BEGIN), end = call_of(call, LATENCY_END);
	struct tsh_err why = { 0 };

	l->is_filtered = filter;
	if (!tsh_filters_check(s, &begin, err)) {
		l->lacks_filter[LATENCY_END] = l->spec.is_one || !filter || !latency_is_of_task(l) ||
					       !is_of_task(s, call, filter->word.text);
		return filter_here(call, LATENCY_BEGIN, err);
	}
	if (l->spec.is_one)
		return -1;
	if (tsh_filters_check(s, &end, &why) < 0) {
		tsh_err_release(&why);
		return -1;
	}
	tsh_err_release(err);
	*err = (struct tsh_err){ 0 };
	l->lacks_filter[LATENCY_BEGIN] = true;
	return filter_here(call, LATENCY_END, err);
}

/* ---- of some tasks or CPUs ---- */

int latency_check_tasks(const struct tsh_call *call, struct tsh_span span, struct tsh_err *err)
{
	const struct by_latency *l = latency_of(call);

	const struct latency_known *known = latency_known_of(&call->events);

	/* the events of irq and softirq interrupt the same task */
	if (l->spec.has_task || (l->spec.same_cpu && known && strstr(known->on, "cpu")))
		return 0;
	tsh_err_at(err, span, "%s need not be of the same task as its %s: of some tasks halves of pairs would be missing",
		   call->events.v[LATENCY_END].name, call->events.v[LATENCY_BEGIN].name);
	tsh_err_hint(err, "of all tasks: by comm has a row for the task of each %s", call->events.v[LATENCY_BEGIN].name);
	return -1;
}

int latency_check_cpus(const struct tsh_call *call, struct tsh_span span, struct tsh_err *err)
{
	if (latency_of(call)->spec.same_cpu)
		return 0;
	tsh_err_at(err, span, "a pair may begin on one CPU and end on another: of some CPUs halves would be missing");
	tsh_err_hint(err, "of all CPUs: by cpu has a row for the CPU of each %s", call->events.v[LATENCY_BEGIN].name);
	return -1;
}

static int check_narrow(const struct tsh_call *call, struct tsh_err *err)
{
	const struct tsh_value *cpus = tsh_args_get(&call->args, "LIST");
	const struct tsh_value *tasks = tsh_args_get(&call->args, "TASK");

	if (cpus && latency_check_cpus(call, cpus->word.span, err) < 0)
		return -1;
	return tasks ? latency_check_tasks(call, tasks->word.span, err) : 0;
}

/* ---- options ---- */

/* Parses a time, and refuses one without a unit: it would be in seconds. */
static int read_time(const struct tsh_call *call, const char *name, bool *ret_has, uint64_t *ret,
		     struct tsh_err *err)
{
	const struct tsh_value *value = tsh_args_get(&call->args, name);
	const char *text;

	*ret_has = value;
	if (!value)
		return 0;
	*ret = value->number;
	text = value->word.text;
	if (text[strspn(text, "0123456789.")])
		return 0;
	tsh_err_at(err, value->word.span, "'%s' has no unit", text);
	tsh_err_hint(err, "%sms, %sus or %ss", text, text, text);
	return -1;
}

static int read_options(struct tsh_session *s, const struct tsh_call *call, struct tsh_err *err)
{
	const struct tsh_value *worst = tsh_args_get(&call->args, "WORST");
	struct by_latency *l = latency_of(call);

	l->style = s->settings.time;
	l->in_ns = s->settings.precision_ns;
	l->worst_max = worst ? worst->number : 0;
	if (worst && (!worst->number || worst->number > WORST_MAX))
		return tsh_err_at(err, worst->word.span, "'%s' is not between 1 and %d pairs",
				  worst->word.text, WORST_MAX);
	if (read_time(call, "SLOW", &l->has_slower, &l->slower, err) < 0)
		return -1;
	return read_time(call, "LIMIT", &l->has_stop, &l->stop_at, err);
}

static int resolve(struct tsh_session *s, struct tsh_call *call, bool are_events, struct tsh_err *err)
{
	struct by_latency *l = tsh_xcalloc(1, sizeof(*l));
	struct count_spec *rows = by_add_to_call(call, &latency_engine);

	tsh_by_of(call)->latency = l;
	rows->are_pairs = true;
	l->are_events = are_events;
	call->drains = (s->dir && s->dir->kind == TSH_DIR_TREE) || tsh_args_has(&call->args, "drain");
	if (count_parse_options(call, rows, err) < 0 || count_check_new_events(s, call, err) < 0 ||
	    count_parse_heat(call, rows, err) < 0)
		return -1;
	l->spec.events = call->events.v;
	if (read_options(s, call, err) < 0)
		return -1;
	if (!s->dir)
		return 0;
	l->spec.is_one = latency_is_same_event(call->events.v);
	l->spec.nests = tsh_call_is_function_pair(call);
	if (read_all_on(s, call, err) < 0 || check_filter(s, call, err) < 0)
		return -1;
	read_known(s, call);
	read_switch(s, call);
	call->includes_tracesh = !l->spec.has_task;
	return read_by(s, call, err) < 0 || check_narrow(call, err) < 0 ? -1 : 0;
}

int latency_resolve(struct tsh_session *s, struct tsh_call *call, struct tsh_err *err)
{
	return resolve(s, call, false, err);
}

int synth_resolve(struct tsh_session *s, struct tsh_call *call, struct tsh_err *err)
{
	return resolve(s, call, true, err);
}

void latency_free(struct tsh_by *by)
{
	struct by_latency *l = by->latency;
	unsigned int role;

	pair_spec_release(&l->spec);
	for (role = 0; role < LATENCY_ROLES; role++) {
		tsh_query_free(l->queries[role]);
		tsh_event_format_free(l->formats[role]);
	}
	by_free_item(&l->next_pid);
	by_free_item(&l->lat);
	if (l->made) {
		free(l->made->system);
		free(l->made->name);
	}
	free(l->made);
	free(l);
}

bool latency_lacks_filter(const struct tsh_by *by, const struct tsh_event *event)
{
	const struct by_latency *l = by->latency;
	unsigned int role;

	/* the kernel makes this event of events that have passed the filter */
	if (l->made && !strcmp(l->made->name, event->name) &&
	    !strcmp(l->made->system, event->system))
		return true;
	for (role = 0; role < LATENCY_ROLES; role++)
		if (l->lacks_filter[role] && !strcmp(l->spec.events[role].name, event->name) &&
		    !strcmp(l->spec.events[role].system, event->system))
			return true;
	return false;
}

void latency_note_gaps(struct tsh_session *s, const struct tsh_call *call)
{
	char *filters[LATENCY_ROLES];
	unsigned int role, bad = LATENCY_BEGIN;

	for (role = 0; role < LATENCY_ROLES; role++)
		filters[role] = tsh_filters_read(s, call, &call->events.v[role]);
	if (!filters[bad])
		bad = LATENCY_END;
	if (!latency_may_be_filtered(s, call, filters[LATENCY_BEGIN], filters[LATENCY_END]))
		tsh_filters_warn_gap(s, &call->events.v[bad], filters[bad], "a pair may seem longer than it was");
	for (role = 0; role < LATENCY_ROLES; role++)
		free(filters[role]);
}
