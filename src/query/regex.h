/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_QUERY_REGEX_H
#define TRACESH_QUERY_REGEX_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Matches POSIX extended regular expressions (XBD 9.4), because those of the C library can take
 * memory exponential in the length of a pattern, allocate for each match, and depend on the locale.
 * A pattern becomes a program of at most 4,000 steps. The time of a match is proportional to the
 * length of the text and to the steps; it needs no memory but the stack. Characters are UTF-8
 * everywhere; a byte that is none is a character of its own, which `.` and [^..] match. Classes are
 * ASCII's. Beyond POSIX: \w \W \s \S, \b \B \< \>, and {,N} is {0,N}. Says whether a text matches,
 * not where.
 */
struct query_regex;

/*
 * Compiles a pattern; query_regex_free frees it. Returns NULL with the fault in *ret_why, a text
 * that is never freed. It is only read afterwards: threads may share it.
 */
struct query_regex *query_regex_new(const char *pattern, const char **ret_why);
/* Says whether a part of the text matches. The text needs no NUL at its end, and may contain
 * NULs. */
bool query_regex_matches(const struct query_regex *regex, const char *text, size_t len);
void query_regex_free(struct query_regex *regex);

#endif
