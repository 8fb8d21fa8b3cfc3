/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tracesh/errlog.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_find),
		cmocka_unit_test(test_last),
		cmocka_unit_test(test_hostile),
		cmocka_unit_test(test_caret),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
