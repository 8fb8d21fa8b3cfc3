/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "unnamed.h"

#include <string.h>

#include "tracesh/now.h"

/* Longer than the kernel and saved_cmdlines need, shorter than one sees. */
#define WAIT_NS	   (100 * 1000 * 1000)
#define EVENTS_MAX 4096
#define BYTES_MAX  (1024 * 1024)

static bool has_name(const struct tsh_unnamed *un, int pid)
{
	return strcmp(tsh_decoder_comm(un->decoder, pid), TSH_COMM_UNKNOWN) != 0;
}

static void keep(struct tsh_unnamed *un, const struct tsh_record *rec, int pid, bool late)
{
	struct unnamed_event *event = tsh_vec_push(&un->events);

	*event = (struct unnamed_event){ .rec = *rec,
					 .at = un->bytes.len,
					 .pid = pid,
					 .late = late,
					 .since = tsh_now_ns(CLOCK_MONOTONIC) };
	tsh_strbuf_add(&un->bytes, (const char *)rec->data, rec->size);
}

static void give_on(struct tsh_unnamed *un, struct unnamed_event *event)
{
	event->rec.data = (const unsigned char *)un->bytes.buf + event->at;
	un->relay.to->event(un->relay.to, &event->rec, event->late);
}

/* Those that have a name by now, or have waited for long enough. */
static void settle(struct tsh_unnamed *un, int64_t until)
{
	size_t i, left = 0, bytes = 0;

	for (i = 0; i < un->events.n; i++) {
		struct unnamed_event *event = &un->events.v[i], *to = &un->events.v[left];

		if (event->since <= until || has_name(un, event->pid)) {
			give_on(un, event);
			continue;
		}
		memmove(un->bytes.buf + bytes, un->bytes.buf + event->at, event->rec.size);
		*to = *event;
		to->at = bytes;
		bytes += event->rec.size;
		left++;
	}
	un->events.n = left;
	un->bytes.len = bytes;
}

static void take(struct tsh_consumer *consumer, const struct tsh_record *rec, bool late)
{
	struct tsh_unnamed *un = (struct tsh_unnamed *)consumer;
	struct tsh_common common;
	bool damaged;

	/* which learns names, too */
	tsh_decoder_look(un->decoder, rec, &common, &damaged);
	if (damaged || !rec->size || has_name(un, common.pid)) {
		un->relay.to->event(un->relay.to, rec, late);
		return;
	}
	if (un->events.n == EVENTS_MAX || un->bytes.len + rec->size > BYTES_MAX)
		settle(un, INT64_MAX);
	keep(un, rec, common.pid, late);
}

static int flush(struct tsh_consumer *consumer, struct tsh_err *err)
{
	struct tsh_unnamed *un = (struct tsh_unnamed *)consumer;

	settle(un, tsh_now_ns(CLOCK_MONOTONIC) - WAIT_NS);
	return un->relay.to->flush(un->relay.to, err);
}

void tsh_unnamed_init(struct tsh_unnamed *un, struct tsh_consumer *to, struct tsh_decoder *decoder)
{
	*un = (struct tsh_unnamed){ .decoder = decoder, .bytes = TSH_STRBUF_INIT };
	tsh_relay_init(&un->relay, to, take, NULL);
	un->relay.consumer.flush = flush;
}

void tsh_unnamed_end(struct tsh_unnamed *un)
{
	/* what was noted at the end, too */
	if (un->events.n)
		tsh_decoder_refresh(un->decoder);
	settle(un, INT64_MAX);
	tsh_vec_release(&un->events);
	tsh_strbuf_release(&un->bytes);
}
