/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "fake-kernel.h"

#include "engine/probe/probe.h"
#include "session/call.h"

/* From the words of a probe to the kernel's line (Documentation/trace/kprobetrace.rst, fprobetrace.rst, and
 * kernel/trace/trace_eprobe.c). */

/* The kernel's functions: vfs_read, two of the name twice, one on the blacklist. */
void __wrap_tsh_symbol_find(const char *name, const char *module, struct tsh_symbol_find *ret);
void __wrap_tsh_symbol_find(const char *name, const char *module, struct tsh_symbol_find *ret)
{
	(void)module;
	*ret = (struct tsh_symbol_find){ 0 };
	if (!strcmp(name, "vfs_reed"))
		ret->near = tsh_xstrdup("vfs_read");
	else if (!strcmp(name, "made"))
		ret->variant = tsh_xstrdup("made.isra.0");
	else if (strcmp(name, "nosuch") != 0)
		ret->n = strcmp(name, "twice") ? 1 : 2;
	ret->address = ret->n ? UINT64_C(0xffffffff81000000) : 0;
	ret->is_forbidden = !strcmp(name, "kprobe_int3_handler");
}

#define README \
	"place: [<module>:]<symbol>[+<offset>]\n p[:[<group>/][<event>]] <place>\n" \
	" e[:[<group>/][<event>]] <attached-group>\n t[:[<group>/][<event>]] <tracepoint>\n"
#define FORMAT \
	"name: a\nID: 300\nformat:\n" \
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n" \
	"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n" \
	"\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n" \
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n" \
	"\tfield:int prio;\toffset:8;\tsize:4;\tsigned:1;\n" \
	"\tfield:u16 flags;\toffset:12;\tsize:2;\tsigned:0;\n" \
	"\tfield:char comm[16];\toffset:16;\tsize:16;\tsigned:0;\n" \
	"\tfield:void * where;\toffset:32;\tsize:8;\tsigned:0;\n\nprint fmt: \"\""

struct scene {
	struct fake_kernel k;
	struct fake_session one;
	struct tsh_session s;
	struct tsh_out out;
	char *group;
};

static void begin(struct scene *c)
{
	memset(c, 0, sizeof(*c));
	kernel_begin(&c->k);
	fake_put("README", README);
	fake_put("dynamic_events", "");
	fake_put("events/sched/a/format", FORMAT);
	session_begin(&c->one, 1);
	tsh_out_init(&c->out, -1, TSH_FORMAT_TEXT);
	c->s = (struct tsh_session){ .dir = c->one.dir, .in = &c->one.top, .out = &c->out };
	c->k.number = 1;
	c->group = tsh_probe_group(c->one.dir);
}

/* Makes the probe of a line of words. Returns as tsh_probe_make. */
static int make(struct scene *c, const char *words, struct tsh_err *err)
{
	const struct tsh_vars none = { 0 };
	struct tsh_events made = { 0 };
	struct tsh_call call = { 0 };
	struct tsh_lexer lx;
	int r;

	tsh_lexer_init(&lx, words, strlen(words), &none);
	r = tsh_grammar_parse(&lx, "probe", tsh_probe_words, NULL, false, &call.args, err);
	if (!r)
		r = tsh_probe_make(&c->s, &call, &made, err);
	if (!r) {
		assert_int_equal(made.n, 1);
		assert_string_equal(made.v[0].system, c->group);
	}
	tsh_events_release(&made);
	tsh_call_release(&call);
	return r;
}

static void end(struct scene *c)
{
	struct tsh_undo_report report = session_undo(&c->one);

	/* probes of the session go in the end */
	assert_int_equal(report.problems.n, 0);
	file_is("dynamic_events", "");
	tsh_undo_report_release(&report);
	free(c->group);
	tsh_cmd_session_release(&c->s);
	tsh_out_release(&c->out);
	session_close(&c->one);
	kernel_end(&c->k);
}

/* Checks a line of a list of probes, whose "GROUP" stands for the session's group. */
static void line_is(const struct scene *c, const char *file, const char *line)
{
	const char *at = strstr(line, "GROUP");
	char *text = tsh_xasprintf("%.*s%s%s", (int)(at - line), line, c->group, at + strlen("GROUP"));

	file_is(file, text);
	free(text);
}

