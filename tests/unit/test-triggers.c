/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "fake-kernel.h"

#include "engine/histtrigger/triggers.h"
#include "session/call.h"

/* Triggers: from the words to the kernel's text, and what is there already. */

struct scene {
	struct fake_kernel k;
	struct fake_session one;
	struct tsh_session s;
	struct tsh_out out;
	struct tsh_strbuf said;
	struct tsh_call call;
};

static void note(void *ctx, const char *text)
{
	struct scene *c = ctx;

	tsh_strbuf_addf(&c->said, "%s\n", text);
}

static void begin(struct scene *c)
{
	memset(c, 0, sizeof(*c));
	kernel_begin(&c->k);
	fake_put("available_events", "sched:a\nsched:b");
	fake_put("events/sched/a/format", "ID: 1");
	fake_put("events/sched/a/hist", "");
	fake_put("snapshot", "# tracer: nop\n#\n#\n# * Snapshot is freed *\n#");
	session_begin(&c->one, 1);
	tsh_out_init(&c->out, -1, TSH_FORMAT_TEXT);
	c->out.note = note;
	c->out.note_ctx = c;
	tsh_strbuf_init(&c->said);
	c->s = (struct tsh_session){ .dir = c->one.dir, .in = &c->one.top, .out = &c->out };
	tsh_events_add(&c->call.events, "sched", "a");
	c->k.number = 1;
}

static void end(struct scene *c)
{
	struct tsh_undo_report report = session_undo(&c->one);

	tsh_undo_report_release(&report);
	tsh_events_release(&c->call.events);
	tsh_cmd_session_release(&c->s);
	tsh_out_release(&c->out);
	tsh_strbuf_release(&c->said);
	session_close(&c->one);
	kernel_end(&c->k);
}

/* Makes a word as it is typed at byte 100 of a line. */
static struct tsh_value value_of(const char *text)
{
	static uint32_t from[256];
	const size_t len = strlen(text);
	size_t i;

	for (i = 0; i < sizeof(from) / sizeof(from[0]); i++)
		from[i] = (uint32_t)(100 + i);
	return (struct tsh_value){
		.word = { .text = (char *)text, .len = len, .from = from, .span = { 100, 100 + len } },
	};
}

/* ---- the words ---- */

static void test_words(void **state)
{
	static const struct {
		const char *action, *filter;
		const char *text;	/* what is written for it */
		const char *removal;	/* and what removes it: the kernel compares the kind alone */
	} cases[] = {
		{ "traceoff", NULL, "traceoff", "!traceoff" },
		{ "traceoff:3", NULL, "traceoff:3", "!traceoff" },
		{ "traceoff:0x10", NULL, "traceoff:16", "!traceoff" },
		/* as the kernel lists them */
		{ "traceoff:count=3", NULL, "traceoff:3", "!traceoff" },
		{ "stacktrace:unlimited", "pid == 1", "stacktrace if pid == 1", "!stacktrace" },
		{ "!traceon", "pid == 1", "traceon if pid == 1", "!traceon" },
		{ "snapshot:1", NULL, "snapshot:1", "!snapshot" },
		{ "enable_event:sched:b", NULL, "enable_event:sched:b", "!enable_event:sched:b" },
		{ "disable_event:sched:b:2", "x", "disable_event:sched:b:2 if x", "!disable_event:sched:b" },
		{ "enable_hist:sched:b", NULL, "enable_hist:sched:b", "!enable_hist:sched:b" },
		{ "hist:keys=pid", NULL, "hist:keys=pid", "!hist:keys=pid" },
		{ "hist:keys=pid", "x > 1", "hist:keys=pid if x > 1", "!hist:keys=pid if x > 1" },
	};
	struct tsh_trigger trigger;
	struct tsh_err err = { 0 };
	struct scene c;
	size_t i;

	(void)state;
	begin(&c);
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct tsh_value action = value_of(cases[i].action);
		const struct tsh_value filter = value_of(cases[i].filter ? cases[i].filter : "");
		char *text;

		if (tsh_trigger_check(&c.s, &c.call, &action, cases[i].filter ? &filter : NULL, &trigger, &err) < 0)
			fail_msg("%s: %s", cases[i].action, err.message);
		text = tsh_trigger_text(&trigger);
		assert_string_equal(text, cases[i].text);
		free(text);
		text = tsh_trigger_removal(&trigger);
		assert_string_equal(text, cases[i].removal);
		free(text);
		tsh_trigger_release(&trigger);
	}
	wrote_is("");
	end(&c);
}

