/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tracesh/grammar.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "tracesh/strbuf.h"
#include "tracesh/xmalloc.h"

#define N(array) (sizeof(array) / sizeof((array)[0]))

enum { OPT = TSH_ARG_OPTIONAL, MANY = TSH_ARG_MANY };

#define IF { "FILTER", NULL, "if", NULL, "the kernel's filter", TSH_ARG_EXPRESSION, OPT }
#define WHERE { "EXPR", NULL, "where", NULL, "our filter", TSH_ARG_EXPRESSION, OPT }
#define FIELDS { "LIST", NULL, "fields", NULL, "what to show", TSH_ARG_TEXT, OPT }
#define EVENTS(flags) { "EVENT", NULL, NULL, NULL, "an event", TSH_ARG_EVENT, flags }
#define END { NULL, NULL, NULL, NULL, NULL, 0, 0 }

static const char *const pid_verbs[] = { "add", "del", "clear", NULL };
static const char *const function_verbs[] = { "filter", "notrace", "graph", "clear", NULL };
static const char *const on_off[] = { "on", "off", NULL };
static const char *const formats[] = { "text", "json", "csv", "kernel", "raw", "none", NULL };

static const struct tsh_arg common[] = {
	{ "OUTPUT", "-o", NULL, NULL, "to a file", TSH_ARG_FILE, OPT },
	END,
};
static const struct tsh_arg stream[] = {
	{ "N", "-n", NULL, NULL, "events", TSH_ARG_NUMBER, OPT },
	{ "TIME", "--for", NULL, NULL, "how long", TSH_ARG_TIME, OPT },
	{ "CPUS", "--cpu", NULL, NULL, "which", TSH_ARG_CPUS, OPT },
	{ "here", "--here", NULL, NULL, "in the current instance", TSH_ARG_FLAG, OPT },
	{ "NAME", "--with", NULL, NULL, "several", TSH_ARG_WORD, OPT | MANY },
	{ "COND", "--stop-when", NULL, NULL, "the end", TSH_ARG_EXPRESSION, OPT },
	EVENTS(OPT | MANY), IF, WHERE, FIELDS, END,
};
static const struct tsh_arg enable[] = { EVENTS(MANY), IF, END };
static const struct tsh_arg run[] = {
	{ "USER", "--user", NULL, NULL, "as whom", TSH_ARG_USER, OPT },
	{ "all", "--all", NULL, NULL, "everybody", TSH_ARG_FLAG, OPT },
	EVENTS(OPT | MANY), IF, WHERE, FIELDS,
	{ "PROGRAM", NULL, "--", NULL, "what runs", TSH_ARG_ARGV, 0 },
	END,
};
static const struct tsh_arg filter[] = {
	EVENTS(0),
	{ "FILTER", NULL, NULL, NULL, "the filter", TSH_ARG_EXPRESSION, OPT },
	END,
};
static const struct tsh_arg pid[] = {
	{ "no-fork", "--no-fork", NULL, NULL, "not the children", TSH_ARG_FLAG, OPT },
	{ "VERB", NULL, NULL, pid_verbs, "what", TSH_ARG_CHOICE, OPT },
	{ "TASK", NULL, NULL, NULL, "who", TSH_ARG_TASK, OPT | MANY },
	END,
};
static const struct tsh_arg functions[] = {
	{ "VERB", NULL, NULL, function_verbs, "what", TSH_ARG_CHOICE, 0 },
	{ "GLOB", NULL, NULL, NULL, "which", TSH_ARG_FUNCTION, OPT | MANY },
	END,
};
static const struct tsh_arg option[] = {
	{ "NAME", NULL, NULL, NULL, "which", TSH_ARG_OPTION, OPT },
	{ "STATE", NULL, NULL, on_off, "how", TSH_ARG_CHOICE, OPT },
	END,
};
static const struct tsh_arg let[] = {
	{ "NAME", NULL, NULL, NULL, "the variable", TSH_ARG_ASSIGNMENT, 0 }, END,
};
static const struct tsh_arg try[] = {
	{ "COMMAND", NULL, NULL, NULL, "what may fail", TSH_ARG_STATEMENT, 0 },
	{ "OTHERWISE", NULL, "else", NULL, "what then", TSH_ARG_STATEMENT, OPT },
	END,
};
static const struct tsh_arg marker[] = {
	{ "raw", "--raw", NULL, NULL, "raw", TSH_ARG_FLAG, OPT },
	{ "TEXT", NULL, NULL, NULL, "the text", TSH_ARG_TEXT, 0 },
	END,
};
static const struct tsh_arg buffer[] = {
	{ "SIZE", NULL, NULL, NULL, "per CPU", TSH_ARG_SIZE, OPT }, END,
};
static const struct tsh_arg format[] = {
	{ "FORMAT", "--format", NULL, formats, "which", TSH_ARG_CHOICE, OPT },
	{ "STATE", NULL, NULL, on_off, "how", TSH_ARG_CHOICE, OPT },
	END,
};
/* A choice, then a rest; clauses with one word, several, none. */
static const struct tsh_arg made_up[] = {
	{ "VERB", NULL, NULL, on_off, "how", TSH_ARG_CHOICE, OPT },
	{ "REST", NULL, NULL, NULL, "the rest", TSH_ARG_TEXT, OPT },
	{ "FILE", NULL, "to", NULL, "where", TSH_ARG_FILE, OPT },
	{ "KEY", NULL, "by", NULL, "how", TSH_ARG_WORD, OPT | MANY },
	{ "down", NULL, "desc", NULL, "down", TSH_ARG_FLAG, OPT },
	END,
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
	{ "on", nothing, "on" },
};

