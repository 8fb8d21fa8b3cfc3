/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "filter-scan.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/suggest.h"
#include "base/vec.h"
#include "base/xmalloc.h"

/* Limits how many fields are shown; the others are counted. */
#define FIELDS_SHOWN 16

static const char operators[] = "== != < <= > >= & and, for strings, ~";

bool filter_blame(struct filter_scan *s, size_t begin, size_t end, const char *fmt, ...)
{
	struct tsh_strbuf hint = TSH_STRBUF_INIT;
	va_list ap;

	va_start(ap, fmt);
	tsh_strbuf_vaddf(&hint, fmt, ap);
	va_end(ap);
	free(s->fault->hint);
	s->fault->hint = tsh_strbuf_detach(&hint);
	s->fault->span = (struct tsh_span){ begin, end > begin ? end : begin + 1 };
	return false;
}

void tsh_filter_fault_release(struct tsh_filter_fault *fault)
{
	free(fault->hint);
	*fault = (struct tsh_filter_fault){ 0 };
}

/* ---- the cursor ---- */

void filter_skip_blanks(struct filter_scan *s)
{
	while (isspace((unsigned char)s->text[s->pos]))
		s->pos++;
}

bool filter_at(const struct filter_scan *s, const char *text)
{
	return !strncmp(s->text + s->pos, text, strlen(text));
}

bool filter_at_end_of_operand(const struct filter_scan *s)
{
	return !s->text[s->pos] || filter_at(s, "&&") || filter_at(s, "||") || filter_at(s, ")");
}

struct tsh_span filter_word(const struct filter_scan *s)
{
	struct tsh_span word = { s->pos, s->pos };

	while (isalnum((unsigned char)s->text[word.end]) || s->text[word.end] == '_')
		word.end++;
	return word;
}

static bool word_is(const struct filter_scan *s, struct tsh_span word, const char *text)
{
	size_t len = word.end - word.begin;

	return len == strlen(text) && !strncasecmp(s->text + word.begin, text, len);
}

static int width(struct tsh_span word)
{
	return (int)(word.end - word.begin);
}

/* Returns the text up to a blank, to show what could not be read. */
static struct tsh_span raw_word(const struct filter_scan *s)
{
	struct tsh_span word = { s->pos, s->pos + 1 };

	while (s->text[s->pos] != '(' && s->text[word.end] && !strchr(" \t\n\r()&|", s->text[word.end]))
		word.end++;
	return word;
}

bool filter_blame_character(struct filter_scan *s)
{
	if (filter_at(s, "$"))
		return filter_blame(s, s->pos, s->pos + 1,
				    "filters have no '$'; variables look like ${name}");
	if (filter_at(s, "\xe2\x80\x9c") || filter_at(s, "\xe2\x80\x9d") ||
	    filter_at(s, "\xe2\x80\x9e") || filter_at(s, "\xe2\x80\x98") ||
	    filter_at(s, "\xe2\x80\x99") || filter_at(s, "\xc2\xab"))
		return filter_blame(s, s->pos, s->pos + (filter_at(s, "\xc2") ? 2 : 3),
				    "the quotes of a filter are \" and '");
	return true;
}

/* ---- fields ---- */

/* kernel/trace/trace_events.c, trace_define_generic_fields */
static const struct tsh_filter_field generic[] = {
	{ "CPU", "int", TSH_FILTER_CPUS, true, true },
	{ "cpu", "int", TSH_FILTER_CPUS, true, true },
	{ "COMM", "char *", TSH_FILTER_STRING, false, true },
	{ "comm", "char *", TSH_FILTER_STRING, false, true },
	{ "stacktrace", "char *", TSH_FILTER_OTHER, false, true },
	{ "STACKTRACE", "char *", TSH_FILTER_OTHER, false, true },
	{ "common_type", "unsigned short", TSH_FILTER_NUMBER, false, true },
	{ "common_flags", "unsigned char", TSH_FILTER_NUMBER, false, true },
	{ "common_preempt_count", "unsigned char", TSH_FILTER_NUMBER, false, true },
	{ "common_pid", "int", TSH_FILTER_NUMBER, true, true },
};

