/* base/utf8.h - bytes from the kernel made safe to show */
/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_BASE_UTF8_H
#define TRACESH_BASE_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct tsh_strbuf;

/*
 * Decodes one character of valid UTF-8 (RFC 3629: no overlong forms, no
 * surrogates, at most U+10FFFF). Returns its length 1..4, or 0 when the bytes at
 * `s` are not one.
 */
size_t tsh_utf8_decode(const char *s, size_t len, uint32_t *ret_code);

/*
 * C0 (newline and tab too), DEL, C1, bidi controls, line/paragraph separators,
 * zero-width and tag characters, fillers and variation selectors (they hide text,
 * and no two terminals agree on their width): nothing that may reach a terminal.
 */
bool tsh_utf8_is_hostile(uint32_t code);

/* Nothing but printable ASCII: quick. (Text that is not may still be harmless.) */
bool tsh_is_clean(const char *text, size_t len);
/*
 * Appends text with every hostile character and every byte that is not UTF-8
 * escaped: \n \t \r \e as \n, \t, \r, \x1b; other bytes as \xNN; other code
 * points as \u{NNNN} (small hexadecimal digits, four to six). A backslash stays as
 * it is: the text is for people. Clean text is one memcpy.
 */
void tsh_sanitize(struct tsh_strbuf *out, const char *text, size_t len);
/* The same, and lets '\n' and '\t' through: for text of several lines. */
void tsh_sanitize_lines(struct tsh_strbuf *out, const char *text, size_t len);
/* A sanitized copy of a string; the caller frees it. */
char *tsh_sanitize_dup(const char *text);
/*
 * A path as a word that can be typed as it is printed, to sh and to tracesh; the caller frees it. With
 * what is escaped on a terminal in it, it begins with "$'", which bash, zsh and busybox take, and
 * tracesh does not.
 */
char *tsh_typed_word(const char *text);

/*
 * Columns that text takes on a terminal; wide characters count 2, combining and
 * hostile ones 0, a byte that is not UTF-8 1. Knows no locale: boards run LC_ALL=C.
 */
size_t tsh_utf8_width(const char *text, size_t len);

#endif
