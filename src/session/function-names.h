/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_SESSION_FUNCTION_NAMES_H
#define TRACESH_SESSION_FUNCTION_NAMES_H

#include "session.h"

/*
 * Returns the functions that can be traced, from available_filter_functions: strings
 * "NAME\0[MODULE]\0" one after the other, *ret_len bytes; the second string is empty for a function
 * of the kernel itself. Returns NULL when there are none. The session caches the list until modules
 * come or go. Borrowed until the next call.
 */
const char *tsh_function_names(struct tsh_session *s, size_t *ret_len);
/*
 * Returns the first word of a text for set_ftrace_filter that neither names a function that can be
 * traced nor is a glob that matches one. The caller frees it. Returns NULL when all words match, or
 * when the functions cannot be read. Skips commands, modules and numbers, which only the kernel can
 * check.
 */
char *tsh_function_names_unknown(struct tsh_session *s, const char *words);
/* Checks the FUNCTION arguments of a call. Returns 0, or -1 with err when the kernel has no
 * function of that name. */
int tsh_function_names_check(struct tsh_session *s, const struct tsh_call *call,
			     struct tsh_err *err);
/* Sets the error after the kernel has refused (EINVAL) the FUNCTION arguments of a call: names the
 * function that the kernel does not have. Returns -1. */
int tsh_function_names_blame(struct tsh_session *s, const struct tsh_call *call,
			     struct tsh_err *err);
void tsh_function_names_free(struct tsh_function_names *names);

#endif
