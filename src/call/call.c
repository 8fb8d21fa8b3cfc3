/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "resolve.h"

#include <stdlib.h>

#include "engine/aggregate/aggregate.h"
#include "engine/pipeline/fields.h"
#include "engine/pipeline/flight-recorder.h"
#include "engine/pipeline/where.h"
#include "engine/probe/call.h"

void tsh_call_release(struct tsh_call *call)
{
	tsh_args_release(&call->args);
	tsh_events_release(&call->events);
	free(call->moments);
	tsh_where_free(call->where);
	tsh_field_list_free(call->chosen);
	tsh_by_free(call->by);
	tsh_flight_recorder_free(call->flight);
	tsh_call_probes_free(call->probes);
}
