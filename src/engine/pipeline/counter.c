/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "counter.h"

static void release(void *counter)
{
	((struct tsh_counter *)counter)->ops->free(counter);
}

void tsh_counter_add(struct tsh_call *call, struct tsh_counter *counter)
{
	tsh_call_add_state(call, counter, release);
}

struct tsh_counter *tsh_counter_of(const struct tsh_call *call)
{
	return tsh_call_state(call, release);
}

bool tsh_counter_needs_all(const struct tsh_call *call)
{
	const struct tsh_counter *counter = tsh_counter_of(call);

	return counter && counter->ops->needs_all(counter);
}

bool tsh_counter_lacks_filter(const struct tsh_call *call, const struct tsh_event *event)
{
	const struct tsh_counter *counter = tsh_counter_of(call);

	return counter && counter->ops->lacks_filter(counter, event);
}