static const char *get_var(void *ctx, const char *name)
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

static const struct command *find(const char *name)
{
	size_t i;

	for (i = 0; i < N(commands); i++) {
		if (!strcmp(commands[i].name, name))
			return &commands[i];
	}
	fail_msg("no command %s", name);
	return NULL;
}

static void show_value(struct tsh_strbuf *out, const struct tsh_value *value)
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

/* "NAME=<text> ..", then what was left behind " ^"; or "message @begin-end (hint)". */
static char *parse(const char *text, bool in_try)
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

static void check(const struct row *rows, size_t n, bool in_try)
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

static void test_options(void **state)
{
	static const struct row rows[] = {
		{ "stream", "" },
		{ "stream sched_switch -n 10", "EVENT=<sched_switch> N=<10>=10" },
		{ "stream -n10 a", "N=<10>=10 EVENT=<a>" },
		{ "stream -n=10", "N=<10>=10" },
		{ "stream -n 0x10", "N=<0x10>=16" },
		{ "stream -n\"${x}0\" a", "N=<50>=50 EVENT=<a>" },
		{ "stream --for 2s a --here b",
		  "TIME=<2s>=2000000000 EVENT=<a> here=<--here> EVENT=<b>" },
		{ "stream --for=20ms --cpu=0-3,7", "TIME=<20ms>=20000000 CPUS=<0-3,7>=0-3,7" },
		{ "stream --for='1m'|wc", "TIME=<1m>=60000000000 ^|wc" },
		{ "stream --with a --with=b -o f", "NAME=<a> NAME=<b> OUTPUT=<f>" },
		{ "stream -o - -5 -.5", "OUTPUT=<-> EVENT=<-5> EVENT=<-.5>" },
		{ "stream '-n' \"--for\"", "EVENT=<-n> EVENT=<--for>" },
		{ "stream ${opt} ${word}", "EVENT=<-n> EVENT=<if>" },
		{ "stream --stop-when a == 1 && b -n 5 x",
		  "COND=<a == 1 && b> N=<5>=5 EVENT=<x>" },
		{ "stream --stop-when='a == 1' if b", "COND=<a == 1> FILTER=<b>" },
		{ "stream --fro 2s", "! unknown option '--fro' @7-12 (did you mean '--for'?)" },
		{ "stream --fro=2s", "! unknown option '--fro' @7-12 (did you mean '--for'?)" },
		{ "stream a -x", "! unknown option '-x' @9-11 (usage)" },
		{ "stream --", "! unexpected '--' @7-9 (usage)" },
		{ "stream -n 1 a -n 2", "! option '-n' given twice @14-16" },
		{ "stream -n", "! option '-n' needs a value @7-9 (usage)" },
		{ "stream -n # 5", "! option '-n' needs a value @7-9 (usage)" },
		{ "stream --for --here", "! option '--for' needs a value @7-12 (usage)" },
		{ "stream --for= 2s", "! option '--for' needs a value @7-12 (usage)" },
		{ "stream --stop-when if a", "! missing COND @7-18 (usage)" },
		{ "stream --here=1", "! option '--here' takes no value @7-13" },
		{ "pid --no-forks",
		  "! unknown option '--no-forks' @4-14 (did you mean '--no-fork'?)" },
		{ "on -o x", "OUTPUT=<x>" },
		{ "on --out x", "! unknown option '--out' @3-8 (usage)" },
	};

	(void)state;
	check(rows, N(rows), false);
}

