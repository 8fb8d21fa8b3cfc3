/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_EVENTS_DECODE_SPECIAL_BPRINT_H
#define TRACESH_EVENTS_DECODE_SPECIAL_BPRINT_H

#include <stdint.h>

#include "decode.h"

/*
 * Prints the text of a trace_printk() (ftrace:bprint) as "symbol: text"
 * (kernel/trace/trace_output.c, trace_bprint_print; lib/vsprintf.c, vbin_printf and bstr_printf).
 * When the kernel lists no text at the format's address, prints that address and the arguments as
 * 32-bit words. %p prints the address, which the kernel would hash here, whatever its option
 * hash-ptr says.
 */
void special_print_bprint(struct tsh_decoder *d, const struct tsh_event_format *format,
			  const struct tsh_record *rec, struct tsh_strbuf *out);

#endif
