/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_EVENTS_DECODE_SPECIAL_INTERNAL_H
#define TRACESH_EVENTS_DECODE_SPECIAL_INTERNAL_H

#include "base/load.h"
#include "special.h"

/* Finds how to print one kind of event: fills a zeroed *ret. Returns false for events of other
 * kinds. */
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

/* Limits texts: the kernel's end at 8 KB, but a hostile record may go on. */
#define SPECIAL_TEXT_MAX 65536

/* Holds the options and files that texts depend on besides the record (d->special). */
struct tsh_special_options {
	bool sym_offset;
	bool sym_addr;
	bool print_parent;
	bool verbose;
	bool blk_classic;
	char *dynamic_events;		/* NULL: not read yet */
	struct tsh_btf *btf;		/* NULL: not needed yet */
	bool knows_nmi_time, has_nmi_time;
};

const struct tsh_special_options *special_options(struct tsh_decoder *d);
/* Returns dynamic_events as it was at the first call, or reads it `anew`; "" when there is none.
 * Valid until the next call. */
const char *special_dynamic_events(struct tsh_decoder *d, bool anew);

/* Says whether the kernel prints times of NMIs: not where sched_clock is the generic one
 * (CONFIG_GENERIC_SCHED_CLOCK: arm, arm64, riscv), which cannot be read in an NMI. */
bool special_has_nmi_time(struct tsh_decoder *d);
/* Returns the kernel's types, for prototypes of functions; made at the first call. */
struct tsh_btf *special_btf(struct tsh_decoder *d);
/* Says whether the kernel is at least that version. Is used where nothing but the version shows how
 * the kernel prints. An unknown version counts as newer. */
bool special_is_since(const struct tsh_decoder *d, unsigned int major, unsigned int minor);

/* Holds the place of a number in a record; size 0: the event has no such field. */
struct special_number {
	uint32_t offset;
	uint8_t size;
	bool is_signed;
};

struct special_number special_number(const struct tsh_event_format *format, const char *name);

/* Reads a number. Returns false, and sets *ret to 0, when it is not in the record. */
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

/* Reads a number by the name of its field, 0 when there is none; slow. */
uint64_t special_field(const struct tsh_decoder *d, const struct tsh_event_format *format,
		       const char *name, const struct tsh_record *rec);

/* Appends %llx. */
void special_add_hex(struct tsh_strbuf *out, uint64_t value);
/* Appends an address as trace_output.c prints it (seq_print_ip_sym), with the option sym-addr, and
 * with an offset if the caller asks for it. */
void special_add_ip(struct tsh_decoder *d, uint64_t address, bool with_offset,
		    struct tsh_strbuf *out);
/* Appends the arguments of a function call, "(a=1, b=0x2)", which the record has at `offset`
 * (trace_output.c, print_function_args). */
void special_add_args(struct tsh_decoder *d, uint64_t function, const struct tsh_record *rec,
		      uint32_t offset, struct tsh_strbuf *out);	/* special-args.c */
/* Appends a stamp of a clock in nanoseconds as lines of `trace` have it (trace_print_time). */
void special_add_time(uint64_t stamp, struct tsh_strbuf *out);

#endif