static void test_values(void **state)
{
	static const struct row rows[] = {
		{ "stream -n 12x", "! '12x' is not a number @10-13" },
		{ "stream -n -5", "! '-5' is not a number @10-12" },
		{ "stream -n ''", "! '' is not a number @10-12" },
		{ "stream -n 99999999999999999999",
		  "! '99999999999999999999' is out of range @10-30" },
		{ "stream --for '5 parsecs'",
		  "! '5 parsecs' is not a time @13-24 (times look like 20ms, 2s, 1m)" },
		{ "stream --for=5x", "! '5x' is not a time @13-15 (times look like 20ms, 2s, 1m)" },
		{ "stream -n5x", "! '5x' is not a number @9-11" },
		{ "stream --cpu x",
		  "! 'x' is not a list of CPUs @13-14 (lists of CPUs look like 0-3,7)" },
		{ "buffer 64K", "SIZE=<64K>=65536" },
		{ "buffer ${x}M # five", "SIZE=<5M>=5242880 ^ # five" },
		{ "buffer 5q", "! '5q' is not a size @7-9 (sizes look like 4096, 64K, 1.5M)" },
		{ "buffer 1 2", "! unexpected '2' @9-10 (usage)" },
		{ "buffer 1 '2 3'", "! unexpected '2 3' @9-14 (usage)" },
		{ "on x", "! unexpected 'x' @3-4 (usage)" },
		{ "on ${none}", "! unknown variable 'none' @3-10 (set it: let none = VALUE)" },
		{ "buffer 'x", "! unterminated quote @7-8" },
		{ "format --format json on", "FORMAT=<json> STATE=<on>" },
		{ "format --format \"json\" 'on'", "FORMAT=<json> STATE=<on>" },
		{ "format --format=jsn",
		  "! 'jsn' is not possible here @16-19 (did you mean 'json'? "
				       "possible: text, json, csv, kernel, raw, none)" },
		{ "format maybe", "! 'maybe' is not possible here @7-12 (possible: on, off)" },
	};

	(void)state;
	check(rows, N(rows), false);
}

