/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/zone.h"

/* A database of our own: a zone, a table, and something that is no zone. */
static char folder[] = "/tmp/tracesh-zone.XXXXXX";

static void write_file(const char *name, const char *text)
{
	char path[256];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	file = fopen(path, "w");
	assert_non_null(file);
	fputs(text, file);
	fclose(file);
}

static int make_database(void **state)
{
	char path[256];

	(void)state;
	assert_non_null(mkdtemp(folder));
	setenv("TZDIR", folder, 1);
	snprintf(path, sizeof(path), "%s/Europe", folder);
	assert_int_equal(mkdir(path, 0700), 0);
	write_file("Europe/Berlin", "TZif2");
	write_file("Europe/empty", "");
	write_file("zone.tab", "# comment\nDE\t+5230+01322\tEurope/Berlin\tmost of it\n"
		   "FR\t+4852+00220\tEurope/Paris\n\nbroken\n");
	return 0;
}

static int remove_database(void **state)
{
	static const char *const names[] = {
		"Europe/Berlin", "Europe/empty", "zone.tab", "Europe", "",
	};
	char path[256];
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		snprintf(path, sizeof(path), "%s/%s", folder, names[i]);
		remove(path);
	}
	return 0;
}

static void test_known(void **state)
{
	static const char *const known[] = {
		"UTC", "GMT", "UTC0", "EST5", "EST5EDT", "<+08>-8", "<-0330>+3:30", "CET-1CEST",
		"CET-1CEST,M3.5.0,M10.5.0/3", "XXX-15:03:02", "AAA0BBB-1:30,J60/0,300/-1:00:00",
		"<-02>2<-01>,M3.5.0/-1,M10.5.0/0", "AAA24", "IST-2IDT,M3.4.4/26,M10.5.0",
		"Europe/Berlin",
	};
	struct tsh_err err = { 0 };
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (tsh_zone_check(known[i], &err) < 0)
			fail_msg("%s: %s", known[i], err.message);
}

static void test_unknown(void **state)
{
	static const char *const unknown[] = {
		"", " ", "utc", "CET", "Berlin", "Europe", "Europe/", "Europe/empty", "zone.tab",
		"Mars/Olympus", "/etc/localtime", "../etc/localtime", "Europe/../Europe/Berlin",
		"UTC+", "U0", "AAA25", "AAA1:60", "AAA1:", "AAA1:00:60", "AAA-15:03:02.5", "<+08-8",
		"<+0>0", "EST5E", "EST5EDT,M3.2.0", "EST5EDT,M13.2.0,M11.1.0", "EST5EDT,M3.6.0,M11.1.0",
		"EST5EDT,M3.2.7,M11.1.0", "EST5EDT,J0,J10", "EST5EDT,J1,J366", "EST5EDT,1,366",
		"EST5EDT,1,2,3", "EST5EDT,1/168,2", "EST5EDT ", "5", "EST99999999999999999999",
		"A\033[2J0",
	};
	struct tsh_err err = { 0 };
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(unknown) / sizeof(unknown[0]); i++) {
		if (tsh_zone_check(unknown[i], &err) == 0)
			fail_msg("'%s' is taken for a zone", unknown[i]);
		assert_non_null(err.hint);
		tsh_err_release(&err);
	}
}

static void check_hint(const char *name, const char *hint)
{
	struct tsh_err err = { 0 };

	assert_int_equal(tsh_zone_check(name, &err), -1);
	assert_int_equal(err.status, TSH_USAGE);
	assert_non_null(strstr(err.hint, hint));
	tsh_err_release(&err);
}

static void test_hints(void **state)
{
	(void)state;
	check_hint("Europe/Berln", "did you mean 'Europe/Berlin'?");
	check_hint("paris", "did you mean 'Europe/Paris'?");
	check_hint("utc", "did you mean 'UTC'?");
	check_hint("Mars/Olympus", folder);
}

static void test_no_database(void **state)
{
	struct tsh_strlist names = { 0 };
	struct tsh_err err = { 0 };

	(void)state;
	setenv("TZDIR", "/nonexistent", 1);
	tsh_zone_names(&names);
	assert_int_equal(names.n, 1);
	tsh_strlist_release(&names);
	assert_int_equal(tsh_zone_check("CET-1CEST", &err), 0);
	check_hint("Europe/Berlin", "/nonexistent");
	setenv("TZDIR", folder, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_known),
		cmocka_unit_test(test_unknown),
		cmocka_unit_test(test_hints),
		cmocka_unit_test(test_no_database),
	};

	return cmocka_run_group_tests(tests, make_database, remove_database);
}
