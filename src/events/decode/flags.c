/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <string.h>

#include "decoder.h"
#include "events/symbols/btf-internal.h"
#include "special-internal.h"

/* enum trace_flag_type (include/linux/trace_events.h); three of its bits have moved, see
 * learn_bits */
enum {
	FLAG_IRQS_OFF		= 0x01,
	FLAG_SECOND		= 0x02,	/* IRQS_NOSUPPORT; since 6.13 NEED_RESCHED_LAZY */
	FLAG_NEED_RESCHED	= 0x04,
	FLAG_HARDIRQ		= 0x08,
	FLAG_SOFTIRQ		= 0x10,
	FLAG_PREEMPT_RESCHED	= 0x20,
	FLAG_NMI		= 0x40,
	FLAG_BH_OFF		= 0x80,	/* not in older kernels */
};

/* Returns the bit of an enumerator, from BTF; `usual` for kernels without BTF. */
static unsigned char bit_of(struct tsh_decoder *d, const char *name, unsigned char usual)
{
	int64_t value;

	return tsh_enums_value(d->env.enums, name, &value) && !(value & ~0xff) ? (unsigned char)value : usual;
}

/*
 * Finds the bits of this kernel. A real-time kernel with a field for the lazy depth (6.1) has the
 * lazy bit in place of PREEMPT_RESCHED, and prints a letter for it. Other real-time kernels (6.12)
 * have the lazy bit in the same place as 6.13. Since 6.13 that place always has the lazy bit.
 */
static void learn_bits(struct tsh_decoder *d)
{
	static const char lazy[] = "TRACE_FLAG_NEED_RESCHED_LAZY";

	d->bits.known = true;
	d->bits.preempt = FLAG_PREEMPT_RESCHED;
	if (d->lazy_depth.size) {
		d->bits.lazy = bit_of(d, lazy, FLAG_PREEMPT_RESCHED);
		d->bits.preempt = bit_of(d, "TRACE_FLAG_PREEMPT_RESCHED", 0);
		d->bits.no_irqs = bit_of(d, "TRACE_FLAG_IRQS_NOSUPPORT", FLAG_SECOND);
	} else if (special_is_since(d, 6, 13) || bit_of(d, lazy, 0) == FLAG_SECOND) {
		d->bits.lazy = FLAG_SECOND;
	} else {
		d->bits.no_irqs = FLAG_SECOND;
	}
}

/* Returns the letter for interrupts; is_old: before 5.14. */
static char irqs_letter(const struct tsh_flag_bits *bits, unsigned int flags, bool is_old)
{
	bool bh_off = !is_old && (flags & FLAG_BH_OFF);

	if (flags & FLAG_IRQS_OFF)
		return bh_off ? 'D' : 'd';
	if (bh_off)
		return 'b';
	return flags & (is_old ? FLAG_SECOND : bits->no_irqs) ? 'X' : '.';
}

static char resched_letter(const struct tsh_flag_bits *bits, unsigned int flags, bool has_lazy)
{
	bool need = flags & FLAG_NEED_RESCHED, lazy = has_lazy && (flags & bits->lazy);

	if (flags & bits->preempt)
		return need ? lazy ? 'B' : 'N' : lazy ? 'L' : 'p';
	return need ? lazy ? 'b' : 'n' : lazy ? 'l' : '.';
}

static char context_letter(unsigned int flags)
{
	bool hard = flags & FLAG_HARDIRQ, soft = flags & FLAG_SOFTIRQ;

	if (flags & FLAG_NMI)
		return hard ? 'Z' : 'z';
	if (hard)
		return soft ? 'H' : 'h';
	return soft ? 's' : '.';
}

static char digit(unsigned int value)
{
	return value ? "0123456789abcdef"[value & 15] : '.';
}

/* Adds a depth, printed with %x. */
static char *add_depth(char *p, unsigned int depth)
{
	if (depth > 15)
		*p++ = digit(depth >> 4);
	*p++ = depth > 15 && !(depth & 15) ? '0' : digit(depth & 15);
	return p;
}

static void write_letters(struct tsh_decoder *d, const struct tsh_common *common, bool with_migrate,
			  char ret[TSH_FLAGS_ROOM])
{
	static const struct tsh_flag_bits usual = { .preempt = FLAG_PREEMPT_RESCHED };
	const struct tsh_flag_bits *bits;
	bool is_split = d->migrate_depth.size, has_letter = d->lazy_depth.size;
	char *p = ret;

	/* reads the kernel's types, which are some megabytes, only for bits that have moved */
	if (!d->bits.known && (has_letter || (common->flags & FLAG_SECOND)))
		learn_bits(d);
	bits = d->bits.known ? &d->bits : &usual;
	*p++ = irqs_letter(bits, common->flags, !with_migrate && !has_letter);
	*p++ = resched_letter(bits, common->flags, with_migrate && !has_letter);
	if (has_letter)
		*p++ = common->flags & bits->lazy ? 'L' : '.';
	*p++ = context_letter(common->flags);
	/* Kernels that do not show the migrate-disable depth have the depth in the whole byte. */
	p = add_depth(p, with_migrate && !is_split ? common->preempt & 15 : common->preempt);
	if (has_letter)
		p = add_depth(p, common->lazy);
	if (is_split)
		p = add_depth(p, common->migrate);
	else if (with_migrate)
		*p++ = digit(common->preempt >> 4);
	*p = '\0';
}

void tsh_decoder_flags(struct tsh_decoder *d, const struct tsh_common *common, bool with_migrate,
		       char ret[TSH_FLAGS_ROOM])
{
	uint64_t key = UINT64_C(1) << 33 | (uint64_t)with_migrate << 32 | (uint64_t)common->migrate << 24 |
		       (uint64_t)common->lazy << 16 | (uint64_t)common->preempt << 8 | common->flags;
	struct tsh_known_flags *known = &d->known_flags[(common->flags ^ common->flags >> 4 ^ common->preempt * 3) %
							TSH_KNOWN_FLAGS];

	if (known->key != key) {
		known->key = key;
		write_letters(d, common, with_migrate, known->letters);
	}
	memcpy(ret, known->letters, TSH_FLAGS_ROOM);
}