static void test_mistakes(void **state)
{
	static const struct {
		const char *action, *message;
		const char *blamed;	/* a part of the action */
	} cases[] = {
		{ "tracof", "unknown trigger 'tracof'", "tracof" },
		{ "!tracof:3", "unknown trigger 'tracof'", "tracof" },
		{ "trace", "unknown trigger 'trace'", "trace" },
		{ "traceoff:many", "'many' is no count", "many" },
		{ "traceoff:-1", "'-1' is no count", "-1" },
		{ "traceoff:3:4", "'3:4' is no count", "3:4" },
		{ "traceoff:count=x", "'x' is no count", "x" },
		{ "traceoff:0", "with a count of 0 it would never fire", "0" },
		{ "enable_event", "missing the event that 'enable_event' is about", "enable_event" },
		{ "enable_event:sched", "missing the event that 'enable_event' is about", "enable_event:sched" },
		{ "enable_event:sched:", "missing the event that 'enable_event' is about", "enable_event:sched:" },
		{ "enable_event:sched:*", "a trigger is about one event, not about 'sched:*'", "sched:*" },
		{ "disable_event:sched:b:no", "'no' is no count", "no" },
	};
	struct tsh_trigger trigger;
	struct scene c;
	size_t i;

	(void)state;
	begin(&c);
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct tsh_value action = value_of(cases[i].action);
		const char *blamed = strstr(cases[i].action, cases[i].blamed);
		struct tsh_err err = { 0 };

		assert_int_equal(tsh_trigger_check(&c.s, &c.call, &action, NULL, &trigger, &err), -1);
		assert_string_equal(err.message, cases[i].message);
		if (err.span.begin != 100 + (size_t)(blamed - cases[i].action) ||
		    err.span.end != err.span.begin + strlen(cases[i].blamed))
			fail_msg("%s: blames %zu to %zu", cases[i].action, err.span.begin, err.span.end);
		tsh_err_release(&err);
		tsh_trigger_release(&trigger);
	}
	end(&c);
}

/* An event that this kernel has not, and kinds that it was built without. */
static void test_lacks(void **state)
{
	static const struct {
		const char *gone, *action, *message;
	} cases[] = {
		{ NULL, "enable_event:sched:bb", "unknown event 'sched:bb'" },
		{ "snapshot", "snapshot", "this kernel has no snapshot triggers" },
		{ "events/sched/a/hist", "hist:keys=pid", "this kernel has no hist triggers" },
		{ "events/sched/a/hist", "enable_hist:sched:b", "this kernel has no enable_hist triggers" },
	};
	struct tsh_trigger trigger;
	struct scene c;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct tsh_value action = value_of(cases[i].action);
		struct tsh_err err = { 0 };

		begin(&c);
		if (cases[i].gone)
			fake_drop(cases[i].gone);
		assert_int_equal(tsh_trigger_check(&c.s, &c.call, &action, NULL, &trigger, &err), -1);
		assert_string_equal(err.message, cases[i].message);
		tsh_err_release(&err);
		tsh_trigger_release(&trigger);
		end(&c);
	}
}

/* ---- setting ---- */

/* Sets a trigger on the events of the call; error NULL: it succeeds. */
static void sets(struct scene *c, const char *action, const char *error, const char *hint)
{
	const struct tsh_value value = value_of(action);
	struct tsh_trigger wanted;
	struct tsh_err err = { 0 };
	int r;

	assert_int_equal(tsh_trigger_parse(action, &wanted), 0);
	r = tsh_triggers_set(&c->s, &c->call.events, &wanted, &value, NULL, &err);
	if (!error && r < 0)
		fail_msg("%s: %s", action, err.message);
	if (error) {
		assert_int_equal(r, -1);
		assert_string_equal(err.message, error);
		assert_int_equal(err.span.begin, 100);
	}
	if (hint)
		assert_string_equal(err.hint, hint);
	tsh_trigger_release(&wanted);
	tsh_err_release(&err);
}

#define RIVAL(text) "'sched:a' has a trigger of this kind already: " text

