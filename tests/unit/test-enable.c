/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "fake-kernel.h"

#include "cmd/commands.h"
#include "engine/pipeline/enable.h"
#include "engine/pipeline/filters-gaps.h"
#include "engine/pipeline/keys.h"
#include "engine/pipeline/task-names.h"
#include "engine/pipeline/where.h"

/* How a stream's events are enabled and filtered, what is said of filters that were there before, and its keys. */

#define FORMAT(name, id) \
	"name: " name "\nID: " id "\nformat:\n" \
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n" \
	"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n" \
	"\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n" \
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n" \
	"\tfield:int prio;\toffset:8;\tsize:4;\tsigned:1;\n\nprint fmt: \"prio=%d\", REC->prio"

struct scene {
	struct fake_kernel k;
	struct fake_session one;
	struct tsh_session s;
	struct tsh_out out;
	struct tsh_strbuf said;
	struct tsh_instance in;		/* that of the command */
	struct tsh_call call;
	struct tsh_strbuf keys;		/* pressed and not read yet */
	size_t key;
	const char *typed[3];		/* answers to a question, then NULL */
	size_t answer;
};

static void note(void *ctx, const char *text)
{
	struct scene *c = ctx;

	tsh_strbuf_addf(&c->said, "%s\n", text);
}

/* No signal comes: a slow machine asks between two events. */
static enum tsh_wait_result wait_for(void *ctx, struct pollfd *fds, unsigned int nfds, int timeout_ms)
{
	(void)ctx, (void)fds, (void)nfds, (void)timeout_ms;
	return TSH_WAIT_TIMEOUT;
}

static const struct tsh_waiter waiter = { wait_for, NULL };

static void begin(struct scene *c)
{
	memset(c, 0, sizeof(*c));
	kernel_begin(&c->k);
	fake_put("events/sched/a/format", FORMAT("a", "300"));
	fake_put("events/sched/b/format", FORMAT("b", "301"));
	session_begin(&c->one, 1);
	tsh_out_init(&c->out, -1, TSH_FORMAT_TEXT);
	c->out.note = note;
	c->out.note_ctx = c;
	tsh_strbuf_init(&c->said);
	tsh_strbuf_init(&c->keys);
	c->s = (struct tsh_session){ .dir = c->one.dir, .in = &c->one.top, .out = &c->out,
				      .waiter = &waiter };
	c->in = c->one.top;
	c->k.number = 1;
}

/* Makes a call of stream, in an instance of the command's own, or with --here in the current one. */
static void parse(struct scene *c, const char *line)
{
	const struct tsh_vars none = { 0 };
	struct tsh_err err = { 0 };
	struct tsh_lexer lx;
	struct tsh_word name;

	c->call = (struct tsh_call){ .cmd = &tsh_cmd_stream };
	tsh_lexer_init(&lx, line, strlen(line), &none);
	assert_int_equal(tsh_lexer_word(&lx, &name, &err), TSH_TOKEN_WORD);
	if (tsh_grammar_parse(&lx, "stream", tsh_cmd_stream.args, NULL, false, &c->call.args, &err) < 0)
		fail_msg("%s", err.message);
	tsh_word_release(&name);
	tsh_events_add(&c->call.events, "sched", "a");
	if (strstr(line, "sched:b"))
		tsh_events_add(&c->call.events, "sched", "b");
	if (tsh_where_resolve(&c->s, &c->call, &err) < 0)
		fail_msg("%s: %s", line, err.message);
	c->in.own = !tsh_args_has(&c->call.args, "here");
}

static void end(struct scene *c)
{
	struct tsh_undo_report report = session_undo(&c->one);

	tsh_undo_report_release(&report);
	tsh_call_release(&c->call);
	tsh_cmd_session_release(&c->s);
	tsh_out_release(&c->out);
	tsh_strbuf_release(&c->said);
	tsh_strbuf_release(&c->keys);
	session_close(&c->one);
	kernel_end(&c->k);
}

/* ---- enabling ---- */

/* An event is filtered before it is enabled, or what it records until then would be printed. What the kernel can
 * evaluate of a where becomes a part of its filter, in an instance of the command's own. */
