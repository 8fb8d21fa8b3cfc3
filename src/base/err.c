/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "err.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "strbuf.h"

static char *format(const char *fmt, va_list ap) __attribute__((format(printf, 1, 0)));

static char *format(const char *fmt, va_list ap)
{
	struct tsh_strbuf sb = TSH_STRBUF_INIT;

	tsh_strbuf_vaddf(&sb, fmt, ap);
	tsh_strbuf_shorten(&sb, 0);
	return tsh_strbuf_detach(&sb);
}

/* Sets the message, which it takes over. `message` may have been formatted from the old one. */
static int fill(struct tsh_err *err, enum tsh_status status, char *message)
{
	tsh_err_release(err);
	err->status = status;
	err->message = message;
	return -1;
}

int tsh_err_set(struct tsh_err *err, enum tsh_status status, const char *fmt, ...)
{
	va_list ap;
	char *message;

	va_start(ap, fmt);
	message = format(fmt, ap);
	va_end(ap);
	return fill(err, status, message);
}

int tsh_err_at(struct tsh_err *err, struct tsh_span span, const char *fmt, ...)
{
	va_list ap;
	char *message;

	va_start(ap, fmt);
	message = format(fmt, ap);
	va_end(ap);
	fill(err, TSH_USAGE, message);
	err->span = span;
	return -1;
}

/* Returns TSH_ENVIRONMENT for an error of the machine (rights, file systems, missing features),
 * otherwise TSH_FAILED. */
static enum tsh_status status_of(int number)
{
	switch (number) {
	case EPERM:
	case EACCES:
	case EROFS:
	case ENODEV:
	case ENXIO:
	case ENOSYS:
	case EOPNOTSUPP:
		return TSH_ENVIRONMENT;
	default:
		return TSH_FAILED;
	}
}

int tsh_err_errno(struct tsh_err *err, int number, const char *fmt, ...)
{
	struct tsh_strbuf sb = TSH_STRBUF_INIT;
	va_list ap;

	if (number < 0)
		number = -number;
	va_start(ap, fmt);
	tsh_strbuf_vaddf(&sb, fmt, ap);
	va_end(ap);
	tsh_strbuf_shorten(&sb, 0);
	tsh_strbuf_adds(&sb, ": ");
	tsh_strbuf_adds(&sb, strerror(number));
	fill(err, status_of(number), tsh_strbuf_detach(&sb));
	err->number = number;
	if (number == EMFILE)
		tsh_err_hint(err, "allow more open files: ulimit -n 1024");
	return -1;
}

void tsh_err_hint(struct tsh_err *err, const char *fmt, ...)
{
	va_list ap;
	char *hint;

	if (!tsh_err_is_set(err))
		return;
	va_start(ap, fmt);
	hint = format(fmt, ap);
	va_end(ap);
	free(err->hint);
	err->hint = hint;
}

void tsh_err_blame(struct tsh_err *err, struct tsh_span span)
{
	if (tsh_err_is_set(err) && !err->span.begin && !err->span.end)
		err->span = span;
}

void tsh_err_release(struct tsh_err *err)
{
	free(err->message);
	free(err->hint);
	*err = (struct tsh_err){ 0 };
}
