/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef QUERY_REGEX_SIZE_H
#define QUERY_REGEX_SIZE_H

#include <stdbool.h>

/*
 * Whether regcomp(3) can be given a POSIX extended regular expression: glibc copies what is
 * repeated, so that ((a+)+)+ or a{99}{99} take memory by the power of their length.
 */
bool query_regex_is_small(const char *text);

#endif
