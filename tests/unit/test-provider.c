/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pages.h"

#include <errno.h>

#include "events/source/provider-internal.h"

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
	/* In another pid namespace the kernel means other tasks by these numbers. */
	if (a.ask->comm && a.ask->comm(a.ask->ctx, getpid(), comm)) {
		assert_memory_equal(comm, expected, sizeof(comm));
		assert_int_equal(a.ask->tgid(a.ask->ctx, getpid()), getpid());
	}
	assert_false(a.ask->comm && a.ask->comm(a.ask->ctx, 0, comm));
	assert_int_equal(a.ask->tgid(a.ask->ctx, 1 << 30), -1);
	finish(&a);
}

/* The tasks of a recording are not the machine's. */
static void test_tasks_of_a_tree(void **state)
{
	struct asked a;

	(void)state;
	begin(&a, false);
	assert_null(a.ask->comm);
	assert_int_equal(a.ask->tgid(a.ask->ctx, 41), 40);
	assert_int_equal(a.ask->tgid(a.ask->ctx, 141), 140);
	assert_int_equal(a.ask->tgid(a.ask->ctx, 1), -1);
	finish(&a);
}

/* ---- the kernel ---- */

static void expect_text(int fd, const char *text)
{
	char its_text[64];
	ssize_t n;

	assert_true(fd >= 0);
	n = read(fd, its_text, sizeof(its_text) - 1);
	assert_true(n >= 0);
	its_text[n] = '\0';
	assert_string_equal(its_text, text);
	close(fd);
}

static void test_kernel_of_a_tree(void **state)
{
	struct asked a;
	char *path;

	(void)state;
	begin(&a, false);
	assert_int_equal(a.ask->kallsyms(a.ask->ctx), -1);
	assert_int_equal(a.ask->btf(a.ask->ctx), -1);
	assert_int_equal(a.ask->module_btf(a.ask->ctx, 0), -1);
	put_text(&a.t, "kallsyms", "0000000000000001 T one\n");
	put_text(&a.t, "btf", "not BTF");
	make_folder(&a.t, "btf-modules");
	put_text(&a.t, "btf-modules/b", "second");
	put_text(&a.t, "btf-modules/a", "first");
	expect_text(a.ask->kallsyms(a.ask->ctx), "0000000000000001 T one\n");
	expect_text(a.ask->btf(a.ask->ctx), "not BTF");
	expect_text(a.ask->module_btf(a.ask->ctx, 0), "first");
	expect_text(a.ask->module_btf(a.ask->ctx, 1), "second");
	assert_int_equal(a.ask->module_btf(a.ask->ctx, 2), -1);
	/* Nobody writes to it: it must not be waited for. */
	path = tsh_xasprintf("%s/kallsyms", a.t.path);
	assert_int_equal(unlink(path), 0);
	assert_int_equal(mkfifo(path, 0600), 0);
	assert_int_equal(a.ask->kallsyms(a.ask->ctx), -1);
	free(path);
	finish(&a);
}

static void test_memory_of_a_tree(void **state)
{
	unsigned char bytes[8] = { 0 };
	struct asked a;

	(void)state;
	begin(&a, false);
	put_text(&a.t, "memory", "garbage\nffffffff81000000\nffffffff81000000 4\n"
				 "ffffffff81000000 0aFf4100\nffffffff82000000 xx11\n"
				 "ffffffffffffffff 01");
	assert_true(a.ask->memory(a.ask->ctx, 0xffffffff81000000, bytes, 4));
	assert_memory_equal(bytes, "\x0a\xff\x41\0", 4);
	assert_true(a.ask->memory(a.ask->ctx, 0xffffffff81000002, bytes, 2));
	assert_memory_equal(bytes, "A", 2);
	assert_false(a.ask->memory(a.ask->ctx, 0xffffffff81000002, bytes, 3));
	assert_false(a.ask->memory(a.ask->ctx, 0xffffffff81000004, bytes, 1));
	assert_false(a.ask->memory(a.ask->ctx, 0xffffffff80ffffff, bytes, 1));
	assert_false(a.ask->memory(a.ask->ctx, 0xffffffff82000000, bytes, 1));
	assert_true(a.ask->memory(a.ask->ctx, UINT64_MAX, bytes, 1));
	assert_false(a.ask->memory(a.ask->ctx, UINT64_MAX, bytes, 2));
	assert_false(a.ask->memory(a.ask->ctx, 0xffffffff81000000, bytes, SIZE_MAX));
	finish(&a);
	begin(&a, false);
	assert_false(a.ask->memory(a.ask->ctx, 0, bytes, 1));
	finish(&a);
}

static void test_variables_of_a_tree(void **state)
{
	struct asked a;
	uint64_t value;

	(void)state;
	begin(&a, false);
	put_text(&a.t, "variables", "HZ 0xfa\njiffies 4295344444\nsizeof(struct page) 0x40\n"
				    "bad x\nHZ2\n");
	assert_true(a.ask->variable(a.ask->ctx, "HZ", &value));
	assert_int_equal(value, 250);
	assert_true(a.ask->variable(a.ask->ctx, "jiffies", &value));
	assert_int_equal(value, 4295344444);
	assert_true(a.ask->variable(a.ask->ctx, "sizeof(struct page)", &value));
	assert_int_equal(value, 64);
	/* also when it is asked for again */
	assert_true(a.ask->variable(a.ask->ctx, "HZ", &value));
	assert_int_equal(value, 250);
	assert_false(a.ask->variable(a.ask->ctx, "bad", &value));
	assert_false(a.ask->variable(a.ask->ctx, "H", &value));
	assert_false(a.ask->variable(a.ask->ctx, "vmemmap_base", &value));
	finish(&a);
	begin(&a, false);
	assert_false(a.ask->variable(a.ask->ctx, "HZ", &value));
	finish(&a);
}