static bool has_name(const struct filter_scan *s, const struct tsh_filter_field *field,
		     struct tsh_span name)
{
	size_t len = name.end - name.begin;

	return strlen(field->name) == len && !memcmp(field->name, s->text + name.begin, len);
}

const struct tsh_filter_field *filter_field(const struct filter_scan *s, struct tsh_span name)
{
	size_t i;

	for (i = 0; i < s->event->n; i++)
		if (has_name(s, &s->event->fields[i], name))
			return &s->event->fields[i];
	for (i = 0; i < sizeof(generic) / sizeof(generic[0]); i++)
		if (has_name(s, &generic[i], name))
			return &generic[i];
	return NULL;
}

void tsh_filter_declare(struct tsh_strbuf *out, const struct tsh_filter_field *field)
{
	const char *type = field->type, *bracket;

	if (!strncmp(type, "__data_loc ", 11))
		type += 11;
	else if (!strncmp(type, "__rel_loc ", 10))
		type += 10;
	bracket = strchr(type, '[');
	if (!bracket)
		tsh_strbuf_addf(out, "%s%s%s", type,
				*type && type[strlen(type) - 1] == '*' ? "" : " ", field->name);
	else
		tsh_strbuf_addf(out, "%.*s %s%s", (int)(bracket - type), type, field->name,
				bracket);
}

/* Blames a name that is no field: "did you mean 'prev_pid'?", or lists the fields with their
 * types. */
static bool blame_field(struct filter_scan *s, struct tsh_span name)
{
	char *typed = tsh_xstrndup(s->text + name.begin, name.end - name.begin);
	const struct tsh_filter_event *event = s->event;
	struct tsh_strbuf list = TSH_STRBUF_INIT;
	struct tsh_suggest near;
	size_t i, shown = 0, hidden = 0;

	tsh_suggest_init(&near, typed);
	for (i = 0; i < event->n; i++) {
		const struct tsh_filter_field *field = &event->fields[i];

		tsh_suggest_offer(&near, field->name);
		if (field->is_common)
			continue;
		if (shown == FIELDS_SHOWN) {
			hidden++;
			continue;
		}
		tsh_strbuf_adds(&list, shown++ ? ", " : " ");
		tsh_filter_declare(&list, field);
	}
	tsh_suggest_offer(&near, "comm");
	tsh_suggest_offer(&near, "cpu");
	if (hidden)
		tsh_strbuf_addf(&list, " and %zu more", hidden);
	if (!shown)
		tsh_strbuf_adds(&list, " no fields of its own");
	if (tsh_suggest_best(&near))
		filter_blame(s, name.begin, name.end, "did you mean '%s'? %s has%s",
			     tsh_suggest_best(&near), event->label, list.buf);
	else
		filter_blame(s, name.begin, name.end, "%s has%s", event->label, list.buf);
	s->fault->is_unknown_field = true;
	tsh_suggest_release(&near);
	tsh_strbuf_release(&list);
	free(typed);
	return false;
}

/* Reads the field before an operator, with a ".function" or ".ustring" behind it. */
static bool read_field(struct filter_scan *s, struct filter_comparison *c)
{
	struct tsh_span name = filter_word(s), suffix;

	if (name.begin == name.end) {
		if (!filter_blame_character(s))
			return false;
		if (strchr("=~<>", s->text[s->pos]))
			return filter_blame(s, s->pos, s->pos + 1,
					    "a field is missing before the operator");
		name = raw_word(s);
		return filter_blame(s, name.begin, name.end,
				    "a comparison begins with the name of a field");
	}
	if (isdigit((unsigned char)s->text[name.begin]))
		return filter_blame(s, name.begin, name.end,
				    "the field stands before the operator, the value behind it");
	c->name = name;
	c->field = filter_field(s, name);
	if (!c->field && word_is(s, name, "not"))
		return filter_blame(s, name.begin, name.end, "'not' is written '!': !(..)");
	if (!c->field)
		return blame_field(s, name);
	s->pos = name.end;
	if (filter_at(s, "->") || filter_at(s, "["))
		return filter_blame(s, s->pos, s->pos + (filter_at(s, "[") ? 1 : 2),
				    "filters compare whole fields of the event, not parts of one");
	if (!filter_at(s, "."))
		return true;
	s->pos++;
	suffix = filter_word(s);
	c->is_function = word_is(s, suffix, "function");
	if (!c->is_function && !word_is(s, suffix, "ustring"))
		return filter_blame(s, s->pos - 1, suffix.end,
				    "behind a field only .ustring and .function may stand");
	s->novelty = c->is_function ? ".function is for fields that hold an address, and unknown to "
				      "kernels before 6.3" :
				      "kernels before 5.17 know no .ustring";
	s->pos = suffix.end;
	return true;
}

