/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_ENGINE_PIPELINE_KEYS_H
#define TRACESH_ENGINE_PIPELINE_KEYS_H

#include "output/sink.h"
#include "run.h"

/*
 * Handles the keys of a stream in the foreground: q ends it, space pauses and continues the
 * printing, / asks for another filter, c clears the screen (never the buffer), t changes the style
 * of the times.
 */
struct tsh_stream_keys {
	struct tsh_session *session;
	const struct tsh_stream_spec *spec;
	struct tsh_sink *sink;
	bool has_keys;		/* keys are read: tsh_stream_keys_end must be called */
	char *filter;		/* present filter; "": none */
	bool paused;
	bool has_named_keys;	/* a note has named the keys */
};

/* Sets opt->request if the session has a terminal whose keys the stream may read. Borrows all of
 * its arguments until tsh_stream_keys_end. */
void tsh_stream_keys_begin(struct tsh_stream_keys *w, struct tsh_session *s, const struct tsh_stream_spec *f,
			   struct tsh_sink *sink, struct tsh_stream_options *opt);
void tsh_stream_keys_end(struct tsh_stream_keys *w);

#endif
