/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "stage.h"

static struct tsh_consumer *behind(struct tsh_consumer *consumer)
{
	/* the first member */
	return ((struct tsh_relay *)(void *)consumer)->to;
}

static void relay_lost(struct tsh_consumer *consumer, int cpu, uint64_t count, uint64_t stamp)
{
	behind(consumer)->lost(behind(consumer), cpu, count, stamp);
}

static void relay_note(struct tsh_consumer *consumer, const char *text)
{
	behind(consumer)->note(behind(consumer), text);
}

static int relay_flush(struct tsh_consumer *consumer, struct tsh_err *err)
{
	return behind(consumer)->flush(behind(consumer), err);
}

static int relay_stuck(struct tsh_consumer *consumer)
{
	struct tsh_consumer *to = behind(consumer);

	return to->stuck ? to->stuck(to) : -1;
}

static void relay_leave_out(struct tsh_consumer *consumer, bool on)
{
	behind(consumer)->leave_out(behind(consumer), on);
}

static void relay_skipped(struct tsh_consumer *consumer, uint64_t count, int cpu, uint64_t stamp)
{
	behind(consumer)->skipped(behind(consumer), count, cpu, stamp);
}

void tsh_relay_init(struct tsh_relay *relay, struct tsh_consumer *to,
		    bool (*event)(struct tsh_consumer *, const struct tsh_record *, bool),
		    void (*lost)(struct tsh_consumer *, int, uint64_t, uint64_t))
{
	*relay = (struct tsh_relay){
		.consumer = { .event = event,
			      .lost = lost ? lost : relay_lost,
			      .note = relay_note,
			      .flush = relay_flush,
			      .stuck = relay_stuck,
			      .leave_out = to->leave_out ? relay_leave_out : NULL,
			      .skipped = to->skipped ? relay_skipped : NULL },
		.to = to,
	};
}

void tsh_relay_give_kept(const struct tsh_relay *relay, struct tsh_stream_summary *sum, const struct tsh_record *rec,
			 bool late)
{
	if (relay->to->event(relay->to, rec, late)) {
		sum->events++;
		sum->late += late;
	}
}
