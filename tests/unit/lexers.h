/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TESTS_UNIT_LEXERS_H
#define TESTS_UNIT_LEXERS_H

#include "lang/lexer.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/strbuf.h"
#include "base/xmalloc.h"

#define N(array) (sizeof(array) / sizeof((array)[0]))

/* Returns the variables that the texts of the tests use. */
static inline const char *get_var(void *ctx, const char *name)
{
	static const struct {
		const char *name;
		const char *value;
	} vars[] = {
		{ "1", "first arg" }, { "2", "2" },	{ "10", "tenth" },
		{ "#", "2" },	      { "?", "0" },	{ "x", "5" },
		{ "a_b", "two words" }, { "empty", "" },  { "cond", "prev_pid == 5" },
		{ "odd", "'|;#\"$1" },
	};
	size_t i;

	(void)ctx;
	for (i = 0; i < N(vars); i++) {
		if (!strcmp(vars[i].name, name))
			return vars[i].value;
	}
	return NULL;
}

static const struct tsh_vars vars = { .get = get_var };

/* Checks that each byte of a word has its offset in the text. */
static inline void check_word(const struct tsh_lexer *lx, const struct tsh_word *word)
{
	size_t i;

	assert_non_null(word->text);
	assert_int_equal(word->text[word->len], 0);
	assert_true(word->span.begin <= word->span.end && word->span.end <= lx->len);
	for (i = 0; i <= word->len; i++) {
		assert_true(word->from[i] >= word->span.begin && word->from[i] <= word->span.end);
		assert_true(!i || word->from[i] >= word->from[i - 1]);
	}
}

#endif
