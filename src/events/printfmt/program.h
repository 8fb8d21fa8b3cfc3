/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_EVENTS_PRINTFMT_PROGRAM_H
#define TRACESH_EVENTS_PRINTFMT_PROGRAM_H

#include <stdbool.h>
#include <stdint.h>

#include "base/strbuf.h"
#include "events/symbols/directive.h"
#include "events/symbols/kernel-strings.h"
#include "format.h"

/* What the programs of one decoder share; borrowed, outlives them. */
struct program_env {
	const struct tsh_provider *provider;
	struct tsh_page_layout layout;
	struct pointer_env pointer;
	struct tsh_enums *enums;	/* of BTF, read on first use; NULL: none */
	struct kernel_strings *strings;	/* NULL: addresses stay numbers */
};

/*
 * A print format compiled: literals, loads, conversions, tables, jumps. Made once for an
 * event, run for each record, allocates nothing then.
 */
struct program;

/* NULL when the format is beyond us; *ret_why (malloc'd) says why, for `info`. */
struct program *program_compile(const struct program_env *env,
				const struct tsh_event_format *format, char **ret_why);
/* Of the format what it says of one of its fields alone; NULL: nothing. */
struct program *program_compile_field(const struct program_env *env,
				      const struct tsh_event_format *format,
				      const struct tsh_field *field);
void program_free(struct program *p);
/*
 * Appends the event's text, unsanitized. False, and nothing appended, when the record is
 * shorter than the fields that the program reads, or a dynamic field is not all there.
 */
bool program_run(const struct program *p, const struct tsh_record *rec, struct tsh_strbuf *out);

/* Whatever the record, its text is printable ASCII: nothing in it needs escaping. */
bool program_is_clean(const struct program *p);
/*
 * It makes the same of the same bytes at any time: it asks neither the common fields nor the
 * kernel's memory and variables.
 */
bool program_is_repeatable(const struct program *p);

#endif
