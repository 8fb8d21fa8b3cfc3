/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "parse.h"

#include <errno.h>
#include <string.h>

#include "base/suggest.h"
#include "pieces.h"

/* Limits the words of one argument; no kernel has so many functions. */
#define WORDS_MAX (1 << 18)

/* Declares the second value of an assignment. */
static const struct tsh_arg assigned = {
	.name = "value", .type = TSH_ARG_WORD, .help = "the value of the variable",
};

static bool is_choice(const struct tsh_arg *arg, const char *text)
{
	const char *const *choice;

	for (choice = arg->choices; choice && *choice; choice++) {
		if (!strcmp(*choice, text))
			return true;
	}
	return false;
}

bool tsh_parse_is_near_choice(const struct tsh_arg *arg, const char *text)
{
	const char *const *choice;
	struct tsh_suggest s;
	bool near;

	tsh_suggest_init(&s, text);
	for (choice = arg->choices; choice && *choice; choice++)
		tsh_suggest_offer(&s, *choice);
	near = tsh_suggest_best(&s);
	tsh_suggest_release(&s);
	return near;
}

int tsh_parse_refuse_choice(struct tsh_parse *p, const struct tsh_arg *arg,
			    const struct tsh_value *value)
{
	struct tsh_strbuf hint = TSH_STRBUF_INIT;
	const char *const *choice;
	struct tsh_suggest s;

	tsh_err_at(p->err, value->word.span, "'%s' is not possible here", value->word.text);
	tsh_suggest_init(&s, value->word.text);
	for (choice = arg->choices; choice && *choice; choice++)
		tsh_suggest_offer(&s, *choice);
	if (tsh_suggest_best(&s))
		tsh_strbuf_addf(&hint, "did you mean '%s'? ", tsh_suggest_best(&s));
	tsh_suggest_release(&s);
	tsh_strbuf_adds(&hint, "possible: ");
	for (choice = arg->choices; choice && *choice; choice++)
		tsh_strbuf_addf(&hint, choice == arg->choices ? "%s" : ", %s", *choice);
	tsh_err_hint(p->err, "%s", hint.buf);
	tsh_strbuf_release(&hint);
	return -1;
}

/* Says what a type expects, for messages. */
static const struct form {
	const char *what;
	const char *hint;
} forms[TSH_ARG_N] = {
	[TSH_ARG_NUMBER] = { "a number", "numbers look like 20, 0x14" },
	[TSH_ARG_JOB] = { "the number of a job", "jobs lists them" },
	[TSH_ARG_SIZE] = { "a size", "sizes look like 4096, 64K, 1.5M" },
	[TSH_ARG_TIME] = { "a time", "times look like 20ms, 2s, 1m" },
	[TSH_ARG_CPUS] = { "a list of CPUs", "lists of CPUs look like 0-3,7" },
};

static int refuse_form(struct tsh_parse *p, const struct tsh_value *value, int number)
{
	const struct form *form = &forms[value->arg->type];

	if (number == -ERANGE)
		return tsh_err_at(p->err, value->word.span, "'%s' is out of range",
				  value->word.text);
	tsh_err_at(p->err, value->word.span, "'%s' is not %s", value->word.text, form->what);
	if (form->hint)
		tsh_err_hint(p->err, "%s", form->hint);
	return -1;
}

static bool is_bare(const char *text)
{
	return *text && text[strlen(text) - 1] >= '0' && text[strlen(text) - 1] <= '9';
}

static int convert(struct tsh_parse *p, struct tsh_value *value)
{
	const char *text = value->word.text;
	int number = 0;

	switch (value->arg->type) {
	case TSH_ARG_CHOICE:
		return is_choice(value->arg, text) ? 0 : tsh_parse_refuse_choice(p, value->arg, value);
	case TSH_ARG_JOB:
		value->number = TSH_JOB_ALL;
		if (strcmp(text, "all") != 0)
			number = tsh_parse_u64(text + (*text == '%'), &value->number);
		break;
	case TSH_ARG_NUMBER:
		number = tsh_parse_u64(text, &value->number);
		break;
	case TSH_ARG_SIZE:
		number = tsh_parse_size(text, &value->number);
		break;
	case TSH_ARG_TIME:
		value->number = TSH_NO_LIMIT;
		if (!(value->arg->flags & TSH_ARG_NONE) || strcmp(text, "none") != 0)
			number = tsh_parse_time(text, &value->number);
		break;
	case TSH_ARG_CPUS:
		number = tsh_parse_cpus(text, &value->cpus);
		break;
	default:
		break;
	}
	if (!number && (value->arg->flags & TSH_ARG_KB) && is_bare(text))
		number = __builtin_mul_overflow(value->number, 1024, &value->number) ? -ERANGE : 0;
	return number ? refuse_form(p, value, number) : 0;
}

