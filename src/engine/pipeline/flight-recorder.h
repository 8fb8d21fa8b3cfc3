/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_ENGINE_PIPELINE_FLIGHT_RECORDER_H
#define TRACESH_ENGINE_PIPELINE_FLIGHT_RECORDER_H

/* --stop-when, --before and --after: a flight recorder. */

#include "base/strbuf.h"
#include "events/decode/consumer.h"
#include "events/decode/decode.h"
#include "session/session.h"

/* The options, for the table of a command. */
#define TSH_FLIGHT_STOP \
	{ .name = "STOP", .option = "--stop-when", .type = TSH_ARG_EXPRESSION, \
	  .flags = TSH_ARG_OPTIONAL, \
	  .help = "stop at the first event of which this is true, as where is asked" }
#define TSH_FLIGHT_BEFORE \
	{ .name = "BEFORE", .option = "--before", .type = TSH_ARG_TIME, .flags = TSH_ARG_OPTIONAL, \
	  .help = "print nothing before that event but what came within this time: 20ms" }
#define TSH_FLIGHT_AFTER \
	{ .name = "AFTER", .option = "--after", .type = TSH_ARG_TIME, .flags = TSH_ARG_OPTIONAL, \
	  .help = "go on for this time behind that event: 5ms" }

/* Of what is kept for --before; more shortens it, which is said. */
#define TSH_FLIGHT_BYTES (32 * 1024 * 1024)

struct tsh_flight;

/* Reads the options of the call, if it has them, into call->flight, and looks whether its
 * events can be asked. -1 with err, which blames a place in them. */
int tsh_flight_resolve(struct tsh_session *s, struct tsh_call *call, struct tsh_err *err);
/* Says whether the name of a task decides when it stops. */
bool tsh_flight_asks_for_names(const struct tsh_flight *flight);
/* NULL is fine. */
void tsh_flight_free(struct tsh_flight *flight);

/*
 * Begins: a consumer that gives to another one what is wanted. All are borrowed. -1 with err:
 * the clock counts no ns, and a time was asked for.
 */
int tsh_flight_begin(struct tsh_flight *flight, struct tsh_consumer *to,
		     struct tsh_decoder *decoder, const struct tsh_page_layout *layout,
		     const struct tsh_clock *clock, struct tsh_out *out,
		     struct tsh_stream_summary *sum, struct tsh_err *err);
struct tsh_consumer *tsh_flight_consumer(struct tsh_flight *flight);
/* For struct tsh_stream_options: whether all that was wanted has come; ctx is the flight. */
bool tsh_flight_done(void *ctx);
/* Says what came of it; what is kept goes. */
void tsh_flight_end(struct tsh_flight *flight);

#endif
