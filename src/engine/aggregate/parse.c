/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "internal.h"

#include <ctype.h>
#include <stdlib.h>

#include "base/number.h"
#include "base/suggest.h"
#include "engine/pipeline/fields.h"
#include "engine/pipeline/where.h"
#include "session/event-format.h"
#include "session/own-instance.h"
#include "session/util.h"

/* Parses the words of hist and count, and the clauses that others share with them, into a spec. */

#define SIZE_MAX_KEYS 16777216
#define EVERY_LEAST   100000000		/* ns */
#define EVERY_USUAL   1000000000	/* ns, of a heat map */

static const struct {
	const char *name;
	enum by_modifier modifier;
	const char *help;
} modifiers[] = {
	{ "log2", BY_LOG2, "by powers of two" },
	{ "linear", BY_LINEAR, "in steps of N" },
	{ "sym", BY_SYM, "an address: the function that it is in" },
	{ "sym_offset", BY_SYM_OFFSET, "and how far behind its begin" },
	{ "syscall", BY_SYSCALL, "the name of the system call" },
	{ "hex", BY_HEX, "in hexadecimal" },
};
#define MODIFIERS "log2, linear(N), sym, sym_offset, syscall, hex"

const char *tsh_by_modifier(size_t i, const char **ret_help, bool *ret_is_of_number)
{
	if (i >= sizeof(modifiers) / sizeof(modifiers[0]))
		return NULL;
	*ret_help = modifiers[i].help;
	*ret_is_of_number = modifiers[i].modifier == BY_LINEAR;
	return modifiers[i].name;
}

/* ---- a key ---- */

/* Returns the offset of the ".NAME" or ".NAME(N)" at the end of an item; `end` when the item has no
 * modifier, or one that the query parses itself (.function, .ustring). */
static size_t modifier_at(const char *text, size_t begin, size_t end)
{
	size_t at = end, name;

	if (at > begin && text[at - 1] == ')')
		while (at > begin && text[at - 1] != '(')
			at--;
	at -= at > begin && at < end && text[at - 1] == '(';
	for (name = at;
	     name > begin && (isalnum((unsigned char)text[name - 1]) || text[name - 1] == '_');
	     name--)
		;
	/* 1.5 and 1..2 are no modifiers, and something has to stand before the dot */
	if (name == at || name < begin + 2 || text[name - 1] != '.' || text[name - 2] == '.' ||
	    isdigit((unsigned char)text[name]))
		return end;
	if ((at - name == 8 && !memcmp(text + name, "function", 8)) ||
	    (at - name == 7 && !memcmp(text + name, "ustring", 7)))
		return end;
	return name - 1;
}

static int refuse_modifier(const struct tsh_value *clause, size_t begin, size_t end,
			   const char *name, struct tsh_err *err)
{
	struct tsh_suggest nearest;
	size_t i;

	tsh_err_at(err, tsh_word_span(&clause->word, begin, end), "there is no modifier '%s'",
		   name);
	tsh_suggest_init(&nearest, name);
	for (i = 0; i < sizeof(modifiers) / sizeof(modifiers[0]); i++)
		tsh_suggest_offer(&nearest, modifiers[i].name);
	if (!strcmp(name, "syscall"))
		tsh_err_hint(err, "count 'syscalls:sys_enter_*' has the names; behind a key can "
				  "stand: ." MODIFIERS);
	else if (tsh_suggest_best(&nearest))
		tsh_err_hint(err, "did you mean '%s'? there are: " MODIFIERS,
			     tsh_suggest_best(&nearest));
	else
		tsh_err_hint(err, "behind a key can stand: ." MODIFIERS);
	tsh_suggest_release(&nearest);
	return -1;
}

/* Parses the N of "linear(N)", a size or a number in brackets that end at `end`. */
static int read_width(const struct tsh_value *clause, size_t begin, size_t end, struct by_item *key,
		      struct tsh_err *err)
{
	const char *text = clause->word.text;
	size_t open = begin;
	char *number;
	bool good;

	while (open < end && text[open] != '(')
		open++;
	number = open + 2 <= end ? tsh_xstrndup(text + open + 1, end - open - 2) : tsh_xstrdup("");
	good = !tsh_parse_size(number, &key->width) && key->width;
	free(number);
	if (good)
		return 0;
	tsh_err_at(err, tsh_word_span(&clause->word, begin + 1, end),
		   "linear needs the width of its steps, 1 or more");
	tsh_err_hint(err, "as in linear(100) or linear(4K)");
	return -1;
}

