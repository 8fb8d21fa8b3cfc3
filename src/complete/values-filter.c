/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "values.h"

#include <stdlib.h>
#include <string.h>

#include "engine/pair/pair.h"
#include "events/decode/value-names.h"
#include "session/commands.h"
#include "session/event-format.h"

/* Completes filters, the where of commands, and lists of fields. */

/* Limits the events whose formats are read: nobody types a filter for more. */
#define EVENTS_MAX 64

/* Holds the formats of the events that the filter is for. */
struct formats {
	struct tsh_event_format *v[EVENTS_MAX];
	size_t n;
	bool is_pair;			/* a pair of latency */
};

/* Finds the events for a command without EVENT: all enabled events, or all events of a
 * recording. */
static void read_present(const struct tsh_cursor *at, const struct tsh_events *all,
			 struct tsh_events *ret)
{
	struct tsh_err ignored = { 0 };
	size_t i;

	if (at->s->dir->kind != TSH_DIR_TREE) {
		if (tsh_events_enabled(at->s->in, ret, &ignored) < 0)
			tsh_err_release(&ignored);
		return;
	}
	for (i = 0; i < all->n; i++)
		tsh_events_add(ret, all->v[i].system, all->v[i].name);
}

static void read_formats(const struct tsh_cursor *at, struct formats *ret)
{
	struct tsh_events all = { 0 }, events = { 0 };
	struct tsh_err err = { 0 };
	size_t i;

	ret->n = 0;
	ret->is_pair = tsh_cmd_completes(at->cmd, TSH_COMPLETES_PAIRS);
	if (!at->s->in || tsh_events_available(at->s->dir, &all, &err) < 0) {
		tsh_err_release(&err);
		return;
	}
	if (ret->is_pair)
		latency_events_of(&all, at->events, &events);
	for (i = 0; i < at->events->n && !ret->is_pair; i++) {
		tsh_events_match(&all, at->events->v[i], &events, &err);
		tsh_err_release(&err);
	}
	if (!at->events->n)
		read_present(at, &all, &events);
	for (i = 0; i < events.n && ret->n < EVENTS_MAX; i++) {
		ret->v[ret->n] = tsh_event_format_read(at->s->in, &events.v[i]);
		ret->n += ret->v[ret->n] != NULL;
	}
	tsh_events_release(&events);
	tsh_events_release(&all);
}

static void free_formats(struct formats *formats)
{
	size_t i;

	for (i = 0; i < formats->n; i++)
		tsh_event_format_free(formats->v[i]);
}

/* ---- fields ---- */

/* Says whether all events have a field. The kernel sets a filter on each event, and refuses a field
 * that an event lacks. The filter of a pair is set only on the event that has the field. */
static bool all_have(const struct formats *formats, const char *name)
{
	size_t i;

	for (i = 0; !formats->is_pair && i < formats->n; i++)
		if (!tsh_event_format_field(formats->v[i], name))
			return false;
	return true;
}

/* Adds "FIELD.SUFFIX", once the dot is typed. */
static void add_suffixes(const struct tsh_cursor *at, const struct tsh_field *field)
{
	const char *dot = strchr(at->word, '.');
	const char *suffix = NULL, *help = NULL;
	char *text;

	if (!dot || strlen(field->name) != (size_t)(dot - at->word) ||
	    memcmp(field->name, at->word, strlen(field->name)) != 0)
		return;
	if (strchr(field->type, '*') && strstr(field->type, "char")) {
		suffix = "ustring";
		help = "a string of the process's memory, from Linux 5.17 on";
	} else if (field->size == sizeof(long) &&
		   tsh_field_filter_kind(field) == TSH_FILTER_NUMBER) {
		suffix = "function";
		help = "an address by the name of its function, from Linux 6.3 on";
	}
	if (!suffix)
		return;
	text = tsh_xasprintf("%s.%s", field->name, suffix);
	tsh_candidate_add(at, text, help, false);
	free(text);
}

