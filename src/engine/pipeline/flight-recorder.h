/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_ENGINE_PIPELINE_FLIGHT_RECORDER_H
#define TRACESH_ENGINE_PIPELINE_FLIGHT_RECORDER_H

/* Implements a flight recorder: the options --stop-when, --before and --after. */

#include "session/session.h"
#include "stage.h"

/* Declare the options, for the table of a command. */
#define TSH_FLIGHT_STOP \
	{ .name = "STOP", .option = "--stop-when", .type = TSH_ARG_EXPRESSION, \
	  .flags = TSH_ARG_OPTIONAL, \
	  .help = "stop at the first event for which this is true, as in where" }
#define TSH_FLIGHT_BEFORE \
	{ .name = "BEFORE", .option = "--before", .type = TSH_ARG_TIME, .flags = TSH_ARG_OPTIONAL, \
	  .help = "print only the events of this time before that event: 20ms" }
#define TSH_FLIGHT_AFTER \
	{ .name = "AFTER", .option = "--after", .type = TSH_ARG_TIME, .flags = TSH_ARG_OPTIONAL, \
	  .help = "go on for this time after that event: 5ms" }

/* Limits the bytes that are kept for --before. When more events come, the oldest are dropped; a
 * warning says so if --before includes them. */
#define TSH_FLIGHT_BYTES (32 * 1024 * 1024)

struct tsh_flight_recorder;

/*
 * Parses the three options of the call, if there are any, and checks that the
 * expression can be evaluated for the call's events. Returns 0, or -1 with err, which blames a part
 * of an option.
 */
int tsh_flight_recorder_resolve(struct tsh_session *s, struct tsh_call *call, struct tsh_err *err);
/* Returns the flight recorder of a call; NULL: it has no --stop-when. */
struct tsh_flight_recorder *tsh_flight_recorder_of(const struct tsh_call *call);

/* Returns the stage that passes on the events around the one that --stop-when matches; NULL: the
 * call has no --stop-when. */
struct tsh_stage *tsh_flight_recorder_stage(struct tsh_flight_recorder *flight);

#endif