static int read_modifier(const struct tsh_value *clause, size_t begin, size_t end,
			 struct by_item *key, struct tsh_err *err)
{
	const char *text = clause->word.text;
	size_t len = strcspn(text + begin + 1, "("), i;
	bool has_argument;
	char *name;
	int r = -1;

	if (len > end - begin - 1)
		len = end - begin - 1;
	has_argument = begin + 1 + len < end;
	name = tsh_xstrndup(text + begin + 1, len);
	for (i = 0; i < sizeof(modifiers) / sizeof(modifiers[0]); i++)
		if (!strcmp(modifiers[i].name, name))
			break;
	if (i == sizeof(modifiers) / sizeof(modifiers[0])) {
		refuse_modifier(clause, begin + 1, end, name, err);
	} else if (modifiers[i].modifier == BY_LINEAR) {
		r = read_width(clause, begin, end, key, err);
	} else if (has_argument) {
		tsh_err_at(err, tsh_word_span(&clause->word, begin + 1, end),
			   "%s takes nothing in brackets", name);
	} else {
		r = 0;
	}
	if (!r)
		key->modifier = modifiers[i].modifier;
	free(name);
	return r;
}

/* ---- the type of an item ---- */

/* Refuses a string where a number is needed. */
static int refuse_text(const struct tsh_value *clause, size_t begin, size_t end, const char *what,
		       struct tsh_err *err)
{
	tsh_err_at(err, tsh_word_span(&clause->word, begin, end),
		   "%s needs a number, and this is a string", what);
	err->status = TSH_FAILED;
	tsh_err_hint(err, "info EVENT lists the fields with their types");
	return -1;
}

/* Says whether the expression is a string in each of the events that have its names. */
static bool is_text(struct tsh_session *s, const struct tsh_call *call,
		    const struct tsh_query *query)
{
	struct tsh_live_provider *provider = tsh_live_provider_new(s->in);
	struct tsh_decoder *decoder = tsh_names_decoder(provider);
	struct tsh_events expected = { 0 };
	const struct tsh_events *events = &call->events;
	bool any = false, number = false;
	size_t i;

	if (!events->n) {
		tsh_where_find_events(s, &expected);
		events = &expected;
	}
	for (i = 0; i < events->n && !number; i++) {
		struct tsh_event_format *format = tsh_event_format_read(s->in, &events->v[i]);
		enum tsh_query_value_kind kind = TSH_QUERY_VALUE_UNKNOWN;

		if (format)
			kind = tsh_query_kind_of(query, decoder, format, sizeof(long));
		any |= kind == TSH_QUERY_VALUE_TEXT;
		number = kind == TSH_QUERY_VALUE_NUMBER || kind == TSH_QUERY_VALUE_TIME;
		tsh_event_format_free(format);
	}
	tsh_events_release(&expected);
	tsh_decoder_free(decoder);
	tsh_live_provider_free(provider);
	return any && !number;
}

int count_parse_item(struct tsh_session *s, const struct tsh_call *call,
		     const struct tsh_value *clause, size_t begin, size_t end, const char *what,
		     struct by_item *item, struct tsh_err *err)
{
	item->value = tsh_query_new_value(clause->word.text + begin, end - begin, err);
	if (!item->value)
		return tsh_where_blame(clause, begin, err);
	if (!s->dir)
		return 0;
	if (tsh_where_check(s, call, item->value, clause, begin, err) < 0)
		return -1;
	if (what && is_text(s, call, item->value))
		return refuse_text(clause, begin, end, what, err);
	return 0;
}

static const char *needs_number(enum by_modifier modifier)
{
	size_t i;

	for (i = 0; i < sizeof(modifiers) / sizeof(modifiers[0]); i++)
		if (modifiers[i].modifier == modifier)
			return modifiers[i].name;
	return NULL;
}

/* Refuses the stack as a key of pairs: the rows of those are made of two events. */
static int add_stack(const struct count_spec *spec, struct by_item *key, struct tsh_err *err)
{
	key->modifier = BY_STACK;
	if (!spec->are_pairs)
		return 0;
	tsh_err_at(err, key->span, "stack is a key of hist and count");
	tsh_err_hint(err, "stacks EVENT shows them as a tree");
	return -1;
}

