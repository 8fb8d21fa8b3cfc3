/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_ENGINE_PIPELINE_KEYS_H
#define TRACESH_ENGINE_PIPELINE_KEYS_H

#include "output/sink.h"
#include "run.h"

/*
 * The keys of a stream in the foreground: q ends it, space stops and goes on with the
 * printing, / asks for another filter, c clears the screen (never the buffer), t shows the
 * times another way.
 */
struct tsh_stream_keys {
	struct tsh_session *session;
	const struct tsh_stream_spec *follow;
	struct tsh_sink *sink;
	bool has_keys;		/* begun, to be ended */
	char *filter;		/* in force; "": none */
	bool paused;
	bool told;		/* which keys there are */
};

/* Sets opt->wish where somebody sits at the terminal; until tsh_stream_keys_end. */
void tsh_stream_keys_begin(struct tsh_stream_keys *w, struct tsh_session *s, const struct tsh_stream_spec *f,
		      struct tsh_sink *sink, struct tsh_stream_options *opt);
void tsh_stream_keys_end(struct tsh_stream_keys *w);

#endif
