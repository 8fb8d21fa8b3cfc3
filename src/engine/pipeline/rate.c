/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "rate.h"

#include <stdlib.h>
#include <time.h>

#include "base/now.h"
#include "session/util.h"

#define NS_PER_SECOND UINT64_C(1000000000)

static uint64_t second_of(const struct tsh_rate_filter *f, const struct tsh_record *rec)
{
	if (f->clock->kind->in_ns)
		return rec->stamp / NS_PER_SECOND;
	return (uint64_t)tsh_now_ns(CLOCK_MONOTONIC) / NS_PER_SECOND;
}

/* Where they are missing. */
static void say_over(struct tsh_rate_filter *f)
{
	struct tsh_strbuf text = TSH_STRBUF_INIT;

	if (f->over) {
		tsh_format_count(f->over, &text);
		tsh_strbuf_addf(&text, " more event%s in that second not printed (--limit-rate %llu)",
				tsh_plural(f->over), (unsigned long long)f->limit);
		f->relay.to->note(f->relay.to, text.buf);
	}
	tsh_strbuf_release(&text);
	f->over = f->printed = 0;
}

static bool rate_event(struct tsh_consumer *consumer, const struct tsh_record *rec, bool late)
{
	struct tsh_rate_filter *f = (struct tsh_rate_filter *)consumer;
	uint64_t second = second_of(f, rec);

	/* A late one counts as of the present second. */
	if (second > f->second) {
		say_over(f);
		f->second = second;
	}
	if (f->printed >= f->limit) {
		f->sum->over_rate++;
		f->over++;
		return false;
	}
	f->printed++;
	f->relay.to->ahead = consumer->ahead;
	return f->relay.to->event(f->relay.to, rec, late);
}

void tsh_rate_filter_init(struct tsh_rate_filter *f, struct tsh_consumer *to, uint64_t limit,
			  const struct tsh_clock *clock, struct tsh_stream_summary *sum)
{
	*f = (struct tsh_rate_filter){ .limit = limit, .clock = clock, .sum = sum };
	tsh_relay_init(&f->relay, to, rate_event, NULL);
}

void tsh_rate_filter_end(struct tsh_rate_filter *f)
{
	say_over(f);
}
