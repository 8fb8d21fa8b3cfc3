/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "commands.h"

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
		{ "stream -n 1 a -n 2", "! option '-n' given twice @14-16 (remove one of the two)" },
		{ "stream --here --here", "! option '--here' given twice @14-20 (remove one of the two)" },
		{ "stream --for 1s --for=2s", "! option '--for' given twice @16-21 (remove one of the two)" },
		{ "on -o x -o y", "! option '-o' given twice @8-10 (remove one of the two)" },
		{ "on -o x -ox", "! option '-o' given twice @8-10 (remove one of the two)" },
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
		{ "stream -n 12x", "! '12x' is not a number @10-13 (numbers look like 20, 0x14)" },
		{ "stream -n -5", "! '-5' is not a number @10-12 (numbers look like 20, 0x14)" },
		{ "stream -n ''", "! '' is not a number @10-12 (numbers look like 20, 0x14)" },
		{ "stream -n 99999999999999999999",
		  "! '99999999999999999999' is out of range @10-30" },
		{ "stream --for '5 parsecs'",
		  "! '5 parsecs' is not a time @13-24 (times look like 20ms, 2s, 1m)" },
		{ "stream --for=5x", "! '5x' is not a time @13-15 (times look like 20ms, 2s, 1m)" },
		{ "stream -n5x", "! '5x' is not a number @9-11 (numbers look like 20, 0x14)" },
		{ "stream --cpu x",
		  "! 'x' is not a list of CPUs @13-14 (lists of CPUs look like 0-3,7)" },
		{ "buffer 64K", "SIZE=<64K>=65536" },
		{ "buffer ${x}M # five", "SIZE=<5M>=5242880 ^ # five" },
		{ "buffer 5q", "! '5q' is not a size @7-9 (sizes look like 4096, 64K, 1.5M)" },
		{ "buffer 1 2", "! unexpected '2' @9-10 (usage)" },
		{ "buffer 1 '2 3'", "! unexpected '2 3' @9-14 (usage)" },
		{ "on x", "! unexpected 'x' @3-4 (usage)" },
		{ "on ${none}", "! unknown variable 'none' @3-10 (set it: let none = VALUE)" },
		{ "buffer 'x", "! unterminated quote @7-8 (close it with another '; for the character itself write \"'\")" },
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
		{ "filter -o f a -o == 1", "! option '-o' given twice @14-16 (remove one of the two)" },
		{ "filter a where b -o c", "EVENT=<a> FILTER=<where b -o c>" },
		{ "filter a -5 == b", "EVENT=<a> FILTER=<-5 == b>" },
		{ "moment --since -5s --until=22:47:33", "WHEN=<-5s> WHEN=<22:47:33>" },
		{ "moment --since '2024-01-02 22:47:33' x", "WHEN=<2024-01-02 22:47:33> TEXT=<x>" },
		{ "moment -5s", "TEXT=<-5s>" },
		{ "moment 2024-01-02  22:47:33 | wc", "TEXT=<2024-01-02  22:47:33> ^| wc" },
		{ "moment 'Jan  2 22:47:33'", "TEXT=<Jan  2 22:47:33>" },
		{ "moment Jan 2 -o x", "TEXT=<Jan 2> OUTPUT=<x>" },
		{ "moment --since -o x", "! option '--since' needs a value @7-14 (usage)" },
		{ "moment --sinc 5s", "TEXT=<--sinc 5s>" },
		{ "range --since 2024-01-02 22:47:33",
		  "! unexpected '22:47:33' @25-33 (date and time are one word: in quotes, or with a T "
		  "between them)" },
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
		{ "stream a if b if c", "! 'if' given twice @14-16 (remove one of the two)" },
		{ "stream a if", "! missing FILTER @9-11 (usage)" },
		{ "stream a if where b", "! missing FILTER @9-11 (usage)" },
		{ "stream a if ${empty}", "! missing FILTER @9-11 (usage)" },
		{ "stream a fields", "! missing LIST @9-15 (usage)" },
		{ "enable if a", "! missing EVENT @0-6 (EVENT stands before 'if': help enable)" },
		{ "enable a if 'x == 1", "! unterminated quote @12-13 (close it with another '; for the character itself write \"'\")" },
		{ "run a if b -- ls -l 'x y' if \"${x}\" -- else; on",
		  "EVENT=<a> FILTER=<b> PROGRAM=<ls> PROGRAM=<-l> PROGRAM=<x y> PROGRAM=<if> "
		  "PROGRAM=<5> PROGRAM=<--> PROGRAM=<else> ^; on" },
		{ "run -- true", "PROGRAM=<true>" },
		{ "run --all --user=root a -- b --all",
		  "all=<--all> USER=<root> EVENT=<a> PROGRAM=<b> PROGRAM=<--all>" },
		{ "run a",
		  "! missing -- PROGRAM @0-3 (put the program behind --, as in: run -- ls)" },
		{ "run a --", "! missing PROGRAM @6-8 (usage)" },
		{ "run a '--' b",
		  "! missing -- PROGRAM @0-3 (put the program behind --, as in: run -- ls)" },
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
		{ "let x = a b", "! unexpected 'b' @10-11 (put a value with blanks in quotes)" },
		{ "let x = 'a", "! unterminated quote @8-9 (close it with another '; for the character itself write \"'\")" },
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
		{ "try else on", "! missing COMMAND @0-3 (COMMAND stands before 'else': help try)" },
		{ "try on else", "! missing OTHERWISE @7-11 (usage)" },
		{ "try 'on", "! unterminated quote @4-5 (close it with another '; for the character itself write \"'\")" },
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_options),
		cmocka_unit_test(test_values),
		cmocka_unit_test(test_positionals),
		cmocka_unit_test(test_clauses),
		cmocka_unit_test(test_let),
		cmocka_unit_test(test_try),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