static void test_positionals(void **state)
{
	static const struct row rows[] = {
		{ "enable sched_switch", "EVENT=<sched_switch>" },
		{ "enable a b c", "EVENT=<a> EVENT=<b> EVENT=<c>" },
		{ "enable", "! missing EVENT @0-6 (usage)" },
		{ "enable ; on", "! missing EVENT @0-6 (usage)" },
		{ "  enable | wc", "! missing EVENT @2-8 (usage)" },
		{ "enable -o x", "! missing EVENT @0-6 (usage)" },
		{ "pid", "" },
		{ "pid 123", "TASK=<123>" },
		{ "pid add 1 nginx", "VERB=<add> TASK=<1> TASK=<nginx>" },
		{ "pid 1 add", "TASK=<1> TASK=<add>" },
		{ "pid 'add'", "TASK=<add>" },
		{ "pid clear", "VERB=<clear>" },
		{ "pid add -- 1", "! unexpected '--' @8-10 (usage)" },
		{ "pid -1 --no-fork", "TASK=<-1> no-fork=<--no-fork>" },
		{ "functions filter vfs_*", "VERB=<filter> GLOB=<vfs_*>" },
		{ "functions", "! missing filter|notrace|graph|clear @0-9 (usage)" },
		{ "functions filtr x",
		  "! 'filtr' is not possible here @10-15 (did you mean 'filter'? "
				       "possible: filter, notrace, graph, clear)" },
		{ "option", "" },
		{ "option sym-addr on", "NAME=<sym-addr> STATE=<on>" },
		{ "option on", "NAME=<on>" },
		{ "option sym-addr no", "! 'no' is not possible here @16-18 (did you mean 'on'? "
					"possible: on, off)" },
		{ "filter a", "EVENT=<a>" },
		{ "filter a prev_comm ~ \"x|y\" # c",
		  "EVENT=<a> FILTER=<prev_comm ~ \"x|y\"> ^# c" },
		{ "filter a 'pid == ${x}'", "EVENT=<a> FILTER=<pid == ${x}>" },
		{ "filter a \"pid == ${x}\" | wc", "EVENT=<a> FILTER=<pid == 5> ^| wc" },
		{ "filter -o f a -o == 1", "! option '-o' given twice @14-16" },
		{ "filter a where b -o c", "EVENT=<a> FILTER=<where b -o c>" },
		{ "filter a -5 == b", "EVENT=<a> FILTER=<-5 == b>" },
		{ "marker a  'b' --raw", "TEXT=<a  'b' --raw>" },
		{ "marker --raw a", "raw=<--raw> TEXT=<a>" },
		{ "marker --- a ---", "TEXT=<--- a --->" },
		{ "marker -- a", "TEXT=<-- a>" },
		{ "marker \"a; b\"", "TEXT=<a; b>" },
		{ "marker ''", "TEXT=<>" },
		{ "marker ${empty}", "! missing TEXT @0-6 (usage)" },
		{ "marker", "! missing TEXT @0-6 (usage)" },
		{ "made-up on the way", "VERB=<on> REST=<the way>" },
		{ "made-up the way on", "REST=<the way on>" },
		{ "made-up 'on' it", "REST=<'on' it>" },
		{ "made-up --raw", "REST=<--raw>" },
	};

	(void)state;
	check(rows, N(rows), false);
}

