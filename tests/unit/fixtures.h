/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TESTS_UNIT_FIXTURES_H
#define TESTS_UNIT_FIXTURES_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>

/* Reads a format file of tests/unit/formats; the caller frees the text. */
static inline char *read_fixture(const char *name)
{
	const char *src = getenv("SRC");
	char *text = malloc(1 << 16);
	char path[4096];
	FILE *f;

	assert_non_null(text);
	(void)snprintf(path, sizeof(path), "%s/tests/unit/formats/%s.format", src ? src : ".",
		       name);
	f = fopen(path, "r");
	if (!f)
		fail_msg("no file '%s'", path);
	text[fread(text, 1, (1 << 16) - 1, f)] = '\0';
	(void)fclose(f);
	return text;
}

#endif