static void test_enable(void **state)
{
	static const struct { const char *line, *wrote; } cases[] = {
		{ "stream sched:a", "events/sched/a/enable=1;" },
		{ "stream sched:a if prio == 1", "events/sched/a/filter=prio == 1;events/sched/a/enable=1;" },
		{ "stream sched:a sched:b if prio == 1", "events/sched/a/filter=prio == 1;events/sched/a/enable=1;"
		  "events/sched/b/filter=prio == 1;events/sched/b/enable=1;" },
		{ "stream sched:a where prio > 2", "events/sched/a/filter=prio > 2;events/sched/a/enable=1;" },
		{ "stream sched:a if prio < 9 where prio > 2",
		  "events/sched/a/filter=(prio < 9) && prio > 2;events/sched/a/enable=1;" },
		{ "stream --here sched:a where prio > 2", "events/sched/a/enable=1;" },
		{ "stream --no-pushdown sched:a where prio > 2", "events/sched/a/enable=1;" },
		{ "stream sched:a where delta < 2us", "events/sched/a/enable=1;" },
		/* the kernel calculates nothing */
		{ "stream sched:a where prio * 2 > 4", "events/sched/a/enable=1;" },
		{ "stream sched:a where prio > 2 && prio * 2 > 4",
		  "events/sched/a/filter=prio > 2;events/sched/a/enable=1;" },
	};
	struct tsh_err err = { 0 };
	struct scene c;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		begin(&c);
		parse(&c, cases[i].line);
		if (tsh_own_enable(&c.s, &c.in, &c.call, &err) < 0)
			fail_msg("%s: %s", cases[i].line, err.message);
		wrote_is(cases[i].wrote);
		end(&c);
	}
}

/* In an instance that is not the command's own, other programs would miss what a filter leaves out. */
static void test_enable_others(void **state)
{
	struct tsh_err err = { 0 };
	struct scene c;

	(void)state;
	begin(&c);
	parse(&c, "stream sched:a where prio > 2");
	c.in.own = false;
	assert_int_equal(tsh_own_enable(&c.s, &c.in, &c.call, &err), 0);
	wrote_is("events/sched/a/enable=1;");
	end(&c);
}

static void test_stays(void **state)
{
	static const struct { const char *line, *why; } cases[] = {
		{ "stream sched:a where prio > 2", NULL },
		{ "stream --here sched:a where prio > 2", "other programs may use the events of the current instance" },
		{ "stream --no-pushdown sched:a where prio > 2", "--no-pushdown" },
		{ "stream sched:a where delta < 2us", "delta needs every event" },
	};
	struct scene c;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const char *why;

		begin(&c);
		parse(&c, cases[i].line);
		why = tsh_where_no_pushdown(&c.call);
		if (cases[i].why)
			assert_string_equal(why, cases[i].why);
		else
			assert_null(why);
		end(&c);
	}
}

/* An event that the kernel does not enable, and a filter that it does not take, end it. */
static void test_enable_fails(void **state)
{
	static const struct { const char *refused, *message; } cases[] = {
		{ "events/sched/a/enable", "cannot write '1' to 'events/sched/a/enable': Input/output error" },
		{ "events/sched/a/filter", "the kernel refuses 'prio == 1' for 'events/sched/a/filter'" },
	};
	struct scene c;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct tsh_err err = { 0 };

		begin(&c);
		parse(&c, "stream --here sched:a if prio == 1");
		c.k.refused = cases[i].refused;
		assert_int_equal(tsh_own_enable(&c.s, &c.in, &c.call, &err), -1);
		assert_string_equal(err.message, cases[i].message);
		/* and it is not on without its filter */
		file_is("events/sched/a/enable", "0");
		c.k.refused = NULL;
		tsh_err_release(&err);
		end(&c);
	}
}

/* ---- events for names of tasks ---- */

static void test_names(void **state)
{
	static const struct {
		const char *line;
		const char *wrote;
		bool hides;
	} cases[] = {
		{ "stream sched:a", "events/task/task_newtask/enable=1;events/task/task_rename/enable=1;", true },
		/* other programs would see them */
		{ "stream --here sched:a", "", false },
	};
	struct tsh_task_names names;
	struct tsh_strlist hidden = { 0 };
	struct scene c;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		begin(&c);
		fake_put("events/task/task_newtask/id", "400");
		fake_put("events/task/task_newtask/enable", "0");
		fake_put("events/task/task_rename/id", "401");
		fake_put("events/task/task_rename/enable", "0");
		parse(&c, cases[i].line);
		tsh_task_names_enable(&c.in, &c.call, &names);
		wrote_is(cases[i].wrote);
		assert_int_equal(tsh_task_names_are_hidden(&names), cases[i].hides);
		tsh_task_names_hidden(&names, &hidden);
		assert_int_equal(hidden.n, cases[i].hides ? 2 : 0);
		tsh_strlist_release(&hidden);
		end(&c);
	}
}

