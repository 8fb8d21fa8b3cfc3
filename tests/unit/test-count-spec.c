/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "engine/aggregate/internal.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "call/resolve.h"
#include "cmd/commands.h"
#include "cmd/table.h"
#include "engine/pair/plan.h"
#include "help/help.h"
#include "session/cmd.h"

/* Words of hist, and statements of sql, as a spec of what is counted: without a kernel, or of a recorded tree. */

static struct tsh_call parse(const struct tsh_cmd *cmd, const char *line)
{
	struct tsh_call call = { .cmd = cmd };
	const struct tsh_vars none = { 0 };
	struct tsh_err err = { 0 };
	struct tsh_lexer lx;
	struct tsh_word name;

	tsh_lexer_init(&lx, line, strlen(line), &none);
	assert_int_equal(tsh_lexer_word(&lx, &name, &err), TSH_TOKEN_WORD);
	assert_int_equal(tsh_grammar_parse(&lx, cmd->name, cmd->args, NULL, false, &call.args, &err), 0);
	call.args.command = name.span;
	tsh_word_release(&name);
	return call;
}

static void append_span(struct tsh_strbuf *to, const char *line, struct tsh_span span)
{
	tsh_strbuf_addf(to, "[%.*s]", (int)(span.end - span.begin), line + span.begin);
}

/* Appends what of a spec is not as it is without options, and the places of its parts. */
static void append_spec(struct tsh_strbuf *to, const char *line, const struct count_spec *spec)
{
	const struct by_item *item;
	size_t i;

	count_spec_append(spec, to);
	for (i = 0; (item = count_spec_item(spec, i)); i++)
		if (item->modifier != BY_EVENT)
			append_span(to, line, item->span);
	tsh_strbuf_addf(to, "%s%s%s", spec->only ? " only" : "", spec->has_heat ? " heat" : "",
			spec->keys[0].modifier == BY_EVENT ? " event" : "");
	if (spec->top)
		tsh_strbuf_addf(to, " top %llu", (unsigned long long)spec->top);
	if (spec->every)
		tsh_strbuf_addf(to, " every %llu", (unsigned long long)spec->every);
	if (spec->size)
		tsh_strbuf_addf(to, " size %zu", spec->size);
}

/* Resolves a line as `resolve` does; `want`: its spec, or the error with what it blames. */
static void expect_of(struct tsh_session *s, const struct tsh_cmd *cmd,
		      int (*resolve)(struct tsh_session *s, struct tsh_call *call, struct tsh_err *err), const char *line,
		      const char *want)
{
	struct tsh_call call = parse(cmd, line);
	struct tsh_strbuf got = TSH_STRBUF_INIT;
	struct tsh_err err = { 0 };

	if (!resolve(s, &call, &err)) {
		append_spec(&got, line, &tsh_by_of(&call)->spec);
	} else {
		tsh_strbuf_addf(&got, "%s ", err.message);
		append_span(&got, line, err.span);
	}
	assert_string_equal(got.buf, want);
	tsh_strbuf_release(&got);
	tsh_err_release(&err);
	tsh_call_release(&call);
}

static void expect(const char *line, const char *want)
{
	struct tsh_session s = { 0 };

	expect_of(&s, &tsh_cmd_hist, tsh_by_resolve, line, want);
}

static void test_parts(void **state)
{
	(void)state;
	expect("hist e", " event");
	expect("hist e by comm", " by comm[comm]");
	expect("hist e by comm, ret.log2 (a + b)", " by comm,ret.log2,(a + b)[comm][ret.log2][(a + b)]");
	expect("hist e by pid sum x max 'x / 2'", " by pid sum x max x / 2[pid][x]['x / 2']");
	expect("hist e avg x", " avg x[x] event");
	expect("hist e by stack", " by stack[stack]");
	expect("hist e by 'a b'", " by a,b[a][b]");
}

