/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* What a dry run's files would read, and how often texts are looked at for that. */

static unsigned long compared;

static int compare_counted(const char *a, const char *b)
{
	compared++;
	return strcmp(a, b);
}

static size_t span_of(const char *text, const char *up_to)
{
	compared++;
	return strcspn(text, up_to);
}

#undef strcmp
#undef strcspn
#define strcmp compare_counted
#define strcspn span_of
#include "kernel/dryrun/model.c"
#undef strcmp
#undef strcspn

#define EVENTS 2000u
/* Looks for each write: some at each path and class, and those of a tree. */
#define COMPARED 60

/* What a recording of a kernel in which nothing is set has of them. */
static const char *const empty_files[] = { "set_event", "set_ftrace_filter", "set_graph_function", NULL };

struct dry {
	char path[64];
	struct tsh_dir *dir;
	struct tsh_instance top, instance;
};

static void begin(struct dry *d)
{
	const char *const *name;
	int fd, file;

	*d = (struct dry){ .path = "/tmp/tracesh-dry.XXXXXX" };
	assert_non_null(mkdtemp(d->path));
	fd = open(d->path, O_RDONLY | O_DIRECTORY);
	assert_true(fd >= 0);
	for (name = empty_files; *name; name++) {
		file = openat(fd, *name, O_WRONLY | O_CREAT, 0600);
		assert_true(file >= 0);
		close(file);
	}
	d->dir = tsh_dir_open_tree(fd, d->path);
	close(fd);
	assert_non_null(d->dir);
	tsh_dry_run_open(d->dir);
	d->top = d->instance = (struct tsh_instance){ .dir = d->dir, .fd = d->dir->fd };
	d->instance.name = (char *)"x";
}

static void end(struct dry *d)
{
	const char *const *name;

	for (name = empty_files; *name; name++)
		assert_int_equal(unlinkat(d->dir->fd, *name, 0), 0);
	assert_int_equal(rmdir(d->path), 0);
	tsh_dir_close(d->dir);
}

static void put(const struct tsh_instance *in, const char *path, const char *text)
{
	assert_int_equal(tsh_dry_model(in, path, false, text), 0);
}

static void reads(const struct tsh_instance *in, const char *path, const char *want)
{
	char *text = tsh_file_text(in, path);

	assert_string_equal(text ? text : "(null)", want);
	free(text);
}

static void test_set_event(void **state)
{
	struct dry d;

	(void)state;
	begin(&d);
	reads(&d.top, "set_event", "");
	put(&d.top, "events/b/two/enable", "1");
	put(&d.instance, "events/c/three/enable", "1");
	put(&d.top, "events/a/one/enable", "1");
	put(&d.top, "events/a/one/filter", "x == 1");
	put(&d.top, "events/a/enable", "1");
	reads(&d.top, "set_event", "b:two\na:one");
	reads(&d.instance, "set_event", "c:three");
	reads(&d.top, "events/a/one/enable", "1");
	put(&d.top, "events/b/two/enable", "0");
	reads(&d.top, "set_event", "a:one");
	/* one that begins like it is another one */
	d.instance.name = (char *)"xy";
	put(&d.instance, "trace_clock", "mono");
	tsh_dry_drop_instance(d.dir->dry, "x");
	assert_non_null(tsh_dry_text(&d.instance, "trace_clock"));
	d.instance.name = (char *)"x";
	reads(&d.instance, "set_event", "");
	assert_null(tsh_dry_text(&d.instance, "events/c/three/enable"));
	reads(&d.top, "set_event", "a:one");
	end(&d);
}

static void test_list(void **state)
{
	struct tsh_strbuf words = TSH_STRBUF_INIT;
	struct dry d;
	unsigned int i;
	char *text;

	(void)state;
	begin(&d);
	put(&d.top, "set_ftrace_filter", "f g f:traceoff:1 f");
	reads(&d.top, "set_ftrace_filter", "f\ng\nf:traceoff:1");
	put(&d.top, "set_ftrace_filter", "g !f h f");
	reads(&d.top, "set_ftrace_filter", "g\nh\nf");
	for (i = 0; i < EVENTS; i++)
		tsh_strbuf_addf(&words, "w%04u ", i);
	compared = 0;
	put(&d.top, "set_graph_function", words.buf);
	assert_in_range(compared, EVENTS, EVENTS * COMPARED);
	text = tsh_file_text(&d.top, "set_graph_function");
	assert_int_equal(strlen(text), words.len - 1);
	free(text);
	tsh_strbuf_release(&words);
	end(&d);
}

/* Of 2,000 events each is written, then read, in the time that it takes and not that of all. */
static void test_many(void **state)
{
	static const char *const files[][2] = {
		{ "enable", "1" }, { "filter", "x == 1" }, { "trigger", "traceoff" }, { "enable", "0" },
	};
	struct dry d;
	unsigned int i;
	size_t k;
	char path[64], *text;

	(void)state;
	begin(&d);
	for (k = 0; k < sizeof(files) / sizeof(files[0]); k++) {
		compared = 0;
		for (i = 0; i < EVENTS; i++) {
			snprintf(path, sizeof(path), "events/s/e%u/%s", i, files[k][0]);
			put(&d.top, path, files[k][1]);
			text = tsh_file_text(&d.top, path);
			assert_non_null(text);
			free(text);
		}
		assert_in_range(compared, EVENTS, EVENTS * COMPARED);
		if (k)
			continue;
		text = tsh_file_text(&d.top, "set_event");
		assert_int_equal(strlen(text), strlen("s:e0\n") * 10 + strlen("s:e10\n") * 90 + strlen("s:e100\n") * 900 +
				 strlen("s:e1000\n") * 1000 - 1);
		free(text);
	}
	reads(&d.top, "set_event", "");
	end(&d);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_set_event),
		cmocka_unit_test(test_list),
		cmocka_unit_test(test_many),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
