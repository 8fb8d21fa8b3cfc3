/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "event-format.h"

#include <stdlib.h>
#include <string.h>

#include "kernel/tracefs/tracefs.h"

struct tsh_event_format *tsh_event_format_read(const struct tsh_instance *in,
					       const struct tsh_event *event)
{
	struct tsh_event_format *format = NULL;
	struct tsh_strbuf text = TSH_STRBUF_INIT;
	char *path = tsh_event_path(event, "format");

	if (tsh_file_read(in, path, &text) < 0 ||
	    tsh_event_format_parse(event->system, text.buf, text.len, &format) < 0)
		format = NULL;
	tsh_strbuf_release(&text);
	free(path);
	return format;
}

/* Follows filter_assign_type of kernel/trace/trace_events_filter.c. */
enum tsh_filter_kind tsh_field_filter_kind(const struct tsh_field *field)
{
	bool is_array = strchr(field->type, '[') != NULL;

	if (strstr(field->type, "cpumask_t"))
		return TSH_FILTER_CPUS;
	if (is_array && strstr(field->type, "char"))
		return TSH_FILTER_STRING;
	if (!strcmp(field->type, "char *") || !strcmp(field->type, "const char *"))
		return TSH_FILTER_STRING;
	if (field->kind == TSH_FIELD_INT || field->kind == TSH_FIELD_POINTER)
		return TSH_FILTER_NUMBER;
	return TSH_FILTER_OTHER;
}

struct tsh_decoder *tsh_names_decoder(const struct tsh_live_provider *provider)
{
	const struct tsh_page_layout layout = { .long_size = sizeof(long),
						.big_endian = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ };

	return tsh_decoder_new(tsh_live_provider(provider), &layout);
}

struct tsh_decoding *tsh_attach_decoders(struct tsh_own_place *place, struct tsh_decoder *decoder)
{
	const struct tsh_apart_host host = { .begun = tsh_own_exclude, .ctx = place };

	/* Attaches none while pointers are hidden: libtraceevent prints addresses. */
	if (place->s->settings.pointers_hidden) {
		if (place->s->settings.decoders == TSH_DECODERS_ALL)
			tsh_out_note(place->s->out, "pointers are hidden, so tracesh prints all events itself: "
				     "libtraceevent would show addresses");
		return NULL;
	}
	return tsh_decoders_attach(decoder, place->s->settings.decoders, &place->s->decoders, &host);
}

void tsh_warn_of_decoders(struct tsh_session *s, const struct tsh_decoding *decoding)
{
	const struct tsh_strlist *failures = decoding ? tsh_decoding_failures(decoding) : NULL;
	size_t i;

	for (i = 0; failures && i < failures->n; i++)
		tsh_out_warn(s->out, "%s", failures->v[i]);
}

void tsh_value_names_here(const struct tsh_instance *in, const struct tsh_event_format *format,
			  const struct tsh_field *field, struct tsh_value_names *ret)
{
	struct tsh_live_provider *provider = tsh_live_provider_new(in);
	struct tsh_decoder *decoder = tsh_names_decoder(provider);

	tsh_value_names_of(decoder, format, field, ret);
	tsh_decoder_free(decoder);
	tsh_live_provider_free(provider);
}
