/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_EVENTS_SYMBOLS_DIRECTIVE_H
#define TRACESH_EVENTS_SYMBOLS_DIRECTIVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/strbuf.h"
#include "symbols.h"

/*
 * The kernel's printf (lib/vsprintf.c; Documentation/core-api/printk-formats.rst), which
 * is not libc's: %#x of 0 is 0x0, %p has a family of its own, sizes wrap silently.
 */

enum directive_kind {
	DIRECTIVE_NONE,			/* the text ends, or "%%" */
	DIRECTIVE_NUMBER,		/* d i u x X o */
	DIRECTIVE_CHAR,
	DIRECTIVE_STRING,
	DIRECTIVE_POINTER,		/* p, with .extension */
	/* What the kernel does not know (%n, %qd, %f, a % at the end): it prints nothing
	 * of the format from here on. */
	DIRECTIVE_BAD,
};

struct directive {
	enum directive_kind kind;
	bool left, plus, space, special, zero;	/* - + blank # 0 */
	bool width_is_arg;		/* %*d: an int argument comes first */
	bool precision_is_arg;		/* %.*s */
	int width;			/* -1: none */
	int precision;			/* -1: none */
	bool is_signed;
	bool is_upper;
	uint8_t base;			/* 8, 10, 16 */
	uint8_t size;			/* of the argument: 1, 2, 4, 8 (long: long_size) */
	char extension[8];		/* behind %p: "S", "I4", "ISpc", "*bl" of %*pbl is "bl" */
};

/*
 * Finds the next directive of [text, end): *ret_literal_len bytes stand before it as they
 * are; "%%" comes as a NONE with one '%' as the last byte of the literal. Returns what
 * comes after it, or `end` with kind NONE.
 */
const char *directive_next(const char *text, const char *end, unsigned int long_size,
			   size_t *ret_literal_len, struct directive *ret);

/*
 * The value of a `*`: a negative width pads on the right, a negative precision is 0, both
 * are bounded (set_field_width(), set_precision()). "%*%" consumes a width too, and comes
 * as a NONE with width_is_arg.
 */
void directive_set_width(struct directive *d, int width);
void directive_set_precision(struct directive *d, int precision);

/* A number that is cut to d->size and extended by its sign here. */
void directive_number(struct tsh_strbuf *out, const struct directive *d, uint64_t value);
/* %c */
void directive_char(struct tsh_strbuf *out, const struct directive *d, unsigned char c);
/* Bytes of a string whose NUL is not among them, cut and padded as %-8.4s says. */
void directive_string(struct tsh_strbuf *out, const struct directive *d, const char *s,
		      size_t len);
/* Text that was appended since `begin`: cut and padded like a string. */
void directive_pad(struct tsh_strbuf *out, const struct directive *d, size_t begin);

/* What %p needs to know beside its value. */
struct pointer_env {
	unsigned int long_size;
	bool big_endian;		/* of the record */
	struct tsh_symbols *symbols;	/* NULL: addresses stay numbers */
	struct hidden_pointers *hidden;	/* NULL: real ones are shown */
};
/*
 * %p and its family. `value` is the kernel's address, for those that print an address
 * (p, px, pK, pS, ps, pB, pF, pf, pe). For those that print what it points to (pI4, pI6c,
 * pISpc, pM, pU, *pbl, *ph, pd, pD ..) `bytes`, `len` are that memory as far as the
 * record has it; NULL when it is not in the record. For %*ph and %*pbl d->width is the
 * number of bytes, of bits.
 *
 * Where the memory is missing or too short, and for those whose memory no record has (pd
 * pD pg pC pOF pfw pV pR pE pt p4cc pa pN): "(null)" for 0, "(efault)" for what is no
 * address (as check_pointer()), else the address as %px prints it. The flags of %pG are
 * one number: their names differ from kernel to kernel. %pK prints the address. %pF and
 * %pf are symbols, as they were before 5.4; build IDs (%pSb) are not known.
 */
void directive_pointer(struct tsh_strbuf *out, const struct directive *d,
		       const struct pointer_env *env, uint64_t value, const void *bytes,
		       size_t len);
/* Whether this member of the family prints an address and not what is there. */
bool directive_prints_address(const struct directive *d);
/* Whether it is the name of a symbol, and how it is written. */
bool directive_symbol_style(const struct directive *d, enum tsh_symbol_style *ret);

/* `set pointers hidden`: ptr-1, ptr-2, equal ones staying equal; 0 stays 0. */
struct hidden_pointers;
struct hidden_pointers *hidden_pointers_new(void);
void hidden_pointers_free(struct hidden_pointers *hidden);
uint64_t hidden_pointers_number(struct hidden_pointers *hidden, uint64_t pointer);

#endif
