/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "fake-kernel.h"

#include <sys/file.h>

#include "base/number.h"
#include "engine/state/recover.h"
#include "engine/state/sweep.h"

/* What killed sessions have left, in journals and without one, goes back; what cannot be known, is said. */

/* Other mount namespaces are not those of the test. */
void __wrap_tsh_orphans_elsewhere(const struct tsh_waiter *waiter, struct tsh_elsewhere *ret);
void __wrap_tsh_orphans_elsewhere(const struct tsh_waiter *waiter, struct tsh_elsewhere *ret)
{
	(void)waiter, (void)ret;
}

struct scene {
	struct fake_kernel k;
	struct fake_session one, two, last;	/* the last one recovers */
	struct tsh_session s;
	struct tsh_out out;
	struct tsh_strbuf said;
	char *before;
};

static void note(void *ctx, const char *text)
{
	struct scene *c = ctx;

	tsh_strbuf_addf(&c->said, "%s\n", text);
}

/* No signal comes. */
static enum tsh_wait_result wait_for(void *ctx, struct pollfd *fds, unsigned int nfds, int timeout_ms)
{
	(void)ctx, (void)fds, (void)nfds;
	usleep((useconds_t)timeout_ms * 1000);
	return TSH_WAIT_TIMEOUT;
}

static const struct tsh_waiter waiter = { wait_for, NULL };

static void begin(struct scene *c)
{
	memset(c, 0, sizeof(*c));
	kernel_begin(&c->k);
	c->before = kernel_state();
	session_begin(&c->one, 1);
	session_begin(&c->two, 2);
}

static void begin_recover(struct scene *c)
{
	session_begin(&c->last, 3);
	c->k.number = 3;
	tsh_out_init(&c->out, -1, TSH_FORMAT_CSV);
	c->out.note = note;
	c->out.note_ctx = c;
	tsh_strbuf_init(&c->said);
	c->s = (struct tsh_session){ .dir = c->last.dir, .in = &c->last.top, .out = &c->out, .waiter = &waiter };
	tsh_strbuf_clear(&c->k.wrote);
}

/* Checks what recover returns and says; %d in error is not replaced. */
static void recovers(struct scene *c, const struct tsh_recover_spec *spec, const char *error)
{
	struct tsh_err err = { 0 };
	int r = tsh_recover(&c->s, spec, &err);

	if (!error && r < 0)
		fail_msg("%s", err.message);
	if (error) {
		assert_int_equal(r, -1);
		assert_string_equal(err.message, error);
	}
	tsh_err_release(&err);
}

static void said(struct scene *c, const char *format, ...)
{
	va_list args;
	char *text;

	va_start(args, format);
	assert_true(vasprintf(&text, format, args) >= 0);
	va_end(args);
	assert_string_equal(c->said.len ? c->said.buf : "", text);
	tsh_strbuf_clear(&c->said);
	free(text);
}

/* Nothing is left behind: each file is as before, and there is no journal. */
static void nothing_left(struct scene *c)
{
	char *now = kernel_state();

	assert_string_equal(now, c->before);
	free(now);
	assert_int_equal(journals(), 0);
}

static void end(struct scene *c)
{
	tsh_out_release(&c->out);
	tsh_strbuf_release(&c->said);
	session_close(&c->last);
	free(c->before);
	kernel_end(&c->k);
}

static const struct tsh_recover_spec any = { 0 }, all = { .all = true }, forget = { .forget = true };

static void test_nothing(void **state)
{
	struct scene c;

	(void)state;
	begin(&c);
	session_close(&c.one);
	session_close(&c.two);
	begin_recover(&c);
	recovers(&c, &any, NULL);
	said(&c, "nothing was left behind, as far as the journals in /run/tracesh and /var/lib/tracesh tell\n");
	end(&c);
}

static void test_one(void **state)
{
	struct tsh_value pid = { .number = 1, .word = { .text = (char *)"1" } };
	const struct tsh_recover_spec other = { .pid = &pid };
	struct scene c;

	(void)state;
	begin(&c);
	session_set(&c.one, "events/sched/a/enable", "1");
	session_set(&c.one, "events/sched/a/trigger", "stacktrace");
	session_set(&c.one, "kprobe_events", "p:g/n vfs_read");
	session_kill(&c.one);
	session_close(&c.two);
	begin_recover(&c);
	recovers(&c, &other, "process 1 has left nothing behind");
	said(&c, "");
	recovers(&c, &any, NULL);
	wrote_is("events/sched/a/enable=0;events/sched/a/trigger=!stacktrace;kprobe_events=-:g/n;");
	said(&c, "process %d: 3 settings taken back\n", (int)getpid());
	nothing_left(&c);
	end(&c);
}

