/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "decoder.h"

/* enum trace_flag_type (include/linux/trace_events.h) */
enum {
	FLAG_IRQS_OFF		= 0x01,
	FLAG_RESCHED_LAZY	= 0x02,
	FLAG_IRQS_NOSUPPORT	= 0x02,	/* the meaning of the bit before 6.13 */
	FLAG_NEED_RESCHED	= 0x04,
	FLAG_HARDIRQ		= 0x08,
	FLAG_SOFTIRQ		= 0x10,
	FLAG_PREEMPT_RESCHED	= 0x20,
	FLAG_NMI		= 0x40,
	FLAG_BH_OFF		= 0x80,	/* older kernels have no such bit */
};

static char irqs_letter(unsigned int flags, bool has_bh, bool has_lazy)
{
	bool bh_off = has_bh && (flags & FLAG_BH_OFF);

	if (flags & FLAG_IRQS_OFF)
		return bh_off ? 'D' : 'd';
	if (bh_off)
		return 'b';
	return !has_lazy && (flags & FLAG_IRQS_NOSUPPORT) ? 'X' : '.';
}

static char resched_letter(unsigned int flags, bool has_lazy)
{
	unsigned int mask = FLAG_NEED_RESCHED | FLAG_PREEMPT_RESCHED;

	if (has_lazy)
		mask |= FLAG_RESCHED_LAZY;
	switch (flags & mask) {
	case FLAG_NEED_RESCHED | FLAG_RESCHED_LAZY | FLAG_PREEMPT_RESCHED:
		return 'B';
	case FLAG_NEED_RESCHED | FLAG_PREEMPT_RESCHED:
		return 'N';
	case FLAG_RESCHED_LAZY | FLAG_PREEMPT_RESCHED:
		return 'L';
	case FLAG_NEED_RESCHED | FLAG_RESCHED_LAZY:
		return 'b';
	case FLAG_NEED_RESCHED:
		return 'n';
	case FLAG_PREEMPT_RESCHED:
		return 'p';
	case FLAG_RESCHED_LAZY:
		return 'l';
	default:
		return '.';
	}
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

void tsh_decoder_flags(const struct tsh_decoder *d, const struct tsh_common *common,
		       bool with_migrate, char ret[8])
{
	bool has_lazy = with_migrate && !d->is_before_lazy;
	char *p = ret;

	*p++ = irqs_letter(common->flags, with_migrate, has_lazy);
	*p++ = resched_letter(common->flags, has_lazy);
	*p++ = context_letter(common->flags);
	if (with_migrate) {
		*p++ = digit(common->preempt & 15);
		*p++ = digit(common->preempt >> 4);
	} else {
		/* All of the byte is the depth, printed with %x. */
		if (common->preempt > 15)
			*p++ = digit(common->preempt >> 4);
		*p++ = common->preempt > 15 && !(common->preempt & 15) ?
			'0' : digit(common->preempt & 15);
	}
	*p = '\0';
}