static void test_options(void **state)
{
	(void)state;
	expect("hist --top 5 --every 500ms --size 1K e", " event top 5 every 500000000 size 1024");
	expect("hist --here e", " only event");
	expect("hist --heat e by ret.log2", " by ret.log2[ret.log2] heat every 1000000000");
	expect("hist --heat --every 2s e by ret.log2", " by ret.log2[ret.log2] heat every 2000000000");
	expect("hist --top 0 e", "--top 0 would show nothing [0]");
	expect("hist --every 99ms e", "'99ms' is less than 100ms [99ms]");
	expect("hist --size 0 e", "'0' is not between 1 and 16777216 keys [0]");
	expect("hist --heat e by pid", "--heat draws one key, of .log2 or .linear(N), and its counts [--heat]");
	expect("hist --heat e by pid,ret.log2", "--heat draws one key, of .log2 or .linear(N), and its counts [--heat]");
}

static void test_modifiers(void **state)
{
	static const struct {
		const char *line;
		enum by_modifier modifier;
		uint64_t width;
		size_t len;	/* of the key without it */
	} cases[] = {
		{ "hist e by ret", BY_PLAIN, 0, 3 },
		{ "hist e by ret.log2", BY_LOG2, 0, 3 },
		{ "hist e by ret.linear(4K)", BY_LINEAR, 4096, 3 },
		{ "hist e by call_site.sym", BY_SYM, 0, 9 },
		{ "hist e by call_site.sym_offset", BY_SYM_OFFSET, 0, 9 },
		{ "hist e by id.syscall", BY_SYSCALL, 0, 2 },
		{ "hist e by a.hex", BY_HEX, 0, 1 },
		{ "hist e by filename.ustring", BY_PLAIN, 0, 16 },
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct tsh_call call = parse(&tsh_cmd_hist, cases[i].line);
		struct tsh_session s = { 0 };
		struct tsh_err err = { 0 };
		const struct by_item *key;

		assert_int_equal(tsh_by_resolve(&s, &call, &err), 0);
		key = &tsh_by_of(&call)->spec.keys[0];
		assert_int_equal(key->modifier, cases[i].modifier);
		assert_int_equal(key->width, cases[i].width);
		assert_int_equal(key->len, cases[i].len);
		tsh_call_release(&call);
	}
}

static void test_wrong(void **state)
{
	(void)state;
	expect("hist e by a,b.nosuch", "there is no modifier 'nosuch' [nosuch]");
	expect("hist e by a.linear(0)", "linear needs the width of its steps, 1 or more [linear(0)]");
	expect("hist e by a.linear", "linear needs the width of its steps, 1 or more [linear]");
	expect("hist e by a.hex(3)", "hex takes nothing in brackets [hex(3)]");
	expect("hist e by a,b,c,d", "a fourth key: there can be three [d]");
	expect("hist e by a,b,a", "'a' is a key already [a]");
	expect("hist e by ,", "a key is missing before this [,]");
	expect("hist e by a --tpo 5", "unknown option '--tpo' [--tpo]");
	expect("hist e by 'a ='", "this is no operator [=]");
}

/* ---- sql ---- */

static void open_session(struct tsh_session *s)
{
	const char *src = getenv("SRC");
	char *path = tsh_xasprintf("%s/examples/recorded", src ? src : ".");
	struct tsh_err err = { 0 };

	*s = (struct tsh_session){ .commands = tsh_commands, .topics = tsh_topics };
	assert_int_equal(tsh_dir_open(path, &s->dir, &err), 0);
	assert_int_equal(tsh_instance_open(s->dir, NULL, &s->in, &err), 0);
	free(path);
}

static void close_session(struct tsh_session *s)
{
	tsh_cmd_session_release(s);
	tsh_instance_close(s->in);
	tsh_dir_close(s->dir);
}

/* Does what resolving does of a recorded tree, too: sql itself needs a kernel that runs. */
static int resolve_sql(struct tsh_session *s, struct tsh_call *call, struct tsh_err *err)
{
	return call->cmd->name_events(s, call, err) < 0 ? -1 : call->cmd->prepare(s, call, err);
}

