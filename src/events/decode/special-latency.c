/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <string.h>

#include "events/symbols/symbols.h"
#include "special-internal.h"

/* Prints osnoise, timerlat and hwlat (kernel/trace/trace_output.c). There are few each second, so
 * speed does not matter. */

typedef unsigned long long ull;

static void print_osnoise(struct tsh_decoder *d, const void *state,
			  const struct tsh_event_format *format, const struct tsh_record *rec,
			  struct tsh_strbuf *out)
{
	static const char *const counts[] = {
		"hw_count", "nmi_count", "irq_count", "softirq_count", "thread_count",
	};
	uint64_t noise = special_field(d, format, "noise", rec);
	uint64_t runtime = special_field(d, format, "runtime", rec);
	uint64_t ratio;
	size_t i;

	(void)state;
	/* the rest of the time, in 100,000ths of a percent */
	ratio = runtime ? (runtime - noise) * 10000000 / runtime : 0;
	tsh_strbuf_addf(out, "%llu %10llu %3llu.%05llu %7llu", (ull)runtime, (ull)noise,
			(ull)(ratio / 100000), (ull)(ratio % 100000),
			(ull)special_field(d, format, "max_sample", rec));
	for (i = 0; i < sizeof(counts) / sizeof(counts[0]); i++)
		tsh_strbuf_addf(out, " %6u",
				(unsigned int)special_field(d, format, counts[i], rec));
}

static void print_timerlat(struct tsh_decoder *d, const void *state,
			   const struct tsh_event_format *format, const struct tsh_record *rec,
			   struct tsh_strbuf *out)
{
	static const char *const contexts[] = { "irq", "thread", "user-ret" };
	uint64_t context = special_field(d, format, "context", rec);

	(void)state;
	tsh_strbuf_addf(out, "#%-5u context %6s timer_latency %9llu ns",
			(unsigned int)special_field(d, format, "seqnum", rec),
			context < sizeof(contexts) / sizeof(contexts[0]) ?
			contexts[context] : "?",
			(ull)special_field(d, format, "timer_latency", rec));
}

static void print_hwlat(struct tsh_decoder *d, const void *state,
			const struct tsh_event_format *format, const struct tsh_record *rec,
			struct tsh_strbuf *out)
{
	uint64_t nmis = special_field(d, format, "nmi_count", rec);

	(void)state;
	tsh_strbuf_addf(out, "#%-5u inner/outer(us): %4llu/%-5llu ts:%lld.%09ld",
			(unsigned int)special_field(d, format, "seqnum", rec),
			(ull)special_field(d, format, "duration", rec),
			(ull)special_field(d, format, "outer_duration", rec),
			(long long)special_field(d, format, "tv_sec", rec),
			(long)special_field(d, format, "tv_nsec", rec));
	/* older kernels have no count */
	if (tsh_event_format_field(format, "count"))
		tsh_strbuf_addf(out, " count:%d", (int)special_field(d, format, "count", rec));
	if (!nmis)
		return;
	if (special_has_nmi_time(d))
		tsh_strbuf_addf(out, " nmi-total:%llu",
				(ull)special_field(d, format, "nmi_total_ts", rec));
	tsh_strbuf_addf(out, " nmi-count:%u", (unsigned int)nmis);
}

bool special_find_latency(struct tsh_decoder *d, const struct tsh_event_format *format,
			  struct tsh_special *ret)
{
	(void)d;
	if (!strcmp(format->name, "osnoise"))
		ret->print = print_osnoise;
	else if (!strcmp(format->name, "timerlat"))
		ret->print = print_timerlat;
	else
		ret->print = print_hwlat;
	ret->label_in_text = true;
	return true;
}
