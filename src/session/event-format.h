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

/* The parsed format file of an event; NULL when it cannot be read or understood. Free it with
 * tsh_event_format_free. */
struct tsh_event_format *tsh_event_format_read(const struct tsh_instance *in,
					       const struct tsh_event *event);
/* One that knows this kernel's enumerators and functions, for names in expressions; borrows
 * the provider. Free it with tsh_decoder_free. */
struct tsh_decoder *tsh_names_decoder(const struct tsh_live_provider *provider);
/* Lets others print what it cannot, by the setting decoders; NULL: nobody. */
struct tsh_decoding *tsh_attach_decoders(struct tsh_own_place *place, struct tsh_decoder *decoder);
/* Says at which events they failed. */
void tsh_warn_of_decoders(struct tsh_session *s, const struct tsh_decoding *decoding);
/* What the numbers of a field are called, here and now. */
void tsh_value_names_here(const struct tsh_instance *in, const struct tsh_event_format *format,
			  const struct tsh_field *field, struct tsh_value_names *ret);
/* What the kernel's filters can do with a field. */
enum tsh_filter_kind tsh_field_filter_kind(const struct tsh_field *field);

#endif
