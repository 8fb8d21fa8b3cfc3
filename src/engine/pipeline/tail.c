/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tail.h"

static bool tail_event(struct tsh_consumer *consumer, const struct tsh_record *rec, bool late)
{
	struct tsh_tail_stage *tail = (struct tsh_tail_stage *)consumer;

	if (tail->skip) {
		tail->skip--;
		return false;
	}
	tail->stage.next->ahead = consumer->ahead;
	return tail->stage.next->event(tail->stage.next, rec, late);
}

static void tail_lost(struct tsh_consumer *consumer, int cpu, uint64_t count, uint64_t stamp)
{
	struct tsh_tail_stage *tail = (struct tsh_tail_stage *)consumer;

	if (!tail->skip)
		tail->stage.next->lost(tail->stage.next, cpu, count, stamp);
}

static const struct tsh_stage_kind kind = { .name = "tail", .event = tail_event, .lost = tail_lost };

struct tsh_stage *tsh_tail_stage(struct tsh_tail_stage *tail, uint64_t skip)
{
	*tail = (struct tsh_tail_stage){ .stage.kind = &kind, .skip = skip };
	return skip ? &tail->stage : NULL;
}