/* Adds the names that a `where` has for every event. */
static void add_properties(const struct tsh_cursor *at)
{
	tsh_candidate_add(at, "comm", "the task's name", false);
	tsh_candidate_add(at, "cpu", "where it happened", false);
	tsh_candidate_add(at, "delta", "ns since the event before of the same task", false);
	tsh_candidate_add(at, "event", "the event's name", false);
	tsh_candidate_add(at, "pid", "the task", false);
	tsh_candidate_add(at, "system", "the event's system", false);
	tsh_candidate_add(at, "tgid", "the task's process", false);
	tsh_candidate_add(at, "time", "ns since 1970", false);
}

/* Adds the fields of all events, each once. */
static void add_any_fields(const struct tsh_cursor *at, const struct formats *formats)
{
	struct tsh_strlist seen = { 0 };
	size_t i, j;

	for (i = 0; i < formats->n; i++)
		for (j = 0; j < formats->v[i]->nfields; j++) {
			const struct tsh_field *field = &formats->v[i]->fields[j];

			if (field->is_common || tsh_strlist_has(&seen, field->name))
				continue;
			tsh_strlist_add(&seen, field->name);
			tsh_candidate_add(at, field->name, field->type, false);
		}
	tsh_strlist_release(&seen);
	add_properties(at);
}

static void add_fields(const struct tsh_cursor *at, const struct formats *formats)
{
	size_t of, i;

	if (at->is_where) {
		add_any_fields(at, formats);
		return;
	}

	for (of = 0; of < (formats->is_pair ? formats->n : formats->n > 0); of++)
		for (i = 0; i < formats->v[of]->nfields; i++) {
			const struct tsh_field *field = &formats->v[of]->fields[i];

			if (!all_have(formats, field->name))
				continue;
			tsh_candidate_add(at, field->name, field->type, false);
			add_suffixes(at, field);
		}
	/* Adds the useful ones of the fields that the kernel gives every event
	 * (trace_define_generic_fields). */
	if (formats->n) {
		tsh_candidate_add(at, "comm", "char[16], the task's name", false);
		tsh_candidate_add(at, "cpu", "int, where it happened", false);
	}
}

/* ---- operators ---- */

struct op {
	const char *text;
	const char *help;
	unsigned int kinds;		/* bits 1 << enum tsh_filter_kind */
};

#define NUMBERS (1U << TSH_FILTER_NUMBER | 1U << TSH_FILTER_OTHER)
#define STRINGS (1U << TSH_FILTER_STRING | 1U << TSH_FILTER_OTHER)
#define CPUS (1U << TSH_FILTER_CPUS)

/* Counts the operators of the kernel's filters, the first ones of `ops`; the others are only for a
 * `where`. */
#define OPS_OF_FILTERS 8

static const struct op ops[] = {
	{ "==", "equal", NUMBERS | STRINGS | CPUS },
	{ "!=", "not equal", NUMBERS | STRINGS | CPUS },
	{ "<", "less", NUMBERS },
	{ "<=", "less or equal", NUMBERS },
	{ ">", "greater", NUMBERS },
	{ ">=", "greater or equal", NUMBERS },
	{ "&", "one of these bits is set", NUMBERS | CPUS },
	{ "~", "matches a glob: * ? [..]", STRINGS },
	{ "=~", "matches a regular expression", STRINGS },
	{ "!~", "matches it not", STRINGS },
	{ "in", "one of {a, b, 5..10}", NUMBERS | STRINGS },
	{ "+", "plus", NUMBERS },
	{ "-", "minus", NUMBERS },
};

/* Finds the field of the comparison. Returns false when no event has it. */
static bool find_field(const struct formats *formats, const char *text, struct tsh_span name,
		       struct tsh_field *ret, enum tsh_filter_kind *ret_kind)
{
	/* Describe the names that filters have for every event, which are in no format file. */
	static const struct tsh_field comm = { .type = (char *)"char[16]", .name = (char *)"comm",
					       .kind = TSH_FIELD_CHARS, .size = 16 };
	static const struct tsh_field cpu = { .type = (char *)"int", .name = (char *)"cpu",
					      .kind = TSH_FIELD_INT, .size = 4, .is_signed = true };
	char *copy = tsh_xstrndup(text + name.begin, name.end - name.begin);
	const struct tsh_field *field = NULL;
	size_t i;