static void test_statements(void **state)
{
	static const struct {
		const char *statement, *want;
	} cases[] = {
		{ "SELECT next_comm FROM sched_switch", " by next_comm[next_comm]" },
		{ "SELECT s.next_comm, COUNT(*) FROM sched_switch s LIMIT 5", " by next_comm[next_comm] top 5" },
		{ "SELECT MAX(next_prio) FROM sched_switch", " max next_prio[next_prio] event" },
		{ "SELECT CAST(prev_pid AS hex), SUM(s.next_prio) FROM sched_switch s",
		  " by prev_pid.hex sum next_prio[prev_pid][s.next_prio]" },
		{ "SELECT CAST(next_prio AS BUCKETS=64) FROM sched_switch", " by next_prio.linear(64)[BUCKETS=64]" },
		{ "SELECT next_prio - prev_prio FROM sched_switch", " by (next_prio-prev_prio)[next_prio - prev_prio]" },
		{ "SELECT CAST(next_prio AS _COUNTER_), STACKTRACE FROM sched_switch",
		  " by stack sum next_prio[STACKTRACE][next_prio]" },
		{ "SELECT CAST(common_pid AS comm) FROM sched_wakeup", " by COMM[common_pid]" },
		{ "SELECT CAST(common_pid AS comm) FROM sched_switch", " by comm[common_pid]" },
		{ "SELECT nosuch FROM sched_switch", "'nosuch' is no field [nosuch]" },
		{ "SELECT s.nosuch FROM sched_switch s", "'nosuch' is no field [nosuch]" },
		{ "SELECT CAST(nosuch AS buckets=3) FROM sched_switch", "'nosuch' is no field [nosuch]" },
		{ "SELECT prev_prio + nosuch FROM sched_switch", "'nosuch' is no field [nosuch]" },
		{ "SELECT CAST(prev_pid AS buckets=0) FROM sched_switch",
		  "linear needs the width of its steps, 1 or more [buckets=0]" },
		{ "SELECT CAST(prev_comm AS log2) FROM sched_switch",
		  "log2 needs a number, and this is a string [prev_comm]" },
		{ "SELECT SUM(prev_comm) FROM sched_switch", "sum needs a number, and this is a string [prev_comm]" },
		{ "SELECT prev_pid, next_pid FROM sched_switch GROUP BY prev_pid",
		  "it is not in GROUP BY, and not summed up [next_pid]" },
		{ "SELECT prev_pid, prev_prio, next_pid, next_prio FROM sched_switch",
		  "a fourth key: there can be three [next_prio]" },
		{ "SELECT prev_pid, prev_pid FROM sched_switch", "'prev_pid' is a key already [prev_pid]" },
		{ "SELECT COUNT(*) AS x, COUNT(*) AS y FROM sched_switch", "COUNT is selected already [COUNT(*)]" },
		{ "SELECT prev_pid AS a, next_pid AS a FROM sched_switch", "there is another 'a' [a]" },
		/* each name is that of one member in JSON: of the keys, and of the row */
		{ "SELECT prev_pid AS next_pid, next_pid FROM sched_switch", "there is another 'next_pid' [next_pid]" },
		{ "SELECT SUM(prev_prio), SUM(next_prio) FROM sched_switch", "there is another 'sum' [SUM(next_prio)]" },
		{ "SELECT SUM(prev_prio), SUM(prev_prio) FROM sched_switch", "there is another 'sum' [SUM(prev_prio)]" },
		{ "SELECT SUM(prev_prio), SUM(next_prio) AS other FROM sched_switch",
		  " sum prev_prio sum next_prio[prev_prio][next_prio] event" },
		{ "SELECT SUM(prev_prio) AS count FROM sched_switch", "there is another 'count' [count]" },
		{ "SELECT SUM(prev_prio) AS count, COUNT(*) FROM sched_switch", "there is another 'count' [COUNT(*)]" },
		{ "SELECT SUM(prev_prio) AS count, COUNT(*) AS n FROM sched_switch", " sum prev_prio[prev_prio] event" },
		{ "SELECT COUNT(*) AS key FROM sched_switch", "there is another 'key' [key]" },
		{ "SELECT MAX(prev_prio) AS type FROM sched_switch", "there is another 'type' [type]" },
		{ "SELECT prev_pid AS type, next_pid AS count FROM sched_switch", " by prev_pid,next_pid[prev_pid][next_pid]" },
		{ "SELECT prev_pid AS x, COUNT(*) AS x FROM sched_switch", "there is another 'x' [x]" },
	};
	struct tsh_session s;
	size_t i;

	(void)state;
	open_session(&s);
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char *line = tsh_xasprintf("sql '%s'", cases[i].statement);

		expect_of(&s, &tsh_cmd_sql, resolve_sql, line, cases[i].want);
		free(line);
	}
	expect_of(&s, &tsh_cmd_sql, resolve_sql, "sql -n 3 --every 1s SELECT next_pid FROM sched_switch LIMIT 9",
		  " by next_pid[next_pid] top 3 every 1000000000");
	expect_of(&s, &tsh_cmd_sql, resolve_sql, "sql --every 1s SELECT MIN(next_pid) AS seconds FROM sched_switch",
		  "there is another 'seconds' [seconds]");
	expect_of(&s, &tsh_cmd_sql, resolve_sql, "sql --every 1s 'SELECT * FROM sched_switch'",
		  "SELECT * prints the events as they come [1s]");
	expect_of(&s, &tsh_cmd_sql, resolve_sql, "sql --in-kernel 'SELECT * FROM sched_switch'",
		  "SELECT * prints the events: nothing is counted or paired [--in-kernel]");
	expect_of(&s, &tsh_cmd_sql, resolve_sql, "sql --no-kernel 'SELECT * FROM sched_switch'",
		  "SELECT * prints the events: nothing is counted or paired [--no-kernel]");
	close_session(&s);
}