/* What a session that runs has set is none of recover's business. */
static void test_running(void **state)
{
	struct tsh_undo_report report;
	struct scene c;

	(void)state;
	begin(&c);
	session_set(&c.one, "options/sym-addr", "1");
	session_set(&c.two, "current_tracer", "function");
	session_kill(&c.one);
	begin_recover(&c);
	recovers(&c, &all, NULL);
	wrote_is("options/sym-addr=0;");
	file_is("current_tracer", "function");
	assert_int_equal(journals(), 1);
	report = session_undo(&c.two);
	tsh_undo_report_release(&report);
	session_close(&c.two);
	nothing_left(&c);
	end(&c);
}

/* The older one hands over to the one that runs, which takes it back. */
static void test_heir(void **state)
{
	struct tsh_undo_report report;
	struct scene c;

	(void)state;
	begin(&c);
	session_set(&c.one, "current_tracer", "function");
	session_set(&c.two, "current_tracer", "wakeup");
	session_kill(&c.one);
	begin_recover(&c);
	recovers(&c, &any, NULL);
	wrote_is("");
	assert_non_null(strstr(c.said.buf, "1 setting stays: process "));
	assert_int_equal(journals(), 1);
	report = session_undo(&c.two);
	tsh_undo_report_release(&report);
	session_close(&c.two);
	nothing_left(&c);
	end(&c);
}

/* Two that changed one file by turns: it is as before the first, whichever is taken back first. */
static void test_by_turns(void **state)
{
	struct scene c;

	(void)state;
	begin(&c);
	session_set(&c.one, "current_tracer", "function");
	session_set(&c.two, "current_tracer", "wakeup");
	session_set(&c.one, "current_tracer", "irqsoff");
	session_set(&c.two, "options/sym-addr", "1");
	session_kill(&c.one);
	session_kill(&c.two);
	begin_recover(&c);
	recovers(&c, &any, "2 sessions have left settings");
	wrote_is("");
	recovers(&c, &all, NULL);
	nothing_left(&c);
	end(&c);
}

/* A probe whose event the other one has on: the event goes off first, and then the probe. */
static void test_probe_and_event(void **state)
{
	struct scene c;

	(void)state;
	begin(&c);
	session_set(&c.one, "kprobe_events", "p:g/n vfs_read");
	session_set(&c.two, "events/g/n/enable", "1");
	session_kill(&c.one);
	session_kill(&c.two);
	begin_recover(&c);
	recovers(&c, &all, NULL);
	wrote_is("events/g/n/enable=0;kprobe_events=-:g/n;");
	nothing_left(&c);
	end(&c);
}

/* What somebody has changed since is left, until it is given up. */
static void test_somebody_elses(void **state)
{
	struct scene c;

	(void)state;
	begin(&c);
	session_set(&c.one, "current_tracer", "function");
	session_set(&c.one, "options/sym-addr", "1");
	fake_put("current_tracer", "wakeup");
	session_kill(&c.one);
	session_close(&c.two);
	begin_recover(&c);
	recovers(&c, &any, "1 setting could not be taken back");
	wrote_is("options/sym-addr=0;");
	said(&c, "current_tracer: changed by somebody else since (now wakeup, it would go back to nop); left as it "
	     "is\nprocess %d: 1 setting taken back\n", (int)getpid());
	assert_int_equal(journals(), 1);
	recovers(&c, &forget, NULL);
	wrote_is("");
	file_is("current_tracer", "wakeup");
	assert_non_null(strstr(c.said.buf, "1 setting forgotten\n"));
	assert_int_equal(journals(), 0);
	end(&c);
}

/* ---- killed at any time ---- */

/* Cuts the only journal behind n lines, as a kill leaves it. */
static void cut_journal(struct scene *c, size_t n)
{
	char *path = tsh_xasprintf("%s/%d-10.journal", c->k.folder, (int)getpid()), line[4096];
	FILE *f = fopen(path, "r");
	long at;

	assert_non_null(f);
	while (n--)
		assert_non_null(fgets(line, sizeof(line), f));
	at = ftell(f);
	assert_int_equal(fclose(f), 0);
	assert_int_equal(truncate(path, at), 0);
	free(path);
}

