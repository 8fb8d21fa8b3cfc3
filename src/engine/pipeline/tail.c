/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tail.h"

static bool tail_event(struct tsh_consumer *consumer, const struct tsh_record *rec, bool late)
{
	struct tsh_tail *tail = (struct tsh_tail *)consumer;

	if (tail->skip) {
		tail->skip--;
		return false;
	}
	tail->relay.to->ahead = consumer->ahead;
	return tail->relay.to->event(tail->relay.to, rec, late);
}

static void tail_lost(struct tsh_consumer *consumer, int cpu, uint64_t count, uint64_t stamp)
{
	struct tsh_tail *tail = (struct tsh_tail *)consumer;

	if (!tail->skip)
		tail->relay.to->lost(tail->relay.to, cpu, count, stamp);
}

void tsh_tail_init(struct tsh_tail *tail, struct tsh_consumer *to, uint64_t skip)
{
	*tail = (struct tsh_tail){
		.skip = skip,
	};
	tsh_relay_init(&tail->relay, to, tail_event, tail_lost);
}
