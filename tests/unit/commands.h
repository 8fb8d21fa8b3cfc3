/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TESTS_UNIT_COMMANDS_H
#define TESTS_UNIT_COMMANDS_H

#include "lang/grammar.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "base/strbuf.h"
#include "base/xmalloc.h"

/* Declares commands with arguments of every kind, and shows the result of parsing as text. */

#define N(array) (sizeof(array) / sizeof((array)[0]))

enum { OPT = TSH_ARG_OPTIONAL, MANY = TSH_ARG_MANY };

#define IF { "FILTER", NULL, "if", NULL, "the kernel's filter", TSH_ARG_EXPRESSION, .flags = OPT }
#define WHERE { "EXPR", NULL, "where", NULL, "our filter", TSH_ARG_EXPRESSION, .flags = OPT }
#define FIELDS { "LIST", NULL, "fields", NULL, "what to show", TSH_ARG_TEXT, .flags = OPT }
#define EVENTS(how) { "EVENT", NULL, NULL, NULL, "an event", TSH_ARG_EVENT, .flags = how }
#define END { 0 }

static const char *const pid_verbs[] = { "add", "del", "clear", NULL };
static const char *const function_verbs[] = { "filter", "notrace", "graph", "clear", NULL };
static const char *const on_off[] = { "on", "off", NULL };
static const char *const formats[] = { "text", "json", "csv", "kernel", "raw", "none", NULL };

