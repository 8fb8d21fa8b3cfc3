/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a static C library would bring along for what tracesh never does. In glibc a failed
 * assertion translates its message (gettext, its catalogues and character sets), and every
 * thread has room for a resolver of host names: 250 KB of a board's flash. This object
 * stands before the library at the link and answers for those parts. configure tries whether
 * the library at hand has them apart (AC_LINK in configure.ac); where not, it is left out.
 */
#include <pwd.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

/* Glibc's own names, which no header of it declares for us. */
void __assert_fail(const char *assertion, const char *file, unsigned int line,
		   const char *function) __attribute__((noreturn));
char *__dcgettext(const char *domain, const char *text, int category);
int __fxprintf_nocancel(FILE *file, const char *format, ...);
int __isoc99_sscanf(const char *restrict text, const char *restrict format, ...);
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