/* An event has one trigger of a kind: what contradicts one that is there is refused, and nothing is written. */
static void test_rivals(void **state)
{
	static const struct {
		const char *there, *action, *error, *hint;
		const char *now;
	} cases[] = {
		{ "", "traceoff:3", NULL, NULL, "traceoff:count=3" },
		{ "traceoff:count=3", "traceoff:3", NULL, NULL, "traceoff:count=3" },
		/* another count is another trigger */
		{ "traceoff:count=2", "traceoff:3", RIVAL("traceoff:2"), "trigger sched:a !traceoff",
		  "traceoff:count=2" },
		{ "traceoff:unlimited", "traceoff:3", RIVAL("traceoff"), NULL, "traceoff:unlimited" },
		{ "traceoff:unlimited if pid == 1", "traceoff", RIVAL("traceoff if pid == 1"), NULL,
		  "traceoff:unlimited if pid == 1" },
		{ "traceon:count=4 if pid == -7", "traceoff", RIVAL("traceon:4 if pid == -7"),
		  "trigger sched:a !traceon", "traceon:count=4 if pid == -7" },
		{ "traceon:unlimited", "stacktrace", NULL, NULL, "stacktrace:unlimited\ntraceon:unlimited" },
		{ "enable_event:sched:b:unlimited", "disable_event:sched:b", RIVAL("enable_event:sched:b"),
		  "trigger sched:a !enable_event:sched:b", "enable_event:sched:b:unlimited" },
		{ "enable_event:sched:c:unlimited", "disable_event:sched:b", NULL, NULL,
		  "disable_event:sched:b:unlimited\nenable_event:sched:c:unlimited" },
		{ "enable_hist:sched:b:unlimited", "enable_event:sched:b", NULL, NULL,
		  "enable_event:sched:b:unlimited\nenable_hist:sched:b:unlimited" },
		/* histograms only when all of them is the same */
		{ "hist:keys=pid [active]", "hist:keys=cpu", NULL, NULL,
		  "hist:keys=cpu [active]\nhist:keys=pid [active]" },
		{ "hist:keys=pid [active]", "hist:keys=pid", NULL, NULL, "hist:keys=pid [active]" },
	};
	struct scene c;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		begin(&c);
		fake_put("events/sched/a/trigger", cases[i].there);
		sets(&c, cases[i].action, cases[i].error, cases[i].hint);
		file_is("events/sched/a/trigger", cases[i].now);
		if (cases[i].error)
			wrote_is("");
		end(&c);
	}
}

/* On several events: none is set when one of them has another one of its kind. */
static void test_several(void **state)
{
	struct scene c;

	(void)state;
	begin(&c);
	tsh_events_add(&c.call.events, "sched", "b");
	fake_put("events/sched/b/trigger", "traceon:unlimited");
	sets(&c, "traceoff:3", "'sched:b' has a trigger of this kind already: traceon", "trigger sched:b !traceon");
	wrote_is("");
	assert_int_equal(c.said.len, 0);
	fake_put("events/sched/b/trigger", "traceoff:count=3");
	sets(&c, "traceoff:3", NULL, NULL);
	wrote_is("events/sched/a/trigger=traceoff:3;");
	assert_string_equal(c.said.buf, "trigger traceoff on 2 events in 'top'\n");
	tsh_strbuf_clear(&c.said);
	sets(&c, "traceoff:3", NULL, NULL);
	assert_string_equal(c.said.buf, "trigger traceoff on 2 events in 'top' (as before)\n");
	end(&c);
}

/* What the kernel refuses is said with its reason, and is not in the journal. */
static void test_refused(void **state)
{
	struct scene c;

	(void)state;
	begin(&c);
	c.k.refused = "events/sched/a/trigger";
	sets(&c, "stacktrace", "the kernel refuses the trigger: Input/output error", NULL);
	assert_int_equal(c.one.dir->journal->entries.n, 0);
	file_is("events/sched/a/trigger", "");
	end(&c);
}

