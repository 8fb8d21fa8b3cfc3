/* base/caret.h - a source line, and a caret below what is wrong in it */
/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_BASE_CARET_H
#define TRACESH_BASE_CARET_H

#include <stddef.h>

#include "err.h"
#include "strbuf.h"

/* Appends source text for the screen. Each tab becomes a blank, so that a caret can count
 * columns. */
void tsh_caret_source(struct tsh_strbuf *out, const char *text, size_t len);
/* Appends " ^~~~~" and a newline, below the blamed bytes of the line [begin, end). */
void tsh_caret_add(struct tsh_strbuf *out, const char *text, size_t begin, size_t end,
		   struct tsh_span span);

#endif