/* Lines: the header, and for each setting its command, the write and that it worked. */
static void test_killed(void **state)
{
	static const struct {
		size_t lines;
		const char *now;	/* the file's text then */
		const char *wrote;
	} cases[] = {
		/* it was recorded, and not written yet */
		{ 6, "0", "" },
		/* it was written, and not recorded that it was */
		{ 6, "1", "options/sym-addr=0;" },
		{ 7, "1", "options/sym-addr=0;" },
		/* the next command has not recorded anything to be written */
		{ 5, "0", "" },
	};
	struct scene c;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		begin(&c);
		session_set(&c.one, "events/sched/a/filter", "x == 1");
		session_set(&c.one, "options/sym-addr", "1");
		session_kill(&c.one);
		session_close(&c.two);
		cut_journal(&c, cases[i].lines);
		fake_put("options/sym-addr", cases[i].now);
		begin_recover(&c);
		recovers(&c, &any, NULL);
		if (*cases[i].wrote)
			wrote_is("options/sym-addr=0;events/sched/a/filter=0;");
		else
			wrote_is("events/sched/a/filter=0;");
		nothing_left(&c);
		end(&c);
	}
}

/* A journal that is not whole: what can be read goes back, and the file stays until it is given up. */
static void test_damaged(void **state)
{
	char *path = tsh_xasprintf("%d-10.journal", (int)getpid()), *whole;
	struct scene c;
	FILE *f;

	(void)state;
	begin(&c);
	session_set(&c.one, "options/sym-addr", "1");
	session_kill(&c.one);
	session_close(&c.two);
	whole = tsh_xasprintf("%s/%s", c.k.folder, path);
	f = fopen(whole, "a");
	assert_non_null(f);
	(void)fputs("00000000\twrite\t9\n", f);
	assert_int_equal(fclose(f), 0);
	begin_recover(&c);
	recovers(&c, &any, "1 journal cannot be read whole: what else was set is not known");
	wrote_is("options/sym-addr=0;");
	assert_int_equal(journals(), 1);
	recovers(&c, &forget, NULL);
	nothing_left(&c);
	free(whole);
	free(path);
	end(&c);
}

/* ---- what it refuses ---- */

static void test_refuses(void **state)
{
	struct scene c;

	(void)state;
	begin(&c);
	session_set(&c.one, "options/sym-addr", "1");
	session_kill(&c.one);
	session_close(&c.two);
	begin_recover(&c);
	c.last.dir->read_only = true;
	recovers(&c, &all, "nothing is taken back: --read-only was given");
	wrote_is("");
	c.last.dir->read_only = false;
	c.k.is_closed = true;
	recovers(&c, &all, "cannot look for journals in /run/tracesh: Operation not permitted");
	wrote_is("");
	c.k.is_closed = false;
	recovers(&c, &all, NULL);
	nothing_left(&c);
	end(&c);
}

/* ---- the list ---- */

static void test_list(void **state)
{
	struct tsh_err err = { 0 };
	struct tsh_strlist fields = { 0 };
	struct scene c;
	char *comma;

	(void)state;
	begin(&c);
	session_set(&c.one, "options/sym-addr", "1");
	session_set(&c.one, "current_tracer", "function");
	session_set(&c.one, "events/sched/a/filter", "x == 1");
	fake_put("current_tracer", "wakeup");
	fake_put("events/sched/a/filter", "none");
	session_kill(&c.one);
	session_close(&c.two);
	begin_recover(&c);
	assert_int_equal(tsh_recover_list(&c.s, &err), 0);
	while ((comma = strchr(c.out.data.buf, ',')))
		*comma = ' ';
	tsh_strlist_split_lines(&fields, c.out.data.buf);
	assert_int_equal(fields.n, 2);
	assert_string_equal(fields.v[0], "process began commands settings instances theirs name recover");
	/* one is still as it was set, one was changed, one is gone already */
	assert_non_null(strstr(fields.v[1], " 3 1 0 1  takes it back"));
	said(&c, "not counted: 1 setting that somebody else has changed since; recover --forget gives it up\n");
	wrote_is("");
	assert_int_equal(journals(), 1);
	tsh_strlist_release(&fields);
	end(&c);
}

/* ---- without a journal ---- */

#define NOBODY 4194303		/* the largest number of a process */

static void make_instance(const char *name)
{
	char *path = tsh_xasprintf("instances/%s/per_cpu/cpu0/stats", name);

	fake_put(path, "");
	free(path);
}

/* Instances of tracesh's own of a process that is gone are removed; of one that lives, only when that is
 * asked for; those of others never. */
