/* base/xmalloc.h - allocation that never fails */
/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_BASE_XMALLOC_H
#define TRACESH_BASE_XMALLOC_H

#include <stddef.h>

/*
 * Allocate small blocks. Without memory these write one line to stderr and abort(). An
 * overcommitting kernel kills the process before malloc fails, so settings are restored from the
 * journal, not by an error path that nothing can test.
 */
void *tsh_xmalloc(size_t size);
/* Aligns the block to `align`, a power of two; free() frees it. */
void *tsh_xaligned(size_t align, size_t size);
void *tsh_xcalloc(size_t count, size_t size);
void *tsh_xreallocarray(void *old, size_t count, size_t size);
char *tsh_xstrdup(const char *text);
char *tsh_xstrndup(const char *text, size_t len);
/* Returns a formatted string; the caller frees it. */
char *tsh_xasprintf(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

#endif