static void test_clauses(void **state)
{
	static const struct row rows[] = {
		{ "enable a if prev_pid == 5", "EVENT=<a> FILTER=<prev_pid == 5>" },
		{ "enable a if x == \"if where\" | wc",
		  "EVENT=<a> FILTER=<x == \"if where\"> ^| wc" },
		{ "enable a 'if' b", "EVENT=<a> EVENT=<if> EVENT=<b>" },
		{ "enable a where b", "EVENT=<a> EVENT=<where> EVENT=<b>" },
		{ "stream a if b where c fields d, e  f -n 1",
		  "! option '-n' must stand before 'fields' @37-39" },
		{ "stream a if b where c fields d, e  f; x",
		  "EVENT=<a> FILTER=<b> EXPR=<c> LIST=<d, e  f> ^; x" },
		{ "stream where (a where b) fields c", "EXPR=<(a where b)> LIST=<c>" },
		{ "stream a if pid == 5 -n 10", "! option '-n' must stand before 'if' @21-23" },
		{ "stream a if pid == 5 -o f", "! option '-o' must stand before 'if' @21-23" },
		{ "stream a if pid == '-n' && (b -n c)",
		  "EVENT=<a> FILTER=<pid == '-n' && (b -n c)>" },
		{ "stream a where b if c", "! 'if' must stand before 'where' @17-19" },
		{ "stream a if b if c", "! 'if' given twice @14-16" },
		{ "stream a if", "! missing FILTER @9-11 (usage)" },
		{ "stream a if where b", "! missing FILTER @9-11 (usage)" },
		{ "stream a if ${empty}", "! missing FILTER @9-11 (usage)" },
		{ "stream a fields", "! missing LIST @9-15 (usage)" },
		{ "enable if a", "! missing EVENT @0-6 (usage)" },
		{ "enable a if 'x == 1", "! unterminated quote @12-13" },
		{ "run a if b -- ls -l 'x y' if \"${x}\" -- else; on",
		  "EVENT=<a> FILTER=<b> PROGRAM=<ls> PROGRAM=<-l> PROGRAM=<x y> PROGRAM=<if> "
		  "PROGRAM=<5> PROGRAM=<--> PROGRAM=<else> ^; on" },
		{ "run -- true", "PROGRAM=<true>" },
		{ "run --all --user=root a -- b --all",
		  "all=<--all> USER=<root> EVENT=<a> PROGRAM=<b> PROGRAM=<--all>" },
		{ "run a", "! missing -- PROGRAM @0-3 (usage)" },
		{ "run a --", "! missing PROGRAM @6-8 (usage)" },
		{ "run a '--' b", "! missing -- PROGRAM @0-3 (usage)" },
		{ "made-up off to f by a b desc",
		  "VERB=<off> FILE=<f> KEY=<a> KEY=<b> down=<desc>" },
		{ "made-up some text to f", "REST=<some text> FILE=<f>" },
		{ "made-up to f g", "! unexpected 'g' @13-14 (usage)" },
		{ "made-up to by a", "! missing FILE @8-10 (usage)" },
		{ "made-up desc -o x", "! option '-o' must stand before 'desc' @13-15" },
		{ "made-up desc -x", "! unknown option '-x' @13-15 (usage)" },
	};

	(void)state;
	check(rows, N(rows), false);
}

#define NAMES "(names have letters, digits and '_', and do not begin with a digit)"

static void test_let(void **state)
{
	static const struct row rows[] = {
		{ "let x=5", "NAME=<x> value=<5>" },
		{ "let x = 5", "NAME=<x> value=<5>" },
		{ "let x= 5", "NAME=<x> value=<5>" },
		{ "let x =5", "NAME=<x> value=<5>" },
		{ "let x = \"a ${x}\" # c", "NAME=<x> value=<a 5> ^ # c" },
		{ "let x='a b'c", "NAME=<x> value=<a bc>" },
		{ "let _a1 = ''", "NAME=<_a1> value=<>" },
		{ "let x = -n", "NAME=<x> value=<-n>" },
		{ "let x = a=b", "NAME=<x> value=<a=b>" },
		{ "let x = \\\n 5", "NAME=<x> value=<5>" },
		{ "let", "! missing NAME @0-3 (usage)" },
		{ "let x", "! missing '=' after 'x' @4-5 (usage)" },
		{ "let x; y", "! missing '=' after 'x' @4-5 (usage)" },
		{ "let x 5", "! missing '=' after 'x' @4-5 (usage)" },
		{ "let = 5", "! missing NAME @4-5 (usage)" },
		{ "let x =", "! missing VALUE after '=' @6-7 (usage)" },
		{ "let x = # 5", "! missing VALUE after '=' @6-7 (usage)" },
		{ "let 1x = 5", "! '1x' is not a name @4-6 "
				NAMES },
		{ "let 'x'=5", "! ''x'' is not a name @4-7 "
			       NAMES },
		{ "let x = a b", "! unexpected 'b' @10-11 (a value with blanks stands in quotes)" },
		{ "let x = 'a", "! unterminated quote @8-9" },
	};

	(void)state;
	check(rows, N(rows), false);
}

