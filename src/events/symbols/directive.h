/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_EVENTS_SYMBOLS_DIRECTIVE_H
#define TRACESH_EVENTS_SYMBOLS_DIRECTIVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/strbuf.h"
#include "symbols.h"

/* Implements the kernel's printf (lib/vsprintf.c; Documentation/core-api/printk-formats.rst), which
 * differs from libc's: %#x of 0 is 0x0, %p has many extensions, sizes wrap silently. */

enum directive_kind {
	DIRECTIVE_NONE,			/* the end of the text, or "%%" */
	DIRECTIVE_NUMBER,		/* d i u x X o */
	DIRECTIVE_CHAR,
	DIRECTIVE_STRING,
	DIRECTIVE_POINTER,		/* p, with .extension */
	/* Is unknown to the kernel (%n, %qd, %f, a % at the end), which does not print the rest of
	 * the format then. */
	DIRECTIVE_BAD,
};

struct directive {
	enum directive_kind kind;
	bool left, plus, space, special, zero;	/* the flags - + blank # 0 */
	bool width_is_arg;		/* as in %*d: an int argument comes first */
	bool precision_is_arg;		/* %.*s */
	int width;			/* -1: none */
	int precision;			/* -1: none */
	bool is_signed;
	bool is_upper;
	uint8_t base;			/* 8, 10, 16 */
	/* bytes of the argument: 1, 2, 4, 8 (a long has long_size) */
	uint8_t size;
	char extension[8];		/* letters behind %p: "S", "I4", "ISpc"; for %*pbl "bl" */
};

/*
 * Finds the next directive of [text, end). *ret_literal_len is the length of the literal text
 * before it. "%%" is a NONE, with one '%' as the last byte of the literal. Returns the text behind
 * the directive, or `end` with kind NONE.
 */
const char *directive_next(const char *text, const char *end, unsigned int long_size,
			   size_t *ret_literal_len, struct directive *ret);

/*
 * Sets the value of a `*`, within the kernel's bounds (set_field_width(), set_precision()): a
 * negative width pads on the right, a negative precision is 0. "%*%" has a width too, and is a NONE
 * with width_is_arg.
 */
void directive_set_width(struct directive *d, int width);
void directive_set_precision(struct directive *d, int precision);

/* Prints a number, cut to d->size and extended by its sign. */
void directive_number(struct tsh_strbuf *out, const struct directive *d, uint64_t value);
/* Prints a character (%c). */
void directive_char(struct tsh_strbuf *out, const struct directive *d, unsigned char c);
/* Prints bytes of a string, which have no NUL, cut and padded as %-8.4s says. */
void directive_string(struct tsh_strbuf *out, const struct directive *d, const char *s,
		      size_t len);
/* Cuts and pads the text that was appended since `begin`, like a string. */
void directive_pad(struct tsh_strbuf *out, const struct directive *d, size_t begin);

/* Holds what the text of %p depends on, besides its value. */
struct pointer_env {
	unsigned int long_size;
	bool big_endian;		/* byte order of the record */
	struct tsh_symbols *symbols;	/* NULL: addresses are printed as numbers */
	struct hidden_pointers *hidden;	/* NULL: addresses are not hidden */
};
/*
 * Prints %p and its extensions. `value` is an address of the kernel, for extensions that print an
 * address (p, px, pK, pS, ps, pB, pF, pf, pe). For those that print memory (pI4, pI6c, pISpc, pM,
 * pU, *pbl, *ph, pd, pD ..) `bytes` and `len` are that memory as far as the record has it; NULL:
 * the record does not have it. For %*ph and %*pbl d->width is the number of bytes or bits.
 *
 * Memory may be missing or too short, or be in no record (pd pD pg pC pOF pfw pV pR pE pt p4cc pa
 * pN). Then prints "(null)" for 0, "(efault)" for a value that is no address (as check_pointer()),
 * otherwise the address as %px. The flags of %pG are printed as a number, because their names
 * differ between kernels. %pK prints the address. %pF and %pf are symbols, as before 5.4; build IDs
 * (%pSb) are not known.
 */
void directive_pointer(struct tsh_strbuf *out, const struct directive *d,
		       const struct pointer_env *env, uint64_t value, const void *bytes,
		       size_t len);
/* Says whether an extension prints an address, not the memory there. */
bool directive_prints_address(const struct directive *d);
/* Says whether an extension prints a symbol's name, and in which style. */
bool directive_symbol_style(const struct directive *d, enum tsh_symbol_style *ret);

/* Numbers addresses that are printed as ptr-1, ptr-2 .. (command `set pointers hidden`). Equal
 * addresses get the same number; 0 stays 0. */
struct hidden_pointers;
struct hidden_pointers *hidden_pointers_new(void);
void hidden_pointers_free(struct hidden_pointers *hidden);
/* Returns the number of a pointer, which is made when the pointer is new. */
uint64_t hidden_pointers_number(struct hidden_pointers *hidden, uint64_t pointer);

#endif
