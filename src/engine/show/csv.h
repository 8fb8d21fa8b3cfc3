/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_ENGINE_SHOW_CSV_H
#define TRACESH_ENGINE_SHOW_CSV_H

/*
 * show's rows of CSV: the columns of stream and drain, so that a sheet made for one takes
 * the other. The kernel's text does not name an event's system: it is looked up.
 */

#include "print.h"

void tsh_show_csv_event(struct tsh_show_printer *p, const struct tsh_show_item *item);
void tsh_show_csv_lost(struct tsh_out *out, int cpu, uint64_t count);

#endif