static void test_try(void **state)
{
	static const struct row rows[] = {
		{ "try on", "COMMAND=<on>" },
		{ "try on else off", "COMMAND=<on> OTHERWISE=<off>" },
		{ "try enable a if x == ${y} && z == \"else\" else marker it is; on",
		  "COMMAND=<enable a if x == ${y} && z == \"else\"> "
		  "OTHERWISE=<marker it is> ^; on" },
		{ "try enable a if (b & (1|2)) | wc", "COMMAND=<enable a if (b & (1|2))> ^| wc" },
		{ "try a else try b else c", "COMMAND=<a> OTHERWISE=<try b else c>" },
		{ "try -x", "COMMAND=<-x>" },
		{ "try", "! missing COMMAND @0-3 (usage)" },
		{ "try else on", "! missing COMMAND @0-3 (usage)" },
		{ "try on else", "! missing OTHERWISE @7-11 (usage)" },
		{ "try 'on", "! unterminated quote @4-5" },
	};
	static const struct row inside[] = {
		{ "on else off", " ^ else off" },
		{ "enable a if b else c", "EVENT=<a> FILTER=<b> ^else c" },
		{ "enable a 'else' b else c", "EVENT=<a> EVENT=<else> EVENT=<b> ^ else c" },
		{ "enable else c", "! missing EVENT @0-6 (usage)" },
		{ "marker a else b", "TEXT=<a> ^else b" },
		{ "marker 'a else b'", "TEXT=<a else b>" },
		{ "run -- a else b", "PROGRAM=<a> ^ else b" },
		{ "stream -n else b", "! option '-n' needs a value @7-9 (usage)" },
		{ "let x = else", "! missing VALUE after '=' @6-7 (usage)" },
		{ "try a else b", "COMMAND=<a> ^else b" },
	};

	(void)state;
	check(rows, N(rows), false);
	check(inside, N(inside), true);
}

static void test_usage(void **state)
{
	struct tsh_strbuf out = TSH_STRBUF_INIT;
	size_t i;

	(void)state;
	for (i = 0; i < N(commands); i++) {
		tsh_strbuf_clear(&out);
		tsh_grammar_usage(&out, commands[i].name, commands[i].args);
		assert_string_equal(out.buf, commands[i].usage);
	}
	tsh_strbuf_release(&out);
}

static void test_usage_hint(void **state)
{
	struct tsh_err err = { 0 };
	struct tsh_args args;
	struct tsh_lexer lx;

	(void)state;
	tsh_lexer_init(&lx, "enable", 6, NULL);
	assert_int_equal(tsh_lexer_word(&lx, NULL, &err), TSH_TOKEN_WORD);
	assert_int_equal(tsh_grammar_parse(&lx, "enable", enable, NULL, false, &args, &err), -1);
	assert_string_equal(err.message, "missing EVENT");
	assert_string_equal(err.hint, "usage: enable EVENT.. [if FILTER]");
	assert_null(args.v);
	tsh_err_release(&err);
}

