/* base/err.h - what went wrong, where, and what to type next */
/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_BASE_ERR_H
#define TRACESH_BASE_ERR_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

/* The program's exit statuses; `run` and signals have their own (128+signal). */
enum tsh_status {
	TSH_OK = 0,
	TSH_FAILED = 1,		/* a command failed */
	TSH_USAGE = 2,		/* usage or syntax */
	TSH_ENVIRONMENT = 3,	/* no tracefs, no permission, missing kernel feature */
	TSH_NO_PROGRAM = 126,	/* a program that is there cannot be run, as of a shell */
	TSH_NOT_FOUND = 127,	/* it is not there */
};

/* Bytes [begin, end) of the source text that a message is about. */
struct tsh_span {
	size_t begin;
	size_t end;
};

/*
 * A function that takes a struct tsh_err returns 0 or more when it is done, and
 * -1 with the cause filled in when it is not; a function that does not returns
 * -errno. Zeroed memory is "no error". Only the shell prints one.
 *
 * message: no capital, no full stop, what first, names in single quotes.
 * hint: what to type next, or NULL. The span counts in the source that the
 * command was read from; it is {0, 0} when no word is to blame.
 */
struct tsh_err {
	enum tsh_status status;
	int number;			/* errno behind it, or 0 */
	struct tsh_span span;
	char *message;
	char *hint;
};

/*
 * Fills err; always returns -1. What was there is freed after the formatting, so
 * that an error can be put into other words: set(err, .., "x: %s", err->message).
 * One of more than 2,000 bytes loses its middle (tsh_strbuf_shorten).
 */
int tsh_err_set(struct tsh_err *err, enum tsh_status status, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* The same with a word of the source to blame; the status is TSH_USAGE. */
int tsh_err_at(struct tsh_err *err, struct tsh_span span, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/*
 * "MESSAGE: strerror(number)"; EPERM, EACCES, EROFS, ENODEV and the like become
 * TSH_ENVIRONMENT, the rest TSH_FAILED. number may be an errno or a -errno.
 */
int tsh_err_errno(struct tsh_err *err, int number, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* The same of a path: "cannot VERB 'PATH': ..", with a hint how to see the cause, where that is known. */
int tsh_err_path(struct tsh_err *err, int number, const char *verb, const char *path);
/* Hint at what to type, with a word of others in it, which is quoted where it has to be (tsh_typed_word). */
void tsh_err_hint_word(struct tsh_err *err, const char *before, const char *word, const char *behind);
/* Adds or replaces the hint of an error that is set; does nothing when none is. */
void tsh_err_hint(struct tsh_err *err, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/* Gives an error that is set and has no span this one. */
void tsh_err_blame(struct tsh_err *err, struct tsh_span span);
static inline bool tsh_err_is_set(const struct tsh_err *err)
{
	return err->message != NULL;
}
/* err is as zeroed. */
void tsh_err_release(struct tsh_err *err);

#endif
