/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TESTS_UNIT_DIRECTIVES_H
#define TESTS_UNIT_DIRECTIVES_H

#include "events/symbols/directive.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#define COUNT(array)	(sizeof(array) / sizeof((array)[0]))

/* Holds an argument: a number, a string, or an address with the bytes there. */
struct arg {
	uint64_t value;
	const char *text;
	const void *bytes;
	size_t len;
};

#define N(v)		{ .value = (uint64_t)(v) }
#define S(s)		{ .text = (s) }
#define B(...)		{ .value = 0xffff888000001000, \
			  .bytes = (const unsigned char[]){ __VA_ARGS__ }, \
			  .len = sizeof((const unsigned char[]){ __VA_ARGS__ }) }
#define MAX_ARGS	8

/* Prints a whole format with its arguments. Copies the bytes of an argument to a block of exactly
 * that size, so that a sanitizer finds reads behind the block. */
static inline void format_all(struct tsh_strbuf *out, const struct pointer_env *env,
			      const char *text, const struct arg *arg)
{
	const char *end = text + strlen(text);

	tsh_strbuf_clear(out);
	while (text < end) {
		struct directive d;
		size_t literal;
		const char *next = directive_next(text, end, env->long_size, &literal, &d);
		void *bytes = NULL;

		assert_true(next > text && next <= end);
		tsh_strbuf_add(out, text, literal);
		text = next;
		if (d.width_is_arg)
			directive_set_width(&d, (int)(arg++)->value);
		if (d.precision_is_arg)
			directive_set_precision(&d, (int)(arg++)->value);
		switch (d.kind) {
		case DIRECTIVE_NUMBER:
			directive_number(out, &d, arg->value);
			break;
		case DIRECTIVE_CHAR:
			directive_char(out, &d, (unsigned char)arg->value);
			break;
		case DIRECTIVE_STRING:
			directive_string(out, &d, arg->text, strlen(arg->text));
			break;
		case DIRECTIVE_POINTER:
			if (arg->bytes) {
				bytes = malloc(arg->len);
				assert_non_null(bytes);
				memcpy(bytes, arg->bytes, arg->len);
			}
			directive_pointer(out, &d, env, arg->value, bytes, arg->len);
			free(bytes);
			break;
		default:
			continue;
		}
		arg++;
	}
}

struct row {
	const char *expect;
	const char *format;
	struct arg arg[MAX_ARGS];
};

static inline void check_row(const struct pointer_env *env, const struct row *row)
{
	struct tsh_strbuf out = TSH_STRBUF_INIT;

	format_all(&out, env, row->format, row->arg);
	if (strcmp(out.buf, row->expect))
		print_error("%s: '%s' instead of '%s'\n", row->format, out.buf, row->expect);
	assert_string_equal(out.buf, row->expect);
	tsh_strbuf_release(&out);
}

static inline void check_rows(const struct pointer_env *env, const struct row *row, size_t count)
{
	size_t i;

	for (i = 0; i < count; i++)
		check_row(env, &row[i]);
}

static const struct pointer_env env64 = { .long_size = 8 };
static const struct pointer_env env64_big = { .long_size = 8, .big_endian = true };
static const struct pointer_env env32 = { .long_size = 4 };
static const struct pointer_env env32_big = { .long_size = 4, .big_endian = true };

#endif