	for (i = 0; i < formats->n && !field; i++)
		field = tsh_event_format_field(formats->v[i], copy);

	if (!field && (!strcmp(copy, "comm") || !strcmp(copy, "COMM")))
		field = &comm;
	else if (!field && (!strcmp(copy, "cpu") || !strcmp(copy, "CPU")))
		field = &cpu;
	free(copy);
	if (!field)
		return false;
	*ret = *field;
	*ret_kind = tsh_field_filter_kind(field);
	return true;
}

static void add_operators(const struct tsh_cursor *at, enum tsh_filter_kind kind, bool is_function)
{
	size_t i;

	for (i = 0; i < sizeof(ops) / sizeof(ops[0]); i++)
		if (ops[i].kinds & (1U << kind) && (!is_function || i < 2) &&
		    (i < OPS_OF_FILTERS || at->is_where))
			tsh_candidate_add(at, ops[i].text, ops[i].help, false);
}

/* ---- values ---- */

static bool ends_with(const char *text, const char *end)
{
	size_t n = strlen(text), m = strlen(end);

	return n >= m && !strcmp(text + n - m, end);
}

/* Says whether a name can be typed without quotes. */
static bool is_plain_name(const char *name)
{
	const char *p;

	for (p = name; *p; p++)
		if (*p != '_' && !(*p >= '0' && *p <= '9') && !((*p | 32) >= 'a' && (*p | 32) <= 'z'))
			return false;
	return *name && !(*name >= '0' && *name <= '9');
}

static void add_value_names(const struct tsh_cursor *at, const struct formats *formats,
			    const struct tsh_field *field)
{
	struct tsh_value_names names = { 0 };
	size_t i;

	for (i = 0; i < formats->n && !names.n; i++) {
		const struct tsh_field *its = tsh_event_format_field(formats->v[i], field->name);

		if (its)
			tsh_value_names_here(at->s->in, formats->v[i], its, &names);
	}
	for (i = 0; at->is_where && i < names.n; i++)
		if (is_plain_name(names.v[i].name))
			tsh_candidate_add(at, names.v[i].name, NULL, false);
	for (i = 0; !at->is_where && i < names.n; i++) {
		const struct tsh_value_name *name = &names.v[i];
		char *hex = tsh_xasprintf("0x%llx", (unsigned long long)name->value);
		char *number = tsh_xasprintf(field->is_signed ? "%lld" : "%llu",
					     (unsigned long long)name->value);
		bool in_hex = tsh_begins_with(at->word, "0x") || (name->is_flag && name->value > 9);

		tsh_candidate_add_called(at, in_hex ? hex : number, name->name);
		free(number);
		free(hex);
	}
	tsh_value_names_release(&names);
}

static void add_cpu_values(const struct tsh_cursor *at)
{
	struct tsh_cursor numbers = *at;

	tsh_candidates_cpus(&numbers);
	tsh_candidate_add(at, "CPUS{", "a list of CPUs, CPUS{0-3,7}, from Linux 6.6 on", true);
}

static void add_values(const struct tsh_cursor *at, const struct formats *formats,
		       const struct tsh_field *field, enum tsh_filter_kind kind)
{
	if (kind == TSH_FILTER_CPUS || !strcmp(field->name, "cpu")) {
		add_cpu_values(at);
		return;
	}
	if (kind == TSH_FILTER_STRING && ends_with(field->name, "comm")) {
		tsh_candidates_comms(at);
		return;
	}
	if (kind == TSH_FILTER_STRING) {
		tsh_candidate_add(at, "\"", "a string stands in quotes", true);
		return;
	}
	add_value_names(at, formats, field);
	if (at->is_where && field->kind == TSH_FIELD_POINTER)
		tsh_candidates_functions(at);
	if (ends_with(field->name, "pid") || !strcmp(field->type, "pid_t"))
		tsh_candidates_pids(at);
}

/* ---- the place ---- */

static void add_junctions(const struct tsh_cursor *at, const struct tsh_filter_place *place)
{
	tsh_candidate_add(at, "&&", "and", false);
	tsh_candidate_add(at, "||", "or", false);
	if (place->depth)
		tsh_candidate_add(at, ")", "end of the parenthesis", false);
}