/* Checks a statement of two events with this WHERE; want: the error with what it blames, or "". */
static void expect_join(struct tsh_session *s, const char *what, const char *where, const char *want)
{
	char *line = tsh_xasprintf("sql 'SELECT %s FROM sched_wakeup a JOIN sched_switch b ON a.pid = b.next_pid WHERE %s'",
				   what, where);
	struct tsh_call call = parse(&tsh_cmd_sql, line);
	struct tsh_strbuf got = TSH_STRBUF_INIT;
	struct tsh_err err = { 0 };

	if (resolve_sql(s, &call, &err) < 0) {
		tsh_strbuf_addf(&got, "%s ", err.message);
		append_span(&got, line, err.span);
	}
	assert_string_equal(got.buf ? got.buf : "", want);
	tsh_strbuf_release(&got);
	tsh_err_release(&err);
	tsh_call_release(&call);
	free(line);
}

/* Makes n times `before`, then `text`, then n times `behind`. The caller frees it. */
static char *nested(size_t n, const char *before, const char *text, const char *behind)
{
	struct tsh_strbuf all = TSH_STRBUF_INIT;
	size_t i;

	for (i = 0; i < n; i++)
		tsh_strbuf_adds(&all, before);
	tsh_strbuf_adds(&all, text);
	for (i = 0; i < n; i++)
		tsh_strbuf_adds(&all, behind);
	return tsh_strbuf_detach(&all);
}

static void test_joins(void **state)
{
	static const char both[] = "a.prio > 1 AND b.next_prio > 1";
	static const struct { size_t n; const char *before, *text, *behind, *want; } cases[] = {
		{ 0, "", both, "", "" },
		{ 1, "(", "a.prio > 1 OR b.next_prio > 1", ")",
		  "one condition about both events: only AND can stand between theirs [b.next_prio]" },
		{ 1, "", both, " AND", "expected a condition behind this [D]" },
		{ 200, "(", both, ")", "" },
		{ 201, "(", both, ")", "this stands in more than 200 brackets [(]" },
		/* hostile ones take no longer than they are long */
		{ 100000, "(", both, ")", "this stands in more than 200 brackets [(]" },
		{ 100000, "(", both, "", "one condition about both events: only AND can stand between theirs [b.next_prio]" },
		{ 100, "a.prio > 1 AND (b.next_prio > 1 AND ", "a.prio > 1", ")", "" },
	};
	struct tsh_session s;
	size_t i;

	(void)state;
	open_session(&s);
	s.check = true;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char *where = nested(cases[i].n, cases[i].before, cases[i].text, cases[i].behind);

		expect_join(&s, "a.pid", where, cases[i].want);
		free(where);
	}
	expect_join(&s, "a.pid AS time", both, "there is another 'time' [time]");
	close_session(&s);
}