static const struct tsh_arg common[] = {
	{ "OUTPUT", "-o", NULL, NULL, "to a file", TSH_ARG_FILE, .flags = OPT },
	END,
};
static const struct tsh_arg stream[] = {
	{ "N", "-n", NULL, NULL, "events", TSH_ARG_NUMBER, .flags = OPT },
	{ "TIME", "--for", NULL, NULL, "how long", TSH_ARG_TIME, .flags = OPT },
	{ "CPUS", "--cpu", NULL, NULL, "which", TSH_ARG_CPUS, .flags = OPT },
	{ "here", "--here", NULL, NULL, "in the current instance", TSH_ARG_FLAG, .flags = OPT },
	{ "NAME", "--with", NULL, NULL, "several", TSH_ARG_WORD, .flags = OPT | MANY },
	{ "COND", "--stop-when", NULL, NULL, "the end", TSH_ARG_EXPRESSION, .flags = OPT },
	EVENTS(OPT | MANY), IF, WHERE, FIELDS, END,
};
static const struct tsh_arg enable[] = { EVENTS(MANY), IF, END };
static const struct tsh_arg run[] = {
	{ "USER", "--user", NULL, NULL, "as whom", TSH_ARG_USER, .flags = OPT },
	{ "all", "--all", NULL, NULL, "everybody", TSH_ARG_FLAG, .flags = OPT },
	EVENTS(OPT | MANY), IF, WHERE, FIELDS,
	{ "PROGRAM", NULL, "--", NULL, "what runs", TSH_ARG_ARGV, .flags = 0 },
	END,
};
static const struct tsh_arg filter[] = {
	EVENTS(0),
	{ "FILTER", NULL, NULL, NULL, "the filter", TSH_ARG_EXPRESSION, .flags = OPT },
	END,
};
static const struct tsh_arg pid[] = {
	{ "no-fork", "--no-fork", NULL, NULL, "not the children", TSH_ARG_FLAG, .flags = OPT },
	{ "VERB", NULL, NULL, pid_verbs, "what", TSH_ARG_CHOICE, .flags = OPT },
	{ "TASK", NULL, NULL, NULL, "who", TSH_ARG_TASK, .flags = OPT | MANY },
	END,
};
static const struct tsh_arg functions[] = {
	{ "VERB", NULL, NULL, function_verbs, "what", TSH_ARG_CHOICE, .flags = 0 },
	{ "GLOB", NULL, NULL, NULL, "which", TSH_ARG_FUNCTION, .flags = OPT | MANY },
	END,
};
static const struct tsh_arg option[] = {
	{ "NAME", NULL, NULL, NULL, "which", TSH_ARG_OPTION, .flags = OPT },
	{ "STATE", NULL, NULL, on_off, "how", TSH_ARG_CHOICE, .flags = OPT },
	END,
};
static const struct tsh_arg let[] = {
	{ "NAME", NULL, NULL, NULL, "the variable", TSH_ARG_ASSIGNMENT, .flags = 0 }, END,
};
static const struct tsh_arg try[] = {
	{ "COMMAND", NULL, NULL, NULL, "what may fail", TSH_ARG_STATEMENT, .flags = 0 },
	{ "OTHERWISE", NULL, "else", NULL, "what then", TSH_ARG_STATEMENT, .flags = OPT },
	END,
};
static const struct tsh_arg marker[] = {
	{ "raw", "--raw", NULL, NULL, "raw", TSH_ARG_FLAG, .flags = OPT },
	{ "TEXT", NULL, NULL, NULL, "the text", TSH_ARG_TEXT, .flags = 0 },
	END,
};
static const struct tsh_arg buffer[] = {
	{ "SIZE", NULL, NULL, NULL, "per CPU", TSH_ARG_SIZE, .flags = OPT }, END,
};
static const struct tsh_arg format[] = {
	{ "FORMAT", "--format", NULL, formats, "which", TSH_ARG_CHOICE, .flags = OPT },
	{ "STATE", NULL, NULL, on_off, "how", TSH_ARG_CHOICE, .flags = OPT },
	END,
};
/* Has a choice before a text that takes the rest, and clauses with one word, several and none. */
static const struct tsh_arg made_up[] = {
	{ "VERB", NULL, NULL, on_off, "how", TSH_ARG_CHOICE, .flags = OPT },
	{ "REST", NULL, NULL, NULL, "the rest", TSH_ARG_TEXT, .flags = OPT },
	{ "FILE", NULL, "to", NULL, "where", TSH_ARG_FILE, .flags = OPT },
	{ "KEY", NULL, "by", NULL, "how", TSH_ARG_WORD, .flags = OPT | MANY },
	{ "down", NULL, "desc", NULL, "down", TSH_ARG_FLAG, .flags = OPT },
	END,
};
static const struct tsh_arg moment[] = {
	{ "WHEN", "--since", NULL, NULL, "from when", TSH_ARG_MOMENT, .flags = OPT },
	{ "WHEN", "--until", NULL, NULL, "to when", TSH_ARG_MOMENT, .flags = OPT },
	{ "TEXT", NULL, NULL, NULL, "when", TSH_ARG_MOMENT, .flags = OPT },
	END,
};
static const struct tsh_arg range[] = {
	{ "WHEN", "--since", NULL, NULL, "from when", TSH_ARG_MOMENT, .flags = OPT }, END,
};
static const struct tsh_arg nothing[] = { END };

static const struct command {
	const char *name;
	const struct tsh_arg *args;
	const char *usage;
} commands[] = {
	{ "stream", stream,
	  "stream [-n N] [--for TIME] [--cpu CPUS] [--here] [--with NAME..] [--stop-when COND] "
	  "[EVENT..] [if FILTER] [where EXPR] [fields LIST]" },
	{ "enable", enable, "enable EVENT.. [if FILTER]" },
	{ "run", run,
	  "run [--user USER] [--all] [EVENT..] [if FILTER] [where EXPR] [fields LIST] "
	  "-- PROGRAM [ARG].." },
	{ "filter", filter, "filter EVENT [FILTER]" },
	{ "pid", pid, "pid [--no-fork] [add|del|clear] [TASK..]" },
	{ "functions", functions, "functions filter|notrace|graph|clear [GLOB..]" },
	{ "option", option, "option [NAME [on|off]]" },
	{ "let", let, "let NAME = VALUE" },
	{ "try", try, "try COMMAND [else OTHERWISE]" },
	{ "marker", marker, "marker [--raw] TEXT" },
	{ "buffer", buffer, "buffer [SIZE]" },
	{ "format", format, "format [--format FORMAT] [on|off]" },
	{ "made-up", made_up, "made-up [on|off] [REST] [to FILE] [by KEY..] [desc]" },
	{ "moment", moment, "moment [--since WHEN] [--until WHEN] [TEXT]" },
	{ "range", range, "range [--since WHEN]" },
	{ "on", nothing, "on" },
};