static void test_sweep(void **state)
{
	char *lives = tsh_xasprintf("tracesh-%d-9", (int)getppid());
	struct tsh_value pid = { .number = NOBODY, .word = { .text = (char *)"4194303" } };
	const struct tsh_recover_spec of_nobody = { .pid = &pid };
	struct scene c;

	(void)state;
	begin(&c);
	session_close(&c.one);
	session_close(&c.two);
	make_instance("tracesh-4194303-1");
	make_instance(lives);
	make_instance("tracesh-4194303-x");
	make_instance("mine");
	begin_recover(&c);
	assert_true(tsh_sweep_has_left(&c.s, NOBODY));
	assert_false(tsh_sweep_has_left(&c.s, 1));
	recovers(&c, &of_nobody, NULL);
	said(&c, "instance 'tracesh-4194303-1' of a process that is gone is removed\n");
	assert_false(tsh_instance_exists(c.last.dir, "tracesh-4194303-1"));
	recovers(&c, &any, NULL);
	said(&c, "instance '%s' seems to be left: no tracesh uses it, but there is a process %d; tracesh recover --all "
	     "removes it\n", lives, (int)getppid());
	assert_true(tsh_instance_exists(c.last.dir, lives));
	recovers(&c, &all, NULL);
	said(&c, "instance '%s' that no tracesh holds is removed\n", lives);
	assert_false(tsh_instance_exists(c.last.dir, lives));
	assert_true(tsh_instance_exists(c.last.dir, "tracesh-4194303-x"));
	assert_true(tsh_instance_exists(c.last.dir, "mine"));
	free(lives);
	end(&c);
}

/* One that a session holds, or has in its journal, is in use. */
static void test_sweep_in_use(void **state)
{
	struct tsh_instance *in;
	struct tsh_err err = { 0 };
	struct scene c;

	(void)state;
	begin(&c);
	session_close(&c.two);
	c.k.number = 1;
	assert_int_equal(tsh_instance_create_own(c.one.dir, &in, &err), 0);
	begin_recover(&c);
	recovers(&c, &all, NULL);
	assert_true(tsh_instance_exists(c.last.dir, in->name));
	assert_null(strstr(c.said.buf, "removed"));
	/* killed, and its number is that of a process: the journal knows of it */
	session_kill(&c.one);
	recovers(&c, &all, NULL);
	assert_false(tsh_instance_exists(c.last.dir, in->name));
	assert_int_equal(journals(), 0);
	in->dir = c.last.dir;
	tsh_instance_close(in);
	end(&c);
}

/* A session holds its instance by a lock, which is seen from where its process is not. */
static void test_sweep_held(void **state)
{
	char *name = tsh_xasprintf("tracesh-%d-9", (int)getppid()), *path;
	struct scene c;
	int fd;

	(void)state;
	begin(&c);
	session_close(&c.one);
	session_close(&c.two);
	make_instance(name);
	make_instance("tracesh-4194303-1");
	begin_recover(&c);
	path = tsh_xasprintf("%s/tree/instances/%s/per_cpu", c.k.path, name);
	fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	assert_int_equal(flock(fd, LOCK_SH), 0);
	recovers(&c, &all, NULL);
	said(&c, "instance 'tracesh-4194303-1' of a process that is gone is removed\n");
	assert_true(tsh_instance_exists(c.last.dir, name));
	close(fd);
	recovers(&c, &all, NULL);
	assert_false(tsh_instance_exists(c.last.dir, name));
	free(path);
	free(name);
	end(&c);
}

/* Probes by their group; what makes a synthetic event is not known, so it is only named. */
static void test_sweep_probes(void **state)
{
	struct scene c;

	(void)state;
	begin(&c);
	session_close(&c.one);
	session_close(&c.two);
	fake_put("kprobe_events", "p:tracesh_4194303/x vfs_read\np:others/y vfs_open");
	fake_put("events/tracesh_4194303/x/enable", "0");
	fake_put("events/tracesh_4194303/x/filter", "none");
	fake_put("events/tracesh_4194303/x/trigger", "");
	fake_put("synthetic_events", "tracesh_lat_4194303\tu64 lat");
	begin_recover(&c);
	recovers(&c, &any, NULL);
	said(&c, "probe 'tracesh_4194303:x' of a process that is gone is removed\n"
	     "synthetic event 'tracesh_lat_4194303' of a process that is gone is left: tracesh synth delete "
	     "tracesh_lat_4194303\n");
	file_is("kprobe_events", "p:others/y vfs_open");
	file_is("synthetic_events", "tracesh_lat_4194303\tu64 lat");
	end(&c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_nothing),
		cmocka_unit_test(test_one),
		cmocka_unit_test(test_running),
		cmocka_unit_test(test_heir),
		cmocka_unit_test(test_by_turns),
		cmocka_unit_test(test_probe_and_event),
		cmocka_unit_test(test_somebody_elses),
		cmocka_unit_test(test_killed),
		cmocka_unit_test(test_damaged),
		cmocka_unit_test(test_refuses),
		cmocka_unit_test(test_list),
		cmocka_unit_test(test_sweep),
		cmocka_unit_test(test_sweep_in_use),
		cmocka_unit_test(test_sweep_held),
		cmocka_unit_test(test_sweep_probes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
