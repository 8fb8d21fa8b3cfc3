/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef DECODE_PRINTER_H
#define DECODE_PRINTER_H

#include <stddef.h>

#include "decoder.h"

/* Makes text of records by their print format. */
struct tsh_printer;

struct tsh_printer *tsh_printer_new(const struct tsh_provider *provider,
				    const struct tsh_page_layout *layout);
void tsh_printer_free(struct tsh_printer *p);
/*
 * Gets ready for the events of a format, whose file has this text: sets
 * format->printer. False when its print format is beyond this printer.
 */
bool tsh_printer_add(struct tsh_printer *p, struct tsh_event_format *format, const char *text,
		     size_t len);
/* The event's text. False, and nothing added, when the record is not whole. */
bool tsh_printer_print(struct tsh_printer *p, const struct tsh_decoder *d,
		       const struct tsh_event_format *format, const struct tsh_record *rec,
		       struct tsh_strbuf *out);

#endif
