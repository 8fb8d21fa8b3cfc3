/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "doctor.h"

#include <stdarg.h>

void tsh_doctor_find(struct tsh_doctor *d, const char *check, const char *fix,
		     const char *fmt, ...)
{
	struct tsh_strbuf text = TSH_STRBUF_INIT;
	va_list ap;

	va_start(ap, fmt);
	tsh_strbuf_vaddf(&text, fmt, ap);
	va_end(ap);
	tsh_table_texts(d->table, check, fix, text.buf);
	d->findings++;
	tsh_strbuf_release(&text);
}