/* The statement names columns, and the keys stay what they are: the kernel counts by fields. */
static void test_labels(void **state)
{
	struct tsh_session s;
	struct tsh_err err = { 0 };
	struct tsh_call call;
	const struct count_spec *spec;

	(void)state;
	open_session(&s);
	call = parse(&tsh_cmd_sql, "sql 'SELECT next_pid AS p, COUNT(*) AS n, MAX(next_prio) AS m FROM sched_switch'");
	assert_int_equal(resolve_sql(&s, &call, &err), 0);
	spec = &tsh_by_of(&call)->spec;
	assert_string_equal(spec->keys[0].title, "next_pid");
	assert_string_equal(by_key_column(&spec->keys[0]), "p");
	assert_string_equal(by_count_column(tsh_by_of(&call)), "n");
	assert_string_equal(by_value_column(tsh_by_of(&call), 0), "m");
	tsh_call_release(&call);
	close_session(&s);
}

/* Makes or removes the folders of an event's names but the first `from` of them. */
static void for_names(const char *folder, unsigned int from, int (*act)(const char *path))
{
	unsigned int n;

	for (n = from; n <= 1000; n++) {
		char *path = n == 1 ? tsh_xasprintf("%s/events/synthetic/tracesh_x_%d", folder, (int)getpid()) :
				      tsh_xasprintf("%s/events/synthetic/tracesh_x_%d_%u", folder, (int)getpid(), n);

		assert_int_equal(act(path), 0);
		free(path);
	}
}

static int make(const char *path)
{
	return mkdir(path, 0700);
}

/* A name that is taken is never given: the one that is free, or an error. */
static void test_free_name(void **state)
{
	static const char *const folders[] = { "", "/events", "/events/synthetic" };
	char folder[] = "/tmp/tracesh-taken-XXXXXX", *want, *name;
	struct tsh_session s = { 0 };
	struct tsh_err err = { 0 };
	int fd;
	size_t i;

	(void)state;
	assert_non_null(mkdtemp(folder));
	for (i = 1; i < 3; i++) {
		char *path = tsh_xasprintf("%s%s", folder, folders[i]);

		assert_int_equal(make(path), 0);
		free(path);
	}
	fd = open(folder, O_RDONLY | O_DIRECTORY);
	s.dir = tsh_dir_open_tree(fd, folder);
	close(fd);
	for_names(folder, 1, make);
	assert_null(synth_free_name(&s, "x", &err));
	want = tsh_xasprintf("all 1000 names from 'tracesh_x_%d' on are taken", (int)getpid());
	assert_string_equal(err.message, want);
	free(want);
	tsh_err_release(&err);
	want = tsh_xasprintf("tracesh_x_%d_1000", (int)getpid());
	for_names(folder, 1000, rmdir);
	name = synth_free_name(&s, "x", &err);
	assert_string_equal(name, want);
	free(name);
	free(want);
	for_names(folder, 1000, make);
	for_names(folder, 1, rmdir);
	for (i = 3; i-- > 0;) {
		char *path = tsh_xasprintf("%s%s", folder, folders[i]);

		assert_int_equal(rmdir(path), 0);
		free(path);
	}
	tsh_dir_close(s.dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_parts), cmocka_unit_test(test_options), cmocka_unit_test(test_modifiers),
		cmocka_unit_test(test_wrong), cmocka_unit_test(test_statements), cmocka_unit_test(test_labels),
		cmocka_unit_test(test_joins), cmocka_unit_test(test_free_name),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