int tsh_parse_value(struct tsh_parse *p, const struct tsh_arg *arg, struct tsh_word *word)
{
	struct tsh_value *value;

	if (p->args->n == WORDS_MAX) {
		tsh_err_at(p->err, word->span, "more than %d words in a command", WORDS_MAX);
		tsh_err_hint(p->err, "use two commands: %s .. ; %s ..", p->command, p->command);
		tsh_word_release(word);
		return -1;
	}
	value = tsh_vec_push(p->args);
	value->arg = arg;
	value->word = *word;
	*word = (struct tsh_word){ 0 };
	p->args->whole.end = value->word.span.end;
	return convert(p, value);
}

int tsh_parse_literal(struct tsh_parse *p, const struct tsh_arg *arg, struct tsh_span span)
{
	struct tsh_builder b = { 0 };
	struct tsh_word word;

	tsh_builder_copy(&b, p->lx, span.begin, span.end);
	tsh_builder_finish(&b, span.end, span, false, &word);
	return tsh_parse_value(p, arg, &word);
}

int tsh_parse_word(struct tsh_parse *p, const struct tsh_arg *arg)
{
	struct tsh_word word;

	if (tsh_lexer_word(p->lx, &word, p->err) < 0)
		return -1;
	return tsh_parse_value(p, arg, &word);
}

int tsh_parse_rest(struct tsh_parse *p, const struct tsh_arg *arg, const char *const *stops,
		   struct tsh_span blame)
{
	struct tsh_word word;
	int ret;

	if (arg->type == TSH_ARG_EXPRESSION)
		ret = tsh_lexer_expression(p->lx, stops, &word, p->err);
	else if (arg->type == TSH_ARG_TEXT || arg->type == TSH_ARG_MOMENT)
		ret = tsh_lexer_text(p->lx, stops, &word, p->err);
	else
		ret = tsh_lexer_statement(p->lx, stops, &word, p->err);
	if (ret < 0)
		return -1;
	if (!word.len && !word.quoted) {
		tsh_word_release(&word);
		return tsh_parse_missing(p, blame, "", arg);
	}
	return tsh_parse_value(p, arg, &word);
}

static bool is_name_byte(char c, bool first)
{
	return c == '_' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
	       (!first && c >= '0' && c <= '9');
}

static int refuse_name(struct tsh_parse *p, struct tsh_span name)
{
	tsh_err_at(p->err, name, "'%.*s' is not a name", (int)(name.end - name.begin),
		   p->lx->text + name.begin);
	tsh_err_hint(p->err, "names have letters, digits and '_', and do not begin with a digit");
	return -1;
}

int tsh_parse_assignment(struct tsh_parse *p, const struct tsh_arg *arg)
{
	struct tsh_lexer *lx = p->lx;
	struct tsh_span name = tsh_parse_name_at(lx, tsh_skip_blanks(lx, lx->pos));
	struct tsh_span equals;
	size_t pos;

	for (pos = name.begin; pos < name.end; pos++) {
		if (!is_name_byte(lx->text[pos], pos == name.begin))
			return refuse_name(p, name);
	}
	equals.begin = tsh_skip_blanks(lx, name.end);
	equals.end = equals.begin + 1;
	if (equals.begin >= lx->len || lx->text[equals.begin] != '=') {
		tsh_err_at(p->err, name, "missing '=' after '%.*s'", (int)(name.end - name.begin),
			   lx->text + name.begin);
		return tsh_parse_usage(p);
	}
	if (name.begin == name.end)
		return tsh_parse_missing(p, equals, "", arg);
	tsh_parse_literal(p, arg, name);
	lx->pos = equals.end;
	if (tsh_parse_at_end(p)) {
		tsh_err_at(p->err, equals, "missing VALUE after '='");
		return tsh_parse_usage(p);
	}
	return tsh_parse_word(p, &assigned);
}
