/* base/utf8.h - bytes from the kernel made safe to show */
/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_BASE_UTF8_H
#define TRACESH_BASE_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct tsh_strbuf;

/*
 * Decodes one character of valid UTF-8 (RFC 3629: no overlong forms, no surrogates, at most
 * U+10FFFF). Returns its length, 1 to 4; 0 when the bytes at `s` are none.
 */
size_t tsh_utf8_decode(const char *s, size_t len, uint32_t *ret_code);

/*
 * Says whether a character must not reach a terminal: C0 (newline and tab too), DEL, C1, bidi
 * controls, line and paragraph separators, zero-width and tag characters, fillers and variation
 * selectors (they hide text, and terminals do not agree on their width).
 */
bool tsh_utf8_is_hostile(uint32_t code);

/* Returns the number of bytes at the beginning that are printable ASCII and neither a nor b;
 * quick. a and b may be 0, and are ASCII. */
size_t tsh_plain_run(const char *text, size_t len, char a, char b);
/* Says whether a text is printable ASCII only; quick. (Other text may still be harmless.) */
bool tsh_is_clean(const char *text, size_t len);
/*
 * Appends a text and escapes every hostile character and every byte that is not UTF-8: newline, tab
 * and carriage return as \n, \t, \r, escape as \x1b, other bytes as \xNN, other code points as
 * \u{NNNN} (small hexadecimal digits, four to six). A backslash stays as it is, because the text is
 * for people.
 */
void tsh_sanitize(struct tsh_strbuf *out, const char *text, size_t len);
/* Does the same, but keeps '\n' and '\t': for text of several lines. */
void tsh_sanitize_lines(struct tsh_strbuf *out, const char *text, size_t len);
/* Returns a sanitized copy of a string; the caller frees it. */
char *tsh_sanitize_dup(const char *text);
/*
 * Returns a path as a word that can be typed to sh and to tracesh as it is printed; the caller
 * frees it. A path with hostile characters becomes "$'..'", which bash, zsh and busybox accept, but
 * tracesh does not.
 */
char *tsh_typed_word(const char *text);

/*
 * Returns how many columns a text takes on a terminal: wide characters count 2, combining and
 * hostile ones 0, a byte that is not UTF-8 1. Does not use the locale, because small machines run
 * with LC_ALL=C.
 */
size_t tsh_utf8_width(const char *text, size_t len);

#endif
