/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "where.h"

#include "engine/aggregate/aggregate.h"
#include "session/event-format.h"

const char *tsh_where_stays(const struct tsh_call *call)
{
	if (!call->events.n && !(call->cmd->flags & TSH_CMD_LIVE))
		return "the events are not enabled for this command";
	if (tsh_args_has(&call->args, "here"))
		return "the events of the current instance are others' too";
	if (tsh_args_has(&call->args, "no-pushdown"))
		return "--no-pushdown";
	if (call->flight)
		return "--stop-when asks every event";
	if (tsh_query_needs_all(call->where->query) || tsh_by_needs_all(call->by))
		return "delta needs every event";
	return NULL;
}

bool tsh_where_split(struct tsh_session *s, const struct tsh_call *call,
		     const struct tsh_event *event, struct tsh_query_split *ret,
		     unsigned int *ret_id)
{
	struct tsh_event_format *format = tsh_event_format_read(s->in, event);
	struct tsh_err ignored = { 0 };
	bool can = format && !tsh_query_split(call->where->query, call->where->decoder, format,
					      sizeof(long), ret, &ignored);

	*ret_id = format ? format->id : 0;
	tsh_err_release(&ignored);
	tsh_event_format_free(format);
	return can;
}
