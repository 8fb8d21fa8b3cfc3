/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_EVENTS_DECODE_SPECIAL_BPRINT_H
#define TRACESH_EVENTS_DECODE_SPECIAL_BPRINT_H

#include <stdint.h>

#include "decode.h"

/*
 * The text of a trace_printk(), ftrace:bprint, as "symbol: text"
 * (kernel/trace/trace_output.c, trace_bprint_print; lib/vsprintf.c, vbin_printf and
 * bstr_printf). Where the kernel lists no text at the format's address, that address
 * and the arguments' 32-bit words. %p is the address: the kernel hashes it here whatever
 * its option hash-ptr says.
 */
void special_print_bprint(struct tsh_decoder *d, const struct tsh_event_format *format,
			  const struct tsh_record *rec, struct tsh_strbuf *out);

#endif
