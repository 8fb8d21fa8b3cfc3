/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_EVENTS_PRINTFMT_POINTER_H
#define TRACESH_EVENTS_PRINTFMT_POINTER_H

#include "events/symbols/directive.h"

/* Prints an extension of %p that shows memory (lib/vsprintf.c, pointer()). Returns false, and
 * appends nothing, when `len` is less than the bytes that the extension reads. */
typedef bool pointer_print(struct tsh_strbuf *out, const struct directive *d,
			   const struct pointer_env *env, const unsigned char *bytes,
			   size_t len);

/* Prints %pI4 %pi4 %pI6 %pI6c %pi6 %pIS, with h n b l, p f s c. */
pointer_print pointer_print_ip;
/* Prints %pM %pMR %pMF %pm %pmR. */
pointer_print pointer_print_mac;

static inline void pointer_append_byte(struct tsh_strbuf *out, unsigned char byte, bool is_upper)
{
	const char *digits = is_upper ? "0123456789ABCDEF" : "0123456789abcdef";
	char text[2] = { digits[byte >> 4], digits[byte & 15] };

	tsh_strbuf_add(out, text, sizeof(text));
}

#endif
