/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "filters.h"

#include <stdlib.h>

#include "kernel/tracefs/defaults.h"
#include "util.h"

static bool is_aborted(void *ctx)
{
	return tsh_cmd_is_aborted(ctx);
}

void tsh_filters_list(struct tsh_session *s, const struct tsh_instance *in, struct tsh_events *ret,
			struct tsh_strlist *ret_texts)
{
	struct tsh_events all = { 0 };
	struct tsh_err ignored = { 0 };
	size_t i;

	/* Ignores the error: a recording of one instance has no list of events. */
	if (tsh_events_filtered(in, &all, is_aborted, s, &ignored) < 0)
		tsh_err_release(&ignored);
	for (i = 0; i < all.n && !tsh_cmd_is_aborted(s); i++) {
		const struct tsh_event *event = &all.v[i];
		char *path = tsh_event_path(event, "filter"), *text = tsh_event_filter(in, event);

		/* Leaves out the text and the reason of a filter that the kernel has refused. */
		if (text && !tsh_is_default(in, path, text)) {
			tsh_events_add(ret, event->system, event->name);
			tsh_strlist_add(ret_texts, text);
		}
		free(text);
		free(path);
	}
	tsh_events_release(&all);
}
