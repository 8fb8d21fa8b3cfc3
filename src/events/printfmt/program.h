/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_EVENTS_PRINTFMT_PROGRAM_H
#define TRACESH_EVENTS_PRINTFMT_PROGRAM_H

#include <stdbool.h>
#include <stdint.h>

#include "base/strbuf.h"
#include "events/symbols/directive.h"
#include "events/symbols/kernel-strings.h"
#include "format.h"

/* Holds what the programs of one decoder share; borrowed, and outlives them. */
struct program_env {
	const struct tsh_provider *provider;
	struct tsh_page_layout layout;
	struct pointer_env pointer;
	struct tsh_enums *enums;	/* from BTF, read on first use; NULL: none */
	struct kernel_strings *strings;	/* NULL: addresses are printed as numbers */
};

/* Is a compiled print format: literals, loads, conversions, tables, jumps. It is compiled once for
 * an event. It runs for each record, without allocating. */
struct program;

/* Compiles an event's print format. Returns NULL when that is not possible; *ret_why is the reason,
 * which the command `info` prints, and which the caller frees. */
struct program *program_compile(const struct program_env *env,
				const struct tsh_event_format *format, char **ret_why);
/* Compiles what the print format says of one field; NULL: nothing. */
struct program *program_compile_field(const struct program_env *env,
				      const struct tsh_event_format *format,
				      const struct tsh_field *field);
void program_free(struct program *p);
/* Describes a number of 4 or 8 bytes, in this machine's byte order, with the text before it. */
struct program_value {
	const char *text;
	uint32_t offset;
	uint32_t size;
	bool is_marked;			/* has 0x before it when it is 10 or more */
};
/* Makes a program that prints numbers in hexadecimal, and `end` behind them. */
struct program *program_of_values(const struct program_env *env, const struct program_value *v, size_t n,
				  const char *end);
/* Says what a run has made: nothing, a text, or a text that is known to be printable ASCII, so that
 * nothing needs escaping. */
enum program_text { PROGRAM_NOTHING, PROGRAM_TEXT, PROGRAM_CLEAN };
/* Appends the event's text, unsanitized. Appends nothing when the record is shorter than the fields
 * that the program reads, or a dynamic field lies outside of it. */
enum program_text program_run(const struct program *p, const struct tsh_record *rec, struct tsh_strbuf *out);

/* Says whether the text of every record is printable ASCII, so that nothing needs escaping. */
bool program_is_clean(const struct program *p);
/* Says whether the same bytes always give the same text: the program reads no common fields, and
 * neither the kernel's memory nor its variables. Says no for short programs, whose text is not worth
 * keeping. */
bool program_is_repeatable(const struct program *p);

#endif
