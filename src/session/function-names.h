/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_SESSION_FUNCTION_NAMES_H
#define TRACESH_SESSION_FUNCTION_NAMES_H

#include "session.h"

/*
 * The functions that can be traced, from available_filter_functions, kept in the session until
 * modules come or go. NULL when there are none. Strings "NAME\0MODULE\0" one after the other,
 * MODULE mostly empty; the list ends where *ret_len does. Borrowed until the next call.
 */
const char *tsh_function_names(struct tsh_session *s, size_t *ret_len);
/*
 * The first of the words, as set_ftrace_filter takes them, that is the name or glob of no such
 * function; NULL: there is none, or it cannot be known. What is no name (a command, a module, a
 * number) is the kernel's to judge. The caller frees it.
 */
char *tsh_function_names_unknown(struct tsh_session *s, const char *words);
/* The FUNCTIONs of a call: -1 with err when the kernel has none of that name. */
int tsh_function_names_check(struct tsh_session *s, const struct tsh_call *call,
			     struct tsh_err *err);
/* The kernel has refused (EINVAL) the FUNCTIONs of a call: err tells which it does not have. -1. */
int tsh_function_names_blame(struct tsh_session *s, const struct tsh_call *call,
			     struct tsh_err *err);
void tsh_function_names_free(struct tsh_function_names *names);

#endif