static int add_key(struct tsh_session *s, const struct tsh_call *call, const struct tsh_value *clause, size_t begin,
		   size_t end, struct count_spec *spec, struct tsh_err *err)
{
	struct tsh_span span = tsh_word_span(&clause->word, begin, end);
	const char *text = clause->word.text;
	size_t i, dot = modifier_at(text, begin, end);
	struct by_item *key = &spec->keys[spec->nkeys];

	if (spec->nkeys == TSH_TALLY_PARTS_MAX) {
		tsh_err_at(err, span, "a fourth key: there can be three");
		if (!spec->are_pairs)
			tsh_err_hint(err, "where EXPR chooses events without a key");
		return -1;
	}
	spec->nkeys++;
	*key = (struct by_item){ .title = tsh_xstrndup(text + begin, end - begin), .len = dot - begin, .span = span };
	for (i = 0; i + 1 < spec->nkeys; i++)
		if (!strcmp(spec->keys[i].title, key->title))
			return tsh_err_at(err, span, "'%s' is a key already", key->title);
	if (!strcmp(key->title, "stack"))
		return add_stack(spec, key, err);
	if (dot < end && read_modifier(clause, dot, end, key, err) < 0)
		return -1;
	return count_parse_item(s, call, clause, begin, dot, needs_number(key->modifier), key, err);
}

/*
 * Refuses "--tpo 5" behind the keys as an option: as an expression it would be the field tpo,
 * negated twice.
 */
static int refuse_option(const struct tsh_call *call, const struct tsh_value *clause, size_t begin,
			 size_t end, struct tsh_err *err)
{
	struct tsh_suggest near;
	char *option = tsh_xstrndup(clause->word.text + begin, end - begin);

	tsh_err_at(err, tsh_word_span(&clause->word, begin, end), "unknown option '%s'", option);
	tsh_suggest_init(&near, option);
	tsh_call_offer_options(call, &near);
	if (tsh_suggest_best(&near))
		tsh_err_hint(err, "did you mean '%s'?", tsh_suggest_best(&near));
	tsh_suggest_release(&near);
	free(option);
	return -1;
}

int count_parse_keys(struct tsh_session *s, const struct tsh_call *call, const struct tsh_value *clause,
		     struct count_spec *spec, struct tsh_err *err)
{
	const char *text = clause->word.text;
	size_t at = 0, end = 0;
	int r;

	while ((r = tsh_field_list_next(clause, "key", &at, &end, err)) > 0) {
		if (text[at] == '-' && text[at + 1] == '-' && isalpha((unsigned char)text[at + 2]))
			return refuse_option(call, clause, at, end, err);
		if (add_key(s, call, clause, at, end, spec, err) < 0)
			return -1;
	}
	if (r < 0 || spec->nkeys)
		return r;
	return tsh_err_at(err, clause->word.span, "no key is named");
}

int count_parse_value(struct tsh_session *s, const struct tsh_call *call, const char *name,
		      const struct tsh_value *clause, struct count_spec *spec, struct tsh_err *err)
{
	struct by_item *item = &spec->values[spec->nvalues];
	unsigned int kind;

	for (kind = 0; strcmp(by_value_names[kind], name) != 0; kind++)
		;
	spec->kinds[spec->nvalues++] = kind;
	*item = (struct by_item){ .title = tsh_xstrdup(clause->word.text), .len = clause->word.len,
				  .span = clause->word.span };
	return count_parse_item(s, call, clause, 0, item->len, name, item, err);
}

static int parse_values(struct tsh_session *s, const struct tsh_call *call, struct count_spec *spec,
			struct tsh_err *err)
{
	const struct tsh_value *clause = NULL;

	while ((clause = tsh_args_next(&call->args, "FIELD", clause)))
		if (count_parse_value(s, call, clause->arg->clause, clause, spec, err) < 0)
			return -1;
	return 0;
}

void count_spec_append(const struct count_spec *spec, struct tsh_strbuf *to)
{
	size_t i;

	for (i = 0; i < spec->nkeys; i++)
		if (spec->keys[i].modifier != BY_EVENT)
			tsh_strbuf_addf(to, "%s%s", i ? "," : " by ", spec->keys[i].title);
	for (i = 0; i < spec->nvalues; i++)
		tsh_strbuf_addf(to, " %s %s", by_value_names[spec->kinds[i]], spec->values[i].title);
}

