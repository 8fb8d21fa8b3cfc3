/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "kernel/tracefs/errlog.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

/* What error_log says of a command; what it says was written by anybody. */

static const char two[] =
	"[    1.000001] event filter parse error: error: Field not found\n"
	"  Command: nosuch == 1\n"
	"                 ^\n"
	"[    2.000001] hist:sched:sched_switch: error: Couldn't find field\n"
	"  Command: hist:keys=x\n"
	"                     ^\n";

static void check(const char *text, const char *command, const char *message, int pos)
{
	struct tsh_errlog_entry entry;

	assert_true(tsh_errlog_parse(text, command, &entry));
	assert_string_equal(entry.message, message);
	assert_int_equal(entry.has_pos, pos >= 0);
	if (pos >= 0)
		assert_int_equal(entry.pos, pos);
	tsh_errlog_entry_release(&entry);
}

static void check_none(const char *text, const char *command)
{
	struct tsh_errlog_entry entry;

	assert_false(tsh_errlog_parse(text, command, &entry));
	tsh_errlog_entry_release(&entry);
}

static void test_find(void **state)
{
	(void)state;
	check(two, "nosuch == 1", "Field not found", 6);
	check(two, "nosuch == 1 \t\n", "Field not found", 6);
	check(two, "hist:keys=x", "Couldn't find field", 10);
	check_none(two, "hist:keys=");
	check_none(two, "keys=x");
	check_none(two, "");
	check_none("", "x");
	check_none("\n  Command: x\n  ^\n", "x");
	check_none("  Command: x\n", "x");
}

static void test_last(void **state)
{
	(void)state;
	check("[1] a: error: First\n  Command: x\n           ^\n"
	      "[2] a: error: Second\n  Command: y\n           ^\n"
	      "[3] a: error: Third\n  Command: x\n",
	      "x", "Third", -1);
}

/* A command with newlines, and one that looks like a record. */
static void test_hostile(void **state)
{
	static const char forged[] =
		"[1] a: error: True\n"
		"  Command: p:x y\n[9] a: error: Forged\n  Command: z\n           ^\n"
		"             ^\n";

	(void)state;
	check(forged, "p:x y\n[9] a: error: Forged\n  Command: z\n           ^", "True", 2);
	check("[1] a: error: Mine: error: no\n  Command: c: error: q\n              ^\n",
	      "c: error: q", "Mine: error: no", 3);
}

static void test_caret(void **state)
{
	(void)state;
	check("[1] a: error: M\n  Command: x\n           ^\n", "x", "M", 0);
	check("[1] a: error: M\n  Command: x\n   ^\n", "x", "M", -1);
	check("[1] a: error: M\n  Command: x\nno caret\n", "x", "M", -1);
	check("[1] a: error: M\n  Command: x\n", "x", "M", -1);
}

static void write_log(int dir, const char *text)
{
	int fd = openat(dir, "error_log", O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), (ssize_t)strlen(text));
	close(fd);
}

/* Whether a log that was empty before the write explains the text. */
static bool explains(const struct tsh_instance *in, const char *text)
{
	struct tsh_err err = { 0 };
	bool found = tsh_errlog_explain(in, "", "it", text, &err);

	assert_int_equal(found, tsh_err_is_set(&err));
	tsh_err_release(&err);
	return found;
}

/* Somebody else may be refused between our write and our look. */
static void test_explain(void **state)
{
	char path[] = "/tmp/tracesh-errlog-XXXXXX";
	struct tsh_instance in = { 0 };
	struct tsh_err err = { 0 };

	(void)state;
	assert_non_null(mkdtemp(path));
	in.fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	in.dir = tsh_dir_open_tree(in.fd, path);
	assert_non_null(in.dir);
	write_log(in.fd, two);
	assert_true(explains(&in, "hist:keys=x"));
	assert_true(explains(&in, "hist:keys=x:size=64 if a == 1"));
	assert_true(explains(&in, "hist:keys=x  "));
	assert_false(explains(&in, "nosuch == 1"));
	assert_false(explains(&in, "traceoff"));
	write_log(in.fd, "[1] a: error: M\n  Command: p:g/n place a=%ax\n           ^\n");
	assert_true(explains(&in, "p:g/n  place\ta=%ax"));
	assert_false(explains(&in, "p:g/m place a=%ax"));
	write_log(in.fd, "[1] a: error: True\n  Command: p:g/n f x: error: y\n           ^\n");
	assert_true(tsh_errlog_explain(&in, "", "it", "p:g/n f x: error: y", &err));
	assert_string_equal(err.message, "the kernel refuses it: True");
	tsh_err_release(&err);
	assert_int_equal(unlinkat(in.fd, "error_log", 0), 0);
	tsh_dir_close(in.dir);
	close(in.fd);
	assert_int_equal(rmdir(path), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_find),
		cmocka_unit_test(test_last),
		cmocka_unit_test(test_hostile),
		cmocka_unit_test(test_caret),
		cmocka_unit_test(test_explain),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