/* ---- operators ---- */

static bool blame_operator(struct filter_scan *s, const struct filter_comparison *c)
{
	static const struct {
		const char *typed;
		const char *meant;
	} mistaken[] = {
		{ "===", "==" }, { "==~", "~" }, { "=~", "~" }, { "~=", "~" }, { "~~", "~" },
		{ "=>", ">=" }, { "=<", "<=" }, { "<>", "!=" }, { "=!", "!=" }, { "!==", "!=" },
	};
	const char *field = s->text + c->name.begin;
	struct tsh_span word;
	size_t i;

	if (filter_at_end_of_operand(s))
		return filter_blame(s, c->name.begin, c->name.end,
				    "a field alone is no comparison; write: %.*s != %s", width(c->name),
				    field, c->field->kind == TSH_FILTER_STRING ? "\"\"" : "0");
	for (i = 0; i < sizeof(mistaken) / sizeof(mistaken[0]); i++)
		if (filter_at(s, mistaken[i].typed))
			return filter_blame(s, s->pos, s->pos + strlen(mistaken[i].typed),
					    "'%s' is written '%s'", mistaken[i].typed,
					    mistaken[i].meant);
	if (filter_at(s, "!~"))
		return filter_blame(s, s->pos, s->pos + 2, "no match is written !(%.*s ~ ..)",
				    width(c->name), field);
	if (filter_at(s, "=") && !filter_at(s, "=="))
		return filter_blame(s, s->pos, s->pos + 1, "equal is written '=='");
	if (s->text[s->pos] && strchr("+-*/%^", s->text[s->pos]))
		return filter_blame(s, s->pos, s->pos + 1,
				    "filters do not calculate; the operators are %s", operators);
	word = filter_word(s);
	if (word.begin == word.end)
		word.end++;
	return filter_blame(s, word.begin, word.end, "the operators are %s", operators);
}

static bool read_operator(struct filter_scan *s, struct filter_comparison *c)
{
	/* in the order in which the kernel tries them */
	static const char *const known[] = { "~", "!=", "==", "<=", "<", ">=", ">", "&" };
	static const char *const mistaken[] = {
		"===", "==~", "!==", "~=", "~~", "<>", "&&", NULL
	};
	size_t i;

	filter_skip_blanks(s);
	for (i = 0; mistaken[i]; i++)
		if (filter_at(s, mistaken[i]))
			return blame_operator(s, c);
	for (i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		if (!filter_at(s, known[i]))
			continue;
		c->op = (struct tsh_span){ s->pos, s->pos + strlen(known[i]) };
		s->pos = c->op.end;
		filter_skip_blanks(s);
		return true;
	}
	return blame_operator(s, c);
}

/* ---- the expression ---- */

/* Checks quotes and parentheses first, as the kernel does. */
static bool check_pairs(struct filter_scan *s)
{
	TSH_VEC(size_t) open = { 0 };
	bool good = true, quoted = false;
	size_t i, quote = 0;

	for (i = 0; good && s->text[i]; i++) {
		char ch = s->text[i];

		if (quoted) {
			quoted = ch != s->text[quote];
		} else if (ch == '"' || ch == '\'') {
			quoted = true;
			quote = i;
		} else if (ch == '(') {
			*tsh_vec_push(&open) = i;
		} else if (ch == ')' && open.n) {
			open.n--;
		} else if (ch == ')') {
			good = filter_blame(s, i, i + 1, "there is no '(' for this ')'");
		}
	}
	if (good && quoted)
		good = filter_blame(s, quote, quote + 1, "the quote that begins here has no end");
	if (good && open.n)
		good = filter_blame(s, open.v[open.n - 1], open.v[open.n - 1] + 1,
				    "there is no ')' for this '('");
	tsh_vec_release(&open);
	return good;
}

