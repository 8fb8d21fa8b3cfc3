/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef DECODE_SPECIAL_H
#define DECODE_SPECIAL_H

#include "decoder.h"

/*
 * Events whose text the kernel makes in C code of its own; the print format in their
 * format file is another.
 */
typedef void tsh_special_print(const struct tsh_decoder *d, const struct tsh_event_format *format,
			       const struct tsh_record *rec, struct tsh_strbuf *out);

/* NULL: an event like any other. */
tsh_special_print *tsh_special_find(const struct tsh_event_format *format);

#endif