/* ---- filters that were there before ---- */

#define GAP "the filter of sched:a (prio == 3) leaves events out: delta is from the last event that passed it\n"

static void test_gaps(void **state)
{
	static const struct { const char *line, *said; } cases[] = {
		{ "stream sched:a where delta < 2us", GAP },
		/* the call sets another one */
		{ "stream sched:a if prio == 1 where delta < 2us", "" },
		/* no result depends on other events */
		{ "stream sched:a where prio > 2", "" },
		{ "stream sched:a", "" },
	};
	struct scene c;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		begin(&c);
		fake_put("events/sched/a/filter", "prio == 3");
		parse(&c, cases[i].line);
		tsh_filters_note_gaps(&c.s, &c.call);
		assert_string_equal(c.said.len ? c.said.buf : "", cases[i].said);
		end(&c);
	}
}

static void test_old_filter(void **state)
{
	struct scene c;
	char *old;

	(void)state;
	begin(&c);
	parse(&c, "stream sched:a");
	assert_null(tsh_filters_read(&c.s, &c.call, &c.call.events.v[0]));
	fake_put("events/sched/a/filter", "prio == 3");
	old = tsh_filters_read(&c.s, &c.call, &c.call.events.v[0]);
	assert_string_equal(old, "prio == 3");
	tsh_filters_warn_gap(&c.s, &c.call.events.v[0], old, "pairs lack them");
	c.one.dir->kind = TSH_DIR_TREE;
	tsh_filters_warn_gap(&c.s, &c.call.events.v[0], old, "pairs lack them");
	c.one.dir->kind = TSH_DIR_TRACEFS;
	assert_string_equal(c.said.buf, "the filter of sched:a (prio == 3) leaves events out: pairs lack them\n"
			    "the filter of sched:a (prio == 3) left events out of the recording: pairs lack them\n");
	free(old);
	end(&c);
}

/* ---- keys ---- */

static int keys_begin(void *ctx)
{
	(void)ctx;
	return 0;
}

static int keys_read(void *ctx)
{
	struct scene *c = ctx;

	return c->key < c->keys.len ? c->keys.buf[c->key++] : -1;
}

static char *keys_ask(void *ctx, const char *prompt, const char *before, const char *text)
{
	struct scene *c = ctx;
	const char *typed = c->typed[c->answer];

	c->answer += typed != NULL;
	tsh_strbuf_addf(&c->said, "%s%s%s\n", prompt, before, text);
	return typed ? tsh_xstrdup(typed) : NULL;
}

static void keys_end(void *ctx)
{
	struct scene *c = ctx;

	tsh_strbuf_adds(&c->said, "(end)\n");
}

static int refilter(void *ctx, const char *filter, struct tsh_err *err)
{
	(void)ctx;
	if (strcmp(filter, "prio = 1") != 0)
		return 0;
	err->span = (struct tsh_span){ 5, 6 };
	return tsh_err_set(err, TSH_FAILED, "no operator");
}

static const struct tsh_terminal terminal = {
	.keys_begin = keys_begin, .keys_read = keys_read, .keys_ask = keys_ask, .keys_end = keys_end,
};

/* Presses keys, and checks what the last of them wishes, and what was said. */
static void press(struct scene *c, struct tsh_stream_options *opt, const char *keys, enum tsh_stream_request wish,
		  const char *said)
{
	tsh_strbuf_clear(&c->said);
	tsh_strbuf_clear(&c->keys);
	tsh_strbuf_adds(&c->keys, keys);
	c->key = 0;
	assert_int_equal(opt->request(opt->request_ctx), wish);
	assert_string_equal(c->said.len ? c->said.buf : "", said);
}

#define KEYS "q ends, space pauses, / filters, c clears the screen\n"
#define PAUSED "paused: space goes on, q ends; up to 8 MB of events are kept meanwhile\n"

