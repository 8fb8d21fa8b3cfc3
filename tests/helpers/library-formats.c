/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * library-formats DIR..: the fields of all formats below DIR/events, as tracesh has them beside libtraceevent, a line for each
 * difference: EVENT FIELD TYPE WHAT OURS THEIRS, separated by tabs. At the end "formats N fields N". Status 77: this build
 * has no libtraceevent.
 */
#include <stdio.h>

#ifndef LIBTRACEEVENT_VERSION
int main(void)
{
	return 77;
}
#else
#include <event-parse.h>
#include <stdlib.h>
#include <string.h>

#include "formats.h"
#include "events/decode/decode.h"

static unsigned long formats, fields;

/* An event of both. */
struct pair {
	const struct tsh_event_format *ours;
	const struct tep_event *theirs;
};

static void tell(const struct pair *e, const char *field, const char *type, const char *what, const char *ours,
		 const char *theirs)
{
	printf("%s:%s\t%s\t%s\t%s\t%s\t%s\n", e->ours->system, e->ours->name, field, type, what, ours, theirs);
}

static void compare_numbers(const struct pair *e, const struct tsh_field *field, const char *what, unsigned long ours,
			    unsigned long theirs)
{
	char texts[2][24];

	if (ours == theirs)
		return;
	snprintf(texts[0], sizeof(texts[0]), "%lu", ours);
	snprintf(texts[1], sizeof(texts[1]), "%lu", theirs);
	tell(e, field->name, field->type, what, texts[0], texts[1]);
}

static const char *our_kind(const struct tsh_field *field)
{
	static const char *const kinds[] = {
		[TSH_FIELD_INT] = "number", [TSH_FIELD_POINTER] = "pointer", [TSH_FIELD_CHARS] = "string",
		[TSH_FIELD_STRING] = "dynamic string", [TSH_FIELD_ARRAY] = "array", [TSH_FIELD_DYNAMIC] = "dynamic array",
	};

	return kinds[field->kind];
}

static const char *their_kind(const struct tep_format_field *field)
{
	bool is_dynamic = field->flags & TEP_FIELD_IS_DYNAMIC;

	if (field->flags & TEP_FIELD_IS_STRING)
		return is_dynamic ? "dynamic string" : "string";
	if (field->flags & TEP_FIELD_IS_ARRAY)
		return is_dynamic ? "dynamic array" : "array";
	if (is_dynamic)
		return "dynamic";
	return field->flags & TEP_FIELD_IS_POINTER ? "pointer" : "number";
}

static void compare_field(const struct pair *e, const struct tsh_field *ours, const struct tep_format_field *theirs)
{
	fields++;
	if (strcmp(ours->name, theirs->name))
		tell(e, ours->name, ours->type, "name", ours->name, theirs->name);
	compare_numbers(e, ours, "offset", ours->offset, (unsigned long)theirs->offset);
	compare_numbers(e, ours, "size", ours->size, (unsigned long)theirs->size);
	compare_numbers(e, ours, "signed", ours->is_signed, !!(theirs->flags & TEP_FIELD_IS_SIGNED));
	compare_numbers(e, ours, "relative", ours->is_relative, !!(theirs->flags & TEP_FIELD_IS_RELATIVE));
	if (strcmp(our_kind(ours), their_kind(theirs)))
		tell(e, ours->name, ours->type, "kind", our_kind(ours), their_kind(theirs));
}

/* Theirs are two lists, of which ours is one. */
static void compare_fields(const struct pair *e)
{
	const struct tep_format_field *theirs;
	size_t i = 0;

	for (theirs = e->theirs->format.common_fields; theirs && i < e->ours->nfields; theirs = theirs->next)
		compare_field(e, &e->ours->fields[i++], theirs);
	for (theirs = e->theirs->format.fields; theirs && i < e->ours->nfields; theirs = theirs->next)
		compare_field(e, &e->ours->fields[i++], theirs);
	if (i < e->ours->nfields)
		tell(e, e->ours->fields[i].name, e->ours->fields[i].type, "missing", "there", "none");
	if (theirs)
		tell(e, theirs->name, theirs->type, "missing", "none", "there");
}

static void compare_format(struct tep_handle *tep, const char *system, const char *text, size_t len)
{
	struct tsh_event_format *format = NULL;
	struct pair e;

	formats++;
	if (tsh_event_format_parse(system, text, len, &format) < 0) {
		printf("%s\t-\t-\trefused\tyes\t-\n", system);
		return;
	}
	(void)tep_parse_event(tep, text, len, system);
	e = (struct pair){ format, tep_find_event(tep, (int)format->id) };
	if (!e.theirs) {
		tell(&e, "-", "-", "refused", "no", "yes");
	} else {
		if (strcmp(format->name, e.theirs->name))
			tell(&e, "-", "-", "event", format->name, e.theirs->name);
		compare_fields(&e);
	}
	tsh_event_format_free(format);
}

static void read_format(struct tep_handle *tep, const char *path, const char *system)
{
	static char text[1 << 18];
	FILE *file = fopen(path, "r");
	size_t len;

	if (!file)
		return;
	len = fread(text, 1, sizeof(text) - 1, file);
	text[len] = '\0';
	fclose(file);
	if (len)
		compare_format(tep, system, text, len);
}

int main(int argc, char **argv)
{
	char *events;
	int i;

	tep_set_loglevel(TEP_LOG_NONE);
	for (i = 1; i < argc; i++) {
		struct tep_handle *tep = tep_alloc();

		if (!tep || asprintf(&events, "%s/events", argv[i]) < 0)
			return 1;
		each_format(tep, events, read_format);
		free(events);
		tep_free(tep);
	}
	printf("formats %lu fields %lu\n", formats, fields);
	return 0;
}
#endif