void tsh_candidates_filter(const struct tsh_cursor *at, const char *text,
			   const struct tsh_filter_place *place)
{
	enum tsh_filter_kind kind = TSH_FILTER_OTHER;
	struct formats formats;
	struct tsh_field field = { 0 };
	bool known;

	if (place->at == TSH_FILTER_AT_NOWHERE)
		return;
	if (place->at == TSH_FILTER_AT_JUNCTION) {
		add_junctions(at, place);
		return;
	}
	read_formats(at, &formats);
	known = find_field(&formats, text, place->field, &field, &kind);
	if (place->at == TSH_FILTER_AT_FIELD)
		add_fields(at, &formats);
	else if (place->at == TSH_FILTER_AT_OPERATOR && known)
		add_operators(at, kind, place->is_function);
	else if (place->at == TSH_FILTER_AT_VALUE && place->is_function)
		tsh_candidates_functions(at);
	else if (place->at == TSH_FILTER_AT_VALUE && known)
		add_values(at, &formats, &field, kind);
	free_formats(&formats);
}

/* ---- lists: fields a,b; by KEY,KEY ---- */

/* Says whether a field is a string, which has no modifiers. */
static bool is_string(const struct formats *formats, const char *name)
{
	static const char *const properties[] = { "comm", "event", "system" };
	size_t i;

	for (i = 0; i < sizeof(properties) / sizeof(properties[0]); i++)
		if (!strcmp(properties[i], name))
			return true;
	for (i = 0; i < formats->n; i++) {
		const struct tsh_field *field = tsh_event_format_field(formats->v[i], name);

		if (field)
			return tsh_field_filter_kind(field) == TSH_FILTER_STRING;
	}
	return false;
}

/* Adds the modifiers of a key, for hist and count. */
static void add_modifiers(const struct tsh_cursor *at, const struct formats *formats)
{
	int len = (int)(strrchr(at->word, '.') - at->word);
	char *name = tsh_xstrndup(at->word, (size_t)len);
	bool groups = !is_string(formats, name), partial;
	const char *modifier, *help;
	size_t i;

	free(name);
	for (i = 0; groups && (modifier = tsh_by_modifier(i, &help, &partial)); i++) {
		char *text = tsh_xasprintf("%.*s.%s%s", len, at->word, modifier, partial ? "(" : "");

		tsh_candidate_add(at, text, help, partial);
		free(text);
	}
}

/* Adds one item of a list. of_end: the item is behind the = of `on A=B`, and is a field of the
 * pair's second event. */
static void add_item(const struct tsh_cursor *at, bool are_keys, bool of_end)
{
	struct formats formats;

	read_formats(at, &formats);
	if (of_end && formats.is_pair && formats.n == 2) {
		tsh_event_format_free(formats.v[0]);
		formats.v[0] = formats.v[--formats.n];
	}
	if (are_keys && strchr(at->word, '.'))
		add_modifiers(at, &formats);
	else
		add_any_fields(at, &formats);
	if (are_keys && tsh_cmd_completes(at->cmd, TSH_COMPLETES_STACK))
		tsh_candidate_add(at, "stack", "the kernel's call chain at the event", false);
	free_formats(&formats);
}

void tsh_candidates_columns(const struct tsh_cursor *at, bool are_keys)
{
	const char *comma = strrchr(at->word, ','), *equals = strrchr(at->word, '=');
	const char *last = !comma || (equals && equals > comma) ? equals : comma;
	struct tsh_completion items = { 0 };
	struct tsh_cursor item = *at;
	size_t i;

	if (!last) {
		add_item(at, are_keys, false);
		return;
	}
	item.word = last + 1;
	item.ret = &items;
	add_item(&item, are_keys, last == equals);
	for (i = 0; i < items.n; i++) {
		char *text = tsh_xasprintf("%.*s%s", (int)(last + 1 - at->word), at->word,
					   items.v[i].text);

		tsh_candidate_add(at, text, items.v[i].help, items.v[i].partial);
		free(text);
	}
	tsh_completion_release(&items);
}