static void test_keys(void **state)
{
	struct tsh_stream_options opt = { 0 };
	struct tsh_stage counts = { 0 };
	struct tsh_stream_spec spec = { .sink = &counts };
	struct tsh_stream_keys keys;
	struct scene c;

	(void)state;
	begin(&c);
	parse(&c, "stream sched:a");
	c.s.terminal = &terminal;
	c.s.terminal_ctx = &c;
	tsh_stream_keys_begin(&keys, &c.s, &spec, NULL, &opt);
	assert_int_equal(opt.request_fd, 0);
	press(&c, &opt, "", TSH_REQUEST_NONE, "");
	press(&c, &opt, "q", TSH_REQUEST_STOP, "");
	press(&c, &opt, "Q", TSH_REQUEST_STOP, "");
	press(&c, &opt, " ", TSH_REQUEST_PAUSE, PAUSED);
	press(&c, &opt, " ", TSH_REQUEST_CONTINUE, "");
	/* what has no meaning is told once, '?' each time */
	press(&c, &opt, "x", TSH_REQUEST_NONE, KEYS);
	press(&c, &opt, "y", TSH_REQUEST_NONE, "");
	press(&c, &opt, "??", TSH_REQUEST_NONE, KEYS KEYS);
	/* counts have no times, and no events of a command have a filter that can be replaced */
	press(&c, &opt, "t", TSH_REQUEST_NONE, "");
	press(&c, &opt, "/", TSH_REQUEST_NONE, "/ works with stream EVENT.. only: use filter for these events\n");
	/* q ends it, whatever was pressed behind it */
	press(&c, &opt, "xq ", TSH_REQUEST_STOP, "");
	tsh_strbuf_clear(&c.said);
	tsh_stream_keys_end(&keys);
	assert_string_equal(c.said.buf, "(end)\n");
	end(&c);
}

/* A filter is asked for until the kernel takes one; what was typed can be mended. */
static void test_filter_key(void **state)
{
	struct tsh_stream_options opt = { 0 };
	struct tsh_stage counts = { 0 };
	struct tsh_stream_spec spec = { .sink = &counts, .refilter = refilter };
	struct tsh_stream_keys keys;
	struct scene c;

	(void)state;
	begin(&c);
	parse(&c, "stream sched:a if prio == 3");
	c.s.terminal = &terminal;
	c.s.terminal_ctx = &c;
	spec.filtered = &c.call;
	tsh_stream_keys_begin(&keys, &c.s, &spec, NULL, &opt);
	c.typed[0] = "prio = 1";
	c.typed[1] = "prio == 1";
	press(&c, &opt, "/", TSH_REQUEST_NONE, "filter: stream sched:a if prio == 3\nno operator\n"
	      "filter: stream sched:a if prio = 1\nfilter for what happens from now on: prio == 1\n");
	/* no answer leaves it */
	press(&c, &opt, "/", TSH_REQUEST_NONE, "filter: stream sched:a if prio == 1\n");
	c.typed[1] = "";
	c.answer = 1;
	press(&c, &opt, "/", TSH_REQUEST_NONE, "filter: stream sched:a if prio == 1\n"
	      "filter for what happens from now on: none\n");
	tsh_stream_keys_end(&keys);
	end(&c);
}

/* Where nobody watches the stream, or somebody else has the keys, it reads none. */
static void test_no_keys(void **state)
{
	struct tsh_stream_options opt = { 0 };
	struct tsh_stream_spec spec = { 0 }, drain = { .drain = true };
	struct tsh_stream_keys keys;
	struct scene c;

	(void)state;
	begin(&c);
	parse(&c, "stream sched:a");
	c.s.terminal_ctx = &c;
	tsh_stream_keys_begin(&keys, &c.s, &spec, NULL, &opt);
	assert_true(opt.request_fd < 0 && !opt.request && !keys.has_keys);
	c.s.terminal = &terminal;
	tsh_stream_keys_begin(&keys, &c.s, &drain, NULL, &opt);
	assert_true(opt.request_fd < 0 && !opt.request && !keys.has_keys);
	c.s.is_watched = true;
	tsh_stream_keys_begin(&keys, &c.s, &spec, NULL, &opt);
	assert_true(opt.request_fd < 0 && !opt.request && !keys.has_keys);
	tsh_stream_keys_end(&keys);
	assert_int_equal(c.said.len, 0);
	end(&c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_enable),
		cmocka_unit_test(test_enable_others),
		cmocka_unit_test(test_stays),
		cmocka_unit_test(test_enable_fails),
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_gaps),
		cmocka_unit_test(test_old_filter),
		cmocka_unit_test(test_keys),
		cmocka_unit_test(test_filter_key),
		cmocka_unit_test(test_no_keys),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
