/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_EVENTS_DECODE_SPECIAL_BPRINT_H
#define TRACESH_EVENTS_DECODE_SPECIAL_BPRINT_H

#include <stdint.h>

#include "decode.h"

/*
 * The texts at addresses that records carry in place of the text: formats of
 * trace_printk(), and the strings of tracepoint_string() (kernel/trace/trace_printk.c,
 * t_show). A decoder owns one: tsh_decoder_new() makes it, d->printk, tsh_decoder_forget()
 * calls printk_formats_forget(), tsh_decoder_free() frees it.
 */
struct printk_formats;

/* Reads nothing yet. provider->printk_formats may be NULL: nothing is found then. */
struct printk_formats *printk_formats_new(const struct tsh_provider *provider);
void printk_formats_free(struct printk_formats *formats);
/* Modules come and go: read anew at the next question. */
void printk_formats_forget(struct printk_formats *formats);
/*
 * The text at an address, its escapes resolved; NULL when the kernel lists none there.
 * Borrowed until the next call with `formats`. An unknown address has the list read anew,
 * ever more rarely.
 */
const char *printk_formats_find(struct printk_formats *formats, uint64_t address);

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