/* A histogram of times sets the clock, which goes back with it. */
static void test_clock(void **state)
{
	static const struct { const char *action, *clock; } cases[] = {
		{ "hist:keys=pid:t=common_timestamp", "global" },
		{ "hist:keys=pid:t=common_timestamp:clock=mono", "mono" },
		/* it is that one already */
		{ "hist:keys=pid:t=common_timestamp:clock=local", NULL },
		{ "hist:keys=pid", NULL },
	};
	struct tsh_undo_report report;
	struct scene c;
	char *text;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		begin(&c);
		sets(&c, cases[i].action, NULL, NULL);
		text = tsh_xasprintf("%s%s%sevents/sched/a/trigger=%s;", cases[i].clock ? "trace_clock=" : "",
				     cases[i].clock ? cases[i].clock : "", cases[i].clock ? ";" : "", cases[i].action);
		wrote_is(text);
		free(text);
		text = tsh_xasprintf("a histogram of times sets the clock of 'top' to %s\n",
				     cases[i].clock ? cases[i].clock : "");
		assert_int_equal(strstr(c.said.buf, text) == c.said.buf, cases[i].clock != NULL);
		free(text);
		report = session_undo(&c.one);
		file_is("events/sched/a/trigger", "");
		file_is("trace_clock", "[local] global mono");
		tsh_undo_report_release(&report);
		end(&c);
	}
}

/* ---- removing ---- */

static void test_remove(void **state)
{
	static const struct {
		const char *there, *wanted;
		bool filtered;
		size_t removed;
		const char *now;
	} cases[] = {
		{ "traceoff:count=2", "traceoff", false, 1, "" },
		{ "traceoff:count=2 if x == 1", "traceoff", false, 1, "" },
		{ "traceoff:count=2 if x == 1", "traceoff if x == 1", true, 1, "" },
		{ "traceoff:count=2 if x == 1", "traceoff if x == 2", true, 0, "traceoff:count=2 if x == 1" },
		/* the kernel would remove it for !traceoff */
		{ "traceon:unlimited", "traceoff", false, 0, "traceon:unlimited" },
		{ "enable_event:sched:b:unlimited", "enable_event:sched:c", false, 0,
		  "enable_event:sched:b:unlimited" },
		{ "hist:keys=pid [active]\nhist:keys=cpu [active]", "hist:keys=cpu", false, 1,
		  "hist:keys=pid [active]" },
	};
	struct tsh_trigger wanted;
	struct tsh_err err = { 0 };
	struct scene c;
	size_t i, removed;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		begin(&c);
		fake_put("events/sched/a/trigger", cases[i].there);
		assert_int_equal(tsh_trigger_parse(cases[i].wanted, &wanted), 0);
		assert_int_equal(tsh_triggers_remove(&c.s, &c.call.events, &wanted, cases[i].filtered, &removed,
						     &err), 0);
		assert_int_equal(removed, cases[i].removed);
		file_is("events/sched/a/trigger", cases[i].now);
		tsh_trigger_release(&wanted);
		end(&c);
	}
}

/* All of them, later ones first, and undo brings them back in their order. */
static void test_clear(void **state)
{
	static const char there[] = "enable_event:sched:b:count=3 if pid == -9\nstacktrace:count=5\ntraceon:unlimited";
	struct tsh_undo_report report;
	struct tsh_err err = { 0 };
	struct scene c;

	(void)state;
	begin(&c);
	fake_put("events/sched/a/trigger", there);
	assert_int_equal(tsh_triggers_clear(&c.s, &c.call.events, &err), 3);
	wrote_is("events/sched/a/trigger=!enable_event:sched:b;events/sched/a/trigger=!stacktrace;"
		 "events/sched/a/trigger=!traceon;");
	assert_int_equal(tsh_triggers_clear(&c.s, &c.call.events, &err), 0);
	report = session_undo(&c.one);
	file_is("events/sched/a/trigger", there);
	tsh_undo_report_release(&report);
	end(&c);
}

/* Whether tracing was switched off by a trigger, or by the session. */
static void test_stopped(void **state)
{
	struct scene c;

	(void)state;
	begin(&c);
	assert_false(tsh_trigger_has_stopped(&c.one.top));
	fake_put("tracing_on", "0");
	assert_true(tsh_trigger_has_stopped(&c.one.top));
	fake_put("tracing_on", "1");
	session_set(&c.one, "tracing_on", "0");
	assert_false(tsh_trigger_has_stopped(&c.one.top));
	session_set(&c.one, "tracing_on", "1");
	fake_put("tracing_on", "0");
	assert_true(tsh_trigger_has_stopped(&c.one.top));
	end(&c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_words),
		cmocka_unit_test(test_mistakes),
		cmocka_unit_test(test_lacks),
		cmocka_unit_test(test_rivals),
		cmocka_unit_test(test_several),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_clock),
		cmocka_unit_test(test_remove),
		cmocka_unit_test(test_clear),
		cmocka_unit_test(test_stopped),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
