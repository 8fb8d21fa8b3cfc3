/* tracesh/caret.h - a source line, and a mark below what is wrong in it (src/base) */
/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_CARET_H
#define TRACESH_CARET_H

#include <stddef.h>

#include "tracesh/err.h"
#include "tracesh/strbuf.h"

/* Appends source text for the screen: tabs are blanks, so that a caret can count columns. */
void tsh_caret_source(struct tsh_strbuf *out, const char *text, size_t len);
/* Appends "    ^~~~~" and a newline: below the blamed bytes of the line [begin, end). */
void tsh_caret_add(struct tsh_strbuf *out, const char *text, size_t begin, size_t end,
		   struct tsh_span span);

#endif
