/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_QUERY_REGEX_H
#define TRACESH_QUERY_REGEX_H

#include <stdbool.h>
#include <stddef.h>

/*
 * POSIX extended regular expressions (XBD 9.4) without the C library's: it takes memory by the
 * power of a pattern's length, allocates for each match, and knows characters by the locale.
 * Here a pattern is a program of at most 4,000 steps, a match takes time by text times program
 * and no memory but the stack, and characters are UTF-8 wherever it runs: a byte that is none
 * is a character of its own, which `.` and [^..] match. Classes are those of ASCII.
 * Beside POSIX: \w \W \s \S, \b \B \< \>, and {,N} is {0,N}. Whether, not where, is told.
 */
struct query_regex;

/*
 * The compiled pattern; query_regex_free gives it back. NULL: *ret_why says what is wrong with
 * it, a text that is never freed. Once made it is only read: threads may share it.
 */
struct query_regex *query_regex_new(const char *pattern, const char **ret_why);
/* Whether some part of the text matches; the text has no end mark and no NUL that means one. */
bool query_regex_matches(const struct query_regex *regex, const char *text, size_t len);
void query_regex_free(struct query_regex *regex);

#endif
