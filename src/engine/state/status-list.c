/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "status.h"

void tsh_status_list(struct tsh_status_view *st, const char *name, const struct tsh_strlist *list)
{
	struct tsh_strbuf all = TSH_STRBUF_INIT;
	size_t i;

	if (!list->n)
		return;
	for (i = 0; i < list->n; i++) {
		if (!st->one_object)
			tsh_fields_text(st->fields, name, list->v[i]);
		else
			tsh_strbuf_addf(&all, "%s%s", i ? "; " : "", list->v[i]);
	}
	if (st->one_object)
		tsh_fields_text(st->fields, name, all.buf);
	tsh_strbuf_release(&all);
}
