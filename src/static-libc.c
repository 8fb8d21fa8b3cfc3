/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a static C library would bring along for what tracesh never does. In glibc a failed
 * assertion translates its message (gettext, its catalogues and character sets), and every
 * thread has room for a resolver of host names: 250 KB of a board's flash. This object
 * stands before the library at the link and answers for those parts. configure tries whether
 * the library at hand has them apart (AC_LINK in configure.ac); where not, it is left out.
 */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include <errno.h>
#include <pthread.h>
#include <pwd.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>
#include <wchar.h>

/* Glibc's own names, which no header of it declares for us. */
void __assert_fail(const char *assertion, const char *file, unsigned int line,
		   const char *function) __attribute__((noreturn));
char *__dcgettext(const char *domain, const char *text, int category);
int __fxprintf_nocancel(FILE *file, const char *format, ...);
int __isoc99_sscanf(const char *restrict text, const char *restrict format, ...);
int __printf_fp(FILE *to, const void *info, const void *const *args);
int __printf_fphex(FILE *to, const void *info, const void *const *args);
extern __thread void *__libc_resp;

void __assert_fail(const char *assertion, const char *file, unsigned int line,
		   const char *function)
{
	char text[512];
	int n = snprintf(text, sizeof(text), "%s:%u: %s: assertion failed: %s\n", file, line,
			 function ? function : "?", assertion);

	if (n > 0 && write(STDERR_FILENO, text, strlen(text)) < 0)
		_exit(EXIT_FAILURE);
	abort();
}

/* getopt's complaints, which could else be of wide characters. */
int __fxprintf_nocancel(FILE *file, const char *format, ...)
{
	va_list args;
	int r;

	va_start(args, format);
	r = vfprintf(file ? file : stderr, format, args);
	va_end(args);
	return r;
}

/* libc's messages, of strerror and the like, are in English. */
char *__dcgettext(const char *domain, const char *text, int category)
{
	(void)domain;
	(void)category;
	return (char *)text;
}

/*
 * tzset(3) alone scans with it, here: "%hu%n:%hu%n:%hu%n" and "M%hu.%hu.%hu%n". The whole
 * one reads floating point numbers of five kinds, which is 100 KB. tests/cli/banned.t keeps
 * it out of our own sources.
 */
int __isoc99_sscanf(const char *restrict text, const char *restrict format, ...)
{
	const char *p = text;
	int n_taken = 0;
	va_list args;

	va_start(args, format);
	for (; *format; format++) {
		if (!strncmp(format, "%hu", 3)) {
			char *end;
			unsigned long value = strtoul(p, &end, 10);

			if (end == p)
				break;
			*va_arg(args, unsigned short *) = (unsigned short)value;
			n_taken++;
			p = end;
			format += 2;
		} else if (!strncmp(format, "%n", 2)) {
			*va_arg(args, int *) = (int)(p - text);
			format++;
		} else if (*p++ != *format) {
			break;
		}
	}
	va_end(args);
	return n_taken || *text ? n_taken : EOF;
}

/*
 * We print no floating point numbers (tests/cli/banned.t), whose digits take glibc 35 KB, and 4 KB
 * more in hexadecimal.
 */
int __printf_fp(FILE *to, const void *info, const void *const *args)
{
	(void)to;
	(void)info;
	(void)args;
	errno = ENOSYS;
	return -1;
}

int __printf_fphex(FILE *to, const void *info, const void *const *args)
{
	return __printf_fp(to, info, args);
}

/* Letters of ASCII are all that we compare so; glibc has five versions of each for speed. */
int strncasecmp(const char *a, const char *b, size_t n)
{
	int x = 0, y = 0;

	for (; n && x == y; n--) {
		x = (unsigned char)*a++;
		y = (unsigned char)*b++;
		x += x >= 'A' && x <= 'Z' ? 'a' - 'A' : 0;
		y += y >= 'A' && y <= 'Z' ? 'a' - 'A' : 0;
		if (!x)
			break;
	}
	return x - y;
}

int strcasecmp(const char *a, const char *b)
{
	return strncasecmp(a, b, PTRDIFF_MAX);
}

char *strcasestr(const char *text, const char *part)
{
	size_t n = strlen(part);

	while (strncasecmp(text, part, n) != 0)
		if (!*text++)
			return NULL;
	return (char *)text;
}