/* ---- options ---- */

int count_parse_options(const struct tsh_call *call, struct count_spec *spec, struct tsh_err *err)
{
	const struct tsh_value *top = tsh_args_get(&call->args, "TOP");
	const struct tsh_value *every = tsh_args_get(&call->args, "EVERY");
	const struct tsh_value *size = tsh_args_get(&call->args, "KEYS-MAX");

	spec->only = tsh_args_has(&call->args, "here");
	spec->top = top ? top->number : 0;
	if (top && !top->number) {
		tsh_err_at(err, top->word.span, "--top 0 would show nothing");
		tsh_err_hint(err, "without --top all keys are shown");
		return -1;
	}
	spec->every = every ? every->number : 0;
	if (every && every->number < EVERY_LEAST)
		return tsh_err_at(err, every->word.span, "'%s' is less than 100ms", every->word.text);
	spec->size = size ? size->number : 0;
	if (size && (!size->number || size->number > SIZE_MAX_KEYS))
		return tsh_err_at(err, size->word.span, "'%s' is not between 1 and %d keys", size->word.text,
				  SIZE_MAX_KEYS);
	return 0;
}

int count_parse_heat(const struct tsh_call *call, struct count_spec *spec, struct tsh_err *err)
{
	const struct tsh_value *option = tsh_args_get(&call->args, "heat");

	spec->has_heat = option;
	if (option && !spec->are_pairs && (spec->nkeys != 1 || !by_is_bucket(&spec->keys[0]) || spec->nvalues)) {
		tsh_err_at(err, option->word.span, "--heat draws one key, of .log2 or .linear(N), and its counts");
		tsh_err_hint(err, "hist syscalls:sys_exit_read by ret.log2 --heat");
		return -1;
	}
	if (option && !spec->every)
		spec->every = EVERY_USUAL;
	return 0;
}

int count_check_new_events(const struct tsh_session *s, const struct tsh_call *call, struct tsh_err *err)
{
	/* with -n a recorded tree stands for a running kernel */
	bool is_tree = s->dir && s->dir->kind == TSH_DIR_TREE && !s->check && !s->explains && !s->dir->dry;

	return is_tree || tsh_args_has(&call->args, "drain") ? tsh_own_refuse_new_events(call, true, err) : 0;
}

/*
 * Refuses a call without EVENT and --drain: forgetting EVENT must not take events out of the
 * buffer.
 */
static int check_source(const struct tsh_session *s, const struct tsh_call *call, struct tsh_err *err)
{
	const struct tsh_value *drain = tsh_args_get(&call->args, "drain");
	char *chosen, *hint;

	if (!s->dir)
		return 0;
	if (drain && call->events.n) {
		tsh_err_at(err, drain->word.span,
			   "EVENT is for those that come, --drain for all that are there");
		chosen = tsh_xasprintf("event == %s", call->events.v[0].name);
		hint = tsh_xasprintf("%s --drain where ", tsh_call_name(call));
		tsh_err_hint_word(err, hint, chosen, "");
		free(chosen);
		free(hint);
		return -1;
	}
	if (drain || call->events.n || s->dir->kind == TSH_DIR_TREE || s->explains)
		return 0;
	tsh_err_at(err, call->args.command, "which events? EVENT is missing");
	tsh_err_hint(err, "%s --drain has those in the buffer of '%s', and takes them out",
		     tsh_call_name(call), tsh_instance_label(s->in));
	return -1;
}

int tsh_by_resolve(struct tsh_session *s, struct tsh_call *call, struct tsh_err *err)
{
	const struct tsh_value *keys = tsh_args_get(&call->args, "KEYS");
	struct count_spec *spec = by_add_to_call(call, NULL);

	call->drains = !call->events.n;
	if (count_parse_options(call, spec, err) < 0 || check_source(s, call, err) < 0 ||
	    (keys && count_parse_keys(s, call, keys, spec, err) < 0))
		return -1;
	if (!keys)
		count_spec_use_event(spec);
	return parse_values(s, call, spec, err) < 0 || count_parse_heat(call, spec, err) < 0 ||
			       count_check_new_events(s, call, err) < 0 ? -1 : 0;
}
