/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "event-format.h"

#include <stdlib.h>
#include <string.h>

#include "tracesh/tracefs.h"

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

/* kernel/trace/trace_events.c, filter_assign_type */
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
