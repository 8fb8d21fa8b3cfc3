/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pages.h"

#include <errno.h>

struct asked {
	struct tree t;
	struct tsh_live_provider *p;
	const struct tsh_provider *ask;
};

static void put_event(const struct tree *t, const char *system, const char *name,
		      const char *file, const char *text)
{
	char *path = tsh_xasprintf("%s/events/%s", t->path, system);

	mkdir(path, 0700);
	free(path);
	path = tsh_xasprintf("%s/events/%s/%s", t->path, system, name);
	mkdir(path, 0700);
	free(path);
	path = tsh_xasprintf("events/%s/%s/%s", system, name, file);
	put_text(t, path, text);
	free(path);
}

static void fill(const struct tree *t)
{
	put_event(t, "sched", "sched_switch", "id", "316\n");
	put_event(t, "sched", "sched_switch", "format", "name: sched_switch\nID: 316\n");
	put_event(t, "ftrace", "print", "format", "name: print\nID: 5\n");
	put_event(t, "kprobes", "mine", "id", "2000\n");
	put_event(t, "kprobes", "mine", "format", "name: mine\nID: 2000\n");
	put_event(t, "odd", "odd", "id", "70000\n");
	put_text(t, "events/sched/enable", "0\n");
	put_text(t, "set_event", "sched:sched_switch\n");
	put_text(t, "available_events", "kprobes:mine\nsched:sched_switch\nodd:odd\n");
	put_text(t, "saved_cmdlines", "1 init\n");
	put_text(t, "saved_tgids", "41 40\n141 140\n");
}

static void begin(struct asked *a, bool live)
{
	tree_open(&a->t, live, 1);
	fill(&a->t);
	a->p = tsh_live_provider_new(a->t.in);
	a->ask = tsh_live_provider(a->p);
}

static void finish(struct asked *a)
{
	tsh_live_provider_free(a->p);
	tree_close(&a->t);
}

static void expect_format(const struct tsh_provider *ask, unsigned int id, const char *system,
			  const char *text)
{
	char *its_system, *its_text;

	assert_int_equal(ask->format(ask->ctx, id, &its_system, &its_text), 0);
	assert_string_equal(its_system, system);
	assert_non_null(strstr(its_text, text));
	free(its_system);
	free(its_text);
}

static void expect_none(const struct tsh_provider *ask, unsigned int id)
{
	char *system, *text;

	assert_int_equal(ask->format(ask->ctx, id, &system, &text), -ENOENT);
}

static void test_formats(void **state)
{
	struct asked a;
	int live;

	(void)state;
	for (live = 0; live <= 1; live++) {
		begin(&a, live);
		expect_format(a.ask, 316, "sched", "ID: 316");
		expect_format(a.ask, 5, "ftrace", "ID: 5");
		expect_format(a.ask, 2000, "kprobes", "ID: 2000");
		expect_none(a.ask, 70000);
		expect_none(a.ask, 9);
		expect_none(a.ask, 9);
		finish(&a);
	}
}

/* A probe goes, another takes its number. */
static void test_reused_id(void **state)
{
	struct asked a;

	(void)state;
	begin(&a, true);
	expect_format(a.ask, 2000, "kprobes", "name: mine");
	put_event(&a.t, "kprobes", "mine", "id", "2001\n");
	put_event(&a.t, "uprobes", "other", "id", "2000\n");
	put_event(&a.t, "uprobes", "other", "format", "name: other\nID: 2000\n");
	put_text(&a.t, "set_event", "uprobes:other\n");
	expect_format(a.ask, 2000, "uprobes", "name: other");
	expect_format(a.ask, 2001, "kprobes", "name: mine");
	finish(&a);
}

static void test_tasks(void **state)
{
	char comm[16], expected[16] = "a\nb";
	char *text;
	struct asked a;
	int fd;

	(void)state;
	begin(&a, true);
	text = a.ask->cmdlines(a.ask->ctx);
	assert_string_equal(text, "1 init");
	free(text);
	assert_null(a.ask->printk_formats(a.ask->ctx));
	fd = open("/proc/self/comm", O_WRONLY);
	assert_int_equal(write(fd, "a\nb", 3), 3);
	close(fd);
	if (a.ask->comm(a.ask->ctx, getpid(), comm)) {
		assert_memory_equal(comm, expected, sizeof(comm));
		assert_int_equal(a.ask->tgid(a.ask->ctx, getpid()), getpid());
	}
	assert_false(a.ask->comm(a.ask->ctx, 0, comm));
	assert_int_equal(a.ask->tgid(a.ask->ctx, 1 << 30), -1);
	finish(&a);
}

/* The tasks of a recording are not the machine's. */
static void test_tasks_of_a_tree(void **state)
{
	char comm[16];
	struct asked a;

	(void)state;
	begin(&a, false);
	assert_false(a.ask->comm(a.ask->ctx, getpid(), comm));
	assert_int_equal(a.ask->tgid(a.ask->ctx, 41), 40);
	assert_int_equal(a.ask->tgid(a.ask->ctx, 141), 140);
	assert_int_equal(a.ask->tgid(a.ask->ctx, 1), -1);
	finish(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_formats),
		cmocka_unit_test(test_reused_id),
		cmocka_unit_test(test_tasks),
		cmocka_unit_test(test_tasks_of_a_tree),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