static inline const char *get_var(void *ctx, const char *name)
{
	(void)ctx;
	if (!strcmp(name, "x"))
		return "5";
	if (!strcmp(name, "opt"))
		return "-n";
	if (!strcmp(name, "word"))
		return "if";
	if (!strcmp(name, "empty"))
		return "";
	return NULL;
}

static const struct tsh_vars vars = { .get = get_var };

static inline const struct command *find(const char *name)
{
	size_t i;

	for (i = 0; i < N(commands); i++) {
		if (!strcmp(commands[i].name, name))
			return &commands[i];
	}
	fail_msg("no command %s", name);
	return NULL;
}

static inline void show_value(struct tsh_strbuf *out, const struct tsh_value *value)
{
	tsh_strbuf_addf(out, "%s=<%s>", value->arg->name, value->word.text);
	switch (value->arg->type) {
	case TSH_ARG_NUMBER:
	case TSH_ARG_SIZE:
	case TSH_ARG_TIME:
		tsh_strbuf_addc(out, '=');
		tsh_strbuf_addu(out, value->number);
		break;
	case TSH_ARG_CPUS:
		tsh_strbuf_addc(out, '=');
		tsh_cpuset_format_list(&value->cpus, out);
		break;
	default:
		break;
	}
}

/* Returns "NAME=<text> ..", with unread text behind " ^"; on an error "! message @begin-end
 * (hint)". */
static inline char *parse(const char *text, bool in_try)
{
	struct tsh_strbuf out = TSH_STRBUF_INIT;
	struct tsh_err err = { 0 };
	struct tsh_args args;
	struct tsh_lexer lx;
	struct tsh_word name;
	size_t i;

	tsh_lexer_init(&lx, text, strlen(text), &vars);
	assert_int_equal(tsh_lexer_word(&lx, &name, &err), TSH_TOKEN_WORD);
	if (tsh_grammar_parse(&lx, name.text, find(name.text)->args, common, in_try, &args,
			      &err) < 0) {
		assert_int_equal(err.status, TSH_USAGE);
		assert_true(err.span.end <= lx.len);
		tsh_strbuf_addf(&out, "! %s @%zu-%zu", err.message, err.span.begin, err.span.end);
		if (err.hint && strncmp(err.hint, "usage: ", 7) != 0)
			tsh_strbuf_addf(&out, " (%s)", err.hint);
		else if (err.hint)
			tsh_strbuf_adds(&out, " (usage)");
	} else {
		assert_int_equal(args.command.begin, name.span.begin);
		assert_int_equal(args.command.end, name.span.end);
		assert_int_equal(args.whole.begin, name.span.begin);
		for (i = 0; i < args.n; i++) {
			if (i)
				tsh_strbuf_addc(&out, ' ');
			show_value(&out, &args.v[i]);
		}
		if (lx.pos < lx.len)
			tsh_strbuf_addf(&out, " ^%s", lx.text + lx.pos);
	}
	tsh_args_release(&args);
	tsh_word_release(&name);
	tsh_err_release(&err);
	return tsh_strbuf_detach(&out);
}

struct row {
	const char *text;
	const char *want;
};

static inline void check(const struct row *rows, size_t n, bool in_try)
{
	size_t i, bad = 0;

	for (i = 0; i < n; i++) {
		char *got = parse(rows[i].text, in_try);

		if (strcmp(got, rows[i].want) != 0) {
			print_error("%s\n    want %s\n    got  %s\n", rows[i].text, rows[i].want,
				    got);
			bad++;
		}
		free(got);
	}
	assert_int_equal(bad, 0);
}

#endif