/*
 * The way up a stack, which pthread_cancel(3) and exceptions take, 20 KB of it: tracesh
 * cancels no thread, and C throws nothing. 32-bit ARM has another way.
 */
#ifndef __arm__
struct _Unwind_Context;
struct _Unwind_Exception;
int _Unwind_ForcedUnwind(struct _Unwind_Exception *exception, void *stop, void *argument);
uintptr_t _Unwind_GetCFA(struct _Unwind_Context *context);
void _Unwind_Resume(struct _Unwind_Exception *exception) __attribute__((noreturn));
int __gcc_personality_v0(void);

int _Unwind_ForcedUnwind(struct _Unwind_Exception *exception, void *stop, void *argument)
{
	(void)exception;
	(void)stop;
	(void)argument;
	abort();
}

uintptr_t _Unwind_GetCFA(struct _Unwind_Context *context)
{
	(void)context;
	abort();
}

void _Unwind_Resume(struct _Unwind_Exception *exception)
{
	(void)exception;
	abort();
}

int __gcc_personality_v0(void)
{
	abort();
}
#endif

/* Where a thread's resolver would be. */
__thread void *__libc_resp;

/*
 * Character sets that glibc would load at run time from shared libraries, and with them all
 * of dlopen(3): those that are built in do.
 */
struct gconv_shlib *__gconv_find_shlib(const char *name);
void __gconv_release_shlib(struct gconv_shlib *handle);

struct gconv_shlib *__gconv_find_shlib(const char *name)
{
	(void)name;
	return NULL;
}

void __gconv_release_shlib(struct gconv_shlib *handle)
{
	(void)handle;
}

/*
 * Without readline nothing calls setlocale(3), so that the locale is always "C": its wide
 * characters are those of ASCII, and the converters of all other sets, 60 KB, go.
 */
#ifndef HAVE_READLINE
extern const void *const __wcsmbs_gconv_fcts_c;
extern int __gconv_lock;
extern pthread_rwlock_t __libc_setlocale_lock;
size_t __wcrtomb(char *restrict text, wchar_t wide, mbstate_t *restrict state);
size_t __wcsrtombs(char *restrict text, const wchar_t **restrict wide, size_t size,
		   mbstate_t *restrict state);
void __wcsmbs_clone_conv(void *copy);
int __wcsmbs_named_conv(void *copy, const char *name);
int __gconv_release_step(void *step);

/* The table of C's own locale points there; who would read it stands below. */
const void *const __wcsmbs_gconv_fcts_c;
int __gconv_lock;
/* strftime(3) takes it for the names of eras, which "C" has none of. */
pthread_rwlock_t __libc_setlocale_lock = PTHREAD_RWLOCK_INITIALIZER;

size_t __wcrtomb(char *restrict text, wchar_t wide, mbstate_t *restrict state)
{
	(void)state;
	if (!text)
		return 1;
	if ((uint32_t)wide >= 0x80) {
		errno = EILSEQ;
		return (size_t)-1;
	}
	*text = (char)wide;
	return 1;
}

size_t __wcsrtombs(char *restrict text, const wchar_t **restrict wide, size_t size,
		   mbstate_t *restrict state)
{
	size_t n;
	char c;

	for (n = 0; !text || n < size; n++) {
		if (__wcrtomb(&c, (*wide)[n], state) == (size_t)-1)
			return (size_t)-1;
		if (text)
			text[n] = c;
		if (!c) {
			if (text)
				*wide = NULL;
			return n;
		}
	}
	*wide += n;
	return n;
}

/* What streams of wide characters would take: there are none. */
void __wcsmbs_clone_conv(void *copy)
{
	(void)copy;
	abort();
}

int __wcsmbs_named_conv(void *copy, const char *name)
{
	(void)copy;
	(void)name;
	abort();
}

int __gconv_release_step(void *step)
{
	(void)step;
	abort();
}
#endif

/*
 * The users' database, which readline asks for ~USER: glibc would load it at run time from
 * shared libraries that a board does not have, or has of another version.
 */
struct passwd *getpwnam(const char *name)
{
	(void)name;
	return NULL;
}

struct passwd *getpwuid(uid_t uid)
{
	(void)uid;
	return NULL;
}

struct passwd *getpwent(void)
{
	return NULL;
}

void setpwent(void)
{
}

void endpwent(void)
{
}
