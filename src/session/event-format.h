/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_SESSION_EVENT_FORMAT_H
#define TRACESH_SESSION_EVENT_FORMAT_H

#include "session.h"
#include "events/decode/decode.h"
#include "events/decode/value-names.h"
#include "events/source/stream.h"
#include "kernel/tracefs/event.h"
#include "lang/filter-hint.h"
#include "own-instance.h"

/* Parses the format file of an event. The caller frees the result with tsh_event_format_free.
 * Returns NULL when the file cannot be read or understood. */
struct tsh_event_format *tsh_event_format_read(const struct tsh_instance *in,
					       const struct tsh_event *event);
/* Makes a decoder that knows the enumerators and functions of the running kernel, for names in
 * expressions. Borrows the provider. The caller frees the decoder with tsh_decoder_free. */
struct tsh_decoder *tsh_names_decoder(const struct tsh_live_provider *provider);
/* Has libraries (src/library) print events that the decoder cannot print, according to the setting
 * `decoders`. Returns NULL when there is no library, and while pointers are hidden. */
struct tsh_decoding *tsh_attach_decoders(struct tsh_own_place *place, struct tsh_decoder *decoder);
/* Warns of the events that the libraries could not print. */
void tsh_warn_of_decoders(struct tsh_session *s, const struct tsh_decoding *decoding);
/* Reads the names that the running kernel has for the numbers of a field. */
void tsh_value_names_here(const struct tsh_instance *in, const struct tsh_event_format *format,
			  const struct tsh_field *field, struct tsh_value_names *ret);
/* Returns the kind of comparisons that the kernel's filters can make with a field. */
enum tsh_filter_kind tsh_field_filter_kind(const struct tsh_field *field);

#endif
