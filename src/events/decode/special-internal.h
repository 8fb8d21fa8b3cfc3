/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_EVENTS_DECODE_SPECIAL_INTERNAL_H
#define TRACESH_EVENTS_DECODE_SPECIAL_INTERNAL_H

#include "base/load.h"
#include "special.h"

/* Fills a zeroed *ret; false: it is not one of these. */
typedef bool special_find(struct tsh_decoder *d, const struct tsh_event_format *format,
			  struct tsh_special *ret);

special_find special_find_syscall;	/* special-syscalls.c */
special_find special_find_function;	/* special-function.c: function, func_repeats */
special_find special_find_stack;	/* kernel_stack, user_stack */
special_find special_find_latency;	/* special-latency.c */
special_find special_find_sched;	/* special-sched.c */
special_find special_find_mmio;		/* special-mmio.c */
special_find special_find_blk;		/* special-blk.c */
special_find special_find_probe;	/* special-probe.c */
special_find special_find_synthetic;	/* special-synth.c */

/* What the text depends on beside the record: d->special. */
/* The kernel's texts end at 8 KB; what a hostile record goes on with is left out. */
#define SPECIAL_TEXT_MAX 65536

struct tsh_special_options {
	bool sym_offset;
	bool sym_addr;
	bool print_parent;
	bool verbose;
	bool blk_classic;
	char *dynamic_events;		/* NULL: not asked for yet */
	struct tsh_btf *btf;		/* NULL: no function's arguments came yet */
	bool knows_nmi_time, has_nmi_time;
};

const struct tsh_special_options *special_options(struct tsh_decoder *d);
/* dynamic_events as it was at the first call, or `anew`; "" when there is none. Borrowed
 * until the next call. */
const char *special_dynamic_events(struct tsh_decoder *d, bool anew);

/*
 * Where sched_clock is the generic one (CONFIG_GENERIC_SCHED_CLOCK: arm, arm64, riscv) it
 * cannot be read in an NMI, and the kernel prints no time of it.
 */
bool special_has_nmi_time(struct tsh_decoder *d);
/* Prototypes of functions; the same. */
struct tsh_btf *special_btf(struct tsh_decoder *d);
/* Whether the kernel is at least that version: where only that tells how it prints. What
 * is not known counts as newer. */
bool special_is_since(const struct tsh_decoder *d, unsigned int major, unsigned int minor);

/* Where a number of a record is. size 0: the event has no such field. */
struct special_number {
	uint32_t offset;
	uint8_t size;
	bool is_signed;
};

struct special_number special_number(const struct tsh_event_format *format, const char *name);

/* False: it is not in the record, and *ret is 0. */
static inline bool special_load(const struct tsh_decoder *d, const struct special_number *number,
				const struct tsh_record *rec, uint64_t *ret)
{
	*ret = 0;
	if (!number->size || rec->size < number->size ||
	    number->offset > rec->size - number->size)
		return false;
	if (number->is_signed)
		*ret = (uint64_t)load_signed(rec->data + number->offset, number->size,
					     d->layout.big_endian);
	else
		*ret = load_unsigned(rec->data + number->offset, number->size,
				     d->layout.big_endian);
	return true;
}

/* A number by its name, 0 when there is none: for what comes seldom. */
uint64_t special_field(const struct tsh_decoder *d, const struct tsh_event_format *format,
		       const char *name, const struct tsh_record *rec);

/* %llx */
void special_add_hex(struct tsh_strbuf *out, uint64_t value);
/* An address as trace_output.c prints it (seq_print_ip_sym), with the options sym-addr
 * and, where the caller says so, an offset. */
void special_add_ip(struct tsh_decoder *d, uint64_t address, bool with_offset,
		    struct tsh_strbuf *out);
/* The arguments that a function was called with, "(a=1, b=0x2)", from a record that has
 * them at `offset` (trace_output.c, print_function_args). */
void special_add_args(struct tsh_decoder *d, uint64_t function, const struct tsh_record *rec,
		      uint32_t offset, struct tsh_strbuf *out);	/* special-args.c */
/* A stamp as the lines of `trace` have it (trace_print_time), of a clock in nanoseconds. */
void special_add_time(uint64_t stamp, struct tsh_strbuf *out);

#endif
