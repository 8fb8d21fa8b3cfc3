/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "kernel/dryrun/sh-lines.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

/* What a write is in a shell, where its text is longer than one printf takes. */

static char *long_text(const char *first, const char *separator, const char *last, size_t n)
{
	struct tsh_strbuf text = TSH_STRBUF_INIT;
	size_t i;

	for (i = 0; i < n; i++)
		tsh_strbuf_addf(&text, "%s%s%zu", i ? separator : "", first, i);
	tsh_strbuf_addf(&text, "%s%s", separator, last);
	return tsh_strbuf_detach(&text);
}

static char *lines_of(const char *path, const char *text)
{
	const struct tsh_instance top = { .fd = -1 };
	struct tsh_strbuf out = TSH_STRBUF_INIT;

	tsh_sh_write(&out, "/t", &top, path, false, text);
	return tsh_strbuf_detach(&out);
}

static void test_words_are_quoted(void **state)
{
	char *text = long_text("10000", " ", "$(reboot) `id` ; x", 300), *lines = lines_of("set_event_pid", text);

	(void)state;
	assert_non_null(strstr(lines, " '$(reboot)' '`id`' ';' x >> /t/set_event_pid\n"));
	assert_null(strstr(lines, " $("));
	free(lines);
	free(text);
}

/* Ends behind the text, also where that has the ends of others. */
static void test_end_of_document(void **state)
{
	char *text = long_text("f", "\n", "END\nEND__\nEND_x", 300), *lines = lines_of("events/a/b/filter", text);

	(void)state;
	assert_non_null(strstr(lines, " <<'END___'\n"));
	assert_non_null(strstr(lines, "\nEND_x\nEND___\n"));
	free(lines);
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_words_are_quoted),
		cmocka_unit_test(test_end_of_document),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
