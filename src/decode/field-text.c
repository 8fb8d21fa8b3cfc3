/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tracesh/field-text.h"

#include <stdlib.h>

#include "decoder.h"
#include "tracesh/xmalloc.h"

struct tsh_field_text {
	struct program *program;
};

struct tsh_field_text *tsh_field_text_new(const struct tsh_decoder *d,
					  const struct tsh_event_format *format,
					  const struct tsh_field *field)
{
	struct program *program = program_compile_field(&d->env, format, field);
	struct tsh_field_text *text;

	if (!program)
		return NULL;
	text = tsh_xcalloc(1, sizeof(*text));
	text->program = program;
	return text;
}

void tsh_field_text_free(struct tsh_field_text *text)
{
	if (text)
		program_free(text->program);
	free(text);
}

bool tsh_field_text_print(const struct tsh_field_text *text, const struct tsh_record *rec,
			  struct tsh_strbuf *out)
{
	return program_run(text->program, rec, out);
}