static void test_lines(void **state)
{
	static const struct { const char *words, *line; } cases[] = {
		{ "vfs_read", "p:GROUP/vfs_read vfs_read" },
		{ "mine=vfs_read", "p:GROUP/mine vfs_read" },
		{ "vfs_read+0x10", "p:GROUP/vfs_read_0x10 vfs_read+0x10" },
		{ "vfs_read+16", "p:GROUP/vfs_read_16 vfs_read+16" },
		{ "0xffffffff81000000", "p:GROUP/at_0xffffffff81000000 0xffffffff81000000" },
		{ "vfs_read%return", "r:GROUP/vfs_read_return vfs_read" },
		{ "vfs_read%return:8", "r8:GROUP/vfs_read_return vfs_read" },
		{ "mine=vfs_read%return:8", "r8:GROUP/mine vfs_read" },
		{ "rawtracepoint:sched_switch", "t:GROUP/sched_switch_probe sched_switch" },
		{ "rawtracepoint:sched_switch prev", "t:GROUP/sched_switch_probe sched_switch prev" },
		{ "rawtracepoint:sched_switch p=prev", "t:GROUP/sched_switch_probe sched_switch p=prev" },
		/* what the kernel fetches */
		{ "vfs_read $arg1", "p:GROUP/vfs_read vfs_read arg1=$arg1" },
		{ "vfs_read count=$arg3:u64", "p:GROUP/vfs_read vfs_read count=$arg3:u64" },
		{ "vfs_read %di %di", "p:GROUP/vfs_read vfs_read di=%di di_2=%di" },
		{ "vfs_read +0(%si):u32", "p:GROUP/vfs_read vfs_read +0(%si):u32" },
		{ "vfs_read name=+0($arg1):string", "p:GROUP/vfs_read vfs_read name=+0($arg1):string" },
		{ "vfs_read%return $retval:s64", "r:GROUP/vfs_read_return vfs_read ret=$retval:s64" },
		{ "vfs_read $comm", "p:GROUP/vfs_read vfs_read comm=$comm" },
		{ "vfs_read x=@jiffies", "p:GROUP/vfs_read vfs_read x=@jiffies" },
		/* fields of an event with their types: the kernel would take each for a number of 64 bits */
		{ "sched:a", "e:GROUP/a_probe sched.a" },
		{ "sched:a prio", "e:GROUP/a_probe sched.a prio=$prio:s32" },
		{ "sched:a p=prio flags", "e:GROUP/a_probe sched.a p=$prio:s32 flags=$flags:u16" },
		{ "sched:a comm where", "e:GROUP/a_probe sched.a comm=$comm:string where=$where:x64" },
		{ "sched:a prio:x8", "e:GROUP/a_probe sched.a prio=$prio:x8" },
	};
	struct scene c;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct tsh_err err = { 0 };

		begin(&c);
		if (make(&c, cases[i].words, &err) < 0)
			fail_msg("%s: %s", cases[i].words, err.message);
		line_is(&c, "dynamic_events", cases[i].line);
		end(&c);
	}
}

static void test_wrong(void **state)
{
	static const struct { const char *words, *message, *blamed; } cases[] = {
		{ "1x=vfs_read", "an event's name begins with a letter", "1x" },
		{ "x=", "the place of the probe is missing", "x=" },
		{ "nosuch",
		  "the kernel has no function 'nosuch': it may be inlined, or in a module that is not loaded",
		  "nosuch" },
		{ "made", "the kernel has no function 'made': the compiler has made 'made.isra.0' of it", "made" },
		{ "mine=twice", "there are 2 functions 'twice'", "twice" },
		{ "vfs_read+x", "what stands behind the + is no number", "vfs_read+x" },
		{ "vfs_read+4%return", "a return has no offset", "vfs_read+4%return" },
		{ "sched:a%return", "only a function has a return", "sched:a%return" },
		{ "rawtracepoint:x%return", "only a function has a return", "rawtracepoint:x%return" },
		{ "bin/sh:main", "the path of a program begins with a /", "bin/sh" },
		{ "vfs_read x=", "what it is to record is missing", "x=" },
		{ "vfs_read 'x=+0(%di) y'", "the kernel takes no blank and no # in a probe", " " },
		{ "vfs_read 'x=#'", "the kernel takes no blank and no # in a probe", "#" },
		{ "sched:a prii", "'sched:a' has no field 'prii'", "prii" },
		{ "sched:a x=prii", "'sched:a' has no field 'prii'", "prii" },
	};
	struct scene c;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const char *blamed = strstr(cases[i].words, cases[i].blamed);
		struct tsh_err err = { 0 };

		/* the last blank, not the one between the words */
		if (*cases[i].blamed == ' ')
			blamed = strrchr(cases[i].words, ' ');
		begin(&c);
		assert_int_equal(make(&c, cases[i].words, &err), -1);
		assert_string_equal(err.message, cases[i].message);
		if (err.span.begin != (size_t)(blamed - cases[i].words) ||
		    err.span.end != err.span.begin + strlen(cases[i].blamed))
			fail_msg("%s: blames %zu to %zu", cases[i].words, err.span.begin, err.span.end);
		wrote_is("");
		tsh_err_release(&err);
		end(&c);
	}
}

