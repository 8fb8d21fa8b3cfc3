/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "internal.h"

#include <ctype.h>
#include <stdlib.h>

#include "base/number.h"
#include "base/suggest.h"
#include "engine/pipeline/fields.h"
#include "engine/pipeline/where.h"
#include "session/event-format.h"
#include "session/util.h"

/* The clauses by, sum, avg, min and max. */

const char *const by_value_names[BY_VALUES] = { "sum", "avg", "min", "max" };

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

/* Where ".NAME" or ".NAME(N)" begins that ends an item; its end: there is none, or it is one
 * of the query's own. */
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
	/* 1.5 and 1..2 are none, nor is what nothing stands before */
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

/* The N of "linear(N)", which stands in brackets up to `end`; a size or a number. */
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

/* ---- what its events have ---- */

/* A string where a number is needed. */
static int refuse_text(const struct tsh_value *clause, size_t begin, size_t end, const char *what,
		       struct tsh_err *err)
{
	tsh_err_at(err, tsh_word_span(&clause->word, begin, end),
		   "%s needs a number, and this is a string", what);
	err->status = TSH_FAILED;
	tsh_err_hint(err, "info EVENT lists the fields with their types");
	return -1;
}

/* Whether it is a string in each of the events that have it. */
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
		tsh_where_expected(s, &expected);
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

int by_read_item(struct tsh_session *s, const struct tsh_call *call,
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

/* Of one event there is a stack; the rows of others are made of two. */
static int add_stack(const struct tsh_call *call, struct by_item *key, struct tsh_err *err)
{
	key->modifier = BY_STACK;
	if (!call->by->engine->asks_tasks)
		return 0;
	tsh_err_at(err, key->span, "stack is a key of hist and count");
	tsh_err_hint(err, "stacks EVENT shows them as a tree");
	return -1;
}

static int add_key(struct tsh_session *s, struct tsh_call *call, const struct tsh_value *clause,
		   size_t begin, size_t end, struct tsh_err *err)
{
	const char *text = clause->word.text;
	struct tsh_by *by = call->by;
	struct by_item *key;
	size_t i, dot = modifier_at(text, begin, end);

	if (by->nkeys == TSH_TALLY_PARTS_MAX) {
		tsh_err_at(err, tsh_word_span(&clause->word, begin, end),
			   "a fourth key: there can be three");
		if (!call->by->engine->asks_tasks)
			tsh_err_hint(err, "where EXPR chooses events without a key");
		return -1;
	}
	key = &by->keys[by->nkeys++];
	key->title = tsh_xstrndup(text + begin, end - begin);
	for (i = 0; i + 1 < by->nkeys; i++)
		if (!strcmp(by->keys[i].title, key->title))
			return tsh_err_at(err, tsh_word_span(&clause->word, begin, end), "'%s' is a key already",
					  key->title);
	key->len = dot - begin;
	key->span = tsh_word_span(&clause->word, begin, end);
	if (!strcmp(key->title, "stack"))
		return add_stack(call, key, err);
	if (dot < end && read_modifier(clause, dot, end, key, err) < 0)
		return -1;
	return by_read_item(s, call, clause, begin, dot, needs_number(key->modifier), key, err);
}

/* "--tpo 5" behind the keys: such an expression would be the field tpo, twice negated. */
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

int by_read_keys(struct tsh_session *s, struct tsh_call *call, const struct tsh_value *clause,
		 struct tsh_err *err)
{
	const char *text = clause->word.text;
	size_t at, end;

	for (at = 0; text[at]; at = end) {
		end = at + 1;
		if (text[at] == ' ' || text[at] == '\t' || text[at] == '\n' || text[at] == ',')
			continue;
		end = tsh_field_list_item_end(text, at);
		if (text[at] == '-' && text[at + 1] == '-' && isalpha((unsigned char)text[at + 2]))
			return refuse_option(call, clause, at, end, err);
		if (add_key(s, call, clause, at, end, err) < 0)
			return -1;
	}
	return call->by->nkeys ? 0 : tsh_err_at(err, clause->word.span, "no key is named");
}

int by_read_values(struct tsh_session *s, struct tsh_call *call, struct tsh_err *err)
{
	const struct tsh_value *clause = NULL;
	struct tsh_by *by = call->by;
	unsigned int kind;

	while ((clause = tsh_args_next(&call->args, "FIELD", clause))) {
		struct by_item *item = &by->values[by->nvalues];

		for (kind = 0; strcmp(by_value_names[kind], clause->arg->clause) != 0; kind++)
			;
		by->kinds[by->nvalues++] = kind;
		item->title = tsh_xstrdup(clause->word.text);
		item->len = clause->word.len;
		item->span = clause->word.span;
		if (by_read_item(s, call, clause, 0, clause->word.len, by_value_names[kind], item,
			      err) < 0)
			return -1;
	}
	return 0;
}
