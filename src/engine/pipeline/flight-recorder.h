/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_ENGINE_PIPELINE_FLIGHT_RECORDER_H
#define TRACESH_ENGINE_PIPELINE_FLIGHT_RECORDER_H

/* --stop-when, --before and --after: a flight recorder. */

#include "session/session.h"
#include "stage.h"

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

struct tsh_flight_recorder;

/* Reads the options of the call, if it has them, into call->flight, and looks whether its
 * events can be asked. -1 with err, which blames a place in them. */
int tsh_flight_recorder_resolve(struct tsh_session *s, struct tsh_call *call, struct tsh_err *err);
/* NULL is fine. */
void tsh_flight_recorder_free(struct tsh_flight_recorder *flight);

/* Gives the stage that gives on what is wanted; NULL: there is no flight. */
struct tsh_stage *tsh_flight_recorder_stage(struct tsh_flight_recorder *flight);

#endif