static void test_variables(void **state)
{
	uint64_t value, later;
	struct asked a;

	(void)state;
	begin(&a, true);
	assert_true(a.ask->variable(a.ask->ctx, "HZ", &value));
	assert_in_range(value, 10, 10000);
	assert_true(a.ask->variable(a.ask->ctx, "LINUX_VERSION_CODE", &value));
	assert_in_range(value, 4 << 16, 99 << 16);
	assert_false(a.ask->variable(a.ask->ctx, "no_such_variable", &value));
	/* A function has a symbol, but no value. */
	assert_false(a.ask->variable(a.ask->ctx, "schedule", &value));
	if (a.ask->variable(a.ask->ctx, "jiffies", &value)) {
		usleep(30000);
		assert_true(a.ask->variable(a.ask->ctx, "jiffies", &later));
		assert_in_range(later, value, value + 10000);
	}
	finish(&a);
}

#define ALLOC " sh-1 [000] ..... 1.0: mm_page_alloc: page=%s pfn=%s order=0 migratetype=0\n"

/* Three allocations, the third of them `page`, `pfn`. */
static bool solves(const char *page, const char *pfn)
{
	char *text = tsh_xasprintf("# tracer: nop\n#  page=1 pfn=2\n" ALLOC ALLOC ALLOC ALLOC,
				   "ffffea0000000040", "0x1", "ffffea0000000040", "0x1",
				   page, pfn, "0000000000000000", "0x0");
	uint64_t base = 0, size = 0;
	bool r = tsh_pages_parse(text, &base, &size);

	free(text);
	if (r) {
		assert_true(base == 0xffffea0000000000);
		assert_int_equal(size, 64);
	}
	return r;
}

static void test_pages(void **state)
{
	uint64_t base, size;

	(void)state;
	assert_true(solves("ffffea0004a1b2c0", "0x1286cb"));
	/* kernels before 5.15 */
	assert_true(solves("ffffea0004a1b2c0", "1214155"));
	/* hidden, all the same, nonsense */
	assert_false(solves("00000000d1b2c0aa", "0x1286cb"));
	assert_false(solves("ffffea0000000040", "0x1"));
	assert_false(solves("(____ptrval____)", "0x1286cb"));
	assert_false(solves("ffffea0004a1b2c0", "pfn"));
	assert_false(tsh_pages_parse("", &base, &size));
}

static void test_options(void **state)
{
	struct asked a;
	int live;

	(void)state;
	for (live = 0; live <= 1; live++) {
		begin(&a, live);
		assert_int_equal(a.ask->option(a.ask->ctx, "sym-offset"), -1);
		put_text(&a.t, "trace_options", "noprint-parent\nsym-offset\nnonsense\n");
		make_folder(&a.t, "options");
		put_text(&a.t, "options/verbose", "1\n");
		put_text(&a.t, "options/raw", "0\n");
		put_text(&a.t, "options/odd", "maybe\n");
		assert_int_equal(a.ask->option(a.ask->ctx, "sym-offset"), 1);
		assert_int_equal(a.ask->option(a.ask->ctx, "print-parent"), 0);
		assert_int_equal(a.ask->option(a.ask->ctx, "verbose"), 1);
		assert_int_equal(a.ask->option(a.ask->ctx, "raw"), 0);
		assert_int_equal(a.ask->option(a.ask->ctx, "odd"), -1);
		assert_int_equal(a.ask->option(a.ask->ctx, "../trace_options"), -1);
		finish(&a);
	}
}

static void test_dynamic_events(void **state)
{
	struct asked a;
	char *text;

	(void)state;
	begin(&a, false);
	assert_null(a.ask->dynamic_events(a.ask->ctx));
	put_text(&a.t, "kprobe_events", "p:kprobes/one f\n");
	put_text(&a.t, "uprobe_events", "p:uprobes/two /bin/sh:0x10\n");
	text = a.ask->dynamic_events(a.ask->ctx);
	assert_string_equal(text, "p:kprobes/one f\np:uprobes/two /bin/sh:0x10");
	free(text);
	put_text(&a.t, "dynamic_events", "p:kprobes/one f\ne:eprobes/three a.b\n");
	text = a.ask->dynamic_events(a.ask->ctx);
	assert_string_equal(text, "p:kprobes/one f\ne:eprobes/three a.b");
	free(text);
	finish(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_formats),
		cmocka_unit_test(test_reused_id),
		cmocka_unit_test(test_tasks),
		cmocka_unit_test(test_tasks_of_a_tree),
		cmocka_unit_test(test_kernel_of_a_tree),
		cmocka_unit_test(test_memory_of_a_tree),
		cmocka_unit_test(test_variables_of_a_tree),
		cmocka_unit_test(test_variables),
		cmocka_unit_test(test_pages),
		cmocka_unit_test(test_options),
		cmocka_unit_test(test_dynamic_events),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