/* A name that the user has chosen must be free; any other one is counted on until it is. */
static void test_names(void **state)
{
	struct tsh_err err = { 0 };
	struct scene c;
	char *three;

	(void)state;
	begin(&c);
	assert_int_equal(make(&c, "vfs_read", &err), 0);
	assert_int_equal(make(&c, "vfs_read", &err), 0);
	assert_int_equal(make(&c, "mine=vfs_read", &err), 0);
	three = tsh_xasprintf("p:%s/vfs_read vfs_read\np:%s/vfs_read_2 vfs_read\np:%s/mine vfs_read", c.group,
			      c.group, c.group);
	file_is("dynamic_events", three);
	assert_int_equal(make(&c, "mine=vfs_read", &err), -1);
	assert_string_equal(err.message, "there is a probe 'mine' already");
	assert_string_equal(err.hint, "probe delete mine");
	assert_int_equal(err.span.begin, 0);
	assert_int_equal(err.span.end, 4);
	file_is("dynamic_events", three);
	tsh_err_release(&err);
	free(three);
	end(&c);
}

/* What this kernel does not make, is said before anything is written; an older one has a list for each kind. */
static void test_kinds(void **state)
{
	static const struct { const char *gone, *words, *message; } cases[] = {
		{ "README", "sched:a", "this kernel makes no probes of events" },
		{ "README", "rawtracepoint:x", "this kernel makes no probes of raw tracepoints" },
		{ "kprobe_events", "vfs_read", "this kernel makes no probes of its own functions" },
	};
	struct tsh_err err = { 0 };
	struct scene c;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		begin(&c);
		fake_drop(cases[i].gone);
		assert_int_equal(make(&c, cases[i].words, &err), -1);
		assert_string_equal(err.message, cases[i].message);
		wrote_is("");
		tsh_err_release(&err);
		end(&c);
	}
	begin(&c);
	fake_drop("dynamic_events");
	assert_int_equal(make(&c, "vfs_read", &err), 0);
	line_is(&c, "kprobe_events", "p:GROUP/vfs_read vfs_read");
	fake_put("dynamic_events", "");
	end(&c);
}

/* The kernel's refusal, with its reason where that is known. */
static void test_refused(void **state)
{
	static const struct { const char *words; int error; const char *message; } cases[] = {
		{ "vfs_read", EIO, "the kernel refuses the probe: Input/output error" },
		{ "vfs_read", EINVAL, "the kernel refuses the probe: Invalid argument" },
		{ "kprobe_int3_handler", EINVAL, "the kernel allows no probe in 'kprobe_int3_handler': it is on the "
		  "blacklist of what probes themselves use" },
		{ "kprobe_int3_handler", ENOMEM, "the kernel refuses the probe: Cannot allocate memory" },
	};
	struct scene c;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct tsh_err err = { 0 };

		begin(&c);
		c.k.refused = "dynamic_events";
		c.k.error = cases[i].error;
		assert_int_equal(make(&c, cases[i].words, &err), -1);
		assert_string_equal(err.message, cases[i].message);
		assert_int_equal(err.span.begin, 0);
		assert_int_equal(err.span.end, strlen(cases[i].words));
		assert_int_equal(c.one.dir->journal->entries.n, 0);
		tsh_err_release(&err);
		c.k.refused = NULL;
		end(&c);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lines),
		cmocka_unit_test(test_wrong),
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_kinds),
		cmocka_unit_test(test_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