/* Blames what follows a comparison and is neither the end nor "&&" nor "||". */
static bool blame_junction(struct filter_scan *s)
{
	static const struct {
		const char *typed;
		const char *meant;
	} words[] = { { "and", "&&" }, { "or", "||" } };
	struct tsh_span word = filter_word(s);
	size_t i;

	for (i = 0; i < 2; i++)
		if (word_is(s, word, words[i].typed))
			return filter_blame(s, word.begin, word.end, "'%s' is written '%s'",
					    words[i].typed, words[i].meant);
	if (filter_at(s, "&") || filter_at(s, "|"))
		return filter_blame(s, s->pos, s->pos + 1, "comparisons are joined by '%s'",
				    filter_at(s, "&") ? "&&" : "||");
	if (filter_at(s, ","))
		return filter_blame(s, s->pos, s->pos + 1,
				    "comparisons are joined by '&&' or '||'");
	word = raw_word(s);
	return filter_blame(s, word.begin, word.end, "'&&' or '||' is missing before '%.*s'",
			    width(word), s->text + word.begin);
}

/* Reads a comparison, with negations and parentheses before it. */
static bool read_operand(struct filter_scan *s, struct tsh_span junction)
{
	struct filter_comparison c = { 0 };
	bool is_joined = junction.end > junction.begin;

	for (filter_skip_blanks(s); filter_at(s, "(") ||
	     (filter_at(s, "!") && !filter_at(s, "!=") && !filter_at(s, "!~"));
	     filter_skip_blanks(s))
		s->pos++;
	if (filter_at_end_of_operand(s)) {
		if (s->text[s->pos])
			return filter_blame(s, s->pos, s->pos + (filter_at(s, ")") ? 1 : 2),
					    "a comparison is missing before this");
		return filter_blame(s, is_joined ? junction.begin : 0,
				    is_joined ? junction.end : s->pos,
				    is_joined ? "a comparison is missing behind this" :
						"a comparison looks like common_pid == 1");
	}
	if (!read_field(s, &c) || !read_operator(s, &c))
		return false;
	return filter_value(s, &c);
}

static bool read_expression(struct filter_scan *s)
{
	struct tsh_span junction = { 0, 0 };

	for (;;) {
		if (!read_operand(s, junction))
			return false;
		for (filter_skip_blanks(s); filter_at(s, ")"); filter_skip_blanks(s))
			s->pos++;
		if (!s->text[s->pos])
			return true;
		if (!filter_at(s, "&&") && !filter_at(s, "||"))
			return blame_junction(s);
		junction = (struct tsh_span){ s->pos, s->pos + 2 };
		s->pos += 2;
	}
}

bool tsh_filter_is_unfinished(const char *filter, struct tsh_span *ret)
{
	size_t end = strlen(filter);

	/* the kernel's isspace() has the byte 0xa0, too (lib/ctype.c) */
	while (end && (isspace((unsigned char)filter[end - 1]) || (unsigned char)filter[end - 1] == 0xa0 ||
		       filter[end - 1] == '!'))
		end--;
	if (end < 2 || filter[end - 1] != filter[end - 2] || !strchr("&|", filter[end - 1]))
		return false;
	*ret = (struct tsh_span){ end - 2, end };
	return true;
}

bool tsh_filter_fault_find(const char *filter, const struct tsh_filter_event *event,
			   struct tsh_filter_fault *ret)
{
	struct filter_scan s = { .text = filter, .event = event, .fault = ret };

	*ret = (struct tsh_filter_fault){ 0 };
	if (!check_pairs(&s) || !read_expression(&s))
		return true;
	if (!s.novelty)
		return false;
	/* gives no span, because the position that the kernel reports is better */
	ret->hint = tsh_xstrdup(s.novelty);
	return true;
}