static void test_args(void **state)
{
	static const char text[] = "on; stream a --with x b --with y if 'c == \"d\"' | wc";
	const struct tsh_value *value;
	struct tsh_err err = { 0 };
	struct tsh_args args;
	struct tsh_lexer lx;

	(void)state;
	tsh_lexer_init(&lx, text, strlen(text), NULL);
	assert_true(tsh_lexer_next_command(&lx));
	assert_int_equal(tsh_lexer_word(&lx, NULL, &err), TSH_TOKEN_WORD);
	assert_true(tsh_lexer_next_command(&lx));
	assert_int_equal(tsh_lexer_word(&lx, NULL, &err), TSH_TOKEN_WORD);
	assert_int_equal(tsh_grammar_parse(&lx, "stream", stream, common, false, &args, &err), 0);
	assert_int_equal(args.command.begin, 4);
	assert_int_equal(args.command.end, 10);
	assert_int_equal(args.whole.begin, 4);
	assert_int_equal(args.whole.end, strlen(text) - 5);
	assert_int_equal(args.n, 5);
	assert_true(tsh_args_has(&args, "EVENT"));
	assert_false(tsh_args_has(&args, "N"));
	assert_null(tsh_args_get(&args, "N"));
	assert_null(tsh_args_text(&args, "N"));
	assert_int_equal(tsh_args_count(&args, "EVENT"), 2);
	assert_int_equal(tsh_args_count(&args, "N"), 0);
	assert_string_equal(tsh_args_text(&args, "NAME"), "x");
	value = tsh_args_get(&args, "NAME");
	assert_ptr_equal(value, &args.v[1]);
	value = tsh_args_next(&args, "NAME", value);
	assert_string_equal(value->word.text, "y");
	assert_int_equal(value->word.span.begin, 31);
	assert_null(tsh_args_next(&args, "NAME", value));
	assert_string_equal(tsh_args_text(&args, "FILTER"), "c == \"d\"");
	tsh_args_release(&args);
	assert_null(tsh_args_get(&args, "EVENT"));
}

static uint32_t seed;

/* The same numbers in every run. */
static uint32_t next_random(uint32_t below)
{
	seed = seed * 1664525 + 1013904223;
	return (seed >> 8) % below;
}

/* Any mixture of words: it ends, with values in range or with an error in range. */
static void test_random(void **state)
{
	static const char *const words[] = {
		"a", "if", "where", "fields", "--", "else", "to", "by", "desc", "on", "add",
		"filter", "-n", "-n5", "--for", "--for=2s", "--with", "--here", "-o",
		"--stop-when", "--user", "-x", "5", "2s", "0-3", "x=5", "=", "x", "'b c'",
		"\"d\"", "'", "(", ")", "|", "||", ";", "#", "${x}", "${none}", "\\\n", "\n",
		"$1", "$retval", "-", "---", "--=", "=5",
	};
	unsigned int round;
	size_t i, n;

	(void)state;
	seed = 2;
	for (round = 0; round < 50000; round++) {
		const struct command *cmd = &commands[next_random(N(commands))];
		struct tsh_strbuf text = TSH_STRBUF_INIT;
		struct tsh_err err = { 0 };
		struct tsh_args args;
		struct tsh_lexer lx;

		tsh_strbuf_adds(&text, cmd->name);
		for (n = next_random(12); n; n--) {
			if (next_random(10))
				tsh_strbuf_addc(&text, ' ');
			tsh_strbuf_adds(&text, words[next_random(N(words))]);
		}
		tsh_lexer_init(&lx, text.buf, text.len, &vars);
		lx.pos = strlen(cmd->name);
		if (tsh_grammar_parse(&lx, cmd->name, cmd->args, common, next_random(2), &args,
				      &err) < 0) {
			assert_int_equal(args.n, 0);
			assert_true(tsh_err_is_set(&err));
			assert_true(err.span.begin < err.span.end && err.span.end <= text.len);
		}
		for (i = 0; i < args.n; i++) {
			assert_true(args.v[i].word.span.end <= args.whole.end);
			assert_true(!i || args.v[i].word.span.begin >= args.v[i - 1].word.span.end);
		}
		assert_true(args.whole.end <= text.len && lx.pos <= text.len);
		tsh_lexer_skip_command(&lx);
		tsh_args_release(&args);
		tsh_err_release(&err);
		tsh_strbuf_release(&text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_options),	   cmocka_unit_test(test_values),
		cmocka_unit_test(test_positionals), cmocka_unit_test(test_clauses),
		cmocka_unit_test(test_let),	   cmocka_unit_test(test_try),
		cmocka_unit_test(test_usage),	   cmocka_unit_test(test_usage_hint),
		cmocka_unit_test(test_args),	   cmocka_unit_test(test_random),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
