/* base/err.h - errors: what went wrong, where, and what to type next */
/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_BASE_ERR_H
#define TRACESH_BASE_ERR_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

/* Lists the program's exit statuses. `run` and signals have their own (128 + signal). */
enum tsh_status {
	TSH_OK = 0,
	TSH_FAILED = 1,		/* a command failed */
	TSH_USAGE = 2,		/* usage or syntax */
	TSH_ENVIRONMENT = 3,	/* no tracefs, no permission, missing kernel feature */
	TSH_NO_PROGRAM = 126,	/* a program exists but cannot be run, as in a shell */
	TSH_NOT_FOUND = 127,	/* a program does not exist */
};

/* Names the bytes [begin, end) of a source text that a message is about. */
struct tsh_span {
	size_t begin;
	size_t end;
};

/*
 * Holds an error. A function that takes a struct tsh_err returns 0 or more when it succeeds, and -1
 * with the error filled in when it fails; a function that takes none returns -errno. Zeroed memory
 * is "no error". Only the shell prints errors.
 *
 * message: no capital, no full stop, the fault first, names in single quotes.
 * hint: what to type next, or NULL.
 * span: bytes of the source that the command was read from; {0, 0} when no word is to blame.
 */
struct tsh_err {
	enum tsh_status status;
	int number;			/* the errno behind it, or 0 */
	struct tsh_span span;
	char *message;
	char *hint;
};

/*
 * Fills err; always returns -1. The old message is freed after the formatting, so that it can be
 * used in the new one: set(err, .., "x: %s", err->message). A message of more than 2,000 bytes
 * loses its middle (tsh_strbuf_shorten).
 */
int tsh_err_set(struct tsh_err *err, enum tsh_status status, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* Does the same, and blames a word of the source; the status becomes TSH_USAGE. */
int tsh_err_at(struct tsh_err *err, struct tsh_span span, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/*
 * Sets the message "MESSAGE: strerror(number)". EPERM, EACCES, EROFS, ENODEV and the like get the
 * status TSH_ENVIRONMENT, all others TSH_FAILED. `number` may be an errno or a -errno.
 */
int tsh_err_errno(struct tsh_err *err, int number, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* Sets "cannot VERB 'PATH': ..", with a hint that shows the cause where one is known. */
int tsh_err_path(struct tsh_err *err, int number, const char *verb, const char *path);
/* Sets the hint BEFORE WORD BEHIND. The word may have any bytes, and is quoted for sh if needed
 * (tsh_typed_word). */
void tsh_err_hint_word(struct tsh_err *err, const char *before, const char *word, const char *behind);
/* Adds or replaces the hint of an error; does nothing when no error is set. */
void tsh_err_hint(struct tsh_err *err, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/* Sets the span of an error that has none; does nothing when no error is set. */
void tsh_err_blame(struct tsh_err *err, struct tsh_span span);
static inline bool tsh_err_is_set(const struct tsh_err *err)
{
	return err->message != NULL;
}
/* Frees the texts of err, and zeroes it. */
void tsh_err_release(struct tsh_err *err);

#endif
